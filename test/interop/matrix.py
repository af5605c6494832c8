#!/usr/bin/env python3
"""Compiles the interop tests with several toolkits and versions of CCCL, in both include orders; installs them first."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import concurrent.futures
import functools
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
from cudasync_tools import clang, toolbox

TOOLKITS = {
    "12.4": toolbox.cuda_12,
    "13.0": lambda: toolbox.cuda_13("cuda-13.0"),
    "13.5": lambda: toolbox.cuda_13("cuda-13.5"),
}
CCCLS = {
    "2.3": "nvidia-cuda-cccl-cu12==12.4.127.post1",
    "2.4": "nvidia-cuda-cccl-cu12==12.5.39.post1",
    "2.5": "nvidia-cuda-cccl-cu12==12.6.77",
    "2.7": "nvidia-cuda-cccl-cu12==12.8.90",
    "2.8": "nvidia-cuda-cccl-cu12==12.9.27",
    "3.0": "nvidia-cuda-cccl==13.0.85",
    "3.1": "nvidia-cuda-cccl==13.1.115",
    "3.2": "nvidia-cuda-cccl==13.2.86",
    "3.3": "nvidia-cuda-cccl==13.3.3.4.1",
    "3.4": "nvidia-cuda-cccl==13.3.4.3.1",
    "3.5": "nvidia-cuda-cccl==13.3.5.0.6",
}
HOST_COMPILERS = {"g++-14": toolbox.gxx_14}
# CUDA 12.4 has no such headers, and what CCCL finds in the system's folders may be another toolkit's.
WITHOUT = {"12.4": ["-DCCCL_DISABLE_NVFP6_SUPPORT", "-DCCCL_DISABLE_NVFP4_SUPPORT"]}
# What a test needs besides CCCL: the wheel, and the folder of its headers.
NEEDED = {
    "nccl": ("nvidia-nccl-cu13==2.28.9", "nvidia/nccl/include"),
    "nvshmem": ("nvidia-nvshmem-cu13==3.8.0", "nvidia/nvshmem/include"),
}
ORDERS = ("ours_first", "theirs_first")
TESTS = sorted(path.stem for path in HERE.glob("*.cu"))
SECONDS = 600

# What cannot work, with the reason: (test, what, its version). docs/guide/beside_cccl.md has the same.
BY_RELATIVE_PATH = "this CCCL includes its own headers by relative paths, which nothing can stand before"
ATTRIBUTE_BEHIND = "it takes alignas before __shared__ alone"
UNSUPPORTED = {
    ("ptx", "CCCL", "2.3"): BY_RELATIVE_PATH,
    ("ptx_global_names", "CCCL", "2.3"): BY_RELATIVE_PATH,
    ("ptx_tensormap", "CCCL", "2.3"): BY_RELATIVE_PATH,
    ("ptx", "CCCL", "2.4"): BY_RELATIVE_PATH,
    ("ptx_global_names", "CCCL", "2.4"): BY_RELATIVE_PATH,
    ("ptx_tensormap", "CCCL", "2.4"): BY_RELATIVE_PATH,
    ("annotated_ptr", "CCCL", "2.4"): BY_RELATIVE_PATH,
    ("public_headers", "CCCL", "2.4"): BY_RELATIVE_PATH,
    ("reference_histogram", "CCCL", "2.7"): "its ceil_div takes two operands of one type only",
    ("ptx_assembles", "CUDA", "12.4"): "this toolkit's PTX has no relaxed arrivals",
    ("ptx_links", "CUDA", "12.4"): "this toolkit has no sm_103a",
    ("ptx_links", "clang", "19"): "its PTX has no sm_103a",
    ("ptx_tensormap", "CUDA", "12.4"): "this toolkit has no sm_120a",
    ("ptx_tensormap", "clang", "19"): "its PTX has no sm_120a",
    ("ptx_assembles", "clang", "19"): "its PTX has no relaxed arrivals",
    ("cooperative_groups", "clang", "19"): "the toolkit's cooperative groups have clusters for nvcc alone",
    ("reference_parity", "clang", "19"): ATTRIBUTE_BEHIND,
    ("reference_token", "clang", "19"): ATTRIBUTE_BEHIND,
    ("thrust", "clang and CCCL", "2.8"): "its thrust::async does not compile there without ours either",
}


class Cell(NamedTuple):
    toolkit: str
    cccl: str
    standard: str
    test: str
    order: str

    def __str__(self):
        return f"CUDA {self.toolkit}, CCCL {self.cccl}, {self.test}, C++{self.standard}, {self.order}"

    def file_name(self):
        return "-".join(self).replace("/", "_")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--toolkits", nargs="+", choices=TOOLKITS, default=list(TOOLKITS))
    parser.add_argument(
        "--cccl",
        nargs="+",
        type=cccl_name,
        default=list(CCCLS),
        metavar="VERSION|FOLDER",
        help=f"{' '.join(CCCLS)}, or the folder of a checkout of CCCL",
    )
    parser.add_argument("--standards", nargs="+", choices=("17", "20", "23"), default=["17"])
    parser.add_argument("--tests", nargs="+", choices=TESTS, default=TESTS, metavar="TEST", help=" ".join(TESTS))
    parser.add_argument("--host-compiler", metavar="PROGRAM", help="nvcc's -ccbin; g++-14 is installed where it is missing")
    parser.add_argument("--clang", action="store_true", help="clang 19 in nvcc's place: it compiles the device's part, to PTX")
    parser.add_argument("--jobs", type=toolbox.positive, default=os.cpu_count(), metavar="N", help="processes (%(default)s)")
    return parser.parse_args()


def cccl_name(text):
    """For argparse: a version that has a wheel, or the folder of a checkout."""
    if text not in CCCLS and not (Path(text) / "libcudacxx/include/cuda/barrier").is_file():
        raise argparse.ArgumentTypeError(f"{text} is neither one of {' '.join(CCCLS)} nor a folder with libcudacxx/include/cuda/barrier")
    return text


def cccl_folders(version):
    """The include folders of a version of CCCL, or of a checkout, which also has the experimental library cudax."""
    if version not in CCCLS:
        return [Path(version).resolve() / part for part in ("libcudacxx/include", "cub", "thrust", "cudax/include")]
    return [next(path.parents[1] for path in toolbox.wheel(CCCLS[version]).glob("nvidia/**/cuda/barrier"))]


@functools.cache
def text_of(test):
    return (HERE / f"{test}.cu").read_text(encoding="utf-8")


def needs(test):
    return re.findall(r"^// needs: (\w+)$", text_of(test), re.MULTILINE)


def cells(options):
    """All combinations in which something differs: one order is enough for tests without the others' headers."""
    axes = (options.toolkits, options.cccl, options.standards, options.tests, ORDERS)
    for each in itertools.starmap(Cell, itertools.product(*axes)):
        has_two_orders = "ours_first.h" in text_of(each.test)
        needs_newer_nvcc = each.standard == "23" and each.toolkit != "13.5"
        if "cudax" in needs(each.test) and each.cccl in CCCLS:
            continue  # no wheel has it
        if (has_two_orders or each.order == "ours_first") and not needs_newer_nvcc:
            yield each


def command(cell, options, folders, source, output, ours):
    arch = next(iter(re.findall(r"^// arch: (\w+)$", text_of(cell.test), re.MULTILINE)), "90")
    nvcc = options.nvcc[cell.toolkit]
    if options.clang:
        words = clang.command(options.clang, nvcc.parents[1], "device", output.parent)
        words += [f"--cuda-gpu-arch=sm_{arch}"]
    else:
        result = "-ptx" if re.search(r"^// passes: device$", text_of(cell.test), re.MULTILINE) else "-c"
        words = [nvcc, f"-gencode=arch=compute_{arch},code=sm_{arch}", result]
        words += ["-ccbin", options.host_compiler] if options.host_compiler else []
    if "nvshmem" in needs(cell.test):  # its device functions are in a library
        words += ["-fgpu-rdc" if options.clang else "-rdc=true"]
    words += [f"-I{folder}" for folder in ([ROOT / "include"] if ours else []) + folders]
    words += ["-DTHEIRS_FIRST"] if cell.order == "theirs_first" else []
    words += WITHOUT.get(cell.toolkit, [])
    return [*words, f"-std=c++{cell.standard}", "-o", output, source]


def compiles(words):
    """(whether it does, what the compiler said)"""
    done = subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, check=False, timeout=SECONDS, stdin=subprocess.DEVNULL
    )
    return done.returncode == 0, done.stdout + done.stderr


def others_includes(test, cccl):
    """The lines of a test by which it includes what is not ours alone."""
    lines = re.findall(r"^\s*#\s*(?:if|endif|else|define LIBCUDACXX|include <).*$", text_of(test), re.MULTILINE)

    def is_ours_alone(line):
        name = re.search(r"include <(.*?)>", line)
        return name and (ROOT / "include" / name[1]).exists() and not any((folder / name[1]).exists() for folder in cccl)

    return "\n".join([*(line for line in lines if not is_ours_alone(line)), ""])


def judge(cell, options, folder):
    """(cell, "passed", "failed" or "unsupported", why)"""
    output = folder / f"{cell.file_name()}.o"
    folders = [*options.cccl_folders[cell.cccl], *(options.needed[each] for each in needs(cell.test) if each in NEEDED)]
    passed, log = compiles(command(cell, options, folders, HERE / f"{cell.test}.cu", output, ours=True))
    output.unlink(missing_ok=True)
    if passed:
        return cell, "passed", ""
    keys = [("CCCL", cell.cccl), ("CUDA", cell.toolkit), *([("clang", "19"), ("clang and CCCL", cell.cccl)] if options.clang else [])]
    for key in ((cell.test, *key) for key in keys):
        if key in UNSUPPORTED:
            return cell, "unsupported", UNSUPPORTED[key]
    source = folder / f"{cell.file_name()}.cu"
    source.write_text(others_includes(cell.test, options.cccl_folders[cell.cccl]), encoding="utf-8")
    if not compiles(command(cell, options, folders, source, output, ours=False))[0]:
        return cell, "unsupported", "their headers do not compile without ours either"
    return cell, "failed", log


def print_table(results):
    """Toolkit and CCCL against test: how many cells passed, of how many that are supported."""
    rows = sorted({(cell.toolkit, cell.cccl) for cell, _, _ in results})
    tests = sorted({cell.test for cell, _, _ in results})
    width = max(map(len, tests))
    print("\n" + " " * width, *(f"{toolkit}/{Path(cccl).name}".rjust(9) for toolkit, cccl in rows))
    for test in tests:
        texts = []
        for row in rows:
            found = [outcome for cell, outcome, _ in results if (cell.toolkit, cell.cccl) == row and cell.test == test]
            supported = len(found) - found.count("unsupported")
            texts.append(f"{found.count('passed')}/{supported}" if supported else "-")
        print(test.ljust(width), *(text.rjust(9) for text in texts))


@toolbox.reports_failure
def main():
    options = arguments()
    options.nvcc = {name: TOOLKITS[name]() for name in options.toolkits}
    options.cccl_folders = {version: cccl_folders(version) for version in options.cccl}
    needed = sorted({each for test in options.tests for each in needs(test) if each in NEEDED})
    options.needed = {each: toolbox.wheel(NEEDED[each][0]) / NEEDED[each][1] for each in needed}
    options.clang = toolbox.clang_19() if options.clang else None
    if options.host_compiler and not shutil.which(options.host_compiler):
        if options.host_compiler not in HOST_COMPILERS:
            raise toolbox.Failure(f"the host compiler {options.host_compiler} is not on PATH")
        options.host_compiler = HOST_COMPILERS[options.host_compiler]()
    results = []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = [pool.submit(judge, cell, options, Path(folder)) for cell in cells(options)]
        for job in concurrent.futures.as_completed(jobs):
            cell, outcome, why = job.result()
            results.append(job.result())
            if outcome != "passed":
                first = next((line for line in why.splitlines() if "error" in line), why)
                toolbox.say(f"{outcome}: {cell}: {first.strip()}")
    print_table(results)
    outcomes = [outcome for _, outcome, _ in results]
    passed, failed, unsupported = (outcomes.count(kind) for kind in ("passed", "failed", "unsupported"))
    print(f"\n{passed} passed, {failed} failed, {unsupported} unsupported")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
