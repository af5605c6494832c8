// The 8 bytes of a block's barrier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_BLOCK_PHASE_TYPE_H
#define CUDASYNC_BACKEND_BLOCK_PHASE_TYPE_H

#include <cudasync/backend/gate_phase.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

struct alignas(8) block_phase {
  gate_phase<thread_scope_block, uint32, empty_completion> counter;  // unless the target keeps an mbarrier there
};

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
