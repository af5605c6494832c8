"""What the machine says about a mistake, as data: each kernel has one, and a twin without it."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import functools
import json
from typing import NamedTuple

import pytest

from cudasync_tools import model, nvrtc

BEGIN = """
typedef unsigned uint32;
typedef unsigned long long uint64;
__device__ uint32 shared_address(const void* at) { return static_cast<uint32>(__cvta_generic_to_shared(at)); }
extern "C" __global__ void rule(uint32* last, uint32* words) {
  const uint32 me = threadIdx.x;
  uint32* const out = words + 1024;
"""
SHARED = "__shared__ alignas(128) uint32 tile[64];\n"
BARRIER = SHARED + "__shared__ uint64 bar;\nconst uint32 full = shared_address(&bar);\n"
INIT = 'asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(full) : "memory");'
FENCE_INIT = 'asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");'
ARRIVE = 'asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(full) : "memory");'
INVALIDATE = 'asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(full) : "memory");'
EXPECT = 'asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 128;" ::"r"(full) : "memory");'
LOAD = (
    'asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];"'
    ' ::"r"(shared_address(tile)), "l"(words), "r"(full) : "memory");'
)
WAIT = (
    'asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra again; }"'
    ' ::"r"(full) : "memory");'
)
STORE = (
    'asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 128;" ::"l"(words), "r"(shared_address(tile))'
    ' : "memory"); asm volatile("cp.async.bulk.commit_group;");'
)
STORE_WAIT = 'asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");'
PROXY = 'asm volatile("fence.proxy.async.shared::cta;" ::: "memory");'
RANK = 'uint32 rank;\nasm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));\n'
CLUSTER = 'asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");\n'
CLUSTER_SYNC = CLUSTER.replace(".relaxed", "")
READ_FROM_BLOCK_0 = (
    'asm volatile("{ .reg .b32 from; mapa.shared::cluster.u32 from, %1, 0; ld.shared::cluster.u32 %0, [from]; }"'
    ' : "=r"(out[0]) : "r"(shared_address(tile)) : "memory");\n'
)
LOAD_FOR_BLOCK_0 = (
    'asm volatile("{ .reg .b32 to, on; mapa.shared::cluster.u32 to, %0, 0; mapa.shared::cluster.u32 on, %2, 0;'
    ' cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [to], [%1], 128, [on]; }"'
    ' ::"r"(shared_address(tile)), "l"(words), "r"(full) : "memory");'
)
STORE_FOR_BLOCK_0 = (
    'asm volatile("{ .reg .b32 to, on; mapa.shared::cluster.u32 to, %0, 0; mapa.shared::cluster.u32 on, %1, 0;'
    ' st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [to], %1, [on]; }"'
    ' ::"r"(shared_address(tile)), "r"(full) : "memory");'
)
CP_ASYNC = (
    'asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(tile + me)), "l"(words + me) : "memory");'
)
VOLATILE = "volatile uint32* const data = words;\n"
CP_WAIT = 'asm volatile("cp.async.wait_all;" ::: "memory");'
CANCEL = (
    'asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];"'
    ' ::"r"(shared_address(tile)), "r"(full) : "memory");'
)
LOAD_FOR_BOTH = LOAD.replace("bytes [%0], [%1], 128, [%2];", "bytes.multicast::cluster [%0], [%1], 128, [%2], %3;").replace(
    '"r"(full)', '"r"(full), "h"(static_cast<unsigned short>(3))')
RELEASE_TO_BLOCK_0 = (
    'asm volatile("{ .reg .b32 on; mapa.shared::cluster.u32 on, %0, 0; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [on]; }"'
    ' ::"r"(free) : "memory");'
)


class Mistake(NamedTuple):
    rule: str
    source: str  # with MEND where the mistake is
    mend: str
    message: tuple  # parts of the sentence
    remedy: str = ""
    without: str = ""  # in the place of the mend
    level: str = "bug"
    kind: str = "race"
    block: tuple = (64, 1, 1)
    grid: tuple = (1, 1, 1)
    cluster: tuple = (1, 1, 1)
    seeds: int = 4
    of: int = 1  # at least that many of the seeds find it


MISTAKES = [
    Mistake("missing-block-barrier", SHARED + "tile[me] = me;\nMEND\nout[me] = tile[me ^ 32];", "__syncthreads();",
            ("`tile`", "rule.cu:9", "rule.cu:11", "nothing orders the two"), "__syncthreads()", of=4),
    Mistake("missing-syncwarp", SHARED + "tile[me] = me;\nMEND\nout[me] = tile[me ^ 1];", "__syncwarp();",
            ("`tile`", "nothing orders the two"), "__syncwarp()", block=(32, 1, 1)),
    Mistake("missing-syncwarp", SHARED + "tile[me] = me;\nMEND\nout[me] = tile[me ^ 1];", "__syncthreads();",
            ("`tile`", "nothing orders the two"), "__syncthreads(), or __syncwarp() if no other warp"),
    # The first pair is often in one warp, but not the only one: threads 31 and 32 have the same bug.
    Mistake("missing-block-barrier", SHARED + "for (int step = 0; step < 4; ++step) {\n  const uint32 left = step > 0 && me > 0 ? tile[me - 1] : 0;\n"
            "  MEND\n  tile[me] = left + me;\n  __syncthreads();\n}\nout[me] = tile[me];", "__syncthreads();",
            ("`tile`", "rule.cu:10", "rule.cu:12"), "__syncthreads(), or another barrier", of=4),
    Mistake("unordered-blocks", "uint32* const all = words + 64;\nif (blockIdx.x == 0) {\n  all[me] = me;\n  MEND\n"
            "  if (me == 0) { __threadfence(); atomicExch(words, 1); }\n} else {\n  if (me == 0) { while (atomicAdd(words, 0) == 0) {} __threadfence(); }\n"
            "  __syncthreads();\n  out[me] = all[me];\n}", "__syncthreads();", ("nothing orders the two blocks",),
            "thread (0,0,0) of block (0,0,0) signals to the other block: call __syncthreads()", grid=(2, 1, 1), of=4),
    Mistake("weak-beside-atomic", "uint32* const all = words + 64;\nif (blockIdx.x == 0) {\n  all[me] = me;\n  MEND\n"
            "  if (me == 0) { __threadfence(); atomicExch(words, 1); }\n} else {\n  if (me == 0) { while (atomicAdd(words, 0) == 0) {} __threadfence(); }\n"
            "  __syncthreads();\n  out[me] = *static_cast<volatile uint32*>(all + me);\n}", "__syncthreads();", ("is not atomic",),
            "order them: thread (0,0,0) of block (0,0,0) signals to the other block", grid=(2, 1, 1), of=4),
    Mistake("unordered-blocks", "uint32* const all = words + 64;\nif (blockIdx.x == 0) {\n  all[me] = me;\n  __syncthreads();\n"
            "  if (me == 0) { __threadfence(); atomicExch(words, 1); }\n} else {\n  if (me == 0) { while (atomicAdd(words, 0) == 0) {} __threadfence(); }\n"
            "  else __nanosleep(1000000);\n  MEND\n  out[me] = all[me];\n}", "__syncthreads();", ("nothing orders the two blocks",),
            "thread (0,0,0) of block (1,0,0) comes after the first: call __syncthreads()", grid=(2, 1, 1), of=4),
    Mistake("missing-fence", VOLATILE + "if (blockIdx.x == 0) { data[64] = 7; MEND data[0] = 1; }\n"
            "else { while (data[0] == 0) {} __threadfence(); out[0] = data[64]; }",
            "__threadfence();", ("wrote it at rule.cu:9 before a signal", "older value"), "__threadfence()", block=(1, 1, 1), grid=(2, 1, 1), of=4),
    Mistake("missing-fence", VOLATILE + "data[64 + blockIdx.x] = 7;\n__threadfence();\n"
            "if (atomicAdd(words, 1) != 2) return;\nMEND\nfor (uint32 block = 0; block < 3; ++block) out[block] = data[64 + block];",
            "__threadfence();", ("before a signal", "rule.cu:13"), "between the read of the signal", block=(1, 1, 1), grid=(3, 1, 1), of=4),
    Mistake("two-writers", "out[MEND] = me;", "me", ("allocation", "same line"), without="me % 32"),
    Mistake("missing-block-barrier", SHARED + "tile[me] = me;\n__syncthreads();\n#line 1\n"
            "const uint32 left = me < 32 ? 0 : tile[me - 32]; MEND tile[me] += left;",
            "__syncthreads();", ("`tile`",), "between the read and the write", of=4),
    Mistake("no-atomic-update", "MEND", "atomicAdd(words, 1);", ("allocation", "same line"), "atomic", without="words[0] += 1;"),
    Mistake("same-value", "if (MEND) words[0] = 7;", "me == 0", ("same value",), level="strict", without="true"),
    Mistake("unordered-blocks", "if (blockIdx.x == 0) { words[0] = 1; }\nelse { MEND }", "",
            ("nothing orders the two blocks", "block (0,0,0)", "block (1,0,0)", " (argument 1)"), "release", without="out[1] = words[0];",
            block=(1, 1, 1), grid=(2, 1, 1), of=4),
    Mistake("scope-too-narrow", "if (blockIdx.x == 0) MEND(words, 1); else atomicAdd(words, 1);", "atomicAdd",
            ("block scope", "another block"), "device", without="atomicAdd_block", block=(1, 1, 1), grid=(2, 1, 1), of=4),
    # As the guide adds a double; the value of a load that decides more than the first try is not of this kind.
    Mistake("first-guess", "uint32 expected, old = MEND;\ndo { expected = old; old = atomicCAS(words, expected, expected + me); } while (old != expected);",
            "*static_cast<volatile uint32*>(words)", ("the compare-exchange that is tried with its value",), "atomic",
            without="words[0]", level="strict", of=4),
    Mistake("weak-beside-atomic", "const uint32 old = MEND;\natomicCAS(words, old * 2, me);",
            "*static_cast<volatile uint32*>(words)", ("is not atomic",), "make both atomic", without="words[0]", of=4),
    Mistake("weak-beside-atomic", "if (me == 0) MEND; else atomicAdd(words, 1);", "atomicExch(words, 7)", ("is not atomic",),
            "make both atomic", without="words[0] = 7", block=(2, 1, 1), of=4),
    Mistake("weak-beside-atomic", SHARED + "if (me < 32) tile[me] = 0;\n__syncthreads();\natomicAdd(tile + me % 32, 1);\nMEND\nout[me] = tile[31 - me % 32];",
            "__syncthreads();", ("is not atomic",), "between the two, or, if the reading thread does not wait for that, make both atomic", of=4),
    Mistake("missing-proxy-fence", SHARED + "tile[me] = me;\nMEND\n__syncthreads();\nif (me == 0) {" + STORE + STORE_WAIT + "}", PROXY,
            ("the copy engine reads `tile`", "wrote it at rule.cu:9", "two proxies"), "fence.proxy.async", of=4),
    Mistake("read-before-copy", BARRIER + "if (me == 0) {" + INIT + FENCE_INIT + EXPECT + "}\ntile[me] = me;" + PROXY
            + "\n__syncthreads();\nout[me] = tile[me ^ 1];\nMEND\n__syncthreads();\nif (me == 0) {" + LOAD + WAIT + "}", PROXY,
            ("the copy engine writes `tile`", "which the memory model requires"), level="strict"),
    # The lane whose atomic operation is seen knows what the others of its warp have read, but does not order it.
    Mistake("read-before-write", "__shared__ uint32 word, left;\nif (me == 0) { word = 1; left = 64; }\n__syncthreads();\n"
            "out[me] = word;\nMEND\n__match_any_sync(~0u, 1);\nif (me % 32 == 0) {\n  __threadfence_block();\n"
            "  if (atomicSub(&left, 32) == 32) { __threadfence_block(); word = 2; }\n}", "__syncwarp();",
            ("`word`", "do not order memory"), "__syncwarp()", level="strict", of=2),
    # A lane has met the one that invalidates before another one arrives by the same instruction.
    Mistake("arrival-before-inval", BARRIER + "if (me == 0) {" + INIT.replace("], 1;", "], 2;") + "}\n__syncwarp();\n"
            "#pragma unroll 1\nfor (uint32 turn = 0; turn < 2; ++turn) {\n  if (turn == 1 && me != 0) __match_any_sync(6, 1);\n"
            "  if (me == turn) {" + ARRIVE + "}\n  if (me == turn || me == 2) {\n    __match_any_sync(1u << turn | 4, 1);\n"
            "    MEND\n  }\n}\nif (me == 2) {" + INVALIDATE + "}", "__syncwarp(1u << turn | 4);",
            ("`bar`", "do not order memory"), "__syncwarp()", level="strict", block=(3, 1, 1), of=2),
    # As quit() of a pipeline of libcu++ does it.
    Mistake("arrival-before-inval", BARRIER + "__shared__ uint32 left;\nif (me == 0) {" + INIT.replace("], 1;", "], 64;") + "left = 64; }\n"
            "__syncthreads();\n" + ARRIVE + "\nMEND\n__match_any_sync(~0u, 1);\nif (me % 32 == 0) {\n  __threadfence_block();\n"
            "  if (atomicSub(&left, 32) == 32) { __threadfence_block(); " + INVALIDATE + " }\n}", "__syncwarp();",
            ("invalidates `bar`", "updated it", "do not order memory"), "__syncwarp()", level="strict", of=2),
    # As a copy of libcu++ does it: the threads have synchronized, and the fence would be no instruction of the GPU.
    Mistake("init-before-copy", BARRIER + "if (me == 0) {" + INIT + "MEND }\n__syncthreads();\nif (me == 32) {" + EXPECT + LOAD + WAIT + "}",
            FENCE_INIT, ("completes on the barrier `bar`", "initialized it", "which the memory model requires"), "fence.mbarrier_init",
            level="strict", of=4),
    # As grids did that were synchronized before the model was written down: all threads have fences, which the signal is not beside.
    Mistake("fence-before-barrier", "if (blockIdx.x == 0) {\n  words[me] = me;\n  __threadfence();\n  __syncthreads();\n"
            "  if (me == 0) { MEND atomicExch(words + 100, 1); }\n} else {\n  if (me == 0) { while (atomicAdd(words + 100, 0) == 0) {} __threadfence(); }\n"
            "  __syncthreads();\n  out[me] = words[me];\n}", "__threadfence();", ("which the memory model does not order",),
            "__threadfence()", level="strict", grid=(2, 1, 1), of=4),
    Mistake("fence-before-barrier", "if (blockIdx.x == 0) {\n  words[me] = me;\n  __syncthreads();\n"
            "  if (me == 0) { __threadfence(); atomicExch(words + 100, 1); }\n} else {\n  if (me == 0) { while (atomicAdd(words + 100, 0) == 0) {} MEND }\n"
            "  __syncthreads();\n  __threadfence();\n  out[me] = words[me];\n}", "__threadfence();", ("which the memory model does not order",),
            "__threadfence()", level="strict", grid=(2, 1, 1), of=4),
    Mistake("unordered-blocks", "if (blockIdx.x == 0) {\n  words[me] = me;\n  MEND\n  __syncthreads();\n  if (me == 0) atomicExch(words + 100, 1);\n"
            "} else {\n  if (me == 0) { while (atomicAdd(words + 100, 0) == 0) {} __threadfence(); }\n  __syncthreads();\n"
            "  if (me == 0) out[me] = words[me];\n}",
            "__threadfence();", ("nothing orders the two blocks",), "release", grid=(2, 1, 1), of=4),
    # As CUTLASS arrives at the barrier of another block.
    Mistake("arrival-of-block-scope", BARRIER + RANK + "if (me == 0 && rank == 0) { tile[0] = 1;" + INIT + "}\n" + CLUSTER_SYNC
            + "if (me == 0 && rank == 1) {\n" + READ_FROM_BLOCK_0 + 'asm volatile("{ .reg .b32 on; mapa.shared::cluster.u32 on, %0, 0;'
            ' mbarrier.arriveMEND.shared::cluster.b64 _, [on]; }" ::"r"(full) : "memory");\n}\nif (me == 0 && rank == 0) {\n'
            + WAIT.replace("try_wait.parity", "try_wait.parity.acquire.cluster") + "\ntile[0] = 2;\n}\n" + CLUSTER_SYNC, ".release.cluster",
            ("writes `tile`", "has the scope of the block"), ".cluster", level="strict", block=(32, 1, 1), grid=(2, 1, 1), cluster=(2, 1, 1), of=4),
    # The relaxed arrival does not order the initialization before the copy that the other block issues.
    Mistake("missing-mbarrier-fence", BARRIER + RANK + "if (me == 0 && rank == 0) {" + INIT + "MEND" + EXPECT + "}\n" + CLUSTER
            + "if (me == 0 && rank == 1) {" + LOAD_FOR_BLOCK_0 + "}\nif (me == 0 && rank == 0) " + WAIT, FENCE_INIT,
            ("completes on the barrier `bar`", "initialized it"), "fence.mbarrier_init", block=(32, 1, 1), grid=(2, 1, 1),
            cluster=(2, 1, 1), of=4),
    # As ThunderKittens' warps store a tile: each lane has its fence.
    Mistake("copy-too-early", SHARED + "tile[me] = me;" + PROXY + "\nMEND\nif (me == 0) {" + STORE + STORE_WAIT + "}", "__syncwarp();",
            ("the copy engine reads `tile`", "does not wait for that"), "__syncwarp()", block=(32, 1, 1), of=2),
    Mistake("copy-not-awaited", BARRIER + "if (me == 0) {" + INIT + FENCE_INIT + EXPECT + LOAD + "}\n__syncthreads();\n"
            "MEND\nif (me < 32) out[me] = tile[me];\n" + WAIT, WAIT, ("`tile`", "nothing waits for the copy"), "barrier", of=4),
    Mistake("copy-not-awaited", SHARED + "tile[me] = me;" + PROXY + "\n__syncthreads();\nif (me == 0) {" + STORE + "MEND"
            + "tile[1] = 5;" + STORE_WAIT + "}", STORE_WAIT, ("`tile` + 4", "nothing waits for the copy"), "bulk group"),
    # The phase ends with the bytes of the first copy.
    Mistake("copy-not-awaited", BARRIER + "__shared__ alignas(16) uint32 other[32];\nif (me == 0) {" + INIT + FENCE_INIT
            + EXPECT.replace("128;", "MEND;") + LOAD + LOAD.replace("(tile)", "(other)") + "}\n__syncthreads();\n" + WAIT
            + "\nif (me < 32) out[me] = tile[me] + other[me];\n__syncthreads();\n__nanosleep(20000);",
            "256", ("ended without the copy",), "too few", without="128", of=3),
    Mistake("copy-not-awaited", SHARED + "tile[me] = me;" + PROXY + "\n__syncthreads();\nif (me == 0) {" + STORE
            + "}\n__syncthreads();\nif (me == 0) {" + STORE_WAIT + "}\nMEND\n"
            "if (me == 32) tile[1] = 5;", "__syncthreads();", ("nothing waits for the copy",), "thread that issued the copy wait"),
    Mistake("barrier-overwritten", BARRIER + "if (me == 0) {" + INIT + FENCE_INIT + EXPECT + "}\n__syncthreads();\nif (me == 0) {"
            + LOAD.replace("shared_address(tile)", "MEND") + "}\n" + WAIT, "shared_address(tile)", ("`bar`", "the barrier is in memory"),
            "check their offsets", without="full & ~127u"),
    Mistake("cp-async-not-awaited", SHARED + CP_ASYNC + "\nMEND\nout[me] = tile[me];\n" + CP_WAIT, CP_WAIT,
            ("cp.async of thread", "`tile`"), "cp.async.wait_group", of=4),
    Mistake("cp-async-not-awaited", SHARED + CP_ASYNC + CP_WAIT + "\nMEND\nout[me] = tile[me ^ 32];", "__syncthreads();",
            ("cp.async of thread", "`tile`"), "barrier", of=4),
    Mistake("barrier-initialized-twice", BARRIER + "if (MEND) {" + INIT + "}", "threadIdx.x == 0 && threadIdx.y == 0",
            ("both initialize", "`bar`"), "exactly one thread", without="threadIdx.x == 0", block=(16, 16, 1), of=4),
    Mistake("barrier-not-initialized", BARRIER + "if (me == 0) {" + INIT + EXPECT + "}\nMEND\nif (me == 32) " + LOAD + WAIT,
            FENCE_INIT + "__syncthreads();", ("nothing orders the initialization",), "__syncthreads()", without=FENCE_INIT),
    Mistake("barrier-overwritten", BARRIER + "if (me == 0) {" + INIT + FENCE_INIT + "MEND" + EXPECT + "}", "tile[0] = 0;",
            ("uses the barrier `bar`", "wrote into it"), without="*reinterpret_cast<volatile uint32*>(&bar) = 0;", of=4),
    Mistake("uninitialized-shared", SHARED + "if (me < 32) tile[me] = me;\n__syncthreads();\nconst uint32 found = tile[me];\n"
            "if (MEND) out[me] = found;", "me < 32", ("`tile`", "nothing has written"), without="true", kind="uninitialized", of=4),
    Mistake("uninitialized-shared", SHARED + "if (MEND) tile[me] = me;\n__syncthreads();\nif (tile[me] == 3) out[me] = 1;", "true",
            ("decides by", "nothing has written"), without="me < 32", kind="uninitialized", of=4),
    Mistake("uninitialized-shared", "__shared__ uint32 count;\nif (MEND) count = 0;\n__syncthreads();\nout[atomicAdd(&count, 1) & 63] = me;",
            "me == 0", ("at an address that depends on", "`count`", "nothing has written"), without="false", kind="uninitialized", of=4),
    Mistake("uninitialized-shared", SHARED + "if (MEND) tile[me] = 0;\n__syncthreads();\natomicAdd(tile + me % 8, me);\n__syncthreads();\n"
            "out[me] = tile[me % 8];", "true", ("`tile`", "nothing has written"), without="me >= 8", kind="uninitialized", of=4),
    # The other parity is that of a phase before the first.
    Mistake("uninitialized-shared", BARRIER + "if (me == 0) {" + INIT + FENCE_INIT + "}\n__syncthreads();\nuint32 found = 0;\nif (me == 32) {"
            + WAIT.replace(", 0;", ", MEND;") + "found = tile[2];" + PROXY + " __threadfence(); atomicExch(words + 513, 1); }\n"
            "if (me == 0) { while (atomicAdd(words + 513, 0) == 0 && MEND == 1) {} __threadfence();" + EXPECT + LOAD + WAIT + "}\n"
            "if (me == 32) out[me] = found;", "0",
            ("nothing has written", "a copy wrote it later"), "parity is wrong", without="1", kind="uninitialized", of=4),
    Mistake("absent-lane", "uint32 sum = me;\nif (me < 16)\n  for (int step = 8; step > 0; step /= 2)\n"
            "    sum += __shfl_down_sync(0xffff, sum, step);\nif (MEND) out[me] = sum;", "me == 0",
            ("takes no part in the shuffle",), "mask", without="me < 16", kind="uninitialized", block=(32, 1, 1), of=4),
    Mistake("divergent-barrier", "if (MEND) { out[me] = 1; __syncthreads(); } else { out[me] = 2; __syncthreads(); }", "me < 32",
            ("of the same warp", "executes a barrier"), without="me % 2", kind="divergence", of=4),
    Mistake("partial-warpgroup", 'if (MEND) asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");\nout[me] = 1;', "true",
            ("executes setmaxnreg at rule.cu:8", "does not"), "all four warps", without="me < 32", kind="divergence", block=(128, 1, 1), of=4),
    Mistake("too-many-arrivals", BARRIER + "if (me == 0) {" + INIT.replace("], 1;", "], MEND;") + "}\n__syncthreads();\nif (me < 4) " + ARRIVE,
            "4", ("more arrivals than its phase expects", "at `bar`"), "count all arrivals", without="3", kind="fault", of=4),
    Mistake("two-barriers", "if (MEND) { out[me] = 1; __syncthreads(); }\nelse { out[me] = 2; __syncthreads(); }", "true",
            ("of another warp", "GPUs take them for one"), "out of the branch", without="me < 32", kind="divergence", level="strict", of=4),
    Mistake("copy-not-awaited", BARRIER + "if (me == 0) {" + INIT + FENCE_INIT + "}\n__syncthreads();\nif (me == 0) { MEND " + LOAD + "}\n"
            + WAIT + "\nif (me < 32) out[me] = tile[me];\n__syncthreads();\n__nanosleep(20000);", EXPECT, ("that was awaited had no bytes",),
            "before the last arrival", without=ARRIVE + EXPECT.replace("arrive.", ""), of=3),
    # A stage that is given back before the last read of it.
    Mistake("copy-not-awaited", BARRIER + "if (me == 0) {" + INIT + FENCE_INIT + EXPECT + LOAD + "}\n__syncthreads();\n" + WAIT
            + "\nuint32 found = tile[me % 32];\n" + PROXY + "__syncthreads();\nif (me == 0) {" + EXPECT + LOAD + "}\n"
            "if (MEND) found += tile[me % 32];\nout[me] = found;\n" + WAIT.replace(", 0;", ", 1;") + "\n__syncthreads();\n__nanosleep(20000);",
            "false", ("nothing waits for the copy",), "only after it", without="me == 40"),
    Mistake("barrier-not-initialized", BARRIER + "for (int step = 0; step < 2; ++step) {\nif (me == 0) {" + INIT + FENCE_INIT + "}\n__syncthreads();\n"
            "if (me == 0) {" + ARRIVE + "}\n" + WAIT + "MEND }", "__syncthreads(); if (me == 0)" + INVALIDATE, ("initializes `bar`",), "mbarrier.inval", of=4),
    Mistake("no-atomic-update", SHARED + "if (me < 8) tile[me] = 0;\n__syncthreads();\nfor (uint32 step = 0; step < 8; ++step) {\n"
            "  if (me < 8) tile[(me + step) % 8] += me;\n  MEND\n}", "__syncwarp();", ("`tile`", "same line"),
            "if they take turns, call __syncwarp()", block=(32, 1, 1)),
    Mistake("read-only-load", "words[me] = me;\n__syncthreads();\nout[me] = MEND;", "words[63 - me]",
            ("thread", "reads allocation", "wrote it", "ld.global.nc"), "__ldg()", without="__ldg(words + 63 - me)", of=4),
    Mistake("unordered-copies", BARRIER + "if (me == 0) {" + INIT + FENCE_INIT + EXPECT + "}\n__syncthreads();\nif (me < 2) "
            + LOAD.replace("128,", "64,").replace("(tile)", "(tile + MEND)") + WAIT, "me * 16",
            ("the copy engine writes", "the copy engine wrote"), "let one thread issue it", without="0", of=4),
    Mistake("unordered-copies", SHARED + CP_ASYNC + CP_WAIT + PROXY + "\nMEND\nif (me == 0) {" + STORE.replace("(words)", "(out)") + STORE_WAIT + "}",
            "__syncthreads();", ("cp.async of thread", "`tile`"), "wait for its own copies (cp.async.wait_group), then call fence.proxy.async", of=1),
    Mistake("unordered-copies", BARRIER + "if (me == 0) {" + INIT + FENCE_INIT + "tile[0] = 1;" + PROXY + "\n" + STORE.replace("(words)", "(out)")
            + "\nMEND\n" + EXPECT + LOAD + WAIT + STORE_WAIT + "}", 'asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");',
            ("the copy engine",), "wait until the copy at rule.cu:12 has read its source (cp.async.bulk.wait_group.read"),
    Mistake("unordered-copies", BARRIER + "if (me == 0) {" + INIT + FENCE_INIT + EXPECT + LOAD + "\nMEND\n" + STORE.replace("(words)", "(out)") + STORE_WAIT
            + WAIT + "}", WAIT, ("the copy engine",), "wait until the copy at rule.cu:11 has completed (its barrier"),
    Mistake("missing-block-barrier", "__shared__ uint32 wide[128];\nwide[me] = me;\nif (me % 2 != 0) __nanosleep(100000);\n"
            "asm volatile(\"bar.sync 1, 64;\" ::: \"memory\");\nMEND\nout[me] = wide[me ^ 64];", "__syncthreads();", ("`wide`",), "__syncthreads()",
            block=(128, 1, 1), seeds=8, of=1),
    Mistake("absent-lane", "if (me < 16) __syncwarp(0xffff);\nelse __syncwarp(MEND);", "0xffff0000", ("__syncwarp(0x0000ffff)", "it is lane "),
            "0xffff0000", without="0xffff", kind="divergence", block=(32, 1, 1), of=4),
    Mistake("absent-lane", "if (MEND) out[me] = __shfl_sync(0xffffffff, me, 0);\nwhile (me == 31 && words[0] == 0) {}", "false",
            ("no thread gets any further",), without="me < 16", kind="hang", block=(32, 1, 1)),
    Mistake("out-of-bounds", "if (me == 0) last[MEND] = 1;", "me", ("behind the end of allocation",), without="16 + me", kind="fault",
            block=(32, 1, 1), of=4),
    Mistake("misaligned", "*reinterpret_cast<uint64*>(out + MEND) = 1;", "2", ("misaligned: 8 bytes",), without="1", kind="fault",
            block=(1, 1, 1), of=4),
    Mistake("out-of-bounds", SHARED + RANK + "tile[me] = me;\n" + CLUSTER_SYNC + "if (me == 0 && rank == 1) {\n"
            + READ_FROM_BLOCK_0.replace("ld.shared::cluster", "ld.sharedMEND") + "}\n" + CLUSTER_SYNC, "::cluster",
            ("in the shared memory of another block",), kind="fault", grid=(2, 1, 1), cluster=(2, 1, 1)),
    Mistake("copy-outlives-block", BARRIER + "if (me == 0) {" + INIT + FENCE_INIT + EXPECT + LOAD + "MEND }",
            WAIT.replace("parity.", "parity.relaxed.cta."), ("ends while the copy engine may still write `tile` at rule.cu",), "wait for the barrier", of=4),
    Mistake("copy-outlives-block", SHARED + "if (me < 32) tile[me] = me;\n" + PROXY + "__syncthreads();\nif (me == 0) {" + STORE + "MEND }",
            STORE_WAIT.replace("group", "group.read"), ("ends while the copy engine may still read `tile` at rule.cu",), "wait_group.read 0", of=4),
    Mistake("copy-outlives-block", BARRIER + RANK + "if (me == 0) {" + INIT + FENCE_INIT + "}\n" + CLUSTER_SYNC + "if (me == 0 && rank == 1) {"
            + LOAD_FOR_BLOCK_0 + "}\nif (me == 0 && rank == 0) {" + EXPECT + "MEND }", WAIT, ("block (0,0,0) ends while the copy engine",),
            "wait for the barrier", grid=(2, 1, 1), cluster=(2, 1, 1), of=4),
    Mistake("copy-outlives-block", BARRIER + RANK + "if (me == 0) {" + INIT + FENCE_INIT + "}\n" + CLUSTER_SYNC
            + "if (me == 0 && rank == 1) {" + LOAD_FOR_BLOCK_0.replace("global.", "shared::cta.").replace('"l"(words)', '"r"(shared_address(tile) + 128)')
            + "}\nif (rank == 0) { if (me == 0) " + EXPECT + WAIT + "}\nMEND", CLUSTER_SYNC, ("block (1,0,0) ends while the copy engine may still read",),
            "wait for the barrier", grid=(2, 1, 1), cluster=(2, 1, 1), of=4),
    Mistake("copy-outlives-block", BARRIER + RANK + "if (me == 0) {" + INIT + FENCE_INIT + EXPECT.replace("128", "4") + "}\n" + CLUSTER_SYNC
            + "if (me == 0 && rank == 1) {" + STORE_FOR_BLOCK_0 + "}\nif (rank == 0) { MEND }\n" + CLUSTER_SYNC, WAIT,
            ("block (0,0,0) ends while st.async",), "wait for the barrier", grid=(2, 1, 1), cluster=(2, 1, 1), of=4),
    Mistake("copy-outlives-block", BARRIER + "if (me == 0) {" + INIT + FENCE_INIT + EXPECT.replace("128", "16") + CANCEL + "MEND }", WAIT,
            ("block (0,0,0) ends while", "`tile`"), "wait for the barrier", of=4),
    Mistake("copy-too-early", BARRIER + "__shared__ uint64 empty;\nconst uint32 free = shared_address(&empty), readers = MEND;\n" + RANK
            + "if (me == 0) {" + INIT + INIT.replace(", 1;", ", %1;").replace('"r"(full)', '"r"(free), "r"(readers)') + FENCE_INIT + EXPECT + "}\n"
            + CLUSTER_SYNC + "if (me == 0 && rank == 0) " + LOAD_FOR_BOTH + WAIT + "out[64 * rank + me] = tile[me % 32];\n" + PROXY
            + "\n__syncthreads();\nif (me == 0) {" + EXPECT + "if (rank < readers) " + RELEASE_TO_BLOCK_0 + "}\nif (me == 0 && rank == 0) {"
            + WAIT.replace("full", "free").replace("parity.", "parity.acquire.cluster.") + LOAD_FOR_BOTH + "}\n" + WAIT.replace("], 0", "], 1")
            + CLUSTER_SYNC, "2", ("of block (1,0,0) read it", "does not wait"), "after its access: each block that the copy writes", without="1",
            grid=(2, 1, 1), cluster=(2, 1, 1), of=2),
    Mistake("cp-async-outlives-block", SHARED + CP_ASYNC + "MEND", CP_WAIT, ("ends while cp.async", "may still write `tile`"), "wait_all",
            level="strict", of=4),
    Mistake("assertion", 'if (me == 40 && MEND) __assertfail("me < 32", "kernel.cu", 7, "rule", 1);', "false",
            ("kernel.cu:7", "assertion `me < 32` failed"), without="true", kind="assertion", of=4),
]
UNMENDED = "hang"  # the twin of these hangs as well


@functools.cache
def module(source):
    architecture = 100 if CANCEL in source else 90
    ptx, log = nvrtc.compile(BEGIN + source + "\n}\n", "rule.cu", f"{architecture}a", ("-lineinfo", "-default-device"))
    assert ptx is not None, log
    return model.Module(ptx, architecture)


def findings(source, mistake, folder, monkeypatch, seed, finds_races=True):
    path = folder / f"{seed}.jsonl"
    monkeypatch.setenv("CUDASYNC_MACHINE_REPORT", str(path))
    kernel = model.Kernel("rule", grid=mistake.grid, block=mistake.block, cluster=mistake.cluster, needs=90)
    module(source).run(kernel, seed, finds_races)
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def test_hang_tells_what_its_barrier_lacks(tmp_path, monkeypatch):
    source = BARRIER + "if (me == 0) {" + INIT.replace("], 1;", "], 3;") + FENCE_INIT + EXPECT + "}\n__syncthreads();\nif (me >= 8) " + WAIT
    (one,) = findings(source, Mistake("hang", "", "", (), block=(32, 1, 1)), tmp_path, monkeypatch, 1)
    assert one["kind"] == "hang" and "24 threads wait for parity 0 of `bar`: 2 of 3 arrivals are missing, and 128 bytes" in one["text"]


def test_hang_names_the_threads_that_wait_at_another_barrier(tmp_path, monkeypatch):
    source = BARRIER + "if (me == 0) {" + INIT.replace("], 1;", "], 64;") + "}\n__syncthreads();\nif (me < 32) {" + ARRIVE + WAIT + "}\n__syncthreads();"
    (one,) = findings(source, Mistake("hang", "", "", ()), tmp_path, monkeypatch, 1)
    assert one["likely_cause"] == (
        "the missing arrivals at `bar` are probably those of the 32 threads that wait at another barrier at rule.cu:14")
    assert "arrive_drop" in one["remedy"]


def test_hang_tells_of_bytes_that_no_copy_brings(tmp_path, monkeypatch):
    source = BARRIER + "if (me == 0) {" + INIT + FENCE_INIT + EXPECT + LOAD.replace("], 128,", "], 64,") + WAIT + "}"
    (one,) = findings(source, Mistake("hang", "", "", ()), tmp_path, monkeypatch, 1)
    assert "1 thread waits for parity 0 of `bar`: no arrival is missing, but 64 bytes are" in one["text"]
    assert "expects 64 bytes more than its copies have brought, and no copy is under way" in one["likely_cause"] and "expect_tx" in one["remedy"]


def test_value_that_a_copy_is_about_to_bring(tmp_path, monkeypatch):
    source = (BARRIER + "if (me == 0) {" + INIT + FENCE_INIT + EXPECT + LOAD + "}\n__syncthreads();\n" + WAIT.replace(", 0;", ", 1;")
              + "out[me] = tile[2];\n__trap();")
    found = [findings(source, Mistake("", "", "", ()), tmp_path, monkeypatch, seed)[0] for seed in range(1, 9)]
    early = [one for one in found if one["message"].endswith("; a copy to it is still under way at rule.cu:11")]
    assert early and all("parity is wrong" in one["remedy"] for one in early)
    assert {one["rule"] for one in found if one not in early} <= {"copy-not-awaited", "trap"}


def test_hang_tells_what_its_named_barrier_lacks(tmp_path, monkeypatch):
    source = 'if (me >= 64) asm volatile("bar.sync 3, 128;" ::: "memory");'
    (one,) = findings(source, Mistake("hang", "", "", (), block=(96, 1, 1)), tmp_path, monkeypatch, 1)
    assert "32 threads wait at barrier 3: 32 of 128 threads have arrived" in one["text"]
    assert "64 of 96 threads of a block have ended: (0,0,0) first" in one["text"]


def test_fault_tells_the_counts_of_a_named_barrier(tmp_path, monkeypatch):
    source = 'if (me < 32) asm volatile("bar.sync 0, 64;" ::: "memory");\nelse __syncthreads();'
    (one,) = findings(source, Mistake("fault", "", "", (), block=(64, 1, 1)), tmp_path, monkeypatch, 1)
    message = one["message"]
    assert "barrier 0: " in message and "64 threads" in message and "all threads of the block, as __syncthreads() does" in message


def test_hang_tells_of_ended_blocks(tmp_path, monkeypatch):
    source = "if (blockIdx.x == 2) return;\natomicAdd(words, 1);\nwhile (atomicAdd(words, 0) < 3) {}"
    (one,) = findings(source, Mistake("hang", "", "", (), block=(1, 1, 1), grid=(3, 1, 1)), tmp_path, monkeypatch, 1)
    assert "1 of 3 blocks has ended: (2,0,0)" in one["text"]


def test_each_place_that_is_read_too_early_is_named(tmp_path, monkeypatch):
    source = SHARED + "__shared__ uint32 more[64];\nout[me] = tile[me] +\n more[me];"
    found = findings(source, Mistake("", "", "", (), block=(32, 1, 1)), tmp_path, monkeypatch, 1, finds_races=2)
    assert sorted(one["message"].split("`")[1] for one in found) == ["more", "tile"]


def test_polled_signals_are_no_data(tmp_path, monkeypatch):
    source = VOLATILE + """if (blockIdx.x == 0) { data[0] = 1; data[64] = 1; }
    else { while (data[64] == 0) {} while (data[0] != 2) {} }
    if (blockIdx.x == 0) { __nanosleep(100000); data[0] = 2; }"""
    for seed in range(1, 9):
        assert findings(source, Mistake("", "", "", (), block=(1, 1, 1), grid=(2, 1, 1)), tmp_path, monkeypatch, seed) == []


def test_copy_to_an_ended_block_without_races(tmp_path, monkeypatch):
    source = BARRIER + "if (me == 0) {" + INIT + FENCE_INIT + EXPECT + LOAD + "}"
    found = [findings(source, Mistake("", "", "", ()), tmp_path, monkeypatch, seed, finds_races=False) for seed in range(1, 9)]
    assert {one["rule"] for each in found for one in each} == {"block-has-ended"}


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.rule)
def test_mistake_is_found_and_its_twin_is_not(mistake, tmp_path, monkeypatch):
    seen = 0
    for seed in range(1, mistake.seeds + 1):
        found = findings(mistake.source.replace("MEND", mistake.without), mistake, tmp_path, monkeypatch, seed)
        for one in found:
            assert (one["rule"], one["kind"], one["level"]) == (mistake.rule, mistake.kind, mistake.level), one
            assert all(part in one["message"] for part in mistake.message), one["message"]
            assert mistake.remedy in one["remedy"]
            if mistake.kind == "hang":  # where the threads wait
                assert not one["message"].endswith(":") and all(each["user"]["line"] > 1 for each in one["accesses"]), one
                assert one["accesses"]
        seen += len(found) > 0
    assert seen >= mistake.of, f"found with {seen} of {mistake.seeds} seeds"
    if mistake.kind == "hang":
        return
    for seed in range(11, 11 + mistake.seeds):
        assert not findings(mistake.source.replace("MEND", mistake.mend), mistake, tmp_path, monkeypatch, seed)
