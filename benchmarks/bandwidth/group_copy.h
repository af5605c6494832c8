// The kernels in which all threads of a block share a copy and wait for it on a barrier, for any contestant.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_BANDWIDTH_GROUP_COPY_H
#define CUDASYNC_BENCHMARKS_BANDWIDTH_GROUP_COPY_H

#include "ring.h"

namespace bench {

inline constexpr const char* copy_latency_name = "latency";
inline constexpr const char* copy_throughput_name = "throughput";
inline constexpr u32 copy_warm_up = 4;
inline constexpr u32 copy_turns = 8;  // one of this many blocks copies while the other blocks are idle

// The source of a copy: first + (number * step + block * block_step) % range.
struct copy_source {
  const char* first;
  u32 range;  // a power of two, as are both steps
  u32 step;
  u32 block_step;

  __device__ __forceinline__ const char* at(u32 number) const {
    return first + ((number * step + blockIdx.x * block_step) & (range - 1));
  }
};

__device__ __forceinline__ void add_words(const char* stage, u32 bytes, u64* total) {
  const u32* const words = reinterpret_cast<const u32*>(stage);
  for (u32 word = threadIdx.x; word < bytes / sizeof(u32); word += blockDim.x)
    *total += u64{words[word]} * (word + 1);
}

// A contestant is a class whose object is in shared memory:
//   void start()      all threads call it, and the kernel synchronizes them afterwards
//   void copy(char* destination, const char* source, u32 bytes, u32 parity)      copies and waits; parity of its number
//
// Measures the cycles from the call to the end of the wait, and adds them for all copies.
template <class Way>
__global__ void __launch_bounds__(512)
    copy_latency(copy_source source, u32 bytes, u32 count, u32 turn, long long* cycles, u64* total) {
  extern __shared__ __align__(128) char stage[];
  __shared__ Way way;
  if (blockIdx.x % copy_turns != turn) return;
  way.start();
  __syncthreads();
  long long spent = 0;
  u64 sum = 0;
#pragma unroll 1
  for (u32 number = 0; number < copy_warm_up + count; ++number) {
    const char* const from = source.at(number);
    __syncthreads();
    const long long start = clock64();
    way.copy(stage, from, bytes, number % 2);
    const long long end = clock64();
    if (number >= copy_warm_up) spent += end - start;
    add_words(stage, bytes, &sum);
    __syncthreads();
  }
  if (threadIdx.x == 0) cycles[blockIdx.x] = spent;
  atomicAdd(total, sum);
}

// Makes one copy after another, alternately to two stages. A thread that has waited for a copy knows that all threads
// have read the previous one.
template <class Way>
__global__ void __launch_bounds__(512)
    copy_throughput(copy_source source, u32 bytes, u32 count, u32, long long*, u64* total) {
  extern __shared__ __align__(128) char stages[];
  __shared__ Way way;
  way.start();
  __syncthreads();
  u64 sum = 0;
  u32 stage = 0;
#pragma unroll 1
  for (u32 number = 0; number < count; ++number) {
    way.copy(stages + stage, source.at(number), bytes, number % 2);
    sum += *reinterpret_cast<const u32*>(stages + stage + threadIdx.x * sizeof(u32) % bytes);
    stage = bytes - stage;
  }
  add_words(stages, bytes, &sum);
  add_words(stages + bytes, bytes, &sum);
  atomicAdd(total, sum);
}

template <class Way>
void enroll_group_copy(const std::string& name, const std::string& kind) {
  const auto add = [&](const char* operation, const void* kernel) {
    contestants().push_back({"group_copy", operation, name, kind, "sm90", kernel, nullptr});
  };
  add(copy_latency_name, reinterpret_cast<const void*>(&copy_latency<Way>));
  add(copy_throughput_name, reinterpret_cast<const void*>(&copy_throughput<Way>));
}

}  // namespace bench

#endif
