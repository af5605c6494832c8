// fetch_min and fetch_max of floating-point numbers follow the total order of IEEE 754, for every pair of a table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -NaN < -infinity < -1 < -subnormal < -0 < +0 < +subnormal < 1 < infinity < NaN.
#include "../support/gpu_test.h"

#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <stdint.h>

using gpu_test::device_array;

template <class Value>
struct layout;
template <>
struct layout<float> {
  using bits = uint32_t;
  static constexpr int fraction = 23;
};
template <>
struct layout<double> {
  using bits = uint64_t;
  static constexpr int fraction = 52;
};
template <>
struct layout<__half> {
  using bits = uint16_t;
  static constexpr int fraction = 10;
};
template <>
struct layout<__nv_bfloat16> {
  using bits = uint16_t;
  static constexpr int fraction = 7;
};
template <class Value>
using bits_of = typename layout<Value>::bits;
template <class Value>
constexpr uint64_t sign_bit = uint64_t{1} << (8 * sizeof(Value) - 1);

// The bits of numbers in ascending total order. Positive numbers ascend with their bits, negative ones descend.
template <class Value>
std::vector<bits_of<Value>> ascending() {
  const uint64_t unit = uint64_t{1} << layout<Value>::fraction, infinity = sign_bit<Value> - unit;
  const uint64_t one = (infinity / unit / 2) * unit;
  const uint64_t magnitudes[] = {0,
                                 1,
                                 unit / 2,
                                 unit - 1,
                                 unit,
                                 one,
                                 one + 1,
                                 2 * one,
                                 infinity - 1,
                                 infinity,
                                 infinity + 1,  // a signaling NaN
                                 infinity + unit / 2,
                                 sign_bit<Value> - 1};
  std::vector<bits_of<Value>> all;
  for (const uint64_t magnitude : magnitudes) {
    all.insert(all.begin(), static_cast<bits_of<Value>>(magnitude | sign_bit<Value>));
    all.push_back(static_cast<bits_of<Value>>(magnitude));
  }
  return all;
}
constexpr unsigned numbers = 26;

template <class Value, class Bits>
__host__ __device__ Value number_of(Bits bits) {
  Value value;
  memcpy(static_cast<void*>(&value), &bits, sizeof value);
  return value;
}
template <class Bits, class Value>
__device__ Bits bits_in(const Value& value) {
  Bits bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

// Thread x has the number x of the table in its object, and the operand is number y; smaller indices are smaller
// numbers.
template <class Value, cuda::thread_scope Scope>
__device__ __forceinline__ void compare(Value& object, const bits_of<Value>* table, unsigned x, unsigned y) {
  using bits = bits_of<Value>;
  const cuda::atomic_ref<Value, Scope> atom(object);
  const auto first = number_of<Value>(table[x]), second = number_of<Value>(table[y]);
  const bits least = table[x < y ? x : y], greatest = table[x < y ? y : x];
  object = first;
  DEVICE_CHECK(bits_in<bits>(atom.fetch_min(second)) == table[x]);
  DEVICE_CHECK(bits_in<bits>(object) == least);
  object = first;
  DEVICE_CHECK(bits_in<bits>(atom.fetch_max(second, cuda::memory_order_relaxed)) == table[x]);
  DEVICE_CHECK(bits_in<bits>(object) == greatest);
  object = first;
  atom.store_min(second, cuda::memory_order_relaxed);
  DEVICE_CHECK(bits_in<bits>(object) == least);
  object = first;
  atom.store_max(second);
  DEVICE_CHECK(bits_in<bits>(object) == greatest);
  // Bits are compared and exchanged, also those of NaNs.
  Value expected = second;
  object = first;
  DEVICE_CHECK(atom.compare_exchange_strong(expected, second) == (x == y));
  DEVICE_CHECK(bits_in<bits>(expected) == table[x] && bits_in<bits>(object) == table[x]);
}
template <class Value, cuda::thread_scope Scope>
__device__ __noinline__ void compare_somewhere(Value& object, const bits_of<Value>* table, unsigned x, unsigned y) {
  compare<Value, Scope>(object, table, x, y);
}

template <class Value, cuda::thread_scope Scope>
__global__ void compare_all(Value* objects, const bits_of<Value>* table) {
  __shared__ Value shared_objects[numbers];
  Value local_object;
  const unsigned x = threadIdx.x, y = blockIdx.x;
  Value& own = objects[y * numbers + x];
  compare<Value, Scope>(own, table, x, y);
  compare<Value, Scope>(shared_objects[x], table, x, y);
  compare<Value, Scope>(local_object, table, x, y);
  compare_somewhere<Value, Scope>(own, table, x, y);
  compare_somewhere<Value, Scope>(shared_objects[x], table, x, y);
}
template <class Value, cuda::thread_scope Scope>
void run_pairs() {
  const device_array<bits_of<Value>> table(ascending<Value>());
  CHECK(table.values().size() == numbers);
  const device_array<Value> objects(numbers * numbers);
  gpu_test::run(compare_all<Value, Scope>, {numbers, numbers}, objects.get(), table.get());
}
TEST(pairs_of_float) {
  run_pairs<float, cuda::thread_scope_thread>();
  run_pairs<float, cuda::thread_scope_block>();
  run_pairs<float, cuda::thread_scope_device>();
}
TEST(pairs_of_double) {
  run_pairs<double, cuda::thread_scope_thread>();
  run_pairs<double, cuda::thread_scope_cluster>();
  run_pairs<double, cuda::thread_scope_system>();
}
TEST(pairs_of_half) {
  run_pairs<__half, cuda::thread_scope_thread>();
  run_pairs<__half, cuda::thread_scope_device>();
}
TEST(pairs_of_bfloat16) {
  run_pairs<__nv_bfloat16, cuda::thread_scope_thread>();
  run_pairs<__nv_bfloat16, cuda::thread_scope_block>();
}

// All threads offer numbers of the table to the same objects, half of them asking for the old one.
template <class Value>
__global__ void offer_all(Value* extremes, const bits_of<Value>* table, unsigned lowest, unsigned highest) {
  __shared__ Value shared_extremes[2];
  if (threadIdx.x == 0) shared_extremes[0] = number_of<Value>(table[highest]);
  if (threadIdx.x == 0) shared_extremes[1] = number_of<Value>(table[lowest]);
  __syncthreads();
  const unsigned rank = blockIdx.x * blockDim.x + threadIdx.x;
  const auto operand = number_of<Value>(table[lowest + rank * 5 % (highest - lowest + 1)]);
  for (Value* const two : {extremes, shared_extremes}) {
    const cuda::atomic_ref<Value, cuda::thread_scope_device> least(two[0]), greatest(two[1]);
    if (rank % 2 == 0) {
      static_cast<void>(least.fetch_min(operand, cuda::memory_order_relaxed));
      greatest.store_max(operand, cuda::memory_order_relaxed);
    } else {
      least.store_min(operand, cuda::memory_order_relaxed);
      static_cast<void>(greatest.fetch_max(operand, cuda::memory_order_relaxed));
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    DEVICE_CHECK(bits_in<bits_of<Value>>(shared_extremes[0]) == table[lowest]);
    DEVICE_CHECK(bits_in<bits_of<Value>>(shared_extremes[1]) == table[highest]);
  }
}
template <class Value>
void run_contention() {
  const std::vector<bits_of<Value>> all = ascending<Value>();
  const device_array<bits_of<Value>> table(all);
  for (const unsigned lowest : {0u, 5u, 12u}) {
    for (const unsigned highest : {13u, 20u, numbers - 1}) {
      const std::vector<Value> first = {number_of<Value>(all[highest]), number_of<Value>(all[lowest])};
      const device_array<Value> extremes(first);
      gpu_test::run(offer_all<Value>, {32, 256}, extremes.get(), table.get(), lowest, highest);
      const std::vector<Value> last = extremes.values();
      CHECK(memcmp(&last[0], &all[lowest], sizeof(Value)) == 0);
      CHECK(memcmp(&last[1], &all[highest], sizeof(Value)) == 0);
    }
  }
}
TEST(extremes_of_many_threads) {
  run_contention<float>();
  run_contention<double>();
  run_contention<__half>();
  run_contention<__nv_bfloat16>();
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
