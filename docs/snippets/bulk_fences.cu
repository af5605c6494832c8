// Fences between ordinary accesses and bulk copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>

using barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int tile = 1024;  // floats

__device__ void reload(const float* next, float (&stage)[tile], float& sum, barrier& full) {
  // [fence]
  sum += stage[threadIdx.x];  // every thread reads the stage
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::device::fence_before_bulk_copy();  // then the copy overwrites it, and not before
    cuda::device::memcpy_async_tx(stage, next, cuda::aligned_size_t<16>(sizeof stage), full);
    cuda::device::barrier_arrive_tx(full, 1, sizeof stage);
  }
  // [end fence]
}

// [map]
__device__ void change_and_copy(CUtensorMap* map, const unsigned (&words)[32], float (&stage)[32][32], barrier& full) {
  if (threadIdx.x < 32) {
    reinterpret_cast<unsigned*>(map)[threadIdx.x] = words[threadIdx.x];
    cuda::device::release_tensor_map();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::device::acquire_tensor_map(map);
    cuda::device::experimental::cp_async_bulk_tensor_2d_global_to_shared(&stage, map, 0, 0, full);
    cuda::device::barrier_arrive_tx(full, 1, sizeof stage);
  }
}
// [end map]
