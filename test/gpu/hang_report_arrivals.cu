// The report of a hang names the mistake: barriers whose arrivals are too few, too many, or another thread's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compiled: alone
// needs: sm90
#include "../support/misuse.h"

#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

#include <utility>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;
using cluster_wide = cuda::barrier<cuda::thread_scope_cluster>;
using device_barrier = cuda::barrier<cuda::thread_scope_device>;

__device__ device_barrier of_all_blocks;
__device__ unsigned results[1024];

// The argument is 0. It hides wrong values from the compiler.

// --- While another report is written ---

__device__ void await_report() {
  while (cudasync::checked::shared_by_all(cudasync::checked::controls.reporters) == 0)
    __nanosleep(1000);
}
// What the first warp waits for comes during its report.
__global__ void updates_during_a_report(int) {
  __shared__ block_barrier bar, of_two;
  if (threadIdx.x == 0) {
    init(&bar, 1);
    init(&of_two, 2);
  }
  __syncthreads();
  if (threadIdx.x < 32) bar.wait_parity(false);
  if (threadIdx.x != 32 && threadIdx.x != 64) return;
  await_report();
  static_cast<void>(threadIdx.x == 32 ? bar.arrive() : of_two.arrive(3));  // <arrival>
}

// --- Some lanes of a warp arrive together ---

// Four lanes of each of two warps arrive in a phase, in the end five.
__global__ void five_lanes_in_place_of_four(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, 8);
  __syncthreads();
  const unsigned lane = threadIdx.x % 32;
  for (unsigned round = 0; round < 12; ++round) {
    if (lane / 4 == round % 2) static_cast<void>(bar.arrive());
    __syncthreads();
  }
  if (lane < 5) static_cast<void>(bar.arrive());  // <arrival>
  __syncthreads();
  bar.wait_parity(true);  // the lanes may have arrived one after the other
}

// --- The count ---

__global__ void count_of_a_larger_block(int) {  // launched with 128 threads instead of 160
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, 160);  // <init>
  __syncthreads();
  results[threadIdx.x] = threadIdx.x;
  bar.arrive_and_wait();  // <wait>
}

// Each pair of warps has a barrier, and the last warp has no partner.
__global__ void warp_without_a_partner(int) {
  __shared__ block_barrier of_pair[3];
  if (threadIdx.x < 3) init(&of_pair[threadIdx.x], 64);
  __syncthreads();
  of_pair[threadIdx.x / 64].arrive_and_wait();  // <wait>
}

// The producer waits until the consumers have read the stage. It is not one of them.
__global__ void count_that_includes_the_producer(int) {
  __shared__ block_barrier empty;
  if (threadIdx.x == 0) init(&empty, blockDim.x);  // <init>
  __syncthreads();
  if (threadIdx.x < 32)
    empty.wait_parity(false);  // <wait>
  else
    static_cast<void>(empty.arrive());
}

__global__ void count_of_warps_for_arrivals_of_threads(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x / 32);  // <init>
  __syncthreads();
  bar.arrive_and_wait();  // <wait>
}

__global__ void count_of_one_warp_less(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, 96);  // <init>
  __syncthreads();
  bar.arrive_and_wait();  // <wait>
}

__global__ void count_of_threads_for_arrivals_of_warps(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);  // <init>
  __syncthreads();
  if (threadIdx.x % 32 == 0) static_cast<void>(bar.arrive());  // <arrival>
  bar.wait_parity(false);                                      // <wait>
}

__global__ void lanes_that_wait_before_a_shuffle(int) {
  __shared__ block_barrier loaded[3];
  block_barrier& mine = loaded[threadIdx.x / 32];
  if (threadIdx.x % 32 == 0) init(&mine, 32);
  __syncwarp();
  unsigned value = threadIdx.x;
  if (threadIdx.x % 32 == 0) mine.arrive_and_wait();  // <wait_of_each>
  value = __shfl_sync(~0u, value, 0);
  if (threadIdx.x % 32 != 0) mine.arrive_and_wait();
  results[threadIdx.x] = value;
}
__global__ void lane_that_waits_before_a_shuffle(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, 32);  // <init>
  __syncthreads();
  int value = 7;
  if (threadIdx.x == 0) bar.arrive_and_wait();  // <wait>
  value = __shfl_sync(~0u, value, 0);
  if (threadIdx.x != 0) bar.arrive_and_wait();
}
__global__ void count_of_threads_for_one_arrival(int) {
  __shared__ block_barrier ready;
  if (threadIdx.x == 0) init(&ready, blockDim.x);  // <init>
  __syncthreads();
  if (threadIdx.x == 0) static_cast<void>(ready.arrive());
  ready.wait_parity(false);  // <wait>
}

// A leader arrives for its warp, and for one lane too few.
__global__ void update_that_is_one_short(int zero) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);  // <init>
  __syncthreads();
  if (threadIdx.x % 32 == 0) static_cast<void>(bar.arrive(31 + zero));  // <arrival>
  bar.wait_parity(false);                                               // <wait>
}

// --- Arrivals too many ---

__global__ void thread_that_arrives_twice(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);  // <init>
  __syncthreads();
  if (threadIdx.x == 0) static_cast<void>(bar.arrive());  // "the data is ready"
  if (threadIdx.x < 32) __nanosleep(100000);              // so that its warp is the last one
  bar.arrive_and_wait();                                  // <wait>
}

// All lanes arrive, where one for each warp is expected, and only in the second round.
__global__ void lanes_that_forgot_the_election(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, 4);
  __syncthreads();
  if (threadIdx.x % 32 == 0) static_cast<void>(bar.arrive());
  bar.wait_parity(false);
  static_cast<void>(bar.arrive());  // <arrival>
  bar.wait_parity(true);
}

__global__ void arrival_after_a_drop(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);  // <init>
  __syncthreads();
  if (threadIdx.x >= 32)
    bar.arrive_and_drop();  // and goes on
  else
    bar.arrive_and_wait();
  __syncthreads();
  if (threadIdx.x < 16) static_cast<void>(bar.arrive());
  __syncthreads();
  if (threadIdx.x >= 32) static_cast<void>(bar.arrive());  // <again>
  __syncthreads();
  if (threadIdx.x >= 16 && threadIdx.x < 32) static_cast<void>(bar.arrive());
}

// All arrivals are checked after a second drop, also those of threads that have made many.
__global__ void second_drop_after_many_rounds(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (unsigned round = 0; round < 6; ++round)
    bar.arrive_and_wait();
  if (threadIdx.x >= 64) {
    bar.arrive_and_drop();
    bar.arrive_and_drop();
  }
  __syncthreads();
  if (threadIdx.x >= 64) return;
  for (unsigned round = 0; round < 4; ++round)
    bar.arrive_and_wait();
}

// --- Initialization ---

// Both warps call it at the same time.
__device__ __noinline__ void meet_in_a_warp() {
  __shared__ block_barrier bar;
  if (threadIdx.x % 32 == 0) init(&bar, 32);
  __syncthreads();
  bar.arrive_and_wait();
}
__global__ void inits_at_the_same_time(int) {
  meet_in_a_warp();
}

__global__ void barrier_without_init(int) {
  __shared__ block_barrier bar;
  bar.arrive_and_wait();  // <wait>
}

__global__ void arrival_before_init(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) {
    gpu_test::pause(300000);  // until the other warp has come
    init(&bar, blockDim.x);
  }
  bar.arrive_and_wait();  // <wait>
}

// A loop initializes its barrier anew for each tile.
__global__ void init_in_the_loop(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (unsigned tile = 0; tile < 2; ++tile) {
    if (threadIdx.x == 0 && tile == 1) {
      gpu_test::pause(20000);  // so that the other warp has come
      init(&bar, blockDim.x);  // <again>
    }
    bar.arrive_and_wait();  // <wait>
  }
}

// --- Threads that do not come ---

__global__ void warp_that_returns_before_it_arrives(int zero) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, 4);
  __syncthreads();
  if (threadIdx.x / 32 == 2 + static_cast<unsigned>(zero)) return;
  if (threadIdx.x % 32 == 0) static_cast<void>(bar.arrive());
  bar.wait_parity(false);  // <wait>
}
__global__ void early_return(int zero) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);  // <init>
  __syncthreads();
  if (threadIdx.x >= 70u + static_cast<unsigned>(zero)) return;
  bar.arrive_and_wait();  // <wait>
}

// Threads 64-95 have used another barrier, threads 32-63 none.
__global__ void warps_without_a_call(int) {
  __shared__ block_barrier bar, other;
  if (threadIdx.x == 96) {
    init(&bar, 128);
    init(&other, 32);
  }
  __syncthreads();
  if (threadIdx.x >= 96) bar.arrive_and_wait();                        // <wait>
  if (threadIdx.x >= 64 && threadIdx.x < 96) other.arrive_and_wait();  // <other>
}

__device__ void arrive_by_hand(block_barrier& bar) {
  asm volatile("{ .reg .b64 token; mbarrier.arrive.shared.b64 token, [%0]; }" ::"l"(__cvta_generic_to_shared(&bar))
               : "memory");
}
__device__ block_barrier& with_arrivals_by_hand(unsigned arrivals) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, 64);
  __syncthreads();
  if (threadIdx.x < arrivals) arrive_by_hand(bar);
  return bar;
}
__global__ void arrivals_by_hand(int) {
  block_barrier& bar = with_arrivals_by_hand(32);
  if (threadIdx.x >= 32) bar.wait_parity(false);
}
__global__ void arrivals_by_hand_before_a_wait_of_all(int) {
  with_arrivals_by_hand(32).wait_parity(false);
}
__global__ void some_arrivals_by_hand(int) {
  block_barrier& bar = with_arrivals_by_hand(16);
  if (threadIdx.x >= 32 && threadIdx.x < 56) static_cast<void>(bar.arrive());
  if (threadIdx.x >= 32) bar.wait_parity(false);
}

// A thread arrives by an instruction, and then with all others.
__global__ void arrival_by_the_handle_and_again(int) {
  block_barrier& bar = with_arrivals_by_hand(1);
  bar.arrive_and_wait();  // <arrive>
}
// The bytes come late, so that the phase still waits for them when the last thread arrives.
__global__ void bytes_that_are_expected_by_an_arrival(int) {
  __shared__ block_barrier full;
  if (threadIdx.x == 0) init(&full, 32);  // <init>
  __syncwarp();
  if (threadIdx.x == 0)
    cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta, cuda::ptx::space_shared,
                                         cuda::device::barrier_native_handle(full), 16);
  __syncwarp();
  if (threadIdx.x < 31) static_cast<void>(full.arrive());
  __syncwarp();
  if (threadIdx.x == 31) full.arrive_and_wait();  // <arrive>
}
// The last thread arrives in the phase after that of the others.
__global__ void arrival_by_the_handle_in_place_of_the_last(int) {
  block_barrier& bar = with_arrivals_by_hand(1);
  __syncthreads();
  if (threadIdx.x != 63) bar.arrive_and_wait();
  __syncthreads();
  if (threadIdx.x == 63) bar.arrive_and_wait();  // <wait>
}
__global__ void arrival_by_the_handle_in_the_last_round(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, 32);  // <init>
  __syncwarp();
  for (unsigned round = 0; round < 7; ++round) {
    if (round == 6 && threadIdx.x == 5) arrive_by_hand(bar);
    __syncwarp();
    bar.arrive_and_wait();  // <arrive>
  }
}

__global__ void early_return_in_the_second_round(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);  // <init>
  __syncthreads();
  bar.arrive_and_wait();  // <first>
  if (threadIdx.x >= 64) return;
  bar.arrive_and_wait();  // <wait>
}

// The second arrival of each round is left out.
__global__ void warp_that_continues_before_the_second_arrival(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (unsigned round = 0; round < 3; ++round) {
    bar.arrive_and_wait();  // <read>
    if (threadIdx.x < 32) continue;
    bar.arrive_and_wait();  // <write>
  }
}
__global__ void wait_without_its_arrival(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (unsigned round = 0; round < 2; ++round) {
    if (round == 0 || threadIdx.x >= 32) static_cast<void>(bar.arrive());
    bar.wait_parity(round % 2 != 0);  // <wait>
  }
}

__global__ void branch_without_an_arrival(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);  // <init>
  __syncthreads();
  if (threadIdx.x % 2 == 0)
    bar.arrive_and_wait();  // <wait>
  else
    results[threadIdx.x] = 1;
  __syncthreads();
}

// --- Other scopes, and completion functions ---

struct counts_rounds {
  __device__ void operator()() { ++*rounds; }
  unsigned* rounds;
};
__global__ void completion_that_never_runs(int) {
  __shared__ cuda::barrier<cuda::thread_scope_block, counts_rounds> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x, counts_rounds{results});
  __syncthreads();
  for (unsigned round = 0; round < 3 && (round < 2 || threadIdx.x < 60); ++round)
    bar.arrive_and_wait();  // <wait>
}

__global__ void initialize_for_all_threads(int threads) {
  init(&of_all_blocks, threads);
}
__global__ void one_arrival_of_each_block(int) {
  if (threadIdx.x == 0) static_cast<void>(of_all_blocks.arrive());
  of_all_blocks.wait_parity(false);  // <wait>
}
void run_one_arrival_of_each_block() {
  gpu_test::run(initialize_for_all_threads, {1, 1}, 128);
  gpu_test::run(one_arrival_of_each_block, {4, 32}, 0);
}

// Two blocks: each tells the other that its tile is there. The second one forgets.
__global__ void remote_arrival_that_never_comes(int) {
  __shared__ cluster_wide ready;
  const auto cluster = cudasync::this_cluster();
  cudasync::init_barriers(cluster, cudasync::expects(ready, 2));  // <init>
  if (threadIdx.x == 0) {
    static_cast<void>(ready.arrive());
    if (cluster.block_rank() == 0) cudasync::remote_barrier(ready, 1).arrive();
  }
  ready.wait_parity(false);  // <wait>
  cudasync::cluster_barrier::arrive_and_wait();
}

// --- The cases, and what each must print ---

constexpr gpu_test::shape four_warps{1, 128}, two_warps{1, 64}, three_warps{1, 96}, two_blocks{2, 32, 0, false, 2};

const misuse cases[] = {
    MISUSE_IN((gpu_test::shape{1, 96}), updates_during_a_report,
              "too many arrivals: block (0,0,0), thread 64 arrives 3 times",
              "at <arrival>, where only 2 of 2 are missing"),
    MISUSE_OFTEN(8, two_warps, five_lanes_in_place_of_four, "!fault: ", "cudasync: "),
    MISUSE_IN(four_warps, count_of_a_larger_block,
              "initialized at <init> with 160: phase of parity 0, 128 arrivals of 160", "threads 0-127 wait at <wait>",
              "likely cause: init was given 160, but the block has only 128 threads", "remedy: initialize with 128"),
    MISUSE_IN((gpu_test::shape{1, 160}), warp_without_a_partner, "threads 128-159 wait at <wait>",
              "likely cause: only threads 128-159 have ever arrived at it, but init was given 64; threads 0-127 arrive",
              "otherwise initialize with 32"),
    MISUSE_IN(four_warps, count_that_includes_the_producer, "initialized at <init> with 128", "96 arrivals of 128",
              "threads 0-31 wait at <wait> for parity 0",
              "likely cause: threads 32-127 arrive, and threads 0-31 only wait, but init was given 128",
              "initialize with 96."),
    MISUSE_IN(
        four_warps, count_of_warps_for_arrivals_of_threads, "threads", "at <wait>", "init was given 4 (at <init>)",
        "likely cause: a warp makes ", " arrivals, but init was given 4",
        "remedy: initialize with the number of threads that arrive in a phase, or let one lane of each warp arrive"),
    MISUSE_IN(four_warps, count_of_one_warp_less, " 96", "at <wait>", "at <init>",
              "likely cause: all 128 threads of the block arrive, but init was given 96",
              "remedy: initialize with 128"),
    MISUSE_IN(four_warps, count_of_threads_for_arrivals_of_warps, "initialized at <init> with 128", "4 arrivals of 128",
              "threads 0-127 wait at <wait>",
              "likely cause: one thread of each of 4 warps arrives, but init was given 128",
              "remedy: initialize with 4, or let all threads arrive"),
    MISUSE_IN((gpu_test::shape{1, 96}), lanes_that_wait_before_a_shuffle, " waits at <wait_of_each>",
              "The same is probably true of barrier at 0x", "!a second hang", "!as a consequence"),
    MISUSE_IN((gpu_test::shape{1, 32}), lane_that_waits_before_a_shuffle, "thread 0 waits at <wait>",
              "likely cause: only thread 0 arrives, but init was given 32",
              "where the other lanes of the warp may wait for it in __shfl_sync() or __syncwarp()"),
    MISUSE_IN(two_warps, count_of_threads_for_one_arrival, "initialized at <init> with 64", "1 arrival of 64",
              "threads 0-63 wait at <wait>", "likely cause: only thread 0 arrives, but init was given 64",
              "remedy: let every thread that is counted arrive, not only one in a branch; or, if"),
    MISUSE_IN(two_warps, update_that_is_one_short, "initialized at <init> with 64", "62 arrivals of 64",
              "likely cause: threads 0, 32 make 31 arrivals each, 62 in all, but init was given 64",
              "remedy: initialize with 62, or let the updates of a phase add up to 64"),
    MISUSE_IN(four_warps, thread_that_arrives_twice, " 128", "at <init>", "at <wait>",
              "likely cause: thread 0 has arrived more than once in one phase",
              "remedy: let each thread arrive once in a phase"),
    MISUSE_IN(four_warps, lanes_that_forgot_the_election, "arrive at barrier", "at <arrival>",
              "likely cause: a warp makes ", " arrivals, but init was given 4", "let one lane of each warp arrive"),
    MISUSE_IN((gpu_test::shape{1, 96}), second_drop_after_many_rounds,
              "likely cause: threads 64-95 arrive again although they have called arrive_and_drop"),
    MISUSE_IN(two_warps, inits_at_the_same_time,
              "likely cause: several groups use one barrier: it was initialized 2 times", "threads 0-63 arrive"),
    MISUSE_IN(two_warps, arrival_after_a_drop, "at <again>", "init was given 64 (at <init>)",
              "likely cause: threads 32-63 arrive again although they have called arrive_and_drop (last call of thread "
              "32: <again>)",
              "remedy: initialize the barrier again before its next use, or let these threads arrive without dropping"),
    MISUSE_IN(two_warps, barrier_without_init, "at <wait>", "the barrier is not initialized",
              "remedy: let one thread call init(&bar, count), then synchronize the block"),
    MISUSE_IN(two_warps, arrival_before_init, "at <wait>", "likely cause: ", "not visible to th",
              "remedy: let one thread call init(&bar, count), then synchronize the block"),
    MISUSE_IN(two_warps, init_in_the_loop, "at <wait>",
              "was initialized again at <again> while it was in use: ", "remedy: initialize once"),
    MISUSE_IN(three_warps, early_return, "initialized at <init> with 96", "70 arrivals of 96",
              "threads 0-69 wait at <wait>", "likely cause: threads 70-95 have not arrived",
              "call arrive_and_drop before it leaves; or initialize with 70, the number of arrivals"),
    MISUSE_IN(four_warps, warps_without_a_call, "threads 96-127 wait at <wait>",
              "likely cause: threads 64-95 and, of warps that have never called the library, threads 0-63 have not "
              "arrived in this phase: they still compute, exited",
              "(last call of thread 64: <other>)"),
    MISUSE_IN(two_warps, arrivals_by_hand, "32 arrivals of 64", "threads 32-63 wait at ",
              "likely cause: of the 32 arrivals of this phase, 32 were made by no call of this library",
              "!initialize with 0"),
    MISUSE_IN(two_warps, arrivals_by_hand_before_a_wait_of_all, "32 arrivals of 64", "threads 0-63 wait at ",
              "likely cause: of the 32 arrivals of this phase, 32 were made by no call of this library"),
    MISUSE_IN(two_warps, some_arrivals_by_hand, "40 arrivals of 64", "threads 32-63 wait at ",
              "likely cause: of the 40 arrivals of this phase, 16 were made by no call of this library",
              "remedy: if hand-written PTX or another library arrives, let its threads arrive once in each phase"),
    MISUSE_IN(
        two_warps, arrival_by_the_handle_and_again, "at <arrive>", "likely cause: at least 1 arrival ",
        " was made by no call of this library, but by an instruction on the address of the barrier, such as cuda::ptx::mbarrier_arrive_expect_tx; threads 0-63 arrive by calls, and init was given 64",
        "remedy: mbarrier_arrive_expect_tx arrives, too: expect bytes by mbarrier_expect_tx or barrier_expect_tx, or "
        "count this arrival at init"),
    MISUSE_IN(
        (gpu_test::shape{1, 32}), bytes_that_are_expected_by_an_arrival, "too many arrivals", "at <arrive>",
        "likely cause: at least 1 arrival of this phase was made by no call of this library, but by an instruction "
        "on the address of the barrier, such as cuda::ptx::mbarrier_arrive_expect_tx; threads 0-31 arrive by calls, and init was given 32",
        "remedy: mbarrier_arrive_expect_tx arrives, too: expect bytes by mbarrier_expect_tx or barrier_expect_tx, or "
        "count this arrival at init"),
    MISUSE_IN(
        (gpu_test::shape{1, 32}), arrival_by_the_handle_in_the_last_round, "too many arrivals", "at <arrive>",
        "likely cause: at least 1 arrival of this phase was made by no call of this library, but by an instruction "
        "on the address of the barrier, such as cuda::ptx::mbarrier_arrive_expect_tx; threads 0-31 arrive by calls, and init was given 32",
        "remedy: mbarrier_arrive_expect_tx arrives, too: expect bytes by mbarrier_expect_tx or barrier_expect_tx, or "
        "count this arrival at init"),
    MISUSE_IN(three_warps, early_return_in_the_second_round, "initialized at <init> with 96",
              "phase of parity 1, 64 arrivals of 96", "threads 0-63 wait at <wait>",
              "likely cause: threads 64-95 have not arrived in this phase", "last call of thread 64: <first>",
              "arrive_and_drop before it leaves"),
    MISUSE_IN(
        two_warps, warp_that_continues_before_the_second_arrival, "32 arrivals of 64", "threads 32-63 wait at <write>",
        "likely cause: threads 0-31 have not arrived in this phase: thread 0 has made 3 arrivals, and thread 32 4; "
        "they still compute, exited",
        "remedy: let all threads that are counted make the same arrivals in each round, and as many rounds: "
        "no `continue` or `break` may skip one",
        "!initialize with"),
    MISUSE_IN(
        two_warps, wait_without_its_arrival, "32 arrivals of 64", "threads 0-63 wait at <wait>",
        "likely cause: threads 0-31 have not arrived in this phase, but wait for it: thread 0 has made 1 arrival, "
        "and thread 32 2",
        "!exited"),
    MISUSE_IN(two_warps, branch_without_an_arrival, "initialized at <init> with 64", "32 arrivals of 64",
              "wait at <wait>", "likely cause: threads 1, 3, 5, 7, 9, 11 and 26 more have not arrived",
              "took a branch that skips the arrival", "remedy: let every thread that is counted arrive"),
    MISUSE_IN(
        two_warps, completion_that_never_runs, "barrier (kept as a counter)", "threads 0-59 wait at <wait>",
        "likely cause: 4 arrivals of the phase are missing; 60 threads wait; threads 60-63 wait for nothing in this "
        "library (last call of thread 60: <wait>).",
        "remedy: let threads 60-63 arrive in each phase, on every path, or call arrive_and_drop before they leave"),
    {"one_arrival_of_each_block",
     {"barrier (kept as a counter)", "at <wait>", "likely cause: 124 arrivals of the phase are missing",
      "remedy: compare the count given to init with the number of threads, of all blocks"},
     run_one_arrival_of_each_block,
     __FILE__},
    MISUSE_IN(two_blocks, remote_arrival_that_never_comes, "In block (0,0,0)",
              "with 2: phase of parity 0, 1 arrival of 2", "threads 0-31 wait at <wait>",
              "likely cause: block (1,0,0) has not arrived at barrier", "block (0,0,0) has arrived 1 time",
              "at its own barrier of this address, block (1,0,0) has arrived 1 time",
              "remedy: let every block that is counted arrive"),
    MISUSE_IN((gpu_test::shape{1, 128}), warp_that_returns_before_it_arrives, "3 arrivals of 4", " at <wait>",
              "likely cause: threads 64-95 have not arrived in this phase", "!let all threads arrive"),
};

int main(int argc, char** argv) {
  return run_misuses(argc, argv, cases);
}
