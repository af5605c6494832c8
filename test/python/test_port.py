"""`python -m cudasync port`: what it finds, where it puts the includes, that its patch applies, and that the result compiles."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cudasync_tools import toolchain

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from cudasync import __main__ as program
from cudasync import port

LIMITS = """\
// Takes its limits from <cuda/latch>.
#pragma once
#if defined(__CUDACC__)
#include <thrust/pair.h>
#endif
#include <cuda/latch>

// cuda::std::pair is only in this comment, and "cuda::std::swap" in a string
inline constexpr int largest = cuda::std::numeric_limits<int>::max();
inline constexpr const char* text = "cuda::std::swap";
using count = cuda::std::atomic<int>;
template <class Type, cuda::std::enable_if_t<cuda::std::is_integral_v<Type>, int> = 0>
Type pass(Type value);
"""
USER = """\
#include "limits.h"
#include "harness.impl"
int main() { return cuda::std::numeric_limits<char>::digits; }
"""
HARNESS = """\
inline std::chrono::seconds limit() { throw std::runtime_error("time"); }
"""
OTHER = """\
#include <vector>
std::chrono::seconds elsewhere();
"""
EXPECTED = """\
#include <cuda/latch>
#include <cuda/atomic>
#include <cuda/std/limits>
#include <cuda/std/type_traits>
"""


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    for name, text in (("limits.h", LIMITS), ("user.cpp", USER), ("harness.impl", HARNESS), ("other.cpp", OTHER)):
        (folder / "src" / name).write_text(text, encoding="utf-8")
    return folder


def run(monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["cudasync", "port", *map(str, words)])
    return program.main()


def compiles(path):
    toolkit = Path(shutil.which(toolchain.nvcc())).resolve().parents[1]
    folders = [toolchain.INCLUDE, toolkit / "include/cccl", toolkit / "include"]
    words = [toolchain.gxx(), "-std=c++17", "-fsyntax-only", *(f"-I{folder}" for folder in folders), str(path)]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(shutil.which("patch") is None, reason="patch is not installed; test_write makes the same changes")
def test_patch_applies_and_the_result_compiles(project, monkeypatch, capfdbinary):
    assert not compiles(project / "src/user.cpp")
    assert run(monkeypatch, project) == 1
    patch, said = capfdbinary.readouterr()
    assert b"src/limits.h: <cuda/std/limits> for numeric_limits\n" in said
    assert b"src/harness.impl: <stdexcept> for runtime_error\n" in said and b"2 files to change, 5 names" in said
    assert b"user.cpp" not in said and b"other.cpp" not in said
    done = subprocess.run(["patch", "-p1"], cwd=project, input=patch, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout
    assert EXPECTED in (project / "src/limits.h").read_text(encoding="utf-8")
    assert compiles(project / "src/user.cpp")
    assert run(monkeypatch, project) == 0  # nothing is left


def test_write(project, monkeypatch, capsys):
    assert run(monkeypatch, "--write", project) == 0
    assert capsys.readouterr().out == ""
    assert compiles(project / "src/user.cpp")
    assert (project / "src/other.cpp").read_text(encoding="utf-8") == OTHER


def test_no_such_folder(tmp_path, monkeypatch, capsys):
    assert run(monkeypatch, tmp_path / "none") == 2
    assert capsys.readouterr().err == f"error: {tmp_path}/none does not exist\n"


@pytest.mark.parametrize(
    "text, headers",
    [
        ("namespace cs = cuda::std;\ncs::pair<int, int> p;", ["cuda/std/utility"]),
        ("namespace c = cuda;\nc::std::pair<int, int> p; c::atomic<int> a;", ["cuda/atomic", "cuda/std/utility"]),
        ("auto f() { return cuda::ptx::tensormap_replace_rank; }", ["cuda/ptx"]),
        ("__device__ int d; _CCCL_DEVICE int e();", ["cuda/std/version"]),
        ("int x = 1'000; std::string s; char c = '\"'; std::error_code e;", ["string", "system_error"]),
        (
            "static_assert(cuda::is_power_of_two(8)); bool b = cuda::is_aligned(p, 8) && cuda::is_trivially_copyable_v<T>;",
            ["cuda/cmath", "cuda/memory", "cuda/type_traits"],
        ),
        ("my::std::string s; cuda::std::move(1); mycuda::std::pair<int> p;", []),
    ],
)
def test_names(tmp_path, text, headers):
    path = tmp_path / "file.cu"
    path.write_bytes(b"#include <cuda/barrier>\r\n" + text.encode() + b"\xff")  # other ends of lines, not UTF-8
    assert sorted(each.header for each in port.find(path)) == headers


def test_names_that_our_headers_declare_are_not_missing(tmp_path):
    page = (ROOT / "docs/api/compatibility.md").read_text(encoding="utf-8")
    (row,) = re.findall(r"^\| `cuda::std` \| (.*) \|$", page, re.MULTILINE)
    names = re.findall(r"`(\w+)`", row)
    assert "move" in names and "byte" in names
    path = tmp_path / "file.cu"
    path.write_text("#include <cuda/barrier>\n" + "".join(f"cuda::std::{name} x;\n" for name in names), encoding="utf-8")
    assert port.find(path) == []
