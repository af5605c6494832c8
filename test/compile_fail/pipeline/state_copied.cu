// The threads that use the state hold its address.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: (cannot be referenced -- it is a deleted function|use of deleted function)
#include <cuda/pipeline>

__device__ void misuse(cuda::pipeline_shared_state<cuda::thread_scope_block, 2>& state) {
#if defined(CUDASYNC_EXPECT_ERROR)
  auto other = state;
  static_cast<void>(other);
#else
  auto& other = state;
  static_cast<void>(other);
#endif
}
