// Misuse with <cudasync/thread_block.h>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cudasync/thread_block.h>

// misuse: cluster_below_sm90
// Before sm_90 there are no clusters.
// ERROR: thread_cluster needs sm_90: older architectures have no clusters; compile with -arch=sm_90 or newer
// ARCHS: 75 80
// COMPILERS: nvrtc nvcc
__device__ void misuse() {
  cudasync::this_cluster().sync();       // wrong
  cudasync::this_thread_block().sync();  // right
}

// misuse: num_blocks_below_sm90
// Before sm_90 there is no cluster whose blocks could be counted.
// ERROR: thread_cluster needs sm_90: older architectures have no clusters; compile with -arch=sm_90 or newer
// ARCHS: 80
__device__ void misuse(unsigned* blocks) {
  *blocks = cudasync::this_cluster().num_blocks();  // wrong
  *blocks = gridDim.x;                              // right
}

// common:
__device__ void misuse(unsigned* rank) {
  // misuse: block_rank_below_sm90
  // Before sm_90 a block has no rank in a cluster.
  // ERROR: thread_cluster needs sm_90: older architectures have no clusters; compile with -arch=sm_90 or newer
  // ARCHS: 80
  *rank = cudasync::this_cluster().block_rank();  // wrong
  *rank = blockIdx.x;                             // right

  // misuse: thread_rank_below_sm90
  // Before sm_90 a thread has no rank in a cluster.
  // ERROR: thread_cluster needs sm_90: older architectures have no clusters; compile with -arch=sm_90 or newer
  // ARCHS: 80
  *rank = cudasync::this_cluster().thread_rank();       // wrong
  *rank = cudasync::this_thread_block().thread_rank();  // right
}
