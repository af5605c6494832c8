// A 64-bit word whose top bit is the parity of a barrier's phase: how its threads wait for the bit to flip.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_PHASE_WORD_H
#define CUDASYNC_BACKEND_PHASE_WORD_H

// Each backend provides, overloaded on the target and templates on the scope:
//   now(here)                                nanoseconds of a steady clock
//   await_flip(here, word, token, limit)     blocks until the parity is no longer the token's, or for limit nanoseconds;
//                                            true when it flipped, and then an acquire
//   wake_sleepers(here, word, value)         after the flip: ends the sleep that the value's sleepers_bit announced
#include <cudasync/backend/phase_word_device.h>
#include <cudasync/backend/phase_word_host.h>

#endif
