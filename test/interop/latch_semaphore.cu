// Beside CCCL's latch and semaphore, which then stand on our atomics.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ours_first.h"

#include <cuda/latch>
#include <cuda/semaphore>

#include "ours_atomic.h"

__host__ __device__ bool pass(cuda::latch<cuda::thread_scope_device>& latch, cuda::std::counting_semaphore<>& tickets) {
  latch.arrive_and_wait();
  tickets.acquire();
  tickets.release(2);
  return latch.try_wait() && tickets.try_acquire_for(cuda::std::chrono::nanoseconds(1));
}

__global__ void pass_in_block() {
  __shared__ cuda::binary_semaphore<cuda::thread_scope_block> ticket;
  if (threadIdx.x == 0) new (&ticket) cuda::binary_semaphore<cuda::thread_scope_block>(1);
  __syncthreads();
  ticket.acquire();
  ticket.release();
}
