// The checked build explains misuse of barriers of blocks, latches, semaphores and named barriers: a process each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compiled: alone
#include "../support/misuse.h"

#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cudasync/grid_barrier.h>
#include <cudasync/named_barrier.h>

using cudasync::participant;

__device__ cudasync::grid_barrier<> bar;
__device__ cuda::latch<cuda::thread_scope_device> global_latch(7);
using device_semaphore = cuda::counting_semaphore<cuda::thread_scope_device>;
__device__ device_semaphore global_semaphore(0);

// The argument is 0. It hides wrong values from the compiler.

// --- Barriers of blocks ---

__global__ void participant_that_never_comes(int) {
  bar.arrive_and_wait(participant{1, 4});
}
__global__ void participants_that_wait_for_another(int) {
  const participant own{2 * blockIdx.x, 3};
  bar.wait(bar.arrive(own), own);
}
__global__ void block_that_returns(int) {
  if (blockIdx.x == 1) return;
  bar.arrive_and_wait();
}
// More blocks than run together, though not more than might on some GPU: each takes most of the shared memory.
__global__ void blocks_that_do_not_run_together(int) {
  bar.arrive_and_wait();
}
void start_blocks_that_do_not_run_together() {
  const unsigned blocks = 3 * static_cast<unsigned>(gpu_test::attribute(cudaDevAttrMultiProcessorCount)) + 140;
  const auto bytes = static_cast<size_t>(gpu_test::attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  gpu_test::run(blocks_that_do_not_run_together, {blocks, 32, bytes}, 0);
}
__global__ void far_too_many_blocks(int) {
  bar.arrive_and_wait();
}
// The last block leaves out the barrier, and goes on at one of its own, at which phases end all the time.
__global__ void block_that_moves_elsewhere(int) {
  __shared__ cuda::barrier<cuda::thread_scope_block> pass;
  if (threadIdx.x == 0) init(&pass, blockDim.x);
  __syncthreads();
  for (unsigned step = 0; blockIdx.x == 2 && step < 40; ++step) {
    if (threadIdx.x == 0) gpu_test::pause(CUDASYNC_HANG_TIMEOUT_MS * 300000ull);
    pass.arrive_and_wait();  // <pass>
  }
  if (blockIdx.x != 2) bar.arrive_and_wait();  // <wait>
}
__global__ void rank_too_large(int zero) {
  bar.arrive_and_wait(participant{1, 1 + static_cast<unsigned>(zero)});
}

// --- Latches ---

__global__ void latch_that_stays_above_zero(int) {
  global_latch.count_down(4);
  global_latch.wait();
}
__global__ void more_arrivals_than_expected(int zero) {
  global_latch.count_down(7);
  global_latch.count_down(1 + zero);
}
__global__ void negative_update(int zero) {
  global_latch.count_down(zero - 1);
}

// --- Semaphores ---

__global__ void permit_that_nobody_releases(int) {
  global_semaphore.acquire();
}
// Three others wait already, of whom nothing but the count is there.
__global__ void permits_for_others(int zero) {
  __shared__ cudasync::backend::permit_queue<cuda::thread_scope_block> queue;
  queue.word = 0 - cudasync::uint64{3} + static_cast<cudasync::uint64>(zero);
  cudasync::backend::acquire_permit(cudasync::target::here{}, queue);
}
__global__ void binary_semaphore_that_nobody_releases(int) {
  __shared__ cuda::binary_semaphore<cuda::thread_scope_block> semaphore;
  init(&semaphore, 1);
  semaphore.acquire();
  semaphore.acquire();
}
__global__ void more_permits_than_max(int zero) {
  __shared__ device_semaphore semaphore;
  init(&semaphore, (device_semaphore::max)());
  semaphore.release(1 + zero);
}

// --- Named barriers ---

// Two warps; the second one comes once more, before the first one does.
__global__ void warp_that_arrives_twice(int) {
  using meeting = cudasync::named_barrier<3, 96>;
  if (threadIdx.x < 32) return;
  meeting::arrive();
  meeting::arrive();
}
__global__ void warps_with_different_counts(int) {
  if (threadIdx.x < 32) cudasync::named_barrier<4, 64>::arrive();
  __syncthreads();
  if (threadIdx.x >= 32) cudasync::named_barrier<4, 96>::sync();
}
__global__ void warp_that_never_comes(int) {
  if (threadIdx.x >= 32) cudasync::named_barrier<5, 64>::sync();
}
__global__ void warp_that_never_votes(int zero) {
  if (threadIdx.x < 32 && cudasync::named_barrier<6, 64>::sync_or(zero != 0)) __trap();
}
__global__ void dynamic_warp_that_never_comes(int zero) {
  if (threadIdx.x < 32) cudasync::dynamic_named_barrier(9 + static_cast<unsigned>(zero), 64).sync();
}

// --- The cases, and what each must print ---

#define MISUSE(KERNEL, ...) MISUSE_IN((gpu_test::shape{1, 1}), KERNEL, __VA_ARGS__)

constexpr gpu_test::shape two_warps{1, 64};

const misuse cases[] = {
    MISUSE_IN((gpu_test::shape{1, 96}), participant_that_never_comes,
              "hang: no progress for 100 ms. In block (0,0,0) of 96 threads", "grid_barrier at 0x",
              "3 participants have not arrived"),
    MISUSE_IN((gpu_test::shape{2, 32}), participants_that_wait_for_another, "grid_barrier at 0x",
              "1 participant has not arrived"),
    MISUSE_IN((gpu_test::shape{3, 64}), block_that_returns, "grid_barrier at 0x", "1 participant has not arrived"),
    MISUSE_IN(
        (gpu_test::shape{3, 64}), block_that_moves_elsewhere, "hang: no progress of a wait for 400 ms. In block (",
        "thread 0 waits at <wait>; and 1 of other blocks",
        "likely cause: 1 participant has not arrived; 2 threads wait; block (2,0,0) is missing (last call of thread 0 of block (2,0,0): <pass>)",
        "  Other waits of this kernel still begin and end: what is missing may only be late. If the kernel",
        "it waits for nothing that lasts.", "!waits at <pass>"),
    {"blocks_that_do_not_run_together",
     {"launch with cudaLaunchCooperativeKernel", "participants have not arrived"},
     start_blocks_that_do_not_run_together,
     __FILE__},
    MISUSE_IN((gpu_test::shape{100000, 1}), far_too_many_blocks, "the GPU cannot hold so many blocks at once",
              "launch with cudaLaunchCooperativeKernel"),
    MISUSE(rank_too_large, "grid_barrier: the rank must be less than the count"),
    MISUSE(latch_that_stays_above_zero, "latch at 0x", "the latch still expects 3 arrivals"),
    MISUSE(more_arrivals_than_expected, "latch: more arrivals than expected"),
    MISUSE(negative_update, "latch: update must be 0 to what is left of the count"),
    MISUSE(permit_that_nobody_releases, "semaphore at 0x",
           "no permit is left, and no thread releases one; 1 thread waits"),
    MISUSE(permits_for_others, "no permit is left, and no thread releases one; 4 threads wait"),
    MISUSE(binary_semaphore_that_nobody_releases,
           "likely cause: thread 0 of block (0,0,0) holds a permit of semaphore at 0x", "waits for another one of it"),
    MISUSE(more_permits_than_max, "semaphore: more permits than max()"),
    MISUSE_IN(two_warps, warp_that_arrives_twice, "named barrier 3: block (0,0,0), warp 1, for 96 threads",
              "32 threads have already arrived", "this warp arrives a second time before the phase is complete."),
    MISUSE_IN(two_warps, warps_with_different_counts, "named barrier 4: block (0,0,0), warp 1, for 96 threads",
              "32 threads have already arrived",
              "warps of one phase expect different numbers of threads: this warp 96, the others 64"),
    MISUSE_IN(two_warps, warp_that_never_comes, "named barrier 5", "warp 1 waits at",
              "only 32 of 64 threads have arrived", "threads 0-31 have not"),
    MISUSE_IN(two_warps, warp_that_never_votes, "named barrier 6", "warp 0 waits at",
              "only 32 of 64 threads have arrived"),
    MISUSE_IN(two_warps, dynamic_warp_that_never_comes, "named barrier 9", "warp 0 waits at",
              "only 32 of 64 threads have arrived"),
};

int main(int argc, char** argv) {
  return run_misuses(argc, argv, cases);
}
