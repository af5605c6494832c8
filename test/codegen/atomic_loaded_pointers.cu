// Beside relaxed operations in shared memory, the compiler takes pointers that it loads to be in global memory: LDG.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90
// SASS-NOT: {{LD\.E}}
#include <cuda/atomic>

using word = unsigned;
using cuda::memory_order_relaxed;

struct arrays {
  const word* data;
  word* results;
};

template <class Value>
__device__ cuda::atomic_ref<Value, cuda::thread_scope_block> in_block(Value& object) {
  return cuda::atomic_ref<Value, cuda::thread_scope_block>(object);
}
extern "C" {

__global__ void histogram(const arrays* all, int rounds) {
  __shared__ word bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int round = 0; round < rounds; ++round)
    in_block(bins[all->data[round * 256 + threadIdx.x] & 255]).fetch_add(1, memory_order_relaxed);
  __syncthreads();
  all->results[threadIdx.x] = bins[threadIdx.x];
}

__global__ void statistics(const arrays* all, int rounds) {
  __shared__ word count, total, low, high;
  if (threadIdx.x == 0) count = total = low = high = 0;
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
    const word value = all->data[round * 256 + threadIdx.x];
    in_block(count).fetch_add(1, memory_order_relaxed);
    in_block(total).fetch_add(value, memory_order_relaxed);
    in_block(low).fetch_min(value, memory_order_relaxed);
    in_block(high).fetch_max(value, memory_order_relaxed);
  }
  __syncthreads();
  all->results[threadIdx.x] = count + total + low + high;
}
}
