// The kernel that measures device-scope semaphores, for any contestant: cycles per round of acquire, hold and release.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_GROUPS_SEMAPHORE_H
#define CUDASYNC_BENCHMARKS_GROUPS_SEMAPHORE_H

#include "../harness.h"
#include "../latency/wakeup.h"
#include "hand.h"

namespace bench {

inline constexpr const char* semaphore_wakeup = "semaphore, ";
inline constexpr unsigned permit_numbers[] = {1, 4, 64};

inline std::string semaphore_operation(unsigned permits) {
  return std::to_string(permits) + (permits == 1 ? " permit" : " permits");
}

// A contestant is a class whose object is the semaphore in global memory:
//   void init(unsigned permits)      void acquire()      void release()
template <class Semaphore>
__global__ void prepare_semaphore(Semaphore* semaphore, unsigned permits) {
  semaphore->init(permits);
}

template <class Semaphore>
__device__ __forceinline__ void semaphore_rounds(Semaphore* semaphore, unsigned count, unsigned hold) {
#pragma unroll 1
  for (unsigned round = 0; round < count; ++round) {
    semaphore->acquire();
    if (hold != 0) {
      const long long start = clock64();
      while (clock64() - start < hold) {
      }
    }
    semaphore->release();
  }
}

// All blocks begin at the same time: start is a counter of the blocks that are ready.
template <class Semaphore>
__global__ void __launch_bounds__(32) semaphore_contest(Semaphore* semaphore, unsigned* start, unsigned warm_up,
                                                        unsigned count, unsigned hold, long long* cycles) {
  semaphore_rounds(semaphore, warm_up, hold);
  __syncthreads();
  if (threadIdx.x == 0) {
    add_release(start, 1);
    while (load_acquire(start) != gridDim.x) {
    }
  }
  __syncthreads();
  const long long begin = clock64();
  semaphore_rounds(semaphore, count, hold);
  cycles[blockIdx.x * blockDim.x + threadIdx.x] = clock64() - begin;
}

// For the wake-up latency.
template <class Semaphore>
struct permit_of_phase {
  Semaphore semaphore;

  __device__ __forceinline__ void init(unsigned) { semaphore.init(0); }
  __device__ __forceinline__ void arrive_only(unsigned) { semaphore.release(); }
  __device__ __forceinline__ void arrive_and_wait(unsigned) { semaphore.acquire(); }
};

template <class Semaphore>
void enroll_semaphore_wakeup(const std::string& name, const std::string& kind) {
  enroll_device_wakeup<permit_of_phase<Semaphore>>(name, kind, "native", semaphore_wakeup);
}

// most_permits: the largest number of permits that the semaphore can hold.
template <class Semaphore>
void enroll_semaphore(const std::string& name, const std::string& kind, unsigned most_permits = ~0u) {
  static_assert(sizeof(Semaphore) <= 256);
  const void* const kernel = reinterpret_cast<const void*>(&semaphore_contest<Semaphore>);
  const void* const prepare = reinterpret_cast<const void*>(&prepare_semaphore<Semaphore>);
  for (const unsigned permits : permit_numbers)
    if (permits <= most_permits)
      contestants().push_back({"semaphore", semaphore_operation(permits), name, kind, "native", kernel, prepare});
}

}  // namespace bench

#endif
