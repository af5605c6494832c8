"""`python -m cudasync report`: the formats that it reads against the headers and nvdisasm, and core dumps of an H100 in hangs/cores.tar.xz."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest

from cudasync import __main__ as program
from cudasync import doctor, report
from cudasync.report import objects, waits, words
from cudasync.report.cubin import short_name
from cudasync.report.dump import Block, Dump, Grid, Thread, Warp
from cudasync.report.elf import Elf
from cudasync.report.instructions import BarSync, Code, Poll, TryWait
from cudasync.report.lines import Lines
from cudasync_tools import json_schema, toolchain

HANGS = Path(__file__).parent / "hangs"


# --- The words of objects, as the headers define them ---


def run_cpp(source, lines, folder):
    """What the program prints for these lines."""
    (folder / "words.cpp").write_text(source)
    subprocess.run([toolchain.gxx(), "-std=c++17", "-w", "-I", str(toolchain.INCLUDE), "-o", "words", "words.cpp"], cwd=folder, check=True)
    done = subprocess.run([folder / "words"], input="\n".join(map(str, lines)), stdout=subprocess.PIPE, text=True, check=True)
    return [[int(each) for each in line.split()] for line in done.stdout.splitlines()]


def test_mbarrier_is_decoded_as_in_the_header(tmp_path):
    header = (toolchain.INCLUDE / "cudasync/hang/record_words_device.h").read_text(encoding="utf-8")
    body = header[header.index("// --- The state of an mbarrier ---") : header.index("using barrier_target")]
    source = f"""
#include <cstdint>
#include <cstdio>
using uint64 = unsigned long long; using uint32 = unsigned; using int32 = int;
#define CUDASYNC_DEVICE inline
namespace target {{ struct sm80 {{}}; struct sm90 : sm80 {{}}; }}
namespace ptx {{
struct shared_address {{ uint64 word; }};
inline uint64 read_mbarrier_word(shared_address bar) {{ return bar.word; }}
inline uint64 mbarrier_arrive_none(shared_address bar) {{ return bar.word >> 32 << 32; }}
inline void mbarrier_inval(shared_address) {{}}
}}
namespace cudasync {{ namespace checked {{
{body}
}}}}
int main() {{
  for (uint64 word; std::scanf("%llu", &word) == 1;) {{
    const auto state = cudasync::checked::whole_state_of(target::sm90(), ptx::shared_address{{word}});
    std::printf("%u %u %d %d\\n", state.pending, state.expected, state.bytes, state.parity);
  }}
}}
"""
    numbers = random.Random(1)
    bits = [numbers.getrandbits(64) for _ in range(2000)]
    assert run_cpp(source, bits, tmp_path) == [list(objects.Mbarrier.of(word)) for word in bits]


def test_grid_barrier_and_semaphore_are_decoded_as_in_the_headers(tmp_path):
    source = """
#include <cudasync/backend/grid/grid_phase.h>
#include <cudasync/backend/permit/permit_queue.h>
#include <cstdio>
using namespace cudasync;
int main() {
  for (unsigned count; std::scanf("%u", &count) == 1;)
    for (unsigned first = 0; first < 2; ++first) {
      uint32 word = 0;  // the first arrivals of a phase, with participant 0 or without
      for (unsigned rank = first; rank + 1 < count; ++rank)
        word += backend::grid_share{rank, count}.addend();
      std::printf("%u %llu\\n", word, static_cast<unsigned long long>(backend::missing_blocks(word, {first, count})));
    }
}
"""
    counts = [3, 4, 33, 1056]
    found = run_cpp(source, counts, tmp_path)
    assert [missing for _, missing in found] == [1, 2] * len(counts)
    assert [objects.grid_barrier_missing(word) for word, _ in found] == [1, None] * len(counts)


def test_words_that_may_be_mbarriers():
    """Of numbers that programs store, none is taken for a barrier."""
    numbers = random.Random(1)
    doubles = [struct.unpack("<Q", struct.pack("<d", numbers.uniform(-1e6, 1e6)))[0] for _ in range(100_000)]
    pairs = [struct.unpack("<Q", struct.pack("<ff", numbers.gauss(0, 1), numbers.gauss(0, 1)))[0] for _ in range(100_000)]
    indices = [first | second << 32 for first in range(-300, 300) for second in range(300)]
    assert not [hex(word) for word in [0, 2**64 - 1, *doubles, *pairs, *(index & 2**64 - 1 for index in indices)] if objects.is_mbarrier(word)]


# --- Instructions and lines, as nvdisasm prints them ---


# Forms of the instructions that the kernels of hangs.cu do not have.
FORMS = """
__global__ void forms(float* data, int id, int threads) {
  asm volatile("bar.arrive 3, 64;" ::: "memory");
  data[0] = 1;
  asm volatile("bar.sync 5, %0;" ::"r"(threads) : "memory");
  data[1] = 1;
  asm volatile("bar.sync %0, 64;" ::"r"(id) : "memory");
  data[2] = 1;
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
  data[3] = static_cast<float>(__syncthreads_count(id));
  while (*const_cast<volatile short*>(reinterpret_cast<short*>(data) - 4) != 7) {}
  while (*reinterpret_cast<float*>(id) != 7) {}  // an ordinary load: not a wait
}
__global__ void works(float* data, int bar) {
  unsigned is_complete;
  do {
    asm volatile("{ .reg .pred %%p; mbarrier.try_wait.parity.shared.b64 %%p, [%1], 0; selp.u32 %0, 1, 0, %%p; }" : "=r"(is_complete) : "r"(bar) : "memory");
    *data++ = 1;
  } while (!is_complete);
}
"""


@pytest.fixture(scope="module", params=["90a", "100a"] if toolchain.THOROUGH else ["90a"])
def cubin(request, tmp_path_factory):
    """The kernels of hangs.cu, their code by section, and what nvdisasm says about each instruction."""
    path = tmp_path_factory.mktemp("cubin") / f"sm_{request.param}.cubin"
    source = path.with_suffix(".cu")
    source.write_text(f'#include "{HANGS / "hangs.cu"}"\n{FORMS}')
    options = ["-std=c++17", f"-arch=sm_{request.param}", "-lineinfo", "-cubin", "-w", "-I", str(toolchain.INCLUDE)]
    subprocess.run([toolchain.nvcc(), *options, str(source), "-o", str(path)], check=True)
    said = subprocess.run([toolchain.nvdisasm(), "-c", "-gi", str(path)], stdout=subprocess.PIPE, text=True, check=True).stdout
    return Elf(path.read_bytes()), int(request.param[:-1]), said


def instructions(said):
    """For each section, its instructions with their offsets, and the lines printed above each: (file, line), from the innermost on."""
    found = {}
    section, chain, is_new = None, [], False
    for line in said.splitlines():
        if label := re.match(r"(\.text\.\S+):$", line):
            section, chain = found.setdefault(label[1], []), []
        elif place := re.search(r'//## File "([^"]+)", line (\d+)', line):
            chain = ([] if not is_new else chain) + [(place[1], int(place[2]))]
            is_new = True
        elif (instruction := re.match(r"\s*/\*([0-9a-f]{4,})\*/\s*(.*?)\s*;", line)) and section is not None:
            section.append((int(instruction[1], 16), instruction[2], chain if is_new else []))
            is_new = False
    return found


def test_lines_are_those_of_nvdisasm(cubin):
    elf, _, said = cubin
    table = bytearray(elf.find(".debug_line"))
    (symbols,) = [each for each in elf.sections if each.type == 2]
    sections = [row[3] for row in struct.iter_unpack("<IBBHQQ", elf.bytes_of(symbols))]
    for offset, info, _ in struct.iter_unpack("<QQq", elf.find(".rela.debug_line")):
        struct.pack_into("<Q", table, offset, sections[info >> 32] << 32)  # as if the driver had loaded it there
    lines = Lines(bytes(table), elf.find(".debug_str"))
    compared = 0
    for name, all_instructions in instructions(said).items():
        (number,) = [each.number for each in elf.sections if each.name == name]
        for offset, _, chain in all_instructions:
            if chain:
                assert [(place.file, place.line) for place in lines.at((number << 32) + offset)] == chain, (name, hex(offset))
                compared += 1
    assert compared > 100


def test_waits_are_those_of_nvdisasm(cubin):
    elf, architecture, said = cubin
    kinds = set()
    for name, all_instructions in instructions(said).items():
        (section,) = [each for each in elf.sections if each.name == name]
        code = Code(elf.bytes_of(section), architecture)
        texts = {offset: instruction for offset, instruction, _ in all_instructions}
        if name == ".text._Z5worksPfi":
            assert {code.wait_at(offset, [True] * 8) for offset, _, _ in all_instructions} == {None}
            continue
        for offset, text_of_it, _ in all_instructions:
            guard = re.match(r"@(!?)P(\d)", text_of_it)
            predicates = [guard is None or guard[1] == "" if guard is None or int(guard[2]) == number else False for number in range(8)]
            instruction = re.sub(r"^@\S+ ", "", text_of_it)
            found = code.wait_at(offset, predicates)
            if wait := re.match(r"SYNCS\.PHASECHK\.TRANS64\.TRYWAIT \S+, \[(?:R(\d+)\+)?(UR\d+|URZ)?(?:\+?0x([0-9a-f]+))?\], (R\d+|RZ)", instruction):
                if not isinstance(found, TryWait):  # the first try, before the loop
                    continue
                register, uniform, add, phase = wait.groups()
                numbers = [None if each in (None, "URZ", "RZ") else int(each.strip("UR")) for each in (register, uniform, phase)]
                assert found == TryWait(offset, found.first, numbers[0], numbers[1], int(add or "0", 16), numbers[2]), (name, hex(offset), instruction)
                assert texts[found.first].split("TRYWAIT")[1].split(",")[1:] == instruction.split("TRYWAIT")[1].split(",")[1:]  # the first try
            elif barrier := re.match(r"BAR\.(?:SYNC|RED\.POPC)\.DEFER_BLOCKING (R\d+|0x[0-9a-f]+)(?:, (R\d+|0x[0-9a-f]+))?", instruction):
                barrier_id, count = [int(each, 16) if each.startswith("0x") else None for each in (barrier[1], barrier[2] or "0x0")]
                if (barrier_id, barrier[2]) == (None, barrier[1]):  # both in one register
                    count = None
                assert found == BarSync(offset, barrier_id, count), (name, hex(offset), instruction)
            elif instruction.startswith("BAR.ARV"):
                assert not isinstance(found, BarSync)
            elif load := re.match(r"LDG\.E(\.64|\.S16|\.U16)?\.STRONG\.\S+ R(\d+), desc\[UR\d+\]\[R(\d+)\.64(?:\+(-?)0x([0-9a-f]+))?\]$", instruction):
                if not isinstance(found, Poll):
                    continue
                add = int(load[5] or "0", 16) * (-1 if load[4] else 1)
                assert found == Poll(found.at, int(load[3]), add, {None: 4, ".64": 8}.get(load[1], 2)), (name, hex(offset), instruction)
                assert texts[found.at].split(", ", 1)[1] == load[0].split(", ", 1)[1]  # an unrolled loop has several such loads
            else:
                continue
            kinds.add(type(found))
    assert kinds == {TryWait, BarSync, Poll, type(None)}


def test_opcodes_of_lines_that_ptxas_does_not_use():
    header = bytes([1, 1, 256 - 5, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1]) + b"src\0\0a.cu\0\1\0\0\0"
    program = bytes([0, 9, 2]) + (0x7F0000000000).to_bytes(8, "little")
    program += bytes([3, 9, 1])  # line 10
    program += bytes([8, 1])  # adds 17 to the address
    program += bytes([9, 0, 1, 3, 1, 1])  # adds 256; line 11
    program += bytes([6, 7, 5, 4, 2, 16, 0, 1, 1])  # statement, basic block, column; the end after 16 bytes
    body = (2).to_bytes(2, "little") + len(header).to_bytes(4, "little") + header + program
    lines = Lines(len(body).to_bytes(4, "little") + body, b"")
    found = [str(lines.at(0x7F0000000000 + offset)[0]) for offset in (0, 16, 17, 272, 273)]
    assert found == ["a.cu:10", "a.cu:10", "a.cu:10", "a.cu:10", "a.cu:11"]
    assert lines.at(0x7F0000000000)[0].file == "src/a.cu"
    assert lines.at(0x7EFFFFFFFFFF) == lines.at(0x7F0000000000 + 273 + 16) == []


@pytest.mark.parametrize(
    "mangled, short",
    [
        ("_ZNK8cudasync4v0_27barrierILNS0_12thread_scopeE2ENS0_7backend16empty_completionEE11wait_parityEbNS0_6callerE", "barrier::wait_parity"),
        ("_ZNVK8cudasync4v0_26atomicIjLNS0_12thread_scopeE1EE4waitIiNS0_14order_constantILNS0_12memory_orderE5EEEEEvT_T0_NS0_6callerE", "atomic::wait"),
        ("_ZN4cuda3std3__47barrierIiE4waitEv", "barrier::wait"),
        ("_Z12leaves_earlyPf", "leaves_early"),
        ("kernel", "kernel"),
    ],
)
def test_names_of_functions(mangled, short):
    assert short_name(mangled) == short


@pytest.mark.parametrize(
    "alive, count, there, missing",
    [
        (128, 0, 64, 64),  # of 256 threads, 128 have exited
        (128, 0, 128, 0),
        (128, 128, 64, 64),  # a named barrier of warps that have not exited
        (96, 64, 32, 32),
        (96, 128, 64, 32),
        (96, 128, 96, 0),
    ],
)
def test_threads_that_are_missing_at_a_barrier_of_the_block(alive, count, there, missing):
    threads = [Thread(rank, 0, [True] * 8, b"") for rank in range(alive)]
    block = Block((0, 0, 0), Grid(0, (1, 1, 1), (256, 1, 1), False), b"", [Warp(threads, b"")])
    what = waits.Awaited("block barrier", 1, count)
    assert waits.Picture(block, {what: {waits.Wait("k.cu:1"): list(range(there))}}).missing_at(what) == missing


def test_ranges():
    assert words.ranges([3]) == "thread 3"
    assert words.ranges([5, 0, 1, 2]) == "threads 0-2, 5"
    assert words.ranges(range(0, 40, 2)) == "threads 0, 2, 4, 6, 8, 10, 12, 14 and 12 more"


# --- Core dumps ---

LAST = "A release build does not record who has arrived. To find the cause, compile with CUDASYNC_CHECKED=1 and run again."


def at(kernel, code, number=1):
    """Where a kernel of hangs.cu has this code, for the nth time."""
    before, source = (HANGS / "hangs.cu").read_text(encoding="utf-8").split(f" {kernel}(", 1)
    return f"hangs.cu:{1 + before.count(chr(10)) + code.join(source.split(code)[:number]).count(chr(10))}"


# What each kernel waits for, as its source says: the counts, the bytes, the stages, and who has left.
REPORTS = {
    "leaves_early": f"""\
kernel leaves_early(float*): 1 block is on the GPU
block (0,0,0) of 32 threads:
  barrier at 0x418: phase of parity 0, 31 arrivals of 32
    threads 0-30 wait at {at("leaves_early", "bar.arrive_and_wait")} for parity 0, in barrier::arrive_and_wait
  thread 31 has exited
  likely cause: 1 arrival at the barrier at 0x418 is missing, and thread 31 has exited.
  remedy: let every thread that is counted arrive, or call arrive_and_drop before it leaves; or initialize with the number of arrivals.
""",
    "half_of_the_bytes": f"""\
kernel half_of_the_bytes(float*): 1 block is on the GPU
block (0,0,0) of 32 threads:
  barrier at 0x808: phase of parity 0, 1 arrival of 1, 512 bytes outstanding
    threads 0-31 wait at {at("half_of_the_bytes", "bars[1].wait_parity")} for parity 0, in barrier::wait_parity
  no thread waits for the barrier at 0x800: phase of parity 0, 0 arrivals of 1
  likely cause: all arrivals at the barrier at 0x808 have been made, and 512 bytes of copies are missing.
  remedy: compare the number of expected bytes with the copies that complete on this barrier.
""",
    "keeps_a_stage": f"""\
kernel keeps_a_stage(float*): 2 of 2 blocks are on the GPU
block (0,0,0) of 96 threads, and 1 other block like it:
  barrier at 0x1410: phase of parity 1, 0 arrivals of 1
    threads 0-63 wait at {at("keeps_a_stage", "pipe.consumer_wait")} for parity 1, in bulk_pipeline::consumer_wait
  barrier at 0x1430: phase of parity 0, 0 arrivals of 2
    thread 64 waits at {at("keeps_a_stage", "pipe.producer_acquire")} for parity 0, in bulk_pipeline::producer_acquire
  threads 65-95 have exited
  no thread waits for the barrier at 0x1400: phase of parity 0, 0 arrivals of 1
  no thread waits for the barrier at 0x1408: phase of parity 0, 0 arrivals of 1
  no thread waits for the barrier at 0x1418: phase of parity 1, 0 arrivals of 1
  no thread waits for the barrier at 0x1420: phase of parity 0, 0 arrivals of 2
  no thread waits for the barrier at 0x1428: phase of parity 0, 0 arrivals of 2
  no thread waits for the barrier at 0x1438: phase of parity 1, 0 arrivals of 2
  likely cause: no consumer has released the stage of the barrier at 0x1430.
  remedy: let each consumer call consumer_release once for each consumer_wait.
""",
    "block_leaves": f"""\
kernel block_leaves(float*): 3 blocks are on the GPU
block (0,0,0) of 64 threads, and 2 other blocks like it:
  all_blocks at ADDRESS, grid_barrier::arrive_and_wait: value 2147483647
    threads 0-31 wait at {at("block_leaves", "all_blocks")}
  __syncthreads(): 32 of 64 threads are there
    threads 32-63 wait at {at("block_leaves", "all_blocks")}, in grid_barrier::arrive_and_wait
  likely cause: 1 participant of the grid barrier has not arrived.
  remedy: let every block arrive, in every round. If the grid has more blocks than the GPU can hold at once, launch with \
cudaLaunchCooperativeKernel, which rejects such a grid.
""",
    "different_ids": f"""\
kernel different_ids(float*): 1 block is on the GPU
block (0,0,0) of 128 threads:
  named barrier 1: 64 of 128 threads are there
    threads 0-63 wait at {at("different_ids", "cudasync::named_barrier<1")}, in named_barrier::sync
  named barrier 2: 64 of 128 threads are there
    threads 64-127 wait at {at("different_ids", "cudasync::named_barrier<2")}, in named_barrier::sync
  likely cause: threads 0-63 at named barrier 1 and threads 64-127 at named barrier 2 wait for each other.
  remedy: let all threads reach the barriers in the same order.
""",
    "no_other_thread": f"""\
kernel no_other_thread(float*): 2 of 2 blocks are on the GPU
block (0,0,0) of 1 thread:
  flag at ADDRESS, atomic::wait: value 0
    thread 0 waits at {at("no_other_thread", "flag.wait")}
block (1,0,0) of 1 thread:
  permits at ADDRESS, counting_semaphore::acquire: value 0xffffffffffffffff
    thread 0 waits at {at("no_other_thread", "permits.acquire")}
  likely cause: no permit is left, and 1 thread waits.
  remedy: pair each acquire with a release, on every path, and construct the semaphore with the initial number of permits.
""",
    "sync_in_a_branch": f"""\
kernel sync_in_a_branch(float*): 1 block is on the GPU
block (0,0,0) of 128 threads:
  __syncthreads(): 64 of 128 threads are there
    threads 0-63 wait at {at("sync_in_a_branch", "if (threadIdx.x < 64)")}
  barrier at 0x400: phase of parity 0, 64 arrivals of 128
    threads 64-127 wait at {at("sync_in_a_branch", "bar.arrive_and_wait")} for parity 0, in barrier::arrive_and_wait
  likely cause: threads 0-63 at __syncthreads() and threads 64-127 at the barrier at 0x400 wait for each other.
  remedy: let all threads reach the barriers in the same order.
""",
    "diverges": f"""\
kernel diverges(float*): 100 of 100 blocks are on the GPU
block (0,0,0) of 64 threads, and 99 other blocks like it:
  barrier at 0x488: phase of parity 0, 8 arrivals of 34
    threads 0-7, 32-39 wait at {at("diverges", "bars[1].wait_parity")} for parity 0, in barrier::wait_parity
  barrier at 0x490: phase of parity 0, 8 arrivals of 35
    threads 8-31, 40-63 wait at {at("wait_here", "bar.wait_parity")} for parity 0, in barrier::wait_parity
  no thread waits for the barrier at 0x480: phase of parity 0, 8 arrivals of 33
  no thread waits for the barrier at 0x498: phase of parity 0, 8 arrivals of 36
  likely cause: 26 arrivals at the barrier at 0x488 are missing; 27 arrivals at the barrier at 0x490 are missing.
  remedy: let every thread that is counted arrive, or call arrive_and_drop before it leaves; or initialize with the number of arrivals.
""",
    "in_a_cluster": f"""\
kernel in_a_cluster(float*): 2 of 2 blocks are on the GPU
block (0,0,0) of 64 threads:
  barrier at 0x400: phase of parity 1, 0 arrivals of 2
    threads 32-63 wait at {at("in_a_cluster", "if (threadIdx.y == 1)")} for parity 1, in barrier::wait_parity
  threads 0-31 are at {at("in_a_cluster", "cudasync::cluster_barrier::arrive_and_wait", 2)}, in cluster_barrier::arrive_and_wait
  likely cause: no thread has arrived at the barrier at 0x400 in this phase.
  remedy: see what the arriving threads wait for; if they have ended, let both sides make the same number of rounds.
block (1,0,0) of 64 threads:
  barrier at 0x400: phase of parity 0, 2 arrivals of 3
    threads 0-63 wait at {at("in_a_cluster", "bar.wait_parity(false)")} for parity 0, in barrier::wait_parity
  likely cause: 1 arrival at the barrier at 0x400 is missing.
  remedy: let every thread that is counted arrive, or call arrive_and_drop before it leaves; or initialize with the number of arrivals.
""",
    "most_are_at_a_barrier": f"""\
kernel most_are_at_a_barrier(float*): 1 block is on the GPU
block (0,0,0) of 128 threads:
  flag at ADDRESS, atomic::wait: value 0
    threads 0-31 wait at {at("most_are_at_a_barrier", "flag.wait")}
  __syncthreads(): 64 of 128 threads are there
    threads 32-95 wait at {at("most_are_at_a_barrier", "__syncthreads")}
  threads 96-127 have exited
  likely cause: 32 threads have not arrived at __syncthreads().
  remedy: let all threads that are counted reach this barrier, and all barriers in the same order.
""",
    "without_init": f"""\
kernel without_init(float*): 1 block is on the GPU
block (0,0,0) of 32 threads:
  barrier at 0x400: 0x3f8000003f800000 is not a barrier
    threads 0-31 wait at {at("without_init", "wait_parity")} for parity 0, in barrier::wait_parity
  likely cause: the barrier at 0x400 is not initialized, or something has written over it.
  remedy: initialize it before its first use, and check the bounds of arrays in shared memory.
""",
}


def report_of(path, capsys):
    """What the command prints about a file: its status, its lines without addresses of global memory, and its errors."""
    status = report.run(str(path))
    out, err = capsys.readouterr()
    return status, re.sub(r"^cudasync: ", "", re.sub(r"0x[0-9a-f]{9,12}\b", "ADDRESS", out), flags=re.MULTILINE), err


@pytest.fixture(scope="session")
def cores(tmp_path_factory):
    """The folder with the core dumps, whose names are those of the kernels."""
    folder = tmp_path_factory.mktemp("cores")
    with tarfile.open(HANGS / "cores.tar.xz") as archive:
        for member in archive:
            (folder / member.name).write_bytes(archive.extractfile(member).read())
    return folder


@pytest.mark.parametrize("kernel", REPORTS)
def test_report_of_a_core_dump(kernel, cores, capsys):
    assert report_of(cores / kernel, capsys) == (0, f"{REPORTS[kernel]}{LAST}\n", "")


@pytest.mark.parametrize(
    "word, state, cause",
    [
        (0x3F8000003F800000, "0x3f8000003f800000 is not a barrier", "the barrier at 0x418 is not initialized, or something has written over it"),
        (
            0x000003FFC01FFFFE,  # of an H100, after a copy of 512 bytes to a barrier that expects 1,024
            "phase of parity 0, 1 arrival of 1, 512 bytes outstanding",
            "all arrivals at the barrier at 0x418 have been made, and 512 bytes of copies are missing",
        ),
        (
            0x7FFFF800001FFFFE | 16 << 21,
            "phase of parity 0, 0 arrivals of 1, 16 bytes more than expected",
            "copies have written 16 bytes that the barrier at 0x418 does not expect",
        ),
        (0x7FFF0000001FFFC0, "phase of parity 0, 0 arrivals of 32", "no thread has arrived at the barrier at 0x418 in this phase"),
        (0xFFFF0000001FFFC0, "phase of parity 1, 0 arrivals of 32", None),  # complete: the threads are about to leave
    ],
)
def test_other_words_of_a_barrier(word, state, cause, cores, tmp_path, capsys):
    whole = (cores / "leaves_early").read_bytes()
    before = (0x7FFFF800001FFFC0).to_bytes(8, "little")
    assert whole.count(before) == 1
    (tmp_path / "core").write_bytes(whole.replace(before, word.to_bytes(8, "little")))
    status, text, _ = report_of(tmp_path / "core", capsys)
    assert status == 0 and f"  barrier at 0x418: {state}\n" in text
    assert re.findall("likely cause: (.*)\\.\n", text) == ([cause] if cause else [])


def test_report_in_the_guide():
    """The guide omits the barriers for which no thread waits."""
    lines = [line for line in [*REPORTS["keeps_a_stage"].splitlines(), LAST] if not line.startswith("  no thread waits")]
    guide = (toolchain.ROOT / "docs/guide/hangs.md").read_text(encoding="utf-8")
    assert "".join(f"cudasync: {line}\n" for line in lines) in guide


# --- JSON ---

SCHEMA = json.loads((toolchain.ROOT / "python/cudasync/report.schema.json").read_text(encoding="utf-8"))


def json_of(path, folder):
    assert report.run(str(path), folder / "report.json") == 0
    return json.loads((folder / "report.json").read_text(encoding="utf-8"))


def threads_of(found):
    return {rank for first, last in found for rank in range(first, last + 1)}


@pytest.mark.parametrize("kernel", REPORTS)
def test_json_says_what_the_text_says(kernel, cores, tmp_path):
    found = json_of(cores / kernel, tmp_path)
    assert not list(json_schema.faults(found, SCHEMA, SCHEMA))
    lines = iter(re.sub(r"0x[0-9a-f]{9,12}\b", "ADDRESS", each) for each in REPORTS[kernel].splitlines())
    assert next(lines).startswith(f"kernel {found['kernels'][0]['name']}: {found['kernels'][0]['blocks']} ")
    for block in found["blocks"]:
        x, y, z = block["indices"][0]
        others = len(block["indices"]) - 1
        like_it = f", and {words.counted(others, 'other block')} like it" if others else ""
        assert next(lines) == f"block ({x},{y},{z}) of {words.counted(block['threads'], 'thread')}{like_it}:"
        seen = threads_of(block["exited"])
        for each in block["objects"]:
            assert next(lines) == "  " + re.sub(r"0x[0-9a-f]{9,12}\b", "ADDRESS", each["text"])
            if each["phase"] is not None:
                assert f"parity {each['phase']['parity']}, {words.counted(each['phase']['arrived'], 'arrival')} of {each['phase']['expected']}" in each["text"]
            for wait in each["waits"]:
                line = next(lines)
                assert line.startswith(f"    {words.ranges(threads_of(wait['threads']))} wait") and f" at {wait['at']}" in line
                assert line.endswith(f", in {wait['call']}") or wait["call"] is None
                assert f" for parity {wait['parity']}" in line or wait["parity"] is None
                seen |= threads_of(wait["threads"])
        for each in block["running"]:
            assert next(lines).startswith(f"  {words.ranges(threads_of(each['threads']))} ")
            seen |= threads_of(each["threads"])
        assert seen == set(range(block["threads"]))
        if block["exited"]:
            assert next(lines).startswith(f"  {words.ranges(threads_of(block['exited']))} ha")
        for each in block["other_barriers"]:
            assert next(lines).startswith(f"  no thread waits for the barrier at {each['address']:#x}: phase of parity {each['phase']['parity']}, ")
        if block["likely_causes"]:
            assert next(lines) == f"  likely cause: {'; '.join(each['text'] for each in block['likely_causes'])}."
            assert next(lines).startswith(f"  remedy: {block['likely_causes'][0]['remedy']}")
    assert list(lines) == []


def test_causes_of_the_json(cores, tmp_path):
    causes = {kernel: {each["cause"] for block in json_of(cores / kernel, tmp_path)["blocks"] for each in block["likely_causes"]} for kernel in REPORTS}
    assert causes == {
        "leaves_early": {"arrivals_missing"},
        "half_of_the_bytes": {"bytes_differ"},
        "keeps_a_stage": {"stage_not_released"},
        "block_leaves": {"participants_missing"},
        "different_ids": {"barriers_in_a_circle"},
        "no_other_thread": {"no_permit"},
        "sync_in_a_branch": {"barriers_in_a_circle"},
        "diverges": {"arrivals_missing"},
        "in_a_cluster": {"phase_not_begun", "arrivals_missing"},
        "most_are_at_a_barrier": {"threads_missing"},
        "without_init": {"barrier_not_initialized"},
    }
    of_checked_build = json.loads((toolchain.ROOT / "python/cudasync/hang_report.schema.json").read_text(encoding="utf-8"))
    assert set(SCHEMA["$defs"]["cause"]["properties"]["cause"]["enum"]) <= set(of_checked_build["$defs"]["cause"]["properties"]["cause"]["enum"])


def test_json_that_cannot_be_written(cores, tmp_path, capsys):
    assert report.run(str(cores / "leaves_early"), tmp_path / "none" / "file") == 1
    assert capsys.readouterr() == ("", f"cudasync: error: {tmp_path / 'none' / 'file'}: No such file or directory\n")


def test_files_that_are_no_core_dumps(cores, tmp_path, capsys):
    file = tmp_path / "file"
    whole = (cores / "leaves_early").read_bytes()
    host = bytearray(whole[:64] + whole[64:])
    struct.pack_into("<H", host, 18, 62)
    for contents, message in [
        (b"", "the file is empty"),
        (b"text", "not an ELF file of 64 bits"),
        (whole[:60_000], "the ELF file has no section headers: it is not complete"),
        (host, "not a core dump of a GPU; of a process on the host, it has no memory of the GPU"),
    ]:
        file.write_bytes(contents)
        assert report_of(file, capsys) == (1, "", f"cudasync: error: {file}: {message}\n")
    assert report_of(tmp_path / "none", capsys) == (1, "", f"cudasync: error: {tmp_path / 'none'}: No such file or directory\n")


# --- Processes ---


@pytest.fixture
def debugger(tmp_path, monkeypatch):
    """Stands in for cuda-gdb: copies the core dump `source`, prints the value 2147483647 for each address, and writes down its arguments."""
    source = tmp_path / "source"
    program = tmp_path / "cuda-gdb"
    program.write_text(f"""#!{sys.executable}
import re, shutil, sys
with open({str(tmp_path / "arguments")!r}, "a") as file:
    print(*sys.argv[1:], sep="|", file=file)
print("[Thread debugging using libthread_db enabled]")
for each in sys.argv:
    if found := re.search("--cuda-core-file (\\\\S+)", each):
        try:
            shutil.copy({str(source)!r}, found[1])
        except OSError:
            print("Error: no GPU core dump")
    elif each.startswith("echo "):
        print(each[5:].replace("\\\\n", "\\n"), end="")
    elif each.startswith("print/x "):
        print("$1 = 0x7fffffff")
""")
    program.chmod(0o755)
    monkeypatch.setattr(doctor, "find_tool", lambda name: str(tmp_path / name))
    return source


def test_report_of_a_process(cores, debugger, tmp_path, capsys):
    shutil.copy(cores / "leaves_early", debugger)
    assert report_of(os.getpid(), capsys) == (0, f"{REPORTS['leaves_early']}{LAST}\n", "")
    (arguments,) = (tmp_path / "arguments").read_text().splitlines()
    assert f"|-p|{os.getpid()}|-ex|generate-core-file --no-cpu --cuda-core-file " in arguments and arguments.endswith("|-ex|detach")


def test_values_in_global_memory_are_read_from_the_process(cores, debugger, tmp_path, capsys):
    """A dump of a process has no global memory."""
    dump = Dump(cores / "block_leaves")
    ((address, _),) = waits.polled(waits.look_at(dump))
    whole = bytearray((cores / "block_leaves").read_bytes())
    (table,) = struct.unpack_from("<Q", whole, 40)
    for at_section in range(table, len(whole), 64):
        if struct.unpack_from("<I", whole, at_section + 4)[0] == 0x80000002:  # global memory
            struct.pack_into("<Q", whole, at_section + 16, 0)
    debugger.write_bytes(whole)
    assert "all_blocks at ADDRESS, grid_barrier::arrive_and_wait: not in the dump" in report_of(debugger, capsys)[1]
    assert report_of(os.getpid(), capsys) == (0, f"{REPORTS['block_leaves']}{LAST}\n", "")
    assert f"|-ex|print/x *(@global unsigned int *){address:#x}|" in (tmp_path / "arguments").read_text().splitlines()[1]


def test_processes_without_a_report(debugger, monkeypatch, capsys):
    me = os.getpid()
    assert report_of(me, capsys) == (1, "", f"cudasync: error: {me}: cuda-gdb made no core dump: Error: no GPU core dump\n")
    monkeypatch.setattr(doctor, "find_tool", lambda name: None)
    status, _, error = report_of(me, capsys)
    assert status == 1 and "a report of a process needs cuda-gdb" in error
    status, _, error = report_of(2**22 + 1, capsys)  # more than Linux has
    assert status == 1 and error.endswith(": there is no such process\n")


def test_command(cores, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["cudasync", "report", "--json", str(tmp_path / "report.json"), str(cores / "leaves_early")])
    assert program.main() == 0
    assert json.loads((tmp_path / "report.json").read_text())["blocks"][0]["exited"] == [[31, 31]]
    assert capsys.readouterr().out.splitlines()[-1] == f"cudasync: {LAST}"


@pytest.fixture(scope="session")
def hangs(tmp_path_factory):
    """The program, for the GPU of this machine."""
    if doctor.find_tool("cuda-gdb") is None or not Path("/dev/nvidiactl").exists():
        pytest.skip("needs cuda-gdb and a GPU")
    built = tmp_path_factory.mktemp("hangs") / "hangs"
    options = ["-std=c++17", "-arch=native", "-lineinfo", "-I", str(toolchain.INCLUDE)]
    subprocess.run([toolchain.nvcc(), *options, str(HANGS / "hangs.cu"), "-o", str(built)], check=True)
    return built


@pytest.mark.parametrize("kernel", REPORTS)
def test_report_of_a_kernel_that_runs(kernel, hangs, capsys):
    with subprocess.Popen([hangs, kernel], stdout=subprocess.PIPE, text=True) as running:
        try:
            if running.stdout.readline() != "launched\n":
                pytest.skip("the kernel cannot be launched on this GPU")
            time.sleep(1)
            found = report_of(running.pid, capsys)
        finally:
            running.kill()
    if "only the instructions of sm_90" in found[2]:
        pytest.skip("needs sm_90")
    assert found == (0, f"{REPORTS[kernel]}{LAST}\n", "")
