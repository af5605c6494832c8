// The first warp of a block on the device: its first warp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_GRID_FIRST_WARP_DEVICE_H
#define CUDASYNC_BACKEND_GRID_FIRST_WARP_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/core/assert.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>
#include <cudasync/thread/elect.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

CUDASYNC_DEVICE void meet_block(target::sm70) {
  __syncthreads();
}
CUDASYNC_DEVICE uint32 rank_in_first_warp(target::sm70) {
  return rank_in_block();
}
CUDASYNC_DEVICE bool is_in_first_warp(target::sm70) {
  return rank_in_block() < 32;
}
CUDASYNC_DEVICE uint32 first_warp_size(target::sm70) {
  const uint32 threads = blockDim.x * blockDim.y * blockDim.z;
  return threads < 32 ? threads : 32;
}
CUDASYNC_DEVICE uint32 from_first_thread(target::sm70, uint32 value) {
  return __shfl_sync(0xffffffff, value, 0);
}
CUDASYNC_DEVICE void sync_first_warp(target::sm70) {
  __syncwarp();
}

// Otherwise each access would test the state space of a pointer that was read from memory.
template <class Word>
[[nodiscard]] CUDASYNC_DEVICE Word& in_global_memory(target::sm70, Word& word) {
  CUDASYNC_ASSERT(
      ptx::is_global(&word),
      "parts of a peer_barrier, signals and mailboxes must be in global memory: use cudaMalloc, or a variable "
      "with __device__");
  Word* const place = ptx::in_global(&word);
  const bool is_global = ptx::is_global(place);
  __builtin_assume(is_global);  // for compilers that do not know it
  return *place;
}

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA

#endif
