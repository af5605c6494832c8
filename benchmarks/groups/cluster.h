// The kernels that measure cluster barriers, for any contestant: cycles per phase, and per round trip of two blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_GROUPS_CLUSTER_H
#define CUDASYNC_BENCHMARKS_GROUPS_CLUSTER_H

#include "../harness.h"

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace bench {

inline constexpr const char* cluster_phase_name = "all threads of a cluster arrive_and_wait";
inline constexpr const char* remote_round_trip_name = "two blocks arrive on each other's barrier in turn";

// A contestant is a class with static void arrive_and_wait().
template <class Barrier>
__global__ void __launch_bounds__(1024) cluster_phases(unsigned warm_up, unsigned count, long long* cycles) {
#pragma unroll 1
  for (unsigned phase = 0; phase < warm_up; ++phase)
    Barrier::arrive_and_wait();
  const long long start = clock64();
#pragma unroll 1
  for (unsigned phase = 0; phase < count; ++phase)
    Barrier::arrive_and_wait();
  const long long end = clock64();
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - start;
}

__device__ __forceinline__ void sync_cluster() {
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

// A contestant is a class whose object is the barrier in shared memory:
//   void init()                              for one arrival per phase
//   auto in_block(unsigned rank)             returns a handle to the barrier of that block
//   static void arrive(handle)               void wait_parity(unsigned phase)
// Thread 0 of block 0 counts the cycles.
template <class Barrier>
__global__ void remote_round_trips(unsigned warm_up, unsigned count, long long* cycles) {
  __shared__ Barrier bar;
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank)::"memory");
  if (threadIdx.x == 0) {
    bar.init();
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  sync_cluster();
  if (threadIdx.x == 0) {
    const auto other = bar.in_block(rank ^ 1);
    long long start = 0;
    if (rank == 0) {
#pragma unroll 1
      for (unsigned phase = 0; phase < warm_up + count; ++phase) {
        if (phase == warm_up) start = clock64();
        Barrier::arrive(other);
        bar.wait_parity(phase);
      }
      cycles[blockIdx.x / 2] = clock64() - start;
    } else {
#pragma unroll 1
      for (unsigned phase = 0; phase < warm_up + count; ++phase) {
        bar.wait_parity(phase);
        Barrier::arrive(other);
      }
    }
  }
  sync_cluster();  // no block exits before the last arrival at its barrier
}

template <class Barrier>
void enroll_cluster_barrier(const std::string& name, const std::string& kind) {
  const void* const kernel = reinterpret_cast<const void*>(&cluster_phases<Barrier>);
  contestants().push_back({"cluster", cluster_phase_name, name, kind, "native", kernel, nullptr});
}

template <class Barrier>
void enroll_remote_barrier(const std::string& name, const std::string& kind) {
  const void* const kernel = reinterpret_cast<const void*>(&remote_round_trips<Barrier>);
  contestants().push_back({"cluster", remote_round_trip_name, name, kind, "native", kernel, nullptr});
}

}  // namespace bench

#endif
