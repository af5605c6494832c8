// The kernel that measures a block's barrier, for any contestant: cycles from one phase to the next.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_LATENCY_BARRIER_H
#define CUDASYNC_BENCHMARKS_LATENCY_BARRIER_H

#include "../harness.h"

// The barriers of libcu++ have a constructor, which nvcc does not call for a __shared__ variable.
#pragma nv_diag_suppress static_var_with_dynamic_init

namespace bench {

// A contestant is a class whose object is the barrier in shared memory. Phases are numbered from 0, and a contestant
// may use only the parity of the number:
//   void init(unsigned expected)
//   void arrive_and_wait(unsigned phase)
//   auto arrive(unsigned phase)               void wait(token, unsigned phase)
//   void arrive_only(unsigned phase = 0)      void wait_parity(unsigned phase)
// An operation executes one phase, and returns a value that represents other work.
struct arrive_and_wait {
  static constexpr const char* name = "arrive_and_wait";
  template <class Barrier>
  static __device__ __forceinline__ unsigned step(Barrier& bar, unsigned phase, unsigned value) {
    bar.arrive_and_wait(phase);
    return value;
  }
};

// A few dependent instructions.
__device__ __forceinline__ unsigned work(unsigned value) {
#pragma unroll
  for (int step = 0; step < 4; ++step)
    value = value * 1664525u + 1013904223u;
  return value;
}

struct split {
  static constexpr const char* name = "arrive, work, wait(token)";
  template <class Barrier>
  static __device__ __forceinline__ unsigned step(Barrier& bar, unsigned phase, unsigned value) {
    auto token = bar.arrive(phase);
    value = work(value);
    bar.wait(static_cast<decltype(token)&&>(token), phase);
    return value;
  }
};

// Multiplications and additions of floats, each of which depends on the previous one.
__device__ __forceinline__ unsigned float_work(unsigned value, int steps) {
  float sum = static_cast<float>(value & 1023);
#pragma unroll
  for (int step = 0; step < steps; ++step)
    sum = sum * 0.999f + 0.5f;
  return static_cast<unsigned>(sum);
}

// The work between an arrival and its wait: Steps dependent operations, which take about 4 cycles each.
template <int Steps>
struct split_float {
  static constexpr const char* name = Steps == 16   ? "arrive, 16 FMA, wait(token)"
                                      : Steps == 32 ? "arrive, 32 FMA, wait(token)"
                                                    : "arrive, 64 FMA, wait(token)";
  template <class Barrier>
  static __device__ __forceinline__ unsigned step(Barrier& bar, unsigned phase, unsigned value) {
    auto token = bar.arrive(phase);
    value = float_work(value, Steps);
    bar.wait(static_cast<decltype(token)&&>(token), phase);
    return value;
  }
};

// Warps arrive at different times: every fourth warp without work, the others after 16, 32 and 48 operations.
struct staggered {
  static constexpr const char* name = "staggered arrivals, wait(token)";
  template <class Barrier>
  static __device__ __forceinline__ unsigned step(Barrier& bar, unsigned phase, unsigned value) {
    const unsigned late = (threadIdx.x / 32 + phase) % 4;
#pragma unroll 1
    for (unsigned turn = 0; turn < late; ++turn)
      value = float_work(value, 16);
    auto token = bar.arrive(phase);
    bar.wait(static_cast<decltype(token)&&>(token), phase);
    return value;
  }
};

struct parity {
  static constexpr const char* name = "arrive, wait_parity";
  template <class Barrier>
  static __device__ __forceinline__ unsigned step(Barrier& bar, unsigned phase, unsigned value) {
    bar.arrive_only();
    bar.wait_parity(phase);
    return value;
  }
};

template <class Operation, class Barrier>
__device__ __noinline__ unsigned step_out_of_line(Barrier& bar, unsigned phase, unsigned value) {
  return Operation::step(bar, phase, value);
}

template <class Barrier, class Operation, bool IsInlined>
__global__ void __launch_bounds__(1024) phases(unsigned warm_up, unsigned count, long long* cycles, unsigned* sink) {
  __shared__ Barrier bar;
  Barrier* pointer = &bar;
  if constexpr (!IsInlined) asm volatile("" : "+l"(pointer));  // the compiler no longer knows the memory space
  if (threadIdx.x == 0) bar.init(blockDim.x);
  __syncthreads();

  unsigned value = threadIdx.x;
  const auto run = [&](unsigned first, unsigned last) {
#pragma unroll 1
    for (unsigned phase = first; phase < last; ++phase)
      if constexpr (IsInlined)
        value = Operation::step(bar, phase, value);
      else
        value = step_out_of_line<Operation>(*pointer, phase, value);
  };
  run(0, warm_up);
  __syncthreads();
  const long long start = clock64();
  run(warm_up, warm_up + count);
  const long long end = clock64();
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - start;
  if (value == 0xffffffff) *sink = value;  // never true; prevents the compiler from removing the work
}

template <class Barrier, class Operation, bool IsInlined>
void enroll_operation(const std::string& name, const std::string& kind, const std::string& path) {
  const void* const kernel = reinterpret_cast<const void*>(&phases<Barrier, Operation, IsInlined>);
  contestants().push_back({"barrier", Operation::name, name, kind, path, kernel, nullptr});
}

template <class Barrier, bool IsInlined = true>
void enroll_barrier(const std::string& name, const std::string& kind, const std::string& path) {
  enroll_operation<Barrier, arrive_and_wait, IsInlined>(name, kind, path);
  enroll_operation<Barrier, split, IsInlined>(name, kind, path);
  if constexpr (IsInlined) {
    enroll_operation<Barrier, split_float<16>, true>(name, kind, path);
    enroll_operation<Barrier, split_float<32>, true>(name, kind, path);
    enroll_operation<Barrier, split_float<64>, true>(name, kind, path);
    enroll_operation<Barrier, staggered, true>(name, kind, path);
  }
  enroll_operation<Barrier, parity, IsInlined>(name, kind, path);
}

}  // namespace bench

#endif
