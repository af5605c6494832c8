// red.async adds no floating-point numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: red_async has no such operation on values of this type: it adds integers of 4 or 8 bytes
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void use(int* place, cuda::std::uint64_t* bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  ptx::red_async(ptx::op_add, reinterpret_cast<float*>(place), 1.0F, bar);
#else
  ptx::red_async(ptx::op_add, place, 1, bar);
#endif
}
