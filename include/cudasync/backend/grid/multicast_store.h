// A store to the memory of all GPUs at once, through a multicast address.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_GRID_MULTICAST_STORE_H
#define CUDASYNC_BACKEND_GRID_MULTICAST_STORE_H

// Each backend provides this function, overloaded on the target:
//   store_release_everywhere(here, word, value)   stores the value to the word of each GPU; releases at system scope.
//                                                 word: at a multicast address, which no other function may access
#include <cudasync/core/config.h>

#if CUDASYNC_CUDA
#include <cudasync/backend/grid/multicast_store_device.h>
#endif
#if CUDASYNC_HAS_HOST
#include <cudasync/backend/grid/multicast_store_host.h>
#endif

#endif
