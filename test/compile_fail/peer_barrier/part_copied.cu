// The other GPUs know where a part is, and it has no copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: (cannot be referenced -- it is a deleted function|use of deleted function)|deleted
// COMPILERS: nvrtc nvcc
#include <cudasync/peer_barrier.h>

__device__ bool is_there(cudasync::peer_part<>& part) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cudasync::peer_part<> other(part);
#else
  cudasync::peer_part<>& other = part;
#endif
  return &other == &part;
}
