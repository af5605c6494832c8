// The checked build: a block's barrier after waits collects the lanes of each warp, which may have waited for each other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 80 90
// OPTIONS: -DCUDASYNC_CHECKED=1
#include <cuda/pipeline>

// As in cooperative groups: PTX's barrier.sync, which the lanes of a warp may execute at different times.
struct whole_block {
  __device__ static unsigned thread_rank() { return threadIdx.x; }
  __device__ static unsigned size() { return blockDim.x; }
  __device__ static void sync() { __barrier_sync(0); }
};

extern "C" __device__ __noinline__ void stream(cuda::pipeline<cuda::thread_scope_block>& pipe, int (*tiles)[32],
                                               const int* source, int* sum, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x % 2 == 0) {
      pipe.producer_acquire();
      if (threadIdx.x == 0)
        static_cast<void>(
            cuda::memcpy_async(tiles[round % 2], source + round * 32, cuda::aligned_size_t<16>(128), pipe));
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      *sum += tiles[round % 2][threadIdx.x % 32];
      pipe.consumer_release();
    }
  }
}

// The bar.sync that a warp executes without its other lanes would count for the whole warp.
// SASS: lanes_with_different_roles:
// SASS: CALL{{.*}}stream
// SASS-NOT: BAR.SYNC
// SASS: {{BRA.DIV|BRA.CONV|WARPSYNC.ALL}}
// SASS: BAR.SYNC
extern "C" __global__ void lanes_with_different_roles(const int* source, int* sums, int rounds) {
  alignas(16) __shared__ int tiles[2][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto pipe = cuda::make_pipeline(whole_block{}, &state,
                                  threadIdx.x % 2 == 0 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  int sum = 0;
  stream(pipe, tiles, source, &sum, rounds);
  whole_block::sync();
  sums[threadIdx.x] = sum;
}
