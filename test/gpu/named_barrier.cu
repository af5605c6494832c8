// Named barriers: all forms, several at once, order of plain data, warps that are not whole, and the channel over two.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/gpu_test.h"

#include <cudasync/named_barrier.h>

using cudasync::named_barrier;
using cudasync::unaligned;

struct loaded;
struct stored;
struct reduced;
using ids = cudasync::named_barrier_ids<loaded, stored>;
using more_ids = ids::append<reduced>;
static_assert(ids::id<loaded>() == 1 && ids::id<stored>() == 2 && ids::size == 2 && ids::end == 3);
static_assert(more_ids::id<loaded>() == 1 && more_ids::id<reduced>() == 3);
static_assert(cudasync::named_barrier_ids_from<0, loaded>::id<loaded>() == 0);
static_assert(cudasync::named_barrier_ids_from<ids::end, reduced>::id<reduced>() == 3);
static_assert(ids::barrier<stored, 64>::id == 2 && ids::barrier<stored, 64>::threads == 64);
static_assert(ids::barrier<stored>::threads == cudasync::all_threads_of_block);

// --- The examples of the PTX manual ---

// Writes its cell before the barrier and reads that of another thread behind it.
template <class Sync>
__device__ void exchange_cells(int* cells, unsigned rank, unsigned threads, Sync sync) {
  for (unsigned round = 0; round < 100; ++round) {
    cells[rank] = static_cast<int>(round * threads + rank);
    sync();
    const unsigned other = (rank + 1 + round % (threads - 1)) % threads;
    DEVICE_CHECK(cells[other] == static_cast<int>(round * threads + other));
    sync();
  }
}

__global__ void sync_all() {
  __shared__ int cells[1024];
  const unsigned rank = gpu_test::thread_rank();
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  exchange_cells(cells, rank, threads, [] { named_barrier<1>::sync(); });
  exchange_cells(cells, rank, threads, [] { named_barrier<0>::sync(); });
  exchange_cells(cells, rank, threads, [] { named_barrier<15>::sync(unaligned); });
}
TEST(all_threads_of_a_block_meet) {
  for (const dim3 block : {dim3(32), dim3(33), dim3(96), dim3(1024), dim3(8, 8, 3), dim3(7, 5)})
    gpu_test::run(sync_all, {8, block});
}

__global__ void sync_some() {
  __shared__ int cells[96];
  if (threadIdx.x >= 96) return;  // the others go on, and do not come
  exchange_cells(cells, threadIdx.x, 96, [] { named_barrier<1, 8 * 12>::sync(); });
  exchange_cells(cells, threadIdx.x, 96, [] { named_barrier<2, 8 * 12>::sync(unaligned); });
  exchange_cells(cells, threadIdx.x, 96, [] { cudasync::dynamic_named_barrier(1, 96).sync(); });
}
TEST(a_fixed_number_of_threads_meets) {
  gpu_test::run(sync_some, {8, 256});
}

template <class Barrier>
__device__ void reduce(const Barrier& bar, unsigned rank, unsigned threads) {
  for (unsigned round = 0; round < threads; ++round) {
    DEVICE_CHECK(bar.sync_count(rank < round) == round);
    DEVICE_CHECK(bar.sync_and(rank != round) == (round >= threads));
    DEVICE_CHECK(bar.sync_and(rank < threads));
    DEVICE_CHECK(bar.sync_or(rank == round));
    DEVICE_CHECK(!bar.sync_or(rank >= threads));
    DEVICE_CHECK(bar.sync_count(rank % 2 == 0, unaligned) == (threads + 1) / 2);
    DEVICE_CHECK(!bar.sync_and(rank != round, unaligned));
    DEVICE_CHECK(bar.sync_or(rank == round, unaligned));
  }
}
__global__ void reduce_all() {
  reduce(named_barrier<1>{}, gpu_test::thread_rank(), blockDim.x * blockDim.y * blockDim.z);
}
__global__ void reduce_some() {
  if (threadIdx.x < 64)
    reduce(named_barrier<2, 64>{}, threadIdx.x, 64);
  else
    reduce(cudasync::dynamic_named_barrier(3, 192), threadIdx.x - 64, 192);
}
TEST(reductions_count_and_compare) {
  for (const dim3 block : {dim3(32), dim3(128), dim3(16, 16)})
    gpu_test::run(reduce_all, {4, block});
  gpu_test::run(reduce_some, {4, 256});
}

// The producer and consumer of the manual, written with the barriers themselves: ids 0 and 1, a warp each.
__global__ void produce_and_consume(int rounds) {
  using full = named_barrier<0, 64>;
  using empty = named_barrier<1, 64>;
  __shared__ int cells[32];
  const unsigned lane = threadIdx.x % 32;
  for (int round = 0; round < rounds; ++round)
    if (threadIdx.x < 32) {
      cells[lane] = round * 32 + static_cast<int>(lane);
      full::arrive();
      empty::sync();
    } else {
      full::sync();
      DEVICE_CHECK(cells[31 - lane] == round * 32 + 31 - static_cast<int>(lane));
      empty::arrive();
    }
}
TEST(a_producer_arrives_and_a_consumer_waits) {
  gpu_test::run(produce_and_consume, {132, 64}, 1000);
}

// --- What the manual allows beside ---

// Both ways of a branch have a barrier of their own, and are one arrival of the warp.
__global__ void meet_in_a_branch() {
  __shared__ int cells[2][64];
  for (int round = 0; round < 100; ++round) {
    int* const now = cells[round % 2];
    now[threadIdx.x] = round;
    if ((threadIdx.x + static_cast<unsigned>(round)) % 3 == 0)
      named_barrier<4, 64>::sync(unaligned);
    else
      named_barrier<4, 64>::sync(unaligned);
    DEVICE_CHECK(now[63 - threadIdx.x] == round);
  }
}
TEST(threads_of_a_warp_meet_from_both_ways_of_a_branch) {
  gpu_test::run(meet_in_a_branch, {8, 64});
}

// Fifteen groups of two warps, each at a barrier of its own, whose id the run tells.
__global__ void many_at_once() {
  __shared__ int cells[15][64];
  const unsigned group = threadIdx.x / 64;
  exchange_cells(cells[group], threadIdx.x % 64, 64, [=] { cudasync::dynamic_named_barrier(1 + group, 64).sync(); });
  __syncthreads();  // nobody is at a barrier that another group takes next
  exchange_cells(cells[group], threadIdx.x % 64, 64,
                 [=] { cudasync::dynamic_named_barrier(15 - group, 64).sync(unaligned); });
}
TEST(groups_meet_at_different_barriers_at_once) {
  gpu_test::run(many_at_once, {4, 960});
}

// A warp of which some threads have exited counts as whole.
__global__ void exited_threads(int* arrived) {
  if (threadIdx.x >= 40 && threadIdx.x < 60) return;
  named_barrier<5, 64>::sync();
  if (threadIdx.x >= 32) {
    named_barrier<6, 64>::arrive();
  } else {
    named_barrier<6, 64>::sync();
  }
  atomicAdd(arrived, 1);
}
TEST(exited_threads_do_not_hold_up_their_warp) {
  const gpu_test::device_array<int> arrived(1);
  gpu_test::run(exited_threads, {2, 64}, arrived.get());
  CHECK(arrived.values()[0] == 2 * (64 - 20));
}

// --- The channel ---

template <unsigned Producers, unsigned Consumers>
__global__ void pass_through_channel(int rounds) {
  constexpr unsigned threads = Producers + Consumers;
  using channel =
      cudasync::named_channel<typename ids::barrier<loaded, threads>, typename ids::barrier<stored, threads>>;
  __shared__ int buffer[Producers];
  for (int use = 0; use < 3; ++use)  // each use leaves the barriers as it found them
    if (threadIdx.x < Producers) {
      typename channel::producer out;
      for (int round = 0; round < rounds; ++round) {
        out.acquire();
        buffer[threadIdx.x] = (use * rounds + round) * 1024 + static_cast<int>(threadIdx.x);
        out.commit();
      }
    } else {
      typename channel::consumer in;
      for (int round = 0; round < rounds; ++round) {
        in.wait();
        for (unsigned cell = threadIdx.x - Producers; cell < Producers; cell += Consumers)
          DEVICE_CHECK(buffer[cell] == (use * rounds + round) * 1024 + static_cast<int>(cell));
        in.release();
      }
    }
}
TEST(a_channel_hands_over_each_buffer_once) {
  gpu_test::run(pass_through_channel<32, 32>, {132, 64}, 500);
  gpu_test::run(pass_through_channel<128, 128>, {132, 256}, 500);
  gpu_test::run(pass_through_channel<32, 480>, {132, 512}, 500);
  gpu_test::run(pass_through_channel<480, 32>, {132, 512}, 200);
  gpu_test::run(pass_through_channel<32, 32>, {1, 64}, 0);
}

// The consumer is slow, or the producer is: the other waits, and nothing is overwritten or read twice.
__global__ void uneven_channel(bool is_producer_slow) {
  using channel = cudasync::named_channel<ids::barrier<loaded, 64>, ids::barrier<stored, 64>>;
  __shared__ int buffer[32];
  const unsigned lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    channel::producer out;
    for (int round = 0; round < 20; ++round) {
      out.acquire();
      if (is_producer_slow) gpu_test::pause(20000);
      buffer[lane] = round;
      out.commit();
    }
  } else {
    channel::consumer in;
    for (int round = 0; round < 20; ++round) {
      in.wait();
      if (!is_producer_slow) gpu_test::pause(20000);
      DEVICE_CHECK(buffer[31 - lane] == round);
      in.release();
    }
  }
}
TEST(a_channel_waits_for_the_slower_side) {
  gpu_test::run(uneven_channel, {8, 64}, true);
  gpu_test::run(uneven_channel, {8, 64}, false);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
