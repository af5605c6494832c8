// A consumer with CUDA: a barrier hands values from each thread of a block to its neighbour. Without a GPU it is compiled only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>

#if !defined(CUDASYNC_VERSION)
#error "<cuda/barrier> is another library's"
#endif

#include <cstdio>

#if defined(EXPECTS_DROP_IN)
static_assert(cuda::std::numeric_limits<int>::max() > 0, "cudasync_enable(target DROP_IN)");
#endif

constexpr int threads = 128;

__global__ void rotate(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> written;
  __shared__ int values[threads];
  if (threadIdx.x == 0) {
    init(&written, threads);
  }
  __syncthreads();
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
  written.arrive_and_wait();
  out[threadIdx.x] = values[(threadIdx.x + 1) % threads];
}

int main() {
  int* out = nullptr;
  if (cudaMalloc(&out, threads * sizeof(int)) != cudaSuccess) {
    std::puts("no GPU: compiled only");
    return 0;
  }
  rotate<<<1, threads>>>(out);
  int values[threads];
  if (cudaMemcpy(values, out, sizeof(values), cudaMemcpyDeviceToHost) != cudaSuccess) {
    return 1;
  }
  for (int i = 0; i < threads; ++i) {
    if (values[i] != (i + 1) % threads) {
      return 1;
    }
  }
}
