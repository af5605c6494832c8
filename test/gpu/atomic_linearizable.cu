// Random operations of many threads on one word: some order of them explains all the values that they returned.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/atomic_random.h"
#include "../support/gpu_test.h"

#include <cuda/atomic>

using gpu_test::device_array;

template <class Atomic>
__global__ void operate_on_global_memory(typename Atomic::value_type* word, event* events, unsigned count) {
  const unsigned rank = blockIdx.x * blockDim.x + threadIdx.x;
  Atomic atom(*word);
  do_many(atom, events + rank * count, count, rank);
}

// Each block has a word of its own, whose last value it leaves in `words`.
template <class Atomic>
__global__ void operate_on_shared_memory(typename Atomic::value_type* words, event* events, unsigned count) {
  __shared__ typename Atomic::value_type word;
  const unsigned rank = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) word = 0;
  __syncthreads();
  Atomic atom(word);
  do_many(atom, events + rank * count, count, ~uint64_t{rank});
  __syncthreads();
  if (threadIdx.x == 0) words[blockIdx.x] = word;
}

template <class Value, cuda::thread_scope Scope>
void run_random_operations() {
  using atomic = cuda::atomic_ref<Value, Scope>;
  {
    constexpr unsigned blocks = 132, threads = 64, each = 8;
    const device_array<Value> word(1);
    const device_array<event> events(blocks * threads * each);
    gpu_test::run(operate_on_global_memory<atomic>, {blocks, threads}, word.get(), events.get(), each);
    check(events.values().data(), blocks * threads * each, word.values()[0]);
  }
  {
    constexpr unsigned blocks = 16, threads = 256, each = 16;
    const device_array<Value> words(blocks);
    const device_array<event> events(blocks * threads * each);
    gpu_test::run(operate_on_shared_memory<atomic>, {blocks, threads}, words.get(), events.get(), each);
    const std::vector<event> all = events.values();
    for (unsigned block = 0; block < blocks; ++block)
      check(all.data() + block * threads * each, threads * each, words.values()[block]);
  }
}

TEST(random_operations_on_8_bits) {
  run_random_operations<unsigned char, cuda::thread_scope_device>();
  run_random_operations<signed char, cuda::thread_scope_system>();
}
TEST(random_operations_on_16_bits) {
  run_random_operations<unsigned short, cuda::thread_scope_system>();
  run_random_operations<short, cuda::thread_scope_device>();
}
TEST(random_operations_on_32_bits) {
  run_random_operations<unsigned, cuda::thread_scope_device>();
  run_random_operations<int, cuda::thread_scope_system>();
}
TEST(random_operations_on_64_bits) {
  run_random_operations<unsigned long, cuda::thread_scope_system>();
  run_random_operations<long, cuda::thread_scope_device>();
}

// Every value is written once: there is one order alone, and in it the operations of a thread are in the thread's
// order.
template <class Atomic>
__global__ void write_unique_values(typename Atomic::value_type* word, event* events, unsigned count) {
  using value = typename Atomic::value_type;
  const unsigned rank = blockIdx.x * blockDim.x + threadIdx.x;
  Atomic atom(*word);
  value seen = atom.load(cuda::memory_order_relaxed);
  for (unsigned index = 0; index < count; ++index) {
    const auto own = static_cast<value>(rank * count + index + 1);
    if ((rank + index) % 3 == 0) {
      seen = atom.exchange(own, cuda::memory_order_relaxed);
      events[rank * count + index] = {seen, own, replace, false};
    } else {
      const bool has_failed = !atom.compare_exchange_strong(seen, own, cuda::memory_order_relaxed);
      events[rank * count + index] = {seen, own, compare, has_failed};
    }
  }
}
template <class Value>
void run_unique_values() {
  constexpr unsigned blocks = 132, threads = 64, each = 8, count = blocks * threads * each;
  const device_array<Value> word(1);
  const device_array<event> events(count);
  gpu_test::run(write_unique_values<cuda::atomic_ref<Value, cuda::thread_scope_device>>, {blocks, threads}, word.get(),
                events.get(), each);
  const std::vector<event> all = events.values();
  // The value that each value was replaced by; values are 1 more than the events that wrote them.
  std::vector<unsigned> next(count + 1, 0), position(count + 1, 0);
  unsigned successes = 0;
  for (unsigned index = 0; index < count; ++index) {
    if (all[index].has_failed) continue;
    ++successes;
    CHECK(next[all[index].before] == 0);
    next[all[index].before] = index + 1;
  }
  unsigned now = 0, length = 0;
  for (; next[now] != 0 && length < count; ++length) {
    now = next[now];
    position[now] = length + 1;
  }
  CHECK(length == successes && now == word.values()[0]);
  bool is_ordered = true;
  for (unsigned thread = 0; thread < blocks * threads; ++thread) {
    unsigned latest = 0;
    for (unsigned index = thread * each; index < (thread + 1) * each; ++index) {
      // What a failed one saw is no older than what the thread saw or wrote before.
      is_ordered &= position[all[index].before] >= latest;
      latest = position[all[index].has_failed ? all[index].before : index + 1];
    }
  }
  CHECK(is_ordered);
}
TEST(unique_values_form_one_chain) {
  run_unique_values<unsigned>();
  run_unique_values<unsigned long>();
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
