// A kernel whose roles change their numbers of registers, with one call of each kind of object.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cudasync/named_barrier.h>
#include <cudasync/register_budget.h>

using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<8>>;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;
using producer = cudasync::register_role<128, 40>;
using consumer = cudasync::register_role<256, 232>;
using budget = cudasync::register_budget<cudasync::registers_at_launch(384), producer, consumer>;

__global__ void __launch_bounds__(budget::threads, 1)
    sum_tiles(const float* tiles, int count, float* sums, cuda::latch<cuda::thread_scope_device>* done,
              cuda::binary_semaphore<cuda::thread_scope_device>* lock) {
  alignas(16) __shared__ float stage[4][1024];
  __shared__ ring pipe;
  __shared__ block_barrier all;
  if (threadIdx.x == 0) init(&all, budget::threads);
  pipe.init(cudasync::this_thread_block());
  if (threadIdx.x >= consumer::threads) {
    budget::enter<producer>();
    if (threadIdx.x == consumer::threads) {
      ring::producer_state at;
      for (int tile = 0; tile < count; ++tile, at.advance()) {
        pipe.producer_acquire(at, sizeof stage[0]);
        pipe.copy(at, stage[at.index()], tiles + tile * 1024, cuda::aligned_size_t<16>(sizeof stage[0]));
      }
    }
  } else {
    budget::enter<consumer>();
    float sum = 0;
    ring::consumer_state at;
    for (int tile = 0; tile < count; ++tile, at.advance()) {
      pipe.consumer_wait(at);
      for (int cell = threadIdx.x; cell < 1024; cell += consumer::threads)
        sum += stage[at.index()][cell];
      pipe.consumer_release(at);
    }
    cudasync::named_barrier<1, consumer::threads>::sync();
    sums[threadIdx.x] = sum;
  }
  all.arrive_and_wait();
  if (threadIdx.x != 0) return;
  lock->acquire();
  lock->release();
  done->count_down();
}
