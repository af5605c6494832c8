"""The kernels that the map of times measures end, and have no race: each kind of them, with few threads and rounds, on the machine."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import ctypes
import dataclasses
import re

import pytest

import catalog
import compiler
from cudasync_tools import model, toolchain

ARCH = "90a"
MEMORY = 4 << 20  # for copies by two blocks
ROUNDS = 3
SHAPES = ((32, 1), (96, 2))  # or the least of a case
TILE = 65536 + 256
TILES = 10  # of a ring: more than its stages
CONTESTANTS = [compiler.Contestant("ours", "cudasync", (str(toolchain.INCLUDE),)), compiler.Contestant("hand", "by hand", ())]


def kinds():
    """{(group, kind, place): case}. The orders of an atomic make one kind, and copies of many bytes are like those of few."""
    found = {}
    for case in catalog.all_cases():
        if case.cells() and case.least_arch <= 90 and not re.search("4096|65536", case.column):
            for place in case.places:
                found.setdefault((case.group, case.row if case.group == "atomics" else case.name, place), case)
    return found


def jobs(found, contestant):
    """[(case, place)], in lists with the same headers that are not too long for a compilation."""
    by_headers = {}
    for (_, _, place), case in found.items():
        if compiler.with_code(contestant, [case], ARCH):
            by_headers.setdefault(case.headers, []).append((case, place))
    for same in by_headers.values():
        yield from (same[start : start + compiler.CHUNK] for start in range(0, len(same), compiler.CHUNK))


class Memory:
    """Global memory of the kernels, zeros; as the worker of the map of times passes it."""

    def __init__(self):
        self.bytes = ctypes.create_string_buffer(MEMORY + 256)
        self.start = (ctypes.addressof(self.bytes) + 127) // 128 * 128
        model.machine().model_allow(self.start, MEMORY)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        model.machine().model_forbid(self.start)


def parameters_of(case, memory, argument, rounds):
    """The bytes: memory, value, second, rounds, cycles, out."""
    place, holder, cycles = memory.start, memory.start + MEMORY - 128, memory.start + MEMORY - 4096
    if case.memory == "unknown":
        ctypes.c_uint64.from_address(holder).value = place
        place = holder
    _, value, second = argument
    if case.group == "pipelines":
        value = TILES
    words = [place.to_bytes(8, "little"), *(packed(case.value, each) for each in (value, second))]
    words += [rounds.to_bytes(4, "little"), cycles.to_bytes(8, "little"), (cycles + 1024).to_bytes(8, "little")]
    data = b""
    for word in words:
        data += bytes(-len(data) % len(word)) + word
    return data


def packed(cpp, number):
    if cpp in ("float", "double"):
        return bytes(({"float": ctypes.c_float, "double": ctypes.c_double}[cpp])(number))
    size = {"char": 1, "short": 2, "long long": 8, "sixteen": 16}.get(cpp.removeprefix("unsigned "), 4)
    return int(number).to_bytes(size, "little")


def failures_of(case, module, name, place):
    """What goes wrong in the kernel of this name in each of the shapes. Threads that share an atomic all write its first
    value: this race is on purpose."""
    widths, counts = zip(*case.shapes)
    for most_threads, most_blocks in SHAPES:
        threads = max(min(most_threads, max(widths)), min(widths))
        blocks = 2 if case.memory == "cluster" else max(min(most_blocks, max(counts)), min(counts))
        with Memory() as memory:
            cluster = (blocks, 1, 1) if case.memory == "cluster" else (1, 1, 1)
            races = 0 if (case.group, place) == ("atomics", "same") else 1
            shared = TILE if case.group in ("copies", "pipelines") else 0
            kernel = model.Kernel(name, (blocks, 1, 1), (threads, 1, 1), cluster, shared, races=races)
            if case.library.setup:
                setup = model.Kernel(f"{name}_setup")
                first = parameters_of(case, memory, case.arguments[0], 0)[:8] + (threads * blocks).to_bytes(4, "little")
                yield from ended(case, place, setup, module, first)
            rounds = ROUNDS if case.rounds > 1 else 1
            yield from ended(case, place, kernel, module, parameters_of(case, memory, case.arguments[0], rounds))


def ended(case, place, kernel, module, data):
    end, said = module.run_with(kernel, 1, data, kernel.races)
    if end != "finished":
        yield f"{case.name}, {place}, {kernel.block[0]}x{kernel.grid[0]}: {end}\n{said[:600]}"


def failures(contestant, found):
    """(the number of kernels, what goes wrong in them)"""
    wrong, count = [], 0
    for job in jobs(found, contestant):
        cases = [case for case, _ in job]
        texts = [case.timed(f"k{index}", contestant.key, place) for index, (case, place) in enumerate(job)]
        for (ptx,), indexes in compiler.compile_kernels(contestant, cases, texts, ARCH, ("PTX",)):
            module = model.Module(ptx, 90)
            for index in indexes:
                count += 1
                wrong += failures_of(job[index][0], module, f"k{index}", job[index][1])
    return count, wrong


KINDS = kinds()


@pytest.mark.skipif(not toolchain.THOROUGH, reason="takes minutes: with --thorough")
@pytest.mark.parametrize("group", sorted({group for group, _, _ in KINDS}))
@pytest.mark.parametrize("contestant", CONTESTANTS, ids=lambda each: each.key)
def test_kernels_end_without_races(contestant, group):
    found = {key: case for key, case in KINDS.items() if key[0] == group}
    count, wrong = failures(contestant, found)
    expected = sum(len(job) for job in jobs(found, contestant))
    assert count == expected, f"{expected - count} of {expected} kernels do not compile"
    assert not wrong, f"{len(wrong)} of {2 * count} runs:\n" + "\n".join(wrong[:20])


@pytest.mark.skipif(not toolchain.THOROUGH, reason="compiles with the headers: with --thorough")
@pytest.mark.parametrize(
    ("row", "change", "said"),
    [
        ("arrive_and_wait, shared", {"prepare": ""}, "hung"),  # nobody calls init
        ("group, barrier, to shared, int*", {"after": ""}, "race"),  # nobody waits for the copy of the round before
        ("arrive, wait_parity, shared", {"step": "if (threadIdx.x != 1) (void)bar.arrive(); bar.wait_parity(round & 1);"}, "missing"),
    ],
)
def test_a_wrong_kernel_is_found(row, change, said):
    key, case = next((key, case) for key, case in KINDS.items() if case.row == row)
    wrong = dataclasses.replace(case, library=dataclasses.replace(case.library, **change))
    _, lines = failures(CONTESTANTS[0], {key: wrong})
    assert lines and all(said in line for line in lines), lines
