// Latches, semaphores, waits for values, flags: what was written before a release is seen after the acquire.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.h"

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/atomic>
#include <cuda/std/barrier>
#include <cuda/std/latch>
#include <cuda/std/semaphore>
#include <cudasync/cluster_barrier.h>

template <class Type>
__device__ Type& at(int* scratch) {
  return *reinterpret_cast<Type*>(scratch + 512);
}
__device__ unsigned rank() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

// Ranks count in three dimensions, each number once; a block's threads and a grid's blocks have consecutive ranks.
// run: grid=2x3x2 block=3x2x4
extern "C" __global__ void ranks(unsigned* failures, int* scratch) {
  const auto block = cudasync::this_thread_block();
  const auto grid = cudasync::this_grid();
  EXPECT(block.size() == 24 && grid.num_blocks() == 12);
  EXPECT(block.thread_rank() == threadIdx.x + 3 * (threadIdx.y + 2 * threadIdx.z));
  EXPECT(grid.block_rank() == blockIdx.x + 2 * (blockIdx.y + 3 * blockIdx.z));
  static_cast<void>(scratch);
}

// run: grid=4x1x1 block=3x2x4 cluster=2 needs=90
extern "C" __global__ void ranks_in_a_cluster(unsigned* failures, int*) {
#if __CUDA_ARCH__ >= 900
  const auto cluster = cudasync::this_cluster();
  EXPECT(cluster.num_blocks() == 2 && cluster.size() == 48 && cluster.block_rank() == blockIdx.x % 2);
  EXPECT(cluster.thread_rank() == 24 * (blockIdx.x % 2) + cudasync::this_thread_block().thread_rank());
#endif
}

// One thread of a block is elected, and one of each warp. No lane need be the same each time.
// run: block=16x4x2
extern "C" __global__ void elections(unsigned* failures, int* scratch) {
  if (cudasync::elect_one()) atomicAdd(scratch, 1);
  if (cudasync::elect_one_of_warp()) atomicAdd(scratch + 1 + cudasync::this_thread_block().thread_rank() / 32, 1);
  __syncthreads();
  EXPECT(scratch[0] == 1);
  EXPECT(scratch[1 + threadIdx.y / 2 % 2 + 2 * threadIdx.z] == 1);
}

// run: grid=2 block=24
extern "C" __global__ void latch(unsigned* failures, int* scratch) {
  auto& gate = at<cuda::latch<cuda::thread_scope_device>>(scratch);
  start_together(scratch + 600, [&] { new (&gate) cuda::latch<cuda::thread_scope_device>(48); });
  scratch[rank()] = 1;
  gate.arrive_and_wait();
  EXPECT(scratch[47 - rank()] == 1);
}

// run: block=24
extern "C" __global__ void latch_of_block(unsigned* failures, int* scratch) {
  __shared__ unsigned char room[sizeof(cuda::latch<cuda::thread_scope_block>)] __attribute__((aligned(8)));
  auto& gate = *reinterpret_cast<cuda::latch<cuda::thread_scope_block>*>(room);
  if (threadIdx.x == 0) new (&gate) cuda::latch<cuda::thread_scope_block>(24);
  __syncthreads();
  scratch[rank()] = 1;
  gate.count_down();
  gate.wait();
  EXPECT(scratch[23 - rank()] == 1);
}

// A permit is a lock of a plain counter.
template <class Semaphore>
__device__ void count_under(Semaphore& lock, int* counter, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    lock.acquire();
    const int before = *counter;
    *counter = before + 1;
    lock.release();
  }
}

// A lock of all threads of the grid, each of which enters it three times.
template <class Semaphore>
__device__ void count_in_grid(unsigned* failures, int* scratch) {
  auto& lock = at<Semaphore>(scratch);
  start_together(scratch + 600, [&] { new (&lock) Semaphore(1); });
  count_under(lock, scratch, 2);
  lock.acquire();
  if (scratch[1]++ == 11) EXPECT(scratch[0] == 24);
  lock.release();
}

// run: grid=2 block=6
extern "C" __global__ void counting_semaphore(unsigned* failures, int* scratch) {
  count_in_grid<cuda::counting_semaphore<cuda::thread_scope_device>>(failures, scratch);
}

// run: grid=2 block=6
extern "C" __global__ void binary_semaphore(unsigned* failures, int* scratch) {
  count_in_grid<cuda::binary_semaphore<cuda::thread_scope_device>>(failures, scratch);
}

// Seldom contended, so that the first look finds the permit.
// run: grid=3 block=1 seeds=40
extern "C" __global__ void counting_semaphore_of_three(unsigned* failures, int* scratch) {
  using semaphore = cuda::counting_semaphore<cuda::thread_scope_device>;
  auto& lock = at<semaphore>(scratch);
  start_together(scratch + 600, [&] { new (&lock) semaphore(1); });
  for (int round = 0; round < 3; ++round) {
    __nanosleep(400);
    lock.acquire();
    ++scratch[0];
    lock.release();
  }
  static_cast<void>(failures);
}

// The same for the binary one.
// run: grid=3 block=1 seeds=60
extern "C" __global__ void binary_semaphore_of_three(unsigned* failures, int* scratch) {
  using semaphore = cuda::binary_semaphore<cuda::thread_scope_device>;
  auto& lock = at<semaphore>(scratch);
  start_together(scratch + 600, [&] { new (&lock) semaphore(1); });
  for (int round = 0; round < 12; ++round) {
    lock.acquire();
    ++scratch[0];
    lock.release();
    __nanosleep(10 * round);
  }
  if (lock.try_acquire()) {
    EXPECT(scratch[0] >= 12);
    lock.release();
  }
}

// run: block=8
extern "C" __global__ void semaphore_of_block(unsigned* failures, int* scratch) {
  __shared__ unsigned char room[sizeof(cuda::counting_semaphore<cuda::thread_scope_block>)] __attribute__((aligned(8)));
  auto& lock = *reinterpret_cast<cuda::counting_semaphore<cuda::thread_scope_block>*>(room);
  if (threadIdx.x == 0) new (&lock) cuda::counting_semaphore<cuda::thread_scope_block>(1);
  __syncthreads();
  count_under(lock, scratch, 2);
  __syncthreads();
  EXPECT(scratch[0] == 16);
}

// In the shared memory of one block of the cluster.
// run: grid=2 block=4 cluster=2 needs=90
extern "C" __global__ void semaphore_of_a_cluster(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  using semaphore = cuda::counting_semaphore<cuda::thread_scope_cluster>;
  __shared__ unsigned char room[sizeof(semaphore)] __attribute__((aligned(8)));
  auto& lock = *static_cast<semaphore*>(__cluster_map_shared_rank(room, 1));
  if (blockIdx.x == 1 && threadIdx.x == 0) new (&lock) semaphore(1);
  cudasync::cluster_barrier::arrive_and_wait();
  count_under(lock, scratch, 2);
  cudasync::cluster_barrier::arrive_and_wait();
  EXPECT(scratch[0] == 16);
#endif
}

struct vector {
  int x[8];
};
__device__ vector vector_of(unsigned value) {
  const int each = static_cast<int>(value);
  return {{each, each, each, each, each, each, each, each}};
}
__device__ bool is_one_value(const vector& found) {
  return found.x[0] == found.x[7];
}

// Values of 32 bytes behind a lock: increments in a loop of compare-exchanges, and all operations on another value.
// run: grid=2 block=4
extern "C" __global__ void value_behind_a_lock(unsigned* failures, int* scratch) {
  using atomic = cuda::atomic<vector, cuda::thread_scope_device>;
  auto& object = at<atomic>(scratch);
  auto& other = *reinterpret_cast<atomic*>(scratch + 700);
  start_together(scratch + 600, [&] {
    new (&object) atomic(vector{});
    new (&other) atomic(vector{});
  });
  for (int round = 0; round < 2; ++round) {
    scratch[2 * rank() + round] = 1;
    vector before = object.load(cuda::memory_order_relaxed);
    vector after = before;
    do {
      after = before;
      for (int& each : after.x)
        ++each;
    } while (!object.compare_exchange_weak(before, after, cuda::memory_order_acq_rel, cuda::memory_order_relaxed));
    EXPECT(after.x[0] == after.x[7]);
    EXPECT(is_one_value(other.exchange(vector_of(rank() + 1), cuda::memory_order_acquire)));
    vector expected = vector_of(rank() + 1);
    static_cast<void>(other.compare_exchange_strong(expected, vector_of(30), cuda::memory_order_release));
    EXPECT(is_one_value(expected));
    other.store(vector_of(rank() + 20), cuda::memory_order_seq_cst);
    EXPECT(is_one_value(other.load(cuda::memory_order_relaxed)));
  }
  const vector now = object.load(cuda::memory_order_acquire);
  EXPECT(now.x[0] == now.x[7] && now.x[0] >= 2);
  if (now.x[0] == 16) {
    for (int index = 0; index < 16; ++index)
      EXPECT(scratch[index] == 1);
  }
}

// Turns: each waits for its number.
// run: grid=3 block=4
extern "C" __global__ void wait_for_turn(unsigned* failures, int* scratch) {
  cuda::atomic_ref<int, cuda::thread_scope_device> turn(scratch[512]);
  const int mine = static_cast<int>(rank());
  for (int value = turn.load(cuda::memory_order_acquire); value != mine; value = turn.load(cuda::memory_order_acquire))
    turn.wait(value);
  EXPECT(scratch[0] == mine);
  scratch[0] = mine + 1;
  turn.store(mine + 1, cuda::memory_order_release);
  turn.notify_all();
}

// run: grid=2 block=4
extern "C" __global__ void flag_as_lock(unsigned* failures, int* scratch) {
  auto& flag = at<cuda::atomic_flag>(scratch);
  for (int round = 0; round < 2; ++round) {
    while (flag.test_and_set(cuda::memory_order_acquire)) {
    }
    const int before = scratch[0];
    scratch[0] = before + 1;
    if (before == 15) scratch[1] = 1;
    flag.clear(cuda::memory_order_release);
  }
  static_cast<void>(failures);
}

// A message by each kind of write, received by each kind of read.
// run: grid=2 block=1
extern "C" __global__ void messages(unsigned* failures, int* scratch) {
  cuda::atomic_ref<int, cuda::thread_scope_device> word(scratch[512]);
  cuda::atomic_ref<short, cuda::thread_scope_device> half(reinterpret_cast<short&>(scratch[514]));
  cuda::atomic_ref<long long, cuda::thread_scope_device> wide(reinterpret_cast<long long&>(scratch[516]));
  if (blockIdx.x == 0) {
    scratch[0] = 1;
    word.store(1, cuda::memory_order_release);
    scratch[1] = 1;
    static_cast<void>(word.fetch_add(1, cuda::memory_order_release));
    scratch[2] = 1;
    static_cast<void>(word.exchange(3, cuda::memory_order_acq_rel));
    scratch[3] = 1;
    int expected = 3;
    word.compare_exchange_strong(expected, 4, cuda::memory_order_release);
    scratch[4] = 1;
    half.store(1, cuda::memory_order_release);
    scratch[5] = 1;
    static_cast<void>(half.fetch_add(1, cuda::memory_order_release));
    scratch[6] = 1;
    wide.store(1, cuda::memory_order_release);
    scratch[7] = 1;
    static_cast<void>(wide.fetch_or(2, cuda::memory_order_release));
    scratch[8] = 1;
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
    wide.store(4, cuda::memory_order_relaxed);
    scratch[9] = 1;
    wide.store(5);
  } else {
    for (int value = 1; value <= 4; ++value) {
      while (word.load(cuda::memory_order_acquire) < value) {
      }
      EXPECT(scratch[value - 1] == 1);
    }
    for (short value = 1; value <= 2; ++value) {
      while (half.load(cuda::memory_order_acquire) < value) {
      }
      EXPECT(scratch[3 + value] == 1);
    }
    while (wide.fetch_add(0, cuda::memory_order_acquire) < 1) {
    }
    EXPECT(scratch[6] == 1);
    while (wide.load(cuda::memory_order_acquire) < 3) {
    }
    EXPECT(scratch[7] == 1);
    while (wide.load(cuda::memory_order_relaxed) < 4) {
    }
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    EXPECT(scratch[8] == 1);
    while (wide.load() < 5) {
    }
    EXPECT(scratch[9] == 1);
  }
}

// The ways to wait for a latch; each has a latch of its own.
template <class Latch, class Wait>
__device__ void wait_for_latch(unsigned* failures, int* scratch, int index, Wait wait) {
  auto& gate = *reinterpret_cast<Latch*>(scratch + 512 + 4 * index);
  int* const slots = scratch + 64 * index;
  if (rank() != 1) slots[rank()] = 1;
  wait(gate);
  const unsigned other = gridDim.x * blockDim.x - 1 - rank();
  EXPECT(other == 1 || slots[other] == 1);
}

// run: grid=2 block=8
extern "C" __global__ void waits_for_latches(unsigned* failures, int* scratch) {
  using latch = cuda::latch<cuda::thread_scope_device>;
  start_together(scratch + 600, [&] {
    for (int index = 0; index < 4; ++index)
      init(reinterpret_cast<latch*>(scratch + 512 + 4 * index), 16);
  });
  wait_for_latch<latch>(failures, scratch, 0, [](latch& gate) {
    gate.count_down();
    gate.wait();
  });
  wait_for_latch<latch>(failures, scratch, 1, [](latch& gate) {
    gate.count_down();
    while (!gate.try_wait()) {
    }
  });
  wait_for_latch<latch>(failures, scratch, 2, [](latch& gate) {
    gate.count_down();
    while (!gate.try_wait_for(nanoseconds{100})) {
    }
  });
  wait_for_latch<latch>(failures, scratch, 3, [](latch& gate) {
    if (rank() == 1) return gate.wait();
    gate.arrive_and_wait(rank() == 0 ? 2 : 1);
  });
}

// Threads that try, and threads that wait for a time.
template <class Semaphore>
__device__ void count_by_tries(unsigned* failures, int* scratch) {
  auto& lock = at<Semaphore>(scratch);
  start_together(scratch + 600, [&] { new (&lock) Semaphore(1); });
  for (int round = 0; round < 2; ++round) {
    if (rank() % 2 == 0) {
      while (!lock.try_acquire()) {
      }
    } else {
      while (!lock.try_acquire_for(nanoseconds{100})) {
      }
    }
    if (++scratch[0] == 12) scratch[1] = 1;
    lock.release();
  }
  static_cast<void>(failures);
}

// run: grid=2 block=3
extern "C" __global__ void tries_at_a_counting_semaphore(unsigned* failures, int* scratch) {
  count_by_tries<cuda::counting_semaphore<cuda::thread_scope_device>>(failures, scratch);
}

// run: grid=2 block=3
extern "C" __global__ void tries_at_a_binary_semaphore(unsigned* failures, int* scratch) {
  count_by_tries<cuda::binary_semaphore<cuda::thread_scope_device>>(failures, scratch);
}

// Many threads and few permits: several given back at once.
// run: grid=2 block=8
extern "C" __global__ void several_permits(unsigned* failures, int* scratch) {
  using semaphore = cuda::counting_semaphore<cuda::thread_scope_device>;
  auto& permits = at<semaphore>(scratch);
  start_together(scratch + 600, [&] { new (&permits) semaphore(3); });
  for (int round = 0; round < 2; ++round) {
    permits.acquire();
    EXPECT(atomicAdd(scratch, 1) < 3);
    __nanosleep(100);
    atomicSub(scratch, 1);
    permits.release();
  }
  if (rank() == 0) {
    for (int taken = 0; taken < 3; ++taken)
      permits.acquire();
    EXPECT(atomicAdd(scratch, 0) == 0 && !permits.try_acquire());
    permits.release(3);
    for (int taken = 0; taken < 3; ++taken)
      permits.acquire();
    EXPECT(!permits.try_acquire());
    permits.release(3);
  }
}

// Waits until this number of threads are in the queue, which they enter when they have tried for a while.
__device__ void await_queue(cuda::binary_semaphore<cuda::thread_scope_device>& lock, unsigned threads) {
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> word(reinterpret_cast<unsigned&>(lock));
  while ((word.load(cuda::memory_order_relaxed) >> 2 & 0x3fffff) != threads)
    __nanosleep(1000);
}

// run: grid=4 block=1 seeds=40
extern "C" __global__ void queue_of_a_binary_semaphore(unsigned* failures, int* scratch) {
  using semaphore = cuda::binary_semaphore<cuda::thread_scope_device>;
  auto& lock = at<semaphore>(scratch);
  start_together(scratch + 600, [&] { new (&lock) semaphore(0); });
  if (rank() == 0) {
    await_queue(lock, 3);
    lock.release();
  }
  for (int round = 0; round < 2; ++round) {
    lock.acquire();
    ++scratch[0];
    lock.release();
  }
  static_cast<void>(failures);
}

// While a thread is in the queue, try_acquire and the timed functions take the permit once before its turn.
// run: grid=3 block=1
extern "C" __global__ void try_past_the_queue(unsigned* failures, int* scratch) {
  using semaphore = cuda::binary_semaphore<cuda::thread_scope_device>;
  auto& lock = at<semaphore>(scratch);
  constexpr unsigned word_of_one_waiting = 4;
  start_together(scratch + 600, [&] { new (&lock) semaphore(0); });
  const cuda::atomic_ref<int, cuda::thread_scope_device> asks(scratch[0]);
  if (blockIdx.x == 1) return lock.acquire();
  if (blockIdx.x == 2) {
    while (asks.load(cuda::memory_order_relaxed) == 0) {
    }
    __nanosleep(2000);
    scratch[1] = 1;
    return lock.release();
  }
  await_queue(lock, 1);
  // The waiting thread takes no permit while another thread is next: the ticket that is next is set to 100.
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> word(reinterpret_cast<unsigned&>(lock));
  word.store(100u << 24 | word_of_one_waiting, cuda::memory_order_relaxed);
  EXPECT(!lock.try_acquire() && !lock.try_acquire_for(nanoseconds{100}));
  lock.release();
  lock.release();
  EXPECT(lock.try_acquire() && !lock.try_acquire());
  lock.release();
  EXPECT(!lock.try_acquire() && !lock.try_acquire_for(nanoseconds{100}));
  word.store(100u << 24 | word_of_one_waiting, cuda::memory_order_relaxed);
  asks.store(1, cuda::memory_order_relaxed);
  EXPECT(lock.try_acquire_for(nanoseconds{1000000000}) && scratch[1] == 1 && !lock.try_acquire());
  word.store(word_of_one_waiting, cuda::memory_order_relaxed);
  lock.release();
}

// An event that one thread sets again and again, and more threads wait for it than there are tickets. The event may be set
// again before the thread that has just taken it has returned from acquire. Each thread takes it once.
// run: grid=2 block=320 seeds=30 races=0 words=1 each=320
extern "C" __global__ void event_for_more_threads_than_tickets(unsigned* failures, int* scratch) {
  using semaphore = cuda::binary_semaphore<cuda::thread_scope_device>;
  auto& event = at<semaphore>(scratch);
  start_together(scratch + 600, [&] { new (&event) semaphore(0); });
  if (blockIdx.x == 1) {
    event.acquire();
    atomicAdd(scratch, 1);
  } else if (threadIdx.x == 0) {
    await_queue(event, 320);
    while (atomicAdd(scratch, 0) < 320) {
      static_cast<void>(event.try_acquire());
      event.release();
    }
  }
  static_cast<void>(failures);
}

// run: block=1 seeds=1
extern "C" __global__ void tries_at_a_latch(unsigned* failures, int* scratch) {
  auto& gate = at<cuda::latch<cuda::thread_scope_device>>(scratch);
  new (&gate) cuda::latch<cuda::thread_scope_device>(2);
  EXPECT(!gate.try_wait());
  gate.count_down();
  EXPECT(!gate.try_wait() && !gate.try_wait_for(shortest));
  gate.count_down();
  EXPECT(gate.try_wait() && gate.try_wait_for(longest));
}

template <class Type>
struct is_type {
  static constexpr bool converts(const Type*) { return true; }
  static constexpr bool converts(const void*) { return false; }
  template <class Other>
  static constexpr bool same = cudasync::is_same<Type, Other>;
};
template <class Derived, class Base>
inline constexpr bool is_derived = is_type<Base>::converts(static_cast<const Derived*>(nullptr));

struct nothing {
  __device__ void operator()() {}
};

// Who names no scope gets that of the system, and the limits are those of the instructions.
// run: block=1 seeds=1
extern "C" __global__ void scopes_and_limits(unsigned* failures, int*) {
  constexpr auto all = cuda::thread_scope_system;
  EXPECT((is_type<cuda::atomic<int>>::same<cuda::atomic<int, all>>));
  EXPECT((is_type<cuda::atomic_ref<int>>::same<cuda::atomic_ref<int, all>>));
  EXPECT((is_type<cuda::latch<>>::same<cuda::latch<all>>));
  EXPECT((is_type<cuda::counting_semaphore<>>::same<cuda::counting_semaphore<all>>));
  EXPECT((is_type<cuda::binary_semaphore<>>::same<cuda::binary_semaphore<all>>));
  EXPECT((is_derived<cuda::std::atomic<int>, cuda::atomic<int, all>>));
  EXPECT((is_derived<cuda::std::atomic_ref<int>, cuda::atomic_ref<int, all>>));
  EXPECT((is_derived<cuda::std::atomic_ref<const int>, cuda::atomic_ref<const int, all>>));
  EXPECT((is_derived<cuda::std::counting_semaphore<>, cuda::counting_semaphore<all>>));
  EXPECT((is_derived<cuda::std::barrier<>, cuda::barrier<all>>));
  EXPECT((cuda::barrier<cuda::thread_scope_block>::max)() == 1048575);
#if __CUDA_ARCH__ >= 900
  EXPECT((cuda::barrier<cuda::thread_scope_cluster>::max)() == 1048575);
#endif
  EXPECT((cuda::barrier<cuda::thread_scope_device>::max)() == 0x3fffffff);
  EXPECT((cuda::barrier<cuda::thread_scope_block, nothing>::max)() == 1048575);
  EXPECT((cuda::barrier<cuda::thread_scope_device, nothing>::max)() == 0x7fffffffffffffff);
  EXPECT(cudasync::device::max_transaction_count == 1048575);
}

// Objects of one thread count as those of several do.
template <class Barrier>
__device__ void count_alone(unsigned* failures) {
  Barrier bar(3);
  for (int phase = 0; phase < 4; ++phase) {
    const bool parity = phase % 2 != 0;
    auto token = bar.arrive(2);
    EXPECT(!bar.try_wait_parity(parity) && bar.try_wait_parity(!parity));
    static_cast<void>(bar.arrive());
    EXPECT(bar.try_wait(static_cast<decltype(token)&&>(token)) && bar.try_wait_parity(parity));
  }
  bar.arrive_and_drop();
  bar.arrive_and_drop();
  static_cast<void>(bar.arrive());
  EXPECT(bar.try_wait_parity(false));
  bar.arrive_and_wait();
  EXPECT(bar.try_wait_parity(true));
}

// run: block=2
extern "C" __global__ void objects_of_one_thread(unsigned* failures, int*) {
  count_alone<cuda::barrier<cuda::thread_scope_thread>>(failures);
  count_alone<cuda::barrier<cuda::thread_scope_thread, nothing>>(failures);
  cuda::latch<cuda::thread_scope_thread> gate(2);
  gate.count_down();
  EXPECT(!gate.try_wait());
  gate.arrive_and_wait();
  cuda::counting_semaphore<cuda::thread_scope_thread> permits(1);
  permits.acquire();
  EXPECT(!permits.try_acquire());
  permits.release(2);
  EXPECT(permits.try_acquire() && permits.try_acquire() && !permits.try_acquire());
  cuda::binary_semaphore<cuda::thread_scope_thread> permit(0);
  EXPECT(!permit.try_acquire());
  permit.release();
  EXPECT(permit.try_acquire() && !permit.try_acquire());
}

// There are permits for all, so each try succeeds, although others take permits at the same time.
// run: grid=2 block=8 seeds=10
extern "C" __global__ void tries_with_permits_for_all(unsigned* failures, int* scratch) {
  auto& permits = at<cuda::counting_semaphore<cuda::thread_scope_device>>(scratch);
  start_together(scratch + 600, [&] { new (&permits) cuda::counting_semaphore<cuda::thread_scope_device>(16); });
  EXPECT(permits.try_acquire());
  __syncthreads();
}

// A thread that waits for one permit may look only after many more have been released.
// run: grid=2 block=1
extern "C" __global__ void many_permits_at_once(unsigned* failures, int* scratch) {
  auto& permits = at<cuda::counting_semaphore<cuda::thread_scope_device>>(scratch);
  start_together(scratch + 600, [&] { new (&permits) cuda::counting_semaphore<cuda::thread_scope_device>(0); });
  if (blockIdx.x == 0) return permits.release(1000);
  permits.acquire();
  EXPECT(permits.try_acquire());
}
