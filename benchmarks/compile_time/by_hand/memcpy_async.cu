// A barrier waits for a copy by each thread, in PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__device__ inline unsigned offset(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}
__device__ inline void init(void* bar, unsigned count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(offset(bar)), "r"(count) : "memory");
}
__device__ inline unsigned long long arrive(void* bar) {
  unsigned long long token;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(offset(bar)) : "memory");
  return token;
}
__device__ inline void wait(void* bar, unsigned long long token) {
  for (unsigned done = 0; done == 0;)
    asm volatile("{ .reg .pred done; mbarrier.try_wait.shared.b64 done, [%1], %2; selp.u32 %0, 1, 0, done; }"
                 : "=r"(done)
                 : "r"(offset(bar)), "l"(token)
                 : "memory");
}

__global__ void kernel(float* data) {
  __shared__ unsigned long long bar;
  __shared__ alignas(16) float tile[4 * 256];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(offset(tile + 4 * threadIdx.x)),
               "l"(__cvta_generic_to_global(data + 4 * threadIdx.x))
               : "memory");
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(offset(&bar)) : "memory");
  wait(&bar, arrive(&bar));
  data[threadIdx.x] = tile[threadIdx.x ^ 1];
}
