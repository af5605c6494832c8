"""Random programs find faults that are put into the headers: those of test/mutants of which ThreadSanitizer sees a race."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "mutants"))

import test_mutants
import toolchain

SECONDS = 10  # hundreds of programs
NAMES = ("arrivals do not release", "atomic stores do not release", "waits for an atomic do not acquire")

pytestmark = pytest.mark.skipif(not toolchain.THOROUGH, reason="not thorough")


def run(folder, include):
    program = folder / "synchronizers"
    subprocess.run(
        [toolchain.gxx(), "-std=c++17", "-O1", "-g1", "-fsanitize=thread", *include, f"-I{toolchain.INCLUDE}",
         HERE / "synchronizers.cpp", "-o", program, "-pthread"],
        check=True,
    )
    environment = {**os.environ, "CUDASYNC_FUZZ_SEED": "1", "CUDASYNC_FUZZ_SECONDS": str(SECONDS), "TSAN_OPTIONS": "halt_on_error=1"}
    return subprocess.run([program], env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", NAMES)
def test_fault_is_found(tmp_path, name):
    (mutant,) = (each for each in test_mutants.MUTANTS if each.name == name)
    text = (toolchain.INCLUDE / "cudasync" / mutant.header).read_text(encoding="utf-8")
    assert text.count(mutant.text) == 1
    header = tmp_path / "cudasync" / mutant.header
    header.parent.mkdir(parents=True)
    header.write_text(text.replace(mutant.text, mutant.replacement), encoding="utf-8")
    result = run(tmp_path, [f"-I{tmp_path}"])
    assert result.returncode != 0
    assert "data race" in result.stderr
    assert result.stdout.count("seed") <= 100


def test_no_fault_is_found_without_one(tmp_path):
    result = run(tmp_path, [])
    assert result.returncode == 0, result.stdout + result.stderr
