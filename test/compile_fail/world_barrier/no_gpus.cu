// A host without GPUs has nothing that could arrive.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: world_part: the number of GPUs of a host must be 1 to 1024
// COMPILERS: nvrtc nvcc
#include <cudasync/world_barrier.h>

using part = cudasync::world_part<0>;  // wrong
using part = cudasync::world_part<1>;  // right

__device__ unsigned most() {
  return part::max_peers;
}
