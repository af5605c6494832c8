#!/usr/bin/env python3
"""Builds and runs the tests of cudasync; installs what that needs into build/tools. Needs g++ and Python alone."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import os
import shutil
import sys
import xml.etree.ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "cmake"))
import toolbox

BUILD = ROOT / "build/test"
RESULTS = BUILD / "results.xml"
FOLDERS = sorted(path.parent.name for path in ROOT.glob("test/*/CMakeLists.txt"))
KINDS = [*FOLDERS, *(name for name in ("docs", "examples") if (ROOT / name / "CMakeLists.txt").exists())]
WITHOUT_CUDA = {"docs", "host"}
WITH_NVRTC = {"codegen", "compile_fail", "headers", "lint", "mutants", "nvrtc"}
SLOWEST = 10


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS, metavar="KIND", help=" ".join(KINDS))
    parser.add_argument("--jobs", type=toolbox.positive, default=os.cpu_count(), metavar="N", help="processes (%(default)s)")
    return parser.parse_args()


def set_up(kinds):
    """Installs what these kinds of tests need; returns the CMake variables that name it."""
    groups = ["dev", *(group for group in ("docs", "package") if group in kinds)]
    variables = {
        "CUDASYNC_TEST_KINDS": ";".join(kind for kind in kinds if kind in FOLDERS),
        "CUDASYNC_BUILD_TESTS": "ON",
        "CUDASYNC_BUILD_EXAMPLES": "examples" in kinds,
        "CUDASYNC_BUILD_DOCS": "docs" in kinds,
        "Python3_EXECUTABLE": toolbox.python(*groups),
    }
    if not WITHOUT_CUDA.issuperset(kinds):
        variables["CMAKE_CUDA_COMPILER"] = toolbox.nvcc()
    if not toolbox.has_gpu():
        # The tests of code generation compile the same paths, and have ptxas assemble them.
        variables["CUDASYNC_FORCED_TARGETS"] = ""
        variables["CUDASYNC_GPU_ARCHITECTURES"] = "90-virtual"
    if not WITH_NVRTC.isdisjoint(kinds):
        variables["CUDASYNC_NVRTC"] = toolbox.nvrtc()
        variables["CUDASYNC_NVRTC_12"] = toolbox.nvrtc_12()
        variables["CUDASYNC_NVDISASM"] = toolbox.nvdisasm()
    if "headers" in kinds and shutil.which("apt-get"):  # elsewhere the tests with clang are skipped
        variables["CUDASYNC_CLANG"] = toolbox.clang_19()
    if "nvrtc" in kinds:
        variables["CUDASYNC_NVRTCS"] = ";".join(map(str, toolbox.nvrtcs()))
    if "package" in kinds:
        variables["CUDASYNC_TEST_CMAKES"] = ";".join(map(str, [toolbox.cmake(), *toolbox.newer_cmakes()]))
        variables["CUDASYNC_TEST_CCCL"] = toolbox.cccl()
    if "host" in kinds and (folder := toolbox.catch2()):
        variables["Catch2_DIR"] = folder
    return variables


def print_slowest(what, seconds):
    print(f"\nslowest {what}:")
    for name, duration in sorted(seconds, key=lambda item: -item[1])[:SLOWEST]:
        print(f"  {duration:7.1f} s  {name}")


def compilations():
    """(file, seconds) of all that ninja has built, from its log: start and end in ms, time stamp, file, hash."""
    lines = (BUILD / ".ninja_log").read_text(encoding="utf-8").splitlines()[1:]
    fields = [line.split("\t") for line in lines]
    return {name: (int(end) - int(start)) / 1000 for start, end, _, name, _ in fields}.items()


def outcome(case):
    """A test that CTest did not run has failed, unless it skipped itself or was disabled."""
    if case.get("status") == "run":
        return "passed"
    reason = case.find("skipped")
    return "skipped" if reason is not None and reason.get("message", "").startswith("SKIP_") else "failed"


def run(options):
    """Returns (name, outcome) of each test."""
    toolbox.build(BUILD, options.jobs, set_up(options.kinds))
    RESULTS.unlink(missing_ok=True)
    ctest = toolbox.cmake().with_name("ctest")
    command = [ctest, "--test-dir", BUILD, "--parallel", options.jobs, "--output-on-failure"]
    toolbox.show("testing", *command, "--output-junit", RESULTS)
    if not RESULTS.exists():
        raise toolbox.Failure("ctest wrote no results: see its message above")
    cases = xml.etree.ElementTree.parse(RESULTS).getroot().findall("testcase")
    print_slowest("compilations", compilations())
    print_slowest("tests", [(case.get("name"), float(case.get("time", 0))) for case in cases])
    return [(case.get("name"), outcome(case)) for case in cases]


@toolbox.reports_failure
def main():
    options = arguments()
    toolbox.check(BUILD)
    try:
        results = run(options)
    except (toolbox.Failure, OSError) as failure:
        results = [(str(failure), "failed")]
    print_slowest("steps", toolbox.durations)
    outcomes = [result for _, result in results]
    passed, failed, skipped = (outcomes.count(result) for result in ("passed", "failed", "skipped"))
    print("")
    for name, result in results:
        if result == "failed":
            print(f"failed: {name}")
    if skipped and not passed and not failed:
        print("no test ran: all were skipped" + ("" if toolbox.has_gpu() else ", for want of a GPU"))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
