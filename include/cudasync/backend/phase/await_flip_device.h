// Waiting for a parity on the device: polls at full speed first, then with short pauses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_PHASE_AWAIT_FLIP_DEVICE_H
#define CUDASYNC_BACKEND_PHASE_AWAIT_FLIP_DEVICE_H

#include <cudasync/core/target.h>

#if CUDASYNC_DEVICE_PASS

#include <cudasync/backend/atomic/word_device.h>
#include <cudasync/backend/phase/phase.h>
#include <cudasync/core/integers.h>
#include <cudasync/thread/time.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

// The half of a word that has the parity. The compiler would compare both halves.
CUDASYNC_DEVICE uint32 parity_half(uint32 word) {
  return word;
}
CUDASYNC_DEVICE uint32 parity_half(uint64 word) {
  return static_cast<uint32>(__double2hiint(__longlong_as_double(static_cast<long long>(word))));
}

// After a few polls at full speed, pauses 64 ns before each poll. A longer or growing pause would end late.
template <thread_scope Scope, class Here, class Phase>
CUDASYNC_DEVICE bool await_flip(Here here, const Phase& phase, typename Phase::word_type word, uint64 limit) {
  const uint64 start = limit == forever || limit == 0 ? 0 : now(here);
  const uint32 before = parity_half(word);
  for (uint32 polls = 0; !has_flipped(before, parity_half(load_acquire<Scope>(here, phase.parity_word()))); ++polls) {
    if (limit != forever && now(here) - start >= limit) {
      let_lanes_run(here);  // otherwise a caller that loops over short waits may keep the other lanes from running
      return false;
    }
    if (polls >= 16) __nanosleep(64);
  }
  return true;
}

// The polls of many warps delay the arrivals of other warps, because both access the same word. L2 takes more than 1 ns
// for the arrival of a warp, which has up to 32 threads, and __nanosleep pauses for at most twice the given time. In a
// warp without some of its threads, a pause makes phases longer than none (docs/design).
CUDASYNC_DEVICE void let_others_arrive(target::sm70, uint32 missing) {
  constexpr uint32 most = 4000;
  if (__activemask() == 0xffffffff) __nanosleep(missing / 64 < most ? missing / 64 : most);
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif  // CUDASYNC_DEVICE_PASS

#endif
