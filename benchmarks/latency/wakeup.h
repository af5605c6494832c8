// The kernels that measure the wake-up latency of a thread after a long wait, for any contestant.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_LATENCY_WAKEUP_H
#define CUDASYNC_BENCHMARKS_LATENCY_WAKEUP_H

#include "../harness.h"

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace bench {

// The number of phases for which a contestant is used after its init.
inline constexpr unsigned wakeup_iterations = 8;

inline constexpr const char* block_wakeup_name = "block scope: from arrive to the end of the wait";
inline constexpr const char* device_wakeup_name = "device scope: from arrive to the end of the wait";
inline constexpr const char* device_round_trip_name =
    "device scope: from arrive to the arriver's seeing the waiter's answer";

__device__ __forceinline__ unsigned long long global_time() {
  unsigned long long nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds)::"memory");
  return nanoseconds;
}

__device__ __forceinline__ void let_pass(unsigned nanoseconds) {
  const unsigned long long start = global_time();
  while (global_time() - start < nanoseconds) {
  }
}

// Thread 0 waits, and thread 32 arrives after the delay. Both threads read the clock of their multiprocessor.
template <class Barrier>
__global__ void block_wakeup(unsigned iterations, unsigned delay, long long* cycles) {
  __shared__ Barrier bar;
  __shared__ volatile long long arrived;
  __shared__ volatile unsigned answered;
  if (threadIdx.x == 0) {
    bar.init(2);
    answered = 0;
  }
  __syncthreads();
#pragma unroll 1
  for (unsigned phase = 0; phase < iterations; ++phase) {
    if (threadIdx.x == 0) {
      bar.arrive_and_wait(phase);
      const long long woken = clock64();
      cycles[blockIdx.x * iterations + phase] = woken - arrived;
      answered = phase + 1;
    } else if (threadIdx.x == 32) {
      let_pass(delay);
      arrived = clock64();
      bar.arrive_only(phase);
      while (answered != phase + 1) {
      }
    }
  }
}

struct device_wakeup_times {
  unsigned long long arrived, woken;  // ns
  long long round_trip;               // cycles
};

__device__ __forceinline__ void store_relaxed(unsigned* flag, unsigned value) {
  asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}
__device__ __forceinline__ unsigned load_relaxed(const unsigned* flag) {
  unsigned value;
  asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

template <class Barrier>
struct alignas(128) wakeup_pair {
  Barrier bar;
  alignas(128) unsigned answered;
};

template <class Barrier>
__global__ void prepare_device_wakeup(void* storage, unsigned pairs) {
  auto* const all = static_cast<wakeup_pair<Barrier>*>(storage);
  for (unsigned pair = 0; pair < pairs; ++pair) {
    all[pair].bar.init(2);
    all[pair].answered = 0;
  }
}

// Even blocks wait, and odd blocks arrive after the delay. Each multiprocessor runs one block.
template <class Barrier>
__global__ void device_wakeup(void* storage, unsigned iterations, unsigned delay, device_wakeup_times* times) {
  if (threadIdx.x != 0) return;
  const unsigned pair = blockIdx.x / 2;
  wakeup_pair<Barrier>& shared = static_cast<wakeup_pair<Barrier>*>(storage)[pair];
#pragma unroll 1
  for (unsigned phase = 0; phase < iterations; ++phase) {
    device_wakeup_times& out = times[pair * iterations + phase];
    if (blockIdx.x % 2 == 0) {
      shared.bar.arrive_and_wait(phase);
      out.woken = global_time();
      store_relaxed(&shared.answered, phase + 1);
    } else {
      let_pass(delay);
      out.arrived = global_time();
      const long long start = clock64();
      shared.bar.arrive_only(phase);
      while (load_relaxed(&shared.answered) != phase + 1) {
      }
      out.round_trip = clock64() - start;
    }
  }
}

template <class Barrier>
void enroll_block_wakeup(const std::string& name, const std::string& kind, const std::string& path) {
  const void* const kernel = reinterpret_cast<const void*>(&block_wakeup<Barrier>);
  contestants().push_back({"wakeup", block_wakeup_name, name, kind, path, kernel, nullptr});
}

// what: a prefix for the name of the operation, which thus gets separate tables.
template <class Barrier>
void enroll_device_wakeup(const std::string& name, const std::string& kind, const std::string& path = "sm70",
                          const std::string& what = "") {
  static_assert(sizeof(wakeup_pair<Barrier>) <= 512);
  const void* const kernel = reinterpret_cast<const void*>(&device_wakeup<Barrier>);
  const void* const prepare = reinterpret_cast<const void*>(&prepare_device_wakeup<Barrier>);
  contestants().push_back({"wakeup", what + device_wakeup_name, name, kind, path, kernel, prepare});
  contestants().push_back({"wakeup", what + device_round_trip_name, name, kind, path, kernel, prepare});
}

}  // namespace bench

#endif
