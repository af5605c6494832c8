// One kernel per operation on a barrier in shared memory, compiled with each library's header for sass_counts.py.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>

#pragma nv_diag_suppress static_var_with_dynamic_init

using barrier = cuda::barrier<cuda::thread_scope_block>;

extern "C" __global__ void op_empty() {}

extern "C" __global__ void op_arrive_and_wait() {
  __shared__ barrier bar;
  bar.arrive_and_wait();
}

extern "C" __global__ void op_arrive(barrier::arrival_token* out) {
  __shared__ barrier bar;
  *out = bar.arrive();
}

extern "C" __global__ void op_wait(const barrier::arrival_token* token) {
  __shared__ barrier bar;
  bar.wait(barrier::arrival_token(*token));
}

extern "C" __global__ void op_wait_parity(bool parity) {
  __shared__ barrier bar;
  bar.wait_parity(parity);
}

// CCCL has only try_wait_for, which tests once if the duration is zero.
extern "C" __global__ void op_try_wait(const barrier::arrival_token* token, bool* out) {
  __shared__ barrier bar;
#if defined(CUDASYNC_VERSION)
  *out = bar.try_wait(*token);
#else
  *out = bar.try_wait_for(barrier::arrival_token(*token), cuda::std::chrono::nanoseconds(0));
#endif
}

// The memory space is unknown to the compiler.
extern "C" __global__ void op_arrive_and_wait_anywhere(barrier* bar) {
  asm volatile("" : "+l"(bar));
  bar->arrive_and_wait();
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

extern "C" __global__ void op_arrive_tx(barrier::arrival_token* out, unsigned bytes) {
  __shared__ barrier bar;
  *out = cuda::device::barrier_arrive_tx(bar, 1, bytes);
}

extern "C" __global__ void op_expect_tx(unsigned bytes) {
  __shared__ barrier bar;
  cuda::device::barrier_expect_tx(bar, bytes);
}

extern "C" __global__ void op_memcpy_async_tx(const int4* source, unsigned bytes) {
  __shared__ barrier bar;
  alignas(16) __shared__ int4 tile[64];
  cuda::device::memcpy_async_tx(tile, source, cuda::aligned_size_t<16>(bytes), bar);
}

#endif
