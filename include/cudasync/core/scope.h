// cuda::thread_scope: the set of threads that an object synchronizes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_SCOPE_H
#define CUDASYNC_CORE_SCOPE_H

#include <cudasync/core/config.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// The threads that an object synchronizes. The enumeration is unscoped and has libcu++'s values: programs rely on both.
enum thread_scope {
  // All threads of the host and of all GPUs.
  thread_scope_system = 0,
  // The threads of one GPU.
  thread_scope_device = 1,
  // The threads of one block.
  thread_scope_block = 2,
  // The threads of one cluster; before sm_90, those of the GPU.
  thread_scope_cluster = 3,
  // One thread.
  thread_scope_thread = 10,
};

}}  // namespace cudasync::CUDASYNC_ABI

#endif
