// Tensor cores as the consumers of a ring. Their instructions return before their reads of shared memory are complete.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TENSOR_TENSOR_CORE_CONSUMERS_H
#define CUDASYNC_TENSOR_TENSOR_CORE_CONSUMERS_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/checked/ring_device.h>
#include <cudasync/checked/transaction.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/pipeline/ring_state.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/cp_async_bulk_tensor_group.h>
#include <cudasync/ptx/cp_async_bulk_tensor_im2col.h>
#include <cudasync/ptx/special_registers.h>
#include <cudasync/ptx/tcgen05.h>
#include <cudasync/ptx/warpgroup.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// The position of a consumer in a ring whose stages tensor cores read. bulk_pipeline::consumer_commit advances it.
template <uint32 Stages>
class committed_ring_state {
 public:
  // At the first stage of round 0, with nothing to release.
  committed_ring_state() = default;

  // Returns the index of the stage, 0 to Stages - 1.
  [[nodiscard]] CUDASYNC_DEVICE constexpr uint32 index() const { return position_.index(); }
  // Returns the stage and the round.
  [[nodiscard]] CUDASYNC_DEVICE constexpr ring_state<Stages> position() const { return position_; }

  // Advances by count stages, which other consumers commit. A warpgroup calls consumer_finish before skip. Before it
  // waits for the next stage, it must know that those consumers have waited for their stages, for example by its turn.
  CUDASYNC_DEVICE constexpr void skip(uint32 count) { position_.advance(count); }

 private:
  template <uint32, uint32>
  friend struct consumer_warpgroups;
  ring_state<Stages> position_;
  uint32 unreleased_ = 0;  // the number of committed stages that this warpgroup has not released
};

// The consumers of a bulk_pipeline are this number of warpgroups of 128 threads each, which read the stages only with
// wgmma. All threads of a warpgroup call consumer_commit for each stage, and consumer_finish before they use their
// accumulators, converged. One thread of each warp arrives. While the warpgroup waits for the next stage, the reads of
// up to Pending stages may be incomplete. sm_90a.
template <uint32 Warpgroups, uint32 Pending = 1>
struct consumer_warpgroups {
  static_assert(Pending <= 7,
                "consumer_warpgroups<n, pending>: wgmma.wait_group takes at most 7 pending groups; give 0 to 7");
  static constexpr bool uses_tensor_cores = true;
  static constexpr bool is_pair = false;
  static constexpr uint32 arrivals = 4 * Warpgroups;

  template <uint32 Stages>
  class state : public committed_ring_state<Stages> {
    static_assert(Pending < Stages,
                  "bulk_pipeline<n, consumer_warpgroups<m, pending>>: the ring would fill up with stages that are not "
                  "released; give more stages than pending ones");
  };

  template <class Here = target::here>
  CUDASYNC_DEVICE static void require_tensor_cores() {
    static_assert(target::has_wgmma || target::is_at_least<Here, target::host>,
                  "consumer_warpgroups needs wgmma, which only sm_90a has; compile with -gencode "
                  "arch=compute_90a,code=sm_90a");
  }

  // wgmma.fence orders the multiplications after the wait.
  CUDASYNC_DEVICE static void fence_after_wait() {}

  // empties: the empty barriers of the stages.
  template <uint32 Blocks, uint32 Stages>
  CUDASYNC_DEVICE static void commit(committed_ring_state<Stages>& at, ptx::shared_address empties,
                                     caller where = caller::here()) {
    ptx::wgmma_commit_group();
    if (at.unreleased_ >= Pending) {
      ptx::wgmma_wait_group<Pending>();
      release_before<Blocks>(at, Pending, empties, where);
    }
    if constexpr (Pending <= 1)
      at.unreleased_ = Pending;
    else if (at.unreleased_ < Pending)
      ++at.unreleased_;
    at.position_.advance();
  }
  template <uint32 Blocks, uint32 Stages>
  CUDASYNC_DEVICE static void finish(committed_ring_state<Stages>& at, ptx::shared_address empties,
                                     caller where = caller::here()) {
    ptx::wgmma_wait_group<0>();
    for (uint32 count = Pending; count > 0; --count)
      if (count <= at.unreleased_) release_before<Blocks>(at, count, empties, where);
    at.unreleased_ = 0;
  }

 private:
  // Releases the stage that is this number of stages, less than Stages, before the state's.
  template <uint32 Blocks, uint32 Stages>
  CUDASYNC_DEVICE static void release_before(const committed_ring_state<Stages>& at, uint32 count,
                                             ptx::shared_address empties, caller where = caller::here()) {
    constexpr uint32 bar_size = 8;
    const uint32 last_round = at.index() < count ? Stages * bar_size : 0;
    const ptx::shared_address bar = empties + at.index() * bar_size + (last_round - count * bar_size);
    checked::arrive_in_ring_after_reads<Blocks, 32>(bar, ptx::get_sreg_laneid(), where);
  }
};

// One thread that starts tcgen05.mma.
struct tcgen05_consumer {
  static constexpr bool uses_tensor_cores = true;
  static constexpr uint32 arrivals = 1;
  template <uint32 Stages>
  using state = committed_ring_state<Stages>;

  template <class Here = target::here>
  CUDASYNC_DEVICE static void require_tensor_cores() {
    static_assert(target::has_tcgen05 || target::is_at_least<Here, target::host>,
                  "consumer_mma and consumer_mma_pair need tcgen05, which only sm_100a, sm_103a, sm_110a and their "
                  "families have; compile with -gencode arch=compute_100a,code=sm_100a, and use consumer_warpgroups on "
                  "sm_90a");
  }

  // Otherwise a tcgen05.mma would not be ordered after the wait for its operands.
  CUDASYNC_DEVICE static void fence_after_wait() { ptx::tcgen05_fence_after_thread_sync(); }
};

// The consumer of a bulk_pipeline is one thread that starts tcgen05.mma for one block (.cta_group::1). It calls
// consumer_commit for each stage. The stage is released when all operations that the thread has started are complete.
// sm_100a and other targets with tcgen05.
struct consumer_mma : tcgen05_consumer {
  static constexpr bool is_pair = false;

  template <uint32 Blocks, uint32 Stages>
  CUDASYNC_DEVICE static void commit(committed_ring_state<Stages>& at, ptx::shared_address empties,
                                     [[maybe_unused]] caller where = caller::here()) {
    const ptx::shared_address bar = empties + at.index() * 8;
    checked::record_others(bar);
    if constexpr (Blocks == 1)
      ptx::tcgen05_commit(ptx::cta_group_1_t{}, ptx::cluster_address(bar));
    else
      ptx::tcgen05_commit_multicast(ptx::cta_group_1_t{}, ptx::cluster_address(bar), (1u << Blocks) - 1);
    at.skip(1);
  }
};

// The consumer of the bulk_pipelines of a pair of blocks is one thread of the first block, the leader. It starts
// tcgen05.mma for both blocks (.cta_group::2). It calls consumer_commit for each stage, which releases the stage in
// both blocks. The producer of each block copies its part of a stage. Both parts have the same size, and the leader's
// ring counts the bytes of both. A pair consists of the blocks with ranks 2 n and 2 n + 1 in the cluster. sm_100a and
// other targets with tcgen05.
struct consumer_mma_pair : tcgen05_consumer {
  static constexpr bool is_pair = true;

  CUDASYNC_DEVICE static uint32 leader() { return ptx::get_sreg_cluster_ctarank() & ~1u; }
  CUDASYNC_DEVICE static bool is_leader() { return (ptx::get_sreg_cluster_ctarank() & 1) == 0; }

  template <uint32 Blocks, uint32 Stages>
  CUDASYNC_DEVICE static void commit(committed_ring_state<Stages>& at, ptx::shared_address empties,
                                     [[maybe_unused]] caller where = caller::here()) {
    CUDASYNC_ASSERT(is_leader(), "bulk_pipeline::consumer_commit: only the first block of a pair has a consumer");
    const ptx::shared_address bar = empties + at.index() * 8;
    checked::record_others(bar);
    const uint16 both = static_cast<uint16>(3u << leader());
    ptx::tcgen05_commit_multicast(ptx::cta_group_2_t{}, ptx::cluster_address(bar), both);
    at.skip(1);
  }

  // The bytes complete on the leader's barrier.
  template <size_t Rank>
  CUDASYNC_DEVICE static void copy(ptx::shared_address destination, const void* map, const int32 (&box)[Rank],
                                   ptx::shared_address bar) {
    ptx::cp_async_bulk_tensor(ptx::cta_group_2_t{}, ptx::cluster_address(destination), map, box,
                              ptx::mapa(bar, leader()));
  }
  template <size_t Rank>
  CUDASYNC_DEVICE static void copy_im2col(ptx::shared_address destination, const void* map, const int32 (&first)[Rank],
                                          const uint16 (&offsets)[Rank - 2], ptx::shared_address bar) {
    ptx::cp_async_bulk_tensor_im2col(ptx::cta_group_2_t{}, ptx::cluster_address(destination), map, first, offsets,
                                     ptx::mapa(bar, leader()));
  }
};

}}  // namespace cudasync::CUDASYNC_ABI

#endif  // CUDASYNC_CUDA

#endif
