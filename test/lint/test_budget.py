"""Headers opened and preprocessed lines: the deterministic stand-in for compile time."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
import subprocess

import pytest

import toolchain
from toolchain import INCLUDE

# Public header: headers of ours that it opens, preprocessed lines that it adds to an empty translation unit.
BUDGETS = {
    "cuda/atomic": (47, 4000),
    "cuda/std/atomic": (48, 4000),
    "cuda/barrier": (60, 4000),
    "cuda/std/barrier": (61, 4000),
    "cuda/cluster_barrier": (72, 4160),
    "cuda/grid_barrier": (36, 4000),
    "cuda/grid_dependency": (16, 1500),
    "cuda/latch": (40, 4000),
    "cuda/std/latch": (40, 4000),
    "cuda/named_barrier": (28, 2000),
    "cuda/peer_barrier": (58, 4000),
    "cuda/pipeline": (74, 4590),
    "cuda/register_budget": (16, 1500),
    "cuda/semaphore": (42, 4000),
    "cuda/std/semaphore": (43, 4000),
    "cuda/tensor_cores": (84, 4970),
    "cuda/turns": (60, 4000),
    "cuda/work_stealing": (73, 4320),
}
COMPILERS = {
    "host": lambda: [toolchain.gxx(), "-std=c++17", "-E"],
    "device": lambda: [toolchain.nvcc(), "-std=c++17", "-arch=sm_90", "-E"],
}


def preprocess(compiler, text, path):
    """(our headers opened, lines of code)"""
    source = path / ("unit.cpp" if compiler == "host" else "unit.cu")
    source.write_text(text, encoding="utf-8")
    command = [*COMPILERS[compiler](), f"-I{INCLUDE}", str(source)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    opened = {match[1] for line in lines if (match := re.match(r'# \d+ "(.*?)"', line))}
    ours = {name for name in opened if name.startswith(f"{INCLUDE}/")}
    return ours, sum(1 for line in lines if line.strip() and not line.startswith("#"))


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("header", BUDGETS)
def test_budget(header, compiler, tmp_path):
    if not (INCLUDE / header).exists():
        pytest.skip(f"{header} is not written yet")
    _, empty = preprocess(compiler, "\n", tmp_path)
    opened, lines = preprocess(compiler, f"#include <{header}>\n", tmp_path)
    allowed_headers, allowed_lines = BUDGETS[header]
    print(f"<{header}>, {compiler}: {len(opened)} headers, {lines - empty} lines")
    assert opened, "the compiler found another header of this name"
    assert len(opened) <= allowed_headers, "\n".join(sorted(opened))
    assert lines - empty <= allowed_lines


@pytest.mark.parametrize("compiler", COMPILERS)
def test_counts(compiler, tmp_path):
    _, empty = preprocess(compiler, "\n", tmp_path)
    opened, lines = preprocess(compiler, "#include <cudasync/core/config.h>\nint first;\n\nint second;\n", tmp_path)
    assert opened == {f"{INCLUDE}/cudasync/core/config.h"}
    assert lines == empty + 2
