// cuda::barrier on the device: layout, visibility of data, counts, drops, places to keep one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/exchange.h"
#include "../support/gpu_test.h"

#include <cuda/barrier>

#include <cstdint>
#include <type_traits>
#include <utility>

using gpu_test::device_array;
using thread_barrier = cuda::barrier<cuda::thread_scope_thread>;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;
using device_barrier = cuda::barrier<cuda::thread_scope_device>;
using system_barrier = cuda::barrier<cuda::thread_scope_system>;

template <class Barrier>
constexpr bool fits_shared_memory =
    sizeof(Barrier) == 8 && alignof(Barrier) == 8 && std::is_trivially_default_constructible_v<Barrier> &&
    std::is_trivially_destructible_v<Barrier> && !std::is_copy_constructible_v<Barrier>;
static_assert(fits_shared_memory<thread_barrier> && fits_shared_memory<block_barrier>);
static_assert(fits_shared_memory<device_barrier> && fits_shared_memory<system_barrier>);
static_assert(fits_shared_memory<cuda::std::barrier<>>);
static_assert(block_barrier::max() == (1 << 20) - 1);
static_assert(device_barrier::max() == (1 << 30) - 1 && system_barrier::max() == (1 << 30) - 1);
static_assert(thread_barrier::max() == (1 << 30) - 1);

template <class Barrier, memory Memory, class Sync>
__global__ void __launch_bounds__(1024) exchange_in_block(Barrier* global, int* global_slots, int rounds) {
  __shared__ int shared_slots[2 * 1024];
  Barrier& bar = place<Memory>(global);
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  exchange<Sync>(bar, Memory == memory::shared ? shared_slots : global_slots, blockDim.x, threadIdx.x, rounds);
}

template <class Barrier, memory Memory, class... Syncs>
void exchange_by() {
  const device_array<Barrier> bar(1);
  const device_array<int> slots(2 * 1024);
  for (const unsigned threads : {1, 31, 32, 33, 256, 1024})
    (gpu_test::run(exchange_in_block<Barrier, Memory, Syncs>, {1, threads}, bar.get(), slots.get(), 200), ...);
}

template <class Barrier, memory Memory>
void exchange_by_all() {
  exchange_by<Barrier, Memory, by_arrive_and_wait, by_token, by_parity, by_polling, by_warp_leader, by_reference>();
}

TEST(block_barrier_in_shared_memory_makes_writes_visible) {
  exchange_by_all<block_barrier, memory::shared>();
}
TEST(block_barrier_in_global_memory_makes_writes_visible) {
  exchange_by_all<block_barrier, memory::global>();
}
TEST(device_barrier_in_shared_memory_makes_writes_visible) {
  exchange_by_all<device_barrier, memory::shared>();
}
TEST(device_barrier_in_global_memory_makes_writes_visible) {
  exchange_by_all<device_barrier, memory::global>();
}
TEST(system_barrier_in_shared_memory_makes_writes_visible) {
  exchange_by_all<system_barrier, memory::shared>();
}
TEST(system_barrier_in_global_memory_makes_writes_visible) {
  exchange_by_all<system_barrier, memory::global>();
}

template <class Barrier, memory Memory>
__global__ void count_arrivals(Barrier* global) {
  Barrier& bar = place<Memory>(global);
  init(&bar, 10);
  auto token = bar.arrive(3);
  DEVICE_CHECK(!bar.try_wait(token));
  static_cast<void>(bar.arrive(6));
  DEVICE_CHECK(!bar.try_wait(token));
  DEVICE_CHECK(!bar.try_wait_parity(false));
  static_cast<void>(bar.arrive());
  DEVICE_CHECK(bar.try_wait(token));
  DEVICE_CHECK(bar.try_wait_parity(false));
  DEVICE_CHECK(!bar.try_wait_parity(true));
  token = bar.arrive(10);
  DEVICE_CHECK(bar.try_wait(token));
  bar.wait(std::move(token));

  constexpr auto largest = Barrier::max();
  init(&bar, largest);  // of a live barrier
  token = bar.arrive(largest - 1);
  DEVICE_CHECK(!bar.try_wait(token));
  bar.arrive_and_drop();
  DEVICE_CHECK(bar.try_wait(token));
  token = bar.arrive(largest - 2);
  DEVICE_CHECK(!bar.try_wait(token));
  static_cast<void>(bar.arrive());
  DEVICE_CHECK(bar.try_wait(token));
}
TEST(phase_completes_at_the_expected_count) {
  RUN_WITH_ALL_BARRIERS(count_arrivals, 1);
}

// Thread p drops out in phase p, when those of higher rank are left. The last phase ends by a drop.
template <class Barrier, memory Memory>
__global__ void __launch_bounds__(1024) drop_one_by_one(Barrier* global) {
  __shared__ unsigned written[2][256];
  Barrier& bar = place<Memory>(global);
  const unsigned rank = threadIdx.x;
  if (rank == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (unsigned phase = 0; phase < rank; ++phase) {
    written[phase % 2][rank] = phase + 1;
    bar.arrive_and_wait();
    for (unsigned other = phase; other < blockDim.x; other += 17)
      DEVICE_CHECK(written[phase % 2][other] == phase + 1);
  }
  written[rank % 2][rank] = rank + 1;
  bar.arrive_and_drop();
  if (rank == blockDim.x - 1) bar.wait_parity(rank % 2 != 0);
}
TEST(dropped_threads_are_not_expected_again) {
  RUN_WITH_ALL_BARRIERS(drop_one_by_one, 256u);
}

template <class Barrier, memory Memory>
__global__ void drop_all_at_once(Barrier* global) {
  __shared__ int written[256];
  Barrier& bar = place<Memory>(global);
  for (const int round : {1, 2}) {
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    bar.arrive_and_wait();
    written[threadIdx.x] = round;
    bar.arrive_and_drop();
    bar.wait_parity(true);
    DEVICE_CHECK(written[(threadIdx.x + 37) % blockDim.x] == round);
    __syncthreads();
    if (threadIdx.x == 0) invalidate(&bar);
    __syncthreads();
  }
}
TEST(all_may_drop_and_the_barrier_be_used_again) {
  RUN_WITH_ALL_BARRIERS(drop_all_at_once, 256u);
}

// The memory of a barrier is used for something else in between.
template <class Barrier, memory Memory>
__global__ void reuse_memory(Barrier* global) {
  Barrier& bar = place<Memory>(global);
  for (int round = 0; round < 8; ++round) {
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    for (int phase = 0; phase < round; ++phase)
      bar.arrive_and_wait();
    __syncthreads();
    if (threadIdx.x == 0) {
      invalidate(&bar);
      *reinterpret_cast<volatile long long*>(&bar) = -1;
    }
    __syncthreads();
  }
}
TEST(memory_of_an_invalidated_barrier_can_be_reused) {
  RUN_WITH_ALL_BARRIERS(reuse_memory, 96u);
}

union barrier_or_number {
  block_barrier bar;
  unsigned long long number;
};

__global__ void barriers_everywhere(int rounds) {
  extern __shared__ __align__(16) unsigned char dynamic[];
  __shared__ block_barrier several[3];
  __shared__ barrier_or_number either;
  __shared__ int slots[5][2 * 256];
  auto* const cast = reinterpret_cast<block_barrier*>(dynamic + 1024);
  if (threadIdx.x == 0) {
    for (block_barrier& bar : several)
      init(&bar, blockDim.x);
    either.number = 0;
    init(&either.bar, blockDim.x);
    init(cast, blockDim.x);
  }
  __syncthreads();
  for (int index = 0; index < 3; ++index)
    exchange<by_token>(several[index], slots[index], blockDim.x, threadIdx.x, rounds);
  exchange<by_token>(either.bar, slots[3], blockDim.x, threadIdx.x, rounds);
  exchange<by_parity>(*cast, slots[4], blockDim.x, threadIdx.x, rounds);
}
TEST(barriers_in_arrays_unions_and_dynamic_shared_memory) {
  gpu_test::run(barriers_everywhere, {4, 256, 100 * 1024}, 50);
}

// What is done between arrive and wait overlaps with the others; the token survives being stored and moved.
__global__ void __launch_bounds__(1024) split_arrive_and_wait(int rounds) {
  __shared__ block_barrier bar;
  __shared__ int slots[2][256];
  __shared__ block_barrier::arrival_token tokens[256];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
    slots[round % 2][threadIdx.x] = round;
    tokens[threadIdx.x] = bar.arrive();
    if (threadIdx.x / 32 == static_cast<unsigned>(round) % 8) gpu_test::pause(2000);
    block_barrier::arrival_token token = tokens[threadIdx.x];
    bar.wait(std::move(token));
    DEVICE_CHECK(slots[round % 2][threadIdx.x ^ 255] == round);
  }
}
TEST(work_between_arrive_and_wait) {
  gpu_test::run(split_arrive_and_wait, {8, 256}, 200);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
