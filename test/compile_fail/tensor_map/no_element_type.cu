// The copy engine has no elements of a struct.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: make_tensor_map: the copy engine has no elements of this type; pass a tensor_element before the address
// COMPILERS: nvcc
#include <cudasync/tensor_map.h>

struct pixel {
  float red, green;
};

CUtensorMap make(const pixel* image) {
#if defined(CUDASYNC_EXPECT_ERROR)
  return cudasync::make_tensor_map(image, {64, 64}, {8, 32});
#else
  return cudasync::make_tensor_map(cudasync::tensor_element::u64, image, {64, 64}, {8, 32});
#endif
}
