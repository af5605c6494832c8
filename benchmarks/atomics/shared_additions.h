// The kernel in which all threads of a block add to numbers in shared memory, for any contestant.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_ATOMICS_SHARED_ADDITIONS_H
#define CUDASYNC_BENCHMARKS_ATOMICS_SHARED_ADDITIONS_H

#include "updates.h"

namespace bench {

inline constexpr u32 shared_words = 2048;  // a power of two

// A contestant is a class with static void add(Value* place, Value operand), relaxed at block scope. The result is the
// weighted sum of all numbers. IsKnown: the compiler knows that the numbers are in shared memory. One of the two masks is
// zero and thus selects random or consecutive numbers.
template <class Way, class Value, bool IsKnown>
__global__ void __launch_bounds__(1024) shared_additions(u32 count, u32 random_mask, u32 number_mask, u64* sum) {
  __shared__ Value words[shared_words];
  for (u32 word = threadIdx.x; word < shared_words; word += blockDim.x)
    words[word] = 0;
  __syncthreads();
  Value* place = words;
  if constexpr (!IsKnown) asm volatile("" : "+l"(place));
#pragma unroll 4
  for (u32 step = 0; step < count; ++step) {
    const u32 number = threadIdx.x + blockDim.x * step;
    Way::add(place + ((mixed(number) & random_mask) | (number & number_mask)), Value{1});
  }
  __syncthreads();
  u64 own = 0;
  for (u32 word = threadIdx.x; word < shared_words; word += blockDim.x)
    own += static_cast<u64>(words[word]) * (word + 1);
  atomicAdd(sum, own);
}

template <class Way, class Value>
void enroll_shared_additions_of(const char* type, const std::string& name, const std::string& kind) {
  const auto add = [&](const char* memory, const void* kernel) {
    contestants().push_back({"shared", std::string(type) + " add, " + memory, name, kind, "native", kernel, nullptr});
  };
  add("known space", reinterpret_cast<const void*>(&shared_additions<Way, Value, true>));
  add("unknown space", reinterpret_cast<const void*>(&shared_additions<Way, Value, false>));
}

template <class Way>
void enroll_shared_additions(const std::string& name, const std::string& kind) {
  enroll_shared_additions_of<Way, u32>("uint32", name, kind);
  enroll_shared_additions_of<Way, u64>("uint64", name, kind);
}

}  // namespace bench

#endif
