// The threads that work for a block: on the device its first warp (checked: its first thread), on the host one thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_GRID_FIRST_WARP_H
#define CUDASYNC_BACKEND_GRID_FIRST_WARP_H

#include <cudasync/core/assert.h>
#include <cudasync/core/config.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/hang/watch.h>

#if CUDASYNC_CUDA
#include <cudasync/ptx/address.h>
#include <cudasync/thread/elect.h>
#endif

// These functions are overloaded on the target:
//   meet_block(here)                all threads of the block wait for each other, and see what each did before
//   is_in_first_warp(here)          whether the thread is in the first warp
//   rank_in_first_warp(here)        its rank in the first warp; any other number for other threads
//   first_warp_size(here)           the number of threads of the first warp, 1 to 32
//   from_first_thread(here, value)  the value of the thread of rank 0
//   sync_first_warp(here)           all threads of the first warp wait for each other, and see what each did before
//   in_global_memory(here, word)    the word, which the compiler then knows to be in global memory
namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

#if CUDASYNC_CUDA
CUDASYNC_DEVICE void meet_block(target::sm70) {
  __syncthreads();
}
CUDASYNC_DEVICE uint32 rank_in_first_warp(target::sm70) {
  return rank_in_block();
}
CUDASYNC_DEVICE bool is_in_first_warp(target::sm70) {
  return rank_in_block() < (checked::is_on ? 1 : 32);
}
CUDASYNC_DEVICE uint32 first_warp_size(target::sm70) {
  const uint32 threads = blockDim.x * blockDim.y * blockDim.z;
  return checked::is_on ? 1 : threads < 32 ? threads : 32;
}
CUDASYNC_DEVICE uint32 from_first_thread(target::sm70, uint32 value) {
  return checked::is_on ? value : __shfl_sync(0xffffffff, value, 0);
}
CUDASYNC_DEVICE void sync_first_warp(target::sm70) {
  if constexpr (!checked::is_on) __syncwarp();
}

// Otherwise each access would test the state space of a pointer that was read from memory.
template <class Word>
[[nodiscard]] CUDASYNC_DEVICE Word& in_global_memory(target::sm70, Word& word) {
  CUDASYNC_ASSERT(
      ptx::is_global(&word) && reinterpret_cast<uintptr>(&word) >= 4096,
      "parts of a peer_barrier, signals and mailboxes must be in global memory: use cudaMalloc, or a variable "
      "with __device__; an address near 0 is that of a peer without a direct path");
  Word* const place = ptx::in_global(&word);
  const bool is_global = __isGlobal(place) != 0;
  __builtin_assume(is_global);  // of this pointer, not of a tested_address; for compilers that do not know it
  return *place;
}
#endif

#if CUDASYNC_HAS_HOST
inline void meet_block(target::host) {}
inline uint32 rank_in_first_warp(target::host) {
  return 0;
}
inline bool is_in_first_warp(target::host) {
  return true;
}
inline uint32 first_warp_size(target::host) {
  return 1;
}
inline uint32 from_first_thread(target::host, uint32 value) {
  return value;
}
inline void sync_first_warp(target::host) {}

template <class Word>
[[nodiscard]] inline Word& in_global_memory(target::host, Word& word) {
  return word;
}
#endif

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif
