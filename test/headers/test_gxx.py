"""Each header compiles alone with the host compiler; two translation units with all of them link."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pytest

import headers
import toolchain

WARNINGS = "-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wundef -Werror".split()


@pytest.mark.parametrize(("standard", "hostile"), [("c++17", True), ("c++20", False)], ids=["c++17-hostile", "c++20-plain"])
@pytest.mark.parametrize("name", headers.host_headers())
def test_alone(name, standard, hostile):
    command = [
        toolchain.gxx(),
        "-fsyntax-only",
        f"-std={standard}",
        *WARNINGS,
        f"-I{toolchain.INCLUDE}",
        "-x",
        "c++",
        "-",
    ]
    headers.compiles(command, headers.unit([name], hostile))


def test_checked_build():
    command = [
        toolchain.gxx(),
        "-fsyntax-only",
        "-std=c++17",
        "-DCUDASYNC_CHECKED=1",
        *WARNINGS,
        f"-I{toolchain.INCLUDE}",
    ]
    headers.compiles([*command, "-x", "c++", "-"], headers.unit(headers.host_headers()))


def test_without_exceptions():
    command = [
        toolchain.gxx(),
        "-fsyntax-only",
        "-std=c++17",
        "-fno-exceptions",
        *WARNINGS,
        f"-I{toolchain.INCLUDE}",
    ]
    headers.compiles([*command, "-x", "c++", "-"], headers.unit(headers.host_headers()))


def test_two_units_link(tmp_path):
    (tmp_path / "first.cpp").write_text(headers.unit(headers.host_headers()) + "int main() {}\n", encoding="utf-8")
    (tmp_path / "second.cpp").write_text(headers.unit(headers.host_headers()), encoding="utf-8")
    units = [str(tmp_path / "first.cpp"), str(tmp_path / "second.cpp")]
    headers.compiles([toolchain.gxx(), "-std=c++17", f"-I{toolchain.INCLUDE}", *units, "-o", str(tmp_path / "program")])
