// A peer_barrier whose parts are on the symmetric heap of NVSHMEM, beside its device headers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: nvshmem
#include <cudasync/peer_barrier.h>

#include <nvshmem.h>
#include <nvshmemx.h>

using part = cudasync::peer_part<>;

// own: the same offset of each heap. The ranks are those of the processes of this host.
__global__ void synchronize_peers(part* own, unsigned rank, unsigned gpus) {
  __shared__ part* parts[part::max_peers];
  if (threadIdx.x < gpus) {
    const int peer = nvshmem_team_translate_pe(NVSHMEMX_TEAM_NODE, static_cast<int>(threadIdx.x), NVSHMEM_TEAM_WORLD);
    parts[threadIdx.x] = static_cast<part*>(nvshmem_ptr(own, peer));
  }
  __syncthreads();
  cudasync::peer_barrier bar(parts, rank, gpus);
  bar.arrive_and_wait();
}
