// A tensor has five dimensions at most.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: bulk_store: a tensor map has 1 to 5 dimensions; give as many coordinates
#include <cuda/pipeline>

__device__ void store(const CUtensorMap* map, const float* source) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cudasync::device::bulk_store(map, {0, 0, 0, 0, 0, 0}, source);
#else
  cudasync::device::bulk_store(map, {0, 0, 0, 0, 0}, source);
#endif
}
