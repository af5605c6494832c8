// Hand-written device-scope barriers: a counter that is never reset, and a counter that the last thread resets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_LATENCY_DEVICE_HAND_H
#define CUDASYNC_BENCHMARKS_LATENCY_DEVICE_HAND_H

namespace bench {

__device__ __forceinline__ unsigned add_release(unsigned* counter, unsigned value) {
  unsigned before;
  asm volatile("atom.add.release.gpu.global.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(__cvta_generic_to_global(counter)), "r"(value)
               : "memory");
  return before;
}

__device__ __forceinline__ unsigned load_acquire(const unsigned* counter) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(counter)) : "memory");
  return value;
}

__device__ __forceinline__ unsigned add_acq_rel(unsigned* counter, unsigned value) {
  unsigned before;
  asm volatile("atom.add.acq_rel.gpu.global.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(__cvta_generic_to_global(counter)), "r"(value)
               : "memory");
  return before;
}

__device__ __forceinline__ void store_release(unsigned* place, unsigned value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(place)), "r"(value) : "memory");
}

// Phase p is complete after (p + 1) * expected arrivals. The thread knows p.
struct raw_counter {
  unsigned count;
  unsigned expected;

  __device__ __forceinline__ void init(unsigned arrivals) {
    count = 0;
    expected = arrivals;
  }
  __device__ __forceinline__ void arrive() { add_release(&count, 1); }
  __device__ __forceinline__ void wait(unsigned phase) {
    const unsigned target = (phase + 1) * expected;
    while (static_cast<int>(load_acquire(&count) - target) < 0) {
    }
  }
  __device__ __forceinline__ void arrive_and_wait(unsigned phase) {
    arrive();
    wait(phase);
  }
};

// The same, but the thread computes the phase from its ticket, which is the result of the addition.
struct ticket_counter : raw_counter {
  __device__ __forceinline__ void arrive_and_wait(unsigned) {
    const unsigned ticket = add_release(&count, 1);
    const unsigned target = (ticket / expected + 1) * expected;
    while (static_cast<int>(load_acquire(&count) - target) < 0) {
    }
  }
};

// The last thread that arrives resets the count and flips the sense. The other threads wait for the sense, which is in
// a separate cache line.
struct sense_reversal {
  unsigned count;
  unsigned expected;
  alignas(128) unsigned sense;

  __device__ __forceinline__ void init(unsigned arrivals) {
    count = 0;
    expected = arrivals;
    sense = 0;
  }
  __device__ __forceinline__ void arrive_and_wait(unsigned phase) {
    if (add_acq_rel(&count, 1) + 1 == expected) {
      asm volatile("st.relaxed.gpu.global.u32 [%0], 0;" ::"l"(__cvta_generic_to_global(&count)) : "memory");
      store_release(&sense, phase + 1);
    } else {
      while (load_acquire(&sense) != phase + 1) {
      }
    }
  }
};

}  // namespace bench

#endif
