// Waiting for atomics: it ends once the value has changed, not before, and what was written before the change is seen.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/duck_time.h"
#include "../support/gpu_test.h"

#include <cuda/atomic>

#include <stdint.h>

using cuda::memory_order_acquire;
using cuda::memory_order_relaxed;
using cuda::memory_order_release;
using gpu_test::device_array;

// Two threads take turns: each waits for the other's number and adds one. The data is plain, and beside it in the cache
// line lies a number that is read before, so that the line is in the first-level cache.
template <class Value>
struct game {
  Value turn;
  alignas(128) int data;
  int beside;
};
constexpr int rounds = 100;

struct by_old_value {
  template <class Atomic, class Value>
  static __device__ void wait(const Atomic& turn, Value old, Value now) {
    turn.wait(old);
    DEVICE_CHECK(turn.load(memory_order_relaxed) == now);
  }
};
struct by_old_value_and_acquire {
  template <class Atomic, class Value>
  static __device__ void wait(const Atomic& turn, Value old, Value now) {
    turn.wait(old, memory_order_acquire);
    DEVICE_CHECK(turn.load(memory_order_relaxed) == now);
  }
};
struct by_predicate {
  template <class Atomic, class Value>
  static __device__ void wait(const Atomic& turn, Value, Value now) {
    DEVICE_CHECK(turn.wait([=](Value value) { return value == now; }, memory_order_acquire) == now);
  }
};
struct by_fence {
  template <class Atomic, class Value>
  static __device__ void wait(const Atomic& turn, Value old, Value) {
    turn.wait(old, memory_order_relaxed);
    cuda::atomic_thread_fence(memory_order_acquire);
  }
};
struct by_wait_for {
  template <class Atomic, class Value>
  static __device__ void wait(const Atomic& turn, Value old, Value now) {
    if (now % 2 == 0)
      DEVICE_CHECK(turn.wait_for(old, seconds{5}, memory_order_acquire));
    else
      DEVICE_CHECK(turn.wait_for([=](Value value) { return value == now; }, seconds{5}));
  }
};
struct by_wait_until {
  template <class Atomic, class Value>
  static __device__ void wait(const Atomic& turn, Value old, Value now) {
    const auto limit = device_clock::in(5000000000);
    if (now % 2 == 0)
      DEVICE_CHECK(turn.wait_until(old, limit));
    else
      DEVICE_CHECK(turn.wait_until([=](Value value) { return value == now; }, limit, memory_order_acquire));
  }
};

// Role 1 moves at even numbers, role 0 at odd ones.
template <class How, cuda::thread_scope Scope, class Value>
__device__ void take_turns(game<Value>& shared, Value role) {
  const cuda::atomic_ref<Value, Scope> turn(shared.turn);
  for (int number = role; number < rounds; number += 2) {
    const int line_is_cached = shared.beside;
    if (number > 0) How::wait(turn, static_cast<Value>(number - 1), static_cast<Value>(number));
    DEVICE_CHECK(shared.data + line_is_cached == 3 * number);
    shared.data = 3 * (number + 1);
    if (number % 3 == 0)
      turn.store(static_cast<Value>(number + 1), memory_order_release);
    else
      turn.fetch_add(static_cast<Value>(1), memory_order_release);
    number % 2 == 0 ? turn.notify_one() : turn.notify_all();
  }
}
// A game for each lane of a pair of warps, in one block or in two.
template <class How, cuda::thread_scope Scope, class Value>
__global__ void play_in_grid(game<Value>* games) {
  const unsigned half = gridDim.x / 2;
  take_turns<How, Scope>(games[blockIdx.x % half * blockDim.x + threadIdx.x], static_cast<Value>(blockIdx.x / half));
}
template <class How, cuda::thread_scope Scope, class Value>
__global__ void play_in_block() {
  __shared__ game<Value> games[32];
  if (threadIdx.x < 32) games[threadIdx.x] = {};
  __syncthreads();
  take_turns<How, Scope>(games[threadIdx.x % 32], static_cast<Value>(threadIdx.x / 32));
}
template <class How, class Value>
void run_games() {
  const device_array<game<Value>> games(16 * 32), others(16 * 32);
  gpu_test::shape how{32, 32};
  how.cooperative = true;
  gpu_test::run(play_in_grid<How, cuda::thread_scope_device, Value>, how, games.get());
  gpu_test::run(play_in_grid<How, cuda::thread_scope_system, Value>, how, others.get());
  gpu_test::run(play_in_block<How, cuda::thread_scope_block, Value>, {4, 64});
  gpu_test::run(play_in_block<How, cuda::thread_scope_device, Value>, {4, 64});
}
TEST(wait_for_another_value) {
  run_games<by_old_value, int>();
  run_games<by_old_value_and_acquire, uint64_t>();
  run_games<by_old_value_and_acquire, uint8_t>();
  run_games<by_fence, uint16_t>();
}
TEST(wait_for_a_predicate) {
  run_games<by_predicate, int>();
  run_games<by_predicate, uint8_t>();
}
TEST(wait_with_time_limits) {
  run_games<by_wait_for, unsigned>();
  run_games<by_wait_until, short>();
}

// Nothing changes: waits end in time, and without having seen anything.
template <cuda::thread_scope Scope, class Value>
__device__ void wait_in_vain(Value& object) {
  const cuda::atomic_ref<Value, Scope> atom(object);
  const auto is_other = [](Value value) { return value != Value(7); };
  const unsigned long long start = gpu_test::nanoseconds();
  DEVICE_CHECK(!atom.wait_for(Value(7), microseconds{200}));
  const unsigned long long first = gpu_test::nanoseconds() - start;
  DEVICE_CHECK(!atom.wait_for(is_other, microseconds{200}));
  DEVICE_CHECK(!atom.wait_until(Value(7), device_clock::in(200000)));
  DEVICE_CHECK(!atom.wait_until(is_other, device_clock::in(200000), memory_order_acquire));
  const unsigned long long all = gpu_test::nanoseconds() - start;
  // The clock advances in steps of up to a microsecond or two on some GPUs.
  DEVICE_CHECK(first >= 195000 && all >= 790000);
  DEVICE_CHECK(all < 100000000);
  DEVICE_CHECK(!atom.wait_for(Value(7), nanoseconds{0}) && !atom.wait_for(Value(7), nanoseconds{-5}));
  DEVICE_CHECK(!atom.wait_until(Value(7), device_clock::in(-1000)));
  // What is so already is so at the last moment, too.
  DEVICE_CHECK(atom.wait_for(Value(8), nanoseconds{0}) && atom.wait_for(Value(8), nanoseconds{-1}));
  DEVICE_CHECK(atom.wait_until(Value(8), device_clock::in(-1000)));
  DEVICE_CHECK(atom.wait_for([](Value value) { return value == Value(7); }, nanoseconds{0}));
  atom.wait(Value(8));
}
template <cuda::thread_scope Scope, class Value>
__global__ void wait_in_vain_everywhere(Value* objects) {
  __shared__ Value shared_objects[32];
  Value local_object(7);
  objects[threadIdx.x] = shared_objects[threadIdx.x] = Value(7);
  wait_in_vain<Scope>(objects[threadIdx.x]);
  wait_in_vain<Scope>(shared_objects[threadIdx.x]);
  wait_in_vain<Scope>(local_object);
}
TEST(time_limits_end_waits) {
  gpu_test::run(wait_in_vain_everywhere<cuda::thread_scope_device, int>, {1, 32}, device_array<int>(32).get());
  gpu_test::run(wait_in_vain_everywhere<cuda::thread_scope_thread, long>, {1, 32}, device_array<long>(32).get());
  gpu_test::run(wait_in_vain_everywhere<cuda::thread_scope_system, float>, {1, 32}, device_array<float>(32).get());
  gpu_test::run(wait_in_vain_everywhere<cuda::thread_scope_block, char>, {1, 32}, device_array<char>(32).get());
}

// Bytes are compared: -0 is another value than +0, and a NaN is the same as itself.
__global__ void compare_bytes(float* object) {
  const cuda::atomic_ref<float, cuda::thread_scope_device> atom(*object);
  atom.store(-0.f);
  DEVICE_CHECK(atom.wait_for(0.f, nanoseconds{0}) && !atom.wait_for(-0.f, nanoseconds{0}));
  atom.store(__int_as_float(0x7fc00001));
  DEVICE_CHECK(!atom.wait_for(__int_as_float(0x7fc00001), nanoseconds{0}));
  DEVICE_CHECK(atom.wait_for(__int_as_float(0x7fc00002), nanoseconds{0}));
}
TEST(waits_compare_bytes) {
  gpu_test::run(compare_bytes, {1, 1}, device_array<float>(1).get());
}

// A flag as a lock: what it protects is plain. A warp's lanes contend with each other, too, and each holds the lock
// for some time: an update that two of them make at once gets lost.
struct locked {
  cuda::atomic_flag flag;
  alignas(128) unsigned counter;
  unsigned copies[4];
};
__device__ void lock_and_count(locked& all) {
  unsigned attempts = 0;
  while (all.flag.test_and_set(memory_order_acquire)) {
    if (++attempts == 1u << 22) return DEVICE_CHECK(false);
  }
  const unsigned before = all.counter;
  for (unsigned& copy : all.copies)
    DEVICE_CHECK(copy++ == before);
  all.counter = before + 1;
  all.flag.clear(memory_order_release);
}
__global__ void lock_in_global_memory(locked* all, unsigned each) {
  for (unsigned round = 0; round < each; ++round)
    lock_and_count(*all);
}
__global__ void lock_in_shared_memory(unsigned each) {
  __shared__ locked all;
  if (threadIdx.x == 0) {
    memset(static_cast<void*>(&all), 0, sizeof all);
    all.flag.clear();
  }
  __syncthreads();
  for (unsigned round = 0; round < each; ++round)
    lock_and_count(all);
  __syncthreads();
  DEVICE_CHECK(all.counter == each * blockDim.x && !all.flag.test());
}
__global__ void check_counter(const locked* all, unsigned counter) {
  DEVICE_CHECK(all->counter == counter && !all->flag.test(memory_order_relaxed));
}
TEST(flag_as_lock) {
  const device_array<locked> all(1);
  gpu_test::run(lock_in_global_memory, {16, 64}, all.get(), 3);
  gpu_test::run(check_counter, {1, 1}, all.get(), 16 * 64 * 3);
  gpu_test::run(lock_in_shared_memory, {8, 128}, 5);
}

// One thread sets and clears the flags that others wait for.
__global__ void wait_for_flags(cuda::atomic_flag* flags, int* data) {
  const bool leads = blockIdx.x == 0;
  for (int round = 1; round <= 50; ++round) {
    const bool is_set = round % 2 == 0;  // before this round
    cuda::atomic_flag& flag = flags[threadIdx.x];
    cuda::atomic_flag& answer = flags[blockDim.x + threadIdx.x];
    if (leads) {
      data[threadIdx.x] = round;
      if (is_set)
        flag.clear(memory_order_release);
      else
        DEVICE_CHECK(!flag.test_and_set(memory_order_release));
      flag.notify_one();
      answer.wait(is_set);
    } else {
      flag.wait(is_set, memory_order_acquire);
      DEVICE_CHECK(data[threadIdx.x] == round && flag.test(memory_order_acquire) != is_set);
      is_set ? answer.clear() : static_cast<void>(answer.test_and_set());
      answer.notify_all();
    }
  }
}
TEST(flags_are_waited_for) {
  const device_array<cuda::atomic_flag> flags(128);
  const device_array<int> data(64);
  gpu_test::shape how{2, 64};
  how.cooperative = true;
  gpu_test::run(wait_for_flags, how, flags.get(), data.get());
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
