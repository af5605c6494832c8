// Atomics of 8 and 16 bits access the word that they lie in: what lies beside them must not notice.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/gpu_test.h"

#include <cuda/atomic>

#include <stdint.h>

using gpu_test::device_array;

// Objects of every size lie together in words; each has threads of its own, which change it in one way. The last byte
// belongs to one thread, which knows nothing of atomics.
struct alignas(4) mixed_word {
  uint8_t sum;
  uint8_t toggled;
  uint16_t counted;
  uint16_t greatest;
  uint8_t exchanged;
  uint8_t plain;
};
constexpr unsigned roles = 6, words = 4, rounds = 64;
constexpr unsigned char guard = 0xa5;

struct results {
  unsigned char before[8];
  mixed_word word[words];
  unsigned char after[8];
};

__device__ uint8_t odd_bits(unsigned rank, unsigned round) {
  return static_cast<uint8_t>((rank * 37 + round * 11) | 1);
}

template <cuda::thread_scope Scope>
__device__ void hammer(mixed_word& word, unsigned rank, bool owns_plain) {
  using byte = cuda::atomic_ref<uint8_t, Scope>;
  using pair = cuda::atomic_ref<uint16_t, Scope>;
  volatile uint8_t& plain = word.plain;
  for (unsigned round = 0; round < rounds; ++round) {
    switch (rank % roles) {
    case 0:
      byte(word.sum).fetch_add(static_cast<uint8_t>(3), cuda::memory_order_relaxed);
      break;
    case 1:
      byte(word.toggled).fetch_xor(odd_bits(rank, round), cuda::memory_order_relaxed);
      break;
    case 2: {
      uint16_t expected = pair(word.counted).load(cuda::memory_order_relaxed);
      unsigned attempts = 0;
      while (!pair(word.counted)
                  .compare_exchange_weak(expected, static_cast<uint16_t>(expected + 1), cuda::memory_order_relaxed)) {
        if (++attempts == 1u << 22) return DEVICE_CHECK(false);
      }
      break;
    }
    case 3: {
      const auto operand = static_cast<uint16_t>(rank * rounds + round);
      const uint16_t before = pair(word.greatest).fetch_max(operand, cuda::memory_order_relaxed);
      DEVICE_CHECK(pair(word.greatest).load(cuda::memory_order_relaxed) >= (before > operand ? before : operand));
      break;
    }
    case 4:  // values of this role alone have the low bits 01
      DEVICE_CHECK(
          byte(word.exchanged).exchange(static_cast<uint8_t>(4 * (rank + round) | 1), cuda::memory_order_relaxed) % 4 <=
          1);
      break;
    default:
      if (!owns_plain) break;
      plain = static_cast<uint8_t>(round);
      DEVICE_CHECK(plain == static_cast<uint8_t>(round));
    }
  }
}

// What the threads of one block, or of all, have made of a word.
__device__ void check(const mixed_word& word, unsigned index, unsigned threads) {
  uint8_t sum = 0, toggled = 0;
  uint16_t counted = 0, greatest = 0;
  for (unsigned rank = 0; rank < threads; ++rank) {
    if (rank / roles % words != index) continue;
    for (unsigned round = 0; round < rounds; ++round) {
      if (rank % roles == 0) sum = static_cast<uint8_t>(sum + 3);
      if (rank % roles == 1) toggled = static_cast<uint8_t>(toggled ^ odd_bits(rank, round));
      if (rank % roles == 2) ++counted;
      const auto operand = static_cast<uint16_t>(rank * rounds + round);
      if (rank % roles == 3 && operand > greatest) greatest = operand;
    }
  }
  DEVICE_CHECK(word.sum == sum);
  DEVICE_CHECK(word.toggled == toggled);
  DEVICE_CHECK(word.counted == counted);
  DEVICE_CHECK(word.greatest == greatest);
  DEVICE_CHECK(word.exchanged % 4 == 1);
  DEVICE_CHECK(word.plain == rounds - 1);
}
__device__ void check_guards(const results& all) {
  for (int index = 0; index < 8; ++index)
    DEVICE_CHECK(all.before[index] == guard && all.after[index] == guard);
}
__device__ void begin(results& all) {
  memset(&all, guard, sizeof all);
  memset(all.word, 0, sizeof all.word);
}

__global__ void begin_in_global_memory(results* all) {
  begin(*all);
}
template <cuda::thread_scope Scope>
__global__ void hammer_in_global_memory(results* all) {
  const unsigned rank = blockIdx.x * blockDim.x + threadIdx.x;
  hammer<Scope>(all->word[rank / roles % words], rank, rank / roles < words);
}
__global__ void check_in_global_memory(const results* all, unsigned threads) {
  check(all->word[threadIdx.x], threadIdx.x, threads);
  check_guards(*all);
}
template <cuda::thread_scope Scope>
__global__ void hammer_in_shared_memory() {
  __shared__ results all;
  if (threadIdx.x == 0) begin(all);
  __syncthreads();
  hammer<Scope>(all.word[threadIdx.x / roles % words], threadIdx.x, threadIdx.x / roles < words);
  __syncthreads();
  if (threadIdx.x < words) check(all.word[threadIdx.x], threadIdx.x, blockDim.x);
  check_guards(all);
}

template <cuda::thread_scope Scope>
void run_hammer(unsigned blocks, unsigned threads) {
  const device_array<results> all(1);
  gpu_test::run(begin_in_global_memory, {1, 1}, all.get());
  gpu_test::run(hammer_in_global_memory<Scope>, {blocks, threads}, all.get());
  gpu_test::run(check_in_global_memory, {1, words}, all.get(), blocks * threads);
  gpu_test::run(hammer_in_shared_memory<Scope>, {blocks, threads});
}
TEST(objects_in_one_word_are_changed_by_a_block) {
  run_hammer<cuda::thread_scope_block>(1, 256);
  run_hammer<cuda::thread_scope_device>(1, 1024);
}
TEST(objects_in_one_word_are_changed_by_many_blocks) {
  run_hammer<cuda::thread_scope_device>(8, 128);
  run_hammer<cuda::thread_scope_system>(33, 31);
}

// An object between guards, at every offset in its word.
template <class Value>
struct alignas(4) guarded {
  Value value[12 / sizeof(Value)];
};

template <class Value, class Reference>
__device__ void change_in_every_way(Reference object) {
  const auto all = static_cast<Value>(-1), some = static_cast<Value>(0x55);
  Value expected = all;
  object.store(all);
  DEVICE_CHECK(object.compare_exchange_strong(expected, some));
  DEVICE_CHECK(!object.compare_exchange_strong(expected, all) && expected == some);
  object.fetch_add(all);
  object.fetch_sub(some);
  object.fetch_and(some);
  object.fetch_or(all);
  object.fetch_xor(some);
  object.fetch_max(all);
  object.fetch_min(Value(0));
  object.store_add(all);
  object.store_add(all);
  object.store_and(some);
  object.store_or(all);
  object.store_xor(all);
  object.exchange(all);
  object.store_min(Value(1));
  ++object;
  --object;
  object.store_max(Value(3));
  DEVICE_CHECK(object.exchange(some) == Value(3));
}
template <class Value, cuda::thread_scope Scope>
__device__ __noinline__ void change_between_guards(guarded<Value>& place) {
  constexpr int count = 12 / sizeof(Value);
  for (int index = 0; index < count; ++index) {
    memset(&place, guard, sizeof place);
    change_in_every_way<Value>(cuda::atomic_ref<Value, Scope>(place.value[index]));
    unsigned char bytes[sizeof place];
    memcpy(bytes, &place, sizeof place);
    for (int byte = 0; byte < 12; ++byte)
      DEVICE_CHECK(bytes[byte] == (byte == index * static_cast<int>(sizeof(Value))   ? 0x55
                                   : byte / static_cast<int>(sizeof(Value)) == index ? 0
                                                                                     : guard));
  }
}
template <class Value, cuda::thread_scope Scope>
__global__ void change_everywhere(guarded<Value>* places) {
  __shared__ guarded<Value> shared_places[32];
  [[maybe_unused]] guarded<Value> local_place;
  change_between_guards<Value, Scope>(places[threadIdx.x]);
  change_between_guards<Value, Scope>(shared_places[threadIdx.x]);
  if constexpr (Scope == cuda::thread_scope_thread) change_between_guards<Value, Scope>(local_place);
}
template <class Value, cuda::thread_scope Scope>
void run_between_guards() {
  const device_array<guarded<Value>> places(32);
  gpu_test::run(change_everywhere<Value, Scope>, {1, 32}, places.get());
}
TEST(bytes_beside_the_object_stay) {
  run_between_guards<unsigned char, cuda::thread_scope_thread>();
  run_between_guards<unsigned char, cuda::thread_scope_block>();
  run_between_guards<signed char, cuda::thread_scope_device>();
  run_between_guards<short, cuda::thread_scope_block>();
  run_between_guards<unsigned short, cuda::thread_scope_system>();
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
