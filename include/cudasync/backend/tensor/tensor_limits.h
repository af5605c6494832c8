// The limits of tensor maps, checked on the host before the driver is called, with a sentence for each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_TENSOR_TENSOR_LIMITS_H
#define CUDASYNC_BACKEND_TENSOR_TENSOR_LIMITS_H

#include <cudasync/core/config.h>

#if CUDASYNC_HAS_HOST

#include <cudasync/core/tensor_format.h>

#include <stdarg.h>
#include <stdio.h>

// Source of the limits: cuTensorMapEncodeTiled in the manual of the CUDA driver API (13.0), and for the bytes of a box
// the driver, which refuses 262,144 bytes on an H200. The driver reports all of them as CUDA_ERROR_INVALID_VALUE. The
// functions accept nothing that the manual forbids, although the driver accepts other swizzles than bytes32 with
// tma_interleave_layout::bytes32. Its formula for strides is an example of a dense tensor and not a limit: tensors
// whose rows overlap, whose dimensions are permuted, or that repeat a row (stride 0) are in use.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

inline constexpr size_t most_tensor_dimensions = 5;

// One number for each dimension, the outermost dimension first. The count may exceed the number of values.
struct tensor_sizes {
  size_t count = 0;
  int64 values[most_tensor_dimensions] = {};
};

// A sentence, or nothing.
struct tensor_error {
  char text[256] = "";
};

// What a tensor map describes. Sizes and strides are in elements.
struct tensor_description {
  tensor_element element = tensor_element::u8;
  const void* address = nullptr;
  tensor_sizes extents;
  tensor_sizes strides;  // none: the tensor is dense
  tensor_sizes box;
  tensor_sizes steps;  // none: 1 in each dimension
  tma_interleave_layout interleave = tma_interleave_layout::none;
  tma_swizzle swizzle = tma_swizzle::none;
  tma_l2_fetch_size l2_fetch_size = tma_l2_fetch_size::none;
  tma_oob_fill fill = tma_oob_fill::none;
  tensor_error error;  // why the user's tensor cannot be described at all
};

// Writes the sentence, and returns false.
__attribute__((format(printf, 2, 3))) inline bool refuse(tensor_error& error, const char* format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(error.text, sizeof error.text, format, values);
  va_end(values);
  return false;
}

[[nodiscard]] inline const char* name_of(tensor_element element) {
  constexpr const char* names[] = {"u8",  "u16",  "u32",     "s32",  "u64",      "s64",   "f16",       "f32",
                                   "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz", "b4x16", "b4x16_p64", "b6x16_p32"};
  return names[static_cast<uint32>(element)];
}

[[nodiscard]] inline const char* name_of(tma_swizzle swizzle) {
  constexpr const char* names[] = {
      "none", "bytes32", "bytes64", "bytes128", "bytes128_atom_32B", "bytes128_atom_32B_flip_8B", "bytes128_atom_64B"};
  return names[static_cast<uint32>(swizzle)];
}

// Both factors are positive. The largest int64 stands for all larger products.
[[nodiscard]] constexpr int64 product_of(int64 left, int64 right) {
  constexpr int64 most = static_cast<int64>(~uint64{0} >> 1);
  return left > most / right ? most : left * right;
}

// The number of bytes of the elements, rounded down.
[[nodiscard]] constexpr int64 bytes_of(int64 elements, tensor_element element) {
  return elements == 0 ? 0 : product_of(elements, static_cast<int64>(bits_of(element))) / 8;
}

// The stride of a dimension in elements. The extents are within their limits.
[[nodiscard]] inline int64 stride_of(const tensor_description& what, size_t dimension) {
  if (what.strides.count != 0) return what.strides.values[dimension];
  int64 stride = 1;
  for (size_t inner = what.extents.count - 1; inner > dimension; --inner)
    stride = product_of(stride, what.extents.values[inner]);
  return stride;
}

inline bool check_rank(const tensor_description& what, tensor_error& error) {
  const size_t rank = what.extents.count;
  if (rank == 0) return refuse(error, "the tensor has %d dimensions, the least is 1: give its extents", 0);
  if (rank > most_tensor_dimensions)
    return refuse(error, "the tensor has %zu dimensions, the most is 5: merge dimensions that are contiguous", rank);
  if (what.strides.count != 0 && what.strides.count != rank)
    return refuse(error, "strides has %zu dimensions, the tensor has %zu: give one stride for each dimension, or none",
                  what.strides.count, rank);
  if (what.steps.count != 0 && what.steps.count != rank)
    return refuse(error, "element_strides has %zu dimensions, the tensor has %zu: give one for each dimension, or none",
                  what.steps.count, rank);
  return true;
}

inline bool check_counts(const tensor_description& what, tensor_error& error) {
  const size_t rank = what.extents.count;
  if (!check_rank(what, error)) return false;
  if (what.box.count != rank)
    return refuse(error, "box has %zu dimensions, the tensor has %zu: give one size for each dimension of the tensor",
                  what.box.count, rank);
  if (what.interleave != tma_interleave_layout::none && rank < 3)
    return refuse(error,
                  "the tensor has %zu dimensions, the least with an interleaved layout is 3: "
                  "add outer dimensions of 1, or use tma_interleave_layout::none",
                  rank);
  return true;
}

inline bool check_format(const tensor_description& what, tensor_error& error) {
  const bool is_u6 = what.element == tensor_element::b6x16_p32;
  if (is_u6 && what.interleave != tma_interleave_layout::none)
    return refuse(error, "elements of type %s need tma_interleave_layout::none", name_of(what.element));
  if (what.interleave == tma_interleave_layout::bytes32 && what.swizzle != tma_swizzle::bytes32)
    return refuse(error, "tma_interleave_layout::bytes32 needs tma_swizzle::bytes32, the swizzle is tma_swizzle::%s",
                  name_of(what.swizzle));
  const bool is_for_padded = what.swizzle == tma_swizzle::none || what.swizzle == tma_swizzle::bytes128 ||
                             what.swizzle == tma_swizzle::bytes128_atom_32B ||
                             (is_u6 && what.swizzle == tma_swizzle::bytes128_atom_64B);
  if (is_padded(what.element) && !is_for_padded)
    return refuse(error, "tma_swizzle::%s cannot be used with elements of type %s: use bytes128, or none",
                  name_of(what.swizzle), name_of(what.element));
  if (what.fill == tma_oob_fill::nan && !is_floating(what.element))
    return refuse(error,
                  "tma_oob_fill::nan needs elements of a floating-point type, they are %s: use tma_oob_fill::none, "
                  "which loads zeros",
                  name_of(what.element));
  return true;
}

// The multiple of bytes that addresses and strides must be.
[[nodiscard]] inline uint32 alignment_of(const tensor_description& what) {
  return what.interleave == tma_interleave_layout::bytes32 || is_padded(what.element) ? 32 : 16;
}

// A null pointer is accepted, for maps whose address is replaced on the device.
inline bool check_address(const tensor_description& what, tensor_error& error) {
  const uint32 alignment = alignment_of(what);
  if (reinterpret_cast<uintptr>(what.address) % alignment != 0)
    return refuse(error,
                  "the address 0x%llx is not a multiple of %u bytes: begin the tensor at an aligned element, and add "
                  "the difference to the coordinates",
                  static_cast<unsigned long long>(reinterpret_cast<uintptr>(what.address)), alignment);
  return true;
}

inline bool check_extents(const tensor_description& what, tensor_error& error) {
  constexpr int64 most = int64{1} << 32;
  for (size_t dimension = 0; dimension < what.extents.count; ++dimension) {
    const int64 extent = what.extents.values[dimension];
    if (extent < 1)
      return refuse(error, "extents[%zu] is %lld elements, the least is 1: make no map of an empty tensor", dimension,
                    static_cast<long long>(extent));
    if (extent > most)
      return refuse(error, "extents[%zu] is %lld elements, the most is %lld: split the tensor", dimension,
                    static_cast<long long>(extent), static_cast<long long>(most));
  }
  const size_t inner = what.extents.count - 1;
  const int64 multiple = is_padded(what.element) ? 128 : is_packed(what.element) ? 2 : 1;
  if (what.extents.values[inner] % multiple != 0)
    return refuse(error, "extents[%zu] is %lld elements, which of type %s must be a multiple of %lld: pad the rows",
                  inner, static_cast<long long>(what.extents.values[inner]), name_of(what.element),
                  static_cast<long long>(multiple));
  return true;
}

inline bool check_strides(const tensor_description& what, tensor_error& error) {
  constexpr int64 limit = int64{1} << 40;
  const size_t inner = what.extents.count - 1;
  if (what.strides.count != 0 && what.strides.values[inner] != 1)
    return refuse(error,
                  "strides[%zu] is %lld elements, the innermost stride must be 1: order the dimensions so that the "
                  "contiguous one is last",
                  inner, static_cast<long long>(what.strides.values[inner]));
  const char* const origin = what.strides.count != 0 ? "" : ", computed from the extents,";
  const int64 alignment = static_cast<int64>(alignment_of(what));
  for (size_t dimension = 0; dimension < inner; ++dimension) {
    const int64 stride = stride_of(what, dimension);
    if (stride < 0)
      return refuse(error, "strides[%zu] is %lld elements, the least is 0: reverse the dimension", dimension,
                    static_cast<long long>(stride));
    const int64 bytes = bytes_of(stride, what.element);
    if (bytes >= limit)
      return refuse(error,
                    "strides[%zu]%s is %lld elements (%lld bytes), which must be less than %lld bytes: split "
                    "the tensor",
                    dimension, origin, static_cast<long long>(stride), static_cast<long long>(bytes),
                    static_cast<long long>(limit));
    if (stride * static_cast<int64>(bits_of(what.element)) % (alignment * 8) != 0)
      return refuse(
          error, "strides[%zu]%s is %lld elements (%lld bytes), which must be a multiple of %lld bytes: pad the rows",
          dimension, origin, static_cast<long long>(stride), static_cast<long long>(bytes),
          static_cast<long long>(alignment));
  }
  return true;
}

// The bytes in shared memory that a swizzle permutes.
[[nodiscard]] constexpr int64 span_of(tma_swizzle swizzle) {
  return swizzle == tma_swizzle::bytes32 ? 32 : swizzle == tma_swizzle::bytes64 ? 64 : 128;
}

inline bool check_inner_box(const tensor_description& what, tensor_error& error) {
  const size_t inner = what.box.count - 1;
  const int64 size = what.box.values[inner];
  if (is_padded(what.element) && size != 128)
    return refuse(error, "box[%zu] is %lld elements, which of type %s must be 128", inner, static_cast<long long>(size),
                  name_of(what.element));
  if (what.interleave != tma_interleave_layout::none) return true;
  const int64 bits = static_cast<int64>(bits_of(what.element)), bytes = bytes_of(size, what.element);
  if (size * bits % 128 != 0)
    return refuse(error,
                  "box[%zu] is %lld elements (%lld bytes), the innermost size must be a multiple of 16 bytes: use %lld "
                  "elements",
                  inner, static_cast<long long>(size), static_cast<long long>(bytes),
                  static_cast<long long>((size * bits / 128 + 1) * 128 / bits));
  if (what.swizzle != tma_swizzle::none && bytes > span_of(what.swizzle))
    return refuse(error,
                  "box[%zu] is %lld elements (%lld bytes), the most with tma_swizzle::%s is %lld bytes: split the tile",
                  inner, static_cast<long long>(size), static_cast<long long>(bytes), name_of(what.swizzle),
                  static_cast<long long>(span_of(what.swizzle)));
  return true;
}

inline bool check_box(const tensor_description& what, tensor_error& error) {
  for (size_t dimension = 0; dimension < what.box.count; ++dimension) {
    const int64 size = what.box.values[dimension];
    if (size < 1)
      return refuse(error, "box[%zu] is %lld elements, the least is 1", dimension, static_cast<long long>(size));
    if (size > 256)
      return refuse(error, "box[%zu] is %lld elements, the most is 256: split the tile", dimension,
                    static_cast<long long>(size));
  }
  return check_inner_box(what, error);
}

// Without an interleaved layout, the copy engine ignores the innermost step.
inline bool check_steps(const tensor_description& what, tensor_error& error) {
  const bool ignores_inner = what.interleave == tma_interleave_layout::none;
  for (size_t dimension = 0; dimension + (ignores_inner ? 1 : 0) < what.steps.count; ++dimension) {
    const int64 step = what.steps.values[dimension];
    if (step < 1)
      return refuse(error, "element_strides[%zu] is %lld elements, the least is 1", dimension,
                    static_cast<long long>(step));
    if (step > 8)
      return refuse(error, "element_strides[%zu] is %lld elements, the most is 8: use a larger stride of the tensor",
                    dimension, static_cast<long long>(step));
  }
  return true;
}

// What the copy of a box transfers. Padding of packed numbers is not counted. Boxes with element strides are not
// checked: the driver accepts some of them, but not others (H200).
inline bool check_bytes_of_box(const tensor_description& what, tensor_error& error) {
  constexpr int64 limit = int64{1} << 18;
  int64 elements = 1;
  for (size_t dimension = 0; dimension < what.box.count; ++dimension) {
    if (what.steps.count != 0 && what.steps.values[dimension] != 1) return true;
    elements *= what.box.values[dimension];
  }
  const int64 bytes = bytes_of(elements, what.element);
  if (bytes >= limit)
    return refuse(error,
                  "box has %lld elements (%lld bytes), which must be less than %lld bytes, and fit into shared memory: "
                  "split the tile",
                  static_cast<long long>(elements), static_cast<long long>(bytes), static_cast<long long>(limit));
  return true;
}

// Whether a tensor map can describe this. Otherwise, error has the first limit that is exceeded.
[[nodiscard]] inline bool is_within_limits(const tensor_description& what, tensor_error& error) {
  if (what.error.text[0] != 0) return refuse(error, "%s", what.error.text);
  return check_counts(what, error) && check_format(what, error) && check_address(what, error) &&
         check_extents(what, error) && check_strides(what, error) && check_box(what, error) &&
         check_steps(what, error) && check_bytes_of_box(what, error);
}

// Whether a device of this compute capability has what the map uses.
[[nodiscard]] inline bool is_within_limits_of_device(const tensor_description& what, int major, int minor,
                                                     tensor_error& error) {
  if (major < 9)
    return refuse(error, "the GPU has compute capability %d.%d, the least for tensor maps is 9.0", major, minor);
  if (what.swizzle > tma_swizzle::bytes128 && major < 10)
    return refuse(error, "the GPU has compute capability %d.%d, the least for tma_swizzle::%s is 10.0: use bytes128",
                  major, minor, name_of(what.swizzle));
  return true;
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif

#endif
