// The limits of im2col maps, checked on the host before the driver is called, with a sentence for each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_TENSOR_IM2COL_LIMITS_H
#define CUDASYNC_BACKEND_TENSOR_IM2COL_LIMITS_H

#include <cudasync/core/config.h>

#if CUDASYNC_HAS_HOST

#include <cudasync/backend/tensor/tensor_limits.h>

// Source of the limits: cuTensorMapEncodeIm2col in the manual of the CUDA driver API (13.0).
namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

// What an im2col map describes: a tensor of N, D, H, W and C, with one, two or three of D, H and W, and the columns
// that a copy loads. The box is not used.
struct im2col_description : tensor_description {
  tensor_sizes lower;  // the corners of the bounding box: offsets from the tensor's, the outermost dimension first
  tensor_sizes upper;
  int64 channels = 0;  // of each pixel
  int64 pixels = 0;    // of each column
};

inline bool check_corner(const tensor_sizes& corner, const char* name, size_t rank, tensor_error& error) {
  if (corner.count != rank - 2)
    return refuse(error,
                  "%s has %zu dimensions, the tensor has %zu: give one offset for each dimension between the first "
                  "(N) and the last (C)",
                  name, corner.count, rank);
  const int64 limit = rank == 3 ? 32768 : rank == 4 ? 128 : 16;
  for (size_t place = 0; place < corner.count; ++place) {
    const int64 offset = corner.values[place];
    if (offset < -limit || offset >= limit)
      return refuse(error, "%s[%zu] is %lld, a tensor of %zu dimensions has offsets from %lld to %lld", name, place,
                    static_cast<long long>(offset), rank, static_cast<long long>(-limit),
                    static_cast<long long>(limit - 1));
  }
  return true;
}

// The pixels of the bounding box in a dimension are those from lower to extent + upper.
inline bool check_bounding_box(const im2col_description& what, tensor_error& error) {
  const size_t rank = what.extents.count;
  if (!check_corner(what.lower, "lower_corner", rank, error) || !check_corner(what.upper, "upper_corner", rank, error))
    return false;
  for (size_t place = 0; place < what.lower.count; ++place) {
    const int64 pixels = what.extents.values[place + 1] + what.upper.values[place] - what.lower.values[place];
    if (pixels < 1)
      return refuse(error,
                    "the bounding box has %lld pixels in dimension %zu, the least is 1: lower lower_corner[%zu], or "
                    "raise upper_corner[%zu]",
                    static_cast<long long>(pixels), place + 1, place, place);
  }
  return true;
}

inline bool check_column(const im2col_description& what, tensor_error& error) {
  const auto check_number = [&error](const char* name, int64 number, int64 most) {
    if (number < 1) return refuse(error, "%s is %lld, the least is 1", name, static_cast<long long>(number));
    if (number > most)
      return refuse(error, "%s is %lld, the most is %lld: split the tile", name, static_cast<long long>(number),
                    static_cast<long long>(most));
    return true;
  };
  if (!check_number("channels", what.channels, 256) || !check_number("pixels", what.pixels, 1024)) return false;
  if (is_padded(what.element) && what.channels != 128)
    return refuse(error, "channels is %lld, which of type %s must be 128", static_cast<long long>(what.channels),
                  name_of(what.element));
  const int64 bytes = bytes_of(what.channels, what.element);
  if (what.interleave == tma_interleave_layout::none && what.swizzle != tma_swizzle::none &&
      bytes > span_of(what.swizzle))
    return refuse(error, "channels is %lld (%lld bytes), the most with tma_swizzle::%s is %lld bytes: split the tile",
                  static_cast<long long>(what.channels), static_cast<long long>(bytes), name_of(what.swizzle),
                  static_cast<long long>(span_of(what.swizzle)));
  return true;
}

// Whether an im2col map can describe this. Otherwise, error has the first limit that is exceeded.
[[nodiscard]] inline bool is_within_limits(const im2col_description& what, tensor_error& error) {
  if (what.error.text[0] != 0) return refuse(error, "%s", what.error.text);
  if (!check_rank(what, error)) return false;
  if (what.extents.count < 3)
    return refuse(error,
                  "the tensor has %zu dimensions, the least of an im2col map is 3 (N, W and C): add dimensions of 1",
                  what.extents.count);
  return check_format(what, error) && check_address(what, error) && check_extents(what, error) &&
         check_strides(what, error) && check_bounding_box(what, error) && check_column(what, error) &&
         check_steps(what, error);
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif

#endif
