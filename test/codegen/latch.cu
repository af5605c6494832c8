// A latch counts down by one RED that nobody waits for, a warp at a time, and polls with relaxed loads and one acquire at the end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVCC: 80 90
// LIMIT: ours_arrive_and_wait sm_90 41
// The SASS of some kernels, in the order of their names:
// SASS-LABEL: ours_arrive_and_wait:
// SASS: MEMBAR.{{(ALL|SC)}}.GPU
// SASS-NOT: {{(MEMBAR|ATOM)}}
// SASS: RED{{G?}}.E.ADD.STRONG.GPU
// SASS-NOT: {{(MEMBAR|ATOM)}}
// SASS: NANOSLEEP
// SASS: LD{{G?}}.E.STRONG.GPU
// SASS: NANOSLEEP
// SASS: CCTL.IVALL
// SASS-LABEL: ours_count_down:
// SASS: MEMBAR.{{(ALL|SC)}}.GPU
// SASS: RED{{G?}}.E.ADD.STRONG.GPU
// SASS-NOT: {{(ATOM|BRA)}}
// SASS-LABEL: ours_count_down_in_block:
// SASS: MEMBAR.ALL.CTA
// SASS: ATOMS.ADD RZ
// SASS-NOT: BRA
// SASS-LABEL: ours_count_down_many:
#include <cuda/latch>

using device_latch = cuda::latch<cuda::thread_scope_device>;
using block_latch = cuda::latch<cuda::thread_scope_block>;

__device__ void acquire() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.acquire.gpu;" ::: "memory");
#else
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
#endif
}

__device__ void acquire_in_block() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.acquire.cta;" ::: "memory");
#else
  asm volatile("fence.acq_rel.cta;" ::: "memory");
#endif
}

__device__ void hand_count_down_by(unsigned* count, unsigned number) {
  asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(count)), "r"(0 - number)
               : "memory");
}

__device__ unsigned poll(const unsigned* count) {
  unsigned value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(count)) : "memory");
  return value;
}

__device__ unsigned poll_and_acquire(const unsigned* count) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(count)) : "memory");
  return value;
}

template <unsigned Step, class Poll>
__device__ bool hand_is_soon_zero(Poll poll) {
#pragma unroll Step
  for (unsigned polls = 0; polls < 16; ++polls)
    if (poll() == 0) return true;
  return false;
}

// Before sm_90, a fence that acquires takes long, so the polls without pauses acquire instead.
__device__ void hand_wait_for(const unsigned* count) {
#if __CUDA_ARCH__ >= 900
  if (!hand_is_soon_zero<4>([&] { return poll(count); }))
    while (poll(count) != 0)
      __nanosleep(20);
  acquire();
#else
  if (!hand_is_soon_zero<4>([&] { return poll_and_acquire(count); })) {
    do {
      __nanosleep(20);
    } while (poll(count) != 0);
    acquire();
  }
#endif
}

__device__ unsigned address_of(const void* object) {
  return static_cast<unsigned>(__cvta_generic_to_shared(object));
}

__device__ void hand_count_down_by_in_block(unsigned* count, unsigned number) {
  [[maybe_unused]] unsigned before;
  asm volatile("atom.release.cta.shared.add.u32 %0, [%1], %2;"
               : "=r"(before)
               : "r"(address_of(count)), "r"(0 - number)
               : "memory");
}

__device__ unsigned poll_in_block(const unsigned* count) {
  unsigned value;
  asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(value) : "r"(address_of(count)) : "memory");
  return value;
}

__device__ void hand_wait_for_in_block(const unsigned* count) {
  if (!hand_is_soon_zero<16>([=] { return poll_in_block(count); }))
    while (poll_in_block(count) != 0)
      __nanosleep(20);
  acquire_in_block();
}

extern "C" {

// --- In global memory ---

__global__ void ours_count_down(device_latch* all) {
  all->count_down();
}
__global__ void hand_count_down(unsigned* all) {
  hand_count_down_by(all, 1);
}

__global__ void ours_count_down_many(device_latch* all, int number) {
  all->count_down(number);
}
__global__ void hand_count_down_many(unsigned* all, int number) {
  hand_count_down_by(all, number);
}

__global__ void ours_try_wait(const device_latch* all, int* done) {
  *done = all->try_wait();
}
__global__ void hand_try_wait(const unsigned* all, int* done) {
  unsigned count;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(count) : "l"(__cvta_generic_to_global(all)) : "memory");
  *done = count == 0;
}

__global__ void ours_wait(const device_latch* all) {
  all->wait();
}
__global__ void hand_wait(const unsigned* all) {
  hand_wait_for(all);
}

// PTX-LABEL: .entry ours_arrive_and_wait(
// PTX-NOT: {{(fence|atom)[.]}}
// PTX: red.release.gpu.global.add.u32
// PTX-NOT: {{(fence|atom)[.]}}
// PTX-SM70-COUNT-4: ld.acquire.gpu.global.u32
// PTX: ld.relaxed.gpu.global.u32
// PTX: fence.{{acquire|acq_rel}}.gpu;
// PTX-NOT: {{(fence|ld.acquire)}}
// PTX-LABEL: .entry hand_arrive_and_wait(
__global__ void ours_arrive_and_wait(device_latch* all) {
  all->arrive_and_wait();
}
__global__ void hand_arrive_and_wait(unsigned* all) {
  hand_count_down_by(all, 1);
  __nanosleep(20);
  __nanosleep(20);
  hand_wait_for(all);
}

// --- In shared memory, for a block ---

__global__ void ours_count_down_in_block() {
  extern __shared__ block_latch latches[];
  latches[0].count_down();
}
__global__ void hand_count_down_in_block() {
  extern __shared__ unsigned count[];
  hand_count_down_by_in_block(count, 1);
}

__global__ void ours_arrive_and_wait_in_block() {
  extern __shared__ block_latch latches[];
  latches[0].arrive_and_wait();
}
__global__ void hand_arrive_and_wait_in_block() {
  extern __shared__ unsigned count[];
  hand_count_down_by_in_block(count, 1);
  hand_wait_for_in_block(count);
}

}  // extern "C"
