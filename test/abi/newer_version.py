"""Copies the headers as those of version 0.3.0, for tests of two versions in one program."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import shutil
import sys
from pathlib import Path

CHANGES = {
    "VERSION_MINOR 2": "VERSION_MINOR 3",
    "CUDASYNC_VERSION 200": "CUDASYNC_VERSION 300",
    "CUDASYNC_VERSION != 200": "CUDASYNC_VERSION != 300",
    "CUDASYNC_ABI v0_2": "CUDASYNC_ABI v0_3",
}


def copy(include, folder):
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(include, folder)
    unchanged = set(CHANGES)
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            for old, new in CHANGES.items():
                if old in text:
                    unchanged.discard(old)
                    text = text.replace(old, new)
            path.write_text(text, encoding="utf-8")
    if unchanged:
        sys.exit(f"the headers do not contain {', '.join(sorted(unchanged))}")


if __name__ == "__main__":
    copy(*sys.argv[1:])
