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

__device__ __forceinline__ unsigned add_relaxed(unsigned* counter, unsigned value) {
  unsigned before;
  asm volatile("atom.add.relaxed.gpu.global.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(__cvta_generic_to_global(counter)), "r"(value)
               : "memory");
  return before;
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

// A barrier of all blocks of a grid. The arrivals are counted in one cache line. The last one stores the number of the next phase to a second line, which
// the other blocks poll. All bytes are zero at first.
struct two_lines {
  unsigned count;
  alignas(128) unsigned phase;

  __device__ __forceinline__ void arrive_and_wait() {
    __syncthreads();
    if (threadIdx.x == 0) {
      const unsigned ticket = add_acq_rel(&count, 1);
      const unsigned next = ticket / gridDim.x + 1;
      if (ticket + 1 == next * gridDim.x) {
        store_release(&phase, next);
      } else {
        while (load_acquire(&phase) != next) {
        }
      }
    }
    __syncthreads();
  }
};

}  // namespace bench

#endif
