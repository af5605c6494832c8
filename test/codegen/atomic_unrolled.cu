// A long loop with an operation in shared memory is unrolled, though the removed code for other memory counts as well.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90
// COUNT: maxima sm_90 ATOMS 16
#include <cuda/atomic>

extern "C" __global__ void maxima(const int* values, int* results, int factor) {
  __shared__ int cells[256];
  cells[threadIdx.x] = 0;
  __syncthreads();
  int loaded[16];
#pragma unroll
  for (int index = 0; index < 16; ++index)
    loaded[index] = values[index * 256 + threadIdx.x];
  for (int index = 0; index < 16; ++index) {
    int mixed = loaded[index] + factor;
#pragma unroll
    for (int step = 0; step < 69; ++step)
      mixed = (mixed * factor) ^ factor;
    cuda::atomic_ref<int, cuda::thread_scope_block> cell(cells[mixed & 255]);
    cell.fetch_max(mixed, cuda::memory_order_relaxed);
  }
  __syncthreads();
  results[threadIdx.x] = cells[threadIdx.x];
}
