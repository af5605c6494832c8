"""clang 19 compiles the headers, and programs that use them, in both passes and without a warning."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
import shutil
from pathlib import Path

import pytest

from cudasync_tools import clang, headers, toolchain

WARNINGS = ["-Wall", "-Wextra", "-Werror"]
EXAMPLES = toolchain.ROOT / "examples"
ARCHITECTURES = ["70", "75", "80", "86", "89"]
NAMES = ["09_pipeline_forms", "10_bulk_pipeline", "13_grid_barrier", "15_semaphore"]
NAMED_BARRIERS = """__global__ void kernel() {
  __shared__ cuda::barrier<cuda::thread_scope_block> bars[2];
  cudasync::name(bars, "bars");
}
"""
# The second copy has what was stored after the first. The index is known at run time alone.
COPIES = """#include <cuda/pipeline>
struct pair { short low, high; };
struct two { double low, high; };
template <class Value>
__device__ void copy_twice(Value* from, Value* to, int index, const Value& other) {
  auto pipe = cuda::make_pipeline();
  cuda::memcpy_async(to, from, sizeof(Value), pipe);
  from[index] = other;
  cuda::memcpy_async(to + 1, from, sizeof(Value), pipe);
}
extern "C" __global__ void copies(VALUE* from, VALUE* to, int index, VALUE other) {
  copy_twice(from, to, index, other);
}
"""
CHECKED = NAMES if toolchain.THOROUGH else toolchain.in_turn(NAMES[1:3])  # those that clang optimizes in a second
ASSEMBLED = NAMES if toolchain.THOROUGH else NAMES[2:3]  # in the checked build, which takes ptxas most of the time of this file


@pytest.fixture
def compiles(tmp_path):
    def run(side, source, *options, arch="90"):
        toolkit = Path(shutil.which(toolchain.nvcc())).resolve().parents[1]
        words = [*clang.command(toolchain.clang(), toolkit, side, tmp_path), "-std=c++17", f"-I{toolchain.INCLUDE}"]
        words += [f"--cuda-gpu-arch=sm_{arch}", *WARNINGS, *options, "-o", tmp_path / "output", source]
        headers.compiles([str(word) for word in words])

    return run


@pytest.mark.parametrize("checked", [0, 1], ids=["plain", "checked"])
@pytest.mark.parametrize("side", ["device", "host"])
def test_all_together(compiles, tmp_path, side, checked):
    source = tmp_path / "all.cu"
    source.write_text(headers.unit(headers.every_header()) + NAMED_BARRIERS, encoding="utf-8")
    compiles(side, source, f"-DCUDASYNC_CHECKED={checked}", "-Wshadow", "-Wconversion")


@pytest.mark.parametrize("arch", ARCHITECTURES if toolchain.THOROUGH else ARCHITECTURES[::4])
def test_older_architectures(compiles, tmp_path, arch):
    source = tmp_path / "all.cu"
    source.write_text(headers.unit(headers.every_header()), encoding="utf-8")
    compiles("device", source, arch=arch)


@pytest.mark.parametrize(
    ("name", "side", "checked"),
    [*((name, "device", 0) for name in NAMES), *((name, side, 1) for name in CHECKED for side in ("device", "host"))],
)
def test_example(compiles, tmp_path, name, side, checked):
    """Optimized, for only then does clang know address spaces; what it makes of the device's part is assembled."""
    compiles(side, EXAMPLES / f"{name}.cu", "-O2", f"-DCUDASYNC_CHECKED={checked}")
    if side == "device" and (not checked or name in ASSEMBLED):
        ptxas = str(Path(shutil.which(toolchain.nvcc())).with_name("ptxas"))
        headers.compiles([ptxas, "-arch=sm_90", str(tmp_path / "output"), "-o", "/dev/null"])


@pytest.mark.parametrize("value", ["char16_t", "pair", "float", "double", "two"])
def test_copies_of_any_type(compiles, tmp_path, value):
    """clang assumes that words of integers and objects of other types are in different places, unless it is told."""
    source = tmp_path / "copies.cu"
    source.write_text(COPIES.replace("VALUE", value), encoding="utf-8")
    compiles("device", source, "-O2", arch="75")
    loads = [line for line in (tmp_path / "output").read_text(encoding="utf-8").splitlines() if re.search(r"\bld\.(?!param)", line)]
    assert len(loads) >= 2, loads
