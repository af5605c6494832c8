"""Compiles kernels by NVRTC with the headers of cudasync alone, so that no other library's headers come first."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

import ctypes
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cudasync

_LIBRARIES = ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so")
INSTALL = "pip install nvidia-cuda-nvrtc"


def _candidates() -> Iterator[str]:
    """The names on the library path, then the files of NVIDIA's wheels: nvidia/cu13/lib, nvidia/cuda_nvrtc/lib."""
    yield from _LIBRARIES
    for name in _LIBRARIES:
        for folder in sys.path:
            yield from map(str, sorted(Path(folder or ".").glob(f"nvidia/*/lib/{name}")))


def find() -> tuple[str, Any]:
    """The name of an NVRTC library and the library itself. Raises OSError if there is none on the library path or in a wheel."""
    for name in _candidates():
        try:
            for builtins in sorted(Path(name).parent.glob("libnvrtc-builtins.so.*")) if "/" in name else []:
                ctypes.CDLL(str(builtins))  # NVRTC opens it by its name alone, and a wheel is on no path
            return name, ctypes.CDLL(name)
        except OSError:
            continue
    raise OSError(f"NVRTC is neither on the library path nor in a wheel: {INSTALL}")


def _read(library: Any, program: ctypes.c_void_p, what: str) -> bytes:
    size = ctypes.c_size_t()
    getattr(library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    getattr(library, f"nvrtcGet{what}")(program, buffer)
    return buffer.raw


def _remedy(log: str, library: str, arch: str) -> str:
    """What NVRTC does not say in its messages."""
    if re.search(r'open source file "cuda(sync)?/', log):
        return "note: begin options with *cudasync.compile_options()"
    if "--gpu-architecture" in log:
        return f"note: NVRTC ({library}) does not compile for {arch}"
    return ""


def compile_cubin(source: str, arch: str, options: Sequence[str] | None = None, *, name: str = "kernels.cu") -> bytes:
    """The machine code of the kernels in this source for an architecture such as sm_90 or sm_90a.

    options: those of cudasync.compile_options, which are the default, and further ones. name: the name of the file in
    messages and reports. Raises RuntimeError with the compiler's messages if the source does not compile, OSError
    without NVRTC, ValueError if arch is not the name of an architecture, TypeError if options is one string.
    """
    if not isinstance(source, str):
        raise TypeError(f"source is of type {type(source).__name__}: pass its text")
    if not re.fullmatch(r"sm_\d+[af]?", str(arch)):
        raise ValueError(f"arch is {arch!r}; give one such as sm_90 or sm_90a")
    if isinstance(options, str):
        raise TypeError(f"options is a sequence of strings: pass [{options!r}]")
    if options is None:
        options = cudasync.compile_options()
    path, library = find()
    program = ctypes.c_void_p()
    library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), name.encode(), 0, None, None)
    words = [option.encode() for option in (f"-arch={arch}", *options)]
    failed = library.nvrtcCompileProgram(program, len(words), (ctypes.c_char_p * len(words))(*words))
    try:
        if failed:
            log = _read(library, program, "ProgramLog").rstrip(b"\0").decode(errors="replace")
            raise RuntimeError(log + _remedy(log, path, arch))
        return _read(library, program, "CUBIN")
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))
