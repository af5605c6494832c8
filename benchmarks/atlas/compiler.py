"""Compiles the kernels of many cases with NVRTC, with each library's headers, in parallel."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import concurrent.futures
import functools
import math
import multiprocessing
import re
import sys
import threading
import time
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import peers
from cudasync_tools import nvrtc, sass, toolchain

HERE = Path(__file__).resolve().parent
CHUNK = 250  # kernels of a source text: the headers of CCCL take seconds, and each text includes them once


class Contestant(NamedTuple):
    key: str  # in the results
    name: str
    folders: tuple  # of headers


def contestants(cccl=None):
    """cudasync, the toolkit's CCCL, the newest CCCL if it is there, and the code by hand."""
    found = peers.libraries(cccl)
    keys = ["ours", *("newest" if "newest" in library.name else "toolkit" for library in found[1:])]
    return [*(Contestant(key, library.name, (str(library.folder),)) for key, library in zip(keys, found)), Contestant("hand", "by hand", ())]


def options(contestant, arch, outputs):
    kind = "sm" if "CUBIN" in outputs else "compute"
    folders = [*contestant.folders, *([str(toolchain.cuda_include()), str(toolchain.cuda_include() / "cccl")] if contestant.folders else [])]
    return [f"-arch={kind}_{arch}", "-DNDEBUG", "-default-device", "-w", *(f"-I{folder}" for folder in folders)]


def text_of(contestant, cases, kernels):
    """The source text, and the number of the line on which each kernel begins."""
    headers = [f"#include <{name}>" for name in sorted({name for case in cases for name in case.headers})] if contestant.folders else []
    own = ["prelude.h", "hand.h" if contestant.key == "hand" else "rings.h" if any("cuda/pipeline" in case.headers for case in cases) else ""]
    text = "\n".join([*headers, *((HERE / name).read_text(encoding="utf-8") for name in own if name)])
    starts = []
    for kernel in kernels:
        starts.append(text.count("\n") + 1)
        text += kernel
    return text, starts


def compile_kernels(contestant, cases, kernels, arch, outputs=("CUBIN",)):
    """[(what was compiled, the indexes of its kernels)], without the kernels that do not compile. Kernel n is named k<n>."""
    pending = [list(range(len(cases)))]
    done = []
    while pending:
        indexes = pending.pop()
        if not indexes:
            continue
        text, starts = text_of(contestant, [cases[index] for index in indexes], [kernels[index] for index in indexes])
        words = options(contestant, arch, outputs)
        made, log = nvrtc.compile_by(nvrtc.load(toolchain.nvrtc()), outputs, text, "atlas.cu", words)
        if made[0] is not None:
            done.append((made, indexes))
            continue
        lines = {int(number) for number in re.findall(r'atlas\.cu\((\d+)\): error|at line (\d+) of "?atlas', log) for number in number if number}
        wrong = {max((place for place, start in enumerate(starts) if start <= line), default=None) for line in lines} - {None}
        good = [index for place, index in enumerate(indexes) if place not in wrong]
        if wrong and len(good) < len(indexes):
            pending.append(good)
        elif len(indexes) > 1:  # ptxas does not say which
            pending += [indexes[: len(indexes) // 2], indexes[len(indexes) // 2 :]]
    return done


def counted(job):
    """{index: (instructions, registers)}"""
    contestant, cases, arch = job
    kernels = [case.counted(f"k{index}", contestant.key) for index, case in enumerate(cases)]
    found = {}
    for (cubin,), _ in compile_kernels(contestant, cases, kernels, arch):
        for name, kernel in sass.kernels(cubin).items():
            found[int(name[1:])] = (kernel.instructions + kernel.called, kernel.registers)
    return found


def chunks(cases, size=CHUNK):
    """Lists of cases with the same headers."""
    by_headers = {}
    for case in cases:
        by_headers.setdefault(case.headers, []).append(case)
    for same in by_headers.values():
        yield from (same[start : start + size] for start in range(0, len(same), size))


def with_code(contestant, cases, arch):
    number = nvrtc.number(arch)
    return [case for case in cases if (code := case.code(contestant.key)) and max(case.least_arch, code.least_arch) <= number]


def in_processes(function, work, jobs, deadline=math.inf):
    """(job, its result) of all jobs, whose second part is a list of cases, or of those that are ready by the deadline.

    A case that crashes the compiler is left out.
    """
    left = []
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        futures = []
        for job in work:
            try:
                futures.append((job, pool.submit(function, job)))
            except BrokenProcessPool:
                left.append(job)
        for job, future in futures:
            try:
                yield job, future.result(min(max(deadline - time.monotonic(), 0), threading.TIMEOUT_MAX))
            except concurrent.futures.TimeoutError:
                future.cancel()
            except BrokenProcessPool:
                left.append(job)
    if time.monotonic() > deadline:
        return
    with concurrent.futures.ThreadPoolExecutor(jobs) as threads:  # a crash ends the whole pool: again, in pools of their own
        for results in threads.map(functools.partial(alone, function), left):
            yield from results


def alone(function, job):
    """[(job, its result)], or those of the halves of a job that crashes the compiler, without the case that does."""
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        try:
            return [(job, pool.submit(function, job).result())]
        except BrokenProcessPool:
            contestant, cases, *rest = job
    half = len(cases) // 2
    return [found for part in (cases[:half], cases[half:]) if half for found in alone(function, (contestant, part, *rest))]


def count_all(those, cases, arch, jobs, progress=lambda done, total: None):
    """{case name: {contestant: (instructions, registers)}}"""
    work = [(each, part, arch) for each in those for part in chunks(with_code(each, cases, arch))]
    found = {}
    for number, ((each, part, _), counts) in enumerate(in_processes(counted, work, jobs), 1):
        for index, count in counts.items():
            found.setdefault(part[index].name, {})[each.key] = count
        progress(number, len(work))
    return found
