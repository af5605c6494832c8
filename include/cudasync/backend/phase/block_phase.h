// The phase of a block's barrier: an mbarrier in shared memory on sm_80 and newer, a counter elsewhere.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_PHASE_BLOCK_PHASE_H
#define CUDASYNC_BACKEND_PHASE_BLOCK_PHASE_H

#include <cudasync/backend/phase/gate_phase.h>

#if CUDASYNC_CUDA
#include <cudasync/backend/phase/block_phase_device.h>
#endif

// The functions of every phase (phase.h) are those of gate_phase, unless the target has mbarriers. Besides them: after
// init, publish_initialized_barriers(here) makes barriers visible to other blocks and to the copy engine.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

CUDASYNC_API block_phase::block_phase(uint64 count, empty_completion) {
  init(target::here{}, *this, count, empty_completion{});
}

template <class Phase>
CUDASYNC_API void invalidate(target::any, Phase&) {}

// Before sm_90, only threads of the block use a barrier, so synchronizing the block is sufficient.
CUDASYNC_API void publish_initialized_barriers(target::any) {}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif
