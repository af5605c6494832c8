#!/usr/bin/env python3
"""Runs all tests that need a GPU, random programs with new seeds, and the litmus tests, again and again for some time."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "cmake"), str(ROOT / "test")]
import run
import soak_gpus
import toolbox

KINDS = ["fuzz", "gpu", "litmus"]
BUILD = ROOT / "build/soak"
NO_GPU = "error: no GPU: the tests that run for hours need one"
LIMIT = 600  # seconds of a program, if the program's own watchdog does not end it
SLICE = 30  # seconds of a random test in each round
LITMUS_RUNS = 10_000_000  # of each row, in the first round
SKIPPED = 77
SEEDS = re.compile(r"^(\d+) seeds from \d+$", re.MULTILINE)  # what a random test prints at its end
LIBRARY_FENCE = "fence_before_bulk_copy"  # as benchmarks/fences calls it, in the thread that copies

TOOLS = ("memcheck", "synccheck", "initcheck", "racecheck")
SYNCHRONIZED_OTHERWISE = r"atomic|gpu\.barrier(_(completion|wait|warp|scopes|chrono))?(\.|$)|bulk_|cluster|latch|semaphore|order"
SYNCHRONIZED_OTHERWISE += r"|pipeline|turns|tensor|copy_after|progress|fuzz|litmus"
# Programs whose reports by a tool may be false: (tool, pattern of the names, reason).
EXPECTED_REPORTS = (
    ("synccheck", r"memcpy_async|pipeline|fuzz", "cp.async.mbarrier.arrive before version 2025.4, see docs/guide/tools.md"),
    ("memcheck", r"atomic_(linearizable|orders)", "two bytes are accessed for one, see docs/guide/tools.md"),
    ("racecheck", SYNCHRONIZED_OTHERWISE, "not synchronized by arrivals of each thread at an mbarrier, see docs/guide/tools.md"),
)
# Programs that hang or trap on purpose: a tool reports that, too.
ENDS_ABNORMALLY = re.compile(r"hang_report")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=toolbox.positive, metavar="N", help="how long (3600, or 600 for the phases of --several-gpus)")
    parser.add_argument("--several-gpus", nargs="*", choices=soak_gpus.PARTS, metavar="PART",
                        help="instead, once, what needs several GPUs, and a table of the results: " + " ".join(soak_gpus.PARTS) + " (default: all)")
    parser.add_argument("--benchmark", action="append", default=[], metavar="OPTION", help="an option of benchmarks/run.py, such as --benchmark=--fetch")
    parser.add_argument("--seed", type=int, metavar="N", help="the first seed (default: a new one)")
    parser.add_argument("--sanitizer", nargs="*", choices=TOOLS, metavar="TOOL",
                        help="in the first round, also each program under compute-sanitizer: " + " ".join(TOOLS) + " (default: all)")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS, metavar="KIND", help="only these: " + " ".join(KINDS))
    parser.add_argument("--filter", default="", metavar="REGEX", help="only the programs whose name matches")
    parser.add_argument("--jobs", type=toolbox.positive, default=os.cpu_count(), metavar="N", help="processes that compile (%(default)s)")
    parser.add_argument("--output", type=Path, default=BUILD / "results", metavar="DIR", help="(%(default)s)")
    options = parser.parse_args()
    options.seconds = options.seconds or (3600 if options.several_gpus is None else 600)
    return options


def programs(build, pattern):
    """Those of the build that need a GPU, by name."""
    found = [path for path in build.glob("test/*/gpu.*") if path.is_file() and os.access(path, os.X_OK)]
    return sorted((path for path in found if re.search(pattern, path.name)), key=lambda path: path.name)


def ending(command, log, limit, environment):
    """passed, failed, skipped, or timed out; the log has what the program printed."""
    with open(log, "w", encoding="utf-8") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env={**os.environ, **environment})
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return "timed out"
    return "passed" if code == 0 else "skipped" if code == SKIPPED else "failed"


def outcome(command, log, limit, environment):
    """(how the program ended; the number of seeds); the log is kept if the program did not pass."""
    result = ending(command, log, limit, environment)
    if result == "timed out":
        return result, 0
    seeds = sum(int(match[1]) for match in SEEDS.finditer(log.read_text(encoding="utf-8", errors="replace")))
    if result != "failed":
        log.unlink()
    return result, seeds


def expected_reason(tool, name):
    """Why reports of the tool about this program are no errors, or None."""
    if ENDS_ABNORMALLY.search(name):
        return "ends with a hang or a trap on purpose"
    return next((reason for of, pattern, reason in EXPECTED_REPORTS if of == tool and re.search(pattern, name)), None)


def environment_of(name, seed, is_first, folder):
    if name.startswith("gpu.fuzz"):
        return {"CUDASYNC_FUZZ_SEED": str(seed), "CUDASYNC_FUZZ_SECONDS": str(SLICE)}
    if name.startswith("gpu.litmus"):
        return {
            "CUDASYNC_LITMUS_SEED": str(seed % 2**32),
            "CUDASYNC_LITMUS_RUNS": str(LITMUS_RUNS if is_first else LITMUS_RUNS // 10),
            "CUDASYNC_LITMUS_JSON": str(folder / ("proxies.json" if "proxies" in name else "litmus.json")),
            "GPU_TEST_SECONDS": "300",
        }
    return {}


def fences_outcome(options):
    """The races of the copy engine, without a fence and with each fence: with that of the library no word may be wrong."""
    log = options.output / "fences.log"
    command = [sys.executable, ROOT / "benchmarks/run.py", "--kinds", "fences", "--output", options.output]
    result, _ = outcome(command, log, LIMIT, {})
    written = options.output / "fences.json"
    if result != "passed" or not written.exists():
        return result
    rows = json.loads(written.read_text(encoding="utf-8"))["results"]
    wrong = [row for row in rows if row["copying"] == LIBRARY_FENCE and row["wrong"] != 0]
    for row in wrong:
        print(f"wrong words in spite of the fence: {row}")
    return "failed" if wrong else "passed"


def soak(options, build):
    """Returns how often each (program, outcome) occurred, and the number of seeds that each program ran."""
    options.output.mkdir(parents=True, exist_ok=True)
    for name in ("litmus.json", "proxies.json"):
        (options.output / name).unlink(missing_ok=True)
    counts, seeds = collections.Counter(), collections.Counter()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(2**40)
    print(f"the first seed is {seed}: --seed {seed} repeats the run")
    end = time.monotonic() + options.seconds
    number = 0
    tools = list(TOOLS) if options.sanitizer == [] else options.sanitizer or []
    if not options.filter and "gpu" in options.kinds:
        counts["benchmarks/fences", fences_outcome(options)] += 1
    while time.monotonic() < end:
        for path in programs(build, options.filter):
            for tool in (None, *(tools if number == 0 else ())):
                left = end - time.monotonic()
                if left <= 0:
                    break
                name = f"{path.name} under {tool}" if tool else path.name
                log = options.output / f"{path.name}.{tool or 'alone'}.{number}.log"
                command, environment = [path], environment_of(path.name, seed, number == 0 and not tool, options.output)
                if tool:
                    command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "9", path, "--no-fork"]
                    environment.update(GPU_TEST_SECONDS="300", CUDASYNC_FUZZ_SECONDS="", CUDASYNC_LITMUS_RUNS="1")
                result, seeds_run = outcome(command, log, max(LIMIT, SLICE), environment)
                seeds[path.name] += seeds_run
                reason = expected_reason(tool, path.name) if tool and result == "failed" else None
                if reason:
                    result = f"reported something, which may be false ({reason})"
                counts[name, result] += 1
                if result in ("failed", "timed out"):
                    print(f"{result}: {name}, seed {seed}: {log}", flush=True)
        seed += 1_000_000
        number += 1
    print(f"{number} rounds")
    return counts, seeds


def print_counts(counts, seeds):
    """Returns whether something failed, or nothing ran."""
    totals = collections.Counter()
    for (name, result), times in sorted(counts.items()):
        totals[result] += times
        if result != "passed":
            print(f"{times:6} times {result}: {name}")
    for name, number in sorted(seeds.items()):
        if number != 0:
            print(f"{number:6} seeds: {name}")
    print(", ".join(f"{times} {result}" for result, times in sorted(totals.items())) or "nothing ran")
    return totals["passed"] == 0 or totals["failed"] != 0 or totals["timed out"] != 0


@toolbox.reports_failure
def main():
    options = arguments()
    if not toolbox.has_gpu():
        print(NO_GPU, file=sys.stderr)
        return 1
    build = BUILD / "build"
    if options.several_gpus is not None:
        targets = sorted({target for part in options.several_gpus or soak_gpus.PARTS for target in soak_gpus.TARGETS[part]})
        if targets:
            toolbox.build(build, options.jobs, run.set_up(["gpu", "litmus"]), *targets)
        return soak_gpus.measure(options, build, ending)
    toolbox.build(build, options.jobs, run.set_up(options.kinds))
    return 1 if print_counts(*soak(options, build)) else 0


if __name__ == "__main__":
    sys.exit(main())
