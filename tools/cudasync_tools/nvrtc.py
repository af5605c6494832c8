"""Compiles CUDA C++ in this process, for any architecture: NVRTC through ctypes, each library loaded once."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import ctypes
import functools
import re
from pathlib import Path

from cudasync_tools import toolchain

ARCHITECTURES = ("70", "75", "80", "86", "89", "90", "90a", "100", "103", "110", "120", "121")


folders = [toolchain.INCLUDE]  # of headers; test/mutants puts one with a mutated header in front


def number(arch):
    """90 of "90a"."""
    return int(arch.rstrip("af"))


@functools.cache
def load(path):
    """The NVRTC library of this file."""
    for builtins in Path(path).parent.glob("libnvrtc-builtins.so.*"):
        ctypes.CDLL(str(builtins))  # NVRTC opens it by its name alone, and PyPI's has no path on which to find it
    return ctypes.CDLL(path)


def _library_for(arch):
    return load(toolchain.nvrtc_12() if number(arch) < 75 else toolchain.nvrtc())


def _output(library, program, what):
    """The bytes that nvrtcGet<what>Size and nvrtcGet<what> describe."""
    size = ctypes.c_size_t()
    getattr(library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    getattr(library, f"nvrtcGet{what}")(program, buffer)
    return buffer.raw


def compile(source_text, name, arch, options=(), cubin=False):
    """Returns (PTX as bytes, or the cubin, or None if it does not compile; the compiler's log)."""
    (output,), log = compile_to(("CUBIN" if cubin else "PTX",), source_text, name, arch, options)
    return output, log


def compile_to(outputs, source_text, name, arch, options=()):
    """Returns (for each of the outputs "PTX" and "CUBIN" its bytes, or None if it does not compile; the compiler's log)."""
    words = [f"-arch={'sm' if 'CUBIN' in outputs else 'compute'}_{arch}", *options, *(f"-I{folder}" for folder in folders)]
    return compile_by(_library_for(arch), outputs, source_text, name, words)


def compile_by(library, outputs, source_text, name, words, headers=((), ())):
    """The same by a library of the caller's, with these options alone; headers: names and texts that stand in memory."""
    words = [*words, *(["-std=c++17"] if not any(word.startswith("-std=") for word in words) else [])]
    names, texts = ((ctypes.c_char_p * len(part))(*part) for part in headers)
    program = ctypes.c_void_p()
    library.nvrtcCreateProgram(
        ctypes.byref(program), source_text.encode(), name.encode(), len(headers[0]), texts, names
    )
    try:
        arguments = (ctypes.c_char_p * len(words))(*[word.encode() for word in words])
        failed = library.nvrtcCompileProgram(program, len(words), arguments) != 0
        log = _output(library, program, "ProgramLog").rstrip(b"\0").decode()
        log = re.sub(r"nvrtc: warning: Architectures prior to .* are deprecated .*\n", "", log)
        if failed:
            return [None] * len(outputs), log
        results = {output: _output(library, program, output) for output in outputs}
        return [results[kind].rstrip(b"\0") if kind == "PTX" else results[kind] for kind in outputs], log
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))
