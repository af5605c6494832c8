// red.async has no minimum of 8 bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: red_async has no such operation on values of this type: .* takes the minimum and the maximum of integers of 4 bytes
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void use(unsigned* place, cuda::std::uint64_t* bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  ptx::red_async(ptx::op_min, reinterpret_cast<cuda::std::uint64_t*>(place), 1, bar);
#else
  ptx::red_async(ptx::op_min, place, 1, bar);
#endif
}
