#!/usr/bin/env python3
"""Builds and runs the tests of cudasync; installs what that needs into build/tools. Needs g++ and Python alone."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import os
import platform
import shutil
import sys
import time
import xml.etree.ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
from cudasync_tools import toolbox

FOLDERS = sorted(path.parent.name for path in ROOT.glob("test/*/CMakeLists.txt"))
KINDS = [*FOLDERS, *(name for name in ("docs", "examples") if (ROOT / name / "CMakeLists.txt").exists())]
WITHOUT_CUDA = {"docs", "host", "relacy"}
WITH_NVRTC = {"axioms", "builds", "codegen", "compile_fail", "headers", "lint", "model", "mutants", "nvrtc", "surroundings"}
SLOWEST = 10

# For the edit loop: host tests without sanitizers, not optimized, and generated code for sm_90.
QUICK_KINDS = ["codegen", "host", "lint"]
NOT_QUICK = "sanitized|audit|matrix|harness"
QUICK_FILTER = "sm_90$"  # of lit's tests


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS, metavar="KIND", help=" ".join(KINDS))
    parser.add_argument("--quick", action="store_true", help="part of " + ", ".join(QUICK_KINDS) + ": under two minutes")
    parser.add_argument("--thorough", action="store_true", help="every mutant, architecture and build")
    parser.add_argument("--host", choices=["aarch64"], help="only the host tests, cross-compiled, on qemu")
    parser.add_argument("--jobs", type=toolbox.positive, default=os.cpu_count(), metavar="N", help="processes (%(default)s)")
    options = parser.parse_args()
    if options.host and (options.quick or options.kinds != KINDS):
        parser.error("--host runs all host tests, and no others: leave --quick and --kinds out")
    if options.host:
        if options.host == platform.machine():
            parser.error(f"--host cross-compiles, and this machine is {options.host}: use --kinds host")
        options.kinds = ["host"]
    options.build = ROOT / "build" / (options.host or ("quick" if options.quick else "test"))
    if options.quick:
        options.kinds = [kind for kind in options.kinds if kind in QUICK_KINDS]
    return options


def aarch64():
    """The CMake variables for a cross compiler and qemu."""
    if not shutil.which("apt-get"):
        raise toolbox.Failure("--host aarch64 needs apt-get, for a cross compiler, qemu and Catch2 from Debian 12")
    compiler = toolbox.gxx_aarch64()
    return {
        "CMAKE_SYSTEM_NAME": "Linux",
        "CMAKE_SYSTEM_PROCESSOR": "aarch64",
        "CMAKE_CXX_COMPILER": compiler,
        "CMAKE_CUDA_COMPILER": "NOTFOUND",
        "CMAKE_CROSSCOMPILING_EMULATOR": compiler.with_name("qemu-aarch64"),
        "CUDASYNC_CLANG": toolbox.clang_19(),
        "Catch2_DIR": toolbox.catch2_aarch64(),
    }


def from_debian(kinds):
    """The CMake variables that name what is installed from Debian's packages, of which two steps at once would read the lists."""
    variables = {}
    if "headers" in kinds and shutil.which("apt-get"):  # elsewhere the tests with clang are skipped
        variables["CUDASYNC_CLANG"] = toolbox.clang_19()
    if "relacy" in kinds and (folder := toolbox.relacy()):
        variables["CUDASYNC_RELACY"] = folder
    if not {"host", "surroundings"}.isdisjoint(kinds) and (folder := toolbox.catch2()):
        variables["Catch2_DIR"] = folder
    return variables


def set_up(kinds, host=None, thorough=False, jobs=1):
    """Installs what these kinds of tests need; returns the CMake variables that name it."""
    groups = ["dev", *(group for group in ("axioms", "docs", "package") if group in kinds)]
    variables = {
        "CUDASYNC_TEST_KINDS": ";".join(kind for kind in kinds if kind in FOLDERS),
        "CUDASYNC_BUILD_TESTS": "ON",
        "CUDASYNC_BUILD_EXAMPLES": "examples" in kinds,
        "CUDASYNC_BUILD_DOCS": "docs" in kinds,
        "CUDASYNC_THOROUGH": thorough,
        "CUDASYNC_RUN_GPU_TESTS": toolbox.has_gpu(),
    }
    if host == "aarch64":
        return variables | {"Python3_EXECUTABLE": toolbox.python(*groups)} | aarch64()
    toolbox.python()  # that installs all others
    tasks = []
    if not WITHOUT_CUDA.issuperset(kinds):
        tasks.append(lambda: {"CMAKE_CUDA_COMPILER": toolbox.nvcc()})
    tasks.append(lambda: {"Python3_EXECUTABLE": toolbox.python(*groups)})
    if not WITH_NVRTC.isdisjoint(kinds):
        tasks.append(lambda: {"CUDASYNC_NVRTC_12": toolbox.nvrtc_12()})
        tasks.append(lambda: {"CUDASYNC_NVRTC": toolbox.nvrtc(), "CUDASYNC_NVDISASM": toolbox.nvdisasm()})
    tasks.append(lambda: from_debian(kinds))
    if "nvrtc" in kinds:
        tasks.append(lambda: {"CUDASYNC_NVRTCS": ";".join(map(str, toolbox.nvrtcs()))})
    if "package" in kinds:
        tasks.append(lambda: {"CUDASYNC_TEST_CMAKES": ";".join(map(str, [toolbox.cmake(), *toolbox.newer_cmakes()]))})
        tasks.append(lambda: {"CUDASYNC_TEST_CCCL": toolbox.cccl()})
    for found in toolbox.at_once(tasks, jobs + 1):  # some wait for the network
        variables |= found
    return variables


def print_slowest(what, seconds):
    if seconds:
        print(f"\nslowest {what}:")
    for name, duration in sorted(seconds, key=lambda item: -item[1])[:SLOWEST]:
        print(f"  {duration:7.1f} s  {name}")


def compilations(build, since):
    """(file, seconds) of what ninja has built since that time (ns), from its log: start and end in ms, time stamp, file, hash."""
    lines = (build / ".ninja_log").read_text(encoding="utf-8").splitlines()[1:]
    fields = [line.split("\t") for line in lines]
    return {name: (int(end) - int(start)) / 1000 for start, end, stamp, name, _ in fields if int(stamp) >= since}.items()


def outcome(case):
    """A test that CTest did not run has failed, unless it skipped itself or was disabled."""
    if case.get("status") == "run":
        return "passed"
    reason = case.find("skipped")
    return "skipped" if reason is not None and reason.get("message", "").startswith("SKIP_") else "failed"


def run(options):
    """Returns (name, outcome) of each test."""
    variables = set_up(options.kinds, options.host, options.thorough, options.jobs)
    if options.quick:
        variables |= {"CMAKE_BUILD_TYPE": "", "CUDASYNC_THOROUGH": True}  # no sanitizers, but all host tests
    os.environ["CUDASYNC_THOROUGH"] = str(int(options.thorough))
    start = time.time_ns()
    target = "quick_tests" if options.quick and "host" in options.kinds else "all"
    toolbox.build(options.build, options.jobs, variables, target)
    written = options.build / "results.xml"
    written.unlink(missing_ok=True)
    ctest = toolbox.cmake().with_name("ctest")
    command = [ctest, "--test-dir", options.build, "--parallel", options.jobs + 1, "--output-on-failure"]  # some wait
    if options.quick:
        command += ["--exclude-regex", NOT_QUICK]
        os.environ["LIT_FILTER"] = QUICK_FILTER
    toolbox.show("testing", *command, "--output-junit", written)
    if not written.exists():
        raise toolbox.Failure("ctest wrote no results: see its message above")
    cases = xml.etree.ElementTree.parse(written).getroot().findall("testcase")
    print_slowest("compilations", compilations(options.build, start))
    if options.host:
        for case in cases:
            if outcome(case) == "skipped":
                print(f"\nskipped: {case.get('name')}: {case.findtext('system-out', '').strip().rpartition(': ')[2]}")
    print_slowest("tests", [(case.get("name"), float(case.get("time", 0))) for case in cases])
    return [(case.get("name"), outcome(case)) for case in cases]


@toolbox.reports_failure
def main():
    options = arguments()
    toolbox.check(options.build)
    try:
        results = run(options)
    except toolbox.Failure as failure:
        results = [(str(failure), "failed")]
    except OSError as error:
        results = [(toolbox.explained(str(error)), "failed")]
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
