// st.async has no type of 2 bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: this operand of cuda::ptx has the wrong size: convert it to an integer of 4 or 8 bytes
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void use(int* place, cuda::std::uint64_t* bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  short value = 1;
  ptx::st_async(reinterpret_cast<short*>(place), value, bar);
#else
  ptx::st_async(place, 1, bar);
#endif
}
