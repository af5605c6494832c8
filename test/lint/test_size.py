"""Sizes that a reader notices: lines of a header, columns of a line, and macros that stay defined."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
import subprocess

import pytest

from cudasync_tools import headers, toolchain
from cudasync_tools.toolchain import INCLUDE, ROOT

MOST_LINES = 400
MOST_LINES_OF_ALL = 20_000  # of include/, without the folders of the checked and the traced build
MOST_COLUMNS = 120
MOST_MACROS = 24  # two of them tell programs of CCCL

TABLES_OF_TEXTS = {"cudasync/hang/causes.h"}

# They include headers of another library.
OF_ANOTHER_LIBRARY = {"cudasync/nccl_rail.h", "cudasync/nvshmem_rail.h"}


def wide_lines(name, text):
    """The numbers of the lines that are too wide. The rows of a table in ptx/ are aligned, and may be."""
    in_table = False
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*// clang-format (?:on|off)$", line):
            in_table = name.startswith("cudasync/ptx/") and line.endswith("off")
        elif len(line) > MOST_COLUMNS and not in_table:
            yield number


def texts():
    return {name: (INCLUDE / name).read_text(encoding="utf-8") for name in headers.every_header()}


def test_lines_of_headers():
    long = {name for name, text in texts().items() if len(text.splitlines()) > MOST_LINES}
    assert not long, f"more than {MOST_LINES} lines: split off what has a name of its own"


def test_lines_of_all_headers():
    files = [path for path in INCLUDE.rglob("*") if path.is_file() and not re.search(r"/cudasync/(hang|checked|trace)/", str(path))]
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)
    assert len(files) > 150 and lines <= MOST_LINES_OF_ALL, f"{lines} lines: what is new may have a twin, or say something twice"


def test_columns_of_lines():
    wide = {name: [*wide_lines(name, text)] for name, text in texts().items()}
    found = {name: numbers for name, numbers in wide.items() if numbers and name not in TABLES_OF_TEXTS}
    assert not found, f"lines with more than {MOST_COLUMNS} columns, outside of the tables of ptx/"


def test_wide_lines_are_found():
    wide = "x" * (MOST_COLUMNS + 1)
    text = f"{wide}\n// clang-format off\n{wide}\n// clang-format on\n{wide[1:]}\n{wide}\n"
    assert [*wide_lines("cudasync/ptx/atom.h", text)] == [1, 6]
    assert [*wide_lines("cudasync/atomic.h", text)] == [1, 3, 6]


@pytest.mark.parametrize("compiler", ["host", "device"])
def test_macros_that_stay_defined(compiler, tmp_path):
    source = tmp_path / ("unit.cpp" if compiler == "host" else "unit.cu")
    names = sorted(set(headers.public_headers()) - OF_ANOTHER_LIBRARY)
    source.write_text("".join(f"#include <{name}>\n" for name in names), encoding="utf-8")
    command = [toolchain.gxx(), "-dM"] if compiler == "host" else [toolchain.nvcc(), "-arch=sm_90", "-Xcompiler", "-dM"]
    command += ["-std=c++17", "-E", f"-I{INCLUDE}", str(source)]
    if compiler == "host":
        command += [f"-I{toolchain.cuda_include()}"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    macros = set(re.findall(r"^#define (CUDASYNC_\w+)", output, re.MULTILINE))
    left = {name for name in macros if not name.endswith("_H")}
    assert "CUDASYNC_VERSION" in left
    assert len(left) <= MOST_MACROS, sorted(left)


def test_the_front_page_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120
