"""Where the compilers are: environment variables name them (CTest sets these), or the nvcc on PATH leads there."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import functools
import os
import shutil
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"


THOROUGH = os.environ.get("CUDASYNC_THOROUGH", "1") == "1"  # test/run.py without --thorough says 0


def is_one_of(count, source):
    """Whether this is every third file of its folder, say: a run that is not thorough tries a second compiler on those alone."""
    return THOROUGH or sorted(source.parent.glob("*.cu")).index(source) % count == 0


@functools.cache
def turn(count):
    """The one of so many parts that a run tests if it is not thorough: another one when the headers have changed."""
    return functools.reduce(lambda crc, path: zlib.crc32(path.read_bytes(), crc), sorted(INCLUDE.rglob("*.h")), 0) % count


def in_turn(parts):
    """The part that has its turn, or in a thorough run all of them."""
    return list(parts) if THOROUGH or not parts else [parts[turn(len(parts))]]


def half(cases):
    """Every other case in a run that is not thorough, without a pattern that only some orders, scopes or memories would fit: the
    places with an even number of ones."""
    return [case for place, case in enumerate(cases) if THOROUGH or bin(place).count("1") % 2 == 0]


class ToolMissing(Exception):
    """A tool is not installed: the test that needs it is unsupported, not failed."""


def _find(variable, fallback, remedy):
    path = os.environ.get(variable) or fallback
    if path and (Path(path).is_file() or shutil.which(path)):
        return str(path)
    raise ToolMissing(f"{remedy}: set {variable}")


def _beside_nvcc(relative):
    compiler = os.environ.get("CUDASYNC_NVCC") or shutil.which("nvcc")
    return str(Path(compiler).resolve().parent / relative) if compiler else None


def nvcc():
    return _find("CUDASYNC_NVCC", "nvcc", "nvcc is not on PATH")


def cuda_include():
    """The folder of cuda_runtime_api.h."""
    return Path(nvcc() if Path(nvcc()).is_file() else shutil.which(nvcc())).resolve().parent.parent / "include"


def gxx():
    return _find("CUDASYNC_CXX", "g++", "g++ is not on PATH")


def clang():
    return _find("CUDASYNC_CLANG", None, "clang 19 is not installed")


def nvrtc():
    return _find("CUDASYNC_NVRTC", _beside_nvcc("../lib64/libnvrtc.so"), "no libnvrtc.so beside nvcc")


def nvrtc_12():
    return _find("CUDASYNC_NVRTC_12", None, "NVRTC 12 (for sm_70) is not installed")


def relacy():
    return os.environ["CUDASYNC_RELACY"]


def ptxas():
    return _find("CUDASYNC_PTXAS", _beside_nvcc("ptxas"), "ptxas is not beside nvcc")


def nvdisasm():
    beside = _beside_nvcc("nvdisasm")
    fallback = beside if beside and Path(beside).is_file() else "nvdisasm"
    return _find("CUDASYNC_NVDISASM", fallback, "nvdisasm is neither beside nvcc nor on PATH")
