"""`python -m cudasync doctor -- COMPILER ...`: which folder wins, the option that it is from, and the remedy."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import shutil
import sys
from pathlib import Path

import pytest

from cudasync_tools import toolchain

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

import cudasync
from cudasync import __main__ as program

OURS = toolchain.INCLUDE
THEIRS = Path(shutil.which(toolchain.nvcc())).resolve().parents[1] / "include/cccl"


@pytest.fixture
def report(monkeypatch, capsys):
    monkeypatch.setattr(cudasync, "include_dir", lambda: OURS)
    monkeypatch.setattr("cudasync.include_order._SHARED", ("cuda/latch",))

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["cudasync", "doctor", "--", *map(str, words)])
        return program.main(), capsys.readouterr()

    return run


def test_ours(report, tmp_path):
    status, said = report(toolchain.gxx(), "-c", f"-I{OURS}", "-I", THEIRS, "-o", tmp_path / "x.o", "x.cpp")
    assert status == 0
    assert said.out == f"<cuda/latch>: cudasync's, from -I {OURS} (argument 2)\n"
    assert list(tmp_path.iterdir()) == []


def test_theirs_first(report):
    status, said = report(toolchain.gxx(), "-I", THEIRS, f"-I{OURS}", "-MD", "-MF", "x.d", "x.cpp")
    assert status == 1
    assert said.out == (
        f"<cuda/latch>: not cudasync's: {THEIRS}/cuda/latch, from -I {THEIRS} (argument 1)\n"
        f"  error: cudasync's folder comes later, from -I {OURS} (argument 3): put it before the other\n"
    )


def test_system_folder(report):
    status, said = report(toolchain.gxx(), "-isystem", OURS, f"-I{THEIRS}", "x.cpp")
    assert status == 1 and f"comes from -isystem {OURS} (argument 1), which is behind all -I: pass it with -I" in said.out


def test_environment(report, monkeypatch):
    monkeypatch.setenv("CPATH", str(THEIRS))
    status, said = report(toolchain.gxx(), "x.cpp")
    assert status == 1
    assert "from the environment variable CPATH" in said.out and f"is not on the command line: pass -I{OURS} first" in said.out


def test_nvcc_alone(report):
    status, said = report(toolchain.nvcc(), "-std=c++17", "-arch=sm_90", "-c", "x.cu")
    assert status == 1 and "from the compiler's own list of folders" in said.out


def test_no_compiler(report):
    status, said = report("no-such-compiler", "x.cu")
    assert status == 2 and said.err == "error: no-such-compiler does not start: No such file or directory\n"
