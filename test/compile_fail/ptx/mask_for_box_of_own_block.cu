// A mask of blocks is no policy for the cache.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: deleted function
#include <cudasync/ptx/cp_async_bulk_tensor.h>

namespace ptx = cudasync::ptx;

__device__ void copy(ptx::shared_address to, const void* map, ptx::shared_address bar, unsigned short mask) {
  ptx::cp_async_bulk_tensor(to, map, {0, 0}, bar, mask);                                              // wrong
  ptx::cp_async_bulk_tensor(ptx::cluster_address(to), map, {0, 0}, ptx::cluster_address(bar), mask);  // right
}
