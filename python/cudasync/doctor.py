"""What this machine has that programs with cudasync need: compilers, headers in the right order, GPUs and their links."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import cudasync
from cudasync import nvrtc

# CUdevice_attribute and CUdevice_P2PAttribute of the driver.
_MAJOR, _MINOR, _MULTIPROCESSORS, _HOST_ATOMICS, _COOPERATIVE, _MULTICAST = 75, 76, 16, 86, 95, 132
_P2P_ACCESS, _P2P_ATOMICS = 2, 3

_SOURCE = """#include <cuda/barrier>
__global__ void kernel() {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  bar.arrive_and_wait();
}
#ifndef CUDASYNC_VERSION
#error "<cuda/barrier> is not cudasync's"
#endif
"""


class Finding(NamedTuple):
    """One line of the report. remedy: empty if nothing is wrong."""

    what: str
    found: str
    remedy: str = ""
    is_fatal: bool = False


def _output(*command: str) -> tuple[int, str]:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def find_tool(name: str) -> str | None:
    """A program of the CUDA toolkit, from PATH or from the folder of the toolkit."""
    homes = [os.environ.get(variable) for variable in ("CUDA_HOME", "CUDA_PATH")] + ["/usr/local/cuda"]
    return shutil.which(name) or next((found for home in homes if home and (found := shutil.which(name, path=f"{home}/bin"))), None)


def find_nvcc() -> str | None:
    return find_tool("nvcc")


def _compilers() -> Iterator[Finding]:
    nvcc = find_nvcc()
    if nvcc is None:
        yield Finding("nvcc", "none", "install a CUDA toolkit of 12.0 or newer, or compile with NVRTC")
        return
    version = re.search(r"release ([\d.]+)", _output(nvcc, "--version")[1])
    release = tuple(map(int, version[1].split("."))) if version else (0,)
    yield Finding("nvcc", f"{version[1] if version else 'unknown'} ({nvcc})", "" if release >= (12, 0) else "install 12.0 or newer")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "kernel.cu"
        source.write_text(_SOURCE, encoding="utf-8")
        command = [nvcc, "-std=c++17", "-arch=sm_80", "-ptx", "-o", f"{folder}/kernel.ptx", "-I", str(cudasync.include_dir()), str(source)]
        status, text = _output(*command)
    first = next((line for line in text.splitlines() if "error" in line), text.strip().partition("\n")[0])
    yield Finding("<cuda/barrier>", "compiles" if status == 0 else "does not compile", first, is_fatal=status != 0)


def _order() -> Iterator[Finding]:
    for name in ("CPATH", "CPLUS_INCLUDE_PATH", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"):
        if "cccl" in os.environ.get(name, "").lower():
            yield Finding(name, os.environ[name], "CCCL's folder may come before that of cudasync: pass CCCL's with -isystem, and cudasync's first, with -I")


def _nvrtc() -> Finding:
    try:
        name, library = nvrtc.find()
    except OSError:
        return Finding("NVRTC", "none", nvrtc.INSTALL, is_fatal=find_nvcc() is None)
    major, minor = ctypes.c_int(), ctypes.c_int()
    library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    found = f"{major.value}.{minor.value} ({name})"
    if major.value < 12:
        return Finding("NVRTC", found, "install 12.0 or newer")
    try:
        nvrtc.compile_cubin(_SOURCE, "sm_80")
    except RuntimeError as failed:
        first = next((line for line in str(failed).splitlines() if "error" in line), str(failed))
        return Finding("NVRTC", f"{found}; <cuda/barrier> does not compile", first, is_fatal=True)
    return Finding("NVRTC", f"{found}; <cuda/barrier> compiles")


class _Gpus:
    """The attributes of the GPUs, from the CUDA driver."""

    def __init__(self, driver: Any) -> None:
        self._driver = driver
        status = driver.cuInit(0)
        if status != 0:
            raise OSError(f"cuInit returned CUresult {status}")
        number = ctypes.c_int()
        driver.cuDeviceGetCount(ctypes.byref(number))
        self.count = number.value

    def name(self, device: int) -> str:
        text = ctypes.create_string_buffer(256)
        self._driver.cuDeviceGetName(text, len(text), device)
        return text.value.decode()

    def attribute(self, which: int, device: int) -> int:
        value = ctypes.c_int()
        self._driver.cuDeviceGetAttribute(ctypes.byref(value), which, device)
        return value.value

    def link(self, which: int, one: int, other: int) -> int:
        value = ctypes.c_int()
        self._driver.cuDeviceGetP2PAttribute(ctypes.byref(value), which, one, other)
        return value.value


def _gpus() -> Iterator[Finding]:
    try:
        gpus = _Gpus(ctypes.CDLL("libcuda.so.1"))
    except OSError as missing:
        yield Finding("GPU", f"none: {missing}", "kernels compile here, and run on a machine with a GPU and its driver")
        return
    for device in range(gpus.count):
        major, minor = gpus.attribute(_MAJOR, device), gpus.attribute(_MINOR, device)
        found = f"{gpus.name(device)}, sm_{major}{minor}, {gpus.attribute(_MULTIPROCESSORS, device)} multiprocessors"
        found += ", NVLink multicast" if gpus.attribute(_MULTICAST, device) == 1 else ""
        yield Finding(f"GPU {device}", found, "" if (major, minor) >= (7, 0) else "cudasync needs sm_70 or newer", is_fatal=major < 7)
        if not gpus.attribute(_COOPERATIVE, device):
            yield Finding(f"GPU {device}", "no cooperative launch", "grid_barrier needs one")
        if not gpus.attribute(_HOST_ATOMICS, device):
            yield Finding(
                f"GPU {device} and host",
                "no native atomics",
                "read-modify-writes of host and device on the same object are not atomic: use loads and stores between them, "
                "or keep the object in device memory",
            )
    for one in range(gpus.count):
        for other in range(one + 1, gpus.count):
            if not gpus.link(_P2P_ACCESS, one, other):
                yield Finding(f"GPUs {one} and {other}", "no peer access", "one cannot use the memory of the other: use the host, or NCCL")
            elif not gpus.link(_P2P_ATOMICS, one, other):
                yield Finding(f"GPUs {one} and {other}", "peer access, without native atomics", "use loads and stores between the two, not read-modify-writes")
            else:
                yield Finding(f"GPUs {one} and {other}", "peer access with native atomics")


def findings() -> list[Finding]:
    """Everything that was found, in the order of the report."""
    return [Finding("headers", str(cudasync.include_dir())), *_compilers(), *_order(), _nvrtc(), *_gpus()]


def print_report() -> int:
    """Prints the findings. Returns 1 if a program with cudasync cannot work here, otherwise 0."""
    found = findings()
    for each in found:
        print(f"{each.what}: {each.found}")
        if each.remedy:
            print(f"  {'error' if each.is_fatal else 'note'}: {each.remedy}")
    return int(any(each.is_fatal for each in found))
