// Reports without a record for each warp that the GPU can hold, or for each barrier: they say no more than what is known.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compiled: alone
// needs: sm90
#define CUDASYNC_CHECKED_OBJECTS 8
#define CUDASYNC_CHECKED_WARPS 64
#include "../support/misuse.h"

#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

// Each block waits with another part of its threads.
__global__ void blocks_that_share_records(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  if ((blockIdx.x + threadIdx.x) % 8 != 0) bar.arrive_and_wait();
}

// The first of these barriers has no record any more.
__device__ block_barrier& first_of_many(int count) {
  __shared__ block_barrier bars[12];
  if (threadIdx.x == 0)
    for (block_barrier& each : bars)
      init(&each, count);
  __syncthreads();
  return bars[0];
}

__global__ void arrivals_whose_record_was_taken(int) {
  static_cast<void>(first_of_many(4).arrive());
}

__global__ void init_whose_record_was_taken(int) {
  block_barrier& bar = first_of_many(32);
  static_cast<void>(bar.arrive());
  __syncthreads();
  if (threadIdx.x == 0) init(&bar, 4);  // <again>
  __syncthreads();
  __syncwarp();
  static_cast<void>(bar.arrive());
}

__global__ void arrivals_before_init(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 32;" : : "l"(__cvta_generic_to_shared(&bar)));
  __syncthreads();
  __syncwarp();
  static_cast<void>(bar.arrive());
  __syncthreads();
  if (threadIdx.x == 0) init(&bar, 4);  // <init>
  __syncthreads();
  __syncwarp();
  static_cast<void>(bar.arrive());
}

const gpu_test::shape warp{1, 32};

const misuse cases[] = {
    MISUSE_IN((gpu_test::shape{16, 64}), blocks_that_share_records, "hang: no progress for", "!threads wait",
              "!has not arrived", "likely cause: unknown: the GPU can hold ",
              "warps at a time, and CUDASYNC_CHECKED_WARPS is 64", "remedy: define CUDASYNC_CHECKED_WARPS as "),
    MISUSE_IN(warp, arrivals_whose_record_was_taken, "too many arrivals: block (0,0,0), thread",
              "likely cause: unknown: more barriers are in use than",
              "remedy: define CUDASYNC_CHECKED_OBJECTS as a power of two greater than 8"),
    MISUSE_IN(warp, init_whose_record_was_taken, "init was given 4 (at <again>)",
              "likely cause: a warp makes 32 arrivals, but init was given 4", "!before init"),
    MISUSE_IN(warp, arrivals_before_init, "likely cause: 32 arrivals were made before init at <init>",
              "and are lost: thread ", ", for example, arrived at "),
};

int main(int argc, char** argv) {
  return run_misuses(argc, argv, cases);
}
