// A pointer to void does not say what the elements are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: make_tensor_map: the copy engine has no elements of this type; pass a tensor_element before the address
// COMPILERS: nvcc
#include <cudasync/tensor_map.h>

CUtensorMap make(const void* tensor) {
#if defined(CUDASYNC_EXPECT_ERROR)
  return cudasync::make_tensor_map(tensor, {64, 64}, {8, 32});
#else
  return cudasync::make_tensor_map(cudasync::tensor_element::tf32, tensor, {64, 64}, {8, 32});
#endif
}
