// The kernel in which one thread executes a chain of dependent operations, for any contestant.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_ATOMICS_CHAIN_H
#define CUDASYNC_BENCHMARKS_ATOMICS_CHAIN_H

#include <type_traits>

#include "../harness.h"

namespace bench {

// The memory of the word, as far as the compiler knows.
struct in_shared {};
struct in_global {};
struct anywhere {};
inline const std::vector<std::string> places{"shared", "global", "unknown: shared", "unknown: global"};

struct alignas(16) wide {
  unsigned long long low, high;
};

// Uses all bits of a value, because ptxas would not load an unused half.
template <class Value>
__device__ __forceinline__ unsigned long long folded(Value value) {
  if constexpr (std::is_same_v<Value, wide>)
    return value.low | value.high;
  else
    return value;
}
template <class Value>
__device__ __forceinline__ Value next(Value value) {
  if constexpr (std::is_same_v<Value, wide>)
    return {value.low + 1, value.high};
  else
    return value + 1;
}

// A contestant is a class of static functions. They are relaxed, with block scope in shared memory and device scope in
// other memory:
//   Value load(Space, Value* place)      Value fetch_add(Space, Value* place, Value operand), and exchange likewise
//   void store(Space, Value* place, Value operand)
//   bool compare_exchange(Space, Value* place, Value& expected, Value desired)
// A step executes one operation and returns the value on which the next step depends.
struct load_step {
  static constexpr const char* name = "load";
  template <class Way, class Space, class Value>
  static __device__ __forceinline__ Value step(Space space, Value* place, Value value) {
    return Way::load(space, place + folded(value));  // folded(value) is 0, so the location is always the same
  }
};
struct store_step {
  static constexpr const char* name = "store, then load";
  template <class Way, class Space, class Value>
  static __device__ __forceinline__ Value step(Space space, Value* place, Value value) {
    Way::store(space, place, next(value));
    return Way::load(space, place);
  }
};
struct fetch_add_step {
  static constexpr const char* name = "fetch_add";
  template <class Way, class Space, class Value>
  static __device__ __forceinline__ Value step(Space space, Value* place, Value value) {
    return Way::fetch_add(space, place, next(value));
  }
};
struct exchange_step {
  static constexpr const char* name = "exchange";
  template <class Way, class Space, class Value>
  static __device__ __forceinline__ Value step(Space space, Value* place, Value value) {
    return Way::exchange(space, place, next(value));
  }
};
struct compare_exchange_step {
  static constexpr const char* name = "compare_exchange";
  template <class Way, class Space, class Value>
  static __device__ __forceinline__ Value step(Space space, Value* place, Value value) {
    return Way::compare_exchange(space, place, value, next(value)) ? next(value) : value;
  }
};

// Many multiprocessors run one block each, and each block has its own word, because the distance of a multiprocessor
// from the L2 slice of a word varies.
constexpr unsigned chain_blocks = 128;
constexpr unsigned words_of_block = 64;

struct chain_outcome {
  long long cycles;
  unsigned long long last, left;  // the last returned value, and the final value in memory
};

template <class Way, class Step, class Space, class Value>
__device__ __forceinline__ void run_chain_at(Value* place, unsigned warm_up, unsigned count, chain_outcome* out) {
  Value value{};
#pragma unroll 1
  for (unsigned done = 0; done < warm_up; ++done)
    value = Step::template step<Way>(Space{}, place, value);
  const long long start = clock64();
#pragma unroll 1
  for (unsigned done = 0; done < count; ++done)
    value = Step::template step<Way>(Space{}, place, value);
  const long long end = clock64();
  *out = {end - start, folded(value), folded(*place)};
}

template <class Way, class Step, class Value>
__global__ void chain(Value* global, unsigned where, unsigned warm_up, unsigned count, chain_outcome* out) {
  __shared__ Value words[32];
  Value* const shared = words + threadIdx.x;  // the same address for all threads would be a special case for ptxas
  global += blockIdx.x * words_of_block + threadIdx.x;
  out += blockIdx.x;
  *shared = {};
  if (where == 0) return run_chain_at<Way, Step, in_shared>(shared, warm_up, count, out);
  if (where == 1) return run_chain_at<Way, Step, in_global>(global, warm_up, count, out);
  Value* hidden = where == 2 ? shared : global;
  asm volatile("" : "+l"(hidden));
  run_chain_at<Way, Step, anywhere>(hidden, warm_up, count, out);
}

template <class Way, class Step, class Value>
void enroll_step(const std::string& name, const std::string& kind) {
  const void* const kernel = reinterpret_cast<const void*>(&chain<Way, Step, Value>);
  const std::string operation = Step::name + (", " + std::to_string(8 * sizeof(Value))) + " bits";
  contestants().push_back({"chain", operation, name, kind, "native", kernel, nullptr});
}

template <class Way>
void enroll_updating_steps(const std::string& name, const std::string& kind) {
  using word = unsigned int;
  using double_word = unsigned long long;
  enroll_step<Way, fetch_add_step, word>(name, kind);
  enroll_step<Way, fetch_add_step, double_word>(name, kind);
  enroll_step<Way, exchange_step, word>(name, kind);
  enroll_step<Way, exchange_step, double_word>(name, kind);
  enroll_step<Way, compare_exchange_step, word>(name, kind);
  enroll_step<Way, compare_exchange_step, double_word>(name, kind);
}
template <class Way>
void enroll_loading_steps(const std::string& name, const std::string& kind) {
  enroll_step<Way, load_step, unsigned int>(name, kind);
  enroll_step<Way, load_step, unsigned long long>(name, kind);
  enroll_step<Way, store_step, unsigned int>(name, kind);
  enroll_step<Way, store_step, unsigned long long>(name, kind);
}
template <class Way>
void enroll_wide_steps(const std::string& name, const std::string& kind) {
  enroll_step<Way, load_step, wide>(name, kind);
  enroll_step<Way, exchange_step, wide>(name, kind);
  enroll_step<Way, compare_exchange_step, wide>(name, kind);
}

}  // namespace bench

#endif
