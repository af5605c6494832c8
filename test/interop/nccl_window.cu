// A peer_barrier whose parts are at the beginning of a window of NCCL, beside its device headers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: nccl
#include <cudasync/peer_barrier.h>

#include <nccl.h>
#include <nccl_device.h>

using part = cudasync::peer_part<>;

__global__ void synchronize_peers(ncclDevComm devices, ncclWindow_t window) {
  __shared__ part* parts[part::max_peers];
  const int gpus = devices.lsaSize, thread = static_cast<int>(threadIdx.x);
  if (thread < gpus) parts[thread] = static_cast<part*>(ncclGetLsaPointer(window, 0, thread));
  __syncthreads();
  cudasync::peer_barrier bar(parts, static_cast<unsigned>(devices.lsaRank), static_cast<unsigned>(gpus));
  bar.arrive_and_wait();
}
