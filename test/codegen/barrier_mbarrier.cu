// A block's barrier in shared memory on sm_80 and newer costs what the mbarrier instructions cost that a hand would write.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 80+
// NVCC: 80 90
// LIMIT: ours_wait_parity sm_80 10
// SASS-SM80: ATOMS.ARRIVE
// SASS-SM90+: SYNCS.ARRIVE
#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

#if __CUDA_ARCH__ >= 900
#define WAIT "mbarrier.try_wait"
#else
#define WAIT "mbarrier.test_wait"
#endif

__device__ unsigned address_of(block_barrier* bar) {
  return static_cast<unsigned>(__cvta_generic_to_shared(bar));
}

__device__ unsigned long long hand_arrive_on(unsigned bar) {
  unsigned long long state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(bar) : "memory");
  return state;
}

#if __CUDA_ARCH__ >= 900
// Loops in C++: ptxas moves their first try in front of the work between an arrival and a wait.
__device__ void hand_wait_for(unsigned bar, unsigned long long state) {
  unsigned done = 0;
  while (done == 0)
    asm volatile("{ .reg .pred p;\nmbarrier.try_wait.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(bar), "l"(state)
                 : "memory");
}

__device__ void hand_wait_for_parity(unsigned bar, unsigned parity) {
  unsigned done = 0;
  while (done == 0)
    asm volatile("{ .reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(bar), "r"(parity)
                 : "memory");
}
#else
__device__ void hand_wait_for(unsigned bar, unsigned long long state) {
  asm volatile("{ .reg .pred done;\nagain: mbarrier.test_wait.shared.b64 done, [%0], %1;\n@done bra through;\n"
               "nanosleep.u32 20;\nbra again;\nthrough: }" ::"r"(bar),
               "l"(state)
               : "memory");
}

__device__ void hand_wait_for_parity(unsigned bar, unsigned parity) {
  asm volatile("{ .reg .pred done;\nagain: mbarrier.test_wait.parity.shared.b64 done, [%0], %1;\n@done bra through;\n"
               "nanosleep.u32 20;\nbra again;\nthrough: }" ::"r"(bar),
               "r"(parity)
               : "memory");
}
#endif

extern "C" {

__global__ void ours_init(int count) {
  __shared__ block_barrier bar;
  init(&bar, count);
}
__global__ void hand_init(int count) {
  __shared__ block_barrier bar;
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address_of(&bar)), "r"(count) : "memory");
}

__global__ void ours_arrive() {
  extern __shared__ block_barrier bars[];
  bars[0].arrive();
}
__global__ void hand_arrive() {
  extern __shared__ block_barrier bars[];
  hand_arrive_on(address_of(bars));
}

__global__ void ours_arrive_three() {
  extern __shared__ block_barrier bars[];
  bars[0].arrive(3);
}
__global__ void hand_arrive_three() {
  extern __shared__ block_barrier bars[];
  [[maybe_unused]] unsigned long long state;
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1], 3;" : "=l"(state) : "r"(address_of(bars)) : "memory");
#else
  asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 2;" : "=l"(state) : "r"(address_of(bars)) : "memory");
  hand_arrive_on(address_of(bars));
#endif
}

__global__ void ours_arrive_and_drop() {
  extern __shared__ block_barrier bars[];
  bars[0].arrive_and_drop();
}
__global__ void hand_arrive_and_drop() {
  extern __shared__ block_barrier bars[];
  [[maybe_unused]] unsigned long long state;
  asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(state) : "r"(address_of(bars)) : "memory");
}

__global__ void ours_arrive_and_wait() {
  extern __shared__ block_barrier bars[];
  bars[0].arrive_and_wait();
}
__global__ void hand_arrive_and_wait() {
  extern __shared__ block_barrier bars[];
  const unsigned bar = address_of(bars);
  hand_wait_for(bar, hand_arrive_on(bar));
}

#if __CUDA_ARCH__ >= 900
// Beside other shared variables, in a loop: ptxas must not compute their addresses again in each round.
#define SUM_IN_ROUNDS(MEET)                                   \
  __shared__ unsigned parts[8];                               \
  __shared__ unsigned total;                                  \
  unsigned sum = threadIdx.x;                                 \
  for (int round = 0; round < rounds; ++round) {              \
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum; \
    MEET;                                                     \
    if (threadIdx.x == 0) total = parts[0] + parts[7];        \
    MEET;                                                     \
    sum = sum * 3 + total;                                    \
  }                                                           \
  sums[threadIdx.x] = sum
__global__ void ours_sum_in_rounds(unsigned* sums, int rounds) {
  extern __shared__ block_barrier bars[];
  SUM_IN_ROUNDS(bars[0].arrive_and_wait());
}
__global__ void hand_sum_in_rounds(unsigned* sums, int rounds) {
  extern __shared__ block_barrier bars[];
  const unsigned bar = address_of(bars);
  SUM_IN_ROUNDS(hand_wait_for(bar, hand_arrive_on(bar)));
}
#endif

__global__ void ours_split(int* data) {
  extern __shared__ block_barrier bars[];
  auto token = bars[0].arrive();
  data[threadIdx.x] = 1;
  bars[0].wait(static_cast<decltype(token)&&>(token));
}
__global__ void hand_split(int* data) {
  extern __shared__ block_barrier bars[];
  const unsigned bar = address_of(bars);
  const unsigned long long state = hand_arrive_on(bar);
  data[threadIdx.x] = 1;
  hand_wait_for(bar, state);
}

__global__ void ours_wait_parity() {
  extern __shared__ block_barrier bars[];
  bars[0].wait_parity(false);
}
__global__ void hand_wait_parity() {
  extern __shared__ block_barrier bars[];
  hand_wait_for_parity(address_of(bars), 0);
}

__global__ void ours_wait_parity_of(bool parity) {
  extern __shared__ block_barrier bars[];
  bars[0].wait_parity(parity);
}
__global__ void hand_wait_parity_of(bool parity) {
  extern __shared__ block_barrier bars[];
  hand_wait_for_parity(address_of(bars), parity);
}

__global__ void ours_try_wait(int* done) {
  extern __shared__ block_barrier bars[];
  *done = bars[0].try_wait(bars[0].arrive());
}
__global__ void hand_try_wait(int* done) {
  extern __shared__ block_barrier bars[];
  const unsigned bar = address_of(bars);
  unsigned complete;
  asm volatile("{ .reg .pred done; " WAIT ".shared.b64 done, [%1], %2; selp.u32 %0, 1, 0, done; }"
               : "=r"(complete)
               : "r"(bar), "l"(hand_arrive_on(bar))
               : "memory");
  *done = static_cast<int>(complete);
}

__global__ void ours_try_wait_parity(int* done) {
  extern __shared__ block_barrier bars[];
  *done = bars[0].try_wait_parity(true);
}
__global__ void hand_try_wait_parity(int* done) {
  extern __shared__ block_barrier bars[];
  unsigned complete;
  asm volatile("{ .reg .pred done; " WAIT ".parity.shared.b64 done, [%1], 1; selp.u32 %0, 1, 0, done; }"
               : "=r"(complete)
               : "r"(address_of(bars))
               : "memory");
  *done = static_cast<int>(complete);
}

__global__ void ours_invalidate() {
  extern __shared__ block_barrier bars[];
  invalidate(bars);
}
__global__ void hand_invalidate() {
  extern __shared__ block_barrier bars[];
  asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(address_of(bars)) : "memory");
}

}  // extern "C"
