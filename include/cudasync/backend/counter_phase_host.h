// Arriving on a counter on the host: one addition a thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_COUNTER_PHASE_HOST_H
#define CUDASYNC_BACKEND_COUNTER_PHASE_HOST_H

#include <cudasync/core/config.h>

#if CUDASYNC_HAS_HOST

#include <cudasync/backend/counter.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

template <thread_scope Scope>
inline arrival arrive_counter(target::host, uint64& word, uint64 addend) {
  return arrive_alone<Scope>(word, addend);
}

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_HAS_HOST

#endif
