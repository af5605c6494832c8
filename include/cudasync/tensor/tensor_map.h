// make_tensor_map: makes a tensor map for the copy engine, and checks the limits before the driver encodes it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TENSOR_TENSOR_MAP_H
#define CUDASYNC_TENSOR_TENSOR_MAP_H

#include <cudasync/core/config.h>

#if CUDASYNC_HAS_HOST && __has_include(<cuda.h>) && __has_include(<cuda_runtime_api.h>)

#include <cudasync/backend/tensor/tensor_encode_host.h>
#include <cudasync/backend/tensor/tensor_limits.h>
#include <cudasync/backend/tensor/tensor_source.h>
#include <cudasync/core/tensor_format.h>
#include <cudasync/core/traits.h>

#if defined(__cpp_exceptions)
#include <stdexcept>
#else
#include <stdlib.h>
#endif

namespace cudasync { inline namespace CUDASYNC_ABI {

// A list of sizes or strides in the order of a C array: the outermost dimension first, the innermost last. For float
// matrix[rows][columns], the extents are {rows, columns}. Coordinates of a copy are in the opposite order, as in PTX.
class outer_first : public backend::tensor_sizes {
 public:
  // Constructs an empty list.
  outer_first() = default;

  // Constructs the list of these integers, at most 5.
  template <class... Integers, class = decltype(((declval<Integers>() * 1), ..., 0))>
  outer_first(Integers... sizes) {
    static_assert(sizeof...(Integers) <= backend::most_tensor_dimensions,
                  "outer_first: a tensor map has 1 to 5 dimensions; give as many sizes");
    (append(sizes), ...);
  }

  // Constructs the list of the integers in an array.
  template <class Integer, size_t Count>
  outer_first(const Integer (&sizes)[Count]) {
    static_assert(Count <= backend::most_tensor_dimensions,
                  "outer_first: a tensor map has 1 to 5 dimensions; give as many sizes");
    for (const Integer size : sizes)
      append(size);
  }

  // Constructs the list of the integers in a container that has data() and size(), such as std::array or a span.
  template <class Container, class = decltype(declval<const Container&>().data()[declval<const Container&>().size()])>
  outer_first(const Container& sizes) {
    for (size_t index = 0; index < static_cast<size_t>(sizes.size()); ++index)
      append(sizes.data()[index]);
  }

 private:
  template <class Integer>
  void append(Integer size) {
    static_assert(!is_float<Integer>, "outer_first: sizes and strides are integers; convert them before the call");
    constexpr int64 most = static_cast<int64>(~uint64{0} >> 1);
    const bool is_huge = sizeof(Integer) >= 8 && !is_signed_integer<Integer> && static_cast<int64>(size) < 0;
    if (count < backend::most_tensor_dimensions) values[count] = is_huge ? most : static_cast<int64>(size);
    ++count;
  }
};

// The format of a tensor map. The defaults describe a dense tensor whose boxes are copied without a swizzle. Elements
// outside the tensor are loaded as zeros.
struct tensor_map_options {
  // How 16-byte units of a box are permuted in shared memory.
  tma_swizzle swizzle = tma_swizzle::none;
  // The minimum number of bytes that the L2 cache loads on a miss.
  tma_l2_fetch_size l2_fetch_size = tma_l2_fetch_size::none;
  // The value of elements outside the tensor: zero, or NaN.
  tma_oob_fill fill = tma_oob_fill::none;
  // Whether the innermost dimension is divided into slices of 16 or 32 bytes.
  tma_interleave_layout interleave = tma_interleave_layout::none;
  // The strides of all dimensions in elements; the last one is 1. Empty: the tensor is dense.
  outer_first strides = {};
  // In each dimension, the distance between the elements that a copy reads. Empty: 1 in all dimensions.
  outer_first element_strides = {};
};

inline namespace CUDASYNC_ERROR_ABI {

// A tensor map, or an error text. It converts to CUtensorMap.
class [[nodiscard]] tensor_map_or_error {
 public:
  // Returns whether there is a map.
  [[nodiscard]] explicit operator bool() const noexcept { return error_.text[0] == 0; }

  // Returns which limit the description exceeds, or why the driver cannot be used; an empty string if there is a map.
  [[nodiscard]] const char* error() const noexcept { return error_.text; }

  // Returns the map. If there is none, throws std::invalid_argument for a description that exceeds a limit, and
  // std::runtime_error for a failure of the driver. If exceptions are disabled, prints the error and aborts.
  operator CUtensorMap() const {
    if (error_.text[0] != 0) fail();
    return map_;
  }

 private:
  template <class Description, class Encoder>
  friend tensor_map_or_error encode_tensor_map(const Description& what,
                                               backend::tensor_driver<Encoder> (*find_driver)());

#if defined(__cpp_exceptions)
  [[noreturn]] void fail() const {
    if (is_misuse_) throw std::invalid_argument(error_.text);
    throw std::runtime_error(error_.text);
  }
#else
  [[noreturn]] void fail() const {
    fprintf(stderr, "cudasync: tensor map: %s\n", error_.text);
    abort();
  }
#endif

  CUtensorMap map_ = {};
  backend::tensor_error error_;
  bool is_misuse_ = false;
};

// Checks the description, and lets the driver encode it. Looks up the driver only if the description is valid.
template <class Description, class Encoder>
tensor_map_or_error encode_tensor_map(const Description& what, backend::tensor_driver<Encoder> (*find_driver)()) {
  tensor_map_or_error result;
  result.is_misuse_ = !backend::is_within_limits(what, result.error_);
  if (result.is_misuse_) return result;
  const backend::tensor_driver<Encoder> driver = find_driver();
  if (driver.encoder == nullptr) {
    result.error_ = driver.error;
  } else {
    result.is_misuse_ = !backend::is_within_limits_of_device(what, driver.major, driver.minor, result.error_);
    if (!result.is_misuse_) static_cast<void>(backend::encode(what, driver.encoder, result.map_, result.error_));
  }
  return result;
}

// The rest of a description whose elements, address and extents are known.
[[nodiscard]] inline backend::tensor_description
describe_tensor(backend::tensor_description what, const outer_first& box, const tensor_map_options& options) {
  if (options.strides.count != 0 && what.strides.count != 0)
    backend::refuse(what.error,
                    "options.strides has %zu dimensions, but the tensor has its own strides: leave it empty",
                    options.strides.count);
  if (options.strides.count != 0) what.strides = options.strides;
  what.box = box;
  what.steps = options.element_strides;
  what.interleave = options.interleave;
  what.swizzle = options.swizzle;
  what.l2_fetch_size = options.l2_fetch_size;
  what.fill = options.fill;
  return what;
}

// Makes the map of a tensor whose elements have this type, which need not be a C++ type. The address, the extents, the
// box and the options must be within the limits of the copy engine. Otherwise, the result names the first one exceeded.
[[nodiscard]] inline tensor_map_or_error make_tensor_map(tensor_element element, const void* address,
                                                         const outer_first& extents, const outer_first& box,
                                                         const tensor_map_options& options = {}) {
  backend::tensor_description what;
  what.element = element;
  what.address = address;
  what.extents = extents;
  return encode_tensor_map(describe_tensor(what, box, options), backend::find_tensor_driver);
}

// Makes the map of a tensor in global memory that begins at the address, and of its boxes. Extents and box are in
// elements, the outermost dimension first, as in float matrix[rows][columns]. They and the options must be within the
// limits of the copy engine. Otherwise, the result names the first exceeded limit.
template <class Value>
[[nodiscard]] tensor_map_or_error make_tensor_map(const Value* address, const outer_first& extents,
                                                  const outer_first& box, const tensor_map_options& options = {}) {
  static_assert(is_tensor_element<Value>,
                "make_tensor_map: the copy engine has no elements of this type; pass a tensor_element before the "
                "address, u8 for types of 8 bits say");
  if constexpr (is_tensor_element<Value>)
    return make_tensor_map(element_of<Value>(), static_cast<const void*>(address), extents, box, options);
  else
    return {};
}

// Makes the map of the tensor that an mdspan or a DLTensor describes, and of its boxes. The box has the same order of
// dimensions as the tensor, whose last dimension must be contiguous. All values must be within the limits of the copy
// engine. Otherwise, the result names the first exceeded limit.
template <class Tensor>
[[nodiscard]] tensor_map_or_error make_tensor_map(const Tensor& tensor, const outer_first& box,
                                                  const tensor_map_options& options = {}) {
  return encode_tensor_map(describe_tensor(backend::describe(tensor), box, options), backend::find_tensor_driver);
}

}  // namespace CUDASYNC_ERROR_ABI
}}  // namespace cudasync::CUDASYNC_ABI

#endif

#endif
