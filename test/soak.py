#!/usr/bin/env python3
"""Runs all tests that need a GPU, random programs with new seeds, and the litmus tests, for some time; packs them for other machines."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import collections
import concurrent.futures
import json
import os
import random
import re
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
import run
import soak_gpus
from cudasync_tools import gpu_programs, toolbox

KINDS = ["fuzz", "gpu", "litmus"]
BUILD = ROOT / "build/soak"
NO_GPU = "error: no GPU: the tests that run for hours need one"
LIMIT = 600  # seconds of a program, if the program's own watchdog does not end it
LIMIT_UNDER_TOOL = 600
SLICE = 30  # seconds of a random test in each round
LITMUS_RUNS = 10_000_000  # of each row, in the first round
LIBRARY_FENCE = "fence_before_bulk_copy"  # as benchmarks/fences calls it, in the thread that copies

TOOLS = ("memcheck", "synccheck", "initcheck", "racecheck")
SYNCHRONIZED_OTHERWISE = r"atomic|gpu\.barrier(_(completion|wait|warp|scopes|chrono))?(\.|$)|bulk_|cluster|latch|semaphore|order"
SYNCHRONIZED_OTHERWISE += r"|pipeline|turns|tensor|copy_after|progress|fuzz|litmus"
# Programs whose reports by a tool may be false: (tool, pattern of the names, reason).
EXPECTED_REPORTS = (
    ("synccheck", r"memcpy_async|pipeline|fuzz", "cp.async.mbarrier.arrive before version 2025.4, see docs/guide/tools.md"),
    ("synccheck", r"hang_report_none", "one thread arrives at an mbarrier for others, see docs/guide/tools.md"),
    ("memcheck", r"tensor_map", "descriptions that the driver must refuse: errors of cuTensorMapEncodeTiled"),
    ("memcheck", r"atomic_(linearizable|orders)", "two bytes are accessed for one, see docs/guide/tools.md"),
    ("racecheck", SYNCHRONIZED_OTHERWISE, "not synchronized by arrivals of each thread at an mbarrier, see docs/guide/tools.md"),
)
# Programs that start others, which hang or trap on purpose: they do not run under a tool.
ENDS_ABNORMALLY = re.compile(r"hang_report(?!_none)")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=toolbox.positive, metavar="N", help="how long (3600, or 600 for the phases of --several-gpus)")
    parser.add_argument("--several-gpus", nargs="*", choices=soak_gpus.PARTS, metavar="PART",
                        help="instead, once, what needs several GPUs, and a table of the results: " + " ".join(soak_gpus.PARTS) + " (default: all)")
    parser.add_argument("--benchmark", action="append", default=[], metavar="OPTION", help="an option of benchmarks/run.py, such as --benchmark=--fetch")
    parser.add_argument("--seed", type=int, metavar="N", help="the first seed (default: a new one)")
    parser.add_argument("--sanitizer", nargs="*", choices=TOOLS, metavar="TOOL",
                        help="in the first round, also each program under compute-sanitizer: " + " ".join(TOOLS) + " (default: all)")
    parser.add_argument("--limit", type=toolbox.positive, default=LIMIT_UNDER_TOOL, metavar="N",
                        help="seconds of a program under a tool; a test has a third of them (%(default)s)")
    parser.add_argument("--rounds", type=toolbox.positive, metavar="N", help="end after so many rounds")
    parser.add_argument("--at-once", type=toolbox.positive, default=1, metavar="N",
                        help="programs that run at the same time; those that fail run again, alone (%(default)s)")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS, metavar="KIND", help="only these: " + " ".join(KINDS))
    parser.add_argument("--filter", default="", metavar="REGEX", help="only the programs whose name matches")
    parser.add_argument("--jobs", type=toolbox.positive, default=os.cpu_count(), metavar="N", help="processes that compile (%(default)s)")
    parser.add_argument("--output", type=Path, default=BUILD / "results", metavar="DIR", help="(%(default)s)")
    parser.add_argument("--pack", type=Path, metavar="FILE", help="only build, without a GPU: write the programs to this .tar.xz file")
    parser.add_argument("--architecture", default="90a", metavar="NN", help="of the GPU that the packed programs are for (%(default)s)")
    parser.add_argument("--packed", type=Path, metavar="FILE", help="run the programs in this file, or in this folder of a build, and build nothing")
    options = parser.parse_args()
    options.seconds = options.seconds or (3600 if options.several_gpus is None else 600)
    return options


def expected_reason(tool, name):
    """Why reports of the tool about this program may be no errors, or None."""
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
    result, _ = gpu_programs.outcome(command, log, LIMIT, {})
    written = options.output / "fences.json"
    if result != "passed" or not written.exists():
        return result
    rows = json.loads(written.read_text(encoding="utf-8"))["results"]
    wrong = [row for row in rows if row["copying"] == LIBRARY_FENCE and row["wrong"] != 0]
    for row in wrong:
        print(f"wrong words in spite of the fence: {row}")
    return "failed" if wrong else "passed"


class Soak:
    """A run: how often each (program, outcome) occurred, and the number of seeds that each program ran."""

    def __init__(self, options, build):
        self.options, self.build = options, build
        self.counts, self.seeds = collections.Counter(), collections.Counter()
        self.reports = []  # lines about programs under a tool
        self.seed = options.seed if options.seed is not None else random.SystemRandom().randrange(2**40)
        self.end = time.monotonic() + options.seconds
        self.number = 0  # of rounds before this one

    def left(self):
        return self.end - time.monotonic()

    def run_alone(self, path):
        """Returns whether it may have failed because of the other programs."""
        environment = environment_of(path.name, self.seed, self.number == 0, self.options.output)
        if self.options.at_once > 1:
            environment.setdefault("GPU_TEST_SECONDS", "60")
        log = self.options.output / f"{path.name}.alone.{self.number}.log"
        result, seeds = gpu_programs.outcome([path], log, LIMIT, environment)
        self.seeds[path.name] += seeds
        if result in ("failed", "timed out"):
            print(f"{result}: {path.name}, seed {self.seed}: {log}", flush=True)
            if self.options.at_once > 1:
                return True
        self.counts[path.name, result] += 1
        return False

    def run_again(self, path):
        result, _ = gpu_programs.outcome(
            [path],
            self.options.output / f"{path.name}.again.log",
            LIMIT,
            environment_of(path.name, self.seed, False, self.options.output),
        )
        self.counts[path.name, "failed beside others, passed alone" if result == "passed" else result] += 1

    def run_under(self, tool, path):
        if self.left() <= 0:
            self.counts[f"{path.name} under {tool}", "not run"] += 1
            return
        environment = {"CUDASYNC_FUZZ_SECONDS": "", "CUDASYNC_LITMUS_RUNS": "1"}
        log = self.options.output / f"{path.name}.{tool}.log"
        start = time.monotonic()
        report = gpu_programs.under_tool(tool, path, log, min(self.options.limit, self.left()), environment)
        reason = expected_reason(tool, path.name) if report.errors else None
        result = "failed" if report.errors else "did not end" if report.unfinished else "passed"
        self.counts[f"{path.name} under {tool}", "may be false: " + reason if reason else result] += 1
        print(f"{tool} {path.name}: {report} ({time.monotonic() - start:.0f} s)", flush=True)
        if report.errors or report.unfinished:
            self.reports.append(f"{tool} {path.name}: {report}")

    def each(self, function, items):
        """Calls the function with each of the items until the time is over, several at the same time; returns the results."""
        with concurrent.futures.ThreadPoolExecutor(self.options.at_once) as pool:
            return list(pool.map(function, items))

    def round(self):
        found = gpu_programs.find(self.build, self.options.kinds, self.options.filter)
        failed = self.each(lambda path: self.left() > 0 and self.run_alone(path), found)
        for path, has_failed in zip(found, failed):
            if has_failed:
                self.run_again(path)
        if self.number == 0:
            tools = list(TOOLS) if self.options.sanitizer == [] else self.options.sanitizer or []
            quiet = [path for path in found if not ENDS_ABNORMALLY.search(path.name)]
            self.each(lambda task: self.run_under(*task), [(tool, path) for tool in tools for path in quiet])

    def run(self):
        self.options.output.mkdir(parents=True, exist_ok=True)
        for name in ("litmus.json", "proxies.json"):
            (self.options.output / name).unlink(missing_ok=True)
        print(f"the first seed is {self.seed}: --seed {self.seed} repeats the run")
        if not self.options.filter and not self.options.packed and "gpu" in self.options.kinds:
            self.counts["benchmarks/fences", fences_outcome(self.options)] += 1
        while self.left() > 0 and self.number != self.options.rounds:
            self.round()
            self.seed += 1_000_000
            self.number += 1
        print(f"{self.number} rounds")


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


def pack(options):
    """The release build and the checked build, without the paths of older GPUs."""
    build = BUILD / "pack"
    variables = run.set_up(options.kinds) | {
        "CUDASYNC_RUN_GPU_TESTS": True,
        "CUDASYNC_FORCED_TARGETS": "",
        "CMAKE_CUDA_ARCHITECTURES": f"{options.architecture}-real",
        "CMAKE_CUDA_RUNTIME_LIBRARY": "Shared",
        "CMAKE_BUILD_RPATH": f"$ORIGIN/../../{gpu_programs.LIBRARIES}",
    }
    toolbox.build(build, options.jobs, variables, "gpu_programs")
    runtime = next(Path(variables["CMAKE_CUDA_COMPILER"]).resolve().parents[1].glob("lib*/libcudart.so.[0-9]*"))
    found = gpu_programs.find(build, options.kinds, options.filter)
    gpu_programs.pack(build, found, [runtime], options.pack)
    print(f"{len(found)} programs, {options.pack.stat().st_size / 1e6:.1f} MB: {options.pack}")


@toolbox.reports_failure
def main():
    options = arguments()
    if options.pack:
        pack(options)
        return 0
    if not toolbox.has_gpu():
        print(NO_GPU, file=sys.stderr)
        return 1
    if options.several_gpus is not None:
        build = BUILD / "build"
        targets = sorted({target for part in options.several_gpus or soak_gpus.PARTS for target in soak_gpus.TARGETS[part]})
        if targets:
            toolbox.build(build, options.jobs, run.set_up(["gpu", "litmus"]), *targets)
        return soak_gpus.measure(options, build, gpu_programs.ending)
    build = BUILD / ("packed" if options.packed else "build")
    if options.packed and options.packed.is_dir():
        build = options.packed
    elif options.packed:
        gpu_programs.unpack(options.packed, build)
    else:
        toolbox.build(build, options.jobs, run.set_up(options.kinds), "gpu_programs")
    soak = Soak(options, build)
    soak.run()
    print("\n".join(soak.reports))
    return 1 if print_counts(soak.counts, soak.seeds) else 0


if __name__ == "__main__":
    sys.exit(main())
