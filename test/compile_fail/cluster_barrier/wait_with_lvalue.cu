// A wait consumes the token: the phase that it stands for is over.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: an rvalue reference cannot be bound to an lvalue|cannot bind rvalue reference|no instance of (overloaded )?function.*wait
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

using cudasync::cluster_barrier;

__device__ void meet() {
  auto token = cluster_barrier::arrive();
#if defined(CUDASYNC_EXPECT_ERROR)
  cluster_barrier::wait(token);
#else
  cluster_barrier::wait(static_cast<decltype(token)&&>(token));
#endif
}
