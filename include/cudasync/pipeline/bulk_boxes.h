// Copies of boxes and of pixels by a tensor map, with or without an l2_cache_hint.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PIPELINE_BULK_BOXES_H
#define CUDASYNC_PIPELINE_BULK_BOXES_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/core/assert.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/l2_cache_hint.h>
#include <cudasync/ptx/cp_async_bulk_tensor.h>
#include <cudasync/ptx/cp_async_bulk_tensor_im2col.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {

template <class... Operands>
CUDASYNC_DEVICE void bulk_copy_box(no_cache_hint, const Operands&... operands) {
  ptx::cp_async_bulk_tensor(operands...);
}
template <class... Operands>
CUDASYNC_DEVICE void bulk_copy_box(l2_cache_hint hint, const Operands&... operands) {
  ptx::cp_async_bulk_tensor(operands..., hint.policy());
}
template <class... Operands>
CUDASYNC_DEVICE void bulk_copy_im2col(no_cache_hint, const Operands&... operands) {
  ptx::cp_async_bulk_tensor_im2col(operands...);
}
template <class... Operands>
CUDASYNC_DEVICE void bulk_copy_im2col(l2_cache_hint hint, const Operands&... operands) {
  ptx::cp_async_bulk_tensor_im2col(operands..., hint.policy());
}

// The offsets of a place in the filter, for bulk_pipeline::copy_im2col.
template <size_t Rank, size_t Offsets>
CUDASYNC_DEVICE void check_offsets([[maybe_unused]] const uint16 (&offsets)[Offsets],
                                   [[maybe_unused]] caller where = caller::here()) {
  static_assert(
      Rank >= 3 && Offsets == Rank - 2,
      "bulk_pipeline::copy_im2col: a map of N, W and C takes 3 coordinates and 1 offset, one with H as well 4 "
      "and 2, one with H and D 5 and 3; give as many");
  [[maybe_unused]] constexpr uint32 most = Offsets == 1 ? 65535 : Offsets == 2 ? 255 : 31;
  for ([[maybe_unused]] const uint16 offset : offsets)
    CUDASYNC_ASSERT(offset <= most, "bulk_pipeline::copy_im2col: an offset is at most 65535, of two 255, of three 31");
}

}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA

#endif
