#!/usr/bin/env python3
"""Runs the examples on host threads and on the GPU; without a GPU, lists the synchronization instructions of the kernels."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import collections
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent
ROOT = EXAMPLES.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
from cudasync_tools import toolbox

BUILD = ROOT / "build/examples"
ARCHITECTURES = (75, 80, 90, 100)
SKIPPED = 77  # exit code

# The columns of the table: the prefix of the name of an instruction in SASS, and its description.
INSTRUCTIONS = {
    "SYNCS.ARRIVE": "an arrival at an mbarrier on sm_90 and newer",
    "SYNCS.PHASECHK": "a test of an mbarrier's phase, in which the hardware may suspend the thread",
    "ATOMS.ARRIVE": "an arrival at an mbarrier before sm_90",
    "ATOMS.ADD": "an addition in shared memory: an arrival at a counter before sm_80",
    "ATOMG": "an atomic operation in global memory",
    "ATOM.E": "an atomic operation in memory whose space the compiler does not know",
    "REDG": "an atomic operation in global memory without a result",
    "RED.E": "an atomic operation in global memory without a result, before sm_90",
    "LDGSTS": "an asynchronous copy of up to 16 bytes to shared memory",
    "ARRIVES": "an arrival at an mbarrier that occurs when the asynchronous copies of the thread are complete",
    "UBLKCP.S.G": "a bulk copy from global to shared memory",
    "UBLKCP.G.S": "a bulk copy from shared to global memory",
    "UTMALDG": "a bulk copy of a box of a tensor to shared memory",
    "HGMMA": "a matrix product on the tensor cores of sm_90a",
    "UTCHMMA": "a matrix product on the tensor cores of sm_100a",
    "UTCBAR": "an arrival at an mbarrier that occurs when the matrix products of the thread are complete",
    "UGETNEXTWORKID": "a request to cancel the launch of a block",
    "UTMASTG": "a bulk copy of a box of a tensor to global memory",
    "NANOSLEEP": "a pause between two tests",
    "BAR.SYNC": "a hardware barrier, such as __syncthreads",
    "MEMBAR": "a fence",
    "FENCE": "a fence between ordinary accesses and bulk copies",
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=toolbox.positive, metavar="N", help="number of elements each example works on")
    parser.add_argument("--cpu", action="store_true", help="do not use the GPU")
    parser.add_argument("--jobs", type=toolbox.positive, default=os.cpu_count(), metavar="N", help="processes (%(default)s)")
    return parser.parse_args()


def architectures(source):
    """The architectures for which the example compiles, according to its line "// needs: sm_90", or "sm_90a or sm_100a"."""
    needs = re.search(r"^// needs: (sm_\d+a?(?: or sm_\d+a)*)$", source.read_text(encoding="utf-8"), re.MULTILINE)
    if specific := re.findall(r"\d+a", needs[1] if needs else ""):
        return specific
    return [arch for arch in ARCHITECTURES if not needs or arch >= int(needs[1].removeprefix("sm_"))]


class CompilerFailure(toolbox.Failure):
    def __init__(self, text, output):
        super().__init__(text)
        self.output = output


def count_instructions(nvcc, nvdisasm, source, arch):
    """Compiles one example for one architecture and counts the instructions in its code."""
    cubin = BUILD / f"{source.stem}.sm_{arch}.cubin"
    compilation = [nvcc, "-std=c++17", f"-I{ROOT / 'include'}", f"-gencode=arch=compute_{arch},code=sm_{arch}", "-cubin", "-o", cubin, source]
    for command in (compilation, [nvdisasm, cubin]):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        if done.returncode:
            text = f"{source.name} for sm_{arch}: {Path(command[0]).name} failed: see its output above"
            raise CompilerFailure(text, done.stdout + done.stderr)
    found = re.findall(r"^\s*/\*[0-9a-f]+\*/\s+(?:@!?\w+ )?([\w.]+)", done.stdout, re.MULTILINE)
    return {name: sum(word.startswith(name) for word in found) for name in INSTRUCTIONS}


def table(rows, width):
    """A line for each kernel: example, architecture, and the counts of its instructions, as many as fit."""
    first = max(len(example) for example, _, _ in rows)
    previous = None
    for example, arch, counts in rows:
        line = f"{example if example != previous else '':{first}}  {f'sm_{arch}':7}"
        words = [f" {count} {name}" for name, count in counts.items() if count]
        for number, word in enumerate(words):
            rest = f" +{len(words) - number}"
            is_last = number == len(words) - 1
            if len(line) + len(word) + (0 if is_last else len(rest)) > width:
                line += rest
                break
            line += word
        previous = example
        yield line.rstrip()


def print_table(rows):
    """Prints rows of (example, architecture, count of each instruction), and what the instructions are."""
    toolbox.say("\nSynchronization instructions in the kernels of the examples (+3: three others; a wider terminal shows them):")
    for line in table(rows, shutil.get_terminal_size((100, 24)).columns):
        toolbox.say(line)
    toolbox.say("")
    for name in INSTRUCTIONS:
        if any(counts[name] for _, _, counts in rows):
            toolbox.say(f"{name:15} {INSTRUCTIONS[name]}")


def nvdisasm(nvcc):
    """The one of the toolkit, or else a download."""
    beside = Path(nvcc).resolve().parent / "nvdisasm"
    return beside if beside.exists() else toolbox.nvdisasm()


def compile_kernels(sources, jobs):
    """Compiles the kernels for all architectures and prints their synchronization instructions."""
    try:
        nvcc = toolbox.nvcc()
        tools = nvcc, nvdisasm(nvcc)
    except toolbox.Failure as failure:
        toolbox.say(f"The table of synchronization instructions is not available: {failure}")
        return
    toolbox.say("== compiling the kernels")
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        work = {
            (source, arch): pool.submit(count_instructions, *tools, source, arch)
            for source in sources
            for arch in architectures(source)
        }
        try:
            for source in sources:
                done = [f"sm_{arch}" for arch in architectures(source) if work[source, arch].result()]
                toolbox.say(f"   {source.name} for {', '.join(done)}")
        except BaseException as failure:
            pool.shutdown(wait=False, cancel_futures=True)
            toolbox.end_processes()
            print(getattr(failure, "output", ""), file=sys.stderr, end="")
            raise
    print_table([(source.stem, arch, counts.result()) for (source, arch), counts in work.items()])


def run_program(program, size):
    """Runs one example; returns "passed", "failed", or "skipped" if the GPU of this machine cannot run it."""
    toolbox.say(f"\n== {program.name}")
    if not program.exists():
        toolbox.say("skipped: this example requires a newer GPU")
        return "skipped"
    words = [program] if size is None else [program, size]
    code = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, check=False).returncode
    if code not in (0, SKIPPED):
        toolbox.say(f"{program.name} ended with exit code {code}")
    return {0: "passed", SKIPPED: "skipped"}.get(code, "failed")


@toolbox.reports_failure
def main():
    options = arguments()
    toolbox.check(BUILD)
    on_gpu = toolbox.has_gpu() and not options.cpu
    if not on_gpu and not options.cpu:
        toolbox.say("No GPU found: the examples for host threads run. The examples for the GPU are compiled for several architectures.")
    kernels = sorted(EXAMPLES.glob("*.cu"))
    compiled_now = [source for source in kernels if "\n// uses: NVRTC\n" not in source.read_text(encoding="utf-8")]

    def run_programs(names):
        return [run_program(BUILD / "examples" / name, options.size) for name in names]

    # The examples for host threads run first, because they need no download.
    definitions = {"CUDASYNC_BUILD_EXAMPLES": "ON"}
    toolbox.build(BUILD, options.jobs, definitions, "host_examples")
    outcomes = run_programs(f"{source.stem}.host" for source in sorted(EXAMPLES.glob("*.cpp")))
    toolbox.say("")
    if on_gpu:
        toolbox.build(BUILD, options.jobs, {**definitions, "CMAKE_CUDA_COMPILER": toolbox.nvcc()})
        outcomes += run_programs(source.stem for source in kernels)
    else:
        compile_kernels(compiled_now, options.jobs)
    results = collections.Counter(outcomes)
    place = "on the GPU and on host threads" if on_gpu else "on host threads"
    counts = ", ".join(f"{results[result]} {result}" for result in ("passed", "failed", "skipped") if results[result])
    toolbox.say(f"\n{len(outcomes)} examples {place}: {counts}")
    return 0 if results["passed"] and not results["failed"] else 1


if __name__ == "__main__":
    sys.exit(main())
