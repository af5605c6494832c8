// Copies of boxes and of pixels by a tensor map, with or without an l2_cache_hint.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PIPELINE_BULK_BOXES_H
#define CUDASYNC_PIPELINE_BULK_BOXES_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/l2_cache_hint.h>
#include <cudasync/ptx/cp_async_bulk_tensor.h>
#include <cudasync/ptx/cp_async_bulk_tensor_im2col.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

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

}}  // namespace cudasync::CUDASYNC_ABI

#endif  // CUDASYNC_CUDA

#endif
