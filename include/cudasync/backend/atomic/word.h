// Atomic words of 32 or 64 bits, with an order and a scope: all counters are based on them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_ATOMIC_WORD_H
#define CUDASYNC_BACKEND_ATOMIC_WORD_H

// Each backend provides, as functions overloaded on the target and templates on the scope:
//   load_relaxed(here, word)                load_acquire(here, word)
//   store_release(here, word, value)
//   fetch_add_release, fetch_add_relaxed, fetch_and_relaxed, fetch_or_relaxed(here, word, value), the old value
#include <cudasync/core/config.h>
#include <cudasync/core/target.h>

#if CUDASYNC_DEVICE_PASS
#include <cudasync/backend/atomic/word_device.h>
#endif
#if CUDASYNC_HAS_HOST
#include <cudasync/backend/atomic/word_host.h>
#endif

#endif
