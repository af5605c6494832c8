// A group of the program's own with traits of newer CCCL, and internal headers of CCCL that programs include by themselves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CCCL: libcudacxx/include/cuda/__memcpy_async/group_traits.h
#include <cuda/__barrier/barrier_arrive_tx.h>
#include <cuda/__barrier/barrier_expect_tx.h>
#include <cuda/__memcpy_async/memcpy_async_tx.h>

#include <cuda/pipeline>

struct block_of_rows {
  [[nodiscard]] __device__ unsigned size() const { return blockDim.x * blockDim.y; }
  [[nodiscard]] __device__ unsigned thread_rank() const { return threadIdx.y * blockDim.x + threadIdx.x; }
  __device__ void sync() const { __syncthreads(); }
};

#if __has_include(<cuda/__memcpy_async/group_traits.h>)
template <>
inline constexpr bool cuda::is_thread_block_group_v<block_of_rows> = true;
static_assert(cuda::is_thread_block_group_v<block_of_rows> && !cuda::is_warp_group_v<block_of_rows>);
#endif

__global__ void copy_rows(const int* data, int* result) {
  __shared__ alignas(16) int cells[64];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  const block_of_rows block;
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  cuda::memcpy_async(block, cells, data, sizeof cells, bar);
  bar.arrive_and_wait();
  if (block.thread_rank() == 0) {
    cuda::device::barrier_expect_tx(bar, sizeof cells);
    cuda::device::memcpy_async_tx(cells, data, cuda::aligned_size_t<16>(sizeof cells), bar);
  }
  bar.arrive_and_wait();
  result[block.thread_rank()] = cells[block.thread_rank()];
}
