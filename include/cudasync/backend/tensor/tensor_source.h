// What a tensor map needs to know of an mdspan or a DLPack tensor, which are recognized by their members.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_TENSOR_TENSOR_SOURCE_H
#define CUDASYNC_BACKEND_TENSOR_TENSOR_SOURCE_H

#include <cudasync/core/config.h>

#if CUDASYNC_HAS_HOST

#include <cudasync/backend/tensor/tensor_limits.h>
#include <cudasync/core/traits.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

template <class Tensor>
using data_handle_of = decltype(declval<const Tensor&>().data_handle());
template <class Tensor>
using lanes_of = decltype(declval<const Tensor&>().dtype.lanes);
template <class Tensor>
using tensor_in = decltype(declval<const Tensor&>().dl_tensor);  // of DLManagedTensor and DLManagedTensorVersioned

template <class Mdspan>
[[nodiscard]] tensor_description describe_mdspan(const Mdspan& tensor) {
  using element = remove_cv<typename Mdspan::element_type>;
  static_assert(is_tensor_element<element>,
                "make_tensor_map: the copy engine has no elements of this type; pass a tensor_element, the address and "
                "the extents instead of the mdspan");
  tensor_description what;
  if constexpr (is_tensor_element<element>) what.element = element_of<element>();
  what.address = tensor.data_handle();
  what.extents.count = what.strides.count = static_cast<size_t>(Mdspan::rank());
  for (size_t dimension = 0; dimension < what.extents.count && dimension < most_tensor_dimensions; ++dimension) {
    const auto place = static_cast<typename Mdspan::rank_type>(dimension);
    what.extents.values[dimension] = static_cast<int64>(tensor.extent(place));
    what.strides.values[dimension] = static_cast<int64>(tensor.stride(place));
  }
  return what;
}

// The codes are those of DLDataTypeCode in DLPack 1.1. Signed integers of 8 and 16 bits, booleans and floating-point
// numbers of 8 bits are copied as unsigned integers.
[[nodiscard]] inline bool find_element(uint32 code, uint32 bits, uint32 lanes, tensor_element& element) {
  constexpr uint32 signed_integer = 0, unsigned_integer = 1, floating = 2, bfloat = 4, boolean = 6, first_float8 = 7,
                   last_float8 = 14;
  if (lanes != 1) return false;
  if (bits == 8 && (code <= unsigned_integer || code == boolean || (code >= first_float8 && code <= last_float8)))
    element = tensor_element::u8;
  else if (bits == 16 && code <= unsigned_integer)
    element = tensor_element::u16;
  else if (bits == 32 && code <= unsigned_integer)
    element = code == signed_integer ? tensor_element::s32 : tensor_element::u32;
  else if (bits == 64 && code <= unsigned_integer)
    element = code == signed_integer ? tensor_element::s64 : tensor_element::u64;
  else if (code == floating && (bits == 16 || bits == 32 || bits == 64))
    element = bits == 16 ? tensor_element::f16 : bits == 32 ? tensor_element::f32 : tensor_element::f64;
  else if (code == bfloat && bits == 16)
    element = tensor_element::bf16;
  else
    return false;
  return true;
}

template <class DlTensor>
[[nodiscard]] tensor_description describe_dlpack(const DlTensor& tensor) {
  constexpr int cuda = 2, cuda_host = 3, cuda_managed = 13;  // DLDeviceType
  tensor_description what;
  const int device = static_cast<int>(tensor.device.device_type);
  const uint32 code = static_cast<uint32>(tensor.dtype.code), bits = static_cast<uint32>(tensor.dtype.bits),
               lanes = static_cast<uint32>(tensor.dtype.lanes);
  if (device != cuda && device != cuda_host && device != cuda_managed)
    refuse(what.error, "the DLPack tensor is on a device of type %d, which must be 2 (CUDA): copy it to the GPU",
           device);
  else if (!find_element(code, bits, lanes, what.element))
    refuse(what.error,
           "the DLPack tensor has elements of code %u, %u bits and %u lanes, which the copy engine does not have: pass "
           "a tensor_element, the address and the extents instead",
           code, bits, lanes);
  what.address = static_cast<const char*>(tensor.data) + tensor.byte_offset;
  what.extents.count = tensor.ndim < 0 ? 0 : static_cast<size_t>(tensor.ndim);
  what.strides.count = tensor.strides == nullptr ? 0 : what.extents.count;
  for (size_t dimension = 0; dimension < what.extents.count && dimension < most_tensor_dimensions; ++dimension) {
    what.extents.values[dimension] = static_cast<int64>(tensor.shape[dimension]);
    if (what.strides.count != 0) what.strides.values[dimension] = static_cast<int64>(tensor.strides[dimension]);
  }
  return what;
}

// Describes the tensor: its elements, address, extents and strides.
template <class Tensor>
[[nodiscard]] tensor_description describe(const Tensor& tensor) {
  static_assert(is_valid<data_handle_of, Tensor> || is_valid<lanes_of, Tensor> || is_valid<tensor_in, Tensor>,
                "make_tensor_map: the first argument is no pointer with extents and a box after it, no mdspan and no "
                "DLTensor; give the address, the extents and the box");
  if constexpr (is_valid<data_handle_of, Tensor>)
    return describe_mdspan(tensor);
  else if constexpr (is_valid<lanes_of, Tensor>)
    return describe_dlpack(tensor);
  else if constexpr (is_valid<tensor_in, Tensor>)
    return describe_dlpack(tensor.dl_tensor);
  else
    return {};
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif

#endif
