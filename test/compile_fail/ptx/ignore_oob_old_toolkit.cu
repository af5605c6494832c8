// CUDA 13.0 does not assemble .ignore_oob.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: this function of cuda::ptx needs PTX ISA 9.2: compile with CUDA 13.2 or newer
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void use(void* tile, const void* source, cuda::std::uint64_t* bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  ptx::cp_async_bulk_ignore_oob(ptx::space_shared, ptx::space_global, tile, source, 16, 1, 2, bar);
#else
  ptx::cp_async_bulk(ptx::space_shared, ptx::space_global, tile, source, 16, bar);
#endif
}
