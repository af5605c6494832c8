// The barriers of a ring of stages, in one block or in the blocks of a cluster.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_COPY_RING_DEVICE_H
#define CUDASYNC_BACKEND_COPY_RING_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/backend/phase/block_phase_device.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/mbarrier.h>
#include <cudasync/ptx/mbarrier_qualified.h>
#include <cudasync/ptx/special_registers.h>

// Arrivals from other blocks release at cluster scope, and waits for them acquire at that scope.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

// Does not suspend the thread, which may have another ring to look at.
template <uint32 Blocks>
CUDASYNC_DEVICE bool test_ring(target::sm90, ptx::shared_address bar, uint32 parity) {
  if constexpr (Blocks == 1)
    return ptx::mbarrier_test_wait_parity(bar, parity);
  else
    return ptx::mbarrier_test_wait_parity(ptx::sem_acquire_t{}, ptx::scope_cluster_t{}, bar, parity);
}

// May suspend the thread until the phase has completed, but not for long. For a thread that waits in a loop.
template <uint32 Blocks>
CUDASYNC_DEVICE bool wait_for_ring_briefly(target::sm90, ptx::shared_address bar, uint32 parity) {
  if constexpr (Blocks == 1)
    return ptx::mbarrier_try_wait_parity(bar, parity);
  else
    return ptx::mbarrier_try_wait_parity(ptx::sem_acquire_t{}, ptx::scope_cluster_t{}, bar, parity);
}

template <uint32 Blocks>
CUDASYNC_DEVICE void await_ring(target::sm90 here, ptx::shared_address bar, uint32 parity) {
  if constexpr (Blocks == 1) {
    static_cast<void>(ptx::mbarrier_try_wait_until_parity(bar, parity));
  } else {
    while (!wait_for_ring_briefly<Blocks>(here, bar, parity)) {
    }
  }
}

// Arrives in each of the first Blocks blocks of the cluster. Threads is the number of threads that share the arrivals,
// and rank the rank of this thread among them.
template <uint32 Blocks, uint32 Threads, class Order>
CUDASYNC_DEVICE void arrive_in_blocks(Order order, ptx::shared_address bar, uint32 rank) {
  if constexpr (Blocks <= Threads) {
    if (rank < Blocks) ptx::mbarrier_arrive(order, ptx::scope_cluster_t{}, ptx::mapa(bar, Blocks == 1 ? 0 : rank), 1);
  } else {
    for (uint32 block = rank; block < Blocks; block += Threads)
      ptx::mbarrier_arrive(order, ptx::scope_cluster_t{}, ptx::mapa(bar, block), 1);
  }
}

// Arrives in this block or, if the ring is shared by the blocks of a cluster, in the first Receivers of them.
template <uint32 Blocks, uint32 Threads, uint32 Receivers = Blocks>
CUDASYNC_DEVICE void arrive_in_ring(target::sm90, ptx::shared_address bar, uint32 rank) {
  if constexpr (Blocks == 1) {
    if (rank == 0) static_cast<void>(ptx::mbarrier_arrive(bar));
  } else {
    arrive_in_blocks<Receivers, Threads>(ptx::sem_release_t{}, bar, rank);
  }
}

// The same after a wait for the reads of tensor cores or of the copy engine. These reads are complete, and the threads
// have no accesses of their own to publish, so the arrivals in other blocks need not release. A release at cluster
// scope is a fence at device scope, as machine code has none for a cluster, and takes longer than wgmma.
template <uint32 Blocks, uint32 Threads>
CUDASYNC_DEVICE void arrive_in_ring_after_reads(target::sm90 here, ptx::shared_address bar, uint32 rank) {
  if constexpr (Blocks > 1 && ptx::has_relaxed_mbarrier())
    arrive_in_blocks<Blocks, Threads>(ptx::sem_relaxed_t{}, bar, rank);
  else
    arrive_in_ring<Blocks, Threads>(here, bar, rank);
}

// Arrives in the first block of this block's pair: one thread of a warp, after its reads of tensor memory.
#if CUDASYNC_PTX_ISA >= 86  // every toolkit for sm_100
CUDASYNC_DEVICE void arrive_in_leader(target::sm100, ptx::shared_address bar, uint32 rank) {
  if (rank == 0)
    ptx::mbarrier_arrive(ptx::sem_relaxed_t{}, ptx::scope_cluster_t{},
                         ptx::mapa(bar, ptx::get_sreg_cluster_ctarank() & ~1u), 1);
}
#else
CUDASYNC_DEVICE void arrive_in_leader(target::sm100, ptx::shared_address, uint32) {}
#endif

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif  // CUDASYNC_CUDA

#endif
