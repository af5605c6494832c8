// What tensor_map_editor makes of a map, for kernels of test/gpu and test/model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_SUPPORT_REPLACED_MAPS_H
#define CUDASYNC_TEST_SUPPORT_REPLACED_MAPS_H

#include <cuda/barrier>
#include <cuda/ptx>
#include <cudasync/tensor_map.h>

// For each number of dimensions, tensors that differ from the original one, and from each other, in the size and in the
// stride of every dimension.
namespace replaced_maps {

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

// All numbers of elements, the outermost dimension first.
template <int Rank>
struct tensor {
  int extents[Rank];
  long long strides[Rank];
};

// Of five dimensions; a tensor with fewer has the last ones.
struct list {
  int of[5];

  template <int Rank>
  __host__ __device__ constexpr int at(int dimension) const {
    return of[5 - Rank + dimension];
  }
};
__host__ __device__ constexpr list boxes() {
  return {{2, 3, 1, 4, 8}};
}
constexpr int box_elements = 2 * 3 * 1 * 4 * 8;

template <int Rank>
__host__ __device__ constexpr tensor<Rank> tensor_of(const list& sizes, const list& pads) {
  tensor<Rank> result{};
  long long stride = 1;
  for (int dimension = Rank - 1; dimension >= 0; --dimension) {
    result.extents[dimension] = sizes.at<Rank>(dimension);
    result.strides[dimension] = stride;
    stride *= sizes.at<Rank>(dimension) + pads.at<Rank>(dimension);
  }
  return result;
}
template <int Rank>
__host__ __device__ constexpr tensor<Rank> original() {
  return tensor_of<Rank>({{2, 3, 4, 5, 20}}, {{0, 1, 1, 2, 8}});
}

// Dense, or with padding in each dimension.
constexpr int variants = 2;
template <int Rank>
__host__ __device__ constexpr tensor<Rank> replacement(int variant) {
  return tensor_of<Rank>({{3, 5, 2, 7, 12}}, variant == 0 ? list{} : list{{0, 2, 3, 1, 4}});
}
constexpr int elements = 3 * (5 + 2) * (2 + 3) * (7 + 1) * (12 + 4);  // at most

// All threads of a warp.
template <int Rank, class Value>
__device__ void replace(cudasync::tensor_map_editor& editor, CUtensorMap* map, const CUtensorMap* origin,
                        const Value* address, int variant) {
  const tensor<Rank> made = replacement<Rank>(variant);
  if (variant == 0)
    editor.replace(map, origin, address, made.extents);
  else
    editor.replace(map, origin, address, made.extents, made.strides);
}

// The block copies boxes by the map, within the tensor and across its edges, and returns whether they contain what they
// should: an element is its own index plus one.
template <int Rank, class Value>
__device__ bool are_boxes_right(const CUtensorMap* map, int variant, Value* tile, block_barrier& bar) {
  const tensor<Rank> made = replacement<Rank>(variant);
  int count = 1;
  for (int dimension = 0; dimension < Rank; ++dimension)
    count *= boxes().at<Rank>(dimension);
  bool right = true;
  for (int number = 0; number < 4; ++number) {
    int corner[Rank], reversed[Rank];
    for (int dimension = 0; dimension < Rank; ++dimension) {
      const int most = made.extents[dimension] - 1, at = number == 0 ? 0 : (number * 5 + dimension * 3) % (most + 1);
      corner[dimension] = dimension == Rank - 1 ? at & ~3 : at - number % 2;
      reversed[Rank - 1 - dimension] = corner[dimension];
    }
    if (threadIdx.x == 0) {
      cudasync::device::fence_before_bulk_copy();
      static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, count * sizeof(Value)));
      cuda::ptx::cp_async_bulk_tensor(cuda::ptx::space_cluster, cuda::ptx::space_global, tile, map, reversed,
                                      cuda::device::barrier_native_handle(bar));
    }
    bar.wait_parity(number % 2 != 0);
    for (int element = static_cast<int>(threadIdx.x); element < count; element += static_cast<int>(blockDim.x)) {
      long long index = 0;
      int rest = element;
      bool is_inside = true;
      for (int dimension = Rank - 1; dimension >= 0; --dimension) {
        const int side = boxes().at<Rank>(dimension), place = corner[dimension] + rest % side;
        rest /= side;
        is_inside = is_inside && place >= 0 && place < made.extents[dimension];
        index += place * made.strides[dimension];
      }
      right = right && tile[element] == (is_inside ? static_cast<Value>(index + 1) : Value());
    }
    __syncthreads();
  }
  return right;
}

}  // namespace replaced_maps

#endif
