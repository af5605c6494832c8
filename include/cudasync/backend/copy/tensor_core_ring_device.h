// Arrivals at the empty barriers of a ring after tensor cores have read its stages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_COPY_TENSOR_CORE_RING_DEVICE_H
#define CUDASYNC_BACKEND_COPY_TENSOR_CORE_RING_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/backend/copy/ring_device.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/mbarrier_qualified.h>
#include <cudasync/ptx/special_registers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

// Arrives in the first block of this block's pair: one thread of a warp, after its reads of tensor memory.
CUDASYNC_DEVICE void arrive_in_leader(target::sm100, [[maybe_unused]] ptx::shared_address bar,
                                      [[maybe_unused]] uint32 rank) {
#if CUDASYNC_PTX_ISA >= 86  // every toolkit for sm_100
  if (rank == 0)
    ptx::mbarrier_arrive(ptx::sem_relaxed_t{}, ptx::scope_cluster_t{},
                         ptx::mapa(bar, ptx::get_sreg_cluster_ctarank() & ~1u), 1);
#endif
}

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA

#endif
