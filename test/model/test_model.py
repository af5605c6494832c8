"""The device code of the library on a model of the GPU: every interleaving that the seeds choose, with a copy engine that runs
late, and no access that a release, an acquire or a fence has failed to order."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import functools
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from cudasync_tools import model, nvrtc, toolchain
from cudasync_tools.planted import planted

HERE = Path(__file__).resolve().parent
ARCHITECTURES = ("70", "80", "90")
NEWER = {"launches": ("100a",), "tensor_cores": ("90a", "100a")}  # architectures that differ only there
ALONE = {"tensor_maps": ("90a",)}  # those that have what the file is about

# The checked build before sm_90, in a run that is not thorough: where a file has most code of its own. The records are those
# of sm_90, and copies.cu has no records but those of barriers.
OLDER_AND_CHECKED = {"barriers": "80", "copies": None}  # elsewhere 70


# Files whose PTX for sm_80 is that of sm_70, in a run that is not thorough only for sm_70.
AS_BEFORE = {"elements", "launches", "peers", "synchronizers", "worlds"}

# Files that take long, or whose kernels have the same code elsewhere: in a run that is not thorough only for this one. NVRTC
# 12.9 and 13.0 crash if they optimize mixed_copies.cu less, as below.
ONCE = {"mixed_copies": "90", "tensor_maps": "90a"}


# Files of kernels that are alike, and that take NVRTC longest: in a run that is not thorough, each fourth kernel,
# other ones when the headers have changed.
IN_TURN = {"atomics": 4, "copies": 4, "mixed_copies": 4}


# Files that also run in a build with -G. In others, the machine takes a long computation for a hang (atomics), or nobody has tried.
WITHOUT_OPTIMIZATION = {"automatic", "barriers", "copies", "elements", "multicast", "peers", "synchronizers", "turns", "worlds"}


# Files for architectures from 90 on. Elsewhere the checked build for these takes turns with that for an older one.
ONLY_NEWER = {"tensor_cores", "tensor_maps"}


def is_usual(stem, arch, build):
    if build == "debug":
        return arch == "90" and stem in (WITHOUT_OPTIMIZATION if toolchain.THOROUGH else ("automatic",))
    if toolchain.THOROUGH:
        return True
    if stem == "automatic":  # codegen/atomic_automatic.cu
        return False
    if build == "checked" and stem not in ONLY_NEWER and (nvrtc.number(arch) >= 90) != (toolchain.turn(2) == 0):
        return False  # NVRTC takes seconds for the reports of hangs
    if stem in ONCE:
        return (arch, build) == (ONCE[stem], "plain")
    if nvrtc.number(arch) >= 90:  # the checked kernels of tensor cores for sm_90 also run for sm_90a
        return (stem, build) != ("atomics", "checked") and (stem, arch, build) != ("tensor_cores", "90", "checked")
    if stem == "atomics":  # the rules of codegen/atomic_matrix.cu hold for the PTX of older architectures
        return False
    if build == "checked":
        return arch == OLDER_AND_CHECKED.get(stem, "70")
    return arch != "80" or stem not in AS_BEFORE


MAIN = {"90", "90a", "100a"}  # architectures for which each kernel runs in the release build


def builds_of(path):
    """(kernel, architecture, build) of each case. In a run that is not thorough, the kernels of a file take turns: each runs in the
    release build for the newest target, and each fourth one, another one when the headers have changed, in one of the other
    builds. Each of these has other kernels. (A quarter of 16, since the remainder by 4 already chooses kernels.)"""
    count = 1 if toolchain.THOROUGH else IN_TURN.get(path.stem, 1)
    for number, kernel in enumerate(model.kernels(path)):
        if number % count != toolchain.turn(count):
            continue
        builds = [
            (arch, build)
            for arch in ALONE.get(path.stem, (*ARCHITECTURES, *NEWER.get(path.stem, ())))
            for build in model.BUILDS
            if nvrtc.number(arch) >= kernel.needs and is_usual(path.stem, arch, build)
        ]
        others = [each for each in builds if each[1] != "plain" or each[0] not in MAIN]
        turn, which = divmod(number, max(1, len(others)))
        for each in builds:
            if toolchain.THOROUGH or each not in others or (each == others[which] and turn % 4 == toolchain.turn(16) // 4):
                yield (kernel, *each)


BUILDS = {path: [*builds_of(path)] for path in sorted(HERE.glob("*.cu"))}
CASES = [
    pytest.param(path, kernel, arch, build, id=f"{path.stem}.{kernel.name}.sm_{arch}.{build}")
    for path, builds in BUILDS.items()
    for kernel, arch, build in sorted(builds, key=lambda each: each[1:])
]


# NVRTC spends longer on these kernels than the machine. It takes 40% less for the checked build if it optimizes less, and still
# less with -Ofc=max, but then the machine takes twice as long.
LESS_OPTIMIZED = ("-Ofc=min",)  # since NVRTC 12.9


@functools.cache
def module(path, arch, build):
    options = model.BUILDS[build]
    if not toolchain.THOROUGH and build == "checked":
        options += LESS_OPTIMIZED
    wanted = {kernel.name for kernel, *its in BUILDS[path] if its == [arch, build]}
    return model.compile(path, arch, options, wanted)


@pytest.mark.parametrize(("path", "kernel", "arch", "build"), CASES)
def test_kernel(path, kernel, arch, build):
    if not toolchain.THOROUGH and (build != "plain" or arch not in MAIN):
        kernel = kernel._replace(seeds=min(kernel.seeds, 2))
    failure = model.first_failure(module(path, arch, build), kernel)
    assert failure is None, failure


@pytest.mark.skipif(not toolchain.THOROUGH, reason="lint reads the masks of lanes in the headers: with --thorough")
def test_functions_that_are_not_inlined():
    """Lanes that are in a function together may be of several callers."""
    path = HERE / "barriers.cu"
    made = model.compile(path, "90", (*model.BUILDS["checked"], "-Ofc=max"), {"shared_together"})
    kernel = next(each for each in model.kernels(path) if each.name == "shared_together")
    failure = model.first_failure(made, kernel._replace(seeds=1))
    assert failure is None, failure


class Mistake(NamedTuple):
    """A kernel that must fail with a change: a call that is left out."""

    stem: str
    kernel: str
    text: str
    replacement: str
    said: str  # a part of the failure
    arch: str = "90"


MISTAKES = [
    Mistake("peers", "all_blocks", "    bar.arrive_and_wait(own);\n", "    static_cast<void>(bar.arrive(own));\n", "race: "),
    Mistake("peers", "all_blocks", "{blockIdx.x - gpu, 1 + gpu}", "{blockIdx.x - gpu, 2 + gpu}", "hung"),
    Mistake("peers", "all_blocks_in_two_steps", "(parts, gpu, 3)", "(parts, gpu, 2 + (gpu == 2))", "race: "),
    Mistake("peers", "namesakes", "bar(parts, gpu, 3, block)", "bar(parts, gpu, 3, 0)", "race: "),
    Mistake("peers", "signals", "      if (round > 2) empty.wait(round - 2);\n", "", "race: "),
    Mistake("peers", "signals", "      full.wait(round);\n", "      if (round != 1) full.wait(round);\n", "race: "),
    Mistake("multicast", "all_blocks", "    bar.arrive_and_wait(here);\n", "    static_cast<void>(bar.arrive(here));\n", "race: "),
    Mistake("multicast", "namesakes", "(part_of(scratch, gpu, 3), gpu, 3, block)", "(part_of(scratch, gpu, 2), gpu, 3, block)", "hung"),
    Mistake("multicast", "signals", "full(everywhere(object_of<peer_signal>(scratch, 0), 3))", "full(object_of<peer_signal>(scratch, 0))", "no multicast address"),
    Mistake("multicast", "signals", "    object_of<peer_signal>(scratch, blockIdx.x)->wait(round);\n", "", "race: "),
    Mistake("multicast", "data", "phase);\n    cuda::ptx::fence_proxy_alias();\n", "phase);\n", "race: "),
    Mistake("turns", "two_groups", "      mine.wait();\n", "", "race: "),
    Mistake("turns", "two_groups", "      mine.pass();\n", "      if (group == 0 || round < 2) mine.pass();\n      if (group == 1 && round == 1) return;\n", "hung"),
    Mistake("turns", "two_groups_by_named_barriers", "      mine.wait();\n", "", "race: "),
    Mistake("turns", "groups_of_two_warps", "      mine.pass();\n", "      if (group == 0 && rank < 32) mine.pass();\n", "race: "),
    Mistake("tensor_cores", "skipped_stages", "    mine.wait();\n", "    if (false) mine.wait();\n", "fail"),
    Mistake("tensor_cores", "stages_of_tensor_cores", "        pipe.consumer_wait(at);\n        begin", "        begin", "race: ", "100a"),
    Mistake("tensor_cores", "stages_of_tensor_cores", "      accumulators.producer_acquire(to);\n", "", "race: ", "100a"),
    Mistake("tensor_cores", "stages_of_tensor_cores", "      accumulators.consumer_wait(at);\n", "", "race: ", "100a"),
    Mistake("tensor_cores", "stages_of_tensor_cores", "        pipe.consumer_commit(at);\n", "        if (step != 1) pipe.consumer_commit(at);\n", "race: ", "100a"),
    Mistake("tensor_cores", "stages_of_pairs", "producer_acquire(at, sizeof stage[0])", "producer_acquire(at, Blocks * sizeof stage[0])", "hung", "100a"),
    Mistake("tensor_cores", "stages_of_pairs", "    pipe.producer_tail(at);\n  }\n", "  }\n", "block that has ended", "100a"),
    Mistake("tensor_maps", "replaced_maps_of_1_dimension", "    if (threadIdx.x == 0) cudasync::device::acquire_tensor_map(map);\n", "", "as a tensor map", "90a"),
    Mistake("barriers", "remote_values", "    full.wait_parity(round % 2 != 0);\n", "    if (round != 2) full.wait_parity(round % 2 != 0);\n", "race: "),
    Mistake("barriers", "remote_values", "    if (round != 0) empty.wait_parity(round % 2 == 0);\n", "", "race: "),
    Mistake("barriers", "remote_values", "sizeof small + sizeof middle + sizeof large", "sizeof small + sizeof middle", "512 bytes are not expected"),
    Mistake("barriers", "remote_values", "cuda::device::barrier_arrive_tx(full, 1, sizeof small + sizeof middle + sizeof large)", "full.arrive()", "race: "),
    Mistake("barriers", "remote_reductions", "    bar.wait_parity(false);\n    EXPECT(sum == 15", "    EXPECT(sum == 15", "race: "),
    Mistake("barriers", "remote_reductions", "16 * (8 * 4 + 2 * 8)", "16 * (8 * 4 + 2 * 8) + 4", "hung"),
]


INCLUDE = re.compile(r"^#include .*\n", re.MULTILINE)


@functools.cache
def mistakes(stem, arch):
    """A module of all mistakes in this file, each in a namespace, with its number behind the name of its kernel."""
    path = HERE / f"{stem}.cu"
    text = path.read_text(encoding="utf-8")
    parts = INCLUDE.findall(text)
    for number, each in enumerate(MISTAKES):
        if (each.stem, each.arch) == (stem, arch):
            seen_by = f"the kernel {each.kernel} on the model"
            changed = planted(text, path.name, "a mistake of a user", each.text, each.replacement, seen_by)
            changed = model.alone(INCLUDE.sub("", changed), each.kernel).replace(f" void {each.kernel}(", f" void {each.kernel}_{number}(")
            parts.append(f"namespace mistake_{number} {{\n{changed}}}\n")
    return model.compile_text("".join(parts), path, arch)


@pytest.mark.parametrize("number", range(len(MISTAKES)), ids=lambda number: f"{MISTAKES[number].stem}.{MISTAKES[number].kernel}.{number}")
def test_mistake_is_found(number):
    mistake = MISTAKES[number]
    kernel = next(each for each in model.kernels(HERE / f"{mistake.stem}.cu") if each.name == mistake.kernel)
    failure = model.first_failure(mistakes(mistake.stem, mistake.arch), kernel._replace(name=f"{kernel.name}_{number}"))
    assert failure is not None and mistake.said in failure, failure
