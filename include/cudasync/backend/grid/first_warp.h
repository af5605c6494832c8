// The threads that work for a block: on the device its first warp, on the host one thread, which is a block by itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_GRID_FIRST_WARP_H
#define CUDASYNC_BACKEND_GRID_FIRST_WARP_H

// Each backend provides these functions, overloaded on the target:
//   meet_block(here)                  all threads of the block wait for each other, and see what each did before
//   is_in_first_warp(here)                  whether the thread is in the first warp
//   rank_in_first_warp(here)                   its rank in the first warp; any other number for other threads
//   first_warp_size(here)                   the number of threads of the first warp, 1 to 32
//   from_first_thread(here, value)   the value of the thread of rank 0
//   sync_first_warp(here)                   all threads of the first warp wait for each other, and see what each did before
//   in_global_memory(here, word)      the word, which the compiler then knows to be in global memory
#include <cudasync/core/config.h>

#if CUDASYNC_CUDA
#include <cudasync/backend/grid/first_warp_device.h>
#endif
#if CUDASYNC_HAS_HOST
#include <cudasync/backend/grid/first_warp_host.h>
#endif

#endif
