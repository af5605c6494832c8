// Atomic operations as messages: what the writer did before each releasing operation is seen after each acquiring one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/unnamed_bytes.h"
#include "kernel.h"

#include <cuda/atomic>
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

using cuda::memory_order;
using cuda::memory_order_acq_rel;
using cuda::memory_order_acquire;
using cuda::memory_order_relaxed;
using cuda::memory_order_release;
using cuda::memory_order_seq_cst;

template <class Value>
using device_ref = cuda::atomic_ref<Value, cuda::thread_scope_device>;

// Block 0 writes for block 1. Each message has its own data and its own object, so that no other message orders it.
struct mail {
  unsigned* failures;
  int* scratch;
  int next = 0;

  // write makes read true in the other block.
  template <class Write, class Read>
  __device__ void send(Write write, Read read) {
    int& data = scratch[next++];
    if (blockIdx.x == 0) {
      data = 1;
      write();
    } else {
      while (!read()) {
      }
      EXPECT(data == 1);
    }
  }

  // An object of zeros, 16 bytes from any other.
  template <class Object>
  __device__ Object& object() {
    return *reinterpret_cast<Object*>(scratch + 512 + 4 * next);
  }
};

// What no compiler knows.
__device__ memory_order at_run_time(const int* scratch, memory_order order) {
  return static_cast<memory_order>(static_cast<int>(order) + scratch[10000]);
}

// Whether the message is there, without its order. Who looks before a read-modify-write does not start a loop of
// compare-exchanges with a load that races: it has the narrowest scope.
template <class Ref>
__device__ bool is_there(Ref object) {
  return object.load(memory_order_relaxed) != typename Ref::value_type{};
}

// Operations with a result by which one block writes and another reads, in both cases with each of the orders.
template <class Value, class WriteOrder, class ReadOrder>
__device__ void send_by_results(mail& post, Value one, WriteOrder releasing, ReadOrder acquiring) {
  const Value zero{};
  const auto send = [&](auto write) {
    device_ref<Value> object(post.object<Value>());
    post.send([&] { write(object); },
              [&] {
                Value expected = one;
                return is_there(object) && object.compare_exchange_strong(expected, one, acquiring);
              });
  };
  send([&](auto object) { static_cast<void>(object.exchange(one, releasing)); });
  send([&](auto object) {
    Value expected = zero;
    static_cast<void>(object.compare_exchange_strong(expected, one, releasing));
  });
}

template <class Value, class WriteOrder, class ReadOrder>
__device__ void send_by_arithmetic(mail& post, Value one, WriteOrder releasing, ReadOrder acquiring) {
  const Value zero{};
  const auto send = [&](auto write, auto read) {
    device_ref<Value> object(post.object<Value>());
    post.send([&] { write(object); }, [&] { return is_there(object) && read(object); });
  };
  const auto by_addition = [&](auto object) { return object.fetch_add(zero, acquiring) == one; };
  const auto by_maximum = [&](auto object) { return object.fetch_max(zero, acquiring) == one; };
  send([&](auto object) { static_cast<void>(object.fetch_add(one, releasing)); }, by_addition);
  send([&](auto object) { static_cast<void>(object.fetch_max(one, releasing)); }, by_maximum);
  send([&](auto object) { static_cast<void>(object.fetch_min(-one, releasing)); },
       [&](auto object) { return object.fetch_min(zero, acquiring) == -one; });
}

// Writes whose old value nobody wants, and loads.
template <class Value, class WriteOrder, class ReadOrder>
__device__ void send_by_stores(mail& post, Value one, WriteOrder releasing, ReadOrder acquiring) {
  const auto send = [&](auto write) {
    device_ref<Value> object(post.object<Value>());
    post.send([&] { write(object); }, [&] { return object.load(acquiring) != Value{}; });
  };
  send([&](auto object) { object.store(one, releasing); });
  send([&](auto object) { object.store_add(one, releasing); });
  send([&](auto object) { object.store_max(one, releasing); });
  send([&](auto object) { object.store_min(-one, releasing); });
}

// run: grid=2 block=1
extern "C" __global__ void results_of_32_bits(unsigned* failures, int* scratch) {
  mail post{failures, scratch};
  send_by_results(post, 1, memory_order_release, memory_order_acquire);
  send_by_results(post, 1, memory_order_acq_rel, memory_order_acq_rel);
  send_by_arithmetic(post, 1, memory_order_release, memory_order_acquire);
}

// run: grid=2 block=1
extern "C" __global__ void results_of_64_bits(unsigned* failures, int* scratch) {
  mail post{failures, scratch};
  send_by_results(post, 1LL, memory_order_release, memory_order_acquire);
  send_by_arithmetic(post, 1LL, memory_order_release, memory_order_acquire);
  send_by_arithmetic(post, 1LL, memory_order_acq_rel, memory_order_seq_cst);
}

// run: grid=2 block=1
extern "C" __global__ void results_of_16_bits(unsigned* failures, int* scratch) {
  mail post{failures, scratch};
  send_by_results(post, static_cast<short>(1), memory_order_release, memory_order_acquire);
  send_by_results(post, static_cast<short>(1), memory_order_seq_cst, memory_order_seq_cst);
  send_by_arithmetic(post, static_cast<short>(1), memory_order_release, memory_order_acquire);
}

// run: grid=2 block=1
extern "C" __global__ void results_of_bytes(unsigned* failures, int* scratch) {
  mail post{failures, scratch};
  send_by_results(post, static_cast<signed char>(1), memory_order_release, memory_order_acquire);
  send_by_arithmetic(post, static_cast<signed char>(1), memory_order_acq_rel, memory_order_acq_rel);
}

// Bytes beside each other, of which each thread owns one: neither loses a bit to a neighbor.
// run: grid=2 block=8
extern "C" __global__ void neighboring_bytes(unsigned* failures, int* scratch) {
  auto* const bytes = reinterpret_cast<unsigned char*>(scratch + 512);
  const unsigned rank = blockIdx.x * blockDim.x + threadIdx.x;
  // Objects that start a compare-exchange loop by a load of the narrowest scope must not race: each thread of a word has its
  // turn.
  device_ref<int> turn(scratch[600]);
  if (rank == 0) {
    for (int index = 0; index < 16; ++index)
      bytes[index] = 1;
  }
  while (turn.load(memory_order_acquire) != static_cast<int>(rank)) {
  }
  device_ref<unsigned char> mine(bytes[rank]);
  static_cast<void>(mine.fetch_or(0xff, memory_order_relaxed));
  static_cast<void>(mine.fetch_add(static_cast<unsigned char>(rank + 2), memory_order_relaxed));
  unsigned char expected = static_cast<unsigned char>(rank + 1);
  EXPECT(mine.compare_exchange_strong(expected, 0xff, memory_order_relaxed));
  for (unsigned index = 0; index < 16; ++index)
    EXPECT(bytes[index] == (index <= rank ? 0xff : 1));
  turn.store(static_cast<int>(rank) + 1, memory_order_release);
}

// Two threads change bytes of one word by operations that have no instruction: each change must take place, although the
// other thread's change may make a try fail.
// run: block=2 seeds=20 races=0
extern "C" __global__ void changes_of_neighboring_bytes(unsigned* failures, int* scratch) {
  auto* const bytes = reinterpret_cast<unsigned char*>(scratch + 512);
  device_ref<unsigned char> added(bytes[threadIdx.x]);
  device_ref<unsigned char> exchanged(bytes[2 + threadIdx.x]);
  for (unsigned round = 0; round < 8; ++round) {
    EXPECT(added.fetch_add(1, memory_order_relaxed) == round);
    auto expected = static_cast<unsigned char>(round);
    EXPECT(exchanged.compare_exchange_strong(expected, static_cast<unsigned char>(round + 1), memory_order_relaxed));
  }
  EXPECT(bytes[threadIdx.x] == 8 && bytes[2 + threadIdx.x] == 8);
}

// Loops of compare-exchanges begin with a load at block scope, which races with the other block, and may read a value that
// the L1 cache has kept from before. Neither the result nor the order of the operation depends on it. The reader's cache has
// the data and the object from the beginning.
template <class Value, class Read>
__device__ void guess(mail& post, Read read) {
  unsigned* const failures = post.failures;
  const Value& value = post.object<Value>();
  device_ref<Value> object(post.object<Value>());
  auto& owner = post.object<cuda::atomic<Value, cuda::thread_scope_device>>();
  device_ref<int> turn(post.scratch[2048 + post.next]);
  if (blockIdx.x == 1) {
    EXPECT(post.scratch[post.next] == 0 && value == 0);
    turn.store(1, memory_order_release);
  } else {
    while (turn.load(memory_order_acquire) == 0) {
    }
  }
  post.send([&] { object.store(1, memory_order_release); }, [&] { return read(object, owner); });
}
template <class Value>
__device__ void guesses_of(mail& post) {
  guess<Value>(post, [](auto object, auto&) { return object.fetch_or(0, memory_order_acquire) == 1; });
  guess<Value>(post, [](auto object, auto&) { return object.fetch_add(0, memory_order_acquire) == 1; });
  guess<Value>(post, [](auto object, auto&) { return object.fetch_max(0, memory_order_acq_rel) == 1; });
  guess<Value>(post, [](auto object, auto&) {
    Value expected = 1;
    return object.compare_exchange_strong(expected, 2, memory_order_acquire);
  });
  guess<Value>(post, [](auto object, auto&) {
    Value expected = 2;
    return !object.compare_exchange_strong(expected, 3, memory_order_acquire) && expected == 1;
  });
  guess<Value>(post, [](auto object, auto&) { return object.exchange(0, memory_order_seq_cst) == 1; });
  guess<Value>(post, [](auto, auto& owner) {
    Value expected = 2;
    return !owner.compare_exchange_strong(expected, 3, memory_order_acquire) && expected == 1;
  });
}

// run: grid=2 block=1 seeds=6 races=0
extern "C" __global__ void guesses(unsigned* failures, int* scratch) {
  mail post{failures, scratch};
  guesses_of<unsigned char>(post);
  guesses_of<unsigned short>(post);
  guesses_of<int>(post);
  guesses_of<long long>(post);
}

// run: grid=2 block=1
extern "C" __global__ void results_of_floats(unsigned* failures, int* scratch) {
  mail post{failures, scratch};
  send_by_arithmetic(post, 1.0f, memory_order_release, memory_order_acquire);
  send_by_arithmetic(post, 1.0, memory_order_release, memory_order_acquire);
}

// run: grid=2 block=1
extern "C" __global__ void relaxed_results(unsigned* failures, int* scratch) {
  device_ref<int> count(*scratch);
  EXPECT(count.fetch_add(1, memory_order_relaxed) <= 1);
}

// run: grid=2 block=1
extern "C" __global__ void stores(unsigned* failures, int* scratch) {
  mail post{failures, scratch};
  send_by_stores(post, 1, memory_order_release, memory_order_acquire);
  send_by_stores(post, 1LL, memory_order_release, memory_order_acquire);
  send_by_stores(post, static_cast<short>(1), memory_order_release, memory_order_acquire);
  send_by_stores(post, 1.0f, memory_order_release, memory_order_acquire);
  send_by_stores(post, 1, memory_order_seq_cst, memory_order_seq_cst);
  send_by_stores(post, static_cast<short>(1), memory_order_seq_cst, memory_order_acquire);
}

// Orders that are known at run time only, with the switch over them.
template <class Send>
__device__ void send_with_orders_at_run_time(const int* scratch, Send send) {
  const auto consistent = at_run_time(scratch, memory_order_seq_cst);
  send(at_run_time(scratch, memory_order_release), at_run_time(scratch, memory_order_acquire));
  send(at_run_time(scratch, memory_order_acq_rel), at_run_time(scratch, memory_order_acq_rel));
  send(consistent, consistent);
}

// run: block=1
extern "C" __global__ void values_at_run_time(unsigned* failures, int* scratch) {
  device_ref<int> object(scratch[512]);
  int value = 0;
  const auto change = [&](auto order) {
    object.store(++value, order);
    EXPECT(scratch[512] == value);
    object.store_add(1, order);
    EXPECT(scratch[512] == ++value);
  };
  change(at_run_time(scratch, memory_order_relaxed));
  change(at_run_time(scratch, memory_order_release));
  change(at_run_time(scratch, memory_order_seq_cst));
}

// run: grid=2 block=1
extern "C" __global__ void stores_at_run_time(unsigned* failures, int* scratch) {
  mail post{failures, scratch};
  const auto consistent = at_run_time(scratch, memory_order_seq_cst);
  send_by_stores(post, 1, at_run_time(scratch, memory_order_release), at_run_time(scratch, memory_order_acquire));
  send_by_stores(post, 1, consistent, consistent);
}

// run: grid=2 block=1
extern "C" __global__ void results_at_run_time(unsigned* failures, int* scratch) {
  mail post{failures, scratch};
  send_with_orders_at_run_time(scratch, [&](auto releasing, auto acquiring) {
    send_by_results(post, 1, releasing, acquiring);
    device_ref<int> object(post.object<int>());
    post.send([&] { object.store(1, memory_order_release); },
              [&] { return is_there(object) && object.fetch_add(0, acquiring) == 1; });
  });
}

// Relaxed operations of two blocks: they order nothing, but reach each other.
// run: grid=2 block=1
extern "C" __global__ void relaxed_at_run_time(unsigned* failures, int* scratch) {
  const auto order = at_run_time(scratch, memory_order_relaxed);
  device_ref<int> object(scratch[512]);
  object.wait(-1, order);
  object.store(1, order);
  static_cast<void>(object.load(order));
  static_cast<void>(object.exchange(2, order));
  static_cast<void>(object.fetch_add(2, order));
  object.store_add(2, order);
  int expected = 2;
  object.compare_exchange_strong(expected, 3, order);
  cuda::atomic_thread_fence(order, cuda::thread_scope_device);
  object.wait(-1, order);
  EXPECT(object.load(order) > 0);
}

// run: grid=2 block=1
extern "C" __global__ void fences(unsigned* failures, int* scratch) {
  mail post{failures, scratch};
  const auto send = [&](auto releasing, auto acquiring) {
    device_ref<int> object(post.object<int>());
    post.send(
        [&] {
          cuda::atomic_thread_fence(releasing, cuda::thread_scope_device);
          object.store(1, memory_order_relaxed);
        },
        [&] {
          if (object.load(memory_order_relaxed) == 0) return false;
          cuda::atomic_thread_fence(acquiring, cuda::thread_scope_device);
          return true;
        });
  };
  send(memory_order_release, memory_order_acquire);
  send(memory_order_acq_rel, memory_order_acq_rel);
  send(memory_order_seq_cst, memory_order_seq_cst);
  send(at_run_time(scratch, memory_order_release), at_run_time(scratch, memory_order_acquire));
  send(at_run_time(scratch, memory_order_acq_rel), at_run_time(scratch, memory_order_acq_rel));
  send(at_run_time(scratch, memory_order_seq_cst), at_run_time(scratch, memory_order_seq_cst));
}

// run: grid=2 block=1
extern "C" __global__ void fences_of_the_system(unsigned* failures, int* scratch) {
  mail post{failures, scratch};
  device_ref<int> object(post.object<int>());
  post.send(
      [&] {
        cuda::atomic_thread_fence(memory_order_release);
        object.store(1, memory_order_relaxed);
      },
      [&] {
        if (object.load(memory_order_relaxed) == 0) return false;
        cuda::atomic_thread_fence(memory_order_acquire);
        return true;
      });
}

// run: grid=2 block=1
extern "C" __global__ void waits(unsigned* failures, int* scratch) {
  mail post{failures, scratch};
  const auto send = [&](auto acquiring, auto wait) {
    device_ref<int> object(post.object<int>());
    post.send(
        [&] {
          __nanosleep(2000);  // longer than the polls without a pause
          object.store(1, memory_order_release);
        },
        [&] {
          wait(object, acquiring);
          return true;
        });
  };
  const auto by_value = [](auto object, auto order) { object.wait(0, order); };
  const auto by_predicate = [](auto object, auto order) {
    static_cast<void>(object.wait([](int value) { return value != 0; }, order));
  };
  const auto for_a_time = [](auto object, auto order) {
    while (!object.wait_for(0, nanoseconds{100}, order)) {
    }
  };
  const auto all = [&](auto order) {
    send(order, by_value);
    send(order, by_predicate);
    send(order, for_a_time);
  };
  all(memory_order_acquire);
  all(memory_order_seq_cst);
  all(at_run_time(scratch, memory_order_acquire));
  all(at_run_time(scratch, memory_order_seq_cst));
}

// run: grid=2 block=1
extern "C" __global__ void failures_of_a_compare_exchange(unsigned* failures, int* scratch) {
  mail post{failures, scratch};
  const auto send = [&](auto success, auto failure) {
    device_ref<int> object(post.object<int>());
    post.send([&] { object.store(1, memory_order_release); },
              [&] {
                int expected = 2;
                static_cast<void>(object.compare_exchange_strong(expected, 3, success, failure));
                return expected == 1;
              });
  };
  send(memory_order_relaxed, memory_order_acquire);
  send(memory_order_release, memory_order_acquire);
  send(memory_order_release, memory_order_seq_cst);
  send(at_run_time(scratch, memory_order_release), at_run_time(scratch, memory_order_acquire));
}

struct three_bytes {
  char bytes[3];
};
__device__ bool operator!=(three_bytes left, three_bytes right) {
  return left.bytes[0] != right.bytes[0];
}
__device__ bool operator<(three_bytes left, three_bytes right) {
  return left.bytes[0] < right.bytes[0];
}

// Values of three bytes, in a word with a byte of padding.
// run: grid=2 block=1
extern "C" __global__ void padded_values(unsigned* failures, int* scratch) {
  using atomic = cuda::atomic<three_bytes, cuda::thread_scope_device>;
  mail post{failures, scratch};
  const three_bytes one{{1, 2, 3}};
  const auto send = [&](auto write, auto read) {
    auto& object = post.object<atomic>();
    post.send([&] { write(object); }, [&] { return read(object); });
  };
  const auto store = [&](auto& object) { object.store(one, memory_order_release); };
  const auto load = [&](auto& object) { return object.load(memory_order_acquire) != three_bytes{}; };
  const auto exchange = [&](auto& object) { static_cast<void>(object.exchange(one, memory_order_release)); };
  const auto compare_exchange = [&](auto& object) {
    three_bytes expected = one;
    return object.compare_exchange_strong(expected, one, memory_order_acquire);
  };
  send(store, load);
  send(exchange, compare_exchange);
  send(store, [&](auto& object) {
    const three_bytes seen = object.exchange(three_bytes{}, memory_order_acquire);
    return seen != three_bytes{};
  });
  send([&](auto& object) { static_cast<void>(object.fetch_max(one, memory_order_release)); },
       [&](auto& object) { return object.fetch_min(three_bytes{}, memory_order_acquire) != three_bytes{}; });
  send(
      [&](auto& object) {
        three_bytes expected{};
        static_cast<void>(object.compare_exchange_strong(expected, one, memory_order_release));
      },
      load);
}

struct alignas(16) pair {
  long long low, high;
};
__device__ bool operator==(pair left, pair right) {
  return left.low == right.low && left.high == right.high;
}

// run: grid=2 block=1 needs=90
extern "C" __global__ void values_of_16_bytes(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  mail post{failures, scratch};
  const pair one{0x0102030405060708, 0x1112131415161718};
  const pair two{0x2122232425262728, 0x3132333435363738};
  device_ref<pair> object(post.object<pair>());
  post.send([&] { object.store(one, memory_order_release); }, [&] { return object.load(memory_order_acquire) == one; });
  device_ref<pair> other(post.object<pair>());
  post.send([&] { static_cast<void>(other.exchange(one, memory_order_release)); },
            [&] {
              pair expected = one;
              return other.compare_exchange_strong(expected, two, memory_order_acquire);
            });
  if (blockIdx.x == 1) EXPECT(other.exchange(one, memory_order_relaxed) == two);
#endif
}

// run: grid=2 block=1
extern "C" __global__ void flags(unsigned* failures, int* scratch) {
  mail post{failures, scratch};
  auto& flag = post.object<cuda::atomic_flag>();
  post.send([&] { static_cast<void>(flag.test_and_set(memory_order_release)); },
            [&] { return flag.test(memory_order_acquire); });
}

// Objects in shared memory: of one block, and in clusters also of another block.
template <class Value>
__device__ void send_in_shared_memory(mail& post, Value* objects, Value one, bool writes) {
  int index = 0;
  const auto send = [&](auto write, auto read) {
    cuda::atomic_ref<Value, cuda::thread_scope_device> object(objects[index++]);
    int& data = post.scratch[post.next++];
    unsigned* const failures = post.failures;
    if (writes) {
      data = 1;
      write(object);
    } else {
      while (!is_there(object) || !read(object)) {
      }
      EXPECT(data == 1);
    }
  };
  const auto load = [&](auto object) { return object.load(memory_order_acquire) != Value{}; };
  send([&](auto object) { object.store(one, memory_order_release); }, load);
  send([&](auto object) { object.store_add(one, memory_order_release); }, load);
  send([&](auto object) { static_cast<void>(object.fetch_add(one, memory_order_release)); },
       [&](auto object) { return object.fetch_add(Value{}, memory_order_acquire) == one; });
  send([&](auto object) { static_cast<void>(object.exchange(one, memory_order_acq_rel)); },
       [&](auto object) { return object.fetch_max(Value{}, memory_order_acquire) == one; });
  send([&](auto object) { object.store_max(one, memory_order_release); }, load);
}

// run: block=64
extern "C" __global__ void shared_memory(unsigned* failures, int* scratch) {
  __shared__ int words[8];
  __shared__ long long wide[8];
  __shared__ short half[8];
  __shared__ float floats[8];
  if (threadIdx.x < 8) words[threadIdx.x] = half[threadIdx.x] = 0, wide[threadIdx.x] = 0, floats[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x % 32 != 0) return;
  const bool writes = threadIdx.x == 0;
  mail post{failures, scratch};
  send_in_shared_memory(post, words, 1, writes);
  send_in_shared_memory(post, wide, 1LL, writes);
  send_in_shared_memory(post, half, static_cast<short>(1), writes);
  send_in_shared_memory(post, floats, 1.0f, writes);
}

// run: grid=2 block=1 cluster=2 needs=90
extern "C" __global__ void shared_memory_of_another_block(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  __shared__ int words[8];
  __shared__ long long wide[8];
  for (int index = 0; index < 8; ++index)
    words[index] = 0, wide[index] = 0;
  cudasync::cluster_barrier::arrive_and_wait();
  mail post{failures, scratch};
  send_in_shared_memory(post, static_cast<int*>(__cluster_map_shared_rank(words, 1)), 1, blockIdx.x == 0);
  send_in_shared_memory(post, static_cast<long long*>(__cluster_map_shared_rank(wide, 1)), 1LL, blockIdx.x == 0);
  __shared__ long long own[8];
  for (long long& each : own)
    each = 0;
  cudasync::cluster_barrier::arrive_and_wait();
  auto* const of_writer = blockIdx.x == 0 ? own : static_cast<long long*>(__cluster_map_shared_rank(own, 0));
  send_in_shared_memory(post, of_writer, 1LL, blockIdx.x == 0);
  cudasync::cluster_barrier::arrive_and_wait();
#endif
}

// Sums of all blocks, in the elements of vectors. Additions of a narrower scope would race.
// run: grid=3 block=8
extern "C" __global__ void sums_of_elements(unsigned* failures, int* scratch) {
  auto& two = *reinterpret_cast<float2*>(scratch + 512);
  auto& four = *reinterpret_cast<float4*>(scratch + 516);
  constexpr auto scope = cuda::thread_scope_device;
  cudasync::device::store_add_elements<scope>(&two, float2{1, 2});
  cudasync::device::store_add_elements<scope>(&four, float4{1, 2, 3, 4});
  device_ref<int> arrived(scratch[600]);
  arrived.store_add(1, memory_order_release);
  while (arrived.load(memory_order_acquire) != 24) {
  }
  EXPECT(two.x == 24 && two.y == 48);
  EXPECT(four.x == 24 && four.w == 96);
}

// run: grid=2 block=8 cluster=2 needs=90
extern "C" __global__ void sums_of_elements_in_another_block(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  alignas(16) __shared__ float4 sum;
  if (threadIdx.x == 0) sum = float4{};
  cudasync::cluster_barrier::arrive_and_wait();
  auto& target = *static_cast<float4*>(__cluster_map_shared_rank(&sum, 1));
  cudasync::device::store_add_elements<cuda::thread_scope_cluster>(&target, float4{1, 2, 3, 4});
  cudasync::cluster_barrier::arrive_and_wait();
  if (blockIdx.x == 1) EXPECT(sum.x == 16 && sum.w == 64);
  static_cast<void>(scratch);
#endif
}

// What one thread does to one object, compared with the same arithmetic on an ordinary variable.
template <class Value, class Object>
__device__ void compute(unsigned* failures, Object&& object) {
  const auto as_value = [](auto value) { return static_cast<Value>(value); };
  Value expected = as_value(5);
  object.store(expected, memory_order_relaxed);
  const auto check = [&](Value before, Value after) {
    EXPECT(before == expected && object.load(memory_order_relaxed) == after);
    expected = after;
  };
  const Value operands[] = {as_value(3), as_value(0), as_value(-4), as_value(100)};
#pragma unroll 1
  for (const Value operand : operands) {
    check(object.fetch_add(operand, memory_order_relaxed), as_value(expected + operand));
    check(object.fetch_max(operand, memory_order_relaxed), operand > expected ? operand : expected);
    check(object.fetch_sub(operand, memory_order_relaxed), as_value(expected - operand));
    check(object.fetch_min(operand, memory_order_relaxed), operand < expected ? operand : expected);
    check(object.exchange(operand, memory_order_relaxed), operand);
    object.store_add(operand, memory_order_relaxed);
    object.store_max(as_value(6), memory_order_relaxed);
    object.store_min(as_value(50), memory_order_relaxed);
    const Value sum = as_value(operand + operand), raised = sum > as_value(6) ? sum : as_value(6);
    expected = raised < as_value(50) ? raised : as_value(50);
    check(object.exchange(operand, memory_order_relaxed), operand);
    Value found = as_value(operand + 1);
    EXPECT(!object.compare_exchange_strong(found, as_value(7), memory_order_relaxed) && found == operand);
    check(object.fetch_add(as_value(-1), memory_order_relaxed), as_value(operand - 1));  // may carry
    found = expected;
    EXPECT(object.compare_exchange_strong(found, as_value(7), memory_order_relaxed) && found == expected);
    expected = as_value(7);
  }
}
template <class Value>
__device__ __noinline__ void compute_in(unsigned* failures,
                                        void* place) {  // compiled once for memory that others share
  if constexpr (sizeof(Value) == 2)
    compute<Value>(failures, *static_cast<cuda::atomic<Value, cuda::thread_scope_device>*>(place));
  else
    compute<Value>(failures, device_ref<Value>(static_cast<Value*>(place)[sizeof(Value) == 1 ? 3 : 0]));
}
__device__ void compute_all_types_in(unsigned* failures, void* place) {
  compute_in<int>(failures, place);
  compute_in<unsigned long long>(failures, place);
  compute_in<short>(failures, place);
  compute_in<signed char>(failures, place);
  compute_in<float>(failures, place);
  compute_in<double>(failures, place);
}

// run: block=1 seeds=1
extern "C" __global__ void values(unsigned* failures, int* scratch) {
  __shared__ long long shared[1];
  shared[0] = 0;
  compute_all_types_in(failures, scratch);
  compute_all_types_in(failures, shared);
  int number = 0;
  double real = 0;
  unsigned char bytes[4] = {};
  compute<int>(failures, device_ref<int>(number));
  compute<double>(failures, device_ref<double>(real));
  compute<unsigned char>(failures, device_ref<unsigned char>(bytes[3]));
}

// run: grid=2 block=1 cluster=2 needs=90 seeds=1
extern "C" __global__ void values_in_another_block(unsigned* failures, int*) {
#if __CUDA_ARCH__ >= 900
  __shared__ long long shared[1];
  shared[0] = 0;
  cudasync::cluster_barrier::arrive_and_wait();
  compute_all_types_in(failures, __cluster_map_shared_rank(shared, blockIdx.x ^ 1));
  cudasync::cluster_barrier::arrive_and_wait();
#endif
}

// A compare-exchange that fails says what it found, also beside padding.
// run: block=1 seeds=1
extern "C" __global__ void padded_failure(unsigned* failures, int* scratch) {
  auto& object = *reinterpret_cast<cuda::atomic<three_bytes, cuda::thread_scope_device>*>(scratch);
  three_bytes found{{2, 2, 2}};
  object.store(three_bytes{{1, 1, 1}});
  EXPECT(!object.compare_exchange_strong(found, three_bytes{{3, 3, 3}}) && found.bytes[0] == 1 && found.bytes[2] == 1);
  EXPECT(object.compare_exchange_strong(found, three_bytes{{3, 3, 3}}) && object.load().bytes[1] == 3);
}

// The same object, through a pointer of which the compiler knows nothing.
template <class Value>
__device__ Value& somewhere(Value& object) {
  Value* place = &object;
  asm volatile("" : "+l"(place)::"memory");
  return *place;
}

template <cuda::thread_scope Scope, class Value>
__device__ void use_by_one_thread(unsigned* failures, Value& object) {
  const auto value = [](int number) { return static_cast<Value>(number); };
  object = value(3);
  cuda::atomic_ref<Value, Scope> all(somewhere(object));
  EXPECT(all.load(memory_order_acquire) == value(3));
  all.store(value(4), memory_order_release);
  EXPECT(all.exchange(value(5)) == value(4));
  EXPECT(all.fetch_add(value(2), memory_order_acq_rel) == value(5));
  all.store_add(value(2), memory_order_relaxed);
  EXPECT(all.fetch_max(value(11), memory_order_relaxed) == value(9));
  Value expected = value(11);
  EXPECT(all.compare_exchange_strong(expected, value(12)) && !all.compare_exchange_strong(expected, value(13)));
  EXPECT(expected == value(12) && somewhere(object) == value(12));
}

// An object of one thread, through pointers to unknown memory.
template <class Value>
__device__ void use_each_memory(unsigned* failures, int* scratch) {
  __shared__ Value of_block[2];
  for (Value* const place : {&of_block[1], reinterpret_cast<Value*>(scratch) + 1}) {
    use_by_one_thread<cuda::thread_scope_block>(failures, *place);
    use_by_one_thread<cuda::thread_scope_device>(failures, *place);
    use_by_one_thread<cuda::thread_scope_system>(failures, *place);
  }
}

// run: block=1
extern "C" __global__ void unknown_memory(unsigned* failures, int* scratch) {
  use_each_memory<int>(failures, scratch);
  use_each_memory<unsigned long long>(failures, scratch);
  use_each_memory<short>(failures, scratch);
  use_each_memory<unsigned char>(failures, scratch);
  use_each_memory<double>(failures, scratch);
}

// Waits with a time limit end not much later than it, and tries at once.
// run: block=1 seeds=2
extern "C" __global__ void times(unsigned* failures, int* scratch) {
  const auto now = [] {
    unsigned long long time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory");
    return time;
  };
  auto& object = *reinterpret_cast<cuda::atomic<int, cuda::thread_scope_device>*>(scratch);
  constexpr long long limit = 10000000;
  const unsigned long long start = now();
  EXPECT(!object.wait_for(0, nanoseconds{0}) && !object.wait_for(0, shortest));
  EXPECT(!object.wait_for(0, nanoseconds{limit}));
  EXPECT(now() - start >= limit && now() - start < 3 * limit / 2);
  EXPECT(object.wait_for(1, nanoseconds{limit}) && object.wait_for(1, longest));
  const auto is_set = [](int value) { return value != 0; };
  EXPECT(!object.wait_for(is_set, nanoseconds{0}));
  object.store(1);
  EXPECT(object.wait_for(is_set, nanoseconds{0}));
}

// Padding, spare bytes and neighbors hold anything, and take part in no comparison, in global and in shared memory.
template <class Value, bool HasReference = true>
__device__ void compare_in_each_memory(unsigned* failures, int* scratch) {
  __shared__ unnamed_bytes::room shared;
  EXPECT(sum(unnamed_bytes::wrong_answers<Value, HasReference>(scratch)) == 0);
  EXPECT(sum(unnamed_bytes::wrong_answers<Value, HasReference>(&shared)) == 0);
}

// run: seeds=1 needs=90
extern "C" __global__ void spare_bytes(unsigned* failures, int* scratch) {
  compare_in_each_memory<unnamed_bytes::whole<7>, false>(failures, scratch);
  compare_in_each_memory<unnamed_bytes::whole<9>, false>(failures, scratch);
  compare_in_each_memory<unnamed_bytes::with_hole<12, 4>, false>(failures, scratch);
}
// run: seeds=1 needs=90
extern "C" __global__ void padding(unsigned* failures, int* scratch) {
  compare_in_each_memory<unnamed_bytes::with_tail<2, 2>>(failures, scratch);
  compare_in_each_memory<unnamed_bytes::with_hole<8, 4>>(failures, scratch);
}
// Halves that change places, and a half that is not compared, are seen here.
// run: seeds=1 needs=90
extern "C" __global__ void parts_of_16_bytes(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  compare_in_each_memory<unnamed_bytes::whole<16, 16>>(failures, scratch);
  compare_in_each_memory<unnamed_bytes::with_hole<16, 8>>(failures, scratch);
#endif
}
// The instructions with a shared address, which the compiler uses only where it knows the memory.
// run: seeds=1 needs=90
extern "C" __global__ void parts_of_16_bytes_in_shared_memory(unsigned* failures, int*) {
#if __CUDA_ARCH__ >= 900
  using value = unnamed_bytes::whole<16, 16>;
  __shared__ value object;
  value numbers[5];
  for (unsigned number = 0; number < 5; ++number)
    set(numbers[number], number);
  const cuda::atomic_ref<value, cuda::thread_scope_block> ref(object);
  object = numbers[0];
  EXPECT(has(ref.load(), 0));
  ref.store(numbers[1]);
  EXPECT(has(object, 1));
  EXPECT(has(ref.exchange(numbers[2]), 1));
  EXPECT(has(object, 2));
  value expected = numbers[4];
  EXPECT(!ref.compare_exchange_strong(expected, numbers[3]) && has(expected, 2) && has(object, 2));
  EXPECT(ref.compare_exchange_strong(expected, numbers[3]) && has(expected, 2) && has(object, 3));
#endif
}
