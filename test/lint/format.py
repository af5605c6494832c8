#!/usr/bin/env python3
"""Formats all C++ and CUDA sources with the pinned clang-format: `python3 test/lint/format.py [FILE...]`."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
from cudasync_tools import toolbox

SUFFIXES = (".h", ".cu", ".cpp", ".cuh")
FOLDERS = ("benchmarks", "docs", "examples", "include", "machine", "test")


def sources():
    """All files with a suffix of C++, and the public headers, which have none."""
    for folder in FOLDERS:
        yield from (path for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES and path.is_file())
    for folder in ("include/cuda", "include/cuda/std"):
        yield from (path for path in (ROOT / folder).iterdir() if not path.suffix and path.is_file())


@toolbox.reports_failure
def main():
    program = toolbox.python("dev").with_name("clang-format")
    changed = 0
    for path in sorted([Path(name).resolve() for name in sys.argv[1:]] or sources()):
        text = path.read_text(encoding="utf-8")
        name = path if path.suffix else f"{path}.h"
        command = [str(program), f"--assume-filename={name}"]
        formatted = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
        if formatted != text:
            path.write_text(formatted, encoding="utf-8")
            print(f"formatted {path.relative_to(ROOT)}")
            changed += 1
    print(f"{changed} files changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
