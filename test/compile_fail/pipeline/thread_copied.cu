// A copy would count stages that the thread has already waited for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: (cannot be referenced -- it is a deleted function|use of deleted function)
#include <cuda/pipeline>

__device__ void misuse(cuda::pipeline<cuda::thread_scope_thread>& pipe) {
#if defined(CUDASYNC_EXPECT_ERROR)
  auto other = pipe;
  other.consumer_wait();
#else
  auto other = static_cast<cuda::pipeline<cuda::thread_scope_thread>&&>(pipe);
  other.consumer_wait();
#endif
}
