// Beside the device headers of NCCL, which take orders and scopes as values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: nccl
#include "ours_first.h"

#include <nccl.h>
#include <nccl_device.h>

#include "ours_atomic.h"

__global__ void synchronize_peers(ncclDevComm devices) {
  ncclLsaBarrierSession<ncclCoopCta> bar(ncclCoopCta(), devices, ncclTeamTagLsa(), blockIdx.x);
  bar.sync(ncclCoopCta(), cuda::memory_order_relaxed);
  bar.sync(ncclCoopCta(), cuda::memory_order_release);
}
