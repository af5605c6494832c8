// The list of uses: kernels as programs have them, with the shapes in which they are measured.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_USES_USES_H
#define CUDASYNC_BENCHMARKS_USES_USES_H

#include "../harness.h"

namespace bench {

using u32 = unsigned;
using u64 = unsigned long long;

// The values of a shape that the compiler does not know.
struct numbers {
  u32 bytes, mask, pitch;
};

// What a kernel gets: a pointer to this in global memory, so that the compiler does not know where the pointers come from.
struct memory {
  const char* data;    // random bits
  const u32* indices;  // random bits
  char* state;         // zeros
  char* results;       // zeros
  numbers given;

  template <class Value>
  __device__ __forceinline__ const Value* data_as() const {
    return reinterpret_cast<const Value*>(data);
  }
  template <class Value>
  __device__ __forceinline__ Value* state_as(std::size_t offset = 0) const {
    return reinterpret_cast<Value*>(state + offset);
  }
  template <class Value>
  __device__ __forceinline__ Value* results_as(std::size_t offset = 0) const {
    return reinterpret_cast<Value*>(results + offset);
  }
};

inline constexpr std::size_t data_bytes = std::size_t{32} << 20;
inline constexpr u32 data_words = data_bytes / 4;
inline constexpr std::size_t most_result_bytes = std::size_t{8} << 20;

using kernel_of_use = void (*)(const memory*, int rounds);

// A kernel, and how it is launched.
struct shape {
  kernel_of_use kernel;
  int blocks, threads;
  int result_words = 0;  // 0: one for each thread
  numbers given = {};
  int shared_bytes = 0;             // dynamic shared memory
  kernel_of_use prepare = nullptr;  // one block, before each launch
  kernel_of_use finish = nullptr;   // 64 blocks, computes the results from the state

  std::string name() const { return std::to_string(threads) + "x" + std::to_string(blocks); }
};

struct use {
  contestant who;
  std::vector<shape> shapes;
};

// Uses enroll before main, in the translation units of their libraries.
inline std::vector<use>& uses() {
  static std::vector<use> all;
  return all;
}

// --- Parts of the kernels ---

__device__ __host__ inline u32 mixed(u32 number) {
  number ^= number >> 16;
  number *= 0x7feb352du;
  number ^= number >> 15;
  number *= 0x846ca68bu;
  return number ^ number >> 16;
}

// What a thread hands over in a round.
__device__ __forceinline__ u32 message(u32 round, u32 thread) {
  return (round * 7 + thread) * 2654435761u;
}

// Dependent instructions, two for each step.
template <int Steps = 4>
__device__ __forceinline__ u32 work(u32 value) {
#pragma unroll
  for (int step = 0; step < Steps; ++step)
    value = value * 1664525u + 1013904223u;
  return value;
}

template <int Threads>
__device__ __forceinline__ u32 thread_of_grid() {
  return blockIdx.x * Threads + threadIdx.x;
}

}  // namespace bench

#endif
