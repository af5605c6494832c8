// How many blocks of a persistent kernel to launch: what the runtime knows of the code that the device runs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_GRID_LAUNCH_HOST_H
#define CUDASYNC_BACKEND_GRID_LAUNCH_HOST_H

#include <cudasync/core/config.h>

#if CUDASYNC_HAS_HOST && __has_include(<cuda_runtime_api.h>)

#include <cuda_runtime_api.h>
#include <cudasync/core/integers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

// The number of blocks, in clusters of (Blocks, 1, 1), that the device can hold at a time; 0 after an error.
template <uint32 Blocks>
[[nodiscard]] uint32 resident_blocks(const void* kernel, uint32 threads, size_t dynamic_shared_bytes) {
  if (Blocks == 1) {
    int device = 0;
    int multiprocessors = 0;
    int blocks = 0;
    if (cudaGetDevice(&device) != cudaSuccess) return 0;
    if (cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device) != cudaSuccess) return 0;
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(threads),
                                                      dynamic_shared_bytes) != cudaSuccess)
      return 0;
    return static_cast<uint32>(blocks) * static_cast<uint32>(multiprocessors);
  }
  cudaLaunchAttribute shape{};
  shape.id = cudaLaunchAttributeClusterDimension;
  shape.val.clusterDim.x = Blocks;
  shape.val.clusterDim.y = 1;
  shape.val.clusterDim.z = 1;
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(Blocks);
  launch.blockDim = dim3(threads);
  launch.dynamicSmemBytes = dynamic_shared_bytes;
  launch.attrs = &shape;
  launch.numAttrs = 1;
  int clusters = 0;
  if (cudaOccupancyMaxActiveClusters(&clusters, kernel, &launch) != cudaSuccess) return 0;
  return static_cast<uint32>(clusters) * Blocks;
}

// One block for each tile where the kernel's code cancels launches, which follows from the architecture that it was
// compiled for (ptxVersion), not from the one that runs it (binaryVersion). Otherwise as many as are resident, at most
// one for each tile. blocks: the number of tiles, in whole clusters. 0 if the runtime reports an error.
template <uint32 Blocks>
[[nodiscard]] uint32 blocks_to_launch(const void* kernel, uint32 blocks, uint32 threads, size_t dynamic_shared_bytes) {
  cudaFuncAttributes attributes;
  if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess) return 0;
  if (attributes.ptxVersion >= 100) return blocks;
  const uint32 resident = resident_blocks<Blocks>(kernel, threads, dynamic_shared_bytes);
  return resident < blocks ? resident : blocks;
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif

#endif
