"""What needs several GPUs, in bounded time: tests, litmus rows, a long run of phases and benchmarks, and one table of the results."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import re
import sys
from pathlib import Path

from cudasync_tools import toolbox

ROOT = Path(__file__).resolve().parents[1]
PARTS = ("tests", "litmus", "phases", "benchmarks")
TESTS = ("gpu.peer_barrier", "gpu.peer_barrier.checked", "gpu.peer_processes", "gpu.peer_processes.checked", "gpu.hang_report_peers")
LITMUS = "gpu.litmus"
TARGETS = {"tests": TESTS, "litmus": (LITMUS,), "phases": ("gpu.peer_barrier",), "benchmarks": ()}
LITMUS_RUNS = 10_000_000  # of each row
SECONDS = {"tests": 240, "litmus": 1200, "benchmarks": 2400}  # of a program at most
TWO_GPUS = "two GPUs"
PHASES = re.compile(r"^(\d+) phases of (\d+) ranks on (\d+) GPUs, (\d+) words compared$", re.MULTILINE)
A_DAY = 24 * 60 * 60 * 1000  # phases of one each millisecond


def row(what, goal, found, is_reached):
    """A line of the table. is_reached: None if it was not measured."""
    return {"what": what, "goal": goal, "found": found, "state": "not measured" if is_reached is None else "reached" if is_reached else "MISSED"}


def test_rows(build, run):
    for name in TESTS:
        result, log = run(name, build / "test/gpu" / name, SECONDS["tests"], {})
        reasons = [line.strip() for line in log.splitlines() if "no two GPUs" in line]  # also of single tests in a program
        is_measured = result != "skipped" and not (result == "passed" and reasons)
        yield row(name, "passes", result + (f" ({reasons[0]})" if reasons else ""), result == "passed" if is_measured else None)


def litmus_rows(build, run, folder):
    written = folder / "two_gpus.json"
    written.unlink(missing_ok=True)
    environment = {
        "CUDASYNC_LITMUS_GPUS": "1",
        "CUDASYNC_LITMUS_RUNS": str(LITMUS_RUNS),
        "CUDASYNC_LITMUS_SECONDS": str(SECONDS["litmus"] - 60),
        "CUDASYNC_LITMUS_JSON": str(written),
        "GPU_TEST_SECONDS": "300",
    }
    result, _ = run(LITMUS, build / "test/litmus" / LITMUS, SECONDS["litmus"], environment)
    lines = written.read_text(encoding="utf-8").splitlines() if written.exists() else []
    counts = [each for each in map(json.loads, lines) if each["place"] == TWO_GPUS]
    if not counts:
        yield row("litmus tests across two GPUs", "0 forbidden in 10,000,000 runs", result, None if result in ("passed", "skipped") else False)
    for each in counts:
        seen = f"{each['relaxed']:,} in {each['relaxed_runs']:,} relaxed" if each["relaxed_runs"] else "no relaxed twin"
        found = f"{each['forbidden']} in {each['runs']:,}; {seen}"
        yield row(f"litmus {each['shape']}, {TWO_GPUS}", f"0 forbidden in {LITMUS_RUNS:,}", found, each["forbidden"] == 0 and each["runs"] >= LITMUS_RUNS)
    if counts:
        kinds = sorted(each["shape"] for each in counts if each["relaxed"])
        yield row("litmus: relaxed twins that show the outcome", "at least one", " ".join(kinds) or "none", bool(kinds))


def phase_rows(build, run, seconds):
    result, log = run("gpu.peer_barrier", build / "test/gpu/gpu.peer_barrier", seconds + SECONDS["tests"], {"CUDASYNC_PEER_SECONDS": str(seconds)})
    found = PHASES.search(log)
    if not found:
        yield row("phases without a wrong word", f"{A_DAY:,} on 4 GPUs", result, None if result == "skipped" else False)
        return
    phases, ranks, gpus, words = map(int, found.groups())
    text = f"{phases:,} of {ranks} ranks on {gpus} GPUs in {seconds} s, {words:,} words compared" + ("" if result == "passed" else f"; {result}")
    yield row("phases without a wrong word", f"{A_DAY:,} on 4 GPUs", text, result == "passed" and (phases >= A_DAY and gpus >= 4 or None))


def benchmark_rows(run, folder, arguments):
    result, _ = run("benchmarks", sys.executable, SECONDS["benchmarks"], {}, ROOT / "benchmarks/run.py", "--kinds", "gpus", "--output", folder, *arguments)
    goals = folder / "goals.txt"
    lines = goals.read_text(encoding="utf-8").splitlines() if result == "passed" and goals.exists() else []
    pattern = re.compile(r"^(reached|above) +([\d.]+) +\((at most [\d.]+)\) +(.*); worst: (.*)$")
    found = [match for match in map(pattern.match, lines) if match]
    if not found:
        yield row("benchmarks", "run", result, None if result in ("passed", "skipped") else False)
    for state, value, goal, what, where in (match.groups() for match in found):
        yield row(what, goal, f"{value} ({where})", state == "reached")


def table(rows):
    """The lines of the table, in Markdown."""
    lines = ["| What | Goal | Found | |", "| --- | --- | --- | --- |"]
    return lines + [f"| {each['what']} | {each['goal']} | {each['found']} | {each['state']} |" for each in rows]


def measure(options, build, run):
    """Runs the parts; keeps the rows of each in the output folder, and prints the rows of all that have run. Returns the exit status."""
    folder = options.output / "several_gpus"
    folder.mkdir(parents=True, exist_ok=True)

    def kept(name, program, limit, environment, *words):
        toolbox.say(f"== {name}, {limit} s at most")
        log = folder / f"{name}.log"
        result = run([program, *words], log, limit, environment)
        return result, log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""

    parts = {
        "tests": lambda: test_rows(build, kept),
        "litmus": lambda: litmus_rows(build, kept, folder),
        "phases": lambda: phase_rows(build, kept, options.seconds),
        "benchmarks": lambda: benchmark_rows(kept, folder, options.benchmark),
    }
    for part in options.several_gpus or PARTS:
        (folder / f"{part}.json").write_text(json.dumps(list(parts[part]())), encoding="utf-8")
    files = [folder / f"{part}.json" for part in PARTS]
    rows = [each for file in files if file.exists() for each in json.loads(file.read_text(encoding="utf-8"))]
    toolbox.say("\n".join(["", *table(rows), f"logs: {folder}"]))
    return int(any(each["state"] == "MISSED" for each in rows) or all(each["state"] == "not measured" for each in rows))
