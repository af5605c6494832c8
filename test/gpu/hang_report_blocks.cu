// The checked build explains misuse of barriers of blocks, latches, semaphores and named barriers: a process each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if !defined(CUDASYNC_CHECKED)
#define CUDASYNC_CHECKED 1
#endif
#if !defined(CUDASYNC_HANG_TIMEOUT_MS)
#define CUDASYNC_HANG_TIMEOUT_MS 200
#endif
#include "../support/misuse.h"

#include <cuda/grid_barrier>
#include <cuda/latch>
#include <cuda/named_barrier>
#include <cuda/semaphore>

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
  const unsigned blocks = 3 * static_cast<unsigned>(gpu_test::attribute(cudaDevAttrMultiProcessorCount));
  const auto bytes = static_cast<size_t>(gpu_test::attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  gpu_test::run(blocks_that_do_not_run_together, {blocks, 32, bytes}, 0);
}
__global__ void far_too_many_blocks(int) {
  bar.arrive_and_wait();
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
__global__ void binary_semaphore_released_twice(int) {
  __shared__ cuda::binary_semaphore<cuda::thread_scope_block> semaphore;
  init(&semaphore, 0);
  semaphore.release();
  semaphore.release();
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

#define MISUSE_IN(GRID, BLOCK, KERNEL, MESSAGE, ALSO) \
  {#KERNEL, MESSAGE, ALSO, [] { gpu_test::run(KERNEL, {GRID, BLOCK}, 0); }}
#define MISUSE(KERNEL, MESSAGE, ALSO) MISUSE_IN(1, 1, KERNEL, MESSAGE, ALSO)

constexpr const char* alone = "hang: block (0,0,0), thread (0,0,0) has waited";

const misuse cases[] = {
    MISUSE_IN(1, 96, participant_that_never_comes, "hang: block (0,0,0) has waited 200 ms at the grid_barrier",
              "as participant 1 of 4: 3 are missing"),
    MISUSE_IN(2, 32, participants_that_wait_for_another, "at the grid_barrier", "of 3: 1 are missing"),
    MISUSE_IN(3, 64, block_that_returns, "at the grid_barrier", "of 3: 1 are missing"),
    {"blocks_that_do_not_run_together", "launch it with cudaLaunchCooperativeKernel", "are missing",
     start_blocks_that_do_not_run_together},
    MISUSE_IN(100000, 1, far_too_many_blocks, "grid_barrier: the GPU cannot hold so many blocks at once",
              "launch with cudaLaunchCooperativeKernel"),
    MISUSE(rank_too_large, "grid_barrier: the rank must be less than the count", ""),
    MISUSE(latch_that_stays_above_zero, "waits for a latch, of which 3 arrivals are missing", alone),
    MISUSE(more_arrivals_than_expected, "latch: more arrivals than expected", ""),
    MISUSE(negative_update, "latch: update must be 0 to what is left of the count", ""),
    MISUSE(permit_that_nobody_releases, "waits for a permit of a semaphore, behind 0 others", alone),
    MISUSE(permits_for_others, "waits for a permit of a semaphore, behind 3 others", alone),
    MISUSE(binary_semaphore_that_nobody_releases,
           "waits for a binary semaphore: 1 threads wait, and nobody releases it", alone),
    MISUSE(more_permits_than_max, "semaphore: more permits than max()", ""),
    MISUSE(binary_semaphore_released_twice, "binary_semaphore: it has been released already", ""),
    MISUSE_IN(1, 64, warp_that_arrives_twice,
              "named barrier 3: block (0,0,0), thread (32,0,0), for 96 threads: this warp arrives a second time",
              "mask 0x2 have come: 32 threads"),
    MISUSE_IN(1, 64, warps_with_different_counts,
              "named barrier 4: block (0,0,0), thread (32,0,0), for 96 threads: warps of one phase expect different",
              "mask 0x1 have come: 32 threads"),
    MISUSE_IN(1, 64, warp_that_never_comes,
              "named barrier 5: block (0,0,0), thread (32,0,0), for 64 threads: it has waited too long",
              "mask 0x2 have come: 32 threads"),
    MISUSE_IN(1, 64, warp_that_never_votes,
              "named barrier 6: block (0,0,0), thread (0,0,0), for 64 threads: it has waited too long",
              "mask 0x1 have come: 32 threads"),
    MISUSE_IN(1, 64, dynamic_warp_that_never_comes,
              "named barrier 9: block (0,0,0), thread (0,0,0), for 64 threads: it has waited too long",
              "mask 0x1 have come: 32 threads"),
};

int main(int argc, char** argv) {
  return run_misuses(argc, argv, cases);
}
