"""The headers of cudasync for programs that compile CUDA C++ from Python, and reports of hangs as exceptions."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

import re
from pathlib import Path
from typing import TypedDict

from cudasync.hang_report import Hang, HangReport
from cudasync.nvrtc import compile_cubin

__all__ = ["Hang", "HangReport", "Options", "cmake_dir", "compile_cubin", "compile_options", "header_texts", "include_dir", "program_options"]

_PREFIX = Path(__file__).resolve().parent


class Options(TypedDict):
    """The members of cuda.core.ProgramOptions that cudasync needs."""

    std: str
    include_path: list[str]
    define_macro: list[tuple[str, str]]


def include_dir() -> Path:
    """The folder with the headers. Pass it to the compiler before all other folders, with -I."""
    above = [_PREFIX, *_PREFIX.parents]  # few, if the wheel is in a folder such as /site
    places = ((0, "include/cudasync"), (2, "include"), (4, "include/cudasync"))  # of the wheel, the repository, an install tree
    folders = [above[up] / place for up, place in places if up < len(above)]
    return next((folder for folder in folders if (folder / "cudasync").is_dir()), folders[0])


def _version() -> str:
    text = (include_dir() / "cudasync/core/config.h").read_text(encoding="utf-8")
    return ".".join(match[1] for part in ("MAJOR", "MINOR", "PATCH") if (match := re.search(rf"VERSION_{part} (\d+)", text)))


def __getattr__(name: str) -> str:
    if name == "__version__":
        return _version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def cmake_dir() -> Path:
    """The folder to pass as cudasync_DIR, or to add to CMAKE_PREFIX_PATH."""
    return _PREFIX / "share/cmake/cudasync"


def _macros(checked: bool, trace: bool, hang_timeout_ms: int | None, std: str, drop_in: bool) -> list[tuple[str, str]]:
    if not std.startswith(("c++", "gnu++")):
        raise ValueError(f"std is {std!r}; give c++17 or newer")
    if hang_timeout_ms is not None and not checked:
        raise ValueError("hang_timeout_ms is for the checked build: pass checked=True")
    if hang_timeout_ms is not None and hang_timeout_ms <= 0:
        raise ValueError(f"hang_timeout_ms is {hang_timeout_ms}; give a number of milliseconds above 0")
    macros = [("CUDASYNC_CHECKED", "1")] * checked + [("CUDASYNC_TRACE", "1")] * trace + [("CUDASYNC_DROP_IN", "1")] * drop_in
    return macros + [("CUDASYNC_HANG_TIMEOUT_MS", str(hang_timeout_ms))] * (hang_timeout_ms is not None)


def compile_options(
    *, checked: bool = False, trace: bool = False, hang_timeout_ms: int | None = None, std: str = "c++17", drop_in: bool = False
) -> tuple[str, ...]:
    """Options for NVRTC or nvcc, such as compile_cubin(options=...) and load_inline(extra_cuda_cflags=[*...]).

    checked: the checked build, which reports hangs. trace: records a timeline. hang_timeout_ms: the longest wait without
    progress in the checked build, in milliseconds. std: c++17 or newer. drop_in: the headers include all that those of
    libcu++ include, which needs CCCL's folder behind these options. Raises ValueError if the arguments contradict each other.
    """
    macros = _macros(checked, trace, hang_timeout_ms, std, drop_in)
    return (f"-std={std}", f"-I{include_dir()}", *(f"-D{name}={value}" for name, value in macros))


def program_options(
    *, checked: bool = False, trace: bool = False, hang_timeout_ms: int | None = None, std: str = "c++17", drop_in: bool = False
) -> Options:
    """The same as keyword arguments of cuda.core.ProgramOptions."""
    macros = _macros(checked, trace, hang_timeout_ms, std, drop_in)
    return {"std": std, "include_path": [str(include_dir())], "define_macro": macros}


def header_texts() -> dict[str, str]:
    """The text of each header by its name, such as cuda/barrier, for nvrtcCreateProgram."""
    folder = include_dir()
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in files}
