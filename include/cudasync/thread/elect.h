// The rank of a thread in its block, and the election of one thread of a block or a warp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_THREAD_ELECT_H
#define CUDASYNC_THREAD_ELECT_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/special_registers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

CUDASYNC_DEVICE uint32 rank_in_block() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

CUDASYNC_DEVICE bool elect_one(target::any, uint32 thread_rank) {
  return thread_rank == 0;
}

// Because of the shuffle, the compiler knows that the warp index is uniform, and makes the test once per warp.
CUDASYNC_DEVICE bool elect_one(target::sm90, uint32 thread_rank) {
  return __shfl_sync(0xffffffff, thread_rank / 32, 0) == 0 && ptx::elect_sync(0xffffffff);
}

CUDASYNC_DEVICE bool elect_one_of_warp(target::any) {
  return ptx::get_sreg_laneid() == 0;
}

CUDASYNC_DEVICE bool elect_one_of_warp(target::sm90) {
  return ptx::elect_sync(0xffffffff);
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif  // CUDASYNC_CUDA

#endif
