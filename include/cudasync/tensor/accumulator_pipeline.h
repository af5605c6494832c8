// accumulator_pipeline: a ring of accumulators that tensor cores fill and that warps load into registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TENSOR_ACCUMULATOR_PIPELINE_H
#define CUDASYNC_TENSOR_ACCUMULATOR_PIPELINE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/barrier.h>
#include <cudasync/checked/ring_device.h>
#include <cudasync/checked/transaction.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/hang/kind.h>
#include <cudasync/init_barriers.h>
#include <cudasync/pipeline/ring_consumers.h>
#include <cudasync/pipeline/ring_state.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/mbarrier_qualified.h>
#include <cudasync/ptx/qualifiers.h>
#include <cudasync/ptx/special_registers.h>
#include <cudasync/ptx/tcgen05.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// The barriers of a ring of accumulators in tensor memory. The object is in __shared__ memory, on targets with tcgen05.
// You allocate the columns of tensor memory for each stage. Call init first.
//
//   producer: always the same thread                  consumers: all threads of the warps of the epilogue
//     pipeline::producer_state at;                      pipeline::consumer_state at;
//     for (each tile) {                                 for (each tile) {
//       accumulators.producer_acquire(at);                accumulators.consumer_wait(at);
//       ... tcgen05.mma into stage at.index() ...         ... tcgen05.ld from stage at.index() ...
//       accumulators.producer_commit(at);                 accumulators.consumer_release(at);
//     }                                                   at.advance();
//     accumulators.producer_tail(at);                   }
//
// Consumers: the warps of one block, as consumer_warps<n>. Blocks: 2 if the producer multiplies for a pair of blocks
// (.cta_group::2). Then only the first block of the pair, the leader, has a producer, and the consumers of both blocks
// release their halves of an accumulator to it. init needs a group of the whole cluster.
//
// Ordering: the results of operations before producer_commit are visible to tcgen05.ld after consumer_wait. Each
// tcgen05.ld before consumer_release is complete before the operations after the next producer_acquire of the stage.
template <uint32 Stages, class Consumers, uint32 Blocks = 1>
class accumulator_pipeline {
  static_assert(Stages > 0, "accumulator_pipeline<n, consumers>: a ring has at least one stage");
  static_assert(!Consumers::uses_tensor_cores && Consumers::threads == 32,
                "accumulator_pipeline<n, consumers>: tcgen05.ld is an instruction of a warp; give consumer_warps<n>");
  static_assert(Consumers::arrivals > 0,
                "accumulator_pipeline<n, consumers>: a ring needs consumers; give consumer_warps<1> or more");
  static_assert(
      Blocks == 1 || Blocks == 2,
      "accumulator_pipeline<n, consumers, blocks>: tensor cores multiply for one block or for a pair; give 1 or 2");

 public:
  // The number of stages.
  static constexpr uint32 stages = Stages;

  // The position of the producer in the ring.
  class producer_state {
   public:
    // At the first stage of round 0.
    producer_state() = default;
    // Returns the index of the stage, 0 to Stages - 1.
    [[nodiscard]] CUDASYNC_DEVICE constexpr uint32 index() const { return position_.index(); }

   private:
    friend class accumulator_pipeline;
    ring_state<Stages> position_;
  };
  // The position of a consumer in the ring.
  class consumer_state : public ring_state<Stages> {};

  // --- Once ---

  // Initializes the barriers and synchronizes the group. All threads of the group call it. The group is
  // this_thread_block() or, if Blocks is 2, this_cluster().
  template <class Group>
  CUDASYNC_DEVICE void init(const Group& group, caller where = caller::here()) {
    require_tensor_cores();
    static_assert(
        Blocks == 1 || has_blocks<Group>,
        "accumulator_pipeline::init needs a group of the whole cluster, because the blocks of a pair arrive in "
        "each other's memory; pass this_cluster()");
    init_barriers(group, expects<1>(full_, where), expects<Consumers::arrivals * Blocks>(empty_, where));
  }

  // --- Producer ---

  // Blocks until the consumers have released the stage; the checked build reports a hang. Only the producer calls it.
  CUDASYNC_DEVICE void producer_acquire(const producer_state& at, caller where = caller::here()) {
    require_tensor_cores();
    CUDASYNC_ASSERT(rank() % 2 == 0 || Blocks == 1,
                    "accumulator_pipeline: only the first block of a pair has a producer; let its threads call it");
    await_release(at.position_, where);
    ptx::tcgen05_fence_after_thread_sync();
  }

  // The stage becomes full when all operations of this thread are complete. Advances the state. Does not block.
  CUDASYNC_DEVICE void producer_commit(producer_state& at, [[maybe_unused]] caller where = caller::here()) {
    require_tensor_cores();
    const ptx::shared_address bar = full(at.position_);
    checked::record_others(bar);
    if constexpr (Blocks == 1)
      ptx::tcgen05_commit(ptx::cta_group_1_t{}, ptx::cluster_address(bar));
    else
      ptx::tcgen05_commit_multicast(ptx::cta_group_2_t{}, ptx::cluster_address(bar), static_cast<uint16>(3u << rank()));
    at.position_.advance();
  }

  // Blocks until the consumers have released all stages. After that, tensor memory may be freed, and the block may
  // exit. at: the state after the last tile.
  CUDASYNC_DEVICE void producer_tail(const producer_state& at, caller where = caller::here()) {
    require_tensor_cores();
    ring_state<Stages> position = at.position_;
    for (uint32 stage = 0; stage < Stages; ++stage, position.advance())
      await_release(position, where);
    ptx::tcgen05_fence_after_thread_sync();
  }

  // --- Consumers ---

  // Blocks until the accumulator is complete. All threads of each consuming warp call it before tcgen05.ld. The checked
  // build reports a wait that does not end.
  CUDASYNC_DEVICE void consumer_wait(consumer_state at, caller where = caller::here()) {
    require_tensor_cores();
    if constexpr (Blocks > 1) checked::record_others(full(at));
    checked::await_ring<1>(full(at), at.parity(), at.index(), checked::role::consumer, where);
    ptx::tcgen05_fence_after_thread_sync();
  }

  // Blocks until every tcgen05.ld of the warp is complete, and releases the stage. All threads of each consuming warp
  // call it together, once per round.
  CUDASYNC_DEVICE void consumer_release(consumer_state at, caller where = caller::here()) {
    require_tensor_cores();
    ptx::tcgen05_wait_ld();
    ptx::tcgen05_fence_before_thread_sync();
    Consumers::synchronize();
    if constexpr (Blocks == 1)
      checked::arrive_in_ring<1, 32>(empty(at), Consumers::rank(), where);
    else
      checked::arrive_in_leader(empty(at), Consumers::rank(), where);
  }

 private:
  template <class Here = target::here>
  CUDASYNC_DEVICE static void require_tensor_cores() {
    static_assert(target::has_tcgen05 || target::is_at_least<Here, target::host>,
                  "accumulator_pipeline needs tcgen05, which only sm_100a, sm_103a, sm_110a and their families have; "
                  "compile with -gencode arch=compute_100a,code=sm_100a");
  }

  CUDASYNC_DEVICE static uint32 rank() { return ptx::get_sreg_cluster_ctarank(); }

  CUDASYNC_DEVICE void await_release(ring_state<Stages> at, caller where = caller::here()) {
    if constexpr (Blocks > 1) checked::record_others(empty(at));
    checked::await_ring<Blocks>(empty(at), at.parity() ^ 1, at.index(), checked::role::producer, where);
  }

  static constexpr uint32 bar_size = sizeof(barrier<thread_scope_block>);
  CUDASYNC_DEVICE ptx::shared_address full(ring_state<Stages> at) const {
    return ptx::to_shared(full_) + at.index() * bar_size;
  }
  CUDASYNC_DEVICE ptx::shared_address empty(ring_state<Stages> at) const {
    return ptx::to_shared(full_) + (Stages * bar_size + at.index() * bar_size);
  }

  barrier<thread_scope_block> full_[Stages];
  barrier<thread_scope_block> empty_[Stages];
};

}}  // namespace cudasync::CUDASYNC_ABI

#endif  // CUDASYNC_CUDA

#endif
