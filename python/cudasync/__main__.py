"""Prints where the headers and the CMake package of cudasync are, checks this machine or a compilation, explores or reports kernels, or ports a project."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import cudasync
from cudasync import doctor, explore, include_order, port, report


def main() -> int:
    if sys.argv[1:2] == ["explore"]:
        return explore.main(sys.argv[2:])
    parser = argparse.ArgumentParser(prog="python -m cudasync", description=__doc__)
    parser.add_argument("--version", action="version", version=cudasync.__version__)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--include", action="store_const", dest="place", const=cudasync.include_dir, help="pass it first, with -I")
    what.add_argument("--cmake", action="store_const", dest="place", const=cudasync.cmake_dir, help="for -Dcudasync_DIR=")
    commands = parser.add_subparsers(dest="command", metavar="doctor|explore|port|report")
    checks = commands.add_parser(
        "doctor",
        help="checks compilers, headers and GPUs, or which library's headers a compilation uses",
        usage="%(prog)s [-h] [-- COMPILER ARGUMENT...]",
    )
    checks.add_argument("compilation", nargs="*", help="after --: a command line of nvcc, g++ or clang; it is not executed")
    commands.add_parser("explore", help="runs kernels on the CPU, and finds data races, missing fences and hangs", add_help=False)
    ports = commands.add_parser("port", help="includes what a project takes from libcu++'s headers by chance")
    ports.add_argument("path", type=Path, help="a folder with sources, or one file")
    ports.add_argument("--write", action="store_true", help="changes the files; otherwise, prints a patch and returns 1 if there is one")
    reports = commands.add_parser("report", help="shows what the threads of a hanging kernel wait for; the program may be a release build")
    reports.add_argument("target", metavar="PROCESS|CORE", help="the number of a process, for cuda-gdb; or a core dump of a GPU")
    reports.add_argument("--json", type=Path, metavar="FILE", help="also writes the report as JSON")
    options = parser.parse_args()
    if options.place and options.command:
        parser.error("give one of --include, --cmake, doctor, explore, port and report")
    if not options.place and not options.command:
        parser.print_help()
        return 0
    if options.command == "port":
        return port.run(options.path, options.write)
    if options.command == "report":
        return report.run(options.target, options.json)
    if options.command == "doctor":
        return include_order.print_report(options.compilation) if options.compilation else doctor.print_report()
    print(options.place())
    return 0


if __name__ == "__main__":
    sys.exit(main())
