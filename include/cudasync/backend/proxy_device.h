// Fences between ordinary accesses and those of the copy engine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_PROXY_DEVICE_H
#define CUDASYNC_BACKEND_PROXY_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/core/target.h>
#include <cudasync/ptx/fence.h>
#include <cudasync/ptx/qualifiers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

// For copies into the shared memory of several blocks: what threads have read and written there they let come before copies
// by a fence of their own, before they arrive ...
CUDASYNC_DEVICE void fence_before_arrival(target::sm90) {
  ptx::fence_proxy_async(ptx::space_shared);
}
// ... and the copying thread what was written to global memory.
CUDASYNC_DEVICE void fence_before_copies_to_blocks(target::sm90) {
  ptx::fence_proxy_async(ptx::space_global);
}

// Both: what this thread, and threads that have synchronized with it, have read and written in shared and in global memory
// comes before the copies that it begins next. Two fences of one space each: the one for all spaces waits for every store of
// the thread to reach the L2 cache, 250 to 400 cycles. docs/design/decisions.md has what was measured.
CUDASYNC_DEVICE void fence_before_copies(target::sm90 here) {
  fence_before_arrival(here);
  fence_before_copies_to_blocks(here);
}

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA

#endif
