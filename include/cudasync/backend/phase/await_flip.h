// Waiting for the parity of a phase to flip, on host and device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_PHASE_AWAIT_FLIP_H
#define CUDASYNC_BACKEND_PHASE_AWAIT_FLIP_H

// A phase that is a counter has these members:
//   Phase::word_type                  its words
//   phase.parity_word()               the word whose top bit is the parity
//   Phase::missing_arrivals(word)     the number of missing arrivals in such a word
// Each backend provides these functions, overloaded on the target; await_flip is a template on the scope:
//   await_flip(here, phase, word, limit)
//                                     blocks until the parity differs from that of the word, for at most limit
//                                     nanoseconds; returns whether it flipped, and acquires if it did
//   let_others_arrive(here, missing)  before a wait: pauses for less time than this many arrivals take
//                                     if they come one by one, or 32 in an addition
// After a flip, notify(here, &phase) wakes the host threads that sleep.
#include <cudasync/core/config.h>
#include <cudasync/core/target.h>

#if CUDASYNC_DEVICE_PASS
#include <cudasync/backend/phase/await_flip_device.h>
#endif
#if CUDASYNC_HAS_HOST
#include <cudasync/backend/phase/await_flip_host.h>
#endif

#endif
