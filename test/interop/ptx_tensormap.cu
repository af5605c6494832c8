// tensormap_replace_* of <cuda/ptx> for an architecture that has the instruction, but not in the toolkit's own CCCL 3.0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CCCL: libcudacxx/test/libcudacxx/cuda/ptx/ptx.tensormap.replace
// arch: 120a
// passes: all
#include <cuda/ptx>

__global__ void change(void* map, uint64_t array) {
  alignas(128) __shared__ char copy[128];
  cuda::ptx::tensormap_replace_global_address(cuda::ptx::space_global, map, array);
  cuda::ptx::tensormap_replace_rank(cuda::ptx::space_shared, copy, 1);
  cuda::ptx::tensormap_replace_box_dim(cuda::ptx::space_shared, copy, cuda::ptx::n32_t<0>{}, 16);
  cuda::ptx::tensormap_replace_swizzle_mode(cuda::ptx::space_shared, copy, cuda::ptx::n32_t<1>{});
  cuda::ptx::tensormap_cp_fenceproxy(cuda::ptx::sem_release, cuda::ptx::scope_gpu, map, copy, cuda::ptx::n32_t<128>{});
}
