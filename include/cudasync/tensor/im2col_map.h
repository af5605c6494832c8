// make_im2col_map: a tensor map whose copies load columns of pixels, as convolutions need them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TENSOR_IM2COL_MAP_H
#define CUDASYNC_TENSOR_IM2COL_MAP_H

#include <cudasync/tensor/tensor_map.h>

#if CUDASYNC_HAS_HOST && __has_include(<cuda.h>) && __has_include(<cuda_runtime_api.h>)

namespace cudasync { inline namespace CUDASYNC_ABI {

// What a copy with an im2col map loads: columns of pixels of a bounding box. Of a tensor with extents {N, D, H, W, C},
// the bounding box has the pixels from lower_corner to extents + upper_corner in D, H and W.
struct im2col_box {
  // The first pixel of the bounding box, relative to that of the tensor: {D, H, W}, {H, W} or {W}.
  outer_first lower_corner;
  // The end of the bounding box, relative to that of the tensor.
  outer_first upper_corner;
  // How many channels of each pixel a copy loads: 1 to 256 elements along C.
  uint32 channels = 0;
  // How many pixels a copy loads: 1 to 1024.
  uint32 pixels = 0;
};

inline namespace CUDASYNC_ERROR_ABI {

// Makes the im2col map of a tensor whose elements have this type, which need not be a type of C++. All must be within
// the limits of the copy engine; the result names the first one that is not.
[[nodiscard]] inline tensor_map_or_error make_im2col_map(tensor_element element, const void* address,
                                                         const outer_first& extents, const im2col_box& box,
                                                         const tensor_map_options& options = {}) {
  backend::im2col_description what;
  what.element = element;
  what.address = address;
  what.extents = extents;
  static_cast<backend::tensor_description&>(what) = describe_tensor(what, {}, options);
  what.lower = box.lower_corner;
  what.upper = box.upper_corner;
  what.channels = box.channels;
  what.pixels = box.pixels;
  return encode_tensor_map(what, backend::find_im2col_driver);
}

// Makes the im2col map of a tensor in global memory that begins at the address. The extents are those of N, D, H, W and
// C, N, H, W and C, or N, W and C. They, the box and the options must be within the limits of the copy engine; the
// result names the first one that is not.
template <class Value>
[[nodiscard]] tensor_map_or_error make_im2col_map(const Value* address, const outer_first& extents,
                                                  const im2col_box& box, const tensor_map_options& options = {}) {
  static_assert(is_tensor_element<Value>,
                "make_im2col_map: the copy engine has no elements of this type; pass a tensor_element before the "
                "address, u8 for types of 8 bits say");
  if constexpr (is_tensor_element<Value>)
    return make_im2col_map(element_of<Value>(), static_cast<const void*>(address), extents, box, options);
  else
    return {};
}

}  // namespace CUDASYNC_ERROR_ABI
}}  // namespace cudasync::CUDASYNC_ABI

#endif

#endif
