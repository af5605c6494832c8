// The functions that hand-written device-scope latches and semaphores use, in addition to ../latency/device_hand.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_GROUPS_HAND_H
#define CUDASYNC_BENCHMARKS_GROUPS_HAND_H

#include "../latency/device_hand.h"

namespace bench {

__device__ __forceinline__ void reduce_add_release(unsigned* counter, unsigned value) {
  asm volatile("red.add.release.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(counter)), "r"(value)
               : "memory");
}

__device__ __forceinline__ unsigned read_relaxed(const unsigned* counter) {
  unsigned value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(counter)) : "memory");
  return value;
}

__device__ __forceinline__ unsigned compare_swap_acquire(unsigned* counter, unsigned expected, unsigned desired) {
  unsigned before;
  asm volatile("atom.cas.acquire.gpu.global.b32 %0, [%1], %2, %3;"
               : "=r"(before)
               : "l"(__cvta_generic_to_global(counter)), "r"(expected), "r"(desired)
               : "memory");
  return before;
}

}  // namespace bench

#endif
