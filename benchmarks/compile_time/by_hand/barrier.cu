// Arrives at a barrier and waits for it, in PTX.
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
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  data[threadIdx.x] += 1;
  const unsigned long long token = arrive(&bar);
  wait(&bar, token);
  data[threadIdx.x] += data[threadIdx.x ^ 1];
  wait(&bar, arrive(&bar));
}
