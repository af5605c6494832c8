"""What the machine keeps of earlier accesses: a later access of another kind, ordered after the first, must not hide it."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import functools
import itertools

import pytest

from cudasync_tools import model, nvrtc

NONE, KINDS = 0, range(1, 9)
# Thread 0 makes the first access, and thread 0 or, after a barrier, a thread of another warp the second. A thread that takes no
# part in the barrier, or one of another block, makes the third.
SOURCE = """
typedef unsigned uint32;
__shared__ alignas(128) uint32 tile[4];
__device__ uint32 tile_address() { return static_cast<uint32>(__cvta_generic_to_shared(tile)); }
__device__ void make(uint32 kind, uint32* word, uint32 value) {
  uint32 old;
  switch (kind) {
  case 1: asm volatile("ld.global.u32 %0, [%1];" : "=r"(old) : "l"(word) : "memory"); break;
  case 2: asm volatile("st.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory"); break;
  case 3: asm volatile("st.relaxed.cta.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory"); break;
  case 4: asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory"); break;
  case 5: asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(old) : "l"(word) : "memory"); break;
  case 6: asm volatile("atom.relaxed.cta.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(word), "r"(value) : "memory"); break;
  case 7:
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(tile_address()), "l"(word) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    break;
  case 8:
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16;" ::"l"(word), "r"(tile_address()) : "memory");
    asm volatile("cp.async.bulk.commit_group;\\n cp.async.bulk.wait_group 0;" ::: "memory");
  }
}
__device__ void order() { asm volatile("fence.proxy.async;" ::: "memory"); }
extern "C" __global__ void rule(uint32* word, unsigned long long code) {
  const uint32 first = code & 15, second = code >> 4 & 15, third = code >> 8 & 15, is_other = code >> 12 & 1, is_remote = code >> 13 & 1;
  const uint32 me = threadIdx.x;
  if (blockIdx.x == 0 && me < 64) {
    if (me == 0) make(first, word, 1), order();
    asm volatile("bar.sync 1, 64;" ::: "memory");
    if (me == is_other * 32) make(second, word, 2);
  } else if (blockIdx.x == is_remote && me == 64) {
    __nanosleep(100000);
    make(third, word, 3);
  }
}
"""


@functools.cache
def module():
    ptx, log = nvrtc.compile(SOURCE, "rule.cu", "90", ("-lineinfo", "-default-device"))
    assert ptx is not None, log
    return model.Module(ptx, 90)


@functools.cache
def has_race(first, second, third, is_other, is_remote):
    kernel = model.Kernel("rule", grid=(2, 1, 1), block=(96, 1, 1), needs=90)
    code = first | second << 4 | third << 8 | is_other << 12 | is_remote << 13
    end, _, said = module().run(kernel, 1, number=code)
    assert end in ("finished", "races"), said
    return end == "races"


@pytest.mark.parametrize("is_remote", (0, 1), ids=("in the block", "of another block"))
@pytest.mark.parametrize("is_other", (0, 1), ids=("by the same thread", "by another thread"))
def test_later_accesses_hide_no_earlier_ones(is_other, is_remote):
    assert not any(has_race(first, second, NONE, is_other, is_remote) for first, second in itertools.product(KINDS, KINDS))
    wrong = []
    for first, second, third in itertools.product(KINDS, KINDS, KINDS):
        alone = has_race(first, NONE, third, 0, is_remote) or has_race(NONE, second, third, is_other, is_remote)
        if has_race(first, second, third, is_other, is_remote) != alone:
            wrong.append((first, second, third))
    assert not wrong
