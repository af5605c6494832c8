// The report of a hang names the mistake: causes of the table in hang/cause_table_device.h that no other file has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compiled: alone
// needs: sm90
#include "../support/misuse.h"

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cudasync/bulk_pipeline.h>
#include <cudasync/cluster_barrier.h>
#include <cudasync/named_barrier.h>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;
using cluster_wide = cuda::barrier<cuda::thread_scope_cluster>;
using cuda::aligned_size_t;
using cuda::device::barrier_arrive_tx;
using cuda::device::memcpy_async_tx;
using cudasync::this_thread_block;

__device__ alignas(16) unsigned char source[1024];

// The argument is 0. It hides wrong values from the compiler.

// --- One arrival too many ---

__global__ void second_init_before_too_many(int) {
  __shared__ block_barrier bar;
  init(&bar, 2);
  static_cast<void>(bar.arrive());
  init(&bar, 2);                     // <again>
  static_cast<void>(bar.arrive(3));  // <arrive>
}
__global__ void init_while_a_warp_arrives(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, 64);
  __syncthreads();
  bar.arrive_and_wait();
  if (threadIdx.x >= 32) bar.arrive_and_wait();  // <arrive>
  if (threadIdx.x != 0) return;
  const auto at = cudasync::ptx::to_shared(cuda::device::barrier_native_handle(bar));
  while (cudasync::ptx::mbarrier_pending_count(cudasync::ptx::mbarrier_arrive_none(at)) == 64) {
  }
  init(&bar, 32);  // <again>
}
__global__ void update_above_the_count(int) {
  __shared__ block_barrier bar;
  init(&bar, 4);                     // <init>
  static_cast<void>(bar.arrive(5));  // <arrive>
}
__global__ void too_many_after_an_early_arrival(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) {
    gpu_test::pause(300000);  // until the other warp has come
    init(&bar, 4);            // <init>
    static_cast<void>(bar.arrive(5));
  }
  if (threadIdx.x == 32) static_cast<void>(bar.arrive());
}

// --- Init, in a hang ---

__global__ void init_while_a_thread_has_arrived(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, 2);
  __syncthreads();
  if (threadIdx.x == 1) static_cast<void>(bar.arrive());
  __syncthreads();
  if (threadIdx.x == 0) init(&bar, 2);  // <again>
  __syncthreads();
  if (threadIdx.x == 0) bar.arrive_and_wait();  // <wait>
}
// The barriers are those of hand-written PTX, which the library does not know: on a GPU, a wait for a barrier of zeros ends.
__global__ void consumer_of_a_ring_without_init(int) {
  using ring = cudasync::bulk_pipeline<2, cudasync::consumer_threads<1>>;
  __shared__ ring pipe;
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(&pipe));
  if (threadIdx.x == 0)
    for (unsigned offset = 0; offset < sizeof pipe; offset += 8)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address + offset) : "memory");
  __syncthreads();
  ring::consumer_state at;
  pipe.consumer_wait(at);  // <wait>
}

// --- Bytes ---

// Bytes that hand-written PTX expects are not recorded.
__global__ void bytes_expected_by_hand(int) {
  __shared__ block_barrier bar;
  alignas(16) __shared__ unsigned char tile[64];
  init(&bar, 1);
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(&bar));
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 16;" ::"r"(address) : "memory");
  static_cast<void>(barrier_arrive_tx(bar, 1, 64));  // <expect>
  memcpy_async_tx(tile, source, aligned_size_t<16>(64), bar);
  bar.wait_parity(false);  // <wait>
}

// --- Stages: releases without a wait for the stage ---

template <class Ring>
__device__ void release_before_the_producer(Ring& pipe, unsigned char* stage, unsigned consumers, unsigned times) {
  typename Ring::consumer_state released;
  if (threadIdx.x % 32 == 0 && threadIdx.x / 32 < consumers)
    for (unsigned round = 0; round < times; ++round)
      pipe.consumer_release(released);
  __syncthreads();
  if (threadIdx.x == 0) pipe.consumer_wait(typename Ring::consumer_state());
  if (threadIdx.x != 64) return;
  typename Ring::producer_state at;
  for (unsigned tile = 0; tile < 2; ++tile, at.advance())
    pipe.acquire_and_copy(at, stage, source, aligned_size_t<16>(64));
}
__global__ void releases_without_a_fill(int) {
  using ring = cudasync::bulk_pipeline<1, cudasync::consumer_threads<2>>;
  __shared__ ring pipe;
  alignas(16) __shared__ unsigned char stage[64];
  pipe.init(this_thread_block());
  release_before_the_producer(pipe, stage, 2, 2);
}
__global__ void consumer_that_is_not_counted(int) {
  using ring = cudasync::bulk_pipeline<1, cudasync::consumer_threads<1>>;
  __shared__ ring pipe;
  alignas(16) __shared__ unsigned char stage[64];
  pipe.init(this_thread_block());
  release_before_the_producer(pipe, stage, 2, 1);
}

__global__ void producer_that_does_not_advance(int) {
  using ring = cudasync::bulk_pipeline<2, cudasync::consumer_threads<1>>;
  __shared__ ring pipe;
  alignas(16) __shared__ unsigned char stage[64];
  pipe.init(this_thread_block());
  if (threadIdx.x == 32) pipe.consumer_wait(ring::consumer_state());
  if (threadIdx.x != 0) return;
  ring::producer_state at;
  pipe.producer_acquire(at, 64);
  gpu_test::pause(300000);        // until the consumer has come
  pipe.producer_acquire(at, 64);  // <again>
  pipe.copy(at, stage, source, aligned_size_t<16>(64));
}
// The producers fill two pipelines of one stage each, and the consumers begin with the other one.
__global__ void pipelines_in_different_orders(int) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> states[2];
  auto first = cuda::make_pipeline(this_thread_block(), &states[0], 32);
  auto second = cuda::make_pipeline(this_thread_block(), &states[1], 32);
  if (threadIdx.x < 32) {
    for (unsigned tile = 0; tile < 2; ++tile) {
      first.producer_acquire();  // <acquire>
      first.producer_commit();
    }
    second.producer_acquire();
    second.producer_commit();
  } else {
    second.consumer_wait();  // <wait>
    second.consumer_release();
    first.consumer_wait();
    first.consumer_release();
  }
}

// --- Arrivals ---

__global__ void block_barrier_in_the_branch_of_the_producer(int) {
  __shared__ block_barrier full;
  if (threadIdx.x == 0) init(&full, 1);
  __syncthreads();
  if (threadIdx.x >= 32) {
    __syncthreads();
    if (threadIdx.x == 32) static_cast<void>(full.arrive());
  } else {
    full.wait_parity(false);  // <wait>
    __syncthreads();
  }
}
// A last round of the first tile has fewer arrivals, for which nobody waits. In the second tile, a thread forgets its own.
__global__ void arrival_that_is_missing_after_a_second_init(int zero) {
  __shared__ block_barrier bar;
  for (unsigned tile = 0; tile < 2; ++tile) {
    if (threadIdx.x == 0) init(&bar, 32);  // <init>
    __syncthreads();
    if (tile == 0 && threadIdx.x < 9) static_cast<void>(bar.arrive());
    if (tile == 1 && threadIdx.x < 32 && threadIdx.x != 7 + static_cast<unsigned>(zero))
      static_cast<void>(bar.arrive());
    if (tile == 1 && threadIdx.x == 32) bar.wait_parity(false);  // <wait>
    __syncthreads();
  }
}
// The last warp has 16 threads, for 32 of which its leader arrives.
__global__ void updates_of_whole_warps(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  if (threadIdx.x % 32 == 0) static_cast<void>(bar.arrive(32));  // <arrive>
}

// --- Clusters ---

__global__ void arrival_before_the_init_of_another_block(int) {
  __shared__ cluster_wide ready;
  const auto cluster = cudasync::this_cluster();
  if (threadIdx.x == 0 && cluster.block_rank() == 1) {
    init(&ready, 1);
    cudasync::remote_barrier(ready, 0).arrive();
  }
  cluster.sync();
  if (threadIdx.x == 0 && cluster.block_rank() == 0) {
    init(&ready, 1);           // <init>
    ready.wait_parity(false);  // <wait>
  }
  cluster.sync();
}
__global__ void count_for_more_blocks_than_the_cluster_has(int) {
  __shared__ cluster_wide bar;
  const auto cluster = cudasync::this_cluster();
  cudasync::init_barriers(cluster, cudasync::expects(bar, 4));
  if (threadIdx.x < 2) cudasync::remote_barrier(bar, threadIdx.x).arrive();
  bar.wait_parity(false);  // <wait>
  cluster.sync();
}

__global__ void count_of_two_of_three_warps(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, 64);
  __syncthreads();
  if (threadIdx.x < 64) bar.arrive_and_wait();
  __syncthreads();
  if (threadIdx.x >= 64) bar.arrive_and_wait();  // <wait>
}
__global__ void thread_that_arrives_for_another(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, 3);
  __syncwarp();
  if (threadIdx.x == 0) {
    static_cast<void>(bar.arrive());
    static_cast<void>(bar.arrive());  // <second>
  }
  __syncwarp();
  if (threadIdx.x == 1) {
    static_cast<void>(bar.arrive());
    bar.arrive_and_wait();  // <wait>
  }
}
__global__ void thread_with_one_round_more(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (unsigned round = 0; round < (threadIdx.x == 5 ? 3 : 2); ++round)
    bar.arrive_and_wait();  // <wait>
}

// The second init finds a complete phase. The thread that has arrived before it does not arrive again.
__global__ void init_after_a_complete_phase(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, 1);
  for (unsigned round = 0; round < 2; ++round) {
    if (threadIdx.x == 0 && round == 1) init(&bar, 2);  // <again>
    __syncthreads();
    if (threadIdx.x == 1 - round) bar.arrive_and_wait();  // <wait>
    __syncthreads();
  }
}
__global__ void first_wait_for_parity_1(int) {
  __shared__ block_barrier bar;
  init(&bar, 1);
  static_cast<void>(bar.arrive());
  bar.wait_parity(true);  // <wait>
}
// The wait ends at once, and the bytes of the first phase are still missing.
__global__ void arrival_after_a_wait_for_parity_1(int) {
  __shared__ block_barrier bar;
  init(&bar, 1);
  static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, 64));
  bar.wait_parity(true);
  static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, 64));  // <arrive>
}
// The phase for which the consumer should wait first is complete.
__global__ void wait_for_the_second_phase_alone(int) {
  __shared__ block_barrier full;
  if (threadIdx.x == 0) {
    init(&full, 1);
    static_cast<void>(full.arrive());
  }
  __syncthreads();
  if (threadIdx.x == 32) full.wait_parity(true);  // <wait>
}
// Its second wait, for the phase before the last one, does not end until the next phase, in which it must arrive.
__global__ void parity_that_one_thread_keeps(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, 2);
  __syncthreads();
  for (unsigned round = 0; round < 3; ++round) {
    static_cast<void>(bar.arrive());
    if (round < 2) __syncthreads();
    bar.wait_parity(threadIdx.x != 0 && round % 2 != 0);  // <wait>
  }
}

// The producer begins each work tile, of three tiles of data, with the first parity: its second wait returns at once.
__global__ void phase_that_begins_anew_with_each_tile(int) {
  __shared__ block_barrier full, empty;
  __shared__ volatile unsigned seen[2];  // the phases that each warp of the consumers has seen
  if (threadIdx.x == 0) {
    init(&full, 1);
    init(&empty, 48);
    seen[0] = seen[1] = 0;
  }
  __syncthreads();
  for (unsigned tile = 0; tile < 6; ++tile)
    if (threadIdx.x == 64) {
      empty.wait_parity(tile % 3 != 1);
      while (seen[0] < tile || seen[1] < tile) {
      }
      static_cast<void>(full.arrive());
    } else if (threadIdx.x < 48) {
      full.wait_parity(tile % 2 != 0);
      __syncwarp(threadIdx.x < 32 ? 0xffffffff : 0xffff);
      seen[threadIdx.x / 32] = tile + 1;
      if (tile == 2 && threadIdx.x >= 32) {
        while (seen[0] < 4) {
        }
        gpu_test::pause(3000000);
      }
      static_cast<void>(empty.arrive());  // <arrive>
    }
}
// A wait of the consumers returns at once, so they take four tiles of three.
__global__ void producer_that_waits_for_a_consumer_ahead(int) {
  __shared__ block_barrier full, empty;
  if (threadIdx.x == 0) {
    init(&full, 1);
    init(&empty, 32);
  }
  __syncthreads();
  for (unsigned tile = 0; tile < 4; ++tile) {
    if (threadIdx.x == 32) {
      if (tile == 3) gpu_test::pause(3000000);
      empty.wait_parity(tile % 2 == 0);  // <wait>
      static_cast<void>(full.arrive());
    } else if (threadIdx.x < 32) {
      full.wait_parity(tile == 1);
      static_cast<void>(empty.arrive());
      __syncwarp();
    }
  }
}
// The second wait of each lane returns at once. Another warp does not come.
__global__ void consumer_that_keeps_its_parity(int) {
  __shared__ block_barrier full, empty;
  if (threadIdx.x == 0) {
    init(&full, 1);
    init(&empty, 97);
    static_cast<void>(full.arrive());
  }
  __syncthreads();
  for (unsigned tile = 0; tile < 2; ++tile) {
    full.wait_parity(false);
    static_cast<void>(empty.arrive(2));  // <arrive>
    __syncwarp();
  }
}
// No thread tells the producer that a tile was read.
__global__ void consumer_that_is_overtaken(int) {
  __shared__ block_barrier full;
  if (threadIdx.x == 0) init(&full, 1);
  __syncthreads();
  if (threadIdx.x == 0)
    for (unsigned tile = 0; tile < 4; ++tile)
      static_cast<void>(full.arrive());
  __syncthreads();
  if (threadIdx.x >= 32) full.wait_parity(false);  // <wait>
}
// The threads that arrive are six phases ahead when another thread waits for the third one.
__global__ void reader_that_is_slow(int) {
  __shared__ block_barrier done;
  __shared__ volatile int has_read, are_done;
  if (threadIdx.x == 0) {
    init(&done, 32);
    has_read = are_done = 0;
  }
  __syncthreads();
  for (unsigned step = 0; step < 8; ++step)
    if (threadIdx.x < 32) {
      while (step == 2 && has_read == 0) {
      }
      done.arrive_and_wait();
    } else if (threadIdx.x == 32) {
      while (step == 2 && are_done == 0) {
      }
      done.wait_parity(step % 2 != 0);  // <wait>
      if (step == 1) has_read = 1;
    }
  if (threadIdx.x == 0) are_done = 1;
}
// Another thread arrives for each warpgroup of consumers.
__global__ void arrivals_of_warpgroups(int) {
  __shared__ block_barrier full, empty;
  if (threadIdx.x == 0) {
    init(&full, 1);
    init(&empty, 256);
  }
  __syncthreads();
  for (unsigned tile = 0; tile < 3; ++tile)
    if (threadIdx.x == 256) {
      empty.wait_parity(tile % 2 == 0);
      static_cast<void>(full.arrive());
    } else if (threadIdx.x < 256) {
      full.wait_parity(tile % 2 != 0);  // <wait>
      __syncwarp();
      if (threadIdx.x % 128 == 0) static_cast<void>(empty.arrive());
    }
}

// --- Barriers that have the same memory: the last of full is the first of empty ---

struct overlapping {
  block_barrier *full, *empty;

  __device__ overlapping(block_barrier* memory, unsigned first, unsigned second) : full(memory), empty(memory + 1) {
    if (threadIdx.x != 0) return;
    for (unsigned stage = 0; stage < 2; ++stage) {  // <init>
      init(full + stage, first);
      init(empty + stage, second);
    }
  }
};

__global__ void count_of_the_array_below(int) {
  __shared__ block_barrier memory[3];
  const overlapping ring(memory, 1, 32);
  __syncthreads();
  static_cast<void>(ring.empty[0].arrive());  // <arrive>
}
__global__ void producers_with_the_count_of_consumers(int) {
  __shared__ block_barrier memory[3];
  const overlapping ring(memory, 32, 1);
  __syncthreads();
  if (threadIdx.x == 0) static_cast<void>(ring.empty[0].arrive());
  ring.empty[0].wait_parity(false);  // <wait>
}

// --- Blocks of a cluster ---

// Each block arrives in the next one, and nothing keeps it from doing so again.
__global__ void blocks_that_run_ahead_in_a_ring(int) {
  __shared__ cluster_wide bar;
  const auto cluster = cudasync::this_cluster();
  cudasync::init_barriers(cluster, cudasync::expects(bar, 32));
  const unsigned rank = cluster.block_rank();
  for (unsigned round = 0; round < 3 && rank == 0; ++round) {
    cudasync::remote_barrier(bar, 1).arrive();
    __syncwarp();
  }
  cluster.sync();
  if (rank == 1) bar.wait_parity(true);  // <wait>
  cluster.sync();
}
__global__ void count_without_the_own_block(int) {
  __shared__ cluster_wide bar;
  const auto cluster = cudasync::this_cluster();
  cudasync::init_barriers(cluster, cudasync::expects(bar, 1));
  if (threadIdx.x < 2) cudasync::remote_barrier(bar, threadIdx.x).arrive();
  cluster.sync();
  bar.wait_parity(false);  // <wait>
}
__global__ void threads_for_the_warps_of_another_block(int) {
  __shared__ cluster_wide bar;
  const auto cluster = cudasync::this_cluster();
  cudasync::init_barriers(cluster, cudasync::expects(bar, 2));               // <init>
  if (cluster.block_rank() == 1) cudasync::remote_barrier(bar, 0).arrive();  // <arrive>
  cluster.sync();
}
__global__ void threads_for_the_warps_of_the_own_block(int) {
  __shared__ cluster_wide bar;
  const auto cluster = cudasync::this_cluster();
  cudasync::init_barriers(cluster, cudasync::expects(bar, 2));
  if (cluster.block_rank() == 0) cudasync::remote_barrier(bar, 0).arrive();
  cluster.sync();
}

// Two groups of consumers take turns, and each releases its own tiles alone.
__global__ void groups_that_release_their_own_tiles(int) {
  using ring = cudasync::bulk_pipeline<2, cudasync::consumer_warps<2>>;
  __shared__ ring pipe;
  alignas(16) __shared__ unsigned char stage[2][64];
  pipe.init(this_thread_block());
  if (threadIdx.x == 64) {
    ring::producer_state at;
    for (unsigned tile = 0; tile < 2; ++tile, at.advance())
      pipe.acquire_and_copy(at, stage[at.index()], source, aligned_size_t<16>(64));
  } else if (threadIdx.x < 64) {
    ring::consumer_state at;
    for (unsigned tile = 0; tile < 6; ++tile, at.advance()) {
      if (tile % 2 != threadIdx.x / 32 || tile == 2 || tile == 3) continue;
      pipe.consumer_wait(at);
      pipe.consumer_release(at);  // <release>
    }
  }
}

// --- One of several barriers ---

// Warp 1 arrives at the barrier of warps 2 and 3.
__global__ void index_of_another_pair(int) {
  __shared__ block_barrier pairs[2];
  cudasync::init_barriers(this_thread_block(), cudasync::expects<64>(pairs));
  pairs[threadIdx.x < 32 ? 0 : 1].arrive_and_wait();  // <arrive>
}
// The last barrier is one of hand-written PTX: see consumer_of_a_ring_without_init.
__global__ void element_without_init(int) {
  __shared__ block_barrier bars[4];
  const unsigned mine = static_cast<unsigned>(__cvta_generic_to_shared(&bars[threadIdx.x % 4]));
  if (threadIdx.x < 2)
    init(&bars[threadIdx.x], 1);  // <init>
  else if (threadIdx.x < 4)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(mine) : "memory");
  __syncthreads();
  if (threadIdx.x == 32) bars[2].wait_parity(false);  // <wait>
  if (threadIdx.x != 0) return;
  gpu_test::pause(3000000);
  bars[3].wait_parity(false);
}
// Each warp meets its neighbors, but the last one has none. The first warp is done.
__global__ void neighbor_of_the_last_warp(int) {
  __shared__ block_barrier halos[2];
  cudasync::init_barriers(this_thread_block(), cudasync::expects<64>(halos));
  if (threadIdx.x >= 32) halos[0].arrive_and_wait();
  halos[threadIdx.x / 32].arrive_and_wait();  // <wait>
}
// The empty barriers of the second ring are the full ones of the first.
__global__ void ring_over_another_ring(int) {
  using ring = cudasync::bulk_pipeline<1, cudasync::consumer_warps<2>>;
  __shared__ alignas(8) unsigned char memory[sizeof(ring) + 8];
  ring& first = *reinterpret_cast<ring*>(memory + 8);
  first.init(this_thread_block());                             // <first>
  reinterpret_cast<ring*>(memory)->init(this_thread_block());  // <second>
  if (threadIdx.x == 0) first.producer_acquire({}, 64);
  if (threadIdx.x >= 32) first.consumer_wait({});  // <wait>
}
// The consumers of the first ring are two, and its empty barrier is the full one of the second.
__global__ void ring_below_another_ring(int) {
  using ring = cudasync::bulk_pipeline<1, cudasync::consumer_warps<2>>;
  __shared__ alignas(8) unsigned char memory[sizeof(ring) + 8];
  ring& second = *reinterpret_cast<ring*>(memory + 8);
  reinterpret_cast<ring*>(memory)->init(this_thread_block());  // <first>
  second.init(this_thread_block());                            // <second>
  if (threadIdx.x >= 32) second.consumer_wait({});
  ring::producer_state at;
  if (threadIdx.x == 0) {
    second.producer_acquire(at, 64);
    reinterpret_cast<ring*>(memory)->producer_acquire(at, 64);
    second.producer_acquire(at, 64);  // <again>
  }
}
// The consumer flips its parity before each wait.
__global__ void flip_before_the_first_wait(int) {
  __shared__ block_barrier full, empty;
  if (threadIdx.x == 0) {
    init(&full, 1);
    init(&empty, 32);
  }
  __syncthreads();
  bool parity = threadIdx.x < 32;
  for (unsigned tile = 0; tile < 2; ++tile, parity = !parity)
    if (threadIdx.x == 0) {
      empty.wait_parity(parity);
      static_cast<void>(barrier_arrive_tx(full, 1, 64));  // <expect>
    } else if (threadIdx.x >= 32) {
      full.wait_parity(!parity);
      static_cast<void>(empty.arrive());
    }
}
// The count has the producer, too, and the rows end within the last warp.
__global__ void count_of_more_than_the_rows(int) {
  __shared__ block_barrier used;
  if (threadIdx.x == 0) init(&used, 65);
  __syncthreads();
  if (threadIdx.x < 32) used.wait_parity(false);  // <wait>
  if (threadIdx.x >= 32 && threadIdx.x < 88) static_cast<void>(used.arrive());
}

// --- Several waits ---

// Two warps wait at named barrier 8, and two for a barrier at which nobody arrives. Before sm_90, its address is 8.
__global__ void two_waits_of_which_one_is_known(int) {
  __shared__ block_barrier full[2];
  if (threadIdx.x < 2) init(&full[threadIdx.x], 1);
  __syncthreads();
  if (threadIdx.x < 64)
    cudasync::named_barrier<8, 160>::sync();  // <named>
  else if (threadIdx.x < 128)
    full[1].wait_parity(false);  // <wait>
}
// Each of two groups lacks a thread at its own barrier. What the third one waits for is not known.
__global__ void two_hangs(int) {
  __shared__ block_barrier both[2];
  __shared__ cuda::latch<cuda::thread_scope_block> done;
  if (threadIdx.x == 0) init(&done, 64);
  cudasync::init_barriers(this_thread_block(), cudasync::expects<32>(both));
  if (threadIdx.x == 5 || threadIdx.x == 38) return;
  if (threadIdx.x < 32)
    both[0].arrive_and_wait();  // <first>
  else if (threadIdx.x < 64)
    both[1].arrive_and_wait();  // <second>
  else
    done.arrive_and_wait();
}
// Warp 2 does not come to a barrier, because its first thread waits for a value that nobody stores. Warp 1 has not come
// to the barrier of warp 0 either, and is not to blame.
__global__ void wait_behind_a_wait(int) {
  __shared__ block_barrier first, second;
  __shared__ cuda::atomic<int, cuda::thread_scope_block> flag;
  if (threadIdx.x == 0) {
    init(&first, 64);
    init(&second, 64);
    flag.store(0);
  }
  __syncthreads();
  if (threadIdx.x == 64) flag.wait(0);  // <value>
  __syncwarp();
  if (threadIdx.x >= 32) second.arrive_and_wait();  // <second>
  if (threadIdx.x < 64) first.arrive_and_wait();    // <first>
}

// --- Arrivals at another barrier ---

__global__ void consumers_that_arrive_at_the_full_barrier(int) {
  __shared__ block_barrier full[2], empty[2];
  cudasync::init_barriers(this_thread_block(), cudasync::expects<32>(full), cudasync::expects<32>(empty));
  for (unsigned tile = 0; tile < 4; ++tile)
    if (threadIdx.x < 32) {
      empty[tile % 2].wait_parity(tile / 2 % 2 == 0);  // <empty>
      static_cast<void>(full[tile % 2].arrive());
    } else {
      full[tile % 2].wait_parity(tile / 2 % 2 != 0);
      static_cast<void>(full[tile % 2].arrive());
    }
}
__global__ void producers_that_arrive_at_the_empty_barrier(int) {
  __shared__ block_barrier full[2], empty[2];
  cudasync::init_barriers(this_thread_block(), cudasync::expects<32>(full), cudasync::expects<32>(empty));
  for (unsigned tile = 0; tile < 4; ++tile)
    if (threadIdx.x < 32) {
      empty[tile % 2].wait_parity(tile / 2 % 2 == 0);
      static_cast<void>(empty[tile % 2].arrive());
    } else {
      full[tile % 2].wait_parity(tile / 2 % 2 != 0);  // <full>
      static_cast<void>(empty[tile % 2].arrive());
    }
}
__global__ void warp_that_arrives_at_the_full_barrier(int) {
  __shared__ block_barrier full, empty;
  if (threadIdx.x == 0) {
    init(&full, 1);
    init(&empty, 32);
  }
  __syncthreads();
  if (threadIdx.x == 32) {
    empty.wait_parity(true);
    static_cast<void>(full.arrive());
  } else if (threadIdx.x < 32) {
    full.wait_parity(false);
    static_cast<void>(full.arrive());  // <arrive>
  }
}

// --- Blocks of a cluster whose waits depend on each other ---

// The other block arrives for all of its tiles, before this one begins.
__global__ void rendezvous_of_a_block_that_runs_ahead(int) {
  __shared__ cluster_wide meet;
  const auto cluster = cudasync::this_cluster();
  cudasync::init_barriers(cluster, cudasync::expects<2>(meet));
  if (cluster.block_rank() == 1 && threadIdx.x == 0)
    for (unsigned tile = 0; tile < 6; ++tile)
      cudasync::remote_barrier(meet, 0).arrive();
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0)
    for (unsigned tile = 0; tile < 6; ++tile) {
      static_cast<void>(meet.arrive());
      meet.wait_parity(tile % 2);  // <wait>
    }
  cluster.sync();
}

// Block 1 arrives for a phase before the threads of block 0 have waited for the one before it.
__global__ void arrival_of_a_round_too_early(int) {
  __shared__ cluster_wide filled;
  const auto cluster = cudasync::this_cluster();
  cudasync::init_barriers(cluster, cudasync::expects<1>(filled));
  for (unsigned round = 0; round < 2; ++round) {
    for (unsigned count = 0; count <= round; ++count)
      if (cluster.block_rank() == 1 && threadIdx.x == 0) cudasync::remote_barrier(filled, 0).arrive();
    cluster.sync();
    if (cluster.block_rank() == 0) filled.wait_parity(round % 2);  // <wait>
    cluster.sync();
  }
}
// The count of the empty barriers leaves out the consumers of block 1.
__global__ void count_of_the_own_consumers(int) {
  __shared__ cluster_wide full, empty;
  const auto cluster = cudasync::this_cluster();
  cudasync::init_barriers(cluster, cudasync::expects<1>(full), cudasync::expects<1>(empty));  // <init>
  const bool is_producer = cluster.block_rank() == 0 && threadIdx.x == 0;
  if (is_producer) {
    static_cast<void>(empty.arrive());
    empty.wait_parity(false);
  }
  cluster.sync();
  if (cluster.block_rank() == 1 && threadIdx.x == 0) {
    cudasync::remote_barrier(empty, 0).arrive();
    cudasync::remote_barrier(empty, 0).arrive();
  }
  cluster.sync();
  for (unsigned round = 0; is_producer && round < 2; ++round)
    static_cast<void>(barrier_arrive_tx(full, 1, 64));  // <arrive>
  cluster.sync();
}
// Each block but the last sends cells to the next one, when that has given back the cell before. The blocks give the
// cells to the next block, in place of the one before.
__global__ void cell_given_back_to_the_next_block(int) {
  __shared__ cluster_wide filled, credit;
  __shared__ unsigned cell;
  const auto cluster = cudasync::this_cluster();
  cudasync::init_barriers(cluster, cudasync::expects<1>(filled), cudasync::expects<1>(credit));
  const unsigned rank = cluster.block_rank();
  const unsigned last = cluster.num_blocks() - 1;
  for (unsigned round = 0; round < 3 && threadIdx.x == 0; ++round) {
    if (rank > 0) {
      static_cast<void>(barrier_arrive_tx(filled, 1, sizeof cell));
      filled.wait_parity(round % 2);
      if (rank < last) cudasync::remote_barrier(credit, rank + 1).arrive();
    }
    if (rank < last) {
      if (round > 0) credit.wait_parity(round % 2 == 0);  // <credit>
      cudasync::remote_barrier(filled, rank + 1).store_async(&cell, round);
    }
  }
  cluster.sync();
}

// After its second phase, block 1 waits for the same parity again, which ends at once: block 0 is late in that round.
__global__ void block_that_keeps_its_parity(int) {
  __shared__ cluster_wide filled;
  const auto cluster = cudasync::this_cluster();
  cudasync::init_barriers(cluster, cudasync::expects<1>(filled));
  const unsigned rank = cluster.block_rank();
  bool parity = false;
  for (unsigned round = 0; round < 4; ++round) {
    const bool is_late = rank == 0 && round == 2;
    if (threadIdx.x == 0 && !is_late) cudasync::remote_barrier(filled, 1 - rank).arrive();
    cluster.sync();
    filled.wait_parity(parity);  // <wait>
    cluster.sync();
    if (threadIdx.x == 0 && is_late) cudasync::remote_barrier(filled, 1 - rank).arrive();
    if (rank == 0 || round != 1) parity = !parity;
  }
  cluster.sync();
}
// Each block copies one half of a stage to both. Block 1 has a tile less.
__global__ void block_with_one_tile_less(int) {
  using ring = cudasync::bulk_pipeline<2, cudasync::consumer_warps<1>, 2>;
  __shared__ ring pipe;
  alignas(16) __shared__ unsigned char stage[2][64];
  const auto cluster = cudasync::this_cluster();
  pipe.init(cluster);
  const unsigned rank = cluster.block_rank();
  const unsigned tiles = rank == 1 ? 1 : 2;
  if (threadIdx.x == 32) {
    ring::producer_state at;
    for (unsigned tile = 0; tile < tiles; ++tile, at.advance()) {
      pipe.producer_acquire(at, 64);
      pipe.copy_to_blocks(at, &stage[at.index()][32 * rank], source, aligned_size_t<16>(32), 3);
    }
  } else if (threadIdx.x < 32) {
    ring::consumer_state at;
    for (unsigned tile = 0; tile < tiles; ++tile, at.advance()) {
      pipe.consumer_wait(at);  // <wait>
      pipe.consumer_release(at);
    }
  }
  cluster.sync();
}
// Block 1 releases its own stage instead of that of block 0, whose producer copies to both.
__global__ void release_in_the_own_block(int) {
  __shared__ cluster_wide full, empty;
  alignas(16) __shared__ unsigned char stage[64];
  const auto cluster = cudasync::this_cluster();
  cudasync::init_barriers(cluster, cudasync::expects(full, 1), cudasync::expects(empty, 2));
  const bool is_first = cluster.block_rank() == 0;
  for (unsigned tile = 0; tile < 4; ++tile)
    if (threadIdx.x == 32) {
      if (is_first) empty.wait_parity(tile % 2 == 0);  // <producer>
      static_cast<void>(barrier_arrive_tx(full, 1, 64));
      if (is_first)
        cudasync::device::memcpy_async_tx_to_blocks(stage, source, aligned_size_t<16>(64), full, 3);
      else
        full.wait_parity(tile % 2 != 0);
    } else if (threadIdx.x == 0) {
      full.wait_parity(tile % 2 != 0);  // <consumer>
      if (is_first)
        static_cast<void>(empty.arrive());
      else
        cudasync::remote_barrier(empty, tile == 0 ? 0 : 1).arrive();
    }
  cluster.sync();
}

// A ring whose full and empty barriers are initialized in one line, and a consumer that counts two of its three stages.
__global__ void ring_of_which_the_consumer_counts_two_stages(int) {
  __shared__ block_barrier full[3], empty[3];
  if (threadIdx.x == 0)
    for (int stage = 0; stage < 3; ++stage)
      init(&full[stage], 1), init(&empty[stage], 1);
  __syncthreads();
  for (int tile = 0; tile < 8; ++tile) {
    if (threadIdx.x == 0) {
      empty[tile % 3].wait_parity(tile / 3 % 2 == 0);
      static_cast<void>(full[tile % 3].arrive());
    } else if (threadIdx.x >= 32) {
      full[tile % 3].wait_parity(tile / 2 % 2 != 0);  // <wait>
      if (threadIdx.x == 32) static_cast<void>(empty[tile % 3].arrive());
    }
  }
}

// --- The cases, and what each must print ---

#define MISUSE(KERNEL, ...) MISUSE_IN((gpu_test::shape{1, 1}), KERNEL, __VA_ARGS__)

const misuse cases[] = {
    MISUSE(second_init_before_too_many, "too many arrivals", "3 times at barrier",
           "was initialized again at <again> while it was in use: at least 1 arrival of the phase is lost"),
    MISUSE_IN((gpu_test::shape{1, 64}), init_while_a_warp_arrives, "too many arrivals", " arrive at barrier at 0x",
              "at <arrive>; init was given 32 (at <again>).", "likely cause: barrier at 0x",
              " was initialized again at <again> while it was in use: threads were arriving.", "use another barrier",
              "!missing", "!lost", "!not certain"),
    MISUSE(update_above_the_count, "5 times at barrier", "where only 4 of 4 are missing; init was given 4 (at <init>)",
           "the updates of a phase add up to more than 4, the count given to init"),
    MISUSE_IN((gpu_test::shape{1, 96}), producer_that_does_not_advance, "too many arrivals", "at <again>",
              "thread 0 has acquired stage 0 again before the consumers have released it",
              "remedy: on both sides, default-construct the state"),
    MISUSE_IN((gpu_test::shape{1, 64}), pipelines_in_different_orders, "threads 0-31 wait at <acquire>",
              "producers and consumers wait for each other at different pipelines: threads ",
              "threads 0-31 at stage 0, <acquire>", "threads 32-63 at stage 0, <wait>",
              "remedy: let both sides use the pipelines in the same order"),
    MISUSE_IN((gpu_test::shape{1, 64}), block_barrier_in_the_branch_of_the_producer, "threads 0-31 wait at <wait>",
              "no thread has arrived since init, nor expected bytes; threads 32-63 wait for nothing that is recorded"),
    MISUSE_IN((gpu_test::shape{1, 64}), arrival_that_is_missing_after_a_second_init, "thread 32 waits at <wait>",
              "initialized at <init> with 32", "likely cause: thread 7 has not arrived in this phase"),
    MISUSE_IN((gpu_test::shape{1, 80}), updates_of_whole_warps, "arrives 32 times", "at <arrive>",
              "the updates of a phase add up to more than 80, the count given to init",
              "a warp may have fewer than 32 threads"),
    MISUSE_IN((gpu_test::shape{2, 32, 0, false, 2}), arrival_before_the_init_of_another_block,
              "thread 0 waits at <wait>", "1 arrival of blocks of the cluster at barrier at 0x",
              " is lost: it was made before its init at <init>"),
    MISUSE_IN((gpu_test::shape{2, 32, 0, false, 2}), count_for_more_blocks_than_the_cluster_has,
              "threads 0-31 wait at <wait>", "the 2 blocks of the cluster that arrive at barrier at 0x",
              " have made 1 arrival each since init, and init was given 4", "all blocks of the cluster, which has 2"),
    MISUSE_IN((gpu_test::shape{1, 64}), too_many_after_an_early_arrival, "too many arrivals",
              "1 arrival was made before init at <init>"),
    MISUSE_IN((gpu_test::shape{1, 2}), init_while_a_thread_has_arrived, "thread 0 waits at <wait>",
              "was initialized again at <again> while it was in use: at least 1 arrival of the phase is lost"),
    MISUSE(consumer_of_a_ring_without_init, "thread 0 waits at <wait>", "the pipeline is not initialized"),
    MISUSE(bytes_expected_by_hand, "thread 0 waits at <wait>", "64 bytes were expected (at <expect>)",
           "a copy has not completed, or bytes of one phase were counted in another"),
    MISUSE_IN((gpu_test::shape{1, 96}), releases_without_a_fill, "thread 64 waits at",
              "stage 0 was released 4 times by 2 consumers, but filled only 1 time"),
    MISUSE_IN((gpu_test::shape{1, 96}), consumer_that_is_not_counted, "thread 64 waits at",
              "2 consumers release stage 0 (warps 0-1), but the pipeline was made for 1"),
    MISUSE_IN((gpu_test::shape{1, 96}), count_of_two_of_three_warps, "32 arrivals of 64", "wait at <wait>",
              "all 96 threads of the block arrive, but init was given 64", "initialize with 96"),
    MISUSE_IN((gpu_test::shape{1, 3}), thread_that_arrives_for_another, "thread 1 waits at <wait>",
              "thread 0 has arrived more than once in one phase, so phases have completed before"),
    MISUSE_IN((gpu_test::shape{1, 2}), init_after_a_complete_phase, "thread 0 waits at <wait>",
              "was initialized again at <again> while it was in use: at least 1 arrival of the phase is lost"),
    MISUSE_IN(
        (gpu_test::shape{1, 2}), parity_that_one_thread_keeps, "1 arrival of 2", "threads 0-1 wait at <wait>",
        "the parity was not flipped: this is wait number 2 for parity 0 in a row at this barrier, and 2 phases are"),
    MISUSE_IN((gpu_test::shape{1, 64}), wait_for_the_second_phase_alone, "thread 32 waits at <wait> for parity 1",
              "the first wait of thread 32 at this barrier was for parity 1, but the first phase has parity 0"),
    MISUSE(first_wait_for_parity_1, "thread 0 waits at <wait> for parity 1",
           "the first wait of thread 0 at this barrier was for parity 1, but the first phase has parity 0"),
    MISUSE(arrival_after_a_wait_for_parity_1, "too many arrivals", "at <arrive>",
           "the first wait of thread 0 at this barrier was for parity 1"),
    MISUSE_IN((gpu_test::shape{1, 64}), thread_with_one_round_more, "thread 5 waits at <wait>",
              "thread 5 has arrived more than once in one phase, or once more than threads 0-4, 6-63"),
    MISUSE_IN(
        (gpu_test::shape{1, 96}), phase_that_begins_anew_with_each_tile, "too many arrivals", "at <arrive>",
        "likely cause: the parity was not flipped, or flipped twice: thread 64 has waited twice in a row for the same "
        "parity at barrier at 0x",
        "remedy: keep the parity, and in a ring the index of the stage, from one tile to the next", "not certain"),
    MISUSE_IN((gpu_test::shape{1, 64}), producer_that_waits_for_a_consumer_ahead, "thread 32 waits at <wait>",
              "4 phases", "likely cause: the parity was not flipped, or flipped twice: thread ",
              " has waited twice in a row", "not certain"),
    MISUSE_IN((gpu_test::shape{1, 32}), consumer_that_keeps_its_parity, "too many arrivals", "at <arrive>",
              "likely cause: the parity was not flipped: thread ", " has waited 2 times in a row for parity 0"),
    MISUSE_IN(
        (gpu_test::shape{1, 64}), reader_that_is_slow, "thread 32 waits at <wait> for parity 0",
        "likely cause: 8 phases are complete, and thread 32 waits for an earlier one: the arriving threads do not "
        "wait for it",
        "remedy: let the threads that arrive wait, before each phase, until the waiting threads have seen the last "
        "one, for example at a second barrier; or let the waiting threads arrive at this one",
        "!number", "!not certain", "!initialize with"),
    MISUSE_IN((gpu_test::shape{1, 64}), consumer_that_is_overtaken, "threads 32-63 wait at <wait> for parity 0",
              "likely cause: 4 phases were complete before threads 32-63 waited for the first one",
              "remedy: let the threads that arrive wait", "!as many rounds"),
    MISUSE_IN((gpu_test::shape{1, 288}), arrivals_of_warpgroups, "threads 0-255 wait at <wait>", "2 arrivals of 256",
              "one thread of each of 2 warps arrives, but init was given 256", "remedy: initialize with 2",
              "!wait for each other"),
    MISUSE_IN((gpu_test::shape{1, 32}), count_of_the_array_below, "too many arrivals", "at <arrive>",
              " with 32, and again at ", " with 1 before any thread arrived",
              "remedy: in dynamic shared memory, let each array begin where the one before it ends"),
    MISUSE_IN((gpu_test::shape{1, 32}), producers_with_the_count_of_consumers, "1 arrival of 32",
              "threads 0-31 wait at <wait>", " with 1, and again at ", " with 32 before any thread arrived",
              "not certain"),
    MISUSE_IN((gpu_test::shape{2, 32, 0, false, 2}), blocks_that_run_ahead_in_a_ring,
              "threads 0-31 wait at <wait> for parity 1",
              "likely cause: 3 phases are complete, and no thread has arrived in the next one (96 arrivals of block "
              "(0,0,0))",
              "!has not arrived at barrier"),
    MISUSE_IN((gpu_test::shape{2, 32, 0, false, 2}), count_without_the_own_block, "0 arrivals of 1",
              "likely cause: 2 blocks of the cluster arrive at barrier at 0x",
              ", each 1 time since init, but init was "
              "given 1",
              "remedy: initialize with 2"),
    MISUSE_IN((gpu_test::shape{2, 32, 0, false, 2}), threads_for_the_warps_of_another_block,
              "too many arrivals: block (1,0,0), thread", " at barrier at 0x", " of block (0,0,0), at <arrive>.",
              "likely cause: a warp makes ", " arrivals, but init was given 2 (at <init>)"),
    MISUSE_IN((gpu_test::shape{2, 32, 0, false, 2}), threads_for_the_warps_of_the_own_block,
              "too many arrivals: block (0,0,0), threads ", "likely cause: a warp makes ",
              "not certain; another possible cause: threads ", "arrive at this block's own barrier"),
    MISUSE_IN((gpu_test::shape{1, 96}), groups_that_release_their_own_tiles, "too many arrivals", "at <release>",
              " more than once in one round, and only 1 of 2 consumers have ever released it",
              "remedy: let every consumer release every stage"),
    MISUSE_IN((gpu_test::shape{1, 128}), index_of_another_pair, "too many arrivals", "at <arrive>",
              "likely cause: threads 32-127 arrive, but init was given 64; in the phase of barrier at 0x",
              ", of the same init, 32 arrivals are missing",
              "remedy: let each thread arrive at the barrier of its own group"),
    MISUSE_IN((gpu_test::shape{1, 64}), element_without_init, "thread 32 waits at <wait>",
              "the barrier is not initialized", "; nor is 1 other for which threads wait",
              "the one before it in memory, barrier at 0x", " (initialized at <init>), is",
              "remedy: let one thread initialize every barrier of the array"),
    MISUSE_IN((gpu_test::shape{1, 64}), neighbor_of_the_last_warp, "threads 32-63 wait at <wait>",
              "likely cause: only threads 32-63 have ever arrived at it, but init was given 64; threads 0-31 arrive at "
              "barrier at 0x",
              "remedy: if all of these threads should arrive here, check the index in the array of barriers"),
    MISUSE_IN((gpu_test::shape{1, 96}), ring_over_another_ring, "threads 32-95 wait at <wait>",
              " was initialized at <first> with 1, and again at <second> with 2 before any thread arrived"),
    MISUSE_IN((gpu_test::shape{1, 64}), ring_below_another_ring, "too many arrivals", "at <again>",
              "was initialized at <first> with 2, and again at <second> with 1 before any thread arrived"),
    MISUSE_IN((gpu_test::shape{1, 64}), flip_before_the_first_wait,
              "too many arrivals: block (0,0,0), thread 0 arrives", "at <expect>",
              "likely cause: the first wait of thread 32 at this barrier was for parity 1"),
    MISUSE_IN((gpu_test::shape{1, 96}), count_of_more_than_the_rows, "threads 0-31 wait at <wait>",
              "likely cause: threads 32-87 arrive, but init was given 65; threads 88-95 of the same warps do not",
              "remedy: initialize with 56, the number of threads that arrive; or with 64"),
    MISUSE_IN((gpu_test::shape{1, 160}), two_waits_of_which_one_is_known, "1 x   named barrier 8",
              "warps 0-1 wait at <named>", "1 x   barrier at 0x", "threads 64-127 wait at <wait>",
              "likely cause: ", "!1-31", "!a second hang"),
    MISUSE_IN((gpu_test::shape{1, 96}), two_hangs, "wait at <first>", "wait at <second>", ": thread 5 has not arrived",
              ": thread 38 has not arrived", "a second hang, which seems to be independent: barrier at 0x",
              "Threads also wait, perhaps as a consequence, for latch at 0x"),
    MISUSE_IN((gpu_test::shape{1, 96}), wait_behind_a_wait, "threads 0-31 wait at <first>",
              "threads 32-63 wait at <second>", "cause", ": atomic at 0x", "the value stays 0", "!wait for each other"),
    MISUSE_IN((gpu_test::shape{1, 64}), consumers_that_arrive_at_the_full_barrier, "threads 0-31 wait at <empty>",
              "likely cause: no thread has arrived at barrier at 0x",
              " since init; threads 32-63 arrive at barrier at 0x", ", for which they wait themselves",
              "remedy: let each side arrive at the barrier for which the other side waits"),
    MISUSE_IN((gpu_test::shape{1, 64}), producers_that_arrive_at_the_empty_barrier, "threads 32-63 wait at <full>",
              "likely cause: no thread has arrived at barrier at 0x",
              " since init; threads 0-31 arrive at barrier at 0x", ", for which they wait themselves"),
    MISUSE_IN((gpu_test::shape{1, 64}), warp_that_arrives_at_the_full_barrier, "too many arrivals", "at <arrive>",
              "likely cause: no thread has arrived at barrier at 0x", "arrive at barrier at 0x",
              ", for which they wait themselves", "!initialize with"),
    MISUSE_IN((gpu_test::shape{2, 32, 0, false, 2}), arrival_of_a_round_too_early, "threads 0-31 wait at <wait>",
              "likely cause: 3 phases are complete, and threads 0-31 wait for number 2 (3 arrivals of block (1,0,0))",
              "not certain", "remedy: let the threads that arrive wait, before each phase"),
    MISUSE_IN((gpu_test::shape{2, 32, 0, false, 2}), rendezvous_of_a_block_that_runs_ahead, "thread 0 waits at <wait>",
              "likely cause: 4 phases are complete, and thread 0 waits for number 3 (6 arrivals of block (1,0,0))",
              "not certain"),
    MISUSE_IN((gpu_test::shape{2, 32, 0, false, 2}), count_of_the_own_consumers, "too many arrivals", "at <arrive>",
              " (initialized at <init>) completes phases before thread 0 has waited for them",
              "remedy: initialize it with the number of arrivals in a round, of all blocks"),
    MISUSE_IN((gpu_test::shape{3, 32, 0, false, 3}), cell_given_back_to_the_next_block, "In block (0,0,0)",
              "thread 0 waits at <credit>", "likely cause: the blocks of the cluster do not arrive equally often",
              "that of block (0,0,0) has got 0 arrivals, and that of block (2,0,0) 1.",
              "check the rank that each block gives to remote_barrier"),
    MISUSE_IN((gpu_test::shape{2, 32, 0, false, 2}), block_that_keeps_its_parity, "In block (1,0,0)", " at <wait>",
              "likely cause: the parity was not flipped, or flipped twice: ", "not certain; another possible cause: ",
              "!0 phases"),
    MISUSE_IN((gpu_test::shape{2, 64, 0, false, 2}), block_with_one_tile_less, "In block (0,0,0)", " at <wait>",
              "likely cause: all arrivals have been made, but 32 bytes are missing",
              ": block (0,0,0) has acquired this stage 1 time, and block (1,0,0) 0 times",
              "remedy: let all blocks of the cluster make the same number of rounds: the threads that copy, and those "
              "that wait for the copies.",
              "!expect exactly"),
    MISUSE_IN((gpu_test::shape{2, 64, 0, false, 2}), release_in_the_own_block, "In block (",
              "!no copy was started on this barrier", " at <producer>", "!initialize it with the number of arrivals"),
    MISUSE_IN((gpu_test::shape{1, 64}), ring_of_which_the_consumer_counts_two_stages, "likely cause: barrier at 0x",
              ": the first wait of thread 32 at this barrier was for parity 1", "!no thread has arrived since init"),
};

int main(int argc, char** argv) {
  return run_misuses(argc, argv, cases);
}
