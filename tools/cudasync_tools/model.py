"""Runs kernels on the machine of machine, a model of the GPU on the CPU, compiled by NVRTC to PTX."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import ctypes
import functools
import os
import re
from typing import NamedTuple

from cudasync_tools import nvrtc, toolchain

ENDS = ("finished", "trapped", "faulted", "hung", "races")
BUILDS = {"plain": (), "checked": ("-DCUDASYNC_CHECKED=1",), "debug": ("-G",)}  # checked: nothing is reported either
SCRATCH = 64 << 10  # bytes of zeros that each kernel gets
SHAPES = {"grid", "block", "cluster", "persistent"}


class Kernel(NamedTuple):
    name: str
    grid: tuple = (1, 1, 1)
    block: tuple = (1, 1, 1)
    cluster: tuple = (1, 1, 1)
    shared: int = 0
    seeds: int = 4
    needs: int = 70
    persistent: tuple = ()  # the grid on architectures where launches cannot be canceled
    words: int = 0  # that many words of the zeros are then equal to `each`
    each: int = 0
    races: int = 1  # 0: the values alone decide, for accesses that race on purpose
    traps: int = 0  # 1: it must end with a trap


def kernels(path):
    """Those of a file, from the lines above them: "// run: grid=2 block=64 cluster=2 shared=1024 seeds=8 needs=90".
    A grid of three dimensions is grid=2x3x4."""
    text = path.read_text(encoding="utf-8")
    found = []
    for match in re.finditer(r'^// run:(.*)\nextern "C" __global__ void (\w+)\(', text, re.MULTILINE):
        words = dict(word.split("=") for word in match[1].split())
        values: dict = {key: int(value) for key, value in words.items() if key not in SHAPES}
        for key in SHAPES & set(words):
            values[key] = tuple(int(part) for part in f"{words[key]}x1x1".split("x")[:3])
        found.append(Kernel(match[2], **values))
    assert len(found) == text.count("__global__"), f"{path.name}: a kernel without a line that says how to run it"
    return found


@functools.cache
def machine():
    path = os.environ.get("CUDASYNC_MODEL")
    if not path:
        raise toolchain.ToolMissing("the machine of test/model: CUDASYNC_MODEL")
    library = ctypes.CDLL(path)
    library.model_load.restype = ctypes.c_void_p
    library.model_load.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t]
    library.model_unload.argtypes = [ctypes.c_void_p]
    library.model_places.restype = ctypes.c_uint64
    library.model_allow.argtypes = [ctypes.c_void_p, ctypes.c_uint64]
    library.model_forbid.argtypes = [ctypes.c_void_p]
    pointer, number, size = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_size_t
    library.model_run.argtypes = [
        pointer, ctypes.c_char_p, pointer, pointer, pointer, number, pointer, number, number, ctypes.c_int, pointer, size
    ]
    return library


class Module:
    """PTX that the machine has loaded."""

    def __init__(self, ptx, number):
        self.number = number  # of the architecture
        text = ctypes.create_string_buffer(4096)
        self.loaded = machine().model_load(ptx, text, len(text))
        assert self.loaded, text.value.decode()

    def __del__(self):
        if getattr(self, "loaded", None):
            machine().model_unload(self.loaded)

    def run(self, kernel, seed, finds_races=True, parameters=None, reads=0, number=None):
        """(how it ended, the number of failures, what it said), and with reads the number in the first bytes of the zeros;
        parameters: instead of the places of failures and zeros; number: the kernel gets the place of zeros, and this number;
        finds_races: 2 goes on after the first"""
        memory = (ctypes.c_uint64 * ((SCRATCH + 64) // 8 + 32))()
        start = (ctypes.addressof(memory) + 127) // 128 * 128
        machine().model_allow(start, SCRATCH + 64)
        places = (start + SCRATCH, start) if number is None else (start, number)
        grid = kernel.persistent if kernel.persistent and self.number < 100 else kernel.grid
        data = bytes((ctypes.c_uint64 * 2)(*(parameters or places)))
        end, said = self.run_with(kernel._replace(grid=grid), seed, data, finds_races)
        failures = ctypes.c_uint32.from_address(start + SCRATCH).value
        words = list((ctypes.c_uint32 * kernel.words).from_address(start))
        if any(word != kernel.each for word in words):
            failures += 1
            said += f"the words are {words}, and not {kernel.each} each\n"
        machine().model_forbid(start)
        result = end, failures, said
        first = int.from_bytes((ctypes.c_ubyte * reads).from_address(start), "little")
        return (*result, first) if reads else result

    def run_with(self, kernel, seed, parameters, finds_races=True):
        """(how it ended, what it said), with the bytes of these parameters"""
        text = ctypes.create_string_buffer(1 << 16)
        shapes = [(ctypes.c_uint32 * 3)(*shape) for shape in (kernel.grid, kernel.block, kernel.cluster)]
        end = machine().model_run(self.loaded, kernel.name.encode(), *shapes, kernel.shared, parameters, len(parameters), seed,
                                  finds_races, text, len(text))
        return ENDS[end], text.value.decode(errors="replace")


def alone(text, *names):
    """The text of a file without the other kernels."""
    return re.sub(rf'^extern "C" __global__ void (?!({"|".join(names)})\()(?:.|\n)*?^}}\n', "", text, flags=re.MULTILINE)


def compile(path, arch, options=(), only=()):
    """A module of the file's kernels, or only of those with these names, for this architecture."""
    text = path.read_text(encoding="utf-8")
    return compile_text(alone(text, *only) if only else text, path, arch, options)


def compile_text(text, path, arch, options=()):
    """The same of a text that stands for the file."""
    # -default-device: so that generic lambdas need no __device__, which would be an extension.
    options = ["-lineinfo", "-default-device", f"-I{path.parent}", f"-I{toolchain.ROOT}", *options]
    ptx, log = nvrtc.compile(text, path.name, arch, options)
    assert ptx is not None, log
    return Module(ptx, nvrtc.number(arch))


def first_failure(module, kernel):
    """Runs the kernel with each of its seeds: what went wrong first, or None."""
    for seed in range(1, kernel.seeds + 1):
        end, failures, said = module.run(kernel, seed, finds_races=kernel.races != 0)
        if end != ("trapped" if kernel.traps else "finished") or failures:
            return f"seed {seed}: {end}, {failures} failures\n{said}"
    return None
