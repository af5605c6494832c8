// Before sm_80 a block's barrier in shared memory is a counter: one atomic an arrival, one load a poll, as by hand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 70 75
// SASS: ATOMS.ADD
#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

// The words of the counter: the expected count, and the parity above the arrivals that are pending.
struct words {
  unsigned expected;
  unsigned pending;
};

__device__ unsigned address_of(const void* object) {
  return static_cast<unsigned>(__cvta_generic_to_shared(object));
}

__device__ unsigned load_acquire(unsigned address) {
  unsigned value;
  asm volatile("ld.acquire.cta.shared.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
  return value;
}

__device__ unsigned hand_arrive_on(words* bar, unsigned arrivals) {
  constexpr unsigned parity = 1u << 31;
  unsigned before;
  asm volatile("atom.release.cta.shared.add.u32 %0, [%1], %2;"
               : "=r"(before)
               : "r"(address_of(&bar->pending)), "r"(0 - arrivals)
               : "memory");
  if ((before & ~parity) == arrivals) {
    load_acquire(address_of(&bar->pending));
    unsigned expected;
    asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(expected) : "r"(address_of(&bar->expected)) : "memory");
    asm volatile("st.release.cta.shared.u32 [%0], %1;" ::"r"(address_of(&bar->pending)),
                 "r"((~before & parity) | (expected & ~parity))
                 : "memory");
  }
  return before;
}

__device__ void hand_wait_for(words* bar, unsigned phase) {
  for (unsigned polls = 0; static_cast<int>(phase ^ load_acquire(address_of(&bar->pending))) >= 0; ++polls)
    if (polls >= 16) __nanosleep(64);
}

extern "C" {

__global__ void ours_arrive() {
  extern __shared__ block_barrier bars[];
  bars[0].arrive();
}
__global__ void hand_arrive() {
  extern __shared__ words bar[];
  hand_arrive_on(bar, 1);
}

__global__ void ours_arrive_three() {
  extern __shared__ block_barrier bars[];
  bars[0].arrive(3);
}
__global__ void hand_arrive_three() {
  extern __shared__ words bar[];
  hand_arrive_on(bar, 3);
}

__global__ void ours_arrive_and_wait() {
  extern __shared__ block_barrier bars[];
  bars[0].arrive_and_wait();
}
__global__ void hand_arrive_and_wait() {
  extern __shared__ words bar[];
  hand_wait_for(bar, hand_arrive_on(bar, 1));
}

__global__ void ours_split(int* data) {
  extern __shared__ block_barrier bars[];
  auto token = bars[0].arrive();
  data[threadIdx.x] = 1;
  bars[0].wait(static_cast<decltype(token)&&>(token));
}
__global__ void hand_split(int* data) {
  extern __shared__ words bar[];
  const unsigned token = hand_arrive_on(bar, 1);
  data[threadIdx.x] = 1;
  hand_wait_for(bar, token);
}

__global__ void ours_wait_parity() {
  extern __shared__ block_barrier bars[];
  bars[0].wait_parity(true);
}
__global__ void hand_wait_parity() {
  extern __shared__ words bar[];
  hand_wait_for(bar, 1u << 31);
}

__global__ void ours_try_wait_parity(int* done) {
  extern __shared__ block_barrier bars[];
  *done = bars[0].try_wait_parity(false);
}
__global__ void hand_try_wait_parity(int* done) {
  extern __shared__ words bar[];
  *done = static_cast<int>(load_acquire(address_of(&bar->pending)) >> 31);
}

}  // extern "C"
