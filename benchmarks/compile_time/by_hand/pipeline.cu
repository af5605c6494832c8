// A ring of two stages, in PTX. Each thread copies one number, which is right for blocks of 256 threads alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__device__ inline unsigned offset(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}
__device__ inline void init(void* bar, unsigned count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(offset(bar)), "r"(count) : "memory");
}
__device__ inline void wait_parity(void* bar, unsigned parity) {
  for (unsigned done = 0; done == 0;)
    asm volatile("{ .reg .pred done; mbarrier.try_wait.parity.shared.b64 done, [%1], %2; selp.u32 %0, 1, 0, done; }"
                 : "=r"(done)
                 : "r"(offset(bar)), "r"(parity)
                 : "memory");
}
__device__ inline void fetch(float* to, const float* from, void* full) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(offset(to + threadIdx.x)),
               "l"(__cvta_generic_to_global(from + threadIdx.x))
               : "memory");
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(offset(full)) : "memory");
}

__global__ void kernel(const float* data, float* sums, int tiles) {
  __shared__ unsigned long long full[2], empty[2];
  __shared__ alignas(16) float tile[2][256];
  if (threadIdx.x == 0)
    for (int stage = 0; stage < 2; ++stage) {
      init(&full[stage], blockDim.x);
      init(&empty[stage], blockDim.x);
    }
  __syncthreads();
  float sum = 0;
  fetch(tile[0], data, &full[0]);
  for (int i = 1; i <= tiles; ++i) {
    if (i < tiles) {
      wait_parity(&empty[i % 2], i / 2 % 2 ^ 1);
      fetch(tile[i % 2], data + 256 * i, &full[i % 2]);
    }
    wait_parity(&full[(i - 1) % 2], (i - 1) / 2 % 2);
    sum += tile[(i - 1) % 2][threadIdx.x];
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(offset(&empty[(i - 1) % 2])) : "memory");
  }
  sums[threadIdx.x] = sum;
}
