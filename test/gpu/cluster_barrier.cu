// Clusters of 2 to 16 blocks: the barrier of all threads, barriers in other blocks, copies between blocks, and the exit guard.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: sm90
#include "../support/gpu_test.h"

#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

#include <cooperative_groups.h>

#include <utility>

using cudasync::cluster_barrier;
using cudasync::remote_barrier;
using cudasync::unaligned;
using gpu_test::device_array;
using bar_of_cluster = cuda::barrier<cuda::thread_scope_cluster>;

constexpr unsigned clusters = 6, threads = 96;

// Every size of a cluster; 16 is more than each GPU grants. A size that this one does not is left out, but 2 to 8 are not.
template <class... Parameters, class... Arguments>
void run_in_clusters(void (*kernel)(Parameters...), Arguments... arguments) {
  for (const unsigned blocks : {2u, 4u, 8u, 16u}) {
    gpu_test::shape how{blocks * clusters, threads};
    how.cluster = blocks;
    if (blocks > 8) {
      gpu_test::expect_success(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
                               "clusters of 16");
      cudaLaunchAttribute attribute = {};
      attribute.id = cudaLaunchAttributeClusterDimension;
      attribute.val.clusterDim = {blocks, 1, 1};
      cudaLaunchConfig_t config = {};
      config.gridDim = how.grid;
      config.blockDim = how.block;
      config.attrs = &attribute;
      config.numAttrs = 1;
      int fitting = 0;
      gpu_test::expect_success(cudaOccupancyMaxActiveClusters(&fitting, kernel, &config), "occupancy");
      if (fitting == 0) continue;
    }
    gpu_test::run(kernel, how, arguments...);
  }
}

// The same variable of another block.
template <class Value>
__device__ Value& of_block(Value& own, unsigned rank) {
  return *cooperative_groups::this_cluster().map_shared_rank(&own, static_cast<int>(rank));
}
__device__ unsigned rank_of_block() {
  return cudasync::this_cluster().block_rank();
}
__device__ unsigned blocks_of_cluster() {
  return cudasync::this_cluster().num_blocks();
}

// --- The barrier of all threads ---

// Writes its cell in the next block's memory before, and reads what the block before wrote behind it.
template <class Sync>
__device__ void exchange_between_blocks(int (&cells)[2][threads], Sync sync) {
  const unsigned rank = rank_of_block(), blocks = blocks_of_cluster();
  for (int round = 0; round < 100; ++round) {
    int (&now)[threads] = cells[round % 2];
    of_block(now, (rank + 1) % blocks)[threadIdx.x] = round * 64 + static_cast<int>(rank);
    sync();
    DEVICE_CHECK(now[threads - 1 - threadIdx.x] == round * 64 + static_cast<int>((rank + blocks - 1) % blocks));
  }
}
__global__ void meet() {
  __shared__ int cells[2][threads];
  cluster_barrier::arrive_and_wait();  // all blocks have begun
  exchange_between_blocks(cells, [] { cluster_barrier::arrive_and_wait(); });
  exchange_between_blocks(cells, [] { cluster_barrier::wait(cluster_barrier::arrive()); });
  exchange_between_blocks(cells, [] {
    auto token = cluster_barrier::arrive(cudasync::memory_order_release);
    if (threadIdx.x % 7 == rank_of_block() % 7) __nanosleep(500);
    cluster_barrier::wait(std::move(token));
  });
  exchange_between_blocks(cells, [] {
    if (threadIdx.x % 3 == 0)
      cluster_barrier::arrive_and_wait(unaligned);
    else
      cluster_barrier::wait(cluster_barrier::arrive(unaligned), unaligned);
  });
  cluster_barrier::wait(cluster_barrier::arrive(cudasync::memory_order_relaxed));  // all have read
}
TEST(all_threads_of_a_cluster_meet) {
  run_in_clusters(meet);
}

// A relaxed arrival still holds everybody up until all have come. It orders no accesses, so the times are compared after
// another phase, which does. The clocks of multiprocessors may differ by a few microseconds.
__global__ void keep_time(unsigned long long* late) {
  const bool is_last = rank_of_block() + 1 == blocks_of_cluster();
  unsigned long long& came = late[blockIdx.x / blocks_of_cluster()];
  for (int round = 0; round < 5; ++round) {
    if (is_last && threadIdx.x == 0) {
      gpu_test::pause(50000);
      came = gpu_test::nanoseconds();
    }
    cluster_barrier::wait(cluster_barrier::arrive(cudasync::memory_order_relaxed));
    const unsigned long long left = gpu_test::nanoseconds_after_barrier();
    cluster_barrier::arrive_and_wait();
    DEVICE_CHECK(left + 10000 >= came);
    cluster_barrier::arrive_and_wait();
  }
}
TEST(relaxed_phases_keep_time) {
  for (const unsigned blocks : {1u, 2u, 8u}) {
    const device_array<unsigned long long> late(clusters);
    gpu_test::shape how{blocks * clusters, threads};
    how.cluster = blocks;
    gpu_test::run(keep_time, how, late.get());
  }
}

// --- A barrier in one block, arrivals from all ---

// Each block in turn owns the phase: all threads of the cluster write to its memory, arrive at its barrier, and its own
// threads wait and read.
__global__ void send_to_owner(bool by_token) {
  __shared__ bar_of_cluster bar;
  __shared__ int cells[16][threads];
  const unsigned rank = rank_of_block(), blocks = blocks_of_cluster();
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects(bar, blocks * threads));
  for (int round = 0; round < 60; ++round) {
    const unsigned owner = static_cast<unsigned>(round) % blocks;
    of_block(cells, owner)[rank][threadIdx.x] = round * 2048 + static_cast<int>(threadIdx.x);
    if (owner == rank) {
      if (by_token)
        bar.wait(bar.arrive());
      else
        bar.arrive_and_wait();
      for (unsigned block = 0; block < blocks; ++block)
        DEVICE_CHECK(cells[block][threads - 1 - threadIdx.x] ==
                     round * 2048 + static_cast<int>(threads - 1 - threadIdx.x));
    } else {
      remote_barrier(bar, owner).arrive();
    }
    cluster_barrier::arrive_and_wait();  // the owner has read
  }
}
TEST(arrivals_from_other_blocks_complete_a_phase) {
  run_in_clusters(send_to_owner, false);
  run_in_clusters(send_to_owner, true);
}

// Through global memory, which each multiprocessor caches: the wait must make the reader look again.
__global__ void pass_a_message(int* words, int rounds) {
  __shared__ bar_of_cluster full, empty;
  const unsigned rank = rank_of_block(), blocks = blocks_of_cluster(), next = (rank + 1) % blocks;
  int* const to = words + (blockIdx.x / blocks * blocks + next) * threads;
  int* const from = words + blockIdx.x * threads;
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects(full, threads),
                          cudasync::expects(empty, threads));
  const remote_barrier full_there(full, next), empty_there(empty, (rank + blocks - 1) % blocks);
  for (int round = 0; round < rounds; ++round) {
    if (round > 0) empty.wait_parity(round % 2 == 0);
    to[threadIdx.x] = round + 1;
    full_there.arrive();
    full.wait_parity(round % 2 != 0);
    DEVICE_CHECK(from[threads - 1 - threadIdx.x] == round + 1);
    empty_there.arrive();
  }
  cluster_barrier::arrive_and_wait();
  if (threadIdx.x == 0) invalidate(&full);
}
TEST(a_message_through_global_memory_is_read_anew) {
  const device_array<int> words(16 * clusters * threads);
  run_in_clusters(pass_a_message, words.get(), 300);
}

__global__ void count_arrivals() {
  __shared__ bar_of_cluster bar;
  const unsigned rank = rank_of_block(), blocks = blocks_of_cluster();
  cudasync::cluster_exit_guard stay;
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects(bar, 7 * blocks));
  DEVICE_CHECK((bar_of_cluster::max)() == (1 << 20) - 1);
  if (threadIdx.x == 0)
    for (unsigned block = 0; block < blocks; ++block) {
      const remote_barrier there(bar, block);
      DEVICE_CHECK(there.block_rank() == block);
      there.arrive(6);
      there.arrive();
    }
  bar.wait_parity(false);
  DEVICE_CHECK(!bar.try_wait_parity_for(true, cuda::std::chrono::microseconds(20)));
  cluster_barrier::arrive_and_wait();
  // One arrival of each block less from the next phase on.
  if (threadIdx.x == 0) {
    const remote_barrier there(bar, (rank + 1) % blocks);
    there.arrive_and_drop();
    bar_of_cluster::arrival_token token = bar.arrive(7 * blocks - 1);
    bar.wait(std::move(token));
    token = bar.arrive(7 * blocks - 2);
    DEVICE_CHECK(!bar.try_wait_for(token, cuda::std::chrono::microseconds(20)));
    bar.arrive_and_drop();
    DEVICE_CHECK(bar.try_wait_for(token, cuda::std::chrono::seconds(1)));
    token = bar.arrive(7 * blocks - 2);
    while (!bar.try_wait(token)) {
    }
  }
}
TEST(counts_drops_and_timed_waits) {
  run_in_clusters(count_arrivals);
}

// --- Bytes ---

// Each block sends its tile to the next one, whose barrier counts the bytes.
__global__ void send_tiles(const int4* source, bool expected_by_sender) {
  __shared__ bar_of_cluster bar;
  alignas(16) __shared__ int4 own[threads], received[threads];
  const unsigned rank = rank_of_block(), blocks = blocks_of_cluster(), next = (rank + 1) % blocks;
  const unsigned before = (rank + blocks - 1) % blocks;
  const unsigned bytes = sizeof own;
  cudasync::cluster_exit_guard stay;
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects<1>(bar));
  for (unsigned round = 0; round < 20; ++round) {
    own[threadIdx.x] = make_int4(static_cast<int>(rank), static_cast<int>(round), static_cast<int>(threadIdx.x), 7);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    cluster_barrier::arrive_and_wait();
    if (threadIdx.x == 0) {
      const remote_barrier there(bar, next);
      if (expected_by_sender) {
        there.arrive_tx(bytes);
      } else {
        there.expect_tx(bytes);
        there.arrive();
      }
      there.memcpy_async_tx(received, own, cuda::aligned_size_t<16>(bytes));
    }
    bar.wait_parity(round % 2 != 0);
    const unsigned other = threads - 1 - threadIdx.x;
    const int4 got = received[other];
    DEVICE_CHECK(got.x == static_cast<int>(before) && got.y == static_cast<int>(round));
    DEVICE_CHECK(got.z == static_cast<int>(other) && got.w == 7);
    cluster_barrier::arrive_and_wait();
  }
  // From global memory, to this block and by multicast to all.
  if (threadIdx.x == 0) {
    cudasync::device::fence_before_bulk_copy();  // all have read what was received
    static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, bytes));
    cuda::device::memcpy_async_tx(received, source + rank * threads, cuda::aligned_size_t<16>(bytes), bar);
  }
  bar.wait_parity(false);
  DEVICE_CHECK(received[threadIdx.x].x == static_cast<int>(rank * threads + threadIdx.x));
  if (threadIdx.x == 0) {
    cuda::device::barrier_expect_tx(bar, bytes);
    static_cast<void>(bar.arrive());
  }
  cluster_barrier::arrive_and_wait();
  if (rank == blocks - 1 && threadIdx.x == 0)
    cudasync::device::memcpy_async_tx_to_blocks(own, source, cuda::aligned_size_t<16>(bytes), bar,
                                                static_cast<unsigned short>((1u << blocks) - 1));
  bar.wait_parity(true);
  DEVICE_CHECK(own[threadIdx.x].x == static_cast<int>(threadIdx.x));
}
TEST(copies_between_blocks_complete_on_the_receivers_barrier) {
  std::vector<int4> values(16 * threads);
  for (unsigned index = 0; index < values.size(); ++index)
    values[index] = make_int4(static_cast<int>(index), 1, 2, 3);
  const device_array<int4> source(values);
  run_in_clusters(send_tiles, source.get(), false);
  run_in_clusters(send_tiles, source.get(), true);
}

// --- Values and reductions in another block ---

// Each thread sends values of 4, 8 and 16 bytes to the next block, again when they have been read there.
__global__ void send_values(unsigned rounds) {
  __shared__ bar_of_cluster full, empty;
  __shared__ unsigned small[threads];
  __shared__ double middle[threads];
  __shared__ int4 large[threads];
  const cudasync::cluster_exit_guard guard;
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects<1>(full), cudasync::expects<threads>(empty));
  const unsigned rank = rank_of_block(), blocks = blocks_of_cluster();
  const remote_barrier next(full, (rank + 1) % blocks);
  const unsigned before = (rank + blocks - 1) % blocks;
  const unsigned other = threads - 1 - threadIdx.x;
  for (unsigned round = 0; round < rounds; ++round) {
    if (threadIdx.x == 0)
      static_cast<void>(cuda::device::barrier_arrive_tx(full, 1, sizeof small + sizeof middle + sizeof large));
    if (round != 0) empty.wait_parity(round % 2 == 0);  // the next block has read the values of the round before
    const unsigned mine = (round * blocks + rank) * threads + threadIdx.x;
    next.store_async(&small[threadIdx.x], mine);
    next.store_async(&middle[threadIdx.x], mine + 0.5);
    next.store_async(&large[threadIdx.x], make_int4(static_cast<int>(mine), 1, 2, -3));
    full.wait_parity(round % 2 != 0);
    const unsigned theirs = (round * blocks + before) * threads + other;
    DEVICE_CHECK(small[other] == theirs);
    DEVICE_CHECK(middle[other] == theirs + 0.5);
    DEVICE_CHECK(large[other].x == static_cast<int>(theirs) && large[other].y == 1);
    DEVICE_CHECK(large[other].z == 2 && large[other].w == -3);
    remote_barrier(empty, before).arrive();
  }
}
TEST(values_arrive_in_the_next_block) {
  run_in_clusters(send_values, 50u);
}

// All threads of the other blocks reduce into the first block.
__global__ void reduce_to_first() {
  __shared__ bar_of_cluster bar;
  __shared__ unsigned sum, most, cleared, set, flipped, up, down;
  __shared__ int least;
  __shared__ unsigned long long wide;
  const cudasync::cluster_exit_guard guard;
  if (threadIdx.x == 0) {
    sum = most = set = flipped = up = down = 0;
    cleared = ~0u;
    least = 1;
    wide = 1;
  }
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects<1>(bar));
  const unsigned all = (blocks_of_cluster() - 1) * threads;
  if (rank_of_block() == 0) {
    if (threadIdx.x == 0) static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, all * (8 * 4 + 8)));
    bar.wait_parity(false);
    DEVICE_CHECK(sum == all * (all - 1) / 2);
    DEVICE_CHECK(wide == 1 + (static_cast<unsigned long long>(all) << 40));
    DEVICE_CHECK(least == 1 - static_cast<int>(all) && most == 0x80000000u + all - 1);
    DEVICE_CHECK(cleared == 0 && set == ~0u);
    DEVICE_CHECK(flipped == 0);  // the number of threads is a multiple of 4
    DEVICE_CHECK(up == all % 7 && down == (7 - all % 7) % 7);
    return;
  }
  const unsigned mine = (rank_of_block() - 1) * threads + threadIdx.x;
  const remote_barrier first(bar, 0);
  first.add_async(&sum, mine);
  first.add_async(&wide, 1ull << 40);
  first.min_async(&least, -static_cast<int>(mine));
  first.max_async(&most, 0x80000000u + mine);
  first.and_async(&cleared, ~(1u << mine % 32));
  first.or_async(&set, 1u << mine % 32);
  first.xor_async(&flipped, mine);
  first.increment_async(&up, 6);
  first.decrement_async(&down, 6);
}
TEST(reductions_of_all_blocks_arrive_in_the_first) {
  run_in_clusters(reduce_to_first);
}

// --- The end of a block ---

// Blocks but the first are slow, and then write to the memory of the first and arrive there.
__global__ void leave_late(int* arrived) {
  __shared__ bar_of_cluster bar;
  __shared__ int cell;
  const unsigned rank = rank_of_block();
  if (threadIdx.x == 0) cell = 0;
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects(bar, 1 << 10));
  cudasync::cluster_exit_guard stay;
  if (rank == 0) return;
  if (threadIdx.x % 2 == 0) return;  // from a branch
  gpu_test::pause(200000);
  atomicAdd(&of_block(cell, 0), 1);
  remote_barrier(bar, 0).arrive();
  atomicAdd(arrived, 1);
}
TEST(the_guard_keeps_a_block_for_others) {
  const device_array<int> arrived(1);
  run_in_clusters(leave_late, arrived.get());
  CHECK(arrived.values()[0] > 0);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
