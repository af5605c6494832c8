// Sizes are integers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: outer_first: sizes and strides are integers; convert them before the call
// COMPILERS: nvcc
#include <cudasync/tensor_map.h>

CUtensorMap make(const float* tensor, double rows) {
#if defined(CUDASYNC_EXPECT_ERROR)
  return cudasync::make_tensor_map(tensor, {rows, 64}, {8, 32});
#else
  return cudasync::make_tensor_map(tensor, {static_cast<int>(rows), 64}, {8, 32});
#endif
}
