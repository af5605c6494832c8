// Copies for which a phase waits, and an arrival that they make when they are complete: recorded in the checked build.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CHECKED_COPIES_H
#define CUDASYNC_CHECKED_COPIES_H

#include <cudasync/backend/copy/copy.h>
#include <cudasync/checked/phase.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/target.h>
#include <cudasync/trace/span.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// The copies hold the phase, and are no arrivals.
template <class Phase>
CUDASYNC_API void note_copies(Phase& phase) {
  if constexpr (is_checked) record_copies(target::here{}, phase);
}

template <class Phase>
CUDASYNC_API void arrive_after_copies(Phase& phase, caller where = caller::here()) {
  const trace::span traced(trace::action::producer_commit, {&phase}, where);
  if constexpr (is_checked) record_later_arrival(target::here{}, phase, where);
  backend::arrive_after_copies(target::here{}, phase);
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif
