"""Each public header compiles alone with nvcc, all headers do together, and two translation units with them link."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
import shutil
import subprocess
from pathlib import Path

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


def linked_twice(path, folder, options):
    """Compiles a file and links the program. What two files with the same text would define twice is an error: nvlink says so of
    device code, and in the object of the host every function and variable but the file's own must be weak."""
    words = command("-std=c++17", "-arch=sm_90", *options.split())
    headers.compiles([*words, "-c", path, "-o", str(folder / "unit.o"), "--keep", f"--keep-dir={folder}"])
    headers.compiles([*words, str(folder / "unit.o"), "-o", str(folder / "program")])
    (cubin,) = folder.glob(f"{Path(path).stem}.*.cubin")
    shutil.copy(cubin, folder / "other.cubin")
    nvlink = str(Path(shutil.which(toolchain.nvcc())).resolve().with_name("nvlink"))
    headers.compiles([nvlink, "-arch=sm_90", str(cubin), str(folder / "other.cubin"), "-o", str(folder / "both.elf")])
    listed = subprocess.run(["nm", "--defined-only", "--extern-only", folder / "unit.o"], capture_output=True, text=True, check=True)
    defined = [line.split()[1:] for line in listed.stdout.splitlines()]
    assert ["T", "main"] in defined
    return [name for kind, name in defined if kind not in "WVu" and name != "main" and not re.match("__(fatbinwrap|cudaRegisterLinkedBinary)_", name)]


@pytest.mark.parametrize("options", LINKED)
def test_two_units_link(source, tmp_path, options):
    names = headers.every_header()
    units = [source("first.cu", headers.unit(names) + "int main() {}\n"), source("second.cu", headers.unit(names))]
    if toolchain.THOROUGH:
        headers.compiles(command("-std=c++17", "-arch=sm_90", *options.split(), *units, "-o", str(tmp_path / "program")))
    else:
        assert not linked_twice(units[0], tmp_path, options)


def test_what_two_units_define_is_found(source, tmp_path):
    assert linked_twice(source("host.cu", "int count() { return 1; }\nint main() {}\n"), tmp_path, "-rdc=true") == ["_Z5countv"]
    device = source("device.cu", "__device__ int count() { return 1; }\nint main() {}\n")
    with pytest.raises(pytest.fail.Exception, match="Multiple definition of '_Z5countv'"):
        linked_twice(device, tmp_path, "-rdc=true")


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
