// Atomic words of 32 or 64 bits, with an order and a scope: what every counter is written over.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_WORD_H
#define CUDASYNC_BACKEND_WORD_H

// Each backend provides, as functions overloaded on the target and templates on the scope:
//   load_relaxed(here, word)         load_acquire(here, word)         store_release(here, word, value)
//   add_relaxed(here, word, value)   add_release(here, word, value)   fetch-and-add: both return the old value
#include <cudasync/backend/word_device.h>
#include <cudasync/backend/word_host.h>

#endif
