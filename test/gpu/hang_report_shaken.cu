// Threads that are delayed at random: correct rounds stay correct, threads come late, and a report names the seed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compiled: alone
#define CUDASYNC_SHAKE 5
#include "../support/misuse.h"

#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

// The warps hand numbers around, in step although each thread is late at times; then one thread stays away.
__global__ void one_thread_stays_away(int) {
  __shared__ block_barrier bar;
  __shared__ int numbers[4];
  if (threadIdx.x == 0) init(&bar, blockDim.x);  // <init>
  __syncthreads();
  const int warp = static_cast<int>(threadIdx.x / 32);
  int mine = warp;
  for (int round = 0; round < 8; ++round) {
    if (threadIdx.x % 32 == 0) numbers[warp] = mine;
    bar.arrive_and_wait();
    mine = numbers[(warp + 1) % 4];
    bar.arrive_and_wait();
  }
  if (mine == warp && threadIdx.x != 70) bar.arrive_and_wait();  // <wait>
}

// Threads that are delayed at different calls are seen at different times: if none is delayed, no thread is late.
__global__ void threads_that_come_late(int) {
  __shared__ block_barrier bars[64];
  __shared__ block_barrier all;
  __shared__ unsigned long long times[64];
  init(&bars[threadIdx.x], 1);
  if (threadIdx.x == 0) init(&all, 1);  // <init>
  for (int round = 0; round < 16; ++round)
    bars[threadIdx.x].arrive_and_wait();
  times[threadIdx.x] = clock64();
  __syncthreads();
  unsigned late = 0;
  for (unsigned other = 0; other < 64; ++other)
    late += times[other] + 2000 < times[threadIdx.x];
  if (__syncthreads_count(late > 4) != 0) all.wait_parity(false);  // <late>
}

// With the paths of older GPUs, a barrier can be a counter, and the report names no missing thread.
const misuse cases[] = {
#if defined(CUDASYNC_FORCE_TARGET)
    MISUSE_IN((gpu_test::shape{1, 128}), one_thread_stays_away, "at <wait>", "CUDASYNC_SHAKE=5."),
    MISUSE_IN((gpu_test::shape{1, 64}), threads_that_come_late, "threads 0-63 wait at <late>", "CUDASYNC_SHAKE=5."),
#else
    MISUSE_IN((gpu_test::shape{1, 128}), one_thread_stays_away, "initialized at <init> with 128", "127 arrivals of 128",
              "likely cause: thread 70 has not arrived", "Threads were delayed at random: CUDASYNC_SHAKE=5."),
    MISUSE_IN((gpu_test::shape{1, 64}), threads_that_come_late, "initialized at <init> with 1",
              "threads 0-63 wait at <late>", "CUDASYNC_SHAKE=5."),
#endif
};

int main(int argc, char** argv) {
  return run_misuses(argc, argv, cases);
}
