// The block as a group of threads, without cooperative_groups.h, and the choice of one of its threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_THREAD_BLOCK_H
#define CUDASYNC_THREAD_BLOCK_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/backend/elect.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {

// All threads of the calling thread's block. Has what group parameters of this library ask for.
struct thread_block {
  CUDASYNC_DEVICE static void sync() { __syncthreads(); }
  [[nodiscard]] CUDASYNC_DEVICE static uint32 size() { return blockDim.x * blockDim.y * blockDim.z; }
  [[nodiscard]] CUDASYNC_DEVICE static uint32 thread_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
};

[[nodiscard]] CUDASYNC_DEVICE thread_block this_thread_block() {
  return {};
}

// True in exactly one thread of the block, one of warp 0. Call it with the whole of warp 0 converged. The compiler can
// see on sm_90 that at most one thread enters the branch, and issues uniform instructions there.
[[nodiscard]] CUDASYNC_DEVICE bool elect_one() {
  return backend::elect_one(target::here{}, thread_block::thread_rank());
}

}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA

#endif
