// A copy to several blocks of a cluster is the instruction that a hand would write.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90+
// NVCC: 90a
// OPTIONS: --ptxas-options=-w
// Without the option ptxas advises against multicast on targets that lack the suffix "a" or "f": it may be slow there.
// SASS-LABEL: ours_copy_to_blocks:
// SASS: UBLKCP
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

using barrier_of_cluster = cuda::barrier<cuda::thread_scope_cluster>;

__device__ unsigned address_of(const void* object) {
  return static_cast<unsigned>(__cvta_generic_to_shared(object));
}

extern "C" {

__global__ void ours_copy_to_blocks(const int* source, unsigned short blocks) {
  alignas(16) __shared__ int tile[1024];
  extern __shared__ barrier_of_cluster bars[];
  cudasync::device::memcpy_async_tx_to_blocks(tile, source, cuda::aligned_size_t<16>(sizeof(tile)), bars[0], blocks);
}
__global__ void hand_copy_to_blocks(const int* source, unsigned short blocks) {
  alignas(16) __shared__ int tile[1024];
  extern __shared__ barrier_of_cluster bars[];
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 4096, "
               "[%2], %3;" ::"r"(address_of(tile)),
               "l"(__cvta_generic_to_global(source)), "r"(address_of(bars)), "h"(blocks)
               : "memory");
}

}  // extern "C"
