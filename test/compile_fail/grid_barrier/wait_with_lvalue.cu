// A wait consumes the token: the phase that it names is over.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: an rvalue reference cannot be bound to an lvalue|cannot bind rvalue reference|no instance of (overloaded )?function.*wait
#include <cudasync/grid_barrier.h>

__device__ void meet(cudasync::grid_barrier<>& bar) {
  auto token = bar.arrive();
#if defined(CUDASYNC_EXPECT_ERROR)
  bar.wait(token);
#else
  bar.wait(static_cast<decltype(token)&&>(token));
#endif
}
