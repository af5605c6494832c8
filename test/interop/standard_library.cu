// Beside CCCL's standard library: its chrono is used when it is there, and its atomics share our thread_scope.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CCCL: libcudacxx/test/libcudacxx/std/atomics and std/thread
// passes: both
#include "ours_first.h"

#include <cuda/__atomic/atomic.h>
#include <cuda/std/chrono>
#include <cuda/std/span>
#include <cuda/std/utility>
#if __has_include(<cuda/cmath>)  // since CCCL 2.7
#include <cuda/cmath>
#endif

#include "ours_atomic.h"

static_assert(is_same<cuda::std::chrono::nanoseconds, cuda::std::chrono::duration<long long, cuda::std::nano>>, "");
static_assert(is_same<decltype(cuda::std::move(0)), int&&>, "");

__global__ void standard_library(cuda::std::span<int> data, cuda::atomic<int, cuda::thread_scope_device>* sum) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  cuda::atomic_ref<int, cuda::thread_scope_block> element(data[threadIdx.x]);
  sum->fetch_add(element.fetch_add(1, cuda::std::memory_order_relaxed));
  auto token = bar.arrive();
  const auto deadline = cuda::std::chrono::system_clock::now() + cuda::std::chrono::milliseconds(1);
  if (!bar.try_wait_until(token, deadline)) bar.wait(cuda::std::move(token));
}
