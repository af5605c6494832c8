"""Headers opened and size of the preprocessed text: the deterministic stand-in for compile time."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import re
import subprocess

import pytest
import used

from cudasync_tools import toolchain
from cudasync_tools.toolchain import INCLUDE

# Public header: headers of ours that it opens, kilobytes of code that it adds to an empty translation unit. Not lines: a row of
# a table can become one line of 10 KB.
BUDGETS = {
    "cuda/atomic": (52, 210),
    "cuda/std/atomic": (53, 210),
    "cuda/barrier": (69, 256),
    "cuda/std/barrier": (70, 256),
    "cudasync/cluster_barrier.h": (70, 245),
    "cudasync/grid_barrier.h": (39, 112),
    "cudasync/grid_dependency.h": (12, 15),
    "cuda/latch": (44, 160),
    "cuda/std/latch": (44, 160),
    "cudasync/named_barrier.h": (19, 35),
    "cudasync/peer_barrier.h": (60, 182),
    "cuda/pipeline": (85, 313),
    "cudasync/register_budget.h": (9, 10),
    "cuda/semaphore": (46, 168),
    "cuda/std/semaphore": (47, 168),
    "cudasync/tensor_cores.h": (89, 340),
    "cudasync/turns.h": (56, 190),
    "cuda/work_stealing": (63, 200),
}
# The functions of ours that the device's compiler generates and inlines for the programs in benchmarks/compile_time/used together.
# A trivial one takes it half a million instructions.
MOST_FUNCTIONS = 382
COMPILERS = {
    "host": lambda: [toolchain.gxx(), "-std=c++17", "-E"],
    "device": lambda: [toolchain.nvcc(), "-std=c++17", "-arch=sm_90", "-E"],
}


def preprocess(compiler, text, path):
    """(our headers opened, kilobytes of code)"""
    source = path / ("unit.cpp" if compiler == "host" else "unit.cu")
    source.write_text(text, encoding="utf-8")
    command = [*COMPILERS[compiler](), f"-I{INCLUDE}", str(source)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    opened = {match[1] for line in lines if (match := re.match(r'# \d+ "(.*?)"', line))}
    ours = {name for name in opened if name.startswith(f"{INCLUDE}/")}
    return ours, sum(len(line.strip()) for line in lines if not line.startswith("#")) / 1000


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    """{compiler: kilobytes of an empty unit}"""
    return {compiler: preprocess(compiler, "\n", tmp_path_factory.mktemp(compiler))[1] for compiler in COMPILERS}


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("header", BUDGETS)
def test_budget(header, compiler, tmp_path, empty):
    if not (INCLUDE / header).exists():
        pytest.skip(f"{header} is not written yet")
    opened, size = preprocess(compiler, f"#include <{header}>\n", tmp_path)
    size -= empty[compiler]
    allowed_headers, allowed_size = BUDGETS[header]
    print(f"<{header}>, {compiler}: {len(opened)} headers, {size:.0f} KB")
    assert opened, "the compiler found another header of this name"
    assert len(opened) <= allowed_headers, "\n".join(sorted(opened))
    assert size <= allowed_size


@pytest.mark.parametrize("compiler", COMPILERS)
def test_counts(compiler, tmp_path, empty):
    opened, size = preprocess(compiler, "#include <cudasync/core/config.h>\nint first;\n\nint second;\n", tmp_path)
    assert opened == {f"{INCLUDE}/cudasync/core/config.h"}
    assert size - empty[compiler] == pytest.approx(len("int first;" + "int second;") / 1000)


def test_functions_of_used_headers(tmp_path):
    source = tmp_path / "unit.cu"
    source.write_text(used.programs("cu", used.KERNEL)["all", "used"], encoding="utf-8")
    command = [toolchain.nvcc(), "-std=c++17", "-arch=sm_90", f"-I{INCLUDE}", "-ptx", source, "-o", tmp_path / "unit.ptx"]
    done = subprocess.run([*command, "-fdevice-time-trace", tmp_path / "trace"], capture_output=True, text=True, check=False)
    if "Unknown option" in done.stderr:
        pytest.skip("nvcc has no -fdevice-time-trace")
    assert done.returncode == 0, done.stderr
    events = json.loads((tmp_path / "trace.json").read_text(encoding="utf-8"))["traceEvents"]
    names = {event["args"]["detail"] for event in events if event.get("name") == "Generating Function IR"}
    functions = [name for name in names if "8cudasync" in name]
    print(f"{len(functions)} functions")
    assert MOST_FUNCTIONS - 20 < len(functions) <= MOST_FUNCTIONS, "more layers, or lower the limit: " + "\n".join(sorted(functions))
