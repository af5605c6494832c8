"""What a hang says about loops that users write: the words that threads read again and again, and who changed them."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import ctypes
import functools
import json
import time
from typing import NamedTuple

import pytest

from cudasync_tools import json_schema, model, nvrtc, toolchain

SCHEMA = json.loads((toolchain.ROOT / "python/cudasync/explore.schema.json").read_text(encoding="utf-8"))
BYTES = 1 << 16
# The kernel begins in line 1 of loop.cu, and the rest is in a header of a library.
BEGIN = """
#line 1 "/usr/include/loop.h"
typedef unsigned uint32;
typedef unsigned long long uint64;
__device__ uint32 load(const uint32* at) { uint32 v; asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory"); return v; }
__device__ void store(uint32* at, uint32 v) { asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(at), "r"(v) : "memory"); }
__device__ int load(const int* at) { int v; asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(v) : "l"(at) : "memory"); return v; }
__device__ uint32 turns[4];
extern "C" __global__ void loop(uint32* words, uint32* more) {
  const uint32 me = threadIdx.x, block = blockIdx.x;
#line 1 "loop.cu"
"""
VOLATILE = "volatile uint32* const data = words;\n"


class Hang(NamedTuple):
    name: str
    source: str
    said: tuple  # parts of the text, in their order
    cause: str = ""  # a part of it; nothing: none is said
    remedy: str = ""
    silent: tuple = ()  # what must not be in the text
    grid: int = 1
    block: int = 1
    launches: int = 1  # of which the last one hangs
    seconds: float = 20
    sometimes: bool = False  # it hangs with some seeds
    schedules: tuple = ("random", "priority")  # that find it


LAST = "last change: from {} to {}, by thread (0,0,0) of block ({},0,0) at loop.cu:{}"
HANGS = [
    Hang("a flag that nobody sets", "while (load(words) == 0) {}",
         ("1 thread reads allocation", " (argument 1) again and again, until it is no longer 0: global memory, 4 bytes, value 0",
          "no thread of this launch has written it"), silent=("last change", "launch 1")),
    Hang("a flag in shared memory", "__shared__ uint32 flag;\nif (me == 0) flag = 5;\n__syncthreads();\nwhile (*(volatile uint32*)&flag != 7) {}",
         ("40 threads read `flag` again and again, until it is 7: shared memory, 4 bytes, value 5",
          "last change: by thread (0,0,0) of block (0,0,0) at loop.cu:2"), silent=("no thread",), block=40),
    Hang("a value that stays below", "if (block == 0) atomicAdd(words + 5, 2);\nelse while (load(words + 5) < 3) {}",
         (" (argument 1) + 20 again and again, until it is at least 3: global memory, 4 bytes, value 2", LAST.format(0, 2, 0, 1), "which has ended: the only one"), grid=3),
    Hang("a value above, with a sign", "const int* const at = (const int*)words;\nif (block == 0) words[0] = -4;\nelse while (load(at) < -1) {}\nwhile (load(at) < -1) {}",
         ("until it is at least -1: global memory, 4 bytes, value -4", "last change: by thread (0,0,0) of block (0,0,0) at loop.cu:2"), grid=2),
    Hang("a turn that a block does not pass", "uint32* const turn = turns + block / 4;\nif (block == 5) return;\nwhile (load(turn) != block % 4) {}\nstore(turn, block % 4 + 1);",
         ("2 threads read `turns` + 4 again and again, until it is 2 or 3: global memory, 4 bytes, value 1", LAST.format(0, 1, 4, 4),
          "block (5,0,0) has ended without the store at loop.cu:4, unlike 5 others"), grid=8),
    Hang("a turn that no block takes", "uint32* const turn = turns + 2;\nif (block == 0) store(turn, 7);\nelse while (load(turn) != block) {}",
         ("5 threads read `turns` + 8 again and again, until it is 1, 2, 3 or another value: global memory, 4 bytes, value 7",), grid=6),
    Hang("an old value in a cache", 'uint32 flag = 0;\nif (block == 0) { for (int at = 0; at < 999; ++at) asm volatile(""); __nanosleep(2000); store(words, 4); }\n'
         'else do asm volatile("ld.relaxed.cta.u32 %0, [%1];" : "=r"(flag) : "l"(words) : "memory"); while (flag == 0);',
         ("1 thread reads", "value 4", "the threads read 0, which the L1 cache of their multiprocessor has kept", LAST.format(0, 4, 0, 2)),
         "the load at loop.cu:3 reads the L1 cache, which keeps 0", "device scope", grid=2, sometimes=True),
    Hang("bits that are set twice", "if (block < 4) atomicOr(words, 1 << block % 3);\nelse while (load(words) != 15) {}",
         ("until it is 15: global memory, 4 bytes, value 7", "the last of 3 in this launch, which began with 0",
          "1 operation found what it would have set, the last one by thread (0,0,0) of block (", "at loop.cu:1, which has ended"), grid=5),
    Hang("shared memory, which each block has for itself", "__shared__ uint32 flag;\nif (block != 2) *(volatile uint32*)&flag = 1;\n"
         "if (block == 4) while (*(volatile uint32*)&flag == 1) {}", ("1 thread reads `flag`", "at loop.cu:2"), silent=("without", "other"), grid=5),
    Hang("two flags", "while (load(words) == 0 && load(words + 1) == 0) {}", ("value 0", "no thread of this launch"), silent=("until",)),
    Hang("five flags", "for (uint32 at = 0; load(words + at) == 0; at = (at + 1) % 5) {}",
         ("allocation", "allocation", "allocation", "2 more words are read again and again"), silent=("until",)),
    Hang("a count of attempts beside it", "uint32 count = 0;\nwhile (load(words) != 6) ++count;\nwords[1] = count;", ("until it is 6: global memory",)),
    Hang("a plain store before it", "if (me == 1) words[0] = 3;\nif (me == 0) while (load(words) != 4) {}",
         ("until it is 4: global memory, 4 bytes, value 3", "last change: by thread (1,0,0) of block (0,0,0) at loop.cu:1"), silent=("no thread",), block=64),
    Hang("a plain store of several words", "if (me == 1) *(uint4*)words = make_uint4(1, 2, 3, 4);\nif (me == 0) while (load(words + 2) != 4) {}",
         ("until it is 4: global memory, 4 bytes, value 3", "last change: by thread (1,0,0) of block (0,0,0) at loop.cu:1"), silent=("no thread",), block=64),
    Hang("a copy before it", "__shared__ uint32 tile[64];\ntile[me] = 0;\n__syncthreads();\n"
         'asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.wait_all;" ::"r"((uint32)__cvta_generic_to_shared(tile + me)), "l"(words + me) : "memory");\n'
         "__syncthreads();\nif (me == 0) while (*(volatile uint32*)(tile + 3) == 0) {}", ("`tile` + 12 again and again",), silent=("no thread of this launch",), block=64),
    Hang("an exchange that takes the value", "if (block == 0) { store(words, 1); return; }\nwhile (atomicExch(words, 0) == 0) {}",
         ("2 threads exchange allocation", "until it is no longer 0: global memory, 4 bytes, value 0", "last change: from 1 to 0, by thread (0,0,0) of block (", "at loop.cu:2, which has ended",
          "before that: from 0 to 1, by thread (0,0,0) of block (0,0,0) at loop.cu:1"), "took the 1 away that thread (0,0,0) of block (0,0,0) had stored: the exchange at loop.cu:2", "load", grid=4),
    # As the one before, but of a lock: the thread that took it has to give it back.
    Hang("a lock that stays taken", "while (atomicExch(words, 1) != 0) {}", ("2 threads exchange", "until it is 0: ", "last change: from 0 to 1, by thread"), grid=3),
    Hang("a lock that is given back once", "while (atomicExch(words, 1) != 0) {}\nif (atomicAdd(more, 1) == 0) store(words, 0);",
         ("2 threads exchange", "until it is 0: ", "last change: from 0 to 1, by thread", "the last of 3 in this launch, which began with 0", "before that: from 1 to 0"), grid=4),
    # One post for two waits: the one that waits took the last value itself.
    Hang("a mailbox of one reader", "if (block == 0) { store(words, 1); return; }\nfor (int item = 0; item < 2; ++item)\n  while (atomicExch(words, 0) == 0) {}",
         ("1 thread exchanges", "last change: from 1 to 0, by thread (0,0,0) of block (1,0,0)"), grid=2),
    Hang("a lock whose waiters write it", "const uint32 own = block + 1;\nfor (int round = 0; round < 16; ++round) {\n  while (atomicExch(words, own) != 0) {}\n"
         "  more[0] = more[0] + own;\n  atomicCAS(words, own, 0);\n}",
         ("4 threads exchange allocation", "until it is 0: global memory, 4 bytes, value ", "all of them change it in the loop at loop.cu:3, and nothing else does",
          "the last compare-exchange that failed: thread (0,0,0) of block (", "at loop.cu:5 expected "),
         "the exchange at loop.cu:3 also writes the word while another thread has the lock", "compare-exchange", grid=4, seconds=10, schedules=("random",)),
    Hang("a count that is not reset", "__syncthreads();\nif (me == 0) {\n  atomicAdd(words, 1);\n  while (load(words) != gridDim.x) {}\n}\n__syncthreads();",
         ("3 threads read allocation", "until it is 3: global memory, 4 bytes, value 6", "last change: from 5 to 6, by thread (0,0,0) of block (", "at loop.cu:3: the last of 3 in this launch, which began with 3",
          "of the program, of this kernel, had changed it 3 times, to 3"), "the word was 3 when this launch began", "set the word to 0 before each launch", grid=3, block=64, launches=2),
    # The second launch lacks an addition, which is no matter of the value that it began with.
    Hang("a count that goes on", "if (words[8] == 0 || block != 2) atomicAdd(words, 1);\nif (me == 0 && block == 0 && words[8] == 0) while (load(words) < 3) {}\n"
         "if (me == 0 && block == 0 && words[8]++ != 0) while (load(words) != 6) {}",
         ("until it is 6: global memory, 4 bytes, value 5", "the last of 2 in this launch, which began with 3"), grid=3, launches=2),
    Hang("a value of an earlier launch", "if (words[64]++ == 0) store(words, 9);\nelse while (load(words) == 9) {}",
         ("until it is no longer 9: global memory, 4 bytes, value 9", "no thread of this launch has written it; launch ", " of the program, of this kernel, left this value"), launches=2),
]


@functools.cache
def module(source):
    ptx, log = nvrtc.compile(BEGIN + source + "\n}\n", "rule.cu", "90", ("-lineinfo", "-default-device"))
    assert ptx is not None, log
    return model.Module(ptx, 90)


def run(hang, seed, folder, monkeypatch, finds_races=False):
    """How each launch ended, and the findings."""
    path = folder / f"{seed}.jsonl"
    monkeypatch.setenv("CUDASYNC_MACHINE_REPORT", str(path))
    memory = (ctypes.c_uint64 * (2 * BYTES // 8 + 64))()
    start = (ctypes.addressof(memory) + 255) // 256 * 256
    for region in (start, start + BYTES + 128):
        model.machine().model_allow(region, BYTES)
    data = bytes((ctypes.c_uint64 * 2)(start, start + BYTES + 128))
    if "turns" in hang.source:  # they keep their values from one run to the next
        module.cache_clear()
    kernel = model.Kernel("loop", grid=(hang.grid, 1, 1), block=(hang.block, 1, 1))
    ends = [module(hang.source).run_with(kernel, seed, data, finds_races)[0] for _ in range(hang.launches)]
    for region in (start, start + BYTES + 128):
        model.machine().model_forbid(region)
    return ends, [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


@pytest.mark.parametrize(("hang", "schedule"), [pytest.param(hang, each, id=f"{hang.name}-{each}") for hang in HANGS for each in hang.schedules])
def test_words_of_loops(hang, schedule, tmp_path, monkeypatch):
    monkeypatch.setenv("CUDASYNC_MACHINE_SCHEDULE", schedule)
    hung = 0
    for seed in range(1, 9 if toolchain.THOROUGH or hang.sometimes else 3):
        begin = time.process_time()
        ends, found = run(hang, seed, tmp_path, monkeypatch)
        if hang.sometimes and ends == ["finished"]:
            continue
        hung += 1
        assert ends == ["finished"] * (hang.launches - 1) + ["hung"] and time.process_time() - begin < hang.seconds
        (one,) = found
        text, at = one["text"], 0
        for part in hang.said:
            assert part in text[at:], text
            at = text.index(part, at) + len(part)
        assert not [part for part in hang.silent if part in text], text
        assert hang.cause in one.get("likely_cause", "") and hang.remedy in one["remedy"], one
        assert bool(hang.cause) == ("likely_cause" in one) == bool(one["remedy"]), one
        assert not list(json_schema.faults(one["words"], {"type": "array", "items": SCHEMA["$defs"]["word"]}, SCHEMA, "words"))
        assert len(one["words"]) == text.count(" again and again:") + text.count(" again and again, until")
    assert hung


@pytest.mark.parametrize("name", ["a flag that nobody sets", "a turn that a block does not pass", "a lock that stays taken", "an exchange that takes the value"])
def test_the_same_while_races_are_looked_for(name, tmp_path, monkeypatch):
    hang = next(each for each in HANGS if each.name == name)
    _, found = run(hang, 1, tmp_path, monkeypatch, finds_races=True)
    assert [one["kind"] for one in found] == ["hang"] and hang.cause in found[0].get("likely_cause", "")
    assert all(part in found[0]["text"] for part in hang.said)


def test_data_of_a_word(tmp_path, monkeypatch):
    hang = next(each for each in HANGS if each.name == "a count that is not reset")
    ((word,),) = (one["words"] for one in run(hang, 1, tmp_path, monkeypatch)[1])
    assert (word["memory"], word["offset"], word["bytes"], word["value"], word["threads"]) == ("global", 0, 4, 6, 3)
    assert (word["changes"], word["value_at_launch"], word["earlier_changes"], word["awaited"]) == (3, 3, 3, ["it is 3"])
    assert (word["last_change"]["before"], word["last_change"]["value"]) == (5, 6)
    assert word["last_change"]["access"]["user"]["line"] == 3 and word["argument"] == 1


def test_memory_that_others_had_before(tmp_path, monkeypatch):
    """Of an allocation that was freed, nothing is said."""
    memory = (ctypes.c_uint64 * 64)()
    start = (ctypes.addressof(memory) + 255) // 256 * 256
    kernel, data = model.Kernel("loop"), bytes((ctypes.c_uint64 * 2)(start, start))
    path = tmp_path / "o.jsonl"
    monkeypatch.setenv("CUDASYNC_MACHINE_REPORT", str(path))
    for source in ("store(words, 3);", "while (load(words) == 3) {}"):
        model.machine().model_allow(start, 64)
        module(source).run_with(kernel, 1, data, False)
        model.machine().model_forbid(start)
    (one,) = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    assert "no thread of this launch has written it" in one["text"] and "left this value" not in one["text"]


ENDS = {
    "attempts": "for (uint32 count = 0; count < 1000000 && atomicExch(words, block + 1) != 0; ++count) {}",
    "own value": "const uint32 own = block + 1;\nuint32 old = 0, same = 0;\n#pragma unroll 1\nwhile (same < 400000) { old = atomicExch(words, own); same += old == own; }",
    "two words": "for (uint32 at = 0; at < 300000; ++at) { atomicExch(words, block + 1); if (at % 1000 == 999) atomicAdd(more, 1); }",
    "thread that computes": "if (block == 0) { uint32 sum = 0;\n#pragma unroll 1\nfor (uint32 at = 0; at < 3000000; ++at) asm volatile(\"add.u32 %0, %0, 1;\" : \"+r\"(sum));\n"
    "  store(more, sum | 1); }\nelse while (atomicExch(words, block) != 0 && load(more) == 0) {}",
}


@pytest.mark.parametrize("name", ENDS)
def test_long_loops_that_end(name, tmp_path, monkeypatch):
    """They change one word all the time, and leave off at last."""
    hang = Hang(name, ENDS[name], (), grid=3)
    ends, found = run(hang, 1, tmp_path, monkeypatch)
    assert (ends, found) == (["finished"], [])
