#!/usr/bin/env python3
"""Runs public programs, unchanged but for their sizes, on the machine: `python3 test/model/programs.py FOLDER [NAME...]`."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# FOLDER holds checkouts of the repositories, by their names: cuda-samples, HeCBench, llm.c. Each program runs with a few
# seeds. It must end well, as its own check says, or the machine must report what the table says. The program ends there.

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SUFFIXES = {".cu", ".cuh", ".h", ".hpp", ".cpp"}
COMMITS = {
    "cuda-samples": "c94ff366aed18c797b8a85dfaac7817b0228b420",
    "HeCBench": "f27000a5188f8ac79bd43fc95a1b3f890c18823d",
    "llm.c": "f1e2ace651495b74ae22d45d1723443fd00ecd3a",
}


class Program(NamedTuple):
    folder: str  # in the repository
    arguments: str = ""
    smaller: tuple = ()  # pairs of texts of its sources: the first becomes the second
    expected: tuple = ()  # all of these are in the report; none: no report
    sources: tuple = ("*.cu", "*.cpp")
    options: tuple = ()
    settings: tuple = ()  # pairs for the environment

    @property
    def name(self):
        return Path(self.sources[0]).stem if self.repository == "llm.c" else Path(self.folder).name

    @property
    def repository(self):
        return self.folder.split("/")[0]


def sample(folder, arguments="", smaller=(), expected=(), settings=()):
    return Program(f"cuda-samples/Samples/{folder}", arguments, smaller, expected, options=("-Icuda-samples/Common",), settings=settings)


def benchmark(name, arguments="", smaller=(), expected=(), sources=("*.cu", "*.cpp"), options=()):
    return Program(f"HeCBench/src/{name}-cuda", arguments, smaller, expected, sources, options)


ONE = (("CUDASYNC_MACHINE_MULTIPROCESSORS", "1"),)
SIZES = (
    ("int B = 8;", "int B = 2;"),
    ("int T = 1024;", "int T = 64;"),
    ("int C = 768;", "int C = 64;"),
    ("int NH = 12;", "int NH = 2;"),
    ("int V = 50257;", "int V = 200;"),
    ("int Vp = 50304;", "int Vp = 256;"),
    *((f"int repeat_times = {times};", "int repeat_times = 2;") for times in (100, 1000, 2000)),
    ("int block_sizes[] = {32, 64, 128, 256, 512, 1024};", "int block_sizes[] = {32, 128};"),
)

PROGRAMS = [
    sample("0_Introduction/vectorAdd", "", (("numElements = 50000", "numElements = 5000"),)),
    sample("0_Introduction/asyncAPI", "", (("16 * 1024 * 1024", "16 * 1024"),)),
    sample("0_Introduction/fp16ScalarProduct", "", (("NUM_OF_BLOCKS  128", "NUM_OF_BLOCKS 8"),)),
    sample("0_Introduction/matrixMul", "-wA=64 -hA=64 -wB=64 -hB=64", (("nIter = 300", "nIter = 2"),)),
    sample("0_Introduction/mergeSort", "", (("4 * 1048576", "8192"),)),
    sample("0_Introduction/simpleCallback", "", (("N_workloads             = 8;", "N_workloads = 2;"), ("100000", "1000"))),
    sample("0_Introduction/simpleCooperativeGroups"),
    sample("0_Introduction/simpleMultiCopy", "", (("1 << 22", "1 << 12"),)),
    sample("0_Introduction/simpleOccupancy", "", (("1000000", "20000"),)),
    sample("0_Introduction/simplePrintf"),
    sample("0_Introduction/simpleStreams", "", (("16 * 1024 * 1024", "16 * 1024"), ("nreps       = 10", "nreps = 2"), ("nreps = 100", "nreps = 2"))),
    sample("0_Introduction/simpleTemplates"),
    sample("0_Introduction/simpleTexture"),
    sample("0_Introduction/simpleVoteIntrinsics"),
    sample("0_Introduction/simpleZeroCopy", "", (("1048576", "10240"),)),
    sample("2_Concepts_and_Techniques/histogram", "", (("64 * 1048576", "64 * 256"), ("numRuns    = 16", "numRuns = 1"))),
    sample("2_Concepts_and_Techniques/reduction", "--n=16384 --threads=256 --kernel=7", (("testIterations = 100", "testIterations = 1"),)),
    sample("2_Concepts_and_Techniques/reductionMultiBlockCG", "", (("1 << 25", "1 << 14"),), settings=ONE),
    sample("2_Concepts_and_Techniques/scalarProd", "", (("VECTOR_N = 256", "VECTOR_N = 8"), ("ELEMENT_N = 4096", "ELEMENT_N = 512"))),
    sample("2_Concepts_and_Techniques/scan", "",
           (("13 * 1048576 / 2", "16384"), ("iCycles = 100", "iCycles = 1"), ("4 * THREADBLOCK_SIZE * THREADBLOCK_SIZE", "16 * THREADBLOCK_SIZE"))),
    sample("2_Concepts_and_Techniques/sortingNetworks", "", (("const uint N             = 1048576", "const uint N = 2048"),)),
    sample("2_Concepts_and_Techniques/streamOrderedAllocation", "", (("MAX_ITER 20", "MAX_ITER 2"), ("1048576", "4096"))),
    # The block that takes the last ticket reads what other blocks wrote, and no fence is between the ticket and the reads.
    sample("2_Concepts_and_Techniques/threadFenceReduction", "--n=8192", (("testIterations = 100", "testIterations = 1"),),
           ("race", "threadFenceReduction_kernel.cuh:117", "threadFenceReduction_kernel.cuh:192")),
    sample("3_CUDA_Features/binaryPartitionCG", "", (("1024 * 100", "1024"),)),
    # Kernel 2: sixteen threads initialize one barrier.
    sample("3_CUDA_Features/globalToShmemAsyncCopy", "-wA=64 -hA=64 -wB=64 -hB=64 kernel=2", (("nIter = 100", "nIter = 1"),), ("race", "mbarrier.init")),
    # A plain read of a counter that other threads decrement atomically.
    sample("3_CUDA_Features/newdelete", "", (), ("race", "container.hpp:92")),
    sample("3_CUDA_Features/simpleCudaGraphs", "", (("1 << 24", "1 << 13"), ("maxBlocks = 512", "maxBlocks = 8"))),
    sample("3_CUDA_Features/warpAggregatedAtomicsCG", "", (("10000000", "10000"),)),
    sample("4_CUDA_Libraries/conjugateGradientMultiBlockCG", "", (("1048576", "1024"),), settings=ONE),
    sample("5_Domain_Specific/fastWalshTransform", "", (("log2Data   = 23", "log2Data = 12"),)),
    sample("0_Introduction/simpleAWBarrier", "", (("10000000", "20000"),)),
    sample("0_Introduction/simpleAssert", "", (), ("assertion `gtid < N` failed",)),
    sample("0_Introduction/simpleAtomicIntrinsics"),
    sample("0_Introduction/simpleHyperQ", "--nstreams=4"),
    sample("0_Introduction/systemWideAtomics", "", (("LOOP_NUM 50", "LOOP_NUM 5"),)),
    sample("2_Concepts_and_Techniques/convolutionSeparable", "", (("= 3072;", "= 256;"), ("iterations = 16", "iterations = 1"))),
    sample("2_Concepts_and_Techniques/eigenvalues", "--matrix-size=128 --iters-timing=1"),
    sample("2_Concepts_and_Techniques/inlinePTX"),
    *(sample(f"3_CUDA_Features/{name}TensorCoreGemm", "", tuple((f"{side}_TILES {count}", f"{side}_TILES 8") for side in "MNK" for count in (256, 512))
             + (("CPU_DEBUG 0", "CPU_DEBUG 1"),)) for name in ("bf16", "cuda", "imma", "tf32")),
    sample("3_CUDA_Features/StreamPriorities", "", (("256 * 1024 * 1024", "256 * 1024"), ("128 * 1024 * 1024", "128 * 1024"), ("TBLOCKS 1024", "TBLOCKS 16"))),
    sample("3_CUDA_Features/graphConditionalNodes"),
    sample("3_CUDA_Features/graphMemoryNodes", "", (("8000000", "8000"),)),
    sample("5_Domain_Specific/BlackScholes", "", (("4000000", "4000"), ("= 512", "= 1"))),
    sample("5_Domain_Specific/binomialOptions", "", (("NUM_STEPS 2048", "NUM_STEPS 256"), ("MAX_OPTIONS 1024", "MAX_OPTIONS 8"))),
    sample("5_Domain_Specific/SobolQRNG", "--vectors=2000 --dimensions=10"),
    sample("6_Performance/LargeKernelParameter", "", (("(1000)", "(1)"),)),
    sample("6_Performance/alignedTypes", "", (("50000000", "50000"),)),
    sample("6_Performance/transpose", "--dimX=128 --dimY=128", (("NUM_REPS 100", "NUM_REPS 1"),)),
    Program("HeCBench/src/asmooth-cuda", "64 100 9 1"),
    Program("HeCBench/src/bitonic-sort-cuda", "10 2"),
    Program("HeCBench/src/divergence-cuda", "input.txt 2"),
    Program("HeCBench/src/score-cuda", "1",
            (("num_classes = 1000", "num_classes = 64"), ("num_priors = 4096", "num_priors = 64"), ("batch_size = 128", "batch_size = 2"))),
    # Issues 255, 256, 253 of ORNL/HeCBench: a barrier is missing between reads and the writes of the next step.
    Program("HeCBench/src/morphology-cuda", "64 64 128 128 1", (), ("race", "morphology.cu:94", "morphology.cu:95")),
    Program("HeCBench/src/sosfil-cuda", "1", (), ("race", "main.cu:")),
    Program("HeCBench/src/surfel-cuda", "600 16 16 1", (), ("race", "main.cu:97", "main.cu:87")),
    # Of the benchmarks in the order of random.Random(37).shuffle: those that need no library, no data of others and one GPU.
    benchmark("burger", "40 40 3"),
    # Block 0 adds the weights that other blocks write; they read what it writes.
    benchmark("particlefilter", "-x 32 -y 32 -z 3 -np 500", (), ("race", "kernel_normalize_weights.h:")),
    benchmark("graphExecution", "", (("size <= 1<<27", "size <= 1<<12"), ("maxBlocks = 512", "maxBlocks = 4"))),
    benchmark("atomicIntrinsics", "12 1", sources=("main.cu",)),
    benchmark("conversion", "4096 1"),
    benchmark("reshapeKVCache", "2 2 32 1"),
    benchmark("scatter", "2000 1"),
    # The last block reads what others wrote, without a fence on either side.
    benchmark("quicksort", "1 64 64", (), ("race", "QuicksortKernels.cuh:2")),
    benchmark("ccsd-trpdrv", "8 16 1 1"),
    benchmark("rushlarsen", "2 500", sources=("main.cu", "reference.cu", "utils.cu")),
    benchmark("fsm", "500", (("POPCNT  1024", "POPCNT 4"), ("POPSIZE 256", "POPSIZE 64"), ("REPEAT  10", "REPEAT 1"))),
    benchmark("vote", "1"),
    benchmark("minimod", "--niters 1 --grid 40 --nsteps 2"),
    # More centers than there is memory for.
    benchmark("streamcluster", "5 8 16 512 512 100 none output.txt 1", (), ("kernel.h:",), ("streamcluster.cu",)),
    benchmark("blockAccess", "64 64 1"),
    benchmark("blockScan", "4 1", (("i < 100;", "i < 2;"),)),
    benchmark("reverse", "1"),
    benchmark("ga", "1000 60 11 1"),
    benchmark("dslash", "64", options=("-DLDIM=4", "-DITERATIONS=1")),
    benchmark("streamPriority", "1", (("N       = 1 << 24", "N = 1 << 12"),)),
    benchmark("contract", "4 1"),
    benchmark("eikonal", "-s 16"),
    benchmark("scan3", "1 4096", options=("-IHeCBench/src/scan2-cuda",)),
    benchmark("overlay", "80 72", (("0.8f", "0.002f"),)),
    benchmark("loopback", "0 1", (("BLOCKS 4096", "BLOCKS 4"), ("RUN 2048", "RUN 8"), ("SIM 512", "SIM 4")), sources=("main.cu",)),
    benchmark("maxpool3d", "32 32 2 1"),
    benchmark("babelstream", "-s 4096 -n 2", (("DOT_NUM_BLOCKS 256", "DOT_NUM_BLOCKS 8"),)),
    benchmark("overlap", "", (("N = 1 << 22", "N = 1 << 12"),)),
    benchmark("softmax", "64 100 1 1"),
    benchmark("fma", "64 64 40 32 1"),
    benchmark("storeKVCache", "1", (("<= 16384", "<= 64"), ("<= 1024", "<= 64"), ("2 * 1024 * 1024 / num", "4 * 1024 / num"))),
    benchmark("qrg", "1", (("1048576", "4096"),)),
    benchmark("rotary", "1", (("* 10000", "* 100"),), options=("--extended-lambda", "--expt-relaxed-constexpr")),
    benchmark("haccmk", "1", (("n1 = 784", "n1 = 64"), ("n2 = 15000", "n2 = 500"))),
    benchmark("adv", "7 15 2 1", options=("-Ddfloat=double", "-Ddlong=int")),
    benchmark("atomicPerf", "1", (("3*4*7*8*9*256", "4*256"),)),
    benchmark("interleave", "1", (("NUM_ELEMENTS 4096", "NUM_ELEMENTS 256"), ("COUNT 4096", "COUNT 16"))),
    benchmark("debayer", "64 64 1", options=("-IHeCBench/src/debayer-sycl",)),
    benchmark("mask", "16 16 16 1"),
    benchmark("hexciton", "", (("define NUM 2048", "define NUM 128"), ("NUM_ITERATIONS 1001", "NUM_ITERATIONS 1")),
              sources=("main.cu", "utils.cu", "reference.cu")),
    benchmark("michalewicz", "4096 1"),
    benchmark("murmurhash3", "1000 1"),
    benchmark("bonds", "1", (("1000000", "200"),), sources=("bondsEngine.cu",)),
    *(Program("llm.c/dev/cuda", "1", SIZES, sources=(f"{name}.cu",), options=("-lcublas", "-lcublasLt"))
      for name in ("softmax_forward", "layernorm_forward", "crossentropy_forward")),
]


def library(folder):
    """The machine and its runtime, built once."""
    made = folder / "libmachine.a"
    sources = [path for path in sorted((ROOT / "machine").glob("*.cpp")) if path.name != "library.cpp"]
    newest = max(path.stat().st_mtime for path in (ROOT / "machine").iterdir())
    if made.exists() and made.stat().st_mtime > newest:
        return made
    include = Path(shutil.which("nvcc") or "nvcc").resolve().parent.parent / "include"
    objects = []
    for source in sources:
        objects.append(folder / f"{source.stem}.o")
        subprocess.run(["g++", "-std=c++17", "-O2", "-isystem", include, "-c", source, "-o", objects[-1]], check=True)
    subprocess.run(["ar", "rcs", made, *objects], check=True)
    return made


def build(program, repositories, folder, machine):
    made = folder / program.name
    shutil.rmtree(made, ignore_errors=True)
    shutil.copytree(repositories / program.folder, made)
    for old, new in program.smaller:
        files = [path for path in made.rglob("*") if path.suffix in SUFFIXES]
        for path in files:
            text = path.read_text(encoding="utf-8", errors="surrogateescape")
            path.write_text(text.replace(old, new), encoding="utf-8", errors="surrogateescape")
    sources = [path for pattern in program.sources for path in sorted(made.glob(pattern))]
    options = [option.replace("-I", f"-I{repositories}/", 1) if option.startswith("-I") else option for option in program.options]
    command = ["nvcc", "-std=c++17", "-gencode=arch=compute_90,code=compute_90", "-no-compress", "-lineinfo", "-cudart=none",
               "-w", "-Xptxas=-w", *options, *sources, machine, "-lpthread", "-o", made / "program"]
    done = subprocess.run(command, cwd=made, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode != 0 else ""


def run(program, folder, seed, limit):
    """What the machine reports, if it does; else the exit status."""
    made = folder / program.name
    environment = dict(os.environ, CUDASYNC_MACHINE_SEED=str(seed), **dict(program.settings))
    with (made / f"output.{seed}").open("w") as output:
        process = subprocess.Popen([made / "program", *program.arguments.split()], cwd=made, env=environment, stdout=output,
                                   stderr=subprocess.PIPE, text=True, errors="replace")
        watch = subprocess.Popen(["sh", "-c", f"sleep {limit}; kill -9 {process.pid}"])
        assert process.stderr is not None
        report = next((line for line in process.stderr if line.startswith("model: ")), "")
        if report:
            process.kill()
            report += process.stderr.read()
        watch.kill()
        status = process.wait()
    return report.strip() if report or status == 0 else f"exit status {status}: see {output.name}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--seconds", type=int, default=300, help="limit for each run")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "programs")
    arguments = parser.parse_args()
    arguments.build.mkdir(parents=True, exist_ok=True)
    repositories = arguments.repositories.resolve()
    machine = library(arguments.build)
    wrong = 0
    for program in PROGRAMS:
        if arguments.names and program.name not in arguments.names:
            continue
        if not (repositories / program.folder).is_dir():
            print(f"absent   {program.folder}: commit {COMMITS[program.repository]}")
            continue
        start = time.monotonic()
        said = build(program, repositories, arguments.build, machine)
        outcomes = [said] if said else [run(program, arguments.build, seed, arguments.seconds) for seed in range(1, arguments.seeds + 1)]
        good = [all(part in each for part in program.expected) and bool(program.expected) == bool(each) for each in outcomes]
        wrong += not all(good)
        print(f"{'as known' if all(good) else 'WRONG   '} {program.name}: {time.monotonic() - start:.0f} s, {sum(good)} of {len(good)} seeds", flush=True)
        for each in dict.fromkeys(outcomes):
            if each:
                print(f"         {each[-600:]}")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
