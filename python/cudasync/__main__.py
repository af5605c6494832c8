"""Prints where the headers and the CMake package of cudasync are, or what this machine has for programs that use them."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

import argparse
import sys

import cudasync
from cudasync import doctor


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m cudasync", description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--include", action="store_const", dest="place", const=cudasync.include_dir, help="pass it first, with -I")
    what.add_argument("--cmake", action="store_const", dest="place", const=cudasync.cmake_dir, help="for -Dcudasync_DIR=")
    what.add_argument("command", nargs="?", choices=["doctor"], help="checks compilers, headers and GPUs")
    options = parser.parse_args()
    if options.command == "doctor":
        return doctor.print_report()
    print(options.place())
    return 0


if __name__ == "__main__":
    sys.exit(main())
