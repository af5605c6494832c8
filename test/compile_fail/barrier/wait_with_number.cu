// A token names a phase; what is computed from it does not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: barrier::wait takes the token that arrive returned, not a floating-point number; pass the token with std::move
// COMPILERS: nvrtc nvcc
#include <cuda/barrier>

using system_barrier = cuda::barrier<cuda::thread_scope_system>;

__device__ void cross(system_barrier& bar) {
  auto token = bar.arrive();
#if defined(CUDASYNC_EXPECT_ERROR)
  bar.wait(token + 0.5);
#else
  bar.wait(static_cast<system_barrier::arrival_token&&>(token));
#endif
}
