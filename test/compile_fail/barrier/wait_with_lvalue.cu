// A wait consumes the token: it is moved, and the phase it names is over.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: barrier::wait consumes the token: pass std::move\(token\)
// COMPILERS: nvrtc nvcc
#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

struct kept_token {
  block_barrier::arrival_token token;
  __device__ operator block_barrier::arrival_token() const { return token; }
};

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void cross(block_barrier& bar) {
  auto token = bar.arrive();
  bar.wait(token);
}
#else
__device__ void cross(block_barrier& bar) {
  auto token = bar.arrive();
  bar.wait(static_cast<block_barrier::arrival_token&&>(token));
  const kept_token kept{bar.arrive()};
  bar.wait(kept);  // converts to a token
}
#endif
