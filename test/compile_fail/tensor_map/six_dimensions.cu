// A tensor map has five dimensions at most.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: outer_first: a tensor map has 1 to 5 dimensions; give as many sizes
// COMPILERS: nvcc
#include <cudasync/tensor_map.h>

CUtensorMap make(const float* tensor) {
#if defined(CUDASYNC_EXPECT_ERROR)
  return cudasync::make_tensor_map(tensor, {2, 2, 2, 2, 2, 64}, {1, 1, 1, 1, 32});
#else
  return cudasync::make_tensor_map(tensor, {4, 2, 2, 2, 64}, {1, 1, 1, 1, 32});
#endif
}
