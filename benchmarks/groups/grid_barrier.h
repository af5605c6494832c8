// The kernel that measures a barrier of all blocks of a grid, for any contestant: cycles from one phase to the next.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_GROUPS_GRID_BARRIER_H
#define CUDASYNC_BENCHMARKS_GROUPS_GRID_BARRIER_H

#include "../harness.h"

namespace bench {

inline constexpr const char* grid_phase_name = "all blocks of a grid arrive_and_wait";

// A contestant is a class with void arrive_and_wait(). Its object is the barrier in global memory, whose bytes are zero
// at first. The launch bounds allow 2,048 threads per multiprocessor.
template <class Barrier>
__global__ void __launch_bounds__(1024, 2)
    grid_phases(Barrier* bar, unsigned warm_up, unsigned count, long long* cycles) {
#pragma unroll 1
  for (unsigned phase = 0; phase < warm_up; ++phase)
    bar->arrive_and_wait();
  const long long start = clock64();
#pragma unroll 1
  for (unsigned phase = 0; phase < count; ++phase)
    bar->arrive_and_wait();
  const long long end = clock64();
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - start;
}

template <class Barrier>
void enroll_grid_barrier(const std::string& name, const std::string& kind) {
  static_assert(sizeof(Barrier) <= 256);
  const void* const kernel = reinterpret_cast<const void*>(&grid_phases<Barrier>);
  contestants().push_back({"grid_barrier", grid_phase_name, name, kind, "native", kernel, nullptr});
}

}  // namespace bench

#endif
