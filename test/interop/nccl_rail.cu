// A world_barrier over NCCL's signals for networks, beside its device headers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: nccl
#include <cudasync/nccl_rail.h>

#include <nccl.h>
#include <nccl_device.h>

using part = cudasync::world_part<>;

__global__ void synchronize_world(ncclDevComm devices, ncclWindow_t window) {
  __shared__ part* parts[part::max_peers];
  const int gpus = devices.lsaSize, thread = static_cast<int>(threadIdx.x);
  if (thread < gpus) parts[thread] = static_cast<part*>(ncclGetLsaPointer(window, 0, thread));
  __syncthreads();
  const ncclGin network(devices, 0);
  const cudasync::nccl_rail rail(network, ncclTeamRail(devices), ncclGin_SignalInc{0}, ncclCoopThread());
  static_assert(decltype(rail)::signal_count(128) == 127);
  cudasync::world_barrier bar(rail, parts, static_cast<unsigned>(devices.lsaRank), static_cast<unsigned>(gpus));
  bar.arrive_and_wait();
  bar.wait(bar.arrive());
}
