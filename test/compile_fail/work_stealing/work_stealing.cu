// Misuse with <cuda/work_stealing>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/work_stealing>

// common:
__device__ void misuse(unsigned& tiles) {
  // misuse: function_without_index
  // The function is told for which block it works.
  // ERROR: for_each_canceled_block, for_each_canceled_cluster: the function takes the index of a block; give a function or a lambda such as
  // COMPILERS: nvrtc nvcc
  cuda::for_each_canceled_block([&] { ++tiles; });        // wrong
  cuda::for_each_canceled_block([&](dim3) { ++tiles; });  // right

  // misuse: rank_0
  // A grid has a dimension.
  // ERROR: for_each_canceled_block<rank>, for_each_canceled_cluster<rank>: a grid has 1 to 3 dimensions
  // COMPILERS: nvrtc nvcc
  cuda::for_each_canceled_block<0>([&](dim3 index) { tiles += index.x; });  // wrong
  cuda::for_each_canceled_block<1>([&](dim3 index) { tiles += index.x; });  // right

  // misuse: rank_4
  // A grid has at most three dimensions.
  // ERROR: for_each_canceled_block<rank>, for_each_canceled_cluster<rank>: a grid has 1 to 3 dimensions
  // COMPILERS: nvrtc nvcc
  cudasync::for_each_canceled_cluster<4>([&](dim3 index) { tiles += index.x; });  // wrong
  cudasync::for_each_canceled_cluster<3>([&](dim3 index) { tiles += index.x; });  // right
}
