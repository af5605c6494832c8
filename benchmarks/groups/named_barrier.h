// The kernel that measures a hardware barrier of a block, for any contestant: cycles from one phase to the next.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_GROUPS_NAMED_BARRIER_H
#define CUDASYNC_BENCHMARKS_GROUPS_NAMED_BARRIER_H

#include "../harness.h"

namespace bench {

// Which arguments are immediates.
inline constexpr const char* id_and_threads_given = "id and number of threads given";
inline constexpr const char* id_given = "id given, for all threads of the block";
inline constexpr const char* nothing_given = "id and number of threads known at run time";

inline constexpr int sync_threads[] = {64, 128, 256, 512};

// A contestant is a class template with the number of threads as its parameter. It has void sync() const, and an object
// is the barrier with an id.
template <class Barrier, int Threads>
__global__ void __launch_bounds__(Threads)
    sync_phases(unsigned id, unsigned warm_up, unsigned count, long long* cycles) {
  const Barrier bar(id);
#pragma unroll 1
  for (unsigned phase = 0; phase < warm_up; ++phase)
    bar.sync();
  const long long start = clock64();
#pragma unroll 1
  for (unsigned phase = 0; phase < count; ++phase)
    bar.sync();
  const long long end = clock64();
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - start;
}

template <template <unsigned> class Barrier>
void enroll_named_barrier(const std::string& operation, const std::string& name, const std::string& kind) {
  contestant who{"named_barrier", operation, name, kind, "native", nullptr, nullptr};
  who.kernels = {reinterpret_cast<const void*>(&sync_phases<Barrier<64>, 64>),
                 reinterpret_cast<const void*>(&sync_phases<Barrier<128>, 128>),
                 reinterpret_cast<const void*>(&sync_phases<Barrier<256>, 256>),
                 reinterpret_cast<const void*>(&sync_phases<Barrier<512>, 512>)};
  contestants().push_back(who);
}

}  // namespace bench

#endif
