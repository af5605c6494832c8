// Tensor maps for tests, and what they describe.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_SUPPORT_TENSOR_MAP_H
#define CUDASYNC_TEST_SUPPORT_TENSOR_MAP_H

#include "gpu_test.h"

#include <cudasync/tensor_map.h>

#include <vector>

// Whole numbers of elements, the innermost dimension first.
struct tensor_shape {
  std::vector<unsigned> sizes;
  std::vector<unsigned> box;
};

// A dense tensor of 4-byte integers in global memory, whose rows are multiples of 16 bytes. What a box has beyond the
// tensor is loaded as zeros, and not stored.
inline CUtensorMap tensor_map_of(const int* integers, const tensor_shape& shape) {
  const std::vector<unsigned> extents(shape.sizes.rbegin(), shape.sizes.rend());
  const std::vector<unsigned> box(shape.box.rbegin(), shape.box.rend());
  const auto map = cudasync::make_tensor_map(integers, extents, box);
  if (!map) gpu_test::give_up(map.error());
  return map;
}

// What a kernel knows of a tensor.
struct tensor_layout {
  unsigned rank;
  int sizes[5];
  int box[5];
  int elements;  // of a box

  // The index in the tensor of this element of the box at these coordinates; -1 beyond the tensor.
  __host__ __device__ long long index_of(const int (&at)[5], int element) const {
    long long index = 0, stride = 1;
    for (unsigned dimension = 0; dimension < rank; ++dimension) {
      const int place = at[dimension] + element % box[dimension];
      element /= box[dimension];
      if (place < 0 || place >= sizes[dimension]) return -1;
      index += place * stride;
      stride *= sizes[dimension];
    }
    return index;
  }
};
inline tensor_layout layout_of(const tensor_shape& shape) {
  tensor_layout layout = {static_cast<unsigned>(shape.sizes.size()), {}, {}, 1};
  for (size_t dimension = 0; dimension < shape.sizes.size(); ++dimension) {
    layout.sizes[dimension] = static_cast<int>(shape.sizes[dimension]);
    layout.box[dimension] = static_cast<int>(shape.box[dimension]);
    layout.elements *= layout.box[dimension];
  }
  return layout;
}
inline size_t elements_of(const tensor_shape& shape) {
  size_t elements = 1;
  for (const unsigned size : shape.sizes)
    elements *= size;
  return elements;
}

// Any coordinates near the tensor, a part of the box or all of it beyond: the same for the same number.
__host__ __device__ inline void box_near(const tensor_layout& layout, unsigned number, int (&at)[5]) {
  for (unsigned dimension = 0; dimension < 5; ++dimension) {
    number = number * 1664525u + 1013904223u;
    const int choices = layout.sizes[dimension] + 2 * layout.box[dimension] + 1;
    at[dimension] = dimension < layout.rank
                        ? static_cast<int>((number >> 8) % static_cast<unsigned>(choices)) - layout.box[dimension]
                        : 0;
  }
  at[0] &= ~3;  // the hardware takes multiples of 16 bytes only
}

// The same, but the box begins in the tensor.
__host__ __device__ inline void box_in(const tensor_layout& layout, unsigned number, int (&at)[5]) {
  box_near(layout, number, at);
  for (unsigned dimension = 0; dimension < layout.rank; ++dimension)
    at[dimension] = at[dimension] < 0                         ? 0
                    : at[dimension] < layout.sizes[dimension] ? at[dimension]
                                                              : (layout.sizes[dimension] - 1) & ~3;
}

#endif
