// A wait consumes the token: it is moved, and the phase it names is over.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: an rvalue reference cannot be bound to an lvalue|cannot bind rvalue reference
#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void cross(block_barrier& bar) {
  auto token = bar.arrive();
  bar.wait(token);
}
#else
__device__ void cross(block_barrier& bar) {
  auto token = bar.arrive();
  bar.wait(static_cast<block_barrier::arrival_token&&>(token));
}
#endif
