"""Each public header compiles alone with nvcc, all headers do together, and two translation units with them link."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import subprocess

import pytest

from cudasync_tools import headers, toolchain

WARNINGS = ["-Werror=all-warnings", "-Xcompiler=-Wall,-Wextra,-Wshadow,-Wconversion,-Wsign-conversion,-Werror"]


def command(*arguments):
    return [toolchain.nvcc(), *WARNINGS, f"-I{toolchain.INCLUDE}", *arguments]


@pytest.fixture
def source(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


@pytest.mark.skipif(not toolchain.THOROUGH, reason="not thorough: alone, g++ and NVRTC compile each of them")
@pytest.mark.parametrize("name", headers.public_headers())
def test_alone(source, name):
    path = source("alone.cu", headers.unit([name], hostile=True))
    headers.compiles(command("-std=c++17", "-arch=sm_90", "-cubin", "-o", "/dev/null", path))


# In a run that is not thorough, one compilation for each of these: architectures, macros, kinds of debugging information.
TOGETHER = [("75", True), ("100", False)]
OPTIONS = ["-lineinfo --expt-relaxed-constexpr"]
LINKED = ["-rdc=true -G -DCUDASYNC_CHECKED=1"]  # g++ links two units of the release build
if toolchain.THOROUGH:
    TOGETHER = [(arch, hostile) for arch in ("75", "80", "100") for hostile in (False, True)]
    OPTIONS = ["-G", "-lineinfo", "--expt-relaxed-constexpr", "-rdc=true -G", "-O0"]
    LINKED = ["-rdc=true -DCUDASYNC_CHECKED=1", "-rdc=true", "-rdc=false"]


@pytest.mark.parametrize(("arch", "hostile"), TOGETHER, ids=lambda value: {False: "plain", True: "hostile"}.get(value, value))
def test_all_together(source, arch, hostile):
    path = source("all.cu", headers.unit(headers.every_header(), hostile))
    headers.compiles(command("-std=c++20", f"-arch=sm_{arch}", "-cubin", "-o", "/dev/null", path))


@pytest.mark.parametrize("options", LINKED)
def test_two_units_link(source, tmp_path, options):
    names = headers.every_header()
    units = [source("first.cu", headers.unit(names) + "int main() {}\n"), source("second.cu", headers.unit(names))]
    headers.compiles(command("-std=c++17", "-arch=sm_90", *options.split(), *units, "-o", str(tmp_path / "program")))


WITH_LAMBDA = """
#include <cuda/atomic>
#include <cuda/barrier>
template <class Function>
__global__ void call(Function function) {
  function();
}
void launch(cuda::barrier<cuda::thread_scope_device>* bar, cuda::atomic<int, cuda::thread_scope_device>* sum) {
  call<<<1, 32>>>([=] __device__ { bar->arrive_and_wait(); });
  call<<<1, 32>>>([=] __host__ __device__ { sum->fetch_add(1, cuda::memory_order_relaxed); });
}
"""


@pytest.mark.parametrize("options", OPTIONS)
def test_options(source, tmp_path, options):
    path = source("unit.cu", headers.unit(headers.public_headers()) + WITH_LAMBDA)
    common = ["-std=c++17", "-arch=sm_90", "--extended-lambda", *options.split()]
    headers.compiles(command(*common, "-c", path, "-o", str(tmp_path / "unit.o")))


def test_undefined_macros(source, tmp_path):
    """The toolkit's own headers have warnings of -Wundef, which thus cannot be errors; none may be of ours."""
    path = source("unit.cu", headers.unit(headers.every_header()))
    words = [toolchain.nvcc(), "-Xcompiler=-Wundef", "-std=c++17", "-arch=sm_90", f"-I{toolchain.INCLUDE}", "-c", path]
    done = subprocess.run([*words, "-o", str(tmp_path / "unit.o")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    ours = [line for line in done.stderr.splitlines() if str(toolchain.INCLUDE) in line and "warning" in line]
    assert not ours, "\n".join(ours)
