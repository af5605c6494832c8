// cuda::thread_scope: the set of threads that an object synchronizes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_SCOPE_H
#define CUDASYNC_CORE_SCOPE_H

#include <cudasync/core/config.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {

// Unscoped, and with libcu++'s values: both spellings and both numberings are in use.
enum thread_scope {
  thread_scope_system = 0,
  thread_scope_device = 1,
  thread_scope_block = 2,
  thread_scope_cluster = 3,
  thread_scope_thread = 10,
};

}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
