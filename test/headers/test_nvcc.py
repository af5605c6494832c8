"""Each public header compiles alone with nvcc, all headers do together, and two translation units with them link."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pytest

import headers
import toolchain

WARNINGS = ["-Werror=all-warnings", "-Xcompiler=-Wall,-Wextra,-Wshadow,-Werror"]


def command(*arguments):
    return [toolchain.nvcc(), *WARNINGS, f"-I{toolchain.INCLUDE}", *arguments]


@pytest.fixture
def source(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


@pytest.mark.parametrize("hostile", [False, True], ids=["plain", "hostile"])
@pytest.mark.parametrize("name", headers.public_headers())
def test_alone(source, name, hostile):
    path = source("alone.cu", headers.unit([name], hostile))
    headers.compiles(command("-std=c++17", "-arch=sm_90", "-cubin", "-o", "/dev/null", path))


@pytest.mark.parametrize("arch", ["75", "80", "100"])
@pytest.mark.parametrize("hostile", [False, True], ids=["plain", "hostile"])
def test_all_together(source, arch, hostile):
    path = source("all.cu", headers.unit(headers.every_header(), hostile))
    headers.compiles(command("-std=c++20", f"-arch=sm_{arch}", "-cubin", "-o", "/dev/null", path))


@pytest.mark.parametrize("options", ["-rdc=true", "-rdc=false", "-rdc=true -DCUDASYNC_CHECKED=1"])
def test_two_units_link(source, tmp_path, options):
    names = headers.every_header()
    units = [source("first.cu", headers.unit(names) + "int main() {}\n"), source("second.cu", headers.unit(names))]
    headers.compiles(command("-std=c++17", "-arch=sm_90", *options.split(), *units, "-o", str(tmp_path / "program")))
