// The kernel that measures a device-scope barrier, for any contestant: cycles from one phase to the next.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_LATENCY_DEVICE_BARRIER_H
#define CUDASYNC_BENCHMARKS_LATENCY_DEVICE_BARRIER_H

#include "../harness.h"

namespace bench {

inline constexpr const char* all_arrive = "all threads arrive_and_wait";
inline constexpr const char* leader_only = "thread 0 of each block arrive_and_wait, between __syncthreads";

// A contestant is a class whose object is the barrier in global memory:
//   void init(unsigned expected)      void arrive_and_wait(unsigned phase)
template <class Barrier>
__global__ void prepare_device_barrier(Barrier* bar, unsigned expected) {
  bar->init(expected);
}

template <class Barrier, bool IsLeaderOnly>
__global__ void __launch_bounds__(1024)
    device_phases(Barrier* bar, unsigned warm_up, unsigned count, long long* cycles) {
  long long start = 0;
#pragma unroll 1
  for (unsigned phase = 0; phase < warm_up + count; ++phase) {
    if (phase == warm_up) start = clock64();
    if constexpr (IsLeaderOnly) {
      __syncthreads();
      if (threadIdx.x == 0) bar->arrive_and_wait(phase);
      __syncthreads();
    } else {
      bar->arrive_and_wait(phase);
    }
  }
  const long long end = clock64();
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - start;
}

// has_leaders: whether the barrier also works if only one thread of each block uses it.
template <class Barrier>
void enroll_device_barrier(const std::string& name, const std::string& kind, bool has_leaders = true) {
  static_assert(sizeof(Barrier) <= 256);
  const void* const prepare = reinterpret_cast<const void*>(&prepare_device_barrier<Barrier>);
  const void* const all = reinterpret_cast<const void*>(&device_phases<Barrier, false>);
  const void* const leader = reinterpret_cast<const void*>(&device_phases<Barrier, true>);
  contestants().push_back({"device_barrier", all_arrive, name, kind, "sm70", all, prepare});
  if (has_leaders) contestants().push_back({"device_barrier", leader_only, name, kind, "sm70", leader, prepare});
}

}  // namespace bench

#endif
