// Waiting for the parity of a phase to flip: how a thread passes the time, on host and device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_AWAIT_FLIP_H
#define CUDASYNC_BACKEND_AWAIT_FLIP_H

// A phase kept as a counter is a type with
//   Phase::word_type                  its words
//   phase.parity_word()               the word whose top bit is the parity
//   Phase::missing_arrivals(word)     what such a word says is missing
//   phase.sleepers_word()             the word that holds Phase::sleepers_bit, set by host threads before they sleep
// and each backend provides, overloaded on the target and templates on the scope:
//   await_flip(here, phase, word, limit)
//                                     blocks until the parity is no longer the word's, or for limit nanoseconds;
//                                     true when it flipped, and then an acquire
//   wake_sleepers(here, phase)        after a flip: ends the sleep of host threads
#include <cudasync/core/config.h>

#if CUDASYNC_CUDA
#include <cudasync/backend/await_flip_device.h>
#endif
#if CUDASYNC_HAS_HOST
#include <cudasync/backend/await_flip_host.h>
#endif

#endif
