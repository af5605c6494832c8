"""The type hints of the Python package are complete and agree with each other, and users' type checkers find them."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import subprocess
import sys
from pathlib import Path

import pytest

PACKAGES = Path(__file__).resolve().parents[2] / "python"


def findings(*arguments, path=""):
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--python-version", "3.9", "--config-file=", "--cache-dir=/dev/null", *map(str, arguments)]
    done = subprocess.run(command, env={"MYPYPATH": str(path)}, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_package():
    status, text = findings(PACKAGES / "cudasync")
    assert status == 0, text


def test_use(tmp_path):
    user = tmp_path / "user.py"
    user.write_text(
        "import cudasync\n"
        "cubin: bytes = cudasync.compile_cubin('', 'sm_90', cudasync.compile_options(checked=True))\n"
        "with cudasync.HangReport(7) as report:\n"
        "    text: str = report.text\n",  # which may be None
        encoding="utf-8",
    )
    status, text = findings(user, path=PACKAGES)
    assert status == 1 and text.count("error:") == 1 and "user.py:4: error: Incompatible types" in text, text
