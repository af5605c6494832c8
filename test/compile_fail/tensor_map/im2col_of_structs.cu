// The copy engine has no elements of other types, also with im2col maps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: make_im2col_map: the copy engine has no elements of this type; pass a tensor_element before the address
// COMPILERS: nvcc
#include <cudasync/tensor_map.h>

struct pixel {
  unsigned char red, green, blue;
};

CUtensorMap make(const pixel* image) {
#if defined(CUDASYNC_EXPECT_ERROR)
  return cudasync::make_im2col_map(image, {1, 64, 16}, {{0}, {0}, 16, 64});
#else
  return cudasync::make_im2col_map(cudasync::tensor_element::u8, image, {1, 64, 16}, {{0}, {0}, 16, 64});
#endif
}
