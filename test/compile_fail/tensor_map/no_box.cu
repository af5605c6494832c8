// A pointer needs extents and a box.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: make_tensor_map: the first argument is no pointer with extents and a box after it, no mdspan and no DLTensor
// COMPILERS: nvcc
#include <cudasync/tensor_map.h>

CUtensorMap make(const float* tensor) {
#if defined(CUDASYNC_EXPECT_ERROR)
  return cudasync::make_tensor_map(tensor, {64, 64});
#else
  return cudasync::make_tensor_map(tensor, {64, 64}, {8, 32});
#endif
}
