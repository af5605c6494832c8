// One kernel per operation on pipelines and copies, compiled with each library's <cuda/pipeline> for sass_counts.py.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>
#include <cuda/pipeline>

#include <cooperative_groups.h>

#pragma nv_diag_suppress static_var_with_dynamic_init

using barrier = cuda::barrier<cuda::thread_scope_block>;

extern "C" __global__ void op_thread_ring_of_4(float4* out, const float4* source, unsigned count) {
  constexpr unsigned stages = 4;
  __shared__ float4 ring[stages][128];
  auto pipe = cuda::make_pipeline();
  float4 sum{};
  unsigned fetched = 0;
  for (unsigned number = 0; number < count; ++number) {
    for (; fetched < count && fetched < number + stages; ++fetched) {
      pipe.producer_acquire();
      cuda::memcpy_async(&ring[fetched % stages][threadIdx.x], source + fetched * 128 + threadIdx.x, sizeof(float4),
                         pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum.x += ring[number % stages][threadIdx.x].x;
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

extern "C" __global__ void op_block_ring_of_2(float* out, const float4* source, unsigned count) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ float4 ring[2][128];
  const auto block = cooperative_groups::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  float sum = 0;
  unsigned fetched = 0;
  for (unsigned number = 0; number < count; ++number) {
    for (; fetched < count && fetched < number + 2; ++fetched) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, ring[fetched % 2], source + fetched * 128, cuda::aligned_size_t<16>(2048), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += ring[number % 2][127 - threadIdx.x].x;
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

extern "C" __global__ void op_memcpy_async_chars(const char* source, unsigned bytes) {
  __shared__ barrier bar;
  alignas(16) __shared__ char tile[4096];
  cuda::memcpy_async(cooperative_groups::this_thread_block(), tile, source, bytes, bar);
}

extern "C" __global__ void op_memcpy_async_vectors(const float4* source, unsigned bytes) {
  __shared__ barrier bar;
  __shared__ float4 tile[256];
  cuda::memcpy_async(cooperative_groups::this_thread_block(), tile, source, cuda::aligned_size_t<16>(bytes), bar);
}

// Hand-written, and the same for all libraries.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

extern "C" __global__ void op_thread_ring_of_4_by_hand(float4* out, const float4* source, unsigned count) {
  constexpr unsigned stages = 4;
  __shared__ float4 ring[stages][128];
  float4 sum{};
  const auto fetch = [&](unsigned number) {
    if (number < count)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                       static_cast<unsigned>(__cvta_generic_to_shared(&ring[number % stages][threadIdx.x]))),
                   "l"(__cvta_generic_to_global(source + number * 128 + threadIdx.x))
                   : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  for (unsigned number = 0; number < stages - 1; ++number)
    fetch(number);
  for (unsigned number = 0; number < count; ++number) {
    fetch(number + stages - 1);
    asm volatile("cp.async.wait_group 3;" ::: "memory");
    sum.x += ring[number % stages][threadIdx.x].x;
  }
  out[threadIdx.x] = sum;
}

#endif
