// The report of a hang names the mistake: pipelines, bulk pipelines and turns.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compiled: alone
// needs: sm90
#include "../support/misuse.h"

#include <cuda/pipeline>
#include <cudasync/named_barrier.h>
#include <cudasync/turns.h>

using cuda::aligned_size_t;
using cuda::pipeline_role;
using block_state = cuda::pipeline_shared_state<cuda::thread_scope_block, 2>;
using device_state = cuda::pipeline_shared_state<cuda::thread_scope_device, 2>;
using cudasync::this_thread_block;

__device__ device_state in_global_memory;
__device__ alignas(16) unsigned char source[4096];
__device__ unsigned results[1024];

// The argument is 0. It hides wrong values from the compiler.

// --- cuda::pipeline: the first warp produces ---

__global__ void empty_tile_without_a_commit(int zero) {
  __shared__ block_state state;
  auto pipe = cuda::make_pipeline(this_thread_block(), &state, 32);
  for (int tile = 0; tile < 2; ++tile)
    if (threadIdx.x < 32) {
      pipe.producer_acquire();  // <acquire>
      if (tile == 1 + zero) continue;
      pipe.producer_commit();  // <commit>
    } else {
      pipe.consumer_wait();  // <wait>
      pipe.consumer_release();
    }
}

__global__ void tile_without_a_release(int) {
  __shared__ block_state state;
  auto pipe = cuda::make_pipeline(this_thread_block(), &state, 32);
  for (int tile = 0; tile < 3; ++tile)
    if (threadIdx.x < 32) {
      pipe.producer_acquire();  // <acquire>
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();   // <wait>
      if (tile == 0) return;  // an early end, after which nobody releases
      pipe.consumer_release();
    }
}

__global__ void wait_for_one_stage_too_many(int) {
  __shared__ block_state state;
  auto pipe = cuda::make_pipeline(this_thread_block(), &state, 32);
  if (threadIdx.x < 32) {
    for (int tile = 0; tile < 3; ++tile) {
      pipe.producer_acquire();
      pipe.producer_commit();  // <commit>
    }
  } else {
    for (int tile = 0; tile <= 3; ++tile) {
      pipe.consumer_wait();  // <wait>
      pipe.consumer_release();
    }
  }
}

// The producers are in a branch that none of them takes.
__global__ void producers_that_do_not_begin(int) {
  __shared__ block_state state;
  auto pipe = cuda::make_pipeline(this_thread_block(), &state, 32);  // <make>
  if (threadIdx.x < 32) return;
  pipe.consumer_wait();  // <wait>
  pipe.consumer_release();
}

__global__ void producer_that_leaves_without_quit(int) {
  __shared__ block_state state;
  auto pipe = cuda::make_pipeline(this_thread_block(), &state, 32);
  if (threadIdx.x == 31) return;
  for (int tile = 0; tile < 2; ++tile)
    if (threadIdx.x < 32) {
      pipe.producer_acquire();
      pipe.producer_commit();  // <commit>
    } else {
      pipe.consumer_wait();  // <wait>
      pipe.consumer_release();
    }
}

__global__ void consumers_that_leave_without_quit(int) {
  __shared__ block_state state;
  auto pipe = cuda::make_pipeline(this_thread_block(), &state, 32);
  for (int tile = 0; tile < 3; ++tile)
    if (threadIdx.x < 32) {
      pipe.producer_acquire();  // <acquire>
      pipe.producer_commit();
    } else if (threadIdx.x < 48) {
      pipe.consumer_wait();
      pipe.consumer_release();
    }
}

// The last consumer drops out of both stages, which are committed: then their barriers expect nobody.
__global__ void consumers_that_quit_too_soon(int) {
  using both_sides = cudasync::named_barrier<1, 64>;
  __shared__ block_state state;
  auto pipe = cuda::make_pipeline(this_thread_block(), &state, 32);
  for (int tile = 0; tile < 6; ++tile)
    if (threadIdx.x < 32) {
      if (tile == 3) both_sides::sync();
      pipe.producer_acquire();  // <acquire>
      pipe.producer_commit();
    } else if (tile < 1) {
      pipe.consumer_wait();
      pipe.consumer_release();
    }
  if (threadIdx.x >= 32) both_sides::sync();
  pipe.quit();  // <quit>
}

__global__ void producers_that_quit_too_soon(int) {
  __shared__ block_state state;
  auto pipe = cuda::make_pipeline(this_thread_block(), &state, 32);
  for (int tile = 0; tile < 6; ++tile)
    if (threadIdx.x >= 32) {
      pipe.consumer_wait();  // <wait>
      pipe.consumer_release();
    } else if (tile < 3) {
      pipe.producer_acquire();
      pipe.producer_commit();
    }
  pipe.quit();  // <quit>
}

__global__ void only_producer_that_quits_too_soon(int) {
  __shared__ block_state state;
  auto pipe = cuda::make_pipeline(this_thread_block(), &state, 1);
  for (int tile = 0; tile < 6; ++tile)
    if (threadIdx.x != 0) {
      pipe.consumer_wait();  // <wait>
      pipe.consumer_release();
    } else if (tile < 3) {
      pipe.producer_acquire();
      pipe.producer_commit();
    }
  pipe.quit();  // <quit>
}

// Half of the consumers end two tiles before the others, like a group whose part of a matrix is smaller.
__global__ void group_of_consumers_with_fewer_tiles(int) {
  __shared__ block_state state;
  auto pipe = cuda::make_pipeline(this_thread_block(), &state, 32);
  for (int tile = 0; tile < 6; ++tile)
    if (threadIdx.x < 32) {
      pipe.producer_acquire();  // <acquire>
      pipe.producer_commit();
    } else if (threadIdx.x < 48 || tile < 2) {
      pipe.consumer_wait();
      pipe.consumer_release();  // <release>
    }
}

__global__ void unified_pipeline_of_which_one_thread_commits(int) {
  __shared__ block_state state;
  auto pipe = cuda::make_pipeline(this_thread_block(), &state);
  if (threadIdx.x == 0) {
    pipe.producer_acquire();
    pipe.producer_commit();
  }
  pipe.consumer_wait();  // <wait>
  pipe.consumer_release();
}

__global__ void one_producer_of_a_warp_of_producers(int) {
  __shared__ block_state state;
  auto pipe = cuda::make_pipeline(this_thread_block(), &state, 32);
  if (threadIdx.x == 0) {
    pipe.producer_acquire();
    pipe.producer_commit();
  } else if (threadIdx.x >= 32) {
    pipe.consumer_wait();  // <wait>
  }
}

// make_pipeline was given 64 producers instead of 32: the second warp is one of them.
__global__ void roles_that_are_mixed(int zero) {
  __shared__ block_state state;
  auto pipe = cuda::make_pipeline(this_thread_block(), &state, static_cast<unsigned>(64 + zero));
  if (threadIdx.x < 32) {
    pipe.producer_acquire();
    pipe.producer_commit();
  } else {
    pipe.consumer_wait();  // <wait>
  }
}

__global__ void block_of_a_device_pipeline_that_never_commits(int) {
  auto pipe = cuda::make_pipeline(this_thread_block(), &in_global_memory, 32);
  if (threadIdx.x < 32)
    pipe.producer_acquire();
  else
    pipe.consumer_wait();  // <wait>
}

// --- bulk_pipeline: the first thread of warp 3 produces, warps 0 to 2 consume ---

using ring = cudasync::bulk_pipeline<2, cudasync::consumer_warps<3>>;
constexpr unsigned bytes = 512;

#define RING_OF(TYPE, STAGES)                                \
  alignas(16) __shared__ unsigned char stage[STAGES][bytes]; \
  __shared__ TYPE pipe;                                      \
  pipe.init(this_thread_block())

__global__ void warp_that_skips_its_release(int) {
  RING_OF(ring, 2);
  if (threadIdx.x == 96) {
    ring::producer_state at;
    for (unsigned tile = 0; tile < 4; ++tile, at.advance())
      pipe.acquire_and_copy(at, stage[at.index()], source, aligned_size_t<16>(bytes));  // <acquire>
  }
  if (threadIdx.x >= 96) return;
  ring::consumer_state at;
  for (unsigned tile = 0; tile < 4; ++tile, at.advance()) {
    pipe.consumer_wait(at);  // <wait>
    if (threadIdx.x / 32 == 2 && tile == 1) continue;
    pipe.consumer_release(at);
  }
}

// The last of four warps reads each stage without a release. The first thread of warp 4 produces.
__global__ void warp_that_reads_and_never_releases(int) {
  using ring_of_four = cudasync::bulk_pipeline<2, cudasync::consumer_warps<4>>;
  RING_OF(ring_of_four, 2);
  if (threadIdx.x == 128) {
    ring_of_four::producer_state at;
    for (unsigned tile = 0; tile < 4; ++tile, at.advance())
      pipe.acquire_and_copy(at, stage[at.index()], source, aligned_size_t<16>(bytes));
  }
  if (threadIdx.x >= 128) return;
  ring_of_four::consumer_state at;
  for (unsigned tile = 0; tile < 4; ++tile, at.advance()) {
    pipe.consumer_wait(at);  // <read>
    if (threadIdx.x < 96) pipe.consumer_release(at);
  }
}

__global__ void ring_for_more_warps_than_consume(int) {
  RING_OF(ring, 2);
  if (threadIdx.x == 96) {
    ring::producer_state at;
    for (unsigned tile = 0; tile < 3; ++tile, at.advance())
      pipe.acquire_and_copy(at, stage[at.index()], source, aligned_size_t<16>(bytes));  // <acquire>
  }
  if (threadIdx.x >= 64) return;
  ring::consumer_state at;
  for (unsigned tile = 0; tile < 3; ++tile, at.advance()) {
    pipe.consumer_wait(at);  // <wait>
    pipe.consumer_release(at);
  }
}

__global__ void bytes_of_half_a_stage(int) {
  RING_OF(ring, 2);
  if (threadIdx.x == 96) {
    ring::producer_state at;
    pipe.producer_acquire(at, bytes);                                // <acquire>
    pipe.copy(at, stage[0], source, aligned_size_t<16>(bytes / 2));  // <copy>
  }
  if (threadIdx.x >= 96) return;
  pipe.consumer_wait(ring::consumer_state());  // <wait>
}

__global__ void copy_to_the_next_stage(int) {
  RING_OF(ring, 2);
  if (threadIdx.x == 96) {
    ring::producer_state at;
    pipe.producer_acquire(at, bytes);  // <acquire>
    at.advance();
    pipe.copy(at, stage[0], source, aligned_size_t<16>(bytes));  // <copy>
  }
  if (threadIdx.x >= 96) return;
  pipe.consumer_wait(ring::consumer_state());  // <wait>
}

__global__ void consumers_that_advance_twice(int) {
  using long_ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<3>>;
  RING_OF(long_ring, 4);
  if (threadIdx.x == 96) {
    long_ring::producer_state at;
    for (unsigned tile = 0; tile < 8; ++tile, at.advance())
      pipe.acquire_and_copy(at, stage[at.index()], source, aligned_size_t<16>(bytes));  // <acquire>
  }
  if (threadIdx.x >= 96) return;
  long_ring::consumer_state at;
  for (unsigned tile = 0; tile < 8; ++tile, at.advance()) {
    pipe.consumer_wait(at);  // <wait>
    pipe.consumer_release(at);
    at.advance();
  }
}

// All tiles have been filled, so the producer does not wait.
__global__ void state_of_consumers_that_begins_anew(int) {
  RING_OF(ring, 2);
  if (threadIdx.x == 96) {
    ring::producer_state at;
    for (unsigned tile = 0; tile < 3; ++tile, at.advance())
      pipe.acquire_and_copy(at, stage[at.index()], source, aligned_size_t<16>(bytes));
  }
  if (threadIdx.x >= 96) return;
  for (unsigned item = 0; item < 2; ++item) {
    if (item == 1) gpu_test::pause(1000000);  // until the third tile has been filled
    ring::consumer_state at;
    for (unsigned tile = 0; tile < 2; ++tile, at.advance()) {
      pipe.consumer_wait(at);  // <wait>
      pipe.consumer_release(at);
    }
  }
}

// The consumers advance for an item without tiles, too.
__global__ void consumers_that_pass_over_a_stage(int) {
  RING_OF(ring, 2);
  const auto tiles_of = [](unsigned item) { return item == 2 ? 0u : item < 2 ? 2u : 5u; };
  if (threadIdx.x == 96) {
    ring::producer_state at;
    for (unsigned item = 0; item < 4; ++item)
      for (unsigned tile = 0; tile < tiles_of(item); ++tile, at.advance())
        pipe.acquire_and_copy(at, stage[at.index()], source, aligned_size_t<16>(bytes));  // <acquire>
  }
  if (threadIdx.x >= 96) return;
  ring::consumer_state at;
  for (unsigned item = 0; item < 4; ++item) {
    if (tiles_of(item) == 0) at.advance();
    for (unsigned tile = 0; tile < tiles_of(item); ++tile, at.advance()) {
      pipe.consumer_wait(at);  // <wait>
      pipe.consumer_release(at);
    }
  }
}

// Each item has three tiles in a ring of two stages.
__global__ void producer_whose_state_begins_anew(int) {
  RING_OF(ring, 2);
  if (threadIdx.x == 96)
    for (unsigned item = 0; item < 2; ++item) {
      ring::producer_state at;
      for (unsigned tile = 0; tile < 3; ++tile, at.advance())
        pipe.acquire_and_copy(at, stage[at.index()], source, aligned_size_t<16>(bytes));  // <acquire>
    }
  if (threadIdx.x >= 96) return;
  ring::consumer_state at;
  for (unsigned tile = 0; tile < 6; ++tile, at.advance()) {
    pipe.consumer_wait(at);  // <wait>
    pipe.consumer_release(at);
  }
}

__global__ void tail_after_a_consumer_has_left(int) {
  RING_OF(ring, 2);
  if (threadIdx.x == 96) {
    ring::producer_state at;
    for (unsigned tile = 0; tile < 2; ++tile, at.advance())
      pipe.acquire_and_copy(at, stage[at.index()], source, aligned_size_t<16>(bytes));
    pipe.producer_tail(at);  // <tail>
  }
  if (threadIdx.x >= 96) return;
  ring::consumer_state at;
  for (unsigned tile = 0; tile < 2; ++tile, at.advance()) {
    pipe.consumer_wait(at);  // <wait>
    if (tile == 1 && threadIdx.x >= 64) return;
    pipe.consumer_release(at);  // <release>
  }
}

__global__ void one_lane_that_releases_for_all(int) {
  using ring_of_threads = cudasync::bulk_pipeline<2, cudasync::consumer_threads<96>>;
  RING_OF(ring_of_threads, 2);
  if (threadIdx.x == 96) {
    ring_of_threads::producer_state at;
    for (unsigned tile = 0; tile < 3; ++tile, at.advance())
      pipe.acquire_and_copy(at, stage[at.index()], source, aligned_size_t<16>(bytes));  // <acquire>
  }
  if (threadIdx.x >= 96) return;
  ring_of_threads::consumer_state at;
  for (unsigned tile = 0; tile < 3; ++tile, at.advance()) {
    pipe.consumer_wait(at);  // <wait>
    if (threadIdx.x % 32 == 0) pipe.consumer_release(at);
  }
}

__global__ void producer_that_ends_a_tile_early(int) {
  RING_OF(ring, 2);
  if (threadIdx.x == 96) {
    ring::producer_state at;
    for (unsigned tile = 0; tile < 3; ++tile, at.advance())
      pipe.acquire_and_copy(at, stage[at.index()], source, aligned_size_t<16>(bytes));  // <acquire>
  }
  if (threadIdx.x >= 96) return;
  ring::consumer_state at;
  for (unsigned tile = 0; tile < 4; ++tile, at.advance()) {
    pipe.consumer_wait(at);  // <wait>
    pipe.consumer_release(at);
  }
}

// Of the first ring, a warp skips a release; the producer of the second one ends early.
__global__ void two_rings_of_one_line(int) {
  using small_ring = cudasync::bulk_pipeline<2, cudasync::consumer_warps<2>>;
  __shared__ small_ring rings[2];
  alignas(16) __shared__ unsigned char stages[2][2][bytes];
  for (small_ring& each : rings)
    each.init(this_thread_block());
  const unsigned which = threadIdx.x / 128;
  small_ring& pipe = rings[which];
  if (threadIdx.x % 128 == 64) {
    small_ring::producer_state at;
    for (unsigned tile = 0; tile < (which == 0 ? 6 : 4); ++tile, at.advance())
      pipe.acquire_and_copy(at, stages[which][at.index()], source, aligned_size_t<16>(bytes));
  }
  if (threadIdx.x % 128 >= 64) return;
  small_ring::consumer_state at;
  for (unsigned tile = 0; tile < 6; ++tile, at.advance()) {
    pipe.consumer_wait(at);
    if (which == 0 && threadIdx.x / 32 == 1 && tile == 1) continue;
    pipe.consumer_release(at);
  }
}

// --- turns: of warp 0 and warp 1, in two stages ---

using order = cudasync::turns<2, 2, 32>;
using order_by_named_barriers = cudasync::turns<2, 2, 32, cudasync::by_named_barriers<1>>;

__global__ void group_that_never_passes(int zero) {
  __shared__ order in_turn;
  in_turn.init(this_thread_block());  // <init>
  order::place mine(in_turn, threadIdx.x / 32);
  for (int tile = 0; tile < 3; ++tile) {
    mine.wait();  // <wait>
    if (threadIdx.x >= 32 && tile == 1 + zero) return;
    mine.pass();
    mine.wait();
    mine.pass();
  }
}

__global__ void group_with_fewer_turns(int) {
  __shared__ order in_turn;
  in_turn.init(this_thread_block());
  order::place mine(in_turn, threadIdx.x / 32);
  for (unsigned turn = 0; turn < 2 + threadIdx.x / 32 * 2; ++turn) {
    mine.wait();  // <wait>
    mine.pass();  // <pass>
  }
}

__global__ void lane_that_does_not_pass(int) {
  __shared__ order in_turn;
  in_turn.init(this_thread_block());
  order::place mine(in_turn, threadIdx.x / 32);
  mine.wait();  // <wait>
  if (threadIdx.x != 7) mine.pass();
}

__global__ void group_in_the_middle_that_returns(int) {
  using order_of_three = cudasync::turns<3, 2, 32>;
  __shared__ order_of_three in_turn;
  in_turn.init(this_thread_block());
  order_of_three::place mine(in_turn, threadIdx.x / 32);
  if (threadIdx.x / 32 == 1) return;
  for (int turn = 0; turn < 4; ++turn) {
    mine.wait();  // <wait>
    mine.pass();
  }
}

__global__ void turn_that_is_held_at_a_barrier(int) {
  __shared__ order in_turn;
  __shared__ cuda::barrier<cuda::thread_scope_block> both;
  if (threadIdx.x == 0) init(&both, 64);
  in_turn.init(this_thread_block());
  order::place mine(in_turn, threadIdx.x / 32);
  mine.wait();
  both.arrive_and_wait();
  mine.pass();
}

// The stage is released by both warps, of which the second one waits for its turn.
__global__ void turn_that_is_held_at_a_ring(int) {
  using small_ring = cudasync::bulk_pipeline<2, cudasync::consumer_warps<2>>;
  RING_OF(small_ring, 2);
  __shared__ order in_turn;
  in_turn.init(this_thread_block());
  if (threadIdx.x == 96) {
    small_ring::producer_state at;
    for (unsigned tile = 0; tile < 4; ++tile, at.advance())
      pipe.acquire_and_copy(at, stage[at.index()], source, aligned_size_t<16>(bytes));
  }
  if (threadIdx.x >= 64) return;
  order::place mine(in_turn, threadIdx.x / 32);
  mine.wait();
  small_ring::consumer_state at;
  for (unsigned tile = 0; tile < 4; ++tile, at.advance()) {
    pipe.consumer_wait(at);
    pipe.consumer_release(at);
  }
  mine.pass();
}

__global__ void group_that_never_passes_by_named_barriers(int zero) {
  __shared__ order_by_named_barriers in_turn;
  order_by_named_barriers::place mine(in_turn, threadIdx.x / 32);
  for (int tile = 0; tile < 3; ++tile) {
    mine.wait();  // <wait>
    if (threadIdx.x >= 32 && tile == 1 + zero) return;
    mine.pass();
    mine.wait();
    mine.pass();
  }
}

__global__ void pass_without_a_turn(int) {
  __shared__ order in_turn;
  in_turn.init(this_thread_block());
  order::place mine(in_turn, threadIdx.x / 32);
  mine.wait();
  mine.pass();
  mine.pass();  // <pass>
}

__global__ void wait_with_a_turn(int) {
  __shared__ order in_turn;
  in_turn.init(this_thread_block());
  order::place mine(in_turn, threadIdx.x / 32);
  mine.wait();
  mine.wait();  // <wait>
}

__global__ void group_beyond_the_last(int) {
  __shared__ order in_turn;
  in_turn.init(this_thread_block());
  order::place mine(in_turn, threadIdx.x / 16);  // <place>
  mine.wait();
}

__global__ void group_that_the_block_lacks(int) {
  __shared__ cudasync::turns<3, 1, 32> in_turn;
  in_turn.init(this_thread_block());  // <init>
  cudasync::turns<3, 1, 32>::place mine(in_turn, threadIdx.x / 32);
  for (unsigned round = 0; round < 2; ++round) {
    mine.wait();
    mine.pass();
  }
}

__global__ void two_groups_of_one_number(int zero) {
  __shared__ order in_turn;
  in_turn.init(this_thread_block());
  order::place mine(in_turn, threadIdx.x / 64 + static_cast<unsigned>(zero));
  mine.wait();
  mine.pass();  // <pass>
}

// Two groups take two stages each, in turn. The second one advances its state by one stage for those of the first one.
__global__ void state_that_skips_too_few_stages(int) {
  using ring_by_turns = cudasync::bulk_pipeline<3, cudasync::consumer_warps<1>>;
  RING_OF(ring_by_turns, 3);
  __shared__ order in_turn;
  in_turn.init(this_thread_block());
  if (threadIdx.x == 64) {
    ring_by_turns::producer_state at;
    for (unsigned tile = 0; tile < 16; ++tile, at.advance())
      pipe.acquire_and_copy(at, stage[at.index()], source, aligned_size_t<16>(bytes));  // <acquire>
  }
  if (threadIdx.x >= 64) return;
  order::place mine(in_turn, threadIdx.x / 32);
  ring_by_turns::consumer_state at;
  for (unsigned turn = 0; turn < 4; ++turn) {
    if (turn % 2 != threadIdx.x / 32) {
      at.advance();
      continue;
    }
    mine.wait();
    for (unsigned step = 0; step < 4; ++step, at.advance()) {
      pipe.consumer_wait(at);  // <wait>
      pipe.consumer_release(at);
    }
    mine.pass();
    mine.wait();
    mine.pass();
  }
}

// --- The cases, and what each must print ---

constexpr gpu_test::shape two_warps{1, 64}, four_warps{1, 128};

const misuse cases[] = {
    MISUSE_IN(
        (gpu_test::shape{1, 96}), state_that_skips_too_few_stages, "threads 32-63 wait at <wait>",
        "2 phases were complete before threads 32-63 waited for the first one: their states are behind those of the "
        "other threads.",
        "remedy: let the state of each thread pass all stages", "!second barrier"),
    MISUSE_IN(
        two_warps, empty_tile_without_a_commit, "stage 1 (to be filled by its producers)", "0 arrivals of 32",
        "threads 32-63 wait at <wait>", "likely cause: no producer has committed stage 1 in this round",
        ": threads 0-31 have committed 1 stage, and acquired this one, and made no call since (last call of thread 0: "
        "<acquire>); the consumers wait for number 2.",
        "remedy: let each producer commit every stage that it has acquired, on every path.", "!quit"),
    MISUSE_IN(two_warps, tile_without_a_release, "stage 0 (to be released by its consumers)", "0 arrivals of 32",
              "threads 0-31 wait at <acquire>",
              "likely cause: no consumer has released stage 0 or any other stage since init",
              ": threads 32-63 have waited for this one, and made no call since",
              "remedy: let each consumer release every stage for which it has waited, on every path, and call quit"),
    MISUSE_IN(
        two_warps, producers_that_do_not_begin, "threads 32-63 wait at <wait>",
        "and no thread has acquired a stage as a producer; threads 0-31 wait for nothing in this library (last call of "
        "thread 0: <make>)",
        "remedy: let the producers acquire each stage, and commit it"),
    MISUSE_IN(
        two_warps, wait_for_one_stage_too_many, "stage 1 (to be filled by its producers)", "0 arrivals of 32",
        "threads 32-63 wait at <wait>", "likely cause: no producer has committed stage 1 in this round",
        ": threads 0-31 have committed 3 stages, and made no call since (last call of thread 0: <commit>); the consumers "
        "wait for number 4.",
        "remedy: let both sides use equally many stages, on every path: compare how each of them computes the "
        "number.",
        "!quit", "!exited", "!fewer"),
    MISUSE_IN(
        two_warps, producer_that_leaves_without_quit, "stage 0 (to be filled by its producers)", "31 arrivals of 32",
        "threads 32-63 wait at <wait>",
        "likely cause: 31 of 32 producers have committed stage 0; thread 31 has not, and has made no call since the "
        "pipeline was made",
        "remedy: let thread 31 call quit before it leaves; or let every producer commit the stage"),
    MISUSE_IN(
        two_warps, consumers_that_leave_without_quit, "stage 0 (to be released by its consumers)", "16 arrivals of 32",
        "threads 0-31 wait at <acquire>",
        "likely cause: 16 of 32 consumers have released stage 0; threads 48-63 have not, and have made no call since "
        "the pipeline was made",
        "remedy: let threads 48-63 call quit before they leave; or let every consumer release the stage",
        "or make the pipeline for those that do"),
    MISUSE_IN(
        two_warps, consumers_that_quit_too_soon, "stage 1 (to be released by its consumers)",
        " with 32, of which 32 have dropped out: phase of parity 1, 0 arrivals of 0", "threads 0-31 wait at <acquire>",
        "likely cause: no consumer has released stage 1 since its last round: threads 32-63 have released 1 stage, and "
        "left by quit (last call of thread 32: <quit>)",
        "remedy: let both sides use equally many stages, on every path: compare how each of them computes the number; "
        "quit does not stop the other side",
        "!overwritten", "!has written"),
    MISUSE_OFTEN(
        4, two_warps, producers_that_quit_too_soon, "stage 1 (to be filled by its producers)",
        " with 32, of which 31 have dropped out", "threads 32-63 wait at <wait>",
        "likely cause: no producer has committed stage 1 in this round: threads 0-31 have committed 3 stages, and left "
        "by quit (last call of thread 0: <quit>); the consumers wait for number 4.",
        "quit does not stop the other side"),
    MISUSE_OFTEN(4, two_warps, only_producer_that_quits_too_soon, "stage 1 (to be filled by its producers)",
                 ": thread 0 has committed 3 stages, and left by quit (last call of thread 0: <quit>); the consumers "
                 "wait for number 4.",
                 "!dropped out", "!made no call"),
    MISUSE_IN(
        two_warps, group_of_consumers_with_fewer_tiles, "!In no wait of this library", "16 arrivals of 32",
        "threads 0-31 wait at <acquire>",
        "likely cause: 16 of 32 consumers have released stage 0; threads 48-63 have not, but have in earlier rounds "
        "(last call of thread 48: <release>)",
        "remedy: let every consumer release the stage, on every path, in as many rounds as the others, or call quit",
        "!make the pipeline for"),
    MISUSE_IN(two_warps, unified_pipeline_of_which_one_thread_commits, "stage 0 (to be filled by its producers)",
              "1 arrival of 64", "threads 0-63 wait at <wait>",
              "likely cause: 1 of 64 producers has committed stage 0; threads 1-63 have not",
              "remedy: let every producer commit the stage"),
    MISUSE_IN(two_warps, one_producer_of_a_warp_of_producers, "1 arrival of 32", "threads 32-63 wait at <wait>",
              "likely cause: 1 of 32 producers has committed stage 0; threads 1-31 have not",
              "remedy: let threads 1-31 call quit before they leave; or let every producer commit the stage"),
    MISUSE_IN(two_warps, roles_that_are_mixed, "pipeline::consumer_wait: this thread is a producer", "<wait>",
              "[block (0,0,0), thread ("),
    MISUSE_IN(two_warps, block_of_a_device_pipeline_that_never_commits, "stage 0 (to be filled by its producers)",
              "threads 32-63 wait at <wait>", "likely cause: 32 producers have not committed stage 0",
              "remedy: let each producer call producer_commit"),
    MISUSE_IN(four_warps, warp_that_skips_its_release, "stage 1 (to be released by its consumers)", "2 arrivals of 3",
              "thread 96 waits at <acquire>", "likely cause: 2 of 3 consumers have released stage 1; warp 2 has not",
              "remedy: let every consumer release the stage", "!quit"),
    MISUSE_IN(
        (gpu_test::shape{1, 160}), warp_that_reads_and_never_releases, "3 arrivals of 4",
        "likely cause: 3 of 4 consumers have released stage 0; warp 3 has not, and has waited for stages, but never "
        "released one (last call of thread 96: <read>)",
        "remedy: let threads 96-127 release each stage after the last read of it.", "!make the pipeline", "!quit"),
    MISUSE_IN(four_warps, ring_for_more_warps_than_consume, "stage 0 (to be released by its consumers)",
              "2 arrivals of 3", "thread 96 waits at <acquire>",
              "likely cause: 2 of 3 consumers have released stage 0; warp 2 has not, and has never used the pipeline",
              "make the pipeline for those that do", "!quit"),
    MISUSE_IN(
        four_warps, bytes_of_half_a_stage, "stage 0 (to be filled by its producers)",
        "1 arrival of 1, 256 bytes outstanding", "threads 0-95 wait at <wait>",
        "likely cause: since init, 512 bytes were expected (at <acquire>), and copies of 256 bytes were started (at <copy>)",
        "remedy: expect exactly the bytes that the copies move"),
    MISUSE_IN(
        four_warps, copy_to_the_next_stage, "1 arrival of 1, 512 bytes outstanding", "threads 0-95 wait at <wait>",
        "likely cause: since init, 512 bytes were expected (at <acquire>), and no copy was started on this barrier",
        "got copies of 512 bytes that it does not expect (at <copy>)",
        "remedy: give each copy the barrier of the stage that expects its bytes"),
    MISUSE_IN(
        four_warps, producer_whose_state_begins_anew, "thread 96 waits at <acquire>",
        "likely cause: the state of thread 96 began anew, or was not advanced: it waits for a round of stage 1 for "
        "which it has waited before; since init, it was filled 1 time, and released 1 time.",
        "remedy: declare one state for all tiles, before the loop over them", "!call consumer_release"),
    MISUSE_IN(four_warps, state_of_consumers_that_begins_anew, "threads 0-95 wait at <wait>",
              "the state of threads 0-95 began anew, or was not advanced: they wait for a round of stage 0",
              "it was filled 2 times, and released 1 time.", "remedy: declare one state for all tiles",
              "!equally many"),
    MISUSE_IN(four_warps, consumers_that_pass_over_a_stage, "threads 0-95 wait at <wait>",
              "likely cause: the state of threads 0-95 has passed over a round of stage 0: they have released "
              "stage 1 more often.",
              "remedy: advance the state once for each stage that was waited for", "!began anew"),
    MISUSE_IN(four_warps, consumers_that_advance_twice, "stage 1 (to be released by its consumers)", "0 arrivals of 3",
              "thread 96 waits at <acquire>", "threads 0-95 wait at <wait>",
              "likely cause: producers and consumers wait for each other at different stages",
              "remedy: on both sides, default-construct the state"),
    MISUSE_IN(four_warps, tail_after_a_consumer_has_left, "stage 1 (to be released by its consumers)",
              "2 arrivals of 3", "thread 96 waits at <tail>",
              "likely cause: 2 of 3 consumers have released stage 1; warp 2 has not",
              "remedy: let every consumer release the stage"),
    MISUSE_IN((gpu_test::shape{1, 256}), two_rings_of_one_line, "1 of 2 consumers has released stage 1; warp 1 has not",
              "no producer has filled stage 0 in this round: thread 192",
              "a second hang, which seems to be independent: "),
    MISUSE_IN(four_warps, turn_that_is_held_at_a_ring, "turn of group 1 in stage 0", " wait for each other: ",
              "remedy: let a group pass its turn before it waits for threads of other groups"),
    MISUSE_IN(four_warps, one_lane_that_releases_for_all, "stage 0 (to be released by its consumers)",
              "3 arrivals of 96", "thread 96 waits at <acquire>",
              "likely cause: 3 of 96 consumers have released stage 0", "one thread of each of 3 warps",
              "remedy: make the pipeline for one consumer of each warp"),
    MISUSE_IN(four_warps, producer_that_ends_a_tile_early, "stage 1 (to be filled by its producers)", "0 arrivals of 1",
              "threads 0-95 wait at <wait>",
              "likely cause: no producer has filled stage 1 in this round: thread 96 has filled ",
              "last call of thread 96: <acquire>); the consumers wait for number ",
              "remedy: let both sides use equally many stages, on every path", "!quit", "!commit", "!exited"),
    MISUSE_IN(two_warps, group_that_never_passes, "turn of group 0 in stage 0, initialized at <init> with 32",
              "0 arrivals of 32", "threads 0-31 wait at <wait>",
              "likely cause: no thread of the group before has passed its turn; threads 32-63 have taken ",
              " in this stage, and passed all but the last (last call of thread 32: <wait>)",
              "remedy: let each thread of a group call pass after each wait, on every path.", "!the parity",
              "!for parity"),
    MISUSE_IN(
        two_warps, group_with_fewer_turns, "turn of group 1 in stage 0", "threads 32-63 wait at <wait>",
        "threads 0-31 have taken and passed 1 turn in this stage (last call of thread 0: <pass>), and threads 32-63 "
        "wait for number 2",
        "remedy: let all groups take equally many turns", "!pass after each wait"),
    MISUSE_IN(two_warps, lane_that_does_not_pass, "turn of group 1 in stage 0", "31 arrivals of 32",
              "threads 32-63 wait at <wait>",
              "likely cause: only 31 of 32 threads of the group before have passed their turn; thread 7 has not",
              "last call of thread 7: <wait>", "!initialize with"),
    MISUSE_IN((gpu_test::shape{1, 96}), group_in_the_middle_that_returns, "turn of group 2 in stage 0",
              "likely cause: turn of group 2 in stage 0: the group before, threads 32-63, has never passed its turn",
              "!wait for each other"),
    MISUSE_IN(two_warps, turn_that_is_held_at_a_barrier, "turn of group 1 in stage 0", "wait for each other",
              "remedy: let a group pass its turn before it waits for threads of other groups"),
    MISUSE_IN(two_warps, group_that_never_passes_by_named_barriers, "named barrier 1", "warp 0 waits at <wait>",
              "likely cause: only 32 of 64 threads have arrived at named barrier 1; threads 32-63 have not",
              "last call of thread 32: <wait>", "remedy: let all warps that the phase counts arrive"),
    MISUSE_IN(two_warps, pass_without_a_turn,
              "turns::pass: this thread does not have the turn; call wait before each pass", "<pass>"),
    MISUSE_IN(two_warps, wait_with_a_turn, "turns::wait: this thread has the turn already; call pass", "<wait>"),
    MISUSE_IN(two_warps, group_beyond_the_last, "turns::place: there is no group of this number", "<place>"),
    MISUSE_IN(two_warps, group_that_the_block_lacks, "<init>",
              "turns::init: the block has fewer threads than all groups have"),
    MISUSE_IN(four_warps, two_groups_of_one_number, "too many arrivals", "<pass>",
              "likely cause: threads 0-63 have the number of group 0, but a group has 32 threads",
              "remedy: give each thread one place, with the number of its group: threadIdx.x / 32", "!initialize with"),
};

int main(int argc, char** argv) {
  return run_misuses(argc, argv, cases);
}
