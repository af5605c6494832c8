// make_tma_descriptor: tensor maps of DLPack tensors with the interface of libcu++.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TENSOR_TMA_DESCRIPTOR_H
#define CUDASYNC_TENSOR_TMA_DESCRIPTOR_H

#include <cudasync/tensor/tensor_map.h>

#if CUDASYNC_HAS_HOST && __has_include(<cuda.h>) && __has_include(<cuda_runtime_api.h>)

namespace cudasync { inline namespace CUDASYNC_ABI { inline namespace CUDASYNC_ERROR_ABI {

// Makes the tensor map of a DLPack tensor, and of boxes of these sizes. Sizes and element strides are in the order of
// the tensor's shape, the innermost dimension last. Throws std::invalid_argument if a limit is exceeded, with a
// sentence that names it, and std::runtime_error if the driver cannot be used. Without exceptions, it aborts.
template <class DlTensor>
[[nodiscard]] CUtensorMap
make_tma_descriptor(const DlTensor& tensor, const outer_first& box_sizes, const outer_first& elem_strides,
                    tma_interleave_layout interleave_layout = tma_interleave_layout::none,
                    tma_swizzle swizzle = tma_swizzle::none, tma_l2_fetch_size l2_fetch_size = tma_l2_fetch_size::none,
                    tma_oob_fill oobfill = tma_oob_fill::none) {
  return make_tensor_map(tensor, box_sizes, {swizzle, l2_fetch_size, oobfill, interleave_layout, {}, elem_strides});
}

// Makes the tensor map of a DLPack tensor, and of boxes of these sizes, with element strides of 1.
template <class DlTensor>
[[nodiscard]] CUtensorMap make_tma_descriptor(const DlTensor& tensor, const outer_first& box_sizes,
                                              tma_interleave_layout interleave_layout = tma_interleave_layout::none,
                                              tma_swizzle swizzle = tma_swizzle::none,
                                              tma_l2_fetch_size l2_fetch_size = tma_l2_fetch_size::none,
                                              tma_oob_fill oobfill = tma_oob_fill::none) {
  return make_tma_descriptor(tensor, box_sizes, {}, interleave_layout, swizzle, l2_fetch_size, oobfill);
}

}}}  // namespace cudasync::CUDASYNC_ABI::CUDASYNC_ERROR_ABI

#endif

#endif
