// Waiting for a phase word on the device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_PHASE_WORD_DEVICE_H
#define CUDASYNC_BACKEND_PHASE_WORD_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/backend/hang_guard.h>
#include <cudasync/backend/phase_bits.h>
#include <cudasync/backend/word_device.h>
#include <cudasync/ptx/special_registers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

CUDASYNC_DEVICE uint64 now(target::sm70) {
  return ptx::globaltimer();
}

// Polls at full speed at first, then every 64 ns: a longer or a growing sleep would wake late.
template <thread_scope Scope>
CUDASYNC_DEVICE bool await_flip(target::sm70 here, const uint64& word, uint64 token, uint64 limit) {
  const uint64 start = limit == forever ? 0 : now(here);
  hang_guard guard;
  for (uint32 polls = 0;; ++polls) {
    if (has_flipped(token, load_acquire<Scope>(here, word))) return true;
    if (limit != forever && now(here) - start >= limit) return false;
    if (polls >= 16) __nanosleep(64);
    guard.check("barrier kept as a counter", &word);
  }
}

CUDASYNC_DEVICE void wake_sleepers(target::sm70, uint64&, uint64) {}

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA

#endif
