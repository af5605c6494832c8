"""The rules of the machine, each in a small kernel: it reports those that the memory model does not order, and no others."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import functools
from typing import NamedTuple

import pytest

from cudasync_tools import model, nvrtc

# Block 0 of a cluster copies into the shared memory of both blocks, after all threads of block 1 have read theirs.
FENCES = """
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>
#include <cudasync/ptx/cp_async_bulk.h>
using namespace cudasync;
extern "C" __global__ void rule(unsigned* failures, uint4* zeros) {
  __shared__ alignas(16) unsigned stage[32];
  __shared__ barrier<thread_scope_block> full;
  const uint32 block = ptx::get_sreg_cluster_ctarank(), lane = threadIdx.x;
  init_barriers(this_cluster(), expects<1>(full));
  if (block == 1) static_cast<void>(static_cast<volatile unsigned*>(stage)[lane]);
  if (block == 1) {
    READER
    if (lane == 0) { LEADER }
    __syncwarp();
    if (lane == 0) { LEADER_AFTER }
  }
  cluster_barrier::arrive_and_wait();
  const auto token = lane == 0 ? device::barrier_arrive_tx(full, 1, sizeof stage) : 0;
  cluster_barrier::arrive_and_wait();
  if (block == 0 && lane == 0) {
    COPIER
    ptx::cp_async_bulk(ptx::cluster_address(ptx::to_shared(stage)), zeros, sizeof stage,
                       ptx::cluster_address(ptx::to_shared(&full)), uint16{3});
  }
  if (lane == 0) full.wait(static_cast<decltype(token)>(token));
  cluster_barrier::arrive_and_wait();
}
"""
OWN, CLUSTER, GLOBAL = (f"ptx::fence_proxy_async(ptx::space_{space});" for space in ("shared", "cluster", "global"))

# Block 1 reads a word of block 0 twice; between the two, block 0 changes it, with all that is needed but what is left out.
WAITS = """
using uint32 = unsigned;
extern "C" __global__ void rule(unsigned* failures, unsigned* words) {
  unsigned *const data = words, *const turn = words + 64;
  if (blockIdx.x == 0) {
    while (atomicAdd(turn, 0) != 1) {}
    __threadfence();
    data[0] = 7;
    __threadfence();
    atomicAdd(turn, 1);
  } else {
    if (data[0] != 0) atomicAdd(failures, 1);
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(turn) : "memory");
    for (uint32 now = 0; now != 2;)
      asm volatile("LOAD %0, [%1];" : "=r"(now) : "l"(turn) : "memory");
    FENCE
    unsigned found;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(found) : "l"(data) : "memory");
    if (found != 7) atomicAdd(failures, 1);
  }
}
"""

# Block 0 tells block 1 through a multicast address that a word is there; STORE is how it does.
MULTICAST = """
extern "C" __global__ void rule(unsigned* failures, unsigned* words) {
  unsigned *const data = words, *const flag = words + 64;
  const unsigned long long everywhere = 1ull << 58 | 2ull << 48;
  if (blockIdx.x == 0) {
    DATA
    asm volatile("STORE [%0], 1;" ::"l"(everywhere | reinterpret_cast<unsigned long long>(flag)) : "memory");
  } else {
    for (unsigned now = 0; now != 1;)
      asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(now) : "l"(flag + 2048) : "memory");
    __threadfence_system();
    AFTER
    if (*static_cast<volatile unsigned*>(data + 2048) != 7) atomicAdd(failures, 1);
  }
}
"""
# A block's first copy: the copy engine must know that its barrier has been initialized. BETWEEN is what writes the barrier
# first, FENCE what tells the engine.
INITIALIZATIONS = """
#include <cuda/barrier>
#include <cudasync/ptx/cp_async_bulk.h>
using namespace cudasync;
extern "C" __global__ void rule(unsigned* failures, uint4* zeros) {
  __shared__ alignas(16) unsigned stage[32];
  __shared__ uint64 word;
  const auto bar = ptx::to_shared(&word);
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(bar, COUNT);
    FENCE
  }
  __syncthreads();
  BETWEEN
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect_tx(bar, sizeof stage);
    ptx::cp_async_bulk(ptx::cluster_address(ptx::to_shared(stage)), zeros, sizeof stage, ptx::cluster_address(bar));
  }
  while (!ptx::mbarrier_test_wait_parity(bar, 0)) {}
}
"""
# A word that no thread has initialized as a barrier.
WORDS = """
#include <cudasync/ptx/mbarrier.h>
using namespace cudasync;
extern "C" __global__ void rule(unsigned*, unsigned*) {
  __shared__ uint64 words[32];
  words[threadIdx.x] = 0;
  WAIT
}
"""
# A stage is filled by FILL, and then read by the copy engine.
STAGES = """
#include <cuda/barrier>
#include <cudasync/ptx/cp_async.h>
#include <cudasync/ptx/cp_async_bulk.h>
using namespace cudasync;
extern "C" __global__ void rule(unsigned* failures, uint4* zeros) {
  __shared__ alignas(16) uint4 stage[32];
  FILL
  FENCE
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(zeros + 64 * (1 + blockIdx.x), ptx::to_shared(stage), sizeof stage);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group<0>();
  }
}
"""
# Block 0 changes a word twice, first by FIRST. Block 1 reads it later, and does not synchronize.
REPLACED = """
extern "C" __global__ void rule(unsigned* failures, unsigned* words) {
  if (blockIdx.x == 0) {
    FIRST
    asm volatile("st.relaxed.gpu.global.u32 [%0], 2;" ::"l"(words) : "memory");
  } else {
    __nanosleep(100000);
    unsigned found;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(found) : "l"(words) : "memory");
  }
}
"""
ORDINARY = "data[2048] = 7;"
ALIASED = 'asm volatile("multimem.st.weak.global.u32 [%0], 7;" ::"l"(everywhere | reinterpret_cast<unsigned long long>(data)) : "memory");'
ALIAS_FENCE = 'asm volatile("fence.proxy.alias;" ::: "memory");'


class Rule(NamedTuple):
    name: str
    source: str
    said: str  # a part of the failure; none: the machine says nothing
    parts: dict = {}
    finds_races: bool = True
    seeds: int = 6


def fences(name, said, **parts):
    return Rule(name, FENCES, said, {part: parts.get(part, "") for part in ("READER", "LEADER_AFTER", "LEADER", "COPIER")})


def waits(name, said, load, fence, finds_races):
    return Rule(name, WAITS, said, {"LOAD": load, "FENCE": fence}, finds_races)


def multicasts(name, said, store, data=ORDINARY, after=""):
    return Rule(name, MULTICAST, said, {"STORE": store, "DATA": data, "AFTER": after})


def initializations(name, said, fence, count="1", between=""):
    return Rule(name, INITIALIZATIONS, said, {"FENCE": fence, "COUNT": count, "BETWEEN": between})


def stages(name, said, fill, fence):
    return Rule(name, STAGES, said, {"FILL": fill, "FENCE": fence})


def words(name, said, wait):
    return Rule(name, WORDS, said, {"WAIT": wait})


def replaced(name, said, first):
    return Rule(name, REPLACED, said, {"FIRST": first})


CP_ASYNC = """
  ptx::cp_async(ptx::n32_t<16>(), ptx::to_shared(stage + threadIdx.x), zeros + threadIdx.x);
  ptx::cp_async_commit_group();
  ptx::cp_async_wait_group<0>();
"""
STORE = 'asm volatile("st.relaxed.SCOPE.global.u32 [%0], 1;" ::"l"(words) : "memory");'
INITIALIZED = "ptx::fence_mbarrier_init(ptx::sem_release_t(), ptx::scope_cluster_t());"
ARRIVAL = "if (threadIdx.x == 1) ptx::mbarrier_arrive(bar);"


RULES = [
    # A fence orders what is before it in causality order, in any thread, in the memory that it names.
    fences("no fence", "race: "),
    fences("a fence in each reader", "", READER=OWN),
    fences("a fence of another memory in each reader", "race: ", READER=GLOBAL),
    fences("a fence in one reader before the warp meets", "race: ", LEADER=OWN),
    fences("a fence in one reader after the warp has met", "", LEADER_AFTER=OWN),
    fences("a fence in the other block, for its own memory", "race: ", COPIER=OWN),
    fences("a fence in the other block, for the cluster", "", COPIER=CLUSTER),
    fences("a fence in the other block, for all memory", "", COPIER="ptx::fence_proxy_async();"),
    # The copy engine knows a barrier only after a fence, also if threads have changed the barrier since it was initialized.
    initializations("a copy for a barrier of which the copy engine does not know", "race: ", ""),
    initializations("a fence for the initialization of a barrier", "", INITIALIZED),
    initializations("a proxy fence for the initialization of a barrier", "", OWN),
    initializations("an arrival does not replace the fence", "race: ", "", "2", ARRIVAL),
    initializations("a fence before another thread's arrival", "", INITIALIZED, "2", ARRIVAL),
    # On an H200, a wait with parity 0 for eight bytes of zeros ends.
    words("a test of zeros", "", "while (!ptx::mbarrier_test_wait_parity(ptx::to_shared(words + threadIdx.x), 0)) {}"),
    words("a wait for zeros", "", "while (!ptx::mbarrier_try_wait_parity(ptx::to_shared(words + threadIdx.x), 0)) {}"),
    # cp.async accesses memory like its thread, so that a bulk copy needs a fence after it.
    stages("a bulk store after ordinary stores", "race: ", "stage[threadIdx.x] = uint4{};", ""),
    stages("a bulk store after cp.async", "race: ", CP_ASYNC, ""),
    stages("a bulk store after ordinary stores and a fence", "", "stage[threadIdx.x] = uint4{};", OWN),
    stages("a bulk store after cp.async and a fence", "", CP_ASYNC, OWN),
    # A later access of the same thread does not hide an earlier one that others may conflict with.
    replaced("a weak store before a strong one", "race: ", "*words = 1;"),
    replaced("a store at block scope before one at device scope", "race: ", STORE.replace("SCOPE", "cta")),
    replaced("two stores at device scope", "", STORE.replace("SCOPE", "gpu")),
    replaced("a store at system scope before one at device scope", "", STORE.replace("SCOPE", "sys")),
    # A load at block scope may read what the L1 cache has kept. Without race detection: the values alone show it.
    waits("polls at device scope", "", "ld.relaxed.gpu.global.u32", "__threadfence();", False),
    waits("polls at block scope", "hung", "ld.relaxed.cta.global.u32", "__threadfence();", False),
    waits("weak polls", "hung", "ld.global.u32", "__threadfence();", False),
    waits("acquires at block scope", "hung", "ld.acquire.cta.global.u32", "__threadfence();", False),
    waits("no fence after the polls", "1 failures", "ld.relaxed.gpu.global.u32", "", False),
    waits("a fence at block scope", "1 failures", "ld.relaxed.gpu.global.u32", "__threadfence_block();", False),
    waits("an acquire in place of a fence", "", "ld.acquire.gpu.global.u32", "", False),
    # The same with race detection.
    waits("ordered", "", "ld.relaxed.gpu.global.u32", "__threadfence();", True),
    waits("polls at block scope are a race", "race: ", "ld.relaxed.cta.global.u32", "__threadfence();", True),
    waits("a missing fence is a race", "race: ", "ld.relaxed.gpu.global.u32", "", True),
    # A store through a multicast address reaches each place, and releases there.
    multicasts("a release through a multicast address", "", "multimem.st.release.sys.global.u32"),
    multicasts("a relaxed store through a multicast address", "race: ", "multimem.st.relaxed.sys.global.u32"),
    multicasts("a release of the block through a multicast address", "race: ", "multimem.st.release.cta.global.u32"),
    multicasts("a fence before a relaxed store", "", "multimem.st.relaxed.sys.global.u32", ORDINARY + "__threadfence_system();"),
    multicasts("an ordinary store to a multicast address", "a multicast address, which only multimem", "st.release.sys.global.u32"),
    # Data that is stored there and loaded elsewhere needs a fence, on one side.
    multicasts("data through two addresses", "race: ", "multimem.st.release.sys.global.u32", ALIASED),
    multicasts("data through two addresses, with a fence before", "", "multimem.st.release.sys.global.u32", ALIASED + ALIAS_FENCE),
    multicasts("data through two addresses, with a fence after", "", "multimem.st.release.sys.global.u32", ALIASED, ALIAS_FENCE),
]

# A race at two pairs of lines, each many times. Then no thread ever ends.
RACES = """
extern "C" __global__ void rule(unsigned*, unsigned* words) {
  for (unsigned round = 0; round < 4; ++round) {
    words[round * 2] = threadIdx.x;
    words[round * 2 + 1] = threadIdx.x;
  }
  while (*static_cast<volatile unsigned*>(words + 100) == 0) {}
}
"""
EMPTY = 'extern "C" __global__ void rule(unsigned*, unsigned*) {}'
# Each block counts the blocks of its multiprocessor.
MULTIPROCESSORS = """
extern "C" __global__ void rule(unsigned* failures, unsigned* counts) {
  unsigned number;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  if (atomicAdd(counts + number, 1) != 0) atomicAdd(failures, 1);
}
"""


@functools.cache
def module(source, arch="90"):
    ptx, log = nvrtc.compile(source, "rule.cu", arch, ("-lineinfo", "-default-device"))
    assert ptx is not None, log
    return model.Module(ptx, 90)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_rule(rule):
    source = rule.source
    for part, text in rule.parts.items():
        source = source.replace(part, text)
    two = rule.source in (WAITS, MULTICAST, REPLACED)
    kernel = model.Kernel("rule", grid=(2, 1, 1), block=(1 if two else 32, 1, 1), cluster=(1 if two else 2, 1, 1), needs=90)
    found = []
    for seed in range(1, rule.seeds + 1):
        end, failures, said = module(source).run(kernel, seed, finds_races=rule.finds_races)
        if end != "finished" or failures:
            found.append(f"seed {seed}: {end}, {failures} failures\n{said}")
    if rule.said:
        assert any(rule.said in each for each in found), found or "nothing is reported"
    else:
        assert not found, found[0]


def test_blocks_have_multiprocessors_of_their_own():
    end, failures, said = module(MULTIPROCESSORS).run(model.Kernel("rule", grid=(132, 1, 1)), 1)
    assert (end, failures) == ("finished", 0), said


def test_first_race_ends_the_kernel():
    end, _, said = module(RACES).run(model.Kernel("rule", block=(64, 1, 1)), 1)
    assert (end, said.count("race: ")) == ("races", 1), said


def test_all_races_are_reported_once():
    end, _, said = module(RACES).run(model.Kernel("rule", block=(64, 1, 1)), 1, finds_races=2)
    assert (end, said.count("race: ")) == ("hung", 2), said


def test_grid_too_large_for_the_search_runs_without_it(monkeypatch):
    monkeypatch.setenv("CUDASYNC_MACHINE_MOST_THREADS", "1024")
    large = model.Kernel("rule", grid=(33, 1, 1), block=(32, 1, 1))
    end, _, said = module(EMPTY).run(large, 1)
    assert end == "finished" and "races are not looked for: 1056 threads, the limit is 1024" in said, said
    end, _, said = module(EMPTY).run(large, 1, finds_races=0)
    assert (end, said) == ("finished", "")


# The block that ends last reads what a lane of the first block has written long ago, or what all threads count.
LARGE = """
extern "C" __global__ void rule(unsigned* failures, unsigned* words) {
  __shared__ unsigned tile[128];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 37) words[64] = tile[threadIdx.x ^ 1];
  atomicAdd(words + 1, 1);
  __syncthreads();
  if (threadIdx.x != 0) return;
  FENCE
  if (atomicAdd(words, 1) + 1 != gridDim.x) return;
  FENCE
  if (words[WORD] != EXPECTED) atomicAdd(failures, 1);
}
"""


@pytest.mark.parametrize("word, expected, writer", [(64, "36", "(37,0,0) of block (0,0,0)"), (1, "128 * gridDim.x", "")])
def test_large_grid_keeps_what_ended_blocks_did(word, expected, writer):
    source = LARGE.replace("WORD", str(word)).replace("EXPECTED", expected)
    large = model.Kernel("rule", grid=(512, 1, 1), block=(128, 1, 1))
    end, _, said = module(source.replace("FENCE", "")).run(large, 1)
    assert end == "races" and writer in said, said
    end, failures, said = module(source.replace("FENCE", "__threadfence();")).run(large, 1)
    assert (end, failures, said) == ("finished", 0, "")


# Lanes of a warp count in one instruction; the thread of the other warp has met some of them.
LANES = """
extern "C" __global__ void rule(unsigned* failures, unsigned* words) {
  if (threadIdx.x < 32) {
    atomicAdd(words + 8, 1);
    MEND
    if (threadIdx.x == 9) asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(words) : "memory");
  } else {
    for (unsigned now = 0; now == 0;)
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(words) : "memory");
    if (words[8] != 32) atomicAdd(failures, 1);
  }
}
"""


def test_lanes_that_count_together_are_ordered_one_by_one():
    two = model.Kernel("rule", block=(33, 1, 1))
    for seed in range(1, 9):
        end, _, said = module(LANES.replace("MEND", "")).run(two, seed)
        assert end == "races" and "thread (9,0,0)" not in said, said
        end, failures, said = module(LANES.replace("MEND", "__syncwarp();")).run(two, seed)
        assert (end, failures, said) == ("finished", 0, "")


# A block allocates its tensor memory, as kernels for tcgen05 do.
TENSOR_MEMORY = """
extern "C" __global__ void rule(unsigned* failures, unsigned*) {
  __shared__ unsigned at[2];
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(at));
  if (threadIdx.x < 32) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], COLUMNS;" ::"r"(to) : "memory");
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(to + 4) : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
  }
  __syncthreads();
  if (at[0] != 0 || at[1] != COLUMNS) atomicAdd(failures, 1);
  __syncthreads();
  if (threadIdx.x >= 32) return;
  asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(at[FREED]));
  asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, COLUMNS;" ::"r"(at[0]));
}
"""


@pytest.mark.parametrize("columns, freed, said", [
    ("256", "1", ""), ("512", "1", "no 32 free columns"), ("48", "1", "powers of two"), ("256", "0", "not allocated with this")])
def test_tensor_memory_is_allocated_and_freed(columns, freed, said):
    source = TENSOR_MEMORY.replace("COLUMNS", columns).replace("FREED", freed)
    end, failures, found = module(source, "100a").run(model.Kernel("rule", block=(64, 1, 1), needs=100), 1)
    assert (end, failures) == ("faulted" if said else "finished", 0) and said in found, found


def test_tensor_memory_that_is_not_freed():
    source = TENSOR_MEMORY.replace("COLUMNS", "64").replace("FREED", "1")
    source = source.replace("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 64;", "// %0")
    end, _, found = module(source, "100a").run(model.Kernel("rule", block=(64, 1, 1), needs=100), 1)
    assert end == "faulted" and "not freed its tensor memory" in found, found


# A block also does the work of others, whose launches a function cancels that is not inlined.
CANCELS = """
#include <cudasync/work_stealing.h>
__noinline__ __device__ void work(unsigned* stolen) {
  bool is_own = true;
  cudasync::for_each_canceled_cluster([&](dim3) {
    if (!is_own) atomicAdd(stolen, 1);
    is_own = false;
  });
}
extern "C" __global__ void rule(unsigned* failures, unsigned*) { work(failures); }
"""


def test_launches_are_canceled_in_a_function():
    made = module(CANCELS, "100a")
    assert sum(made.run(model.Kernel("rule", grid=(6, 1, 1), needs=100), seed)[1] for seed in range(1, 9)) > 0


# Two arrivals, of which the first must not end the phase.
NO_COMPLETE = """
#include <cudasync/ptx/mbarrier.h>
using namespace cudasync;
extern "C" __global__ void rule(unsigned*, unsigned*) {
  __shared__ uint64 word;
  const auto bar = ptx::to_shared(&word);
  if (threadIdx.x != 0) return;
  ptx::mbarrier_init(bar, COUNT);
  static_cast<void>(ptx::mbarrier_arrive_no_complete(bar, 2));
}
"""


@pytest.mark.parametrize("count", [2, 3])
def test_arrivals_that_must_not_complete(count):
    end, _, said = module(NO_COMPLETE.replace("COUNT", str(count)), "80").run(model.Kernel("rule", needs=80), 1)
    assert end == ("faulted" if count == 2 else "finished") and ("which .noComplete forbids" in said) == (count == 2), said


# A warp stores four columns of its rows. Another one that has the same rows loads them after a barrier.
CELLS = """
extern "C" __global__ void rule(unsigned* failures, unsigned*) {
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, at = (warp % 4 * 32 << 16) + 8;
  unsigned cell[4] = {};
  if (warp == 1) {
    asm volatile("tcgen05.st.sync.aligned.32x32b.x4.b32 [%0], {%1, %2, %3, %4};"
                 ::"r"(at), "r"(lane), "r"(lane + 100), "r"(lane + 200), "r"(lane + 300) : "memory");
    STORED
    BEFORE
  }
  __syncthreads();
  if (warp == 5) {
    AFTER
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(cell[0]), "=r"(cell[1]), "=r"(cell[2]), "=r"(cell[3]) : "r"(at) : "memory");
    LOADED
    for (unsigned index = 0; index < 4; ++index)
      if (cell[index] != lane + 100 * index) atomicAdd(failures, 1);
  }
}
"""
CELLS_ORDER = {"STORED": "wait::st.sync.aligned", "BEFORE": "fence::before_thread_sync", "AFTER": "fence::after_thread_sync",
               "LOADED": "wait::ld.sync.aligned"}


@pytest.mark.parametrize("missing", [None, *CELLS_ORDER])
def test_cells_of_tensor_memory(missing):
    source = CELLS
    for word, name in CELLS_ORDER.items():
        source = source.replace(word, "" if word == missing else f'asm volatile("tcgen05.{name};" ::: "memory");')
    end, failures, said = module(source, "100a").run(model.Kernel("rule", block=(192, 1, 1), needs=100), 1)
    if missing == "LOADED":
        assert end == "races" and "what tcgen05.ld loads at" in said, said
    else:
        assert (end, failures) == ("races" if missing else "finished", 0), said
        assert not missing or "tensor memory + 8" in said
