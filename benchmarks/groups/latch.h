// The kernel that measures device-scope latches, for any contestant: cycles from one latch to the next.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_GROUPS_LATCH_H
#define CUDASYNC_BENCHMARKS_GROUPS_LATCH_H

#include "../harness.h"
#include "../latency/wakeup.h"

namespace bench {

inline constexpr const char* latch_name = "all threads arrive_and_wait";
inline constexpr const char* latch_wakeup = "latch, ";

// A contestant is a class whose object is the latch in global memory:
//   void init(unsigned expected)      void count_down()      void wait()      void arrive_and_wait()
template <class Latch>
struct alignas(128) padded_latch {
  Latch latch;
};

template <class Latch>
__global__ void prepare_latches(padded_latch<Latch>* all, unsigned number, unsigned expected) {
  for (unsigned index = threadIdx.x; index < number; index += blockDim.x)
    all[index].latch.init(expected);
}

template <class Latch>
__global__ void __launch_bounds__(256)
    latch_phases(padded_latch<Latch>* all, unsigned warm_up, unsigned count, long long* cycles) {
  long long start = 0;
#pragma unroll 1
  for (unsigned phase = 0; phase < warm_up + count; ++phase) {
    if (phase == warm_up) start = clock64();
    all[phase].latch.arrive_and_wait();
  }
  const long long end = clock64();
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - start;
}

// For the wake-up latency: one latch per phase.
template <class Latch>
struct latch_of_phase {
  Latch latches[wakeup_iterations];

  __device__ __forceinline__ void init(unsigned) {
    for (Latch& each : latches)
      each.init(1);
  }
  __device__ __forceinline__ void arrive_only(unsigned phase) { latches[phase].count_down(); }
  __device__ __forceinline__ void arrive_and_wait(unsigned phase) { latches[phase].wait(); }
};

template <class Latch>
void enroll_latch(const std::string& name, const std::string& kind) {
  static_assert(sizeof(padded_latch<Latch>) == 128);
  const void* const kernel = reinterpret_cast<const void*>(&latch_phases<Latch>);
  const void* const prepare = reinterpret_cast<const void*>(&prepare_latches<Latch>);
  contestants().push_back({"latch", latch_name, name, kind, "native", kernel, prepare});
  enroll_device_wakeup<latch_of_phase<Latch>>(name, kind, "native", latch_wakeup);
}

}  // namespace bench

#endif
