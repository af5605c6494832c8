// The forms of arriving and waiting, one function each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>

#include <chrono>
#include <utility>

using barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void publish();
__device__ void compute();
__device__ void read_others();
__device__ bool has_more_work();

__device__ void together(barrier& bar) {
  // [arrive_and_wait]
  publish();
  bar.arrive_and_wait();
  read_others();
  // [end arrive_and_wait]
}

__device__ void split(barrier& bar) {
  // [split]
  publish();
  barrier::arrival_token token = bar.arrive();
  compute();  // neither reads what others publish nor overwrites what they read
  bar.wait(std::move(token));
  read_others();
  // [end split]
}

__device__ void poll(barrier& bar) {
  // [poll]
  const barrier::arrival_token token = bar.arrive();
  while (!bar.try_wait(token))
    compute();
  read_others();
  // [end poll]
}

// [wait one millisecond]
bool wait_one_millisecond(const barrier& bar, barrier::arrival_token token) {
  return bar.try_wait_for(token, std::chrono::milliseconds(1));
}
// [end wait one millisecond]

__device__ void leave(barrier& bar) {
  // [drop]
  while (has_more_work()) {
    publish();
    bar.arrive_and_wait();
  }
  bar.arrive_and_drop();  // the others go on without this thread
  // [end drop]
}

// [reuse]
__device__ void reuse(barrier* bar, float* same_memory) {
  __syncthreads();  // all threads are through with the barrier
  if (threadIdx.x == 0) invalidate(bar);
  __syncthreads();
  same_memory[0] = 1;
}
// [end reuse]
