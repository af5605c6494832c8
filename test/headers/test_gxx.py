"""Each header compiles alone with the host compiler; two translation units with all of them link."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pytest

from cudasync_tools import headers, toolchain

WARNINGS = "-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wundef -Werror".split()


def compiles(text, *options):
    headers.compiles([toolchain.gxx(), "-fsyntax-only", *options, *WARNINGS, f"-I{toolchain.INCLUDE}", "-x", "c++", "-"], text)


# In a run that is not thorough, the headers that are not public take turns: NVRTC compiles each of them alone.
PUBLIC = [name for name in headers.host_headers() if name in headers.public_headers()]
OTHERS = [name for name in headers.host_headers() if name not in PUBLIC]


@pytest.mark.parametrize("name", PUBLIC + (OTHERS if toolchain.THOROUGH else OTHERS[toolchain.turn(3) :: 3]))
def test_alone(name):
    compiles(headers.unit([name], hostile=True), "-std=c++17")


@pytest.mark.parametrize("options", ["-std=c++20", "-std=c++17 -fno-exceptions", "-std=c++17 -DCUDASYNC_CHECKED=1"])
def test_all_together(options):
    compiles(headers.unit(headers.host_headers()), *options.split())


def test_numbers_of_other_types():
    """A literal may have another type than the atomic object: converted in the library, it gives no warning there."""
    text = "#include <cuda/atomic>\nvoid wait(cuda::atomic<unsigned char>& byte, cuda::atomic<float>& number) {"
    compiles(text + " byte.wait(0); number.wait(1); }\n", "-std=c++17")


def test_two_units_link(tmp_path):
    (tmp_path / "first.cpp").write_text(headers.unit(headers.host_headers()) + "int main() {}\n", encoding="utf-8")
    (tmp_path / "second.cpp").write_text(headers.unit(headers.host_headers()), encoding="utf-8")
    units = [str(tmp_path / "first.cpp"), str(tmp_path / "second.cpp")]
    headers.compiles([toolchain.gxx(), "-std=c++17", f"-I{toolchain.INCLUDE}", *units, "-o", str(tmp_path / "program")])
