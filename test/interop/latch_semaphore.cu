// Our latch, semaphores and barriers of blocks and clusters beside cooperative groups, CUB and the rest of cuda/std.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CCCL: libcudacxx/test/libcudacxx/std/thread/thread.latch and thread.semaphore
#include "ours_first.h"
#if !defined(THEIRS_FIRST)
#include <cuda/latch>
#include <cuda/semaphore>
#endif

#include <cooperative_groups.h>
#include <cub/block/block_reduce.cuh>
#include <cuda/std/chrono>
#include <cuda/std/utility>

#include <cuda/barrier>
#include <cuda/std/latch>
#include <cuda/std/semaphore>
#include <cudasync/cluster_barrier.h>
#include <cudasync/grid_barrier.h>
#include <cudasync/grid_dependency.h>
#include <cudasync/named_barrier.h>

#include "ours_atomic.h"

using device_latch = cuda::latch<cuda::thread_scope_device>;
using device_semaphore = cuda::counting_semaphore<cuda::thread_scope_device, 5>;
using device_lock = cuda::binary_semaphore<cuda::thread_scope_device>;
static_assert(is_same<device_latch, cudasync::latch<cudasync::thread_scope_device>>, "");
static_assert(is_same<device_semaphore, cudasync::counting_semaphore<cudasync::thread_scope_device, 5>>, "");
static_assert(is_same<cuda::std::latch, cudasync::latch<cudasync::thread_scope_system>>, "");
static_assert(is_same<cuda::std::binary_semaphore, cudasync::standard::binary_semaphore>, "");
static_assert(is_same<cuda::std::counting_semaphore<>, cudasync::standard::counting_semaphore<>>, "");

// The layout is CCCL's.
static_assert(sizeof(device_latch) == 8 && alignof(device_latch) == 8, "");
static_assert(sizeof(device_semaphore) == 8 && alignof(device_semaphore) == 8, "");
static_assert(sizeof(device_lock) == 4 && alignof(device_lock) == 4, "");

// The feature macros, with libcu++'s values.
static_assert(__cccl_lib_latch == 201907L && __cccl_lib_semaphore == 201907L, "");

__device__ cuda::binary_semaphore<cuda::thread_scope_system> console(1);
__device__ cudasync::grid_barrier<> all_blocks;

__host__ __device__ bool pass(cuda::latch<cuda::thread_scope_device>& latch, cuda::std::counting_semaphore<>& tickets) {
  latch.arrive_and_wait();
  tickets.acquire();
  tickets.release(2);
  return latch.try_wait() && tickets.try_acquire_for(cuda::std::chrono::nanoseconds(1)) &&
         tickets.try_acquire_until(cuda::std::chrono::system_clock::now() + cuda::std::chrono::seconds(1));
}

__global__ void pass_in_block() {
  __shared__ cuda::binary_semaphore<cuda::thread_scope_block> ticket;
  if (threadIdx.x == 0) init(&ticket, 1);
  __syncthreads();
  ticket.acquire();
  ticket.release();
  console.acquire();
  console.release();
  all_blocks.arrive_and_wait(cooperative_groups::this_grid());
  cudasync::named_barrier<1>::sync();
  cudasync::wait_for_prerequisite_grids();
  auto token = cudasync::cluster_barrier::arrive();
  cudasync::cluster_barrier::wait(cuda::std::move(token));
}
