// The kernel in which all threads update elements of a table in L2, for any contestant, and the tables of operations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_ATOMICS_UPDATES_H
#define CUDASYNC_BENCHMARKS_ATOMICS_UPDATES_H

#include <cuda_fp16.h>

#include <type_traits>

#include "../harness.h"

namespace bench {

using u32 = unsigned int;
using u64 = unsigned long long;

// Returns a pseudorandom number, which is the same for all contestants. Source: the finalizer of MurmurHash3.
__device__ __forceinline__ u32 mixed(u32 value) {
  value = (value ^ value >> 16) * 0x85ebca6bu;
  value = (value ^ value >> 13) * 0xc2b2ae35u;
  return value ^ value >> 16;
}

// Update i of thread t has the number t + i * (number of all threads). It changes the element with this number or a
// random element. One of the two masks is zero and thus selects the other case. With a branch, the compiler would
// generate two loops for some contestants and one loop for others.
template <class Update>
__global__ void __launch_bounds__(1024)
    updates(typename Update::element* table, u32 random_mask, u32 number_mask, u32 count, u32* sink) {
  u32 sum = 0;
  u32 number = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 4
  for (u32 done = 0; done < count; ++done) {
    const u32 random = mixed(number);
    typename Update::element& place = table[(random & random_mask) | (number & number_mask)];
    if constexpr (std::is_void_v<decltype(Update::apply(place, random))>)
      Update::apply(place, random);
    else
      sum += static_cast<u32>(Update::apply(place, random));
    number += gridDim.x * blockDim.x;
  }
  if (sum == 0xfffffffe) *sink = sum;  // almost never true; prevents the compiler from removing the results
}

// Computes a weighted sum of the bytes of the value in each element.
template <class Update>
__global__ void sum_up(const typename Update::element* table, u32 elements, u64* sum) {
  u64 own = 0;
  for (u32 index = blockIdx.x * blockDim.x + threadIdx.x; index < elements; index += gridDim.x * blockDim.x) {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(table + index);
    for (u32 at = 0; at < sizeof(typename Update::value); ++at)
      own += u64{bytes[at]} * mixed(index * 16 + at);
  }
  atomicAdd(sum, own);
}

template <class Update>
void enroll_update(const char* benchmark, const std::string& operation, const std::string& name,
                   const std::string& kind) {
  const void* const kernel = reinterpret_cast<const void*>(&updates<Update>);
  const void* const verify = reinterpret_cast<const void*>(&sum_up<Update>);
  contestants().push_back({benchmark, operation, name, kind, "native", kernel, nullptr, verify});
}

// A contestant is a class of static functions:
//   void add(Value& place, Value operand)      and max and bit_or, without a result
//   Value fetch_add(Value& place, Value operand)
// For small values, it also has object<Value>, four bytes that begin with a value. add and fetch_add accept it as well.
// For vectors, it has void add_elements(Vector& place, Vector operand).

// --- Counters in L2: numbers of 32 and 64 bits, results unused ---

template <class Value>
__device__ __forceinline__ Value number_from(u32 random) {
  if constexpr (std::is_same_v<Value, u64>)
    return random * 0x9e3779b97f4a7c15ull;
  else
    return static_cast<Value>(static_cast<int>(random));
}

template <class Way, class Value>
struct add_one {
  using element = Value;
  using value = Value;
  static __device__ __forceinline__ void apply(element& place, u32) { Way::add(place, Value{1}); }
};
// The compiler does not know the memory space of the number.
template <class Way, class Value>
struct add_one_anywhere {
  using element = Value;
  using value = Value;
  static __device__ __forceinline__ void apply(element& place, u32) {
    Value* hidden = &place;
    asm volatile("" : "+l"(hidden));
    Way::add(*hidden, Value{1});
  }
};
template <class Way, class Value>
struct max_of {
  using element = Value;
  using value = Value;
  static __device__ __forceinline__ void apply(element& place, u32 random) {
    Way::max(place, number_from<Value>(random));
  }
};
template <class Way, class Value>
struct or_bit {
  using element = Value;
  using value = Value;
  static __device__ __forceinline__ void apply(element& place, u32 random) {
    Way::bit_or(place, static_cast<Value>(Value{1} << random % (8 * sizeof(Value))));
  }
};

template <class Way>
void enroll_numbers_anywhere(const std::string& name, const std::string& kind) {
  enroll_update<add_one_anywhere<Way, int>>("numbers", "int32 add, unknown space", name, kind);
  enroll_update<add_one_anywhere<Way, u64>>("numbers", "uint64 add, unknown space", name, kind);
}

template <class Way>
void enroll_numbers(const std::string& name, const std::string& kind) {
  enroll_update<add_one<Way, int>>("numbers", "int32 add", name, kind);
  enroll_update<max_of<Way, int>>("numbers", "int32 max", name, kind);
  enroll_update<or_bit<Way, int>>("numbers", "int32 or", name, kind);
  enroll_update<add_one<Way, u64>>("numbers", "uint64 add", name, kind);
  enroll_update<max_of<Way, u64>>("numbers", "uint64 max", name, kind);
  enroll_update<or_bit<Way, u64>>("numbers", "uint64 or", name, kind);
  enroll_update<add_one<Way, float>>("numbers", "float add", name, kind);
  enroll_update<add_one<Way, double>>("numbers", "double add", name, kind);
  enroll_update<max_of<Way, float>>("numbers", "float max", name, kind);
  enroll_update<max_of<Way, double>>("numbers", "double max", name, kind);
}

// --- Numbers of 8 and 16 bits ---

template <class Way, class Value, class Element, bool IsUsed>
struct add_small {
  using element = Element;
  using value = Value;
  static __device__ __forceinline__ auto apply(element& place, u32) {
    if constexpr (IsUsed)
      return Way::fetch_add(place, Value{1});
    else
      Way::add(place, Value{1});
  }
};

template <class Way, bool IsUsed>
void enroll_small_objects(const std::string& name, const std::string& kind) {
  const std::string how = IsUsed ? ", result used" : ", result unused";
  using byte = unsigned char;
  using signed_byte = signed char;
  using half_word = unsigned short;
  enroll_update<add_small<Way, byte, typename Way::template object<byte>, IsUsed>>("small", "uint8 objects" + how, name,
                                                                                   kind);
  enroll_update<add_small<Way, signed_byte, typename Way::template object<signed_byte>, IsUsed>>(
      "small", "int8 objects" + how, name, kind);
  enroll_update<add_small<Way, half_word, typename Way::template object<half_word>, IsUsed>>(
      "small", "uint16 objects" + how, name, kind);
}

template <class Way, bool IsUsed>
void enroll_small_references(const std::string& name, const std::string& kind) {
  const std::string how = IsUsed ? ", result used" : ", result unused";
  using byte = unsigned char;
  using half_word = unsigned short;
  enroll_update<add_small<Way, byte, byte, IsUsed>>("small", "uint8 references, packed" + how, name, kind);
  enroll_update<add_small<Way, half_word, half_word, IsUsed>>("small", "uint16 references, packed" + how, name, kind);
}

// --- Small vectors, element by element ---

template <class Vector>
__device__ __forceinline__ Vector ones() {
  if constexpr (std::is_same_v<Vector, float4>)
    return {1, 1, 1, 1};
  else if constexpr (std::is_same_v<Vector, float2>)
    return {1, 1};
  else
    return {__half(1), __half(1)};
}

template <class Way, class Vector>
struct add_ones {
  using element = Vector;
  using value = Vector;
  static __device__ __forceinline__ void apply(element& place, u32) { Way::add_elements(place, ones<Vector>()); }
};

template <class Way>
void enroll_float_vectors(const std::string& name, const std::string& kind) {
  enroll_update<add_ones<Way, float4>>("vectors", "float4 add", name, kind);
  enroll_update<add_ones<Way, float2>>("vectors", "float2 add", name, kind);
}
template <class Way>
void enroll_half_vectors(const std::string& name, const std::string& kind) {
  enroll_update<add_ones<Way, __half2>>("vectors", "__half2 add", name, kind);
}

}  // namespace bench

#endif
