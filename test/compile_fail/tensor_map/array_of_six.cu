// An array of sizes has five elements at most.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: outer_first: a tensor map has 1 to 5 dimensions; give as many sizes
// COMPILERS: nvcc
#include <cudasync/tensor_map.h>

CUtensorMap make(const float* tensor) {
  const int five[] = {2, 2, 2, 2, 64};
  [[maybe_unused]] const int six[] = {2, 2, 2, 2, 2, 64};
#if defined(CUDASYNC_EXPECT_ERROR)
  return cudasync::make_tensor_map(tensor, six, five);
#else
  return cudasync::make_tensor_map(tensor, five, five);
#endif
}
