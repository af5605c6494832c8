// The copy engine has no elements of a struct, in an mdspan either.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: make_tensor_map: the copy engine has no elements of this type; pass a tensor_element, the address and the extents
// COMPILERS: nvcc
#include <cudasync/tensor_map.h>

struct pixel {
  float red, green;
};

// The members of std::mdspan that make_tensor_map uses.
struct image {
  using element_type = pixel;
  using rank_type = unsigned;
  static constexpr rank_type rank() { return 2; }
  pixel* data_handle() const { return data; }
  int extent(rank_type) const { return 64; }
  int stride(rank_type dimension) const { return dimension == 0 ? 64 : 1; }
  pixel* data;
};

CUtensorMap make(const image& pixels) {
#if defined(CUDASYNC_EXPECT_ERROR)
  return cudasync::make_tensor_map(pixels, {8, 32});
#else
  return cudasync::make_tensor_map(cudasync::tensor_element::u64, pixels.data_handle(), {64, 64}, {8, 32});
#endif
}
