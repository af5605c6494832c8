// Beside CCCL's <cuda/std/mdspan> and <cuda/std/span>: tensor maps of mdspans, and the calls of libcu++'s <cuda/tma>.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CCCL: libcudacxx/test/libcudacxx/cuda/tma
#include "ours_first.h"

#include <cuda/std/span>
#if __has_include(<cuda/std/mdspan>)
#include <cuda/std/mdspan>
#endif
#include <cuda/tma>
#include <cudasync/tensor_map.h>

#if __has_include(<cuda/std/mdspan>)
CUtensorMap of_mdspan(const float* data) {
  const cuda::std::mdspan<const float, cuda::std::dextents<int, 2>> matrix(data, 64, 64);
  return cudasync::make_tensor_map(matrix, {8, 32});
}

CUtensorMap of_pitched_mdspan(double* data) {
  using extents = cuda::std::extents<size_t, 64, 64>;
  const cuda::std::array<size_t, 2> strides = {96, 1};
  const cuda::std::mdspan<double, extents, cuda::std::layout_stride> matrix(
      data, cuda::std::layout_stride::mapping<extents>(extents{}, strides));
  return cudasync::make_tensor_map(matrix, {8, 32});
}
#endif

// DLPack's members, in their order.
struct dlpack_tensor {
  void* data;
  struct {
    int device_type, device_id;
  } device;
  int ndim;
  struct {
    unsigned char code, bits;
    unsigned short lanes;
  } dtype;
  long *shape, *strides;
  unsigned long byte_offset;
};

CUtensorMap of_dlpack(const dlpack_tensor& tensor) {
  const int box_sizes[2] = {16, 16}, elem_strides[2] = {1, 1};
  const cuda::std::span<const int> box(box_sizes), strides(elem_strides);
  const cuda::std::span<const int, 2> fixed(box_sizes);
  static_cast<void>(cuda::make_tma_descriptor(tensor, fixed, cuda::tma_interleave_layout::none));
  return cuda::make_tma_descriptor(tensor, box, strides, cuda::tma_interleave_layout::none, cuda::tma_swizzle::bytes64,
                                   cuda::tma_l2_fetch_size::bytes128, cuda::tma_oob_fill::none);
}
