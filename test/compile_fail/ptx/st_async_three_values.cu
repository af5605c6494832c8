// st.async stores one, two or four values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: st_async stores one value, two values of 4 or 8 bytes, or four of 4 bytes: use several calls
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void use(int* place, cuda::std::uint64_t* bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  const int values[3] = {1, 2, 3};
  ptx::st_async(place, values, bar);
#else
  const int values[2] = {1, 2};
  ptx::st_async(place, values, bar);
  ptx::st_async(place + 2, 3, bar);
#endif
}
