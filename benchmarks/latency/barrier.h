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
struct integer_work {
  static __device__ __forceinline__ unsigned run(unsigned value) {
#pragma unroll
    for (int step = 0; step < 4; ++step)
      value = value * 1664525u + 1013904223u;
    return value;
  }
};

// Multiplications and additions of floats, each of which depends on the previous one. Each takes about 4 cycles.
template <int Steps>
struct float_work {
  static __device__ __forceinline__ unsigned run(unsigned value) {
    float sum = static_cast<float>(value & 1023);
#pragma unroll
    for (int step = 0; step < Steps; ++step)
      sum = sum * 0.999f + 0.5f;
    return static_cast<unsigned>(sum);
  }
};

// A load from global memory that stays in L2. The address depends on the value, so loads are not combined. Each block has
// words of its own: if all blocks read the same words, the time of a phase is that of the line in L2 that most of them read.
constexpr unsigned blocks_with_words = 1024;
__device__ unsigned words_in_l2[blocks_with_words][1024];
struct load_work {
  static __device__ __forceinline__ unsigned run(unsigned value) {
    return value + __ldcg(words_in_l2[blockIdx.x % blocks_with_words] + value % 1024);
  }
};

struct no_work {
  static __device__ __forceinline__ unsigned run(unsigned value) { return value; }
};

// Work between an arrival and its wait.
template <class Work>
struct split_with {
  template <class Barrier>
  static __device__ __forceinline__ unsigned step(Barrier& bar, unsigned phase, unsigned value) {
    auto token = bar.arrive(phase);
    value = Work::run(value);
    bar.wait(static_cast<decltype(token)&&>(token), phase);
    return value;
  }
};
template <class Work>
struct parity_with {
  template <class Barrier>
  static __device__ __forceinline__ unsigned step(Barrier& bar, unsigned phase, unsigned value) {
    bar.arrive_only();
    value = Work::run(value);
    bar.wait_parity(phase);
    return value;
  }
};

struct split : split_with<integer_work> {
  static constexpr const char* name = "arrive, work, wait(token)";
};
template <int Steps>
struct split_float : split_with<float_work<Steps>> {
  static constexpr const char* name = Steps == 16   ? "arrive, 16 FMA, wait(token)"
                                      : Steps == 32 ? "arrive, 32 FMA, wait(token)"
                                                    : "arrive, 64 FMA, wait(token)";
};
struct split_load : split_with<load_work> {
  static constexpr const char* name = "arrive, a load, wait(token)";
};
struct parity : parity_with<no_work> {
  static constexpr const char* name = "arrive, wait_parity";
};
template <int Steps>
struct parity_float : parity_with<float_work<Steps>> {
  static constexpr const char* name = Steps == 16   ? "arrive, 16 FMA, wait_parity"
                                      : Steps == 32 ? "arrive, 32 FMA, wait_parity"
                                                    : "arrive, 64 FMA, wait_parity";
};

// Work of a length that depends on the warp: none for every fourth warp, 16, 32 and 48 operations for the others.
__device__ __forceinline__ unsigned late_work(unsigned phase, unsigned value) {
  const unsigned late = (threadIdx.x / 32 + phase) % 4;
#pragma unroll 1
  for (unsigned turn = 0; turn < late; ++turn)
    value = float_work<16>::run(value);
  return value;
}

// Warps arrive at different times.
template <class Operation>
struct after_late_work {
  template <class Barrier>
  static __device__ __forceinline__ unsigned step(Barrier& bar, unsigned phase, unsigned value) {
    return Operation::step(bar, phase, late_work(phase, value));
  }
};
struct staggered : after_late_work<split_with<no_work>> {
  static constexpr const char* name = "staggered arrivals, wait(token)";
};
struct staggered_parity : after_late_work<parity> {
  static constexpr const char* name = "staggered arrivals, wait_parity";
};

template <class Operation, class Barrier>
__device__ __noinline__ unsigned step_out_of_line(Barrier& bar, unsigned phase, unsigned value) {
  return Operation::step(bar, phase, value);
}

// What the compiler sees of the barrier: the object, a pointer to an unknown memory space, or in addition a function that
// is not inlined.
enum class sight { object, pointer, function };

template <class Barrier, class Operation, sight Sight>
__global__ void __launch_bounds__(1024) phases(unsigned warm_up, unsigned count, long long* cycles, unsigned* sink) {
  __shared__ Barrier bar;
  Barrier* pointer = &bar;
  if constexpr (Sight != sight::object) asm volatile("" : "+l"(pointer));
  if (threadIdx.x == 0) bar.init(blockDim.x);
  __syncthreads();

  unsigned value = threadIdx.x;
  const auto run = [&](unsigned first, unsigned last) {
#pragma unroll 1
    for (unsigned phase = first; phase < last; ++phase)
      if constexpr (Sight == sight::object)
        value = Operation::step(bar, phase, value);
      else if constexpr (Sight == sight::pointer)
        value = Operation::step(*pointer, phase, value);
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

template <class Barrier, class Operation, sight Sight>
void enroll_operation(const std::string& name, const std::string& kind, const std::string& path) {
  const void* const kernel = reinterpret_cast<const void*>(&phases<Barrier, Operation, Sight>);
  contestants().push_back({"barrier", Operation::name, name, kind, path, kernel, nullptr});
}

template <class Barrier, sight Sight = sight::object>
void enroll_barrier(const std::string& name, const std::string& kind, const std::string& path) {
  enroll_operation<Barrier, arrive_and_wait, Sight>(name, kind, path);
  enroll_operation<Barrier, split, Sight>(name, kind, path);
  if constexpr (Sight == sight::object) {
    enroll_operation<Barrier, split_float<16>, Sight>(name, kind, path);
    enroll_operation<Barrier, split_float<32>, Sight>(name, kind, path);
    enroll_operation<Barrier, split_float<64>, Sight>(name, kind, path);
    enroll_operation<Barrier, split_load, Sight>(name, kind, path);
    enroll_operation<Barrier, staggered, Sight>(name, kind, path);
    enroll_operation<Barrier, parity_float<16>, Sight>(name, kind, path);
    enroll_operation<Barrier, parity_float<32>, Sight>(name, kind, path);
    enroll_operation<Barrier, parity_float<64>, Sight>(name, kind, path);
    enroll_operation<Barrier, staggered_parity, Sight>(name, kind, path);
  }
  enroll_operation<Barrier, parity, Sight>(name, kind, path);
}

}  // namespace bench

#endif
