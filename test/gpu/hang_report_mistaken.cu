// The report of a hang names the mistake where another explanation is close at hand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compiled: alone
// needs: sm90
#include "../support/misuse.h"

#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cudasync/bulk_pipeline.h>
#include <cudasync/cluster_barrier.h>
#include <cudasync/named_barrier.h>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;
using cluster_wide = cuda::barrier<cuda::thread_scope_cluster>;
using block_state = cuda::pipeline_shared_state<cuda::thread_scope_block, 2>;
using cuda::aligned_size_t;
using cuda::device::barrier_arrive_tx;
using cudasync::this_thread_block;

__device__ alignas(16) unsigned char source[4096];
__device__ unsigned results[1024];

// The argument is 0. It hides wrong values from the compiler.

// --- A second init ---

__device__ void wait_for(const volatile int& flag) {
  while (flag == 0) {
  }
}
// Warp 0 passes the phase first, and initializes the barrier for the next tile.
__global__ void init_while_a_slower_warp_waits(int) {
  __shared__ block_barrier bar;
  __shared__ volatile int is_next;
  if (threadIdx.x == 0) {
    init(&bar, 64);
    is_next = 0;
  }
  __syncthreads();
  block_barrier::arrival_token token = bar.arrive();
  if (threadIdx.x >= 32) wait_for(is_next);
  bar.wait(static_cast<block_barrier::arrival_token&&>(token));  // <wait>
  __syncwarp();
  if (threadIdx.x == 0) init(&bar, 64);  // <again>
  __syncwarp();
  is_next = 1;
}
// The same, and warp 0 goes on to the next phase.
__global__ void init_between_two_tiles(int) {
  __shared__ block_barrier bar;
  __shared__ volatile int is_next;
  if (threadIdx.x == 0) {
    init(&bar, 64);
    is_next = 0;
  }
  __syncthreads();
  for (unsigned tile = 0; tile < 2; ++tile) {
    block_barrier::arrival_token token = bar.arrive();
    if (threadIdx.x >= 32) wait_for(is_next);
    bar.wait(static_cast<block_barrier::arrival_token&&>(token));  // <wait>
    __syncwarp();
    if (threadIdx.x == 0) init(&bar, 64);  // <again>
    __syncwarp();
    is_next = 1;
  }
}
// By parity: the consumers come late.
__global__ void full_barrier_that_is_initialized_for_each_tile(int) {
  __shared__ block_barrier full;
  if (threadIdx.x == 0) {
    init(&full, 1);
    static_cast<void>(full.arrive());
  }
  __syncthreads();
  if (threadIdx.x == 0) init(&full, 1);  // <again>
  if (threadIdx.x < 32) return;
  gpu_test::pause(100000);
  full.wait_parity(false);  // <wait>
}

// --- Overwritten ---

struct tile_before_barriers {
  float tile[32];
  block_barrier bar;
};
__global__ void halo_over_the_barrier(int zero) {
  __shared__ tile_before_barriers shared;
  if (threadIdx.x == 0) init(&shared.bar, 64);  // <init>
  __syncthreads();
  if (threadIdx.x < 34) static_cast<volatile float*>(shared.tile)[static_cast<int>(threadIdx.x) + zero] = 1.5f;
  __syncthreads();
  if (threadIdx.x < 32) shared.bar.arrive_and_wait();  // <wait>
}

__global__ void arrivals_at_zeros(int zero) {
  __shared__ tile_before_barriers shared;
  if (threadIdx.x == 0) init(&shared.bar, 64);
  __syncthreads();
  if (threadIdx.x < 34) static_cast<volatile float*>(shared.tile)[static_cast<int>(threadIdx.x) + zero] = 0;
  __syncthreads();
  static_cast<void>(shared.bar.arrive());  // <arrive>
}

// The second of two barriers with names, in a copy that is 16 bytes too long.
__global__ void halo_of_a_full_barrier(int zero) {
  struct layout {
    block_barrier bars[2];
    alignas(16) unsigned tile[8];
  };
  __shared__ layout shared;
  if (threadIdx.x == 0) {
    init(&shared.bars[0], 1);
    init(&shared.bars[1], 1);
    cudasync::name(shared.bars, "bars");
  }
  __syncthreads();
  if (threadIdx.x < 10)
    static_cast<volatile unsigned*>(shared.tile)[static_cast<int>(threadIdx.x) + zero - 2] = 0x3fc00000;
  __syncthreads();
  if (threadIdx.x >= 32) shared.bars[1].wait_parity(false);  // <wait>
}

// --- A pipeline ---

struct warp_group {
  __device__ unsigned size() const { return 32; }
  __device__ unsigned thread_rank() const { return threadIdx.x % 32; }
  __device__ void sync() const { __syncwarp(); }
};
__global__ void state_of_four_warps(int) {
  __shared__ block_state state;
  auto pipe = cuda::make_pipeline(warp_group(), &state);  // <make>
  for (unsigned tile = 0; tile < 4; ++tile) {
    pipe.producer_acquire();
    pipe.producer_commit();
    pipe.consumer_wait();
    pipe.consumer_release();
  }
}
// The second warp makes its pipeline when the first one has used its own, and commits half of a stage.
__global__ void state_of_two_warps(int) {
  __shared__ block_state state;
  if (threadIdx.x < 32) {
    auto pipe = cuda::make_pipeline(warp_group(), &state);
    pipe.producer_acquire();
    pipe.producer_commit();
    pipe.consumer_wait();
  }
  __syncthreads();
  if (threadIdx.x < 32) return;
  auto pipe = cuda::make_pipeline(warp_group(), &state);
  pipe.producer_acquire();
  if (threadIdx.x % 2 != 0) pipe.producer_commit();
  pipe.consumer_wait();
}
__global__ void state_that_another_warp_makes_again(int) {
  __shared__ block_state state;
  if (threadIdx.x >= 32) {
    __syncthreads();
    static_cast<void>(cuda::make_pipeline(warp_group(), &state));  // <make>
    __syncthreads();
    return;
  }
  auto pipe = cuda::make_pipeline(warp_group(), &state);
  for (unsigned tile = 0; tile < 3; ++tile) {
    pipe.producer_acquire();  // <acquire>
    pipe.producer_commit();
    pipe.consumer_wait();
    pipe.consumer_release();
    if (tile != 0) continue;
    __syncthreads();
    __syncthreads();
  }
}
__global__ void stage_of_a_state_that_is_made_again(int) {
  __shared__ block_state state;
  if (threadIdx.x >= 32) {
    __syncthreads();
    static_cast<void>(cuda::make_pipeline(warp_group(), &state));  // <make>
    __syncthreads();
    return;
  }
  auto pipe = cuda::make_pipeline(warp_group(), &state);
  pipe.producer_acquire();
  pipe.producer_commit();
  pipe.consumer_wait();
  __syncthreads();
  __syncthreads();
  pipe.consumer_wait();  // <wait>
}
__global__ void state_of_four_warps_with_roles(int) {
  __shared__ block_state state;
  auto pipe = cuda::make_pipeline(warp_group(), &state, 16);  // <make>
  for (unsigned tile = 0; tile < 4; ++tile)
    if (threadIdx.x % 32 < 16) {
      pipe.producer_acquire();
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      pipe.consumer_release();
    }
}
// Both halves of the block call a function with a barrier, of which each seems to have one of its own.
__device__ void add_half(unsigned rank) {
  __shared__ block_barrier step;
  if (threadIdx.x == 0) init(&step, 48);
  __syncthreads();
  if (rank == 0 && threadIdx.x != 0) init(&step, 48);  // later, so that the inits are not at the same time
  __syncthreads();
  step.arrive_and_wait();
  step.arrive_and_wait();
}
__global__ void barrier_of_a_function(int) {
  add_half(threadIdx.x % 48);
}

// --- Clusters ---

__global__ void block_without_work(int) {
  __shared__ cluster_wide ready;
  const auto cluster = cudasync::this_cluster();
  const unsigned rank = cluster.block_rank();
  cudasync::init_barriers(cluster, cudasync::expects(ready, 4));  // <init>
  if (threadIdx.x == 0 && rank != 2) cudasync::remote_barrier(ready, 0).arrive();
  if (rank == 0) ready.wait_parity(false);  // <wait>
  cluster.sync();                           // <cluster>
}
// The blocks at the ends of a line expect two signals, as the others do. Another block may wait first.
__global__ void line_of_blocks_whose_ends_expect_two_signals(int) {
  __shared__ cluster_wide signaled[2];  // in even and in odd steps
  const auto cluster = cudasync::this_cluster();
  const unsigned rank = cluster.block_rank();
  cudasync::init_barriers(cluster, cudasync::expects<2>(signaled));
  for (unsigned step = 0; step < 4; ++step) {
    cluster_wide& now = signaled[step % 2];
    if (threadIdx.x == 0 && rank != 0) cudasync::remote_barrier(now, rank - 1).arrive();
    if (threadIdx.x == 0 && rank != 3) cudasync::remote_barrier(now, rank + 1).arrive();
    now.wait_parity(step / 2 != 0);  // <wait>
  }
  cluster.sync();
}
__global__ void block_that_expects_no_bytes(int) {
  __shared__ cluster_wide full;
  alignas(16) __shared__ unsigned char tile[1024];
  const auto cluster = cudasync::this_cluster();
  cudasync::init_barriers(cluster, cudasync::expects(full, 1));  // <init>
  if (threadIdx.x == 0 && cluster.block_rank() == 0) {
    static_cast<void>(barrier_arrive_tx(full, 1, 1024));
    cudasync::device::memcpy_async_tx_to_blocks(tile, source, aligned_size_t<16>(1024), full, 3);
  }
  full.wait_parity(false);  // <wait>
  cluster.sync();
}

// Each block stores to its neighbors. The first one and the last one have only one, but expect the bytes of two.
__global__ void blocks_at_the_ends_that_expect_two_neighbors(int) {
  __shared__ cluster_wide halo;
  __shared__ unsigned cells[2];
  const auto cluster = cudasync::this_cluster();
  cudasync::init_barriers(cluster, cudasync::expects(halo, 1));
  const unsigned rank = cluster.block_rank();
  if (threadIdx.x == 0) {
    static_cast<void>(barrier_arrive_tx(halo, 1, sizeof cells));  // <expect>
    if (rank > 0) cudasync::remote_barrier(halo, rank - 1).store_async(&cells[1], rank);
    if (rank < 3) cudasync::remote_barrier(halo, rank + 1).store_async(&cells[0], rank);
  }
  halo.wait_parity(false);  // <wait>
  cluster.sync();
}

// The odd block of a pair sends its sums to the even one. Both pairs use the rank of the first one.
__global__ void sums_sent_to_the_first_pair(int) {
  __shared__ cluster_wide filled;
  __shared__ unsigned sums[32];
  const auto cluster = cudasync::this_cluster();
  cudasync::init_barriers(cluster, cudasync::expects(filled, 1));
  const unsigned rank = cluster.block_rank();
  if (rank % 2 == 0) {
    if (threadIdx.x == 0) static_cast<void>(barrier_arrive_tx(filled, 1, sizeof sums));  // <expect>
    filled.wait_parity(false);                                                           // <wait>
  } else {
    cudasync::remote_barrier(filled, 0).store_async(&sums[threadIdx.x], rank);
  }
  cluster.sync();
}

// Each block sends to both neighbors of a ring, but the first one to itself in place of the last one.
__global__ void ring_that_does_not_wrap_around(int) {
  __shared__ cluster_wide received[2];
  __shared__ unsigned halo[2][2][32];
  const auto cluster = cudasync::this_cluster();
  cudasync::init_barriers(cluster, cudasync::expects<1>(received));
  const unsigned rank = cluster.block_rank();
  for (unsigned step = 0; step < 10; ++step) {
    cluster_wide& bar = received[step % 2];
    auto& place = halo[step % 2];
    if (threadIdx.x == 0) static_cast<void>(barrier_arrive_tx(bar, 1, sizeof place));  // <expect>
    cudasync::remote_barrier(bar, (rank + 1) % 4).store_async(&place[0][threadIdx.x], step);
    cudasync::remote_barrier(bar, rank > 0 ? rank - 1 : 0).store_async(&place[1][threadIdx.x], step);
    bar.wait_parity(step / 2 % 2 != 0);  // <wait>
  }
  cluster.sync();
}
// A block makes a step less, so its left neighbor sends it too many bytes, and its right one lacks as many.
__global__ void block_of_a_ring_that_stops_early(int) {
  __shared__ cluster_wide received[2];
  __shared__ unsigned halo[2][32];
  const auto cluster = cudasync::this_cluster();
  cudasync::init_barriers(cluster, cudasync::expects<1>(received));
  const unsigned rank = cluster.block_rank();
  for (unsigned step = 0; step < 6 - rank / 3; ++step) {
    cluster_wide& bar = received[step % 2];
    if (threadIdx.x == 0) static_cast<void>(barrier_arrive_tx(bar, 1, sizeof halo[0]));
    cudasync::remote_barrier(bar, (rank + 1) % 4).store_async(&halo[step % 2][threadIdx.x], step);
    bar.wait_parity(step / 2 % 2 != 0);  // <wait>
  }
  cluster.sync();  // <cluster>
}

__global__ void cluster_barrier_of_one_block(int) {
  __shared__ cluster_wide own;
  const auto cluster = cudasync::this_cluster();
  cudasync::init_barriers(cluster, cudasync::expects(own, 64));
  if (threadIdx.x != 5) own.arrive_and_wait();  // <wait>
  cluster.sync();
}
// From the second round on, the loading warp calls a barrier that also counts the threads that wait for it.
template <class Meet>
__device__ void load_and_consume(Meet meet) {
  __shared__ cluster_wide full, empty;
  const auto cluster = cudasync::this_cluster();
  cudasync::init_barriers(cluster, cudasync::expects(full, 1), cudasync::expects(empty, 64));
  for (unsigned round = 0; round < 3; ++round) {
    if (threadIdx.x < 64) {
      full.wait_parity(round % 2 != 0);
      static_cast<void>(empty.arrive());
    } else {
      if (round > 0) empty.wait_parity(round % 2 == 0);
      if (round > 0) meet();
      if (threadIdx.x == 64) static_cast<void>(full.arrive());
    }
  }
  cluster.sync();
}
__global__ void loader_that_meets_its_cluster(int) {
  load_and_consume([] { cudasync::cluster_barrier::arrive_and_wait(); });  // <loader>
}
__global__ void loader_that_meets_its_block(int) {
  load_and_consume([] { cudasync::this_thread_block().sync(); });  // <block>
}
// The barrier of the cluster counts the thread that waits for those that are there.
__global__ void cluster_barrier_of_some_threads(int) {
  __shared__ block_barrier empty;
  if (threadIdx.x == 0) init(&empty, 64);
  __syncthreads();
  if (threadIdx.x >= 64) {
    if (threadIdx.x == 64) empty.wait_parity(false);  // <wait>
    return;
  }
  cudasync::cluster_barrier::arrive_and_wait();  // <cluster>
  static_cast<void>(empty.arrive());
}
// Both blocks should arrive at the barrier of the first one.
__global__ void own_barrier_instead_of_the_first_blocks(int) {
  __shared__ cluster_wide ready;
  const auto cluster = cudasync::this_cluster();
  const unsigned rank = cluster.block_rank();
  cudasync::init_barriers(cluster, cudasync::expects(ready, 1));
  if (threadIdx.x == 0 && rank == 1) cudasync::remote_barrier(ready, rank).arrive(3);  // <arrive>
  if (rank == 0) ready.wait_parity(false);
  cluster.sync();
}
// Each block waits for the warps of both, and each warp arrives in its own block.
__global__ void release_in_the_own_block_alone(int) {
  __shared__ cluster_wide empty;
  const auto cluster = cudasync::this_cluster();
  cudasync::init_barriers(cluster, cudasync::expects<4>(empty));
  if (threadIdx.x == 64) empty.wait_parity(false);  // <wait>
  if (threadIdx.x % 32 == 0 && threadIdx.x < 64) static_cast<void>(empty.arrive());
  cluster.sync();
}
// Block 1 has nothing to send, and ends.
__global__ void block_that_waits_for_the_exit_of_its_cluster(int) {
  __shared__ cluster_wide ready;
  const cudasync::cluster_exit_guard guard;
  const auto cluster = cudasync::this_cluster();
  cudasync::init_barriers(cluster, cudasync::expects<2>(ready));
  if (cluster.block_rank() != 0 || threadIdx.x != 0) return;
  static_cast<void>(ready.arrive());
  ready.wait_parity(false);  // <wait>
}
__global__ void block_that_releases_one_stage_less(int) {
  using ring_of_two = cudasync::bulk_pipeline<1, cudasync::consumer_warps<1>, 2>;
  __shared__ ring_of_two pipe;
  alignas(16) __shared__ unsigned char stage[64];
  const auto cluster = cudasync::this_cluster();
  pipe.init(cluster);
  if (threadIdx.x == 32) {
    ring_of_two::producer_state at;
    for (unsigned tile = 0; tile < 3; ++tile, at.advance()) {
      pipe.producer_acquire(at, 64);  // <acquire>
      pipe.copy(at, stage, source, aligned_size_t<16>(64));
    }
  } else if (threadIdx.x < 32) {
    ring_of_two::consumer_state at;
    for (unsigned tile = 0; tile < 3; ++tile, at.advance()) {
      pipe.consumer_wait(at);  // <wait>
      if (tile == 1 && cluster.block_rank() == 1) break;
      pipe.consumer_release(at);
    }
  }
  cluster.sync();
}

// --- Without __shared__ ---

__global__ void barrier_of_each_thread(int) {
  block_barrier bar;
  if (threadIdx.x == 0) init(&bar, 64);  // <init>
  __syncthreads();
  bar.arrive_and_wait();
}
__global__ void latch_of_each_thread(int) {
  cuda::latch<cuda::thread_scope_block> done(2);
  done.arrive_and_wait();  // <wait>
}
__device__ block_barrier of_all_blocks;
__global__ void barrier_of_all_blocks(int) {
  if (threadIdx.x == 0 && blockIdx.x == 0) init(&of_all_blocks, 64);
  if (blockIdx.x != 0 || threadIdx.x == 0) return;
  __syncwarp(~1u);
  gpu_test::pause(1000000);
  of_all_blocks.arrive_and_wait();  // <wait>
}

// --- Consumers that wait outside ---

using ring = cudasync::bulk_pipeline<2, cudasync::consumer_warps<2>>;
__global__ void block_barrier_in_the_branch_of_consumers(int) {
  __shared__ ring pipe;
  alignas(16) __shared__ unsigned char stage[2][512];
  pipe.init(this_thread_block());
  if (threadIdx.x == 64) {
    ring::producer_state at;
    for (unsigned tile = 0; tile < 4; ++tile, at.advance())
      pipe.acquire_and_copy(at, stage[at.index()], source, aligned_size_t<16>(512));  // <acquire>
  } else if (threadIdx.x < 64) {
    ring::consumer_state at;
    for (unsigned tile = 0; tile < 4; ++tile, at.advance()) {
      pipe.consumer_wait(at);  // <wait>
      __syncthreads();
      pipe.consumer_release(at);
    }
  }
}
__global__ void release_of_the_first_stage(int) {
  __shared__ ring pipe;
  alignas(16) __shared__ unsigned char stage[2][512];
  pipe.init(this_thread_block());
  if (threadIdx.x == 64) {
    ring::producer_state at;
    for (unsigned tile = 0; tile < 4; ++tile, at.advance())
      pipe.acquire_and_copy(at, stage[at.index()], source, aligned_size_t<16>(512));  // <acquire>
  } else if (threadIdx.x < 64) {
    ring::consumer_state at;
    for (unsigned tile = 0; tile < 4; ++tile, at.advance()) {
      pipe.consumer_wait(at);  // <wait>
      cudasync::named_barrier<1, 64>::sync();
      pipe.consumer_release(ring::consumer_state());
    }
  }
}
// Without the report, the kernel ends, and the second tile overwrites what the other warp still reads.
__global__ void warp_that_releases_a_stage_twice(int) {
  __shared__ ring pipe;
  alignas(16) __shared__ unsigned char stage[2][512];
  pipe.init(this_thread_block());
  if (threadIdx.x == 64) {
    ring::producer_state at;
    for (unsigned tile = 0; tile < 4; ++tile, at.advance())
      pipe.acquire_and_copy(at, stage[at.index()], source, aligned_size_t<16>(512));
  } else if (threadIdx.x < 64) {
    ring::consumer_state at;
    for (unsigned tile = 0; tile < 4; ++tile, at.advance()) {
      pipe.consumer_wait(at);
      if (threadIdx.x >= 32) gpu_test::pause(3000000);
      pipe.consumer_release(at);                                     // <release>
      if (threadIdx.x < 32 && tile == 2) pipe.consumer_release(at);  // <again>
    }
  }
}
__global__ void third_stage_before_a_release(int) {
  __shared__ block_state state;
  auto pipe = cuda::make_pipeline(this_thread_block(), &state);
  for (unsigned tile = 0; tile < 3; ++tile) {
    pipe.producer_acquire();  // <acquire>
    pipe.producer_commit();
  }
  pipe.consumer_wait();
  pipe.consumer_release();
}

// The producer has no tile, and the consumer waits for the first one.
__global__ void ring_without_a_tile(int tiles) {
  __shared__ block_barrier full[2], empty[2];
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<1>(full), cudasync::expects<32>(empty));
  cudasync::ring_state<2> at;
  if (threadIdx.x == 32)
    for (int tile = 0; tile < tiles; ++tile, at.advance()) {
      empty[at.index()].wait_parity(!at.parity());
      static_cast<void>(full[at.index()].arrive());
    }
  if (threadIdx.x < 32) full[0].wait_parity(false);  // <wait>
}
// The producer has four stages, the consumer three.
__global__ void ring_of_another_size(int) {
  __shared__ block_barrier full[4], empty[4];
  if (threadIdx.x == 0)
    for (unsigned stage = 0; stage < 4; ++stage) {
      init(&full[stage], 1);
      init(&empty[stage], 32);
    }
  __syncthreads();
  if (threadIdx.x == 32)
    for (unsigned tile = 0; tile < 12; ++tile) {
      empty[tile % 4].wait_parity(tile / 4 % 2 == 0);  // <acquire>
      static_cast<void>(full[tile % 4].arrive());
    }
  else if (threadIdx.x < 32)
    for (unsigned tile = 0; tile < 12; ++tile) {
      full[tile % 3].wait_parity(tile / 3 % 2 != 0);  // <wait>
      static_cast<void>(empty[tile % 3].arrive());
    }
}
// The producer arrives for each of two parts of a tile. The consumers take the second part for the next tile. On a GPU,
// the lanes of a warp stay together, and the kernel ends.
__global__ void arrival_for_each_part(int) {
  __shared__ block_barrier full, empty;
  if (threadIdx.x == 0) {
    init(&full, 1);
    init(&empty, 64);
  }
  __syncthreads();
  for (unsigned round = 0; round < 4; ++round)
    if (threadIdx.x == 64) {
      empty.wait_parity(round % 2 == 0);
      static_cast<void>(full.arrive());
      static_cast<void>(full.arrive());
    } else if (threadIdx.x < 64) {
      full.wait_parity(round % 2 != 0);
      static_cast<void>(empty.arrive());  // <arrive>
    }
}
// Each block arrives at the barrier of the next one, but the last one at its own instead of that of block 0.
__global__ void arrival_at_the_wrong_block(int) {
  __shared__ cluster_wide bar;
  const auto cluster = cudasync::this_cluster();
  cudasync::init_barriers(cluster, cudasync::expects<1>(bar));
  const unsigned rank = cluster.block_rank();
  for (unsigned round = 0; round < 3; ++round) {
    if (threadIdx.x == 0) cudasync::remote_barrier(bar, rank < 2 ? rank + 1 : 3).arrive();
    bar.wait_parity(round % 2 != 0);  // <wait>
  }
  cluster.sync();
}
// The mask of the multicast has the other blocks, but not the one that makes the copy and expects its bytes, too.
__global__ void mask_without_the_own_block(int) {
  alignas(128) __shared__ unsigned char tile[1024];
  __shared__ cluster_wide full;
  const auto cluster = cudasync::this_cluster();
  cudasync::init_barriers(cluster, cudasync::expects<1>(full));
  if (threadIdx.x == 0) {
    static_cast<void>(barrier_arrive_tx(full, 1, sizeof tile));  // <expect>
    constexpr aligned_size_t<16> bytes(sizeof tile);
    if (cluster.block_rank() == 0)
      cudasync::device::memcpy_async_tx_to_blocks(tile, source, bytes, full, 0b1110);  // <copy>
  }
  full.wait_parity(false);  // <wait>
  cluster.sync();
}
// Neighbors signal each other, and each of them waits first.
__global__ void blocks_that_wait_before_they_arrive(int) {
  __shared__ cluster_wide ready;
  const auto cluster = cudasync::this_cluster();
  cudasync::init_barriers(cluster, cudasync::expects<1>(ready));
  ready.wait_parity(false);  // <wait>
  if (threadIdx.x == 0) cudasync::remote_barrier(ready, cluster.block_rank() ^ 1).arrive();
  cluster.sync();
}
// The other block waits for the arrival before it synchronizes the cluster.
__global__ void cluster_that_is_synchronized_before_an_arrival(int) {
  __shared__ cluster_wide ready;
  const auto cluster = cudasync::this_cluster();
  cudasync::init_barriers(cluster, cudasync::expects<1>(ready));
  if (cluster.block_rank() == 0) {
    cluster.sync();  // <cluster>
    if (threadIdx.x == 0) cudasync::remote_barrier(ready, 1).arrive();
  } else {
    ready.wait_parity(false);  // <wait>
    cluster.sync();
  }
}
// The lanes of the producer copy, and the copies are taken for arrivals.
__global__ void copies_without_arrivals(int) {
  alignas(16) __shared__ unsigned char tile[512];
  __shared__ block_barrier full;
  if (threadIdx.x == 0) init(&full, 1 + 32);
  __syncthreads();
  if (threadIdx.x >= 32) {
    if (threadIdx.x == 32) static_cast<void>(full.arrive());
    cuda::memcpy_async(tile + (threadIdx.x - 32) * 8, source + (threadIdx.x - 32) * 8, aligned_size_t<8>(8), full);
  } else {
    full.wait_parity(false);  // <wait>
  }
}
// A commit of copies is taken for an arrival, so both sides of a ring wait.
__global__ void commit_without_an_arrival(int) {
  alignas(16) __shared__ unsigned char tile[512];
  __shared__ block_barrier full, empty;
  cudasync::init_barriers(this_thread_block(), cudasync::expects<32>(full, empty));
  auto pipe = cuda::make_pipeline();
  for (unsigned round = 0; round < 3; ++round)
    if (threadIdx.x < 32) {
      empty.wait_parity(round % 2 == 0);
      cuda::memcpy_async(tile + threadIdx.x * 16, source + threadIdx.x * 16, aligned_size_t<16>(16), pipe);
      cuda::pipeline_producer_commit(pipe, full);
    } else {
      full.wait_parity(round % 2 != 0);  // <wait>
      static_cast<void>(empty.arrive());
    }
}
__global__ void kernel_beside_another(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, 64);
  __syncthreads();
  if (threadIdx.x < 32) bar.arrive_and_wait();  // <wait>
}
void run_beside_another() {
  cudaStream_t other;
  gpu_test::expect_success(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), "stream");
  kernel_beside_another<<<1, 64, 0, other>>>(0);
  gpu_test::run(kernel_beside_another, {1, 64}, 0);
}
// The consumers arrive at barrier 2, and the producers wait at barrier 3.
__global__ void named_barriers_one_apart(int) {
  for (unsigned tile = 0; tile < 2; ++tile)
    if (threadIdx.x < 64) {
      cudasync::named_barrier<1, 128>::arrive();
      cudasync::named_barrier<3, 128>::sync();  // <produced>
    } else {
      cudasync::named_barrier<1, 128>::sync();
      cudasync::named_barrier<2, 128>::arrive();
    }
}
__global__ void threads_that_return_before_their_release(int) {
  using ring_of_threads = cudasync::bulk_pipeline<2, cudasync::consumer_threads<32>>;
  __shared__ ring_of_threads pipe;
  alignas(16) __shared__ unsigned char stage[2][512];
  pipe.init(this_thread_block());
  if (threadIdx.x == 32) {
    ring_of_threads::producer_state at;
    for (unsigned tile = 0; tile < 4; ++tile, at.advance())
      pipe.acquire_and_copy(at, stage[at.index()], source, aligned_size_t<16>(512));  // <acquire>
  } else if (threadIdx.x < 32) {
    ring_of_threads::consumer_state at;
    for (unsigned tile = 0; tile < 4; ++tile, at.advance()) {
      pipe.consumer_wait(at);  // <wait>
      if (threadIdx.x >= 20) return;
      pipe.consumer_release(at);
    }
  }
}

// --- The cases, and what each must print ---

constexpr gpu_test::shape two_warps{1, 64}, three_warps{1, 96}, four_warps{1, 128};
constexpr gpu_test::shape four_blocks{4, 32, 0, false, 4}, two_blocks{2, 64, 0, false, 2};

const misuse cases[] = {
    MISUSE_IN(two_warps, init_while_a_slower_warp_waits, "threads 32-63 wait at <wait>",
              "was initialized again at <again> while threads 32-63 wait for an earlier phase",
              "remedy: initialize once, before the first phase", "!not certain"),
    MISUSE_IN(two_warps, init_between_two_tiles, "wait at <wait>", "was initialized again at <again> while "),
    MISUSE_IN(two_warps, full_barrier_that_is_initialized_for_each_tile, "threads 32-63 wait at <wait>",
              "was initialized again at <again>, after threads had arrived and before threads "
              "32-63 waited",
              "not certain; another possible cause: no thread has arrived since init"),
    MISUSE_IN(four_warps, state_of_four_warps, "likely cause: several groups use one pipeline: it was initialized ",
              "remedy: give each group a state of its own", "!flip"),
    MISUSE_IN(four_warps, state_of_four_warps_with_roles, "likely cause: several groups use one pipeline", "!flip"),
    MISUSE_IN(three_warps, barrier_of_a_function, "where only ", "of 48 are missing",
              "likely cause: several groups use one barrier: it was initialized 2 times, at ",
              "remedy: give each group a barrier of its own"),
    MISUSE_IN(two_warps, state_of_two_warps, "hang", "likely cause: several groups use one pipeline",
              "and threads 0-31, 33, 35", "!flip"),
    MISUSE_IN(two_warps, state_that_another_warp_makes_again, "threads 0-31 wait at <acquire>",
              "likely cause: no consumer has released stage 0",
              "not certain; another possible cause: the pipeline was initialized 2 times, the last time at <make>"),
    MISUSE_IN(two_warps, stage_of_a_state_that_is_made_again, "threads 0-31 wait at <wait>",
              "likely cause: no producer has committed stage 0",
              "not certain; another possible cause: the pipeline was initialized 2 times, the last time at <make>"),
    MISUSE_IN(four_blocks, block_without_work, "3 arrivals of 4",
              "likely cause: block (2,0,0) has not arrived at barrier", "; block (3,0,0) has arrived 1 time",
              "; threads 0-31 of block (2,0,0) wait for the cluster's barrier at <cluster>",
              "of block (2,0,0): <init>)", "!no thread of this block"),
    MISUSE_IN(four_blocks, line_of_blocks_whose_ends_expect_two_signals, "threads 0-31 wait at <wait> for parity 0",
              ", like 1 other block, has not arrived at barrier at 0x", ", but at that of another block; block (",
              "remedy: initialize it with 1, the number of arrivals that it gets"),
    MISUSE_IN(two_blocks, block_that_expects_no_bytes, "1024 bytes more than expected",
              "likely cause: copies have written 1024 bytes that barrier at 0x",
              "remedy: let one thread of every block that receives bytes call barrier_arrive_tx"),
    MISUSE_IN(four_blocks, blocks_at_the_ends_that_expect_two_neighbors, "4 bytes outstanding",
              "likely cause: since init, 8 bytes were expected (at <expect>), and stores of 4 bytes were made by "
              "other blocks of the cluster; 4 bytes more are expected than the stores bring",
              "remedy: expect exactly the bytes that the stores move.", "!rounded", "!start every copy"),
    MISUSE_IN(four_blocks, sums_sent_to_the_first_pair, "threads 0-31 wait at <wait>",
              "likely cause: bytes were sent to the wrong block of the cluster: block (",
              " block (0,0,0) expects 128 bytes (at <expect>), and 256 came, 128 from block (3,0,0), 128 from block "
              "(1,0,0)",
              " block (2,0,0) expects 128 bytes (at <expect>), and 0 came", "remedy: check the rank of the destination",
              "!expect exactly", "!start the copy", "!not certain"),
    MISUSE_IN(four_blocks, ring_that_does_not_wrap_around, "threads 0-31 wait at <wait>", "likely cause: barrier at 0x",
              ": bytes were sent to the wrong block of the cluster: block (", " block (0,0,0) expects ",
              " from block (1,0,0), ", " from itself",
              " block (3,0,0) expects 256 bytes (at <expect>), and 128 came, 128 from block (2,0,0)",
              "remedy: check the rank of the destination, or the mask", "!expect exactly", "!not certain"),
    MISUSE_IN(four_blocks, block_of_a_ring_that_stops_early, "threads 0-31 wait at <wait>",
              "has arrived at its own barrier of this address 3 times, and block (3,0,0) 2 times",
              "let all blocks of the cluster make the same number of rounds", "!wrong block", "!expect exactly"),
    MISUSE_IN((gpu_test::shape{2, 96, 0, false, 2}), loader_that_meets_its_cluster, "threads 0-63 wait at ",
              "1 phase is complete, and no thread has arrived in the next one",
              ", the phase of this wait; threads 64-95 wait at <loader> for the cluster's barrier, and so also for "
              "threads 0-63",
              "remedy: let all threads of the cluster that have not exited come to its barrier before they wait",
              "!find out why", "!This may not be"),
    MISUSE_IN(
        (gpu_test::shape{2, 96, 0, false, 2}), loader_that_meets_its_block, "threads 0-63 wait at ",
        ", the phase of this wait; threads 64-95 wait for the rest of the group, in a call that all of its threads "
        "make at <block>, but threads that wait here cannot make it",
        "remedy: let the threads that are counted arrive before that call", "!find out why", "!This may not be"),
    MISUSE_IN(two_blocks, cluster_barrier_of_one_block, "63 arrivals of 64",
              "likely cause: thread 5 has not arrived in this phase", "not certain; another possible cause: block (",
              "has not arrived at barrier"),
    MISUSE_IN((gpu_test::shape{2, 96, 0, false, 2}), cluster_barrier_of_some_threads, "  the cluster's barrier",
              "threads 0-63 wait at <cluster>",
              "no thread has arrived since init; threads 0-63 wait at <cluster> for the cluster's barrier, and so also "
              "for thread 64",
              "remedy: let all threads of the cluster that have not exited come to its barrier before they wait"),
    MISUSE_IN(two_blocks, own_barrier_instead_of_the_first_blocks, "too many arrivals: block (1,0,0)", "at <arrive>",
              "remedy: arrive there with remote_barrier(bar, rank)", "not certain"),
    MISUSE_IN((gpu_test::shape{2, 96, 0, false, 2}), release_in_the_own_block_alone, "2 arrivals of 4",
              "thread 64 waits at <wait> for parity 0; and 1 of other blocks",
              "likely cause: 2 arrivals are missing at barrier at 0x",
              "; no other block of the cluster has arrived there, but they have arrived 2 times at their own barriers",
              "remedy: let each block also arrive at the barriers of the other blocks that wait", "!initialize with",
              "!not certain"),
    MISUSE_IN(two_blocks, block_that_waits_for_the_exit_of_its_cluster, "1 arrival of 2", "waits at <wait>",
              " (last call of thread 0 of block (1,0,0): the end of a cluster_exit_guard)",
              "!In no wait of this library"),
    MISUSE_IN(two_blocks, block_that_releases_one_stage_less, "stage 0 (to be released by its consumers)",
              "1 of 2 consumers has released stage 0",
              "block (0,0,0) has released it 2 times, and block (1,0,0) 1 time", "of block (1,0,0): <wait>)"),
    MISUSE_IN(two_warps, barrier_of_each_thread, "<init>",
              "init: the barrier is in local memory, where each thread has one of its own; declare it __shared__"),
    MISUSE_IN(two_warps, latch_of_each_thread, "threads 0-63 wait at <wait>", "likely cause: latch at 0x",
              "is in local memory: each thread has one of its own", "remedy: declare it __shared__"),
    MISUSE_IN((gpu_test::shape{2, 32}), barrier_of_all_blocks, "threads 1-31 wait at <wait>",
              "33 arrivals of the phase are missing",
              "if each block should have one of its own, declare it __shared__"),
    MISUSE_IN(
        three_warps, block_barrier_in_the_branch_of_consumers, "thread 64 waits at <acquire>",
        "likely cause: no consumer has released stage 0 or any other stage since init: threads 0-63 have waited for "
        "this one, and made no call since (last call of thread 0: <wait>).",
        "Where only the consumers synchronize, use a named_barrier, not __syncthreads()"),
    MISUSE_IN(three_warps, release_of_the_first_stage, "thread 64 waits at <acquire>",
              "likely cause: the wrong stage was released: stage 0 was released 6 times, but filled only 2 times, and "
              "stage 1 waits for 2 releases",
              "remedy: let each consumer release the stage for which it has waited"),
    MISUSE_IN(three_warps, warp_that_releases_a_stage_twice, "stage 0 (to be released by its consumers), at <again>",
              "likely cause: thread 0 has released stage 0 more than once in one round"),
    MISUSE_IN(
        two_warps, third_stage_before_a_release, "<acquire>",
        "pipeline::producer_acquire: this thread, which is also a consumer, has acquired all stages: acquire at most as many ahead",
        "1 x : cudasync: ", " has only 2 stages"),
    MISUSE_IN(
        two_warps, ring_without_a_tile, "threads 0-31 wait at <wait>",
        "no thread has arrived since init, nor expected bytes", "!parity 1.",
        "remedy: if the threads that are counted have no work here, let those that wait skip the wait, too; otherwise"),
    MISUSE_IN(two_warps, ring_of_another_size, "thread 32 waits at <acquire>", "threads 0-31 wait at <wait>",
              "no thread has arrived since init, but threads 0-31 arrive again and again at 3 other barriers",
              "remedy: let both sides go through the same barriers", "if one side skips a round, both keep their stage",
              "!no phase of these barriers was ever completed"),
    MISUSE_IN(four_blocks, arrival_at_the_wrong_block, "wait at <wait> for parity ",
              "likely cause: the blocks of the cluster do not arrive equally often",
              "that of block (0,0,0) has got 0 "
              "arrivals, and that of block (3,0,0) ",
              "check the rank that each block gives to remote_barrier"),
    MISUSE_IN(four_blocks, mask_without_the_own_block, "1 arrival of 1, 1024 bytes outstanding",
              "1024 bytes were expected (at <expect>), and the copies at <copy> are for other blocks of the cluster "
              "alone",
              "remedy: set the bit of this block's rank in the mask of the copy"),
    MISUSE_IN(two_blocks, blocks_that_wait_before_they_arrive, "wait at <wait> for parity 0",
              "likely cause: no block of the cluster has arrived at barrier at 0x", ",0,0) waits for its barrier at 0x",
              " at <wait>.", "remedy: let that block arrive (remote_barrier) before its wait"),
    MISUSE_IN(two_blocks, cluster_that_is_synchronized_before_an_arrival, "threads 0-63 wait at <wait> for parity 0",
              "likely cause: no block of the cluster has arrived at barrier at 0x",
              "; threads 0-63 of block (0,0,0) wait for the cluster's barrier at <cluster>, to which the threads that "
              "wait here have not come",
              "remedy: let that block arrive (remote_barrier) before its wait.", "!initialize with"),
    MISUSE_IN(
        two_warps, copies_without_arrivals, "1 arrival of 33", "threads 0-31 wait at <wait>",
        "likely cause: only thread 32 arrives, but init was given 33; memcpy_async or pipeline_producer_commit on "
        "this barrier holds its phase, and is no arrival"),
    MISUSE_IN(two_warps, commit_without_an_arrival, "threads 32-63 wait at <wait> for parity 0",
              ": no thread has arrived since init; memcpy_async or pipeline_producer_commit on this barrier holds its "
              "phase, and is no arrival",
              "remedy: let each thread that copies also arrive, after its copies", "!wait for each other"),
    {"kernel_beside_another",
     {"threads 0-31 wait at <wait>", "32 arrivals of 64", "likely cause: threads 32-63 have not arrived",
      "!of other blocks"},
     run_beside_another,
     __FILE__},
    MISUSE_IN(four_warps, named_barriers_one_apart, "warps 0-1 wait at <produced>",
              "likely cause: only 64 of 128 threads have arrived at named barrier 3; warps 2-3 have arrived at named "
              "barrier 2, where no thread waits",
              "remedy: if both are meant to be one phase, use one id"),
    MISUSE_IN(
        two_warps, threads_that_return_before_their_release, "20 arrivals of 32",
        "likely cause: 20 of 32 consumers have released stage 0; threads 20-31 have not, and have waited for stages, but "
        "never released one",
        "remedy: let threads 20-31 release each stage after the last read of it."),
};

// On an H200, a store to the memory of a barrier in use does not change its state (docs/design/decisions/
// mbarrier_state.md), so the kernels hang for another reason, or end. So does the last one there.
const misuse cases_of_the_machine[] = {
    MISUSE_IN(
        two_warps, halo_over_the_barrier, "threads 0-31 wait at <wait>", "initialized at <init> with 64: overwritten",
        "likely cause: something has written over the memory of barrier at 0x", "!parity of", "!have not arrived"),
    MISUSE_IN(two_warps, halo_of_a_full_barrier, "threads 32-63 wait at <wait>", "overwritten",
              "likely cause: something has written over the memory of barrier bars[1]",
              "the next known object below it in shared memory is barrier bars[0]"),
    MISUSE_IN(
        two_warps, arrivals_at_zeros, "too many arrivals", "at <arrive>",
        "likely cause: something has written over the memory of barrier at 0x",
        "not certain; another possible cause: all arrivals of the phase have been made, and it waits for the bytes"),
    MISUSE_IN(three_warps, arrival_for_each_part, "too many arrivals", "at <arrive>",
              "likely cause: ", " of barrier at 0x", " of this barrier: thread 64, which waits here before each round",
              "barrier_arrive_tx arrives, too", "!have arrived more than once"),
};

int main(int argc, char** argv) {
  const int result = run_misuses(argc, argv, cases);
  const bool is_unknown = argc > 1 && result == 2;
  if (!is_on_machine() || (argc > 1 && !is_unknown)) return result;
  const int second = run_misuses(argc, argv, cases_of_the_machine);
  return is_unknown ? second : result | second;
}
