#!/usr/bin/env python3
"""Counts the SASS instructions and registers of operations on barriers, atomics, pipelines and so on, in cudasync and CCCL."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import dataclasses
import itertools
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import peers
from cudasync_tools import sass, toolbox

BENCHMARKS = Path(__file__).resolve().parents[1]
SOURCES = {
    "cuda/barrier": BENCHMARKS / "latency/operations.cu",
    "cuda/atomic": BENCHMARKS / "atomics/operations.cu",
    "cuda/pipeline": BENCHMARKS / "bandwidth/operations.cu",
    "cuda/latch": BENCHMARKS / "groups/latch_operations.cu",
    "cuda/semaphore": BENCHMARKS / "groups/semaphore_operations.cu",
}
NDEBUG_MATTERS = {"cuda/atomic", "cuda/latch", "cuda/semaphore"}  # headers of CCCL whose code depends on NDEBUG
ARCHITECTURES = (75, 80, 90, 100)
OPERATIONS = [
    name for source in SOURCES.values() for name in re.findall(r"void op_(\w+)", source.read_text(encoding="utf-8"))
]


def measure(libraries):
    """{architecture: {operation: {library: its kernel}}}"""
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        cubin = Path(folder) / "operations.cubin"
        for arch, (header, source), library in itertools.product(ARCHITECTURES, SOURCES.items(), libraries):
            if (library.folder / header).exists() and (header in NDEBUG_MATTERS or not library.definitions):
                options = ["-std=c++17", f"-arch=sm_{arch}", *library.nvcc_options(), "-cubin"]
                command = [str(word) for word in (toolbox.nvcc(), *options, source, "-o", cubin)]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode:
                    raise toolbox.Failure(f"{library.name}, sm_{arch}: nvcc failed: {done.stderr.strip()[-500:]}")
                for name, kernel in sass.kernels(cubin.read_bytes()).items():
                    operation = name.removeprefix("op_")
                    results.setdefault(f"sm_{arch}", {}).setdefault(operation, {})[library.name] = kernel
    return results


def cell(kernel):
    called = f"+{kernel.called}" if kernel.called else ""
    return f"{kernel.instructions}{called} ({kernel.registers})"


def show(results, names):
    print(f"{'instructions (registers)':36}" + "".join(f"{name:>29}" for name in names))
    for arch, operations in results.items():
        for operation in sorted(operations, key=OPERATIONS.index):
            row = operations[operation]
            cells = (cell(row[name]) if name in row else "-" for name in names)
            print(f"{arch:8}{operation:28}" + "".join(f"{text:>29}" for text in cells))
    print("+n: instructions of out-of-line functions")


@toolbox.reports_failure
def main():
    options = peers.parser(__doc__).parse_args()
    libraries = peers.libraries(options.cccl)
    libraries.append(libraries[-1].with_ndebug())
    results = measure(libraries)
    show(results, [library.name for library in libraries])
    if options.json:
        options.json.write_text(json.dumps(results, indent=1, default=dataclasses.asdict), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
