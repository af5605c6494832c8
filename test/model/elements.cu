// Additions to the elements of vectors, each atomic by itself: in each memory, also for types that are not built in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct __half {
  unsigned short bits;
};
struct __nv_bfloat16 {
  unsigned short bits;
};
struct alignas(4) __half2 {
  __half x, y;
};
struct alignas(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
};

#include "kernel.h"

#include <cuda/atomic>

constexpr __half2 one_and_two{{0x3c00}, {0x4000}};
constexpr __nv_bfloat162 one_and_two_brain{{0x3f80}, {0x4000}};

// Eight threads add 1 to the first element and 2 to the second one.
template <class Vector>
__device__ bool is_8_and_16(const Vector& sum, unsigned short eight, unsigned short sixteen) {
  return sum.x.bits == eight && sum.y.bits == sixteen;
}

// run: block=8
extern "C" __global__ void halves(unsigned* failures, int* scratch) {
  __shared__ __half2 in_shared;
  auto& in_global = *reinterpret_cast<__half2*>(scratch);
  if (threadIdx.x == 0) in_shared = {};
  __syncthreads();
  cudasync::device::store_add_elements<cuda::thread_scope_block>(&in_shared, one_and_two);
  cudasync::device::store_add_elements<cuda::thread_scope_device>(&in_global, one_and_two);
  __syncthreads();
  EXPECT(is_8_and_16(in_shared, 0x4800, 0x4c00) && is_8_and_16(in_global, 0x4800, 0x4c00));
}

// run: block=8
extern "C" __global__ void brain_floats(unsigned* failures, int* scratch) {
  __shared__ __nv_bfloat162 in_shared;
  auto& in_global = *reinterpret_cast<__nv_bfloat162*>(scratch);
  if (threadIdx.x == 0) in_shared = {};
  __syncthreads();
  cudasync::device::store_add_elements<cuda::thread_scope_block>(&in_shared, one_and_two_brain);
  cudasync::device::store_add_elements<cuda::thread_scope_device>(&in_global, one_and_two_brain);
  __syncthreads();
  EXPECT(is_8_and_16(in_shared, 0x4100, 0x4180) && is_8_and_16(in_global, 0x4100, 0x4180));
}

// run: block=8
extern "C" __global__ void floats(unsigned* failures, int*) {
  __shared__ float2 two;
  __shared__ float4 four;
  if (threadIdx.x == 0) two = float2{}, four = float4{};
  __syncthreads();
  cudasync::device::store_add_elements<cuda::thread_scope_block>(&two, float2{1, 2});
  cudasync::device::store_add_elements<cuda::thread_scope_block>(&four, float4{1, 2, 3, 4});
  __syncthreads();
  EXPECT(two.x == 8 && two.y == 16 && four.x == 8 && four.y == 16 && four.z == 24 && four.w == 32);
}
