// Latches and semaphores: a single meeting, a limited number of users, a lock, and a limited wait.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/latch>
#include <cuda/semaphore>

#include <cuda/std/chrono>

__device__ float results[1024];
__device__ void work() {
  results[threadIdx.x] += 1;
}
__device__ void do_something_else();

// [latch]
__global__ void scale(const float* factors, float* data) {  // launch 256 threads a block
  __shared__ float table[32];
  __shared__ cuda::latch<cuda::thread_scope_block> is_filled;
  if (threadIdx.x == 0) init(&is_filled, 32);
  __syncthreads();

  if (threadIdx.x < 32) {
    table[threadIdx.x] = factors[threadIdx.x];
    is_filled.count_down();  // does not block
  }
  const float value = data[blockIdx.x * 256 + threadIdx.x];
  is_filled.wait();
  data[blockIdx.x * 256 + threadIdx.x] = value * table[threadIdx.x % 32];
}
// [end latch]

// [limit]
__device__ cuda::counting_semaphore<cuda::thread_scope_device> slots(4);

__global__ void few_at_a_time() {
  if (threadIdx.x == 0) slots.acquire();  // at most four blocks are past this
  __syncthreads();
  work();
  __syncthreads();
  if (threadIdx.x == 0) slots.release();
}
// [end limit]

// [lock]
struct account {
  cuda::binary_semaphore<cuda::thread_scope_device> lock;  // 1 permit: nobody holds it
  double balance;
  int entries;
};

__device__ account savings{cuda::binary_semaphore<cuda::thread_scope_device>(1), 0, 0};

__device__ void enter(account& of, double amount) {
  of.lock.acquire();
  of.balance += amount;
  ++of.entries;
  of.lock.release();
}
// [end lock]

__device__ void shared_semaphore() {
  // [shared]
  __shared__ cuda::counting_semaphore<cuda::thread_scope_block, 8> places;
  if (threadIdx.x == 0) init(&places, 8);
  __syncthreads();
  // [end shared]
}

__device__ void with_patience(cuda::counting_semaphore<cuda::thread_scope_device>& permits) {
  // [timed]
  while (!permits.try_acquire_for(cuda::std::chrono::microseconds(10)))
    do_something_else();
  // [end timed]
}
