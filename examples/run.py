#!/usr/bin/env python3
"""Runs the examples on host threads and on the GPU; without one, lists the kernels' synchronization instructions."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent
ROOT = EXAMPLES.parent
sys.path.insert(0, str(ROOT / "cmake"))
import toolbox

BUILD = ROOT / "build/examples"
ARCHITECTURES = (75, 80, 90, 100)
SYNCHRONIZATION = re.compile(
    r"\b((?:SYNCS|UBLKCP|UTMA|LDGSTS|ATOMS|ATOMG|ATOM|REDG|RED|BAR|WARPSYNC|MEMBAR|FENCE|CCTL|NANOSLEEP)[A-Z0-9]*(?:\.[A-Z0-9]+)?)"
)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, metavar="N", help="number of elements each example works on")
    parser.add_argument("--cpu", action="store_true", help="do not use the GPU")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="processes (%(default)s)")
    return parser.parse_args()


def architectures(source):
    """Those for which the example compiles: all of them, or from sm_90 on where a line says "// needs: sm90"."""
    needs = re.search(r"^// needs: sm(\d+)", source.read_text(encoding="utf-8"), re.MULTILINE)
    return [arch for arch in ARCHITECTURES if not needs or arch >= int(needs[1])]


def instructions(nvcc, nvdisasm, source, arch):
    """Compiles one example for one architecture; counts its synchronization instructions, most frequent first."""
    cubin = BUILD / f"{source.stem}.sm_{arch}.cubin"
    compilation = [nvcc, "-std=c++17", f"-I{ROOT / 'include'}", f"-arch=sm_{arch}", "-cubin", "-o", cubin, source]
    for command in (compilation, [nvdisasm, cubin]):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        if done.returncode:
            print(done.stdout, done.stderr, file=sys.stderr)
            raise toolbox.Failure(f"{source.name} for sm_{arch}: {Path(command[0]).name} failed, see its message above")
    return collections.Counter(SYNCHRONIZATION.findall(done.stdout)).most_common()


def print_instructions(sources, jobs):
    """The table example × architecture → synchronization instructions."""
    tools = toolbox.nvcc(), toolbox.nvdisasm()
    toolbox.say("== compiling the kernels for " + ", ".join(f"sm_{arch}" for arch in ARCHITECTURES))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        rows = [
            (source, arch, pool.submit(instructions, *tools, source, arch))
            for source in sources
            for arch in architectures(source)
        ]
        for source, arch, counts in rows:
            text = "  ".join(f"{name} {count}" for name, count in counts.result())
            toolbox.say(f"{source.stem:24} sm_{arch:<4} {text}")


def run_program(program, size):
    """Runs one example; returns whether it passed."""
    toolbox.say(f"\n== {program.name}")
    words = [program] if size is None else [program, size]
    code = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, check=False).returncode
    if code:
        toolbox.say(f"{program.name} ended with exit code {code}")
    return code == 0


@toolbox.reports_failure
def main():
    options = arguments()
    on_gpu = toolbox.has_gpu() and not options.cpu
    kernels = sorted(EXAMPLES.glob("*.cu"))
    definitions = {"CUDASYNC_BUILD_EXAMPLES": "ON", "CMAKE_CUDA_COMPILER": toolbox.nvcc()}
    toolbox.build(BUILD, options.jobs, definitions, "all" if on_gpu else "host_examples")
    names = [f"{source.stem}.host" for source in sorted(EXAMPLES.glob("*.cpp"))]
    if on_gpu:
        names += [source.stem for source in kernels]
    else:
        print_instructions(kernels, options.jobs)
    passed = [run_program(BUILD / "examples" / name, options.size) for name in names]
    place = "on the GPU and on host threads" if on_gpu else "on host threads"
    print(f"\n{sum(passed)} of {len(passed)} examples passed {place}")
    return 0 if all(passed) and passed else 1


if __name__ == "__main__":
    sys.exit(main())
