// The sum of 2^24 numbers in one launch: each block adds up its part, and the last block adds up the sums of the blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_PROGRAMS_REDUCTION_H
#define CUDASYNC_BENCHMARKS_PROGRAMS_REDUCTION_H

#include "../atomics/updates.h"

namespace bench {

inline constexpr const char* reduction_name = "sum of 2^24 integers";
inline constexpr u32 reduction_vectors = 1u << 22;
inline constexpr int reduction_threads = 256;

struct reduction_state {
  u32 ready;  // blocks whose sum is in sums
  u32 sums[4096];
};

// A contestant is a class of static functions:
//   void add_in_block(u32* shared_word, u32 value)      all threads call it; the word is 0 at first
//   bool is_last(u32* ready, u32* place, u32 sum)       thread 0 publishes the sum, and knows whether the others have
//   u32 read(u32* place)                                the sum of another block, after is_last
template <class Way>
__global__ void __launch_bounds__(reduction_threads) reduction(const uint4* numbers, reduction_state* state, u64* sum) {
  __shared__ u32 of_block;
  __shared__ bool is_last;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  u32 own = 0;
#pragma unroll 4
  for (u32 index = blockIdx.x * blockDim.x + threadIdx.x; index < reduction_vectors; index += gridDim.x * blockDim.x) {
    const uint4 vector = numbers[index];
    own += vector.x + vector.y + vector.z + vector.w;
  }
  Way::add_in_block(&of_block, own);
  __syncthreads();
  if (threadIdx.x == 0) is_last = Way::is_last(&state->ready, &state->sums[blockIdx.x], of_block);
  __syncthreads();
  if (!is_last) return;
  if (threadIdx.x == 0) {
    of_block = 0;
    state->ready = 0;
  }
  __syncthreads();
  own = 0;
  for (u32 block = threadIdx.x; block < gridDim.x; block += blockDim.x)
    own += Way::read(&state->sums[block]);
  Way::add_in_block(&of_block, own);
  __syncthreads();
  if (threadIdx.x == 0) *sum = of_block;
}

template <class Way>
void enroll_reduction(const std::string& name, const std::string& kind) {
  const void* const kernel = reinterpret_cast<const void*>(&reduction<Way>);
  contestants().push_back({"programs", reduction_name, name, kind, "native", kernel, nullptr});
}

}  // namespace bench

#endif
