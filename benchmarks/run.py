#!/usr/bin/env python3
"""Builds and runs all benchmarks of cudasync that this machine can run, and reports which goals are reached."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import os
import sys
from pathlib import Path

import engines
import peers
from cudasync_tools import toolbox
from goals import (
    atomics_goals,
    bandwidth_goals,
    checked_goals,
    compile_time_goals,
    explore_goals,
    fences_goals,
    gpus_goals,
    groups_goals,
    host_goals,
    host_gpu_goals,
    latency_goals,
    programs_goals,
    sass_goals,
    tensor_cores_goals,
    trace_goals,
    uses_goals,
)

HERE = Path(__file__).resolve().parent
BUILD = peers.ROOT / "build/benchmarks"
PROGRAMS: dict = {
    "latency": latency_goals,
    "atomics": atomics_goals,
    "bandwidth": bandwidth_goals,
    "groups": groups_goals,
    "gpus": gpus_goals,
    "fences": fences_goals,
    "trace": trace_goals,
    "checked": checked_goals,
    "programs": programs_goals,
    "host": host_goals,
    "host_gpu": host_gpu_goals,
    "tensor_cores": tensor_cores_goals,
    "uses": uses_goals,
}
KINDS = ["compile_time", "sass", "explore", *PROGRAMS]


def arguments():
    parser = peers.parser(__doc__)
    parser.add_argument("--cutlass", metavar="DIR", help="folder of CUTLASS")
    parser.add_argument("--nccl", metavar="DIR", help="folder of NCCL, with include and lib, for gpus")
    parser.add_argument("--nvshmem", metavar="DIR", help="folder of NVSHMEM, with include and lib, for gpus")
    parser.add_argument("--fetch", action="store_true", help="install CCCL and CUTLASS from PyPI first, and for gpus NCCL and NVSHMEM")
    parser.add_argument("--arch", metavar="N", help="compile the programs for sm_N (default: the architecture of this GPU, or 90)")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS, metavar="KIND", help=" ".join(KINDS))
    parser.add_argument("--output", type=Path, default=BUILD / "results", metavar="DIR", help="(%(default)s)")
    parser.add_argument("--seconds", type=int, default=220, metavar="N", help="of a program, after which it measures no further table (%(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="processes (%(default)s)")
    return parser.parse_args()


def run_script(what, script, options):
    """Runs one of the scripts with the common options and returns its results."""
    result = options.output / f"{script.stem}.json"
    words = ["--json", result, *(["--cccl", options.cccl] if options.cccl else [])]
    if toolbox.show(what, sys.executable, script, *words):
        raise toolbox.Failure(f"{script.name} failed: see its output above")
    return json.loads(result.read_text(encoding="utf-8"))


def run_program(name, options):
    """Builds one of the programs and, if there is a GPU or it needs none, runs it; returns its results, or None."""
    definitions = {
        "CUDASYNC_BUILD_BENCHMARKS": "ON",
        "CUDASYNC_CCCL_DIR": peers.cccl_folder(options.cccl) or "",
        "CUDASYNC_CUTLASS_DIR": peers.cutlass_folder(options.cutlass) or "",
        "CMAKE_CUDA_COMPILER": toolbox.nvcc(),
    }
    if options.arch:
        definitions["CMAKE_CUDA_ARCHITECTURES"] = options.arch
    toolbox.build(BUILD, options.jobs, definitions, name)
    if name != "host" and not toolbox.has_gpu():
        toolbox.say(f"No GPU found: {name} was built, but cannot run.")
        return None
    result = options.output / f"{name}.json"
    program = BUILD / "benchmarks" / name / name
    limit = [] if name == "fences" else ["--seconds", options.seconds]  # fences has no tables
    if toolbox.show(name, "timeout", "--signal=KILL", options.seconds + 20, program, "--json", result, *limit):
        toolbox.say(f"error: {name} failed: only the results up to the failure are used")
    return json.loads(result.read_text(encoding="utf-8")) if result.exists() else None


def goals_of(kind, options):
    """Measures one kind of benchmarks; returns its goals."""
    if kind == "sass":
        return sass_goals(run_script("SASS", HERE / "latency/sass_counts.py", options))
    if kind == "explore":
        return explore_goals(run_script("speed of the machine", HERE / "explore/explore.py", options)["results"])
    if kind == "compile_time":
        run_script("compile time of the checked build", HERE / "compile_time/checked_build.py", options)
        return compile_time_goals(run_script("compile time", HERE / "compile_time/compile_time.py", options))
    found = run_program(kind, options)
    results = found["results"] if found else []
    if kind == "gpus":
        others = engines.measure(options, BUILD / "engines", engines.gpu_count())
        return gpus_goals(results, others) if found else []
    return PROGRAMS[kind](results) if found else []


def summary(goals):
    """The lines that show the goals, and at the end how many of them are not reached."""
    above = sum(not goal.is_reached() for goal in goals)
    lines = [goal.line() for goal in goals]
    return ["Goals (the worst of all configurations):", *lines, f"above goal: {above} of {len(goals)}", ""] if goals else []


@toolbox.reports_failure
def main():
    options = arguments()
    options.output = options.output.resolve()
    options.output.mkdir(parents=True, exist_ok=True)
    for name in PROGRAMS:
        (options.output / f"{name}.json").unlink(missing_ok=True)
    if options.fetch:
        peers.fetch()
        if "gpus" in options.kinds:
            engines.fetch()
    names = ", ".join(library.name for library in peers.libraries(options.cccl))
    toolbox.say(f"measuring {names}; CUTLASS: {'yes' if peers.cutlass_folder(options.cutlass) else 'no'}")
    kinds = [kind for kind in (*PROGRAMS, "sass", "explore", "compile_time") if kind in options.kinds]
    goals, lines = [], []
    try:
        for number, kind in enumerate(kinds, 1):
            toolbox.say(f"\n[{number}/{len(kinds)}] {kind}")
            goals += goals_of(kind, options)
            lines = summary(goals)
            (options.output / "goals.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")
    finally:  # also after an interruption
        toolbox.say("\n".join(["", *lines, f"results: {options.output}"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
