// A thread's pipeline comes from make_pipeline, too.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: (is inaccessible|is private)
#include <cuda/pipeline>

__device__ void misuse() {
#if defined(CUDASYNC_EXPECT_ERROR)
  cuda::pipeline<cuda::thread_scope_thread> pipe;
  pipe.producer_commit();
#else
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  pipe.producer_commit();
#endif
}
