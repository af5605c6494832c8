// The report of a hang names the mistake: barriers of a block whose phases, tokens or bytes are confused.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compiled: alone
// needs: sm90
#include "../support/misuse.h"

#include <cuda/barrier>

#include <utility>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;
using cuda::aligned_size_t;
using cuda::device::barrier_arrive_tx;
using cuda::device::barrier_expect_tx;
using cuda::device::memcpy_async_tx;

__device__ alignas(16) unsigned char source[8192];
__device__ unsigned results[1024];

// The argument is 0. It hides wrong values from the compiler.

// --- Parities ---

// Threads that see a completed phase late wait for the next one of its parity.
__global__ void parity_that_is_never_flipped(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);  // <init>
  __syncthreads();
  for (unsigned round = 0; round < 2; ++round) {
    static_cast<void>(bar.arrive());
    __syncthreads();
    bar.wait_parity(false);  // <wait>
  }
}

__global__ void parity_that_is_flipped_twice(int) {
  __shared__ block_barrier full;
  if (threadIdx.x == 0) init(&full, 32);  // <init>
  __syncthreads();
  bool parity = false;
  for (unsigned round = 0; round < 2; ++round) {
    if (threadIdx.x < 32) static_cast<void>(full.arrive());
    __syncthreads();
    if (threadIdx.x >= 32) {
      full.wait_parity(parity);  // <wait>
      parity = !parity;
      results[threadIdx.x] = round;
      parity = !parity;  // and again at the end of the loop
    }
  }
}

// With three steps in a tile, the parity is kept from the last one to the next tile. Whether an arrival becomes one too
// many, or threads wait, depends on the schedule.
__global__ void parity_kept_after_the_last_step(int) {
  __shared__ block_barrier ready, empty;
  __shared__ unsigned slot[32];
  if (threadIdx.x == 0) {
    init(&ready, 32);
    init(&empty, 32);
  }
  __syncthreads();
  const unsigned lane = threadIdx.x % 32;
  bool parity = threadIdx.x < 32;
  for (unsigned step = 0; step < 12; ++step)
    if (threadIdx.x < 32) {
      empty.wait_parity(parity);
      parity = !parity;
      slot[lane] = step;
      static_cast<void>(ready.arrive());
    } else {
      ready.wait_parity(parity);
      if (step % 3 != 2) parity = !parity;
      results[lane] += slot[lane];
      __syncwarp();  // single lanes might arrive together, which the checks see too late
      static_cast<void>(empty.arrive());
      for (unsigned part = 0; step % 3 == 2 && part < 64; ++part)
        reinterpret_cast<volatile unsigned*>(results)[lane] = part;
    }
}

// The consumer reads a number after it has given its slot back, and leaves one round early.
__global__ void number_that_is_read_too_late(int) {
  __shared__ block_barrier published, taken;
  __shared__ volatile int slot;
  if (threadIdx.x == 0) {
    init(&published, 1);
    init(&taken, 1);
  }
  __syncthreads();
  if (threadIdx.x == 0)
    for (unsigned round = 0;; ++round) {
      published.wait_parity(round % 2 != 0);
      static_cast<void>(taken.arrive());  // <arrival>
      while (round == 1 && slot >= 0) {
      }
      if (slot < 0) return;
    }
  if (threadIdx.x != 32) return;
  for (int item = 0; item < 3; ++item) {
    if (item != 0) taken.wait_parity(item % 2 == 0);
    slot = item == 2 ? -1 : item;
    static_cast<void>(published.arrive());
  }
  taken.wait_parity(false);  // <wait>
}

// The stage is empty at first, so that the producer must not wait in the first round.
__global__ void first_parity_of_the_producer(int) {
  __shared__ block_barrier full, empty;
  if (threadIdx.x == 0) {
    init(&full, 1);    // <full>
    init(&empty, 32);  // <empty>
  }
  __syncthreads();
  bool parity = false;
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0) {
      empty.wait_parity(parity);  // <producer>
      static_cast<void>(full.arrive());
    }
  } else {
    full.wait_parity(parity);  // <consumer>
    static_cast<void>(empty.arrive());
  }
}

__global__ void producer_with_one_round_fewer(int) {
  __shared__ block_barrier full;
  if (threadIdx.x == 0) init(&full, 32);  // <init>
  __syncthreads();
  if (threadIdx.x < 32)
    for (unsigned tile = 0; tile < 3; ++tile) {
      static_cast<void>(full.arrive());
      full.wait_parity(tile % 2 != 0);  // <last>
    }
  __syncthreads();
  bool parity = true;
  if (threadIdx.x >= 32)
    for (unsigned tile = 3; tile < 4; ++tile, parity = !parity)
      full.wait_parity(parity);  // <wait>
}

// The producer advances its index, and then arrives: at the barrier of the next stage. Or it leaves out an arrival.
__device__ void ring_of_arrivals(block_barrier (&full)[3], bool is_late, unsigned without) {
  if (threadIdx.x < 3) init(&full[threadIdx.x], 32);
  __syncthreads();
  for (unsigned tile = 0; tile < 8; ++tile) {
    __syncwarp();
    if (threadIdx.x >= 32)
      full[tile % 3].wait_parity(tile / 3 % 2 != 0);
    else if (tile != without)
      static_cast<void>(full[(tile + is_late) % 3].arrive());
  }
}
__global__ void arrival_after_the_index_is_advanced(int) {
  __shared__ block_barrier full[3];
  ring_of_arrivals(full, true, 8);
}
__global__ void tile_whose_arrival_is_left_out(int) {
  __shared__ block_barrier full[3];
  ring_of_arrivals(full, false, 6);
}

__global__ void wait_for_a_phase_that_nobody_begins(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);  // <init>
  __syncthreads();
  static_cast<void>(bar.arrive());
  bar.wait_parity(false);
  __syncthreads();
  bar.wait_parity(true);  // <wait>
}

// All lanes of a warp wait together at first, and later one after another.
__global__ void waits_together_and_apart(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, 32);  // <init>
  __syncthreads();
  if (threadIdx.x < 32) {
    __syncwarp();
    bar.wait_parity(true);  // the phase before the first one
  }
  __syncthreads();
  if (threadIdx.x >= 32) static_cast<void>(bar.arrive());
  __syncthreads();
  for (unsigned lane = 0; lane < 32; ++lane)
    if (threadIdx.x == lane) {
      bar.wait_parity(false);
      bar.wait_parity(true);  // <wait>
    }
}

__global__ void parity_kept_together(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, 32);  // <init>
  __syncthreads();
  if (threadIdx.x >= 32) static_cast<void>(bar.arrive());
  __syncthreads();
  if (threadIdx.x < 32) {
    __syncwarp();
    bar.wait_parity(false);
  }
  __syncthreads();
  if (threadIdx.x >= 32) static_cast<void>(bar.arrive());
  __syncthreads();
  if (threadIdx.x < 32) {
    __syncwarp();
    bar.wait_parity(false);  // <wait>
  }
}

__global__ void parity_kept_by_lanes_apart(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, 32);  // <init>
  __syncthreads();
  for (unsigned round = 0; round < 2; ++round) {
    if (threadIdx.x >= 32) static_cast<void>(bar.arrive());
    __syncthreads();
    if (threadIdx.x < 32 && round == 0) {
      __syncwarp();
      bar.wait_parity(false);
    }
  }
  for (unsigned lane = 0; lane < 32; ++lane)
    if (threadIdx.x == lane) bar.wait_parity(false);  // <wait>
}

// --- Tokens ---

__global__ void token_of_an_earlier_phase(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);  // <init>
  __syncthreads();
  auto first = bar.arrive();
  auto copy = first;
  bar.wait(std::move(first));
  __syncthreads();
  bar.arrive_and_wait();  // <last>
  __syncthreads();
  bar.wait(std::move(copy));  // <wait>
}

__global__ void token_of_one_of_two_barriers(int) {
  __shared__ block_barrier loaded, stored;
  if (threadIdx.x == 0) {
    init(&loaded, blockDim.x);
    init(&stored, blockDim.x);
  }
  __syncthreads();
  loaded.arrive_and_wait();
  stored.arrive_and_wait();
  loaded.arrive_and_wait();
  auto token = stored.arrive();
  auto copy = token;
  stored.wait(std::move(token));
  stored.arrive_and_wait();
  __syncthreads();
  stored.wait(std::move(copy));  // <wait>
}

__global__ void token_of_another_barrier(int) {
  __shared__ block_barrier loaded, stored;
  if (threadIdx.x == 0) {
    init(&loaded, blockDim.x);
    init(&stored, blockDim.x);  // <init>
  }
  __syncthreads();
  auto token = loaded.arrive();
  stored.wait(std::move(token));  // <wait>
}

// --- Orders ---

__global__ void opposite_orders(int) {
  __shared__ block_barrier a, b;
  if (threadIdx.x == 0) {
    init(&a, blockDim.x);  // <a>
    init(&b, blockDim.x);  // <b>
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    a.arrive_and_wait();  // <first>
    b.arrive_and_wait();
  } else {
    b.arrive_and_wait();  // <second>
    a.arrive_and_wait();
  }
}

// Warp 0 waits for warp 1, which waits for warp 2, which has left.
__global__ void cause_at_the_end_of_a_chain(int) {
  __shared__ block_barrier a, b;
  if (threadIdx.x == 0) {
    init(&a, 64);  // <a>
    init(&b, 64);  // <b>
  }
  __syncthreads();
  if (threadIdx.x < 32) a.arrive_and_wait();  // <first>
  if (threadIdx.x / 32 == 1) {
    b.arrive_and_wait();  // <second>
    a.arrive_and_wait();
  }
}

__global__ void producer_that_takes_the_wrong_branch(int) {
  __shared__ block_barrier full;
  if (threadIdx.x == 0) init(&full, 32);  // <init>
  __syncthreads();
  if (threadIdx.x < 32) {
    if (threadIdx.x == 40) static_cast<void>(full.arrive());
    return;
  }
  full.wait_parity(false);  // <wait>
}

// --- Bytes ---

#define BLOCK_OF_64(BAR, COUNT)                    \
  __shared__ block_barrier BAR;                    \
  alignas(16) __shared__ unsigned char tile[4096]; \
  if (threadIdx.x == 0) init(&BAR, COUNT);         \
  __syncthreads()

__global__ void more_bytes_expected_than_copied(int) {
  BLOCK_OF_64(full, 1);  // <init>
  if (threadIdx.x == 0) {
    static_cast<void>(barrier_arrive_tx(full, 1, 4096));            // <expected>
    memcpy_async_tx(tile, source, aligned_size_t<16>(2048), full);  // <copy>
  }
  full.wait_parity(false);  // <wait>
}

__global__ void fewer_bytes_expected_than_copied(int) {
  BLOCK_OF_64(full, 1);  // <init>
  if (threadIdx.x == 0) {
    // Elements instead of bytes. A copy counts multiples of 16 bytes, so no part of it completes the phase.
    static_cast<void>(barrier_arrive_tx(full, 1, 1000));            // <expected>
    memcpy_async_tx(tile, source, aligned_size_t<16>(4000), full);  // <copy>
  }
  full.wait_parity(false);  // <wait>
}

// The bytes of boxes of a tensor map are not known either.
__global__ void fewer_bytes_expected_than_copied_by_ptx(int) {
  BLOCK_OF_64(full, 1);  // <init>
  if (threadIdx.x == 0) {
    static_cast<void>(barrier_arrive_tx(full, 1, 1000));
    cudasync::ptx::cp_async_bulk(cudasync::ptx::to_shared(tile), source, 4000,
                                 cudasync::ptx::to_shared(cuda::device::barrier_native_handle(full)));
  }
  full.wait_parity(false);  // <wait>
}

__global__ void bytes_that_nobody_expects(int) {
  BLOCK_OF_64(full, 1);  // <init>
  if (threadIdx.x == 0) {
    memcpy_async_tx(tile, source, aligned_size_t<16>(1024), full);  // <copy>
    gpu_test::pause(50000);                                         // until they are there
    static_cast<void>(full.arrive());
  }
  full.wait_parity(false);  // <wait>
}

__global__ void expectation_without_an_arrival(int) {
  BLOCK_OF_64(full, 1);  // <init>
  if (threadIdx.x == 0) {
    barrier_expect_tx(full, 1024);  // <expected>
    memcpy_async_tx(tile, source, aligned_size_t<16>(1024), full);
  }
  full.wait_parity(false);  // <wait>
}

// A row of two chunks, and one of a single chunk, whose call does not arrive. All threads wait.
__global__ void row_of_a_single_chunk(int) {
  BLOCK_OF_64(full, 1);
  for (unsigned chunk = 0; chunk < 3; ++chunk) {
    if (threadIdx.x == 0 && chunk < 2) static_cast<void>(barrier_arrive_tx(full, 1, 1024));
    if (threadIdx.x == 0 && chunk == 2) barrier_expect_tx(full, 512);  // <expected>
    if (threadIdx.x == 0) memcpy_async_tx(tile, source, aligned_size_t<16>(chunk < 2 ? 1024 : 512), full);
    full.wait_parity(chunk % 2 != 0);  // <wait>
    __syncthreads();
  }
}

// The producer expects the bytes of each tile by a call of its own, arrives, and makes a round fewer.
__global__ void expectations_of_a_round_fewer(int) {
  BLOCK_OF_64(full, 1);
  for (unsigned chunk = 0; chunk < 4; ++chunk) {
    if (threadIdx.x == 0 && chunk < 3) {
      barrier_expect_tx(full, 512);
      barrier_expect_tx(full, 512);
      static_cast<void>(full.arrive());
      memcpy_async_tx(tile, source, aligned_size_t<16>(1024), full);
    }
    full.wait_parity(chunk % 2 != 0);  // <wait>
    __syncthreads();
  }
}

__global__ void copy_that_completes_on_another_stage(int) {
  __shared__ block_barrier full[2];
  alignas(16) __shared__ unsigned char tile[1024];
  if (threadIdx.x == 0) {
    init(&full[0], 1);  // <init0>
    init(&full[1], 1);  // <init1>
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    static_cast<void>(barrier_arrive_tx(full[0], 1, 1024));            // <expected>
    memcpy_async_tx(tile, source, aligned_size_t<16>(1024), full[1]);  // <copy>
  }
  full[0].wait_parity(false);  // <wait>
}

// A copy that is right comes after it.
__global__ void copies_of_both_stages_on_one(int) {
  __shared__ block_barrier full[2];
  alignas(16) __shared__ unsigned char tile[1024];
  if (threadIdx.x == 0) {
    init(&full[0], 1);
    init(&full[1], 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    static_cast<void>(barrier_arrive_tx(full[0], 1, 1024));
    memcpy_async_tx(tile, source, aligned_size_t<16>(1024), full[1]);  // <copy>
    static_cast<void>(barrier_arrive_tx(full[1], 1, 1024));
    memcpy_async_tx(tile, source, aligned_size_t<16>(1024), full[1]);
  }
  full[0].wait_parity(false);
}

__global__ void size_that_is_rounded_up(int zero) {
  BLOCK_OF_64(full, 1);  // <init>
  if (threadIdx.x == 0) {
    const int bytes = 1000 + zero;
    static_cast<void>(barrier_arrive_tx(full, 1, bytes));                                                  // <expected>
    memcpy_async_tx(tile, source, aligned_size_t<16>(static_cast<size_t>((bytes + 15) / 16 * 16)), full);  // <copy>
  }
  full.wait_parity(false);  // <wait>
}

// Each lane expects the bytes of the whole tile, which one lane copies.
__global__ void bytes_expected_by_every_lane(int) {
  BLOCK_OF_64(full, 32);  // <init>
  if (threadIdx.x < 32) {
    static_cast<void>(barrier_arrive_tx(full, 1, 1024));  // <expected>
    if (threadIdx.x == 0) memcpy_async_tx(tile, source, aligned_size_t<16>(1024), full);
  }
  full.wait_parity(false);  // <wait>
}

// The next round begins before the bytes of this one are there.
__global__ void arrival_while_bytes_are_outstanding(int) {
  __shared__ block_barrier full;
  if (threadIdx.x == 0) init(&full, 1);  // <init>
  __syncthreads();
  if (threadIdx.x == 0) {
    static_cast<void>(barrier_arrive_tx(full, 1, 1024));
    static_cast<void>(barrier_arrive_tx(full, 1, 1024));  // <again>
  }
  full.wait_parity(false);
}

// A thread for each operand expects the bytes of its copy.
__global__ void two_loaders_of_which_one_is_counted(int) {
  __shared__ block_barrier full;
  if (threadIdx.x == 0) init(&full, 1);  // <init>
  __syncthreads();
  if (threadIdx.x % 32 == 0) static_cast<void>(barrier_arrive_tx(full, 1, 1024));  // <expect>
  full.wait_parity(false);
}

// The consumers count as arrivals although the bytes are all that completes the phase.
__global__ void count_that_includes_the_consumers(int) {
  BLOCK_OF_64(full, 64);  // <init>
  if (threadIdx.x == 0) {
    static_cast<void>(barrier_arrive_tx(full, 1, 1024));  // <expected>
    memcpy_async_tx(tile, source, aligned_size_t<16>(1024), full);
  }
  full.wait_parity(false);  // <wait>
}

// --- The cases, and what each must print ---

constexpr gpu_test::shape two_warps{1, 64}, three_warps{1, 96};

const misuse cases[] = {
    MISUSE_OFTEN(16, two_warps, parity_kept_after_the_last_step, "likely cause: ", "was not flipped"),
    MISUSE_IN(two_warps, number_that_is_read_too_late, "thread 32 waits at <wait> for parity 0",
              "2 phases are complete, and no thread has arrived in the next one", "last call of thread 0: <arrival>",
              "make as many rounds as those that wait, on every path",
              "; if a value ends their loop, let them read it before the arrival after which it is replaced."),
    MISUSE_IN(
        two_warps, parity_that_is_never_flipped, "initialized at <init> with 64: phase of parity 0, 0 arrivals of 64",
        "wait at <wait> for parity 0",
        "likely cause: the parity was not flipped: this is wait number 2 for parity 0 in a row at this barrier, and 2 phases are complete",
        "remedy: flip the parity once after each wait"),
    MISUSE_IN(two_warps, parity_that_is_flipped_twice,
              "initialized at <init> with 32: phase of parity 0, 0 arrivals of 32",
              "threads 32-63 wait at <wait> for parity 0",
              "likely cause: the parity was not flipped: this is wait number 2 for parity 0",
              "remedy: flip the parity once after each wait"),
    MISUSE_IN(two_warps, row_of_a_single_chunk, "0 arrivals of 1", "threads 0-63 wait at <wait>",
              "likely cause: 512 bytes are expected (at <expected>), but no thread has arrived in this phase",
              "remedy: barrier_expect_tx does not arrive: call barrier_arrive_tx, or arrive as well.", "!rounds"),
    MISUSE_IN(two_warps, expectations_of_a_round_fewer, "0 arrivals of 1",
              "likely cause: 3 phases are complete, and no thread has arrived in the next one",
              "remedy: let the threads that arrive make as many rounds as those that wait, on every path.",
              "!does not arrive", "!flip"),
    MISUSE_IN(two_warps, first_parity_of_the_producer,
              "initialized at <empty> with 32: phase of parity 0, 0 arrivals of 32", "initialized at <full> with 1",
              "thread 0 waits at <producer> for parity 0", "threads 32-63 wait at <consumer>", "likely cause: thread",
              " wait for each other, and no phase of these barriers was ever completed", "remedy: begin with parity 1"),
    MISUSE_IN(
        two_warps, producer_with_one_round_fewer, "initialized at <init> with 32: phase of parity 1, 0 arrivals of 32",
        "threads 32-63 wait at <wait> for parity 1",
        "likely cause: 3 phases are complete, and no thread has arrived in the next one",
        "last call of thread 0: <last>", "remedy: let the threads that arrive make as many rounds as those that wait"),
    MISUSE_IN(two_warps, arrival_after_the_index_is_advanced, "threads 32-63 wait at ",
              "phase of parity 0, 0 arrivals of 32",
              "the phase of this wait: thread 0 has arrived 2 times here, and 3 times at barrier at 0x",
              ", ahead of the waits there: it began with a later barrier of the array, or left out an arrival here",
              "remedy: let both sides begin with the same barrier", "!rounds"),
    MISUSE_IN(two_warps, tile_whose_arrival_is_left_out, "threads 32-63 wait at ",
              "the phase of this wait: thread 0 has arrived 2 times here, and 3 times at barrier at 0x",
              "or left out an arrival here", "let no branch leave an arrival out", "!rounds"),
    MISUSE_IN(two_warps, wait_for_a_phase_that_nobody_begins, "phase of parity 1, 0 arrivals of 64",
              "wait at <wait> for parity 1",
              "likely cause: 1 phase is complete, and no thread has arrived in the next one",
              "remedy: let the threads that arrive make as many rounds as those that wait"),
    MISUSE_IN(two_warps, waits_together_and_apart, "wait at <wait> for parity 1",
              "likely cause: 1 phase is complete, and no thread has arrived in the next one, the phase of this wait"),
    MISUSE_IN(two_warps, parity_kept_together, "threads 0-31 wait at <wait> for parity 0",
              "likely cause: the parity was not flipped: this is wait number 2 for parity 0 in a row at this barrier"),
    MISUSE_IN(two_warps, parity_kept_by_lanes_apart, "at <wait> for parity 0",
              "likely cause: the parity was not flipped: this is wait number 2 for parity 0 in a row at this barrier"),
    MISUSE_IN(two_warps, token_of_an_earlier_phase,
              "initialized at <init> with 64: phase of parity 0, 0 arrivals of 64", "wait at <wait>",
              "likely cause: the token is of an earlier phase: thread ",
              " has made 2 arrivals here, one in each complete "
              "phase, none at another barrier, and does not wait with the token of the last one",
              "remedy: wait once for each token", "token = bar.arrive()", "!or another barrier"),
    MISUSE_IN(two_warps, token_of_one_of_two_barriers, "wait at <wait>",
              "likely cause: the token does not belong to this phase, in which thread", "has not arrived",
              "remedy: wait for each token at its own barrier, before the next arrival"),
    MISUSE_IN(two_warps, token_of_another_barrier, "initialized at <init> with 64: phase of parity 0, 0 arrivals of 64",
              "wait at <wait>", "likely cause: the token belongs to another barrier", "never arrived at this one",
              "remedy: wait for each token at its own barrier"),
    MISUSE_IN(two_warps, opposite_orders, "initialized at <a> with 64", "initialized at <b> with 64",
              "threads 0-31 wait at <first>", "threads 32-63 wait at <second>", "32 arrivals of 64",
              "likely cause: threads ", " wait for each other: threads ",
              "remedy: let all threads use the barriers in the same order"),
    MISUSE_IN(three_warps, cause_at_the_end_of_a_chain, "threads 0-31 wait at <first>",
              "threads 32-63 wait at <second>",
              "likely cause: ", "threads 64-95 have not arrived in this phase: they still compute, exited",
              "call arrive_and_drop before it leaves"),
    MISUSE_IN(two_warps, producer_that_takes_the_wrong_branch, "initialized at <init> with 32", "0 arrivals of 32",
              "threads 32-63 wait at <wait>", "likely cause: no thread has arrived since init",
              "remedy: let the threads that are counted arrive"),
    MISUSE_IN(
        two_warps, more_bytes_expected_than_copied,
        "initialized at <init> with 1: phase of parity 0, 1 arrival of 1, 2048 bytes outstanding",
        "threads 0-63 wait at <wait>",
        "likely cause: since init, 4096 bytes were expected (at <expected>), and copies of 2048 bytes were started (at <copy>)",
        "; 2048 bytes more are expected than the copies bring",
        "remedy: expect exactly the bytes that the copies move.", "!start every copy"),
    MISUSE_IN(
        two_warps, fewer_bytes_expected_than_copied, "1 arrival of 1, 3000 bytes more than expected",
        "threads 0-63 wait at <wait>",
        "likely cause: since init, 1000 bytes were expected (at <expected>), and copies of 4000 bytes were started (at <copy>)",
        "remedy: expect exactly the bytes that the copies move"),
    MISUSE_IN(
        two_warps, fewer_bytes_expected_than_copied_by_ptx, "1 arrival of 1, 3000 bytes more than expected",
        "threads 0-63 wait at <wait>",
        "likely cause: all arrivals have been made, but 3000 bytes more have been copied than expected; copies of "
        "other blocks, or of boxes of a tensor map, whose bytes are not known here, complete on this barrier",
        "remedy: let each block expect exactly the bytes that are copied to it"),
    MISUSE_IN(two_warps, bytes_that_nobody_expects, "1 arrival of 1, 1024 bytes more than expected",
              "threads 0-63 wait at <wait>",
              "likely cause: since init, no bytes were expected, and copies of 1024 bytes were started (at <copy>)",
              "remedy: arrive with barrier_arrive_tx, or call barrier_expect_tx before the last arrival"),
    MISUSE_IN(two_warps, expectation_without_an_arrival,
              "initialized at <init> with 1: phase of parity 0, 0 arrivals of 1", "threads 0-63 wait at <wait>",
              "likely cause: 1024 bytes are expected (at <expected>), but no thread has arrived",
              "remedy: barrier_expect_tx does not arrive: call barrier_arrive_tx, or arrive as well"),
    MISUSE_IN(
        two_warps, copy_that_completes_on_another_stage,
        "initialized at <init0> with 1: phase of parity 0, 1 arrival of 1, 1024 bytes outstanding",
        "likely cause: since init, 1024 bytes were expected (at <expected>), and no copy was started on this barrier",
        "initialized at <init1>) got copies of 1024 bytes that it does not expect (at <copy>)",
        "remedy: give each copy the barrier of the stage that expects its bytes"),
    MISUSE_IN(two_warps, copies_of_both_stages_on_one, "got copies of 1024 bytes that it does not expect (at <copy>)"),
    MISUSE_IN(
        two_warps, size_that_is_rounded_up, "1 arrival of 1, 8 bytes more than expected",
        "likely cause: since init, 1000 bytes were expected (at <expected>), and copies of 1008 bytes were started (at <copy>)",
        "rounded", "remedy: expect exactly the bytes that the copies move"),
    MISUSE_IN(
        two_warps, bytes_expected_by_every_lane, "32 arrivals of 32, 31744 bytes outstanding",
        "likely cause: since init, 32768 bytes were expected (at <expected>), and copies of 1024 bytes were started",
        "32 calls expect bytes, and 1 copies them", "remedy: let one thread expect the bytes"),
    MISUSE_IN(two_warps, arrival_while_bytes_are_outstanding, "too many arrivals", "at <again>",
              "init was given 1 (at <init>)",
              "likely cause: all arrivals of the phase have been made, and it waits for 1024 bytes that no copy writes",
              "remedy: wait for the phase before you arrive in the next one"),
    MISUSE_IN(two_warps, two_loaders_of_which_one_is_counted, "too many arrivals", "at <expect>",
              "likely cause: threads 0, 32 arrive, but init was given 1",
              "remedy: initialize with 2, the number of threads that arrive",
              "not certain; another possible cause: all arrivals of the phase have been made"),
    MISUSE_IN(two_warps, count_that_includes_the_consumers,
              "initialized at <init> with 64: phase of parity 0, 1 arrival of 64", "threads 0-63 wait at <wait>",
              "likely cause: only thread 0 arrives, but init was given 64", "initialize with 1."),
};

int main(int argc, char** argv) {
  return run_misuses(argc, argv, cases);
}
