// Templates that do not name types of either library: the linker keeps one copy of each, made with one or the other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_ABI_SHARED_TEMPLATES_H
#define CUDASYNC_TEST_ABI_SHARED_TEMPLATES_H

#include <cuda/atomic>
#include <cuda/barrier>

template <class Value>
int add_through_template(void* object, Value value) {
  return static_cast<cuda::atomic<Value>*>(object)->fetch_add(value);
}

// values, result: Threads integers each.
template <unsigned Threads>
__global__ void rotate(const int* values, int* result) {
  __shared__ cuda::barrier<cuda::thread_scope_block> written;
  __shared__ int tile[Threads];
  if (threadIdx.x == 0) init(&written, Threads);
  __syncthreads();
  cuda::memcpy_async(&tile[threadIdx.x], &values[threadIdx.x], sizeof(int), written);
  written.arrive_and_wait();
  result[threadIdx.x] = tile[(threadIdx.x + 1) % Threads];
}

#endif
