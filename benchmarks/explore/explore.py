#!/usr/bin/env python3
"""Times six kernels on the machine of `python -m cudasync explore`, in millions of instructions of threads per second of one core."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
for folder in ("tools", "python"):
    sys.path.insert(0, str(ROOT / folder))
from cudasync.explore import build
from cudasync_tools import toolbox

KERNELS = {
    "hash": "a hash in registers, 4,000 rounds",
    "saxpy": "`y = a * x + y` in global memory",
    "reduce": "sums of blocks in shared memory",
    "product": "product of matrices with tiles of 16 x 16",
    "histogram": "histogram in shared memory, of zeros",
    "stencil": "stencil of five points, one point for each thread",
}
FORMS = {"with races": "1", "without": "0"}  # CUDASYNC_MACHINE_RACES


def speed(program, kernel, races):
    """Of one run, and of the instructions that the machine counts."""
    variables = {**os.environ, "CUDASYNC_MACHINE_RACES": races, "CUDASYNC_MACHINE_VERBOSE": "1"}
    done = subprocess.run([program, kernel], env=variables, capture_output=True, text=True, check=True)
    return sum(map(int, re.findall(r"(\d+) instructions of threads", done.stderr))) / float(done.stdout) / 1e6


def measure(repetitions):
    """A row for each kernel and form: the form is the configuration, so that both are in one table."""
    nvcc = str(toolbox.nvcc())
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "kernels"
        build.program(nvcc, build.machine(nvcc), [str(ROOT / "benchmarks/explore/kernels.cu")], "90", [], program)
        samples = {(kernel, form): [] for kernel in KERNELS for form in FORMS}
        for _ in range(repetitions):
            for kernel, form in samples:
                samples[kernel, form].append(speed(program, kernel, FORMS[form]))
    common = {"benchmark": "explore", "path": "", "kind": "ours", "name": "the machine", "unit": "million instructions of threads per second"}
    return [common | {"operation": KERNELS[kernel], "configuration": form, "median": statistics.median(all_of_it),
                      "least": min(all_of_it), "most": max(all_of_it)} for (kernel, form), all_of_it in samples.items()]


@toolbox.reports_failure
def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results to this file")
    parser.add_argument("--cccl", help=argparse.SUPPRESS)  # as all scripts of run.py
    parser.add_argument("--repetitions", type=toolbox.positive, default=7, metavar="N", help="(%(default)s)")
    options = parser.parse_args()
    results = measure(options.repetitions)
    for each in results:
        print(f"{each['operation']:52}{each['configuration']:12}{each['median']:8.1f}  ({each['least']:.1f} to {each['most']:.1f})")
    if options.json:
        options.json.write_text(json.dumps({"results": results}, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
