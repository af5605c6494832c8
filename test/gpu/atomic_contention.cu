// Many threads of many blocks change few objects: no update is lost, and nothing beside the objects changes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/gpu_test.h"

#include <cuda/atomic>

#include <stdint.h>

#include <type_traits>

using gpu_test::device_array;

constexpr unsigned blocks = 132, threads = 256, loops = 8;

// Each thread's own bits: neither few nor many are set.
__host__ __device__ uint64_t bits_of(unsigned rank) {
  uint64_t bits = (rank + 1) * 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 29)) * 0xbf58476d1ce4e5b9;
  return bits ^ (bits >> 32);
}

// Loops around a compare-exchange take time that grows with the square of the number of threads: where there are
// such, only one warp in eight takes part.
__host__ __device__ bool takes_part(unsigned rank, unsigned period) {
  return rank / 32 % period == 0;
}

// One object for each operation.
enum operation { add, subtract, bitwise_or, bitwise_xor, bitwise_and, greatest, least, by_exchange, operations };
constexpr const char* names[] = {"add", "sub", "or", "xor", "and", "max", "min", "compare_exchange"};

template <class Value>
__host__ __device__ Value first_value(int what) {
  const auto sign = static_cast<Value>(std::is_signed_v<Value> ? uint64_t{1} << (8 * sizeof(Value) - 1) : 0);
  if (what == greatest) return sign;
  if (what == least) return static_cast<Value>(~sign);
  return static_cast<Value>(what == bitwise_and ? -1 : 0);
}

// What the threads with these ranks make of it. Unsigned sums: they wrap around.
template <class Value>
Value last_value(int what, unsigned first, unsigned count, unsigned period) {
  uint64_t result = static_cast<uint64_t>(first_value<Value>(what));
  for (unsigned rank = first; rank < first + count; ++rank) {
    if (!takes_part(rank, period)) continue;
    const uint64_t operand = bits_of(rank);
    const auto now = static_cast<Value>(result), other = static_cast<Value>(operand);
    if (what == add || what == by_exchange) result += operand;
    if (what == subtract) result -= operand;
    if (what == bitwise_or) result |= operand & 0x55;
    if (what == bitwise_xor) result ^= operand;
    if (what == bitwise_and) result &= operand | 0x33;
    if (what == greatest) result = static_cast<uint64_t>(now < other ? other : now);
    if (what == least) result = static_cast<uint64_t>(other < now ? other : now);
  }
  return static_cast<Value>(result);
}

// A compare-exchange loop ends sometime, for each failure is another thread's success.
template <class Atomic, class Value>
__device__ void add_by_exchange(Atomic&& atom, Value operand) {
  Value expected = atom.load(cuda::memory_order_relaxed);
  unsigned attempts = 0;
  while (!atom.compare_exchange_weak(expected, static_cast<Value>(expected + operand), cuda::memory_order_relaxed)) {
    if (++attempts == 1u << 22) return DEVICE_CHECK(false);
  }
}

// Objects are an array of `operations`, of Values or of atomics. Half of the threads ask for the old value.
template <class Atomic, class Object>
__device__ void change_all(Object* objects, unsigned rank, unsigned period, unsigned loop_period) {
  using value = typename Atomic::value_type;
  const auto operand = static_cast<value>(bits_of(rank));
  const auto atom = [&](operation what) -> decltype(auto) {
    if constexpr (std::is_same_v<Atomic, Object>)
      return (objects[what]);
    else
      return Atomic(objects[what]);
  };
  const auto some = static_cast<value>(operand & 0x55), most = static_cast<value>(operand | 0x33);
  if (takes_part(rank, period)) {
    if (rank % 2 == 0) {
      uint64_t seen = 0;
      seen += static_cast<uint64_t>(atom(add).fetch_add(operand, cuda::memory_order_relaxed));
      seen += static_cast<uint64_t>(atom(subtract).fetch_sub(operand, cuda::memory_order_relaxed));
      seen += static_cast<uint64_t>(atom(bitwise_or).fetch_or(some, cuda::memory_order_relaxed));
      seen += static_cast<uint64_t>(atom(bitwise_xor).fetch_xor(operand, cuda::memory_order_relaxed));
      seen += static_cast<uint64_t>(atom(bitwise_and).fetch_and(most, cuda::memory_order_relaxed));
      seen += static_cast<uint64_t>(atom(greatest).fetch_max(operand, cuda::memory_order_relaxed));
      seen += static_cast<uint64_t>(atom(least).fetch_min(operand, cuda::memory_order_relaxed));
      DEVICE_CHECK(seen != 0x123456789abcdef);  // used
    } else {
      atom(add).store_add(operand, cuda::memory_order_relaxed);
      atom(subtract).store_sub(operand, cuda::memory_order_release);
      atom(bitwise_or).store_or(some, cuda::memory_order_relaxed);
      atom(bitwise_xor).store_xor(operand, cuda::memory_order_release);
      atom(bitwise_and).store_and(most, cuda::memory_order_relaxed);
      atom(greatest).store_max(operand, cuda::memory_order_release);
      atom(least).store_min(operand, cuda::memory_order_relaxed);
    }
  }
  if (takes_part(rank, loop_period)) add_by_exchange(atom(by_exchange), operand);
}

template <class Value, class Object>
__host__ __device__ Value& value_in(Object& object) {
  return reinterpret_cast<Value&>(object);
}
template <class Value, class Object>
__host__ __device__ void begin(Object* objects) {
  for (int what = 0; what < operations; ++what)
    value_in<Value>(objects[what]) = first_value<Value>(what);
}

template <class Atomic, class Object>
__global__ void contend(Object* objects, typename Atomic::value_type* results) {
  using value = typename Atomic::value_type;
  __shared__ Object shared_objects[operations];
  const unsigned rank = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) begin<value>(shared_objects);
  __syncthreads();
  change_all<Atomic>(shared_objects, rank, 1, 1);
  change_all<Atomic>(objects, rank, sizeof(value) < 4 ? loops : 1, loops);
  __syncthreads();
  if (threadIdx.x < operations)
    results[blockIdx.x * operations + threadIdx.x] = value_in<value>(shared_objects[threadIdx.x]);
}

template <class Value, class Atomic, class Object>
void run_contention() {
  std::vector<Object> values(operations);
  begin<Value>(values.data());
  const device_array<Object> objects(operations);
  const size_t bytes = operations * sizeof(Object);
  gpu_test::expect_success(cudaMemcpy(objects.get(), values.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  const device_array<Value> of_blocks(blocks * operations);
  gpu_test::run(contend<Atomic, Object>, {blocks, threads}, objects.get(), of_blocks.get());
  gpu_test::expect_success(cudaMemcpy(static_cast<void*>(values.data()), objects.get(), bytes, cudaMemcpyDeviceToHost),
                           "cudaMemcpy");
  const std::vector<Value> shared_values = of_blocks.values();
  for (int what = 0; what < operations; ++what) {
    const unsigned period = what == by_exchange || sizeof(Value) < 4 ? loops : 1;
    unsigned wrong_blocks = 0;
    for (unsigned block = 0; block < blocks; ++block)
      wrong_blocks += shared_values[block * operations + static_cast<unsigned>(what)] !=
                      last_value<Value>(what, block * threads, threads, 1);
    const bool is_right = value_in<Value>(values[what]) == last_value<Value>(what, 0, blocks * threads, period);
    if (!is_right || wrong_blocks != 0) printf("%s:\n", names[what]);
    CHECK(is_right);
    CHECK(wrong_blocks == 0);
  }
}
template <class Value, cuda::thread_scope Scope>
void contend_for_references() {
  run_contention<Value, cuda::atomic_ref<Value, Scope>, Value>();
}
template <class Value, cuda::thread_scope Scope>
void contend_for_atomics() {
  using atomic = cuda::atomic<Value, Scope>;
  run_contention<Value, atomic, atomic>();
}

TEST(integers_of_8_bits) {
  contend_for_references<unsigned char, cuda::thread_scope_device>();
  contend_for_references<signed char, cuda::thread_scope_system>();
  contend_for_atomics<char, cuda::thread_scope_device>();
  contend_for_atomics<unsigned char, cuda::thread_scope_system>();
}
TEST(integers_of_16_bits) {
  contend_for_references<unsigned short, cuda::thread_scope_system>();
  contend_for_references<short, cuda::thread_scope_device>();
  contend_for_atomics<short, cuda::thread_scope_device>();
}
TEST(integers_of_32_bits) {
  contend_for_references<int, cuda::thread_scope_device>();
  contend_for_atomics<unsigned, cuda::thread_scope_system>();
}
TEST(integers_of_64_bits) {
  contend_for_references<unsigned long, cuda::thread_scope_device>();
  contend_for_atomics<long, cuda::thread_scope_system>();
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
