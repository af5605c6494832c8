"""Prints where the headers and the CMake package of cudasync are."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse

import cudasync


def main():
    parser = argparse.ArgumentParser(prog="python -m cudasync", description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--include", action="store_const", dest="place", const=cudasync.include, help="pass it first, with -I")
    what.add_argument("--cmake", action="store_const", dest="place", const=cudasync.cmake, help="for -Dcudasync_DIR=")
    print(parser.parse_args().place())


if __name__ == "__main__":
    main()
