// The phase of a block's barrier: an mbarrier in shared memory on sm_80 and newer, a counter elsewhere.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_PHASE_BLOCK_PHASE_H
#define CUDASYNC_BACKEND_PHASE_BLOCK_PHASE_H

#include <cudasync/backend/phase/gate_phase.h>

#if CUDASYNC_CUDA
#include <cudasync/backend/phase/block_phase_device.h>
#endif

// Besides the functions of every phase (phase.h): after init, publish_initialized_barriers(here) makes barriers visible
// to other blocks and to the copy engine.
namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

CUDASYNC_API void init(target::any, block_phase& phase, uint64 expected, empty_completion) {
  init(target::here{}, phase.counter, expected, empty_completion{});
}

CUDASYNC_API block_phase::block_phase(uint64 expected, empty_completion completion) {
  init(target::here{}, *this, expected, completion);
}

template <class Phase>
CUDASYNC_API void invalidate(target::any, Phase&) {}

// Before sm_90, only threads of the block use a barrier, so synchronizing the block is sufficient.
CUDASYNC_API void publish_initialized_barriers(target::any) {}

template <class Unused = void>
CUDASYNC_API uint64 arrive(target::any, block_phase& phase, uint64 update) {
  return arrive(target::here{}, phase.counter, update);
}

template <class Unused = void>
CUDASYNC_API void arrive_and_drop(target::any, block_phase& phase) {
  arrive_and_drop(target::here{}, phase.counter);
}

template <class Unused = void>
CUDASYNC_API void arrive_and_wait(target::any, block_phase& phase) {
  arrive_and_wait(target::here{}, phase.counter);
}

template <class Which>
CUDASYNC_API bool wait(target::any, const block_phase& phase, Which which, uint64 limit) {
  return wait(target::here{}, phase.counter, which, limit);
}

template <class Which>
CUDASYNC_API bool try_wait(target::any, const block_phase& phase, Which which) {
  return try_wait(target::here{}, phase.counter, which);
}

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
