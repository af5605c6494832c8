// The threads that work for a block: on the device its first warp, on the host one thread, which is a block by itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_GRID_BLOCK_CREW_H
#define CUDASYNC_BACKEND_GRID_BLOCK_CREW_H

// Each backend provides these functions, overloaded on the target:
//   meet_block(here)                  all threads of the block wait for each other, and see what each did before
//   is_in_crew(here)                  whether the thread is in the crew
//   crew_rank(here)                   its rank in the crew; any other number for other threads
//   crew_size(here)                   the number of threads of the crew, 1 to 32
//   from_first_of_crew(here, value)   the value of the thread of rank 0
//   meet_crew(here)                   all threads of the crew wait for each other, and see what each did before
//   in_global_memory(here, word)      the word, which the compiler then knows to be in global memory
#include <cudasync/core/config.h>

#if CUDASYNC_CUDA
#include <cudasync/backend/grid/block_crew_device.h>
#endif
#if CUDASYNC_HAS_HOST
#include <cudasync/backend/grid/block_crew_host.h>
#endif

#endif
