// Waiting polls in steps of four, pauses after a while, and acquires behind the loop, or before sm_90 in the first polls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVCC: 80 90
#include <cuda/atomic>

using device_atomic = cuda::atomic<unsigned, cuda::thread_scope_device>;

__device__ unsigned poll(const unsigned* flag) {
  unsigned value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(flag)) : "memory");
  return value;
}

__device__ void acquire() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.acquire.gpu;" ::: "memory");
#else
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
#endif
}

// Before sm_90, a fence that acquires takes long, so the polls without pauses acquire instead.
__device__ unsigned poll_soon(const unsigned* flag) {
#if __CUDA_ARCH__ >= 900
  return poll(flag);
#else
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(flag)) : "memory");
  return value;
#endif
}

template <class Poll>
__device__ bool hand_ends_soon(unsigned& value, unsigned least, Poll poll) {
#pragma unroll 4
  for (unsigned polls = 0; polls < 16; ++polls)
    if ((value = poll()) >= least) return true;
  return false;
}

__device__ unsigned hand_await_relaxed(const unsigned* flag, unsigned least) {
  unsigned value;
  if (!hand_ends_soon(value, least, [=] { return poll(flag); }))
    while ((value = poll(flag)) < least)
      __nanosleep(20);
  return value;
}

// Returns the value that ends the wait.
__device__ unsigned hand_await(const unsigned* flag, unsigned least) {
#if __CUDA_ARCH__ >= 900
  const unsigned value = hand_await_relaxed(flag, least);
  acquire();
#else
  unsigned value;
  if (!hand_ends_soon(value, least, [=] { return poll_soon(flag); })) {
    while ((value = poll(flag)) < least)
      __nanosleep(20);
    acquire();
  }
#endif
  return value;
}

extern "C" {

// PTX-LABEL: .entry ours_wait(
// PTX-NOT: fence
// PTX-SM70-COUNT-4: ld.acquire.gpu.global.u32
// PTX: ld.relaxed.gpu.global.u32
// PTX: fence.{{acquire|acq_rel}}.gpu;
// PTX-NOT: {{fence|ld.acquire}}
// PTX-LABEL: .entry hand_wait(
__global__ void ours_wait(const device_atomic* flag) {
  flag->wait(0, cuda::memory_order_acquire);
}
__global__ void hand_wait(const unsigned* flag) {
  hand_await(flag, 1);
}

// PTX-LABEL: .entry ours_wait_relaxed(
// PTX-NOT: fence
// PTX-LABEL: .entry hand_wait_relaxed(
__global__ void ours_wait_relaxed(const device_atomic* flag) {
  flag->wait(0, cuda::memory_order_relaxed);
}
__global__ void hand_wait_relaxed(const unsigned* flag) {
  hand_await_relaxed(flag, 1);
}

__global__ void ours_wait_for_predicate(const device_atomic* flag, unsigned least, unsigned* out) {
  *out = flag->wait([least](unsigned value) { return value >= least; }, cuda::memory_order_acquire);
}
__global__ void hand_wait_for_predicate(const unsigned* flag, unsigned least, unsigned* out) {
  *out = hand_await(flag, least);
}

// PTX-LABEL: .entry ours_wait_consistent(
// PTX: fence.sc.gpu;
// PTX-SM70-COUNT-4: ld.acquire.gpu.global.u32
// PTX: ld.relaxed.gpu.global.u32
// PTX: fence.{{acquire|acq_rel}}.gpu;
// PTX-NOT: fence
// PTX-LABEL: .entry hand_wait_consistent(
__global__ void ours_wait_consistent(const device_atomic* flag) {
  flag->wait(0);
}
__global__ void hand_wait_consistent(const unsigned* flag) {
  asm volatile("fence.sc.gpu;" ::: "memory");
  hand_await(flag, 1);
}

// The function waits like the member.
// PTX-LABEL: .entry ours_wait_by_function(
// PTX: fence.sc.gpu;
// PTX: ld.relaxed.gpu.global.u32
// PTX-LABEL: .entry hand_wait_by_function(
__global__ void ours_wait_by_function(const device_atomic* flag) {
  cuda::atomic_wait(flag, 0u);
}
__global__ void hand_wait_by_function(const unsigned* flag) {
  asm volatile("fence.sc.gpu;" ::: "memory");
  hand_await(flag, 1);
}

}  // extern "C"
