// Tensor maps for tests, encoded by the driver without linking against it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_SUPPORT_TENSOR_MAP_H
#define CUDASYNC_TEST_SUPPORT_TENSOR_MAP_H

#include "gpu_test.h"

#include <cuda.h>
#include <cudaTypedefs.h>

#include <vector>

// Whole numbers of elements, the innermost dimension first.
struct tensor_shape {
  std::vector<unsigned> sizes;
  std::vector<unsigned> box;
};

// A dense tensor of 4-byte integers in global memory, whose rows are multiples of 16 bytes. What a box has beyond the
// tensor is loaded as zeros, and not stored.
inline CUtensorMap tensor_map_of(void* integers, const tensor_shape& shape) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
  gpu_test::expect_success(
      cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found),
      "cudaGetDriverEntryPointByVersion");
#else
  gpu_test::expect_success(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found),
                           "cudaGetDriverEntryPoint");
#endif
  if (found != cudaDriverEntryPointSuccess) gpu_test::give_up("no cuTensorMapEncodeTiled");
  const size_t rank = shape.sizes.size();
  std::vector<cuuint64_t> sizes, strides;
  std::vector<cuuint32_t> box, steps;
  cuuint64_t bytes = 4;
  for (size_t dimension = 0; dimension < rank; ++dimension) {
    sizes.push_back(shape.sizes[dimension]);
    bytes *= shape.sizes[dimension];
    strides.push_back(bytes);  // to the next of the dimension after this: the last one is not read
    box.push_back(shape.box[dimension]);
    steps.push_back(1);
  }
  CUtensorMap map;
  const CUresult result = reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function)(
      &map, CU_TENSOR_MAP_DATA_TYPE_INT32, static_cast<cuuint32_t>(rank), integers, sizes.data(), strides.data(),
      box.data(), steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) gpu_test::give_up("cuTensorMapEncodeTiled failed");
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
