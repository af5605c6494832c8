"""Which library's headers a compilation uses, and why: the compiler's preprocessor is asked, with the options of the compilation."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import cudasync

_SHARED = ("cuda/atomic", "cuda/barrier", "cuda/latch", "cuda/pipeline", "cuda/semaphore")
_WITH_VALUE = {"-o", "-MF", "-MT", "-MQ", "--output-file", "-odir", "--dependency-output"}
_DROPPED = re.compile(r"-c|-S|-E|-M|-MM|-MD|-MMD|-dc|-dw|-ptx|-cubin|-fatbin|-MP|--(compile|device-c|ptx|cubin|fatbin|preprocess)|-o.+")
_SOURCE = re.compile(r"[^-].*\.(cu|cpp|cc|cxx|c\+\+|C)")
_VARIABLES = ("CPATH", "CPLUS_INCLUDE_PATH", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS")


def _options(command: list[str]) -> list[str]:
    """The command without its sources and outputs."""
    words, rest = [command[0]], iter(command[1:])
    for word in rest:
        if word in _WITH_VALUE:
            next(rest, None)
        elif not (_DROPPED.fullmatch(word) or _SOURCE.fullmatch(word)):
            words.append(word)
    return words


def _found(command: list[str], header: str) -> tuple[Path | None, str]:
    """The folder in which the preprocessor finds a header, and what it says if it finds none."""
    suffix = ".cpp" if not any("nvcc" in word or word.endswith(".cu") or word == "cu" for word in command) else ".cu"
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / f"probe{suffix}"
        source.write_text(f"#include <{header}>\n", encoding="utf-8")
        words = [*_options(command), "-E", str(source)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    match = re.search(rf'^# \d+ "(.*)/{header}"', done.stdout, re.MULTILINE)
    error = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip().partition("\n")[0])
    return (Path(match[1]) if match else None), error


def _origin(command: list[str], folder: Path) -> str:
    """Where the compiler got a folder: the option, an environment variable, or its own list."""

    def is_it(text: str) -> bool:
        return bool(text) and Path(text).resolve() == folder.resolve()

    for number, word in enumerate(command):
        for option in ("-isystem", "-I", "--system-include", "--include-path", "-idirafter"):
            value = word[len(option) :].lstrip("=") if word.startswith(option) else ""
            if word == option:
                value = command[number + 1] if number + 1 < len(command) else ""
            if is_it(value):
                return f"{option} {value} (argument {number})"
    for name in _VARIABLES:
        if any(is_it(part.removeprefix("-I").removeprefix("-isystem")) for part in re.split(r"[:\s]", os.environ.get(name, ""))):
            return f"the environment variable {name}"
    return "the compiler's own list of folders"


def _remedy(command: list[str]) -> str:
    folder = cudasync.include_dir()
    origin = _origin(command, folder)
    if origin.startswith(("-I", "--include-path")):
        return f"cudasync's folder comes later, from {origin}: put it before the other"
    if origin.startswith("-"):
        return f"cudasync's folder comes from {origin}, which is behind all -I: pass it with -I"
    return f"cudasync's folder is not on the command line: pass -I{folder} first"


def print_report(command: list[str]) -> int:
    """Prints which library's headers the compilation uses. Returns 1 if one is not cudasync's, otherwise 0."""
    wrong = 0
    for header in _SHARED:
        try:
            folder, error = _found(command, header)
        except OSError as missing:
            print(f"error: {command[0]} does not start: {missing.strerror}", file=sys.stderr)
            return 2
        if folder is None:
            print(f"<{header}>: not found\n  error: {error or _remedy(command)}")
        elif (folder / "cudasync/core/config.h").exists():
            print(f"<{header}>: cudasync's, from {_origin(command, folder)}")
            continue
        else:
            print(f"<{header}>: not cudasync's: {folder}/{header}, from {_origin(command, folder)}\n  error: {_remedy(command)}")
        wrong += 1
    return int(wrong != 0)
