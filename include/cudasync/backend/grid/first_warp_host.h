// The first warp of a block on the host: a thread, which is a block by itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_GRID_FIRST_WARP_HOST_H
#define CUDASYNC_BACKEND_GRID_FIRST_WARP_HOST_H

#include <cudasync/core/config.h>

#if CUDASYNC_HAS_HOST

#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

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

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_HAS_HOST

#endif
