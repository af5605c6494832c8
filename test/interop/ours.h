// Included after the others' headers: a kernel with our barrier, and proof that cuda::barrier and its names are ours.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>

template <class First, class Second>
constexpr bool is_same = false;
template <class Type>
constexpr bool is_same<Type, Type> = true;

using block_barrier = cuda::barrier<cuda::thread_scope_block>;
static_assert(is_same<block_barrier, cudasync::barrier<cudasync::thread_scope_block>>, "");
static_assert(is_same<cuda::std::barrier<>, cudasync::standard::barrier<>>, "");
static_assert(is_same<cuda::thread_scope, cudasync::thread_scope>, "");
static_assert(is_same<cuda::std::thread_scope, cudasync::thread_scope>, "");
static_assert(is_same<cuda::aligned_size_t<16>, cudasync::aligned_size_t<16>>, "");
static_assert(cuda::std::thread_scope_device == cuda::thread_scope::thread_scope_device, "");

__global__ void kernel_with_barrier(int* data, int* timed_out) {
  __shared__ block_barrier bar;
  alignas(16) __shared__ int tile[32];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  if (threadIdx.x == 0) cuda::device::memcpy_async_tx(tile, data, cuda::aligned_size_t<16>(sizeof(tile)), bar);
  auto token = cuda::device::barrier_arrive_tx(bar, 1, threadIdx.x == 0 ? sizeof(tile) : 0);
  if (!bar.try_wait_for(token, cuda::std::chrono::nanoseconds(100))) *timed_out = 1;
  bar.wait(cuda::std::move(token));
  data[threadIdx.x] = tile[threadIdx.x];
  if (cuda::ptx::elect_sync(0xffffffff)) *cuda::device::barrier_native_handle(bar) = cuda::std::uint64_t{0};
}
