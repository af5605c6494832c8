// The report of a hang names the mistake: threads that wait for each other, by rings written by hand, by wrong parities and counts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compiled: alone
// needs: sm90
#include "../support/misuse.h"

#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cudasync/init_barriers.h>
#include <cudasync/named_barrier.h>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;
using cuda::aligned_size_t;
using cudasync::expects;
using cudasync::this_thread_block;

__device__ alignas(16) unsigned char source[4096];
__device__ cuda::latch<cuda::thread_scope_device> never_counted_down{1};

constexpr unsigned bytes = 512;

// The argument is 0. It hides wrong values from the compiler.

// --- A ring written by hand: thread 0 copies, warps 1 to 4 read ---

struct ring_by_hand {
  block_barrier full[2];
  block_barrier empty[2];
};

#define RING_BY_HAND(ARRIVALS_AT_EMPTY)                 \
  alignas(16) __shared__ unsigned char stage[2][bytes]; \
  __shared__ ring_by_hand ring;                         \
  if (threadIdx.x == 0)                                 \
    for (int index = 0; index < 2; ++index) {           \
      init(&ring.full[index], 1);                       \
      init(&ring.empty[index], ARRIVALS_AT_EMPTY);      \
    }                                                   \
  __syncthreads()

static __device__ void copy_to(ring_by_hand& ring, unsigned char (*stage)[bytes], int tile) {
  cuda::device::memcpy_async_tx(stage[tile % 2], source, aligned_size_t<16>(bytes), ring.full[tile % 2]);
  static_cast<void>(cuda::device::barrier_arrive_tx(ring.full[tile % 2], 1, bytes));
}

__global__ void release_by_one_lane_of_each_warp(int zero) {
  RING_BY_HAND(128 + zero);
  for (int tile = 0; tile < 6; ++tile)
    if (threadIdx.x == 0) {
      ring.empty[tile % 2].wait_parity(tile / 2 % 2 == 0);  // <producer>
      copy_to(ring, stage, tile);
    } else if (threadIdx.x >= 32) {
      ring.full[tile % 2].wait_parity(tile / 2 % 2 != 0);  // <consumer>
      __syncwarp();
      if (threadIdx.x % 32 == 0) static_cast<void>(ring.empty[tile % 2].arrive());
    }
}

// The producer leaves out tiles 1, 2 and 4, which are zero, and the consumers do not.
__global__ void tiles_that_the_producer_leaves_out(int zero) {
  RING_BY_HAND(32 + zero);
  for (int tile = 0; tile < 9; ++tile)
    if (threadIdx.x == 0) {
      if (0x2a >> tile & 1) continue;
      ring.empty[tile % 2].wait_parity(tile / 2 % 2 == 0);  // <producer>
      copy_to(ring, stage, tile);
    } else if (threadIdx.x >= 32) {
      ring.full[tile % 2].wait_parity(tile / 2 % 2 != 0);  // <consumer>
      static_cast<void>(ring.empty[tile % 2].arrive());
    }
}

// The consumers never arrive at the empty barriers, and the producer never at the full ones.
template <bool Fills, bool Releases>
__device__ void ring_of_one_init(unsigned count) {
  __shared__ ring_by_hand ring;
  if (threadIdx.x == 0)
    for (int index = 0; index < 4; ++index)
      init(index < 2 ? &ring.full[index] : &ring.empty[index - 2], count);
  __syncthreads();
  for (int tile = 0; tile < 6; ++tile)
    if (threadIdx.x < count) {
      ring.empty[tile % 2].wait_parity(tile / 2 % 2 == 0);
      if (Fills) static_cast<void>(ring.full[tile % 2].arrive());
    } else if (threadIdx.x >= 32) {
      ring.full[tile % 2].wait_parity(tile / 2 % 2 != 0);
      if (Releases) static_cast<void>(ring.empty[tile % 2].arrive());
    }
}
__global__ void release_that_nobody_makes(int) {
  ring_of_one_init<true, false>(32);
}
__global__ void fill_that_nobody_makes(int) {
  ring_of_one_init<false, true>(32);
}
__global__ void release_by_hand_that_nobody_makes(int zero) {
  RING_BY_HAND(64 + zero);
  for (int tile = 0; tile < 6; ++tile)
    if (threadIdx.x == 0) {
      ring.empty[tile % 2].wait_parity(tile / 2 % 2 == 0);  // <producer>
      copy_to(ring, stage, tile);
    } else if (threadIdx.x >= 32) {
      ring.full[tile % 2].wait_parity(tile / 2 % 2 != 0);  // <consumer>
    }
}

__global__ void release_counted_with_the_producers(int zero) {
  RING_BY_HAND(160 + zero);
  for (int tile = 0; tile < 6; ++tile)
    if (threadIdx.x == 0) {
      ring.empty[tile % 2].wait_parity(tile / 2 % 2 == 0);  // <producer>
      copy_to(ring, stage, tile);
    } else if (threadIdx.x >= 32) {
      ring.full[tile % 2].wait_parity(tile / 2 % 2 != 0);  // <consumer>
      static_cast<void>(ring.empty[tile % 2].arrive());
    }
}

// The count is that of the warps, and one thread of each pair of warps releases.
__global__ void release_by_one_thread_of_each_pair_of_warps(int) {
  RING_BY_HAND(4);
  for (int tile = 0; tile < 6; ++tile)
    if (threadIdx.x == 0) {
      ring.empty[tile % 2].wait_parity(tile / 2 % 2 == 0);  // <producer>
      copy_to(ring, stage, tile);
    } else if (threadIdx.x >= 32) {
      ring.full[tile % 2].wait_parity(tile / 2 % 2 != 0);  // <consumer>
      __syncwarp();
      if (threadIdx.x % 64 == 32) static_cast<void>(ring.empty[tile % 2].arrive());
    }
}

// Warp 0 hands out numbers of tiles. Of the warps that take them, two do not arrive from a round on.
__device__ void hand_out_numbers(int first) {
  __shared__ block_barrier full, empty;
  if (threadIdx.x == 0) {
    init(&full, 32);
    init(&empty, 4);
  }
  __syncthreads();
  for (int number = 0; number < 4; ++number)
    if (threadIdx.x < 32) {
      empty.wait_parity(number % 2 == 0);
      static_cast<void>(full.arrive());
    } else {
      full.wait_parity(number % 2 != 0);
      __syncwarp();
      if (threadIdx.x % 32 == 0 && (threadIdx.x < 96 || number < first)) static_cast<void>(empty.arrive());
    }
}

__global__ void numbers_that_two_warps_keep(int) {
  hand_out_numbers(0);
}
__global__ void numbers_that_two_warps_keep_later(int) {
  hand_out_numbers(1);
}

// The consumers compute their parity for three stages, and run ahead of the third tile.
__global__ void parity_of_a_ring_of_three_stages(int) {
  RING_BY_HAND(32);
  for (int tile = 0; tile < 6; ++tile)
    if (threadIdx.x == 0) {
      if (tile == 2) gpu_test::pause(1000000);
      ring.empty[tile % 2].wait_parity(tile / 2 % 2 == 0);  // <producer>
      copy_to(ring, stage, tile);
    } else if (threadIdx.x >= 32) {
      ring.full[tile % 2].wait_parity(tile / 3 % 2 != 0);  // <consumer>
      __syncwarp();
      static_cast<void>(ring.empty[tile % 2].arrive());
    }
}

// The consumers wait for the stage after the one that they release, so they skip the first phase.
__global__ void wait_for_the_next_stage(int) {
  RING_BY_HAND(128);
  for (int tile = 0; tile < 6; ++tile)
    if (threadIdx.x == 0) {
      ring.empty[tile % 2].wait_parity(tile / 2 % 2 == 0);
      copy_to(ring, stage, tile);
    } else if (threadIdx.x >= 32) {
      ring.full[(tile + 1) % 2].wait_parity((tile + 1) / 2 % 2 != 0);  // <consumer>
      static_cast<void>(ring.empty[tile % 2].arrive());
    }
}

// The index and the parity of the producer begin anew with each item of three tiles, those of the consumers do not.
__global__ void producer_that_begins_anew_with_each_item(int) {
  RING_BY_HAND(32);
  for (int tile = 0; tile < 6; ++tile)
    if (threadIdx.x == 0) {
      ring.empty[tile % 3 % 2].wait_parity(tile % 3 < 2);  // <producer>
      copy_to(ring, stage, tile % 3);
    } else if (threadIdx.x >= 32) {
      ring.full[tile % 2].wait_parity(tile / 2 % 2 != 0);  // <consumer>
      static_cast<void>(ring.empty[tile % 2].arrive());
    }
}

// Both ways of beginning: the consumers give the second stage back before the first tile, and the producer begins with
// parity 1.
__global__ void stage_that_is_given_back_first(int) {
  RING_BY_HAND(32);
  if (threadIdx.x >= 32) static_cast<void>(ring.empty[1].arrive());
  __syncthreads();
  for (int tile = 0; tile < 6; ++tile)
    if (threadIdx.x == 0) {
      ring.empty[tile % 2].wait_parity(tile / 2 % 2 == 0);  // <producer>
      copy_to(ring, stage, tile);
    } else if (threadIdx.x >= 32) {
      ring.full[tile % 2].wait_parity(tile / 2 % 2 != 0);  // <consumer>
      static_cast<void>(ring.empty[tile % 2].arrive());
    }
}

__global__ void parity_flipped_after_each_tile(int) {
  RING_BY_HAND(128);
  bool parity = false;
  for (int tile = 0; tile < 8; ++tile)
    if (threadIdx.x == 0) {
      ring.empty[tile % 2].wait_parity(tile / 2 % 2 == 0);  // <producer>
      copy_to(ring, stage, tile);
    } else if (threadIdx.x >= 32) {
      ring.full[tile % 2].wait_parity(parity);  // <consumer>
      static_cast<void>(ring.empty[tile % 2].arrive());
      parity = !parity;
    }
}

__global__ void tile_expected_without_an_arrival(int) {
  RING_BY_HAND(128);
  for (int tile = 0; tile < 4; ++tile)
    if (threadIdx.x == 0) {
      ring.empty[tile % 2].wait_parity(tile / 2 % 2 == 0);
      cuda::device::memcpy_async_tx(stage[tile % 2], source, aligned_size_t<16>(bytes), ring.full[tile % 2]);
      cuda::device::barrier_expect_tx(ring.full[tile % 2], bytes);  // <expect>
      if (tile < 2) static_cast<void>(ring.full[tile % 2].arrive());
    } else if (threadIdx.x >= 32) {
      ring.full[tile % 2].wait_parity(tile / 2 % 2 != 0);  // <consumer>
      static_cast<void>(ring.empty[tile % 2].arrive());
    }
}

// --- bulk_pipeline: the first thread of warp 3 produces, warps 0 to 2 consume ---

using ring_of_three = cudasync::bulk_pipeline<2, cudasync::consumer_warps<3>>;
using ring_of_two = cudasync::bulk_pipeline<2, cudasync::consumer_warps<2>>;

template <class Ring>
__device__ void produce(Ring& pipe, unsigned char (*stage)[bytes], unsigned tiles) {
  typename Ring::producer_state at;
  for (unsigned tile = 0; tile < tiles; ++tile, at.advance())
    pipe.acquire_and_copy(at, stage[at.index()], source, aligned_size_t<16>(bytes));
}

#define BULK_RING(RING)                                 \
  alignas(16) __shared__ unsigned char stage[2][bytes]; \
  __shared__ RING pipe;                                 \
  pipe.init(this_thread_block())

__global__ void consumers_that_never_release(int) {
  BULK_RING(ring_of_three);
  if (threadIdx.x == 96) produce(pipe, stage, 6);  // <acquire>
  if (threadIdx.x >= 96) return;
  ring_of_three::consumer_state at;
  for (unsigned tile = 0; tile < 6; ++tile, at.advance())
    pipe.consumer_wait(at);  // <wait>
}

// A warp more than the pipeline counts: a stage is filled again while one of them still reads.
__global__ void more_consumers_than_the_pipeline_counts(int) {
  BULK_RING(ring_of_two);
  if (threadIdx.x == 96) produce(pipe, stage, 40);
  if (threadIdx.x >= 96) return;
  ring_of_two::consumer_state at;
  for (unsigned tile = 0; tile < 40; ++tile, at.advance()) {
    pipe.consumer_wait(at);
    pipe.consumer_release(at);
  }
}

__global__ void two_producers(int) {
  BULK_RING(ring_of_two);
  if (threadIdx.x == 96 || threadIdx.x == 64) produce(pipe, stage, 6);
  if (threadIdx.x >= 64) return;
  ring_of_two::consumer_state at;
  for (unsigned tile = 0; tile < 6; ++tile, at.advance()) {
    pipe.consumer_wait(at);
    pipe.consumer_release(at);
  }
}

__global__ void producer_without_an_election(int) {
  BULK_RING(ring_of_two);
  if (threadIdx.x / 32 == 2) produce(pipe, stage, 6);
  if (threadIdx.x >= 64) return;
  ring_of_two::consumer_state at;
  for (unsigned tile = 0; tile < 6; ++tile, at.advance()) {
    pipe.consumer_wait(at);
    pipe.consumer_release(at);
  }
}

__global__ void states_made_anew_for_each_item(int) {
  BULK_RING(ring_of_three);
  if (threadIdx.x >= 96) {
    if (threadIdx.x > 96) return;
    ring_of_three::producer_state at;
    for (unsigned tile = 0; tile < 9; ++tile, at.advance())
      pipe.acquire_and_copy(at, stage[at.index()], source, aligned_size_t<16>(bytes));  // <acquire>
    return;
  }
  for (unsigned item = 0; item < 3; ++item) {
    ring_of_three::consumer_state at;
    for (unsigned tile = 0; tile < 3; ++tile, at.advance()) {
      pipe.consumer_wait(at);  // <wait>
      pipe.consumer_release(at);
    }
  }
}

__global__ void ring_without_init(int) {
  alignas(16) __shared__ unsigned char stage[2][bytes];
  __shared__ ring_of_three pipe;
  if (threadIdx.x == 0) memset(static_cast<void*>(&pipe), 0, sizeof pipe);
  __syncthreads();
  if (threadIdx.x >= 96) {
    if (threadIdx.x == 96) produce(pipe, stage, 2);
    return;
  }
  pipe.consumer_wait(ring_of_three::consumer_state());  // <wait>
}

__global__ void consumers_that_wait_elsewhere(int) {
  BULK_RING(ring_of_three);
  if (threadIdx.x >= 96) {
    if (threadIdx.x > 96) return;
    ring_of_three::producer_state at;
    for (unsigned tile = 0; tile < 6; ++tile, at.advance())
      pipe.acquire_and_copy(at, stage[at.index()], source, aligned_size_t<16>(bytes));  // <acquire>
    return;
  }
  ring_of_three::consumer_state at;
  for (unsigned tile = 0; tile < 6; ++tile, at.advance()) {
    pipe.consumer_wait(at);
    pipe.consumer_release(at);
    if (tile != 1) continue;
    const unsigned long long start = gpu_test::nanoseconds();
    while (gpu_test::nanoseconds() - start < 85000000)  // the producer waits for 100 ms
      __nanosleep(1000000);
    never_counted_down.wait();  // <latch>
  }
}

// --- Parities and arrivals of one barrier ---

__global__ void parity_that_is_never_flipped_by_all(int zero) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (int round = 0; round < 4 + zero; ++round) {
    static_cast<void>(bar.arrive());
    bar.wait_parity(false);  // <wait>
    if (threadIdx.x >= 32) __nanosleep(1000);
  }
}

// The lanes of a warp wait together, at two barriers.
__global__ void parity_that_is_never_flipped_at_two_barriers(int zero) {
  __shared__ block_barrier bars[2];
  cudasync::init_barriers(this_thread_block(), cudasync::expects<32>(bars));
  block_barrier& bar = bars[threadIdx.x % 2];
  for (int round = 0; round < 4 + zero; ++round) {
    static_cast<void>(bar.arrive());
    __syncwarp();
    bar.wait_parity(false);  // <wait>
  }
}

__global__ void half_of_the_waiting_threads_arrive(int) {
  __shared__ block_barrier bar;
  cudasync::init_barriers(this_thread_block(), cudasync::expects<64>(bar));  // <init>
  if (threadIdx.x < 32) static_cast<void>(bar.arrive());
  bar.wait_parity(false);  // <wait>
}

__global__ void first_wait_with_the_parity_of_the_second(int) {
  alignas(16) __shared__ unsigned char tile[bytes];
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, 1);
  __syncthreads();
  bool parity = true;
  for (int round = 0; round < 4; ++round, parity = !parity) {
    if (threadIdx.x == 0) static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, bytes));  // <arrive>
    if (threadIdx.x == 32) {
      __nanosleep(2000000);  // so that the copy takes longer than a round of the other warp
      cuda::device::memcpy_async_tx(tile, source, aligned_size_t<16>(bytes), bar);
    }
    bar.wait_parity(parity);  // <wait>
  }
}

// The bytes of the third phase are there before anybody arrives in it, because one thread has not waited for the first.
__global__ void bytes_after_a_first_wait_for_parity_1(int) {
  alignas(16) __shared__ unsigned char tile[bytes];
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) {
    init(&bar, 1);
    bar.wait_parity(true);
  }
  for (unsigned phase = 0; phase < 3; ++phase) {
    __syncthreads();
    if (threadIdx.x == 32) cuda::device::memcpy_async_tx(tile, source, aligned_size_t<16>(bytes), bar);
    if (threadIdx.x != 0 || phase == 2) continue;
    static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, bytes));
    while (!cuda::ptx::mbarrier_test_wait_parity(cuda::device::barrier_native_handle(bar), phase)) {
    }
  }
  if (threadIdx.x == 0) bar.wait_parity(false);  // <wait>
}

// --- Named barriers ---

// The consumers meet at a barrier that counts the producer's warp, too.
__global__ void named_barrier_that_counts_the_producer(int) {
  BULK_RING(ring_of_three);
  if (threadIdx.x >= 96) {
    if (threadIdx.x > 96) return;
    ring_of_three::producer_state at;
    for (unsigned tile = 0; tile < 4; ++tile, at.advance())
      pipe.acquire_and_copy(at, stage[at.index()], source, aligned_size_t<16>(bytes));  // <acquire>
  } else {
    ring_of_three::consumer_state at;
    for (unsigned tile = 0; tile < 4; ++tile, at.advance()) {
      pipe.consumer_wait(at);
      cudasync::named_barrier<1, 128>::sync();  // <sync>
      pipe.consumer_release(at);
    }
  }
}

// Only one half of the block uses barrier 2, and expects the other half there.
__global__ void named_barrier_of_one_group(int) {
  for (unsigned tile = 0; tile < 2; ++tile) {
    cudasync::named_barrier<1, 128>::sync();                        // <both>
    if (threadIdx.x < 64) cudasync::named_barrier<2, 128>::sync();  // <alone>
  }
}

__global__ void named_barriers_in_opposite_order(int zero) {
  using first = cudasync::named_barrier<1, 128>;
  using second = cudasync::named_barrier<2, 128>;
  if (threadIdx.x < 64 + zero) {
    first::sync();  // <first>
    second::sync();
  } else {
    second::sync();  // <second>
    first::sync();
  }
}

__global__ void second_round_in_opposite_order(int zero) {
  const cudasync::dynamic_named_barrier first(1, 128u + static_cast<unsigned>(zero));
  const cudasync::dynamic_named_barrier second(2, 128u + static_cast<unsigned>(zero));
  first.sync();
  second.sync();
  if (threadIdx.x < 64) first.sync();  // <first>
  second.sync();                       // <second>
  if (threadIdx.x >= 64) first.sync();
}

__global__ void turns_that_nobody_begins(int zero) {
  const unsigned group = threadIdx.x / 64;
  const cudasync::dynamic_named_barrier mine(1 + group, 128u + static_cast<unsigned>(zero));
  const cudasync::dynamic_named_barrier others(2 - group, 128u + static_cast<unsigned>(zero));
  for (int tile = 0; tile < 2; ++tile) {
    mine.sync();  // <turn>
    others.arrive();
  }
}

// Each pair of warps makes steps, and warp 3 makes fewer than its partner.
__global__ void warp_with_fewer_steps_than_its_partner(int zero) {
  const cudasync::dynamic_named_barrier of_pair(1 + threadIdx.x / 64, 64);
  for (int step = 0; step < (threadIdx.x < 96 ? 4 : 2) + zero; ++step)
    of_pair.sync();                         // <pair>
  cudasync::named_barrier<3, 128>::sync();  // <all>
}

// Warp 0 gives numbers of tiles to the others. Warp 1 does not say that it has read one.
__global__ void warp_that_does_not_give_a_number_back(int zero) {
  using filled = cudasync::named_barrier<1, 128>;
  using taken = cudasync::named_barrier<2, 128>;
  for (int tile = 0; tile < 3 + zero; ++tile) {
    if (threadIdx.x < 32 && tile != 0) taken::sync();
    filled::sync();  // <filled>
    if (threadIdx.x >= 64) taken::arrive();
  }
}

// The counts are those of a block with eight warps that compute.
__global__ void named_barriers_of_a_larger_block(int zero) {
  const cudasync::dynamic_named_barrier full(1, 288u + static_cast<unsigned>(zero));
  const cudasync::dynamic_named_barrier empty(2, 288u + static_cast<unsigned>(zero));
  if (threadIdx.x < 96) {
    empty.sync();
    full.arrive();
  } else {
    empty.arrive();
    full.sync();
  }
}
// The consumers give a tile back at a named barrier, but not an empty one.
__global__ void empty_tile_that_is_not_given_back(int zero) {
  using empty = cudasync::named_barrier<3, 96>;
  __shared__ cuda::barrier<cuda::thread_scope_block> full;
  if (threadIdx.x == 0) init(&full, 1);
  __syncthreads();
  if (threadIdx.x >= 32) empty::arrive();
  for (int tile = 0; tile < 4 + zero; ++tile) {
    if (threadIdx.x < 32) {
      empty::sync();  // <empty>
      if (threadIdx.x == 0) static_cast<void>(full.arrive());
      __syncwarp();
    } else {
      full.wait_parity(tile % 2 != 0);  // <full>
      if (tile == 1) continue;
      empty::arrive();
    }
  }
}

__global__ void channel_with_one_tile_more_than_its_consumer_takes(int zero) {
  using channel = cudasync::named_channel<cudasync::named_barrier<1, 64>, cudasync::named_barrier<2, 64>>;
  if (threadIdx.x < 32) {
    channel::producer out;  // <producer>
    for (int tile = 0; tile < 4 + zero; ++tile) {
      out.acquire();
      out.commit();
    }
  } else {
    channel::consumer in;  // <consumer>
    for (int tile = 0; tile < 3 + zero; ++tile) {
      in.wait();
      in.release();
    }
  }
}

// The wait for the first tile of the second item returns at once. Before it waits again, the producer waits for this.
__global__ void parity_that_is_kept_after_an_item(int) {
  __shared__ block_barrier full, empty;
  if (threadIdx.x == 0) {
    init(&full, 32);  // <full>
    init(&empty, 1);  // <empty>
  }
  __syncthreads();
  bool parity = threadIdx.x < 32;
  for (int tile = 0; tile < 6; ++tile) {
    if (threadIdx.x < 32) {
      if (tile == 3) __syncthreads();
      empty.wait_parity(parity);  // <producer>
      static_cast<void>(full.arrive());
    } else {
      full.wait_parity(parity);  // <consumer>
      if (threadIdx.x == 32) static_cast<void>(empty.arrive());
      if (tile == 3) __syncthreads();
    }
    if (threadIdx.x < 32 || tile != 2) parity = !parity;
  }
}

// Warp 1 waits for its first tile, or for its second one, after two more are there: warp 0 releases them for both.
template <int Taken>
__device__ void release_for_two_warps() {
  __shared__ block_barrier full, empty;
  if (threadIdx.x == 0) {
    init(&full, 1);
    init(&empty, 1);
  }
  __syncthreads();
  for (int tile = 0; tile < 2 + Taken; ++tile)
    if (threadIdx.x >= 64) {
      empty.wait_parity(tile % 2 == 0);
      if (threadIdx.x == 64) static_cast<void>(full.arrive());
    } else if (threadIdx.x < 32 || tile < Taken) {
      full.wait_parity(tile % 2 != 0);
      __syncwarp();
      if (threadIdx.x == 0) static_cast<void>(empty.arrive());
    }
  __syncthreads();
  if (threadIdx.x / 32 == 1) full.wait_parity(Taken % 2 != 0);
}
__global__ void release_for_a_warp_that_comes_late(int) {
  release_for_two_warps<0>();
}
__global__ void release_for_a_warp_that_is_slow(int) {
  release_for_two_warps<1>();
}

// --- A chain of three roles: warp 0 loads, warp 1 transforms, warp 2 stores, with two rings written by hand ---

struct two_rings {
  block_barrier full_a[2], empty_a[2], full_b[2], empty_b[2];
};

enum class mistake { no_release, count, parity_0 };

template <mistake What>
__device__ void load_transform_store() {
  __shared__ two_rings rings;
  if (threadIdx.x == 0)
    for (int index = 0; index < 2; ++index) {
      init(&rings.full_a[index], 32);
      init(&rings.empty_a[index], 32);
      init(&rings.full_b[index], What == mistake::count ? 64 : 32);
      init(&rings.empty_b[index], 32);
    }
  __syncthreads();
  for (int tile = 0; tile < 8; ++tile) {
    const int stage = tile % 2;
    const bool phase = tile / 2 % 2 != 0;
    if (threadIdx.x < 32) {
      rings.empty_a[stage].wait_parity(!phase);
      static_cast<void>(rings.full_a[stage].arrive());
    } else if (threadIdx.x < 64) {
      rings.full_a[stage].wait_parity(phase);
      static_cast<void>(rings.empty_a[stage].arrive());
      rings.empty_b[stage].wait_parity(What == mistake::parity_0 ? phase : !phase);
      static_cast<void>(rings.full_b[stage].arrive());
    } else {
      rings.full_b[stage].wait_parity(phase);
      if (What != mistake::no_release || tile != 2) static_cast<void>(rings.empty_b[stage].arrive());
    }
  }
}
__global__ void store_that_skips_a_release(int) {
  load_transform_store<mistake::no_release>();
}
__global__ void count_of_two_roles(int) {
  load_transform_store<mistake::count>();
}
__global__ void transform_that_begins_with_parity_0(int) {
  load_transform_store<mistake::parity_0>();
}

// --- One ring of three roles: warp 0 fills a stage, warp 1 changes it, and warp 2 empties it ---

struct three_sides {
  block_barrier full[2], changed[2], empty[2];
};

enum class fault { none, never_changed, never_emptied, filled_again };

template <fault What>
__device__ void fill_change_empty() {
  __shared__ three_sides ring;
  init_barriers(this_thread_block(), expects<32>(ring.full), expects<32>(ring.changed), expects<32>(ring.empty));
  for (int tile = 0; tile < 8; ++tile) {
    const int stage = tile % 2;
    const bool phase = tile / 2 % 2 != 0;
    if (threadIdx.x < 32) {
      ring.empty[stage].wait_parity(!phase);
      static_cast<void>(ring.full[stage].arrive());
    } else if (threadIdx.x < 64) {
      ring.full[stage].wait_parity(phase);
      if (What != fault::never_changed) static_cast<void>(ring.changed[stage].arrive());
    } else {
      ring.changed[stage].wait_parity(phase);
      if (What == fault::filled_again) static_cast<void>(ring.full[stage].arrive());
      if (What == fault::none) static_cast<void>(ring.empty[stage].arrive());
    }
  }
}
__global__ void ring_of_three_of_which_one_only_waits(int) {
  fill_change_empty<fault::never_changed>();
}
__global__ void ring_of_three_of_which_the_last_only_waits(int) {
  fill_change_empty<fault::never_emptied>();
}
__global__ void ring_of_three_that_is_filled_twice(int) {
  fill_change_empty<fault::filled_again>();
}

__global__ void only_consumer_that_skips_a_release(int) {
  using ring = cudasync::bulk_pipeline<2, cudasync::consumer_warps<1>>;
  BULK_RING(ring);
  if (threadIdx.x == 32) produce(pipe, stage, 6);
  if (threadIdx.x >= 32) return;
  ring::consumer_state at;
  for (unsigned tile = 0; tile < 6; ++tile, at.advance()) {
    pipe.consumer_wait(at);  // <wait>
    if (tile != 3) pipe.consumer_release(at);
  }
}

// --- The cases, and what each must print ---

// --- Two sides, one of which is a round ahead or has left the loop ---

// The loader wants to fill the only stage a second time before it gives what the others need to release it.
__global__ void fill_ahead_with_one_stage(int) {
  __shared__ block_barrier full, empty, given;
  init_barriers(this_thread_block(), expects<1>(full, given), expects<32>(empty));
  if (threadIdx.x == 0) {
    static_cast<void>(full.arrive());
    empty.wait_parity(false);  // <producer>
    static_cast<void>(full.arrive());
    static_cast<void>(given.arrive());
  } else if (threadIdx.x >= 32) {
    full.wait_parity(false);
    given.wait_parity(false);  // <consumer>
    static_cast<void>(empty.arrive());
  }
}

__global__ void loop_bound_of_each_warp(int zero) {
  __shared__ block_barrier step, end;
  init_barriers(this_thread_block(), expects<64>(step), expects<64>(end));
  for (unsigned round = 0; round < 2 + threadIdx.x / 32 + zero; ++round)
    step.arrive_and_wait();  // <step>
  end.arrive_and_wait();     // <end>
}

// Warp 0 waits for warp 1 only in the first tile and in that with this number, but opens the gate after each one.
static __device__ void open_gate_without_wait(int second) {
  __shared__ block_barrier full, gate;
  init_barriers(this_thread_block(), expects<1>(full, gate));
  unsigned filled = 0;
  for (int tile = 0; tile < 8; ++tile) {
    const bool has_work = tile == 0 || tile == second;
    if (threadIdx.x == 0) {
      if (has_work) full.wait_parity(filled++ % 2 != 0);
      static_cast<void>(gate.arrive());
    } else if (threadIdx.x == 32) {
      if (tile > 0) gate.wait_parity(tile % 2 == 0);
      if (!has_work) continue;
      static_cast<void>(full.arrive());
      gpu_test::pause(100000);
    }
  }
}
__global__ void gate_that_is_two_phases_ahead(int) {
  open_gate_without_wait(3);
}
__global__ void gate_that_is_four_phases_ahead(int) {
  open_gate_without_wait(5);
}

constexpr gpu_test::shape two_warps{1, 64}, three_warps{1, 96}, four_warps{1, 128}, five_warps{1, 160};

const misuse cases[] = {
    MISUSE_IN(five_warps, release_by_one_lane_of_each_warp, "thread 0 waits at <producer> for parity 0",
              "threads 32-159 wait at <consumer> for parity 1",
              "one thread of each of 4 warps arrives, but init was given 128", "remedy: initialize with 4"),
    MISUSE_IN(two_warps, tiles_that_the_producer_leaves_out,
              "likely cause: thread 0 has left out a round: it has arrived 2 times at barrier at 0x",
              "and 0 times at barrier at 0x", "where threads 32-63 wait for it", "not certain"),
    MISUSE_IN(two_warps, release_that_nobody_makes,
              "likely cause: thread 32 has left out all arrivals: its waits for barrier at 0x",
              "have returned 2 times, and it has arrived 0 times at barrier at 0x", "where threads 0-31 wait for it.",
              "not certain; another possible cause: threads ", " wait for each other"),
    MISUSE_IN(two_warps, fill_that_nobody_makes,
              "likely cause: thread 0 has left out all arrivals: its waits for barrier at 0x", "have returned 2 times",
              "where threads 32-63 wait for it.", "remedy: let threads 0-31 arrive once in each round, on every path"),
    MISUSE_IN(three_warps, release_by_hand_that_nobody_makes, "0 arrivals of 64", "thread 0 waits at <producer>",
              "threads 32-95 wait at <consumer>", "likely cause: thread 32 has left out all arrivals",
              "remedy: let threads 32-95 arrive once in each round, on every path"),
    MISUSE_IN(five_warps, release_counted_with_the_producers, "thread 0 waits at <producer> for parity 0",
              "128 arrivals of 160", "threads 32-159 arrive, but init was given 160", "remedy: initialize with 128"),
    MISUSE_IN(
        five_warps, parity_flipped_after_each_tile,
        "remedy: flip the parity once after each wait for the same barrier (in a ring, when the index of the stage"),
    MISUSE_IN(five_warps, release_by_one_thread_of_each_pair_of_warps, "2 arrivals of 4",
              "thread 0 waits at <producer>", "threads 32, 96 arrive, but init was given 4",
              "remedy: initialize with 2"),
    MISUSE_IN(five_warps, numbers_that_two_warps_keep, "2 arrivals of 4",
              "threads 96-159 have not arrived in this phase, and wait at ",
              ", as do the threads that have: threads 32, 64.",
              "remedy: let threads 96-159 arrive before that wait, on every path, or initialize with 2"),
    MISUSE_IN(five_warps, numbers_that_two_warps_keep_later,
              "threads 96, 128 have not arrived in this phase, and wait at ",
              ", as do the threads that have: threads 32, 64.",
              "remedy: let threads 96, 128 arrive before that wait, in every round."),
    MISUSE_IN(five_warps, wait_for_the_next_stage, "threads 32-159 wait at <consumer> for parity 1",
              "likely cause: the first wait of thread 32 at this barrier was for parity 1", "!wait for number"),
    MISUSE_IN(two_warps, producer_that_begins_anew_with_each_item, "thread 0 waits at <producer> for parity 1",
              "likely cause: barrier at 0x",
              ": the parity began anew, or was not flipped: this is wait number 2 in a row for parity 1, with which "
              "thread 0 began at this barrier, and 1 phase is complete.",
              "remedy: keep the parity, and in a ring the index of the stage, from one tile to the next",
              "!beginning with parity 0"),
    MISUSE_IN(two_warps, stage_that_is_given_back_first, "thread 0 waits at <producer> for parity 1",
              "1 phase is complete, and thread 0 waits for the one before the first: the next one was complete before",
              "!beginning with parity 0", "!in the same order"),
    MISUSE_IN(two_warps, parity_of_a_ring_of_three_stages, "threads 32-63 wait at <consumer> for parity 1",
              "likely cause: the parity was not flipped, or flipped twice: thread 32 has waited twice in a row for the "
              "same parity",
              " came a round too early, and thread 0 waits at ", "!not certain"),
    MISUSE_IN(two_warps, parity_that_is_kept_after_an_item,
              "likely cause: the parity was not flipped, or flipped twice: thread 32 has waited twice in a row for the "
              "same parity",
              "; so an arrival at barrier at 0x",
              " came a round too early, and threads 0-31 wait at <producer> for a "
              "phase that is over.",
              "!not certain", "!wait for each other"),
    MISUSE_IN(
        three_warps, release_for_a_warp_that_comes_late,
        "likely cause: 2 phases were complete before threads 32-63 waited for the first one; the arriving threads "
        "wait at barrier at 0x",
        ", at which thread 0 alone arrives for 2 warps.",
        "remedy: let each warp that waits here arrive there, after its last read, and initialize that barrier with 2",
        "!arrive at this one, too", "!not certain"),
    MISUSE_IN(three_warps, release_for_a_warp_that_is_slow,
              "likely cause: 3 phases are complete, and threads 32-63 wait for number 2; the arriving threads wait at ",
              ", at which thread 0 alone arrives for 2 warps.", "!other blocks", "!not certain"),
    MISUSE_IN(five_warps, tile_expected_without_an_arrival, "0 arrivals of 1",
              "likely cause: 512 bytes are expected (at <expect>), but no thread has arrived in this phase",
              "remedy: barrier_expect_tx does not arrive"),
    MISUSE_IN(four_warps, consumers_that_never_release, "stage 0 (to be released by its consumers)", "0 arrivals of 3",
              "threads 0-95 wait at <wait>", "likely cause: no consumer has released stage 0 or any other stage",
              "remedy: let each consumer call consumer_release once per round"),
    MISUSE_IN(four_warps, more_consumers_than_the_pipeline_counts, "3 consumers release stage ",
              "but the pipeline was made for 2", "remedy: make the pipeline for the number of consumers that release"),
    MISUSE_IN(four_warps, two_producers, "too many arrivals: ", "threads 64, 96 produce, but only 1 thread may",
              "remedy: let one thread of the block acquire and copy"),
    MISUSE_IN(four_warps, producer_without_an_election, "too many arrivals: ",
              "threads 64-95 produce, but only 1 thread may", "remedy: let one thread of the block acquire and copy"),
    MISUSE_IN(
        four_warps, states_made_anew_for_each_item,
        "the state of threads 0-95 began anew, or was not advanced: they wait for a round of stage 1 for which they "
        "have waited before; since init, it was filled 2 times, and released 1 time.",
        "remedy: declare one state for all tiles, before the loop over them, and advance it once per stage"),
    MISUSE_IN(four_warps, ring_without_init, " is not initialized", "all threads of the block"),
    MISUSE_IN(four_warps, consumers_that_wait_elsewhere, "thread 96 waits at <acquire>",
              "no consumer has released stage 0 since its last round: threads 0-95 wait for latch at ", " at <latch>"),
    MISUSE_IN(two_warps, parity_that_is_never_flipped_by_all, "likely cause: the parity was not flipped",
              "remedy: flip the parity once after each wait"),
    MISUSE_IN(two_warps, parity_that_is_never_flipped_at_two_barriers, "the parity was not flipped",
              "remedy: flip the parity once after each wait"),
    MISUSE_IN(two_warps, bytes_after_a_first_wait_for_parity_1, "512 bytes more than expected",
              "the first wait of thread 0 at this barrier was for parity 1"),
    MISUSE_IN(two_warps, half_of_the_waiting_threads_arrive, "initialized at <init> with 64", "32 arrivals of 64",
              "threads 0-63 wait at <wait>",
              "likely cause: threads 0-31 arrive, and threads 32-63 only wait, but init was given 64",
              "remedy: let every thread that is counted arrive, also those that only wait", "initialize with 32"),
    MISUSE_IN(two_warps, first_wait_with_the_parity_of_the_second,
              "the first wait of thread 0 at this barrier was for parity 1",
              "beginning with parity 0 for the first phase"),
    MISUSE_IN(four_warps, named_barrier_that_counts_the_producer, "warps 0-2 wait at <sync>",
              "thread 96 waits at <acquire>", "named barrier 1", "!that wait does not end, or let these threads"),
    MISUSE_IN(four_warps, named_barrier_of_one_group, "warps 0-1 wait at <alone>", "warps 2-3 wait at <both>",
              "; warps 2-3 have never arrived at named barrier 2",
              "remedy: if named barrier 2 is for warps 0-1 alone, pass 64, the number of their threads; otherwise let "
              "warps 2-3 arrive there, too",
              "!same order"),
    MISUSE_IN(four_warps, named_barriers_in_opposite_order, "named barrier 1", "named barrier 2",
              "warps 0-1 wait at <first>", "warps 2-3 wait at <second>",
              "wait for each other: 64 of 128 threads have arrived at the first one, and 64 of 128 at the second; the "
              "others have never arrived there.",
              "if all of these warps wait at both, let all warps use the named barriers in the same order"),
    MISUSE_IN(four_warps, turns_that_nobody_begins, "warps 0-1 wait at <turn>", "warps 2-3 wait at <turn>",
              "wait for each other: 64 of 128 threads have arrived at the first one",
              "remedy: if groups take turns, let one of them arrive at the other's barrier before its first wait"),
    MISUSE_IN(four_warps, second_round_in_opposite_order, "warps 0-1 wait at <first>", "warps 2-3 wait at <second>",
              "wait for each other: 64 of 128 threads have arrived at the first one",
              "remedy: let all warps use the named barriers in the same order", "!take turns"),
    MISUSE_IN(four_warps, warp_with_fewer_steps_than_its_partner,
              "only 32 of 64 threads have arrived at named barrier 2; warp 3 waits for named barrier 3 at <all>",
              "remedy: find out why that wait does not end, or let these threads arrive before it.", "!or pass"),
    MISUSE_IN(four_warps, warp_that_does_not_give_a_number_back,
              "only 96 of 128 threads have arrived at named barrier 2; warp 1 waits for named barrier 1 at <filled>"),
    MISUSE_IN(four_warps, named_barriers_of_a_larger_block, " of 288 threads have arrived at named barrier ",
              "; the block has only 128 threads.", "remedy: pass the number of threads that arrive in a phase",
              "!order"),
    MISUSE_IN(
        three_warps, empty_tile_that_is_not_given_back, "warp 0 waits at <empty>", "threads 32-95 wait at <full>",
        "These two waits form a circle. If phases are complete, one side has left out an arrival, for example in a "
        "branch with `continue`"),
    MISUSE_IN(two_warps, channel_with_one_tile_more_than_its_consumer_takes, "warp 0 waits at <producer>",
              "only 32 of 64 threads have arrived at named barrier 2", "last call of thread 32: <consumer>",
              "remedy: let all warps that the phase counts arrive, in as many rounds as the others;", "!or pass"),
    MISUSE_IN(three_warps, store_that_skips_a_release,
              "likely cause: thread 64 has skipped an arrival: its waits for barrier at 0x",
              "have returned 4 times, and it has arrived 3 times at barrier at 0x", "where threads 32-63 wait for it",
              "not certain"),
    MISUSE_IN(three_warps, count_of_two_roles, ": threads 32-63 arrive, but init was given 64",
              "remedy: initialize with 32"),
    MISUSE_IN(three_warps, transform_that_begins_with_parity_0,
              " wait for each other, and no phase of these barriers was ever completed", "remedy: begin with parity 1",
              "threads 32-63 at ", "threads 64-95 at ", "!threads 0-31 at "),
    MISUSE_IN(three_warps, ring_of_three_of_which_one_only_waits,
              "likely cause: thread 32 has left out all arrivals: its waits for barrier at 0x",
              "have returned 2 times, and it has arrived 0 times at barrier at 0x", "where threads 64-95 wait for it",
              "remedy: let threads 32-63 arrive once in each round"),
    MISUSE_IN(three_warps, ring_of_three_of_which_the_last_only_waits,
              "likely cause: thread 64 has left out all arrivals: its waits for barrier at 0x",
              "have returned 2 times, and it has arrived 0 times at barrier at 0x", "where threads 0-31 wait for it"),
    MISUSE_IN(three_warps, ring_of_three_that_is_filled_twice, "threads 0-31 wait at ",
              "likely cause: no thread has arrived since init; threads 0-31, 64-95 arrive at barrier at 0x",
              ", of the same init, which counts 32",
              "remedy: let each thread arrive at the barrier for which the others "
              "wait",
              "!threads 32-63 arrive"),
    MISUSE_IN(two_warps, only_consumer_that_skips_a_release,
              "likely cause: no consumer has released stage 1 since its last round", " at <wait>"),
    MISUSE_IN(two_warps, fill_ahead_with_one_stage, "thread 0 waits at <producer>", "threads 32-63 wait at <consumer>",
              " wait for each other, and no phase of these barriers was ever completed",
              "remedy: let one side arrive before it waits, or wait a round later", "!begin with parity 1 where"),
    MISUSE_IN(two_warps, loop_bound_of_each_warp,
              "likely cause: the numbers of rounds differ: threads 0-31 have arrived 2 times at barrier at 0x",
              ", where threads 32-63 wait at <step> after 3 arrivals; the former wait at <end>.",
              "remedy: let all of them make the same number of rounds", "!not certain"),
    MISUSE_IN(two_warps, gate_that_is_two_phases_ahead,
              ": 3 phases are complete, and thread 32 waits for number 2: the arriving threads do not wait for it",
              "!skipped"),
    MISUSE_IN(
        two_warps, gate_that_is_four_phases_ahead,
        "likely cause: thread 0 does not wait for thread 32 in each round: it has arrived 5 times at barrier at 0x",
        "have returned 1 time; so phases may be over for which thread 32 has not waited", "!skipped"),
};

int main(int argc, char** argv) {
  return run_misuses(argc, argv, cases);
}
