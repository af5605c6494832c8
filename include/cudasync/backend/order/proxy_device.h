// Fences between ordinary accesses and those of the copy engine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_ORDER_PROXY_DEVICE_H
#define CUDASYNC_BACKEND_ORDER_PROXY_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/core/target.h>
#include <cudasync/ptx/fence.h>
#include <cudasync/ptx/qualifiers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

// For copies into the shared memory of several blocks. Each thread that has read or written that memory executes this
// fence before it arrives, so that its accesses come before the copies.
CUDASYNC_DEVICE void fence_before_arrival(target::sm90) {
  ptx::fence_proxy_async(ptx::space_shared_t{});
}
// The thread that starts the copies executes this fence, so that writes to global memory come before the copies.
CUDASYNC_DEVICE void fence_before_copies_to_blocks(target::sm90) {
  ptx::fence_proxy_async(ptx::space_global_t{});
}

// Both fences: what this thread, and threads that have synchronized with it, have read and written in shared and in
// global memory comes before the copies that it starts next. A single fence for all spaces would wait until every store
// of the thread reaches the L2 cache, 250 to 400 cycles. The measurements are in docs/design/decisions/copy_engine.md.
CUDASYNC_DEVICE void fence_before_copies(target::sm90 here) {
  fence_before_arrival(here);
  fence_before_copies_to_blocks(here);
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif  // CUDASYNC_CUDA

#endif
