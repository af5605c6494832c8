// bulk_pipeline: one thread has the copy engine fill a ring of stages, and warps consume them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BULK_PIPELINE_H
#define CUDASYNC_BULK_PIPELINE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/aligned_size.h>
#include <cudasync/backend/copy/ring_device.h>
#include <cudasync/backend/order/proxy_device.h>
#include <cudasync/backend/phase/block_phase.h>
#include <cudasync/barrier.h>
#include <cudasync/checked/ring_device.h>
#include <cudasync/checked/transaction.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/hang/kind.h>
#include <cudasync/init_barriers.h>
#include <cudasync/l2_cache_hint.h>
#include <cudasync/pipeline/bulk_boxes.h>
#include <cudasync/pipeline/bulk_checks.h>
#include <cudasync/pipeline/ring_consumers.h>
#include <cudasync/pipeline/ring_state.h>
#include <cudasync/thread/elect.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// The barriers of a ring of stages that the copy engine fills, in __shared__ memory, on sm_90 and newer. The stages are
// separate arrays that you provide. Call init first.
//
//   producer, one thread and always the same          consumers, each of them
//     pipeline::producer_state at;                      pipeline::consumer_state at;
//     for (each tile) {                                 for (each tile) {
//       pipe.producer_acquire(at, bytes);                 pipe.consumer_wait(at);
//       pipe.copy(at, stage[at.index()], source, size);   ... stage[at.index()] ...
//       at.advance();                                     pipe.consumer_release(at);
//     }                                                   at.advance();
//     pipe.producer_tail(at);                           }
//
// Each stage has two barriers. full: the producer arrives once per round, when it acquires the stage, and the copies
// count their bytes; consumers wait for it. empty: consumers arrive when they release the stage; the producer waits for
// it. Both states start at stage 0 of round 0. Consumers wait for the phase of this round of full. The producer waits
// for the phase of the previous round of empty; in round 0 there is none, and it does not wait. The functions choose
// the parities. The types of the states differ, so that neither side can use the state of the other.
//
// Blocks: the blocks of a cluster that share copies by multicast. A copy may go to several of them, at the same offset
// of their shared memory. A stage is empty when the consumers of all blocks have released it, so consumers arrive in
// every block of the cluster. init needs a group of the whole cluster. Every block acquires every stage for all bytes
// that arrive in it. producer_tail is required: it keeps the block running until no block arrives there any more.
//
// Ordering: copied bytes are visible to consumers after their wait. What consumers read and write before they release
// is complete before the copies of the next round. Copies read from global memory what the producer, and threads that
// it has synchronized with, wrote there before it acquired the stage.
template <uint32 Stages, class Consumers = void, uint32 Blocks = 1>
class bulk_pipeline {
  static_assert(Stages > 0, "bulk_pipeline<n, consumers>: a ring has at least one stage");
  static_assert(has_members<Consumers>,
                "bulk_pipeline<n, consumers>: the second argument is who consumes; give consumer_warps<n>");
  static_assert(Consumers::arrivals > 0, "bulk_pipeline<n, consumers>: no consumers; give consumer_warps<1> or more");
  static_assert(Blocks > 0 && Blocks <= 16, "bulk_pipeline<n, consumers, blocks>: a cluster has 1 to 16 blocks");
  static_assert(!Consumers::is_pair || Blocks % 2 == 0,
                "bulk_pipeline<n, consumer_mma_pair, blocks>: pairs need a cluster of an even number of blocks");

 public:
  // The number of stages.
  static constexpr uint32 stages = Stages;

  // Where the producer is in the ring.
  class producer_state : public ring_state<Stages> {};
  // Where a consumer is in the ring.
  class consumer_state : public Consumers::template state<Stages> {};

  // --- Once ---

  // Initializes the barriers and synchronizes the group. All threads of the group call it: this_thread_block(), or the
  // cluster where Blocks is more than one. Their accesses to the stages' memory come before the copies.
  template <class Group>
  CUDASYNC_DEVICE void init(const Group& group, caller where = caller::here()) {
    checks::require_copy_engine();
    static_assert(Blocks == 1 || has_blocks<Group>,
                  "bulk_pipeline::init needs a group of the whole cluster, because its blocks arrive in each other's "
                  "memory; pass this_cluster()");
    if constexpr (has_blocks<Group>)
      CUDASYNC_ASSERT(group.num_blocks() == Blocks, "bulk_pipeline::init: the cluster has another number of blocks");
    if constexpr (Blocks > 1) backend::fence_before_arrival(bulk_target{});
    init_barriers(group, expects<1>(full_, where),
                  expects<Consumers::is_pair ? 1 : Consumers::arrivals * Blocks>(empty_, where));
  }

  // --- Producer. The last argument of each copy is an l2_cache_hint, or is left out. ---

  // Blocks until the consumers have released the stage, then expects bytes in it. bytes: those of all copies to the
  // stage together, at most 2^20 - 1. Only the producer thread calls it. The checked build reports a hang.
  CUDASYNC_DEVICE void producer_acquire(producer_state at, uint32 bytes, caller where = caller::here()) {
    checks::require_copy_engine();
    checked::await_ring<Blocks>(empty(at), at.parity() ^ 1, at.index(), checked::role::producer, where);
    begin_stage(at, bytes, where);
  }

  // Expects bytes in the stage if the consumers have released it. Does not block, and does not suspend the thread.
  // Returns whether they have; if not, nothing is expected, and the producer must not copy to the stage. bytes: those
  // of all copies to the stage together.
  [[nodiscard]] CUDASYNC_DEVICE bool try_producer_acquire(producer_state at, uint32 bytes,
                                                          caller where = caller::here()) {
    checks::require_copy_engine();
    if (!backend::test_ring<Blocks>(bulk_target{}, empty(at), at.parity() ^ 1)) return false;
    checked::record_call(where);
    begin_stage(at, bytes, where);
    return true;
  }

  // Begins a copy from global memory to the stage, after producer_acquire. Does not block. size: in bytes, a multiple
  // of 16. Both pointers must be aligned to 16 bytes; the checked build reports others.
  template <size_t Alignment, class Hint = no_cache_hint>
  CUDASYNC_DEVICE void copy(producer_state at, void* destination, const void* source, aligned_size_t<Alignment> size,
                            Hint hint = Hint(), caller where = caller::here()) {
    checks::template check_copy<Alignment>(destination, source, size, full(at), where);
    checked::record_copied(full(at), static_cast<uint32>(size), where);
    bulk_copy(hint, ptx::to_shared(destination), source, static_cast<uint32>(size), full(at));
  }

  // Fails to compile: the size must be an aligned_size_t. The message has the remedy.
  template <class Integer>
  CUDASYNC_DEVICE void copy(producer_state, void*, const void*, Integer) {
    static_assert(!is_same<Integer, Integer>,
                  "bulk_pipeline::copy needs a size that is a multiple of 16 bytes, as aligned_size_t<16>(bytes): "
                  "cp.async.bulk moves 16-byte units");
  }

  // Blocks until the consumers have released the stage, then begins the one copy that fills it, as copy does.
  template <size_t Alignment, class Hint = no_cache_hint>
  CUDASYNC_DEVICE void acquire_and_copy(producer_state at, void* destination, const void* source,
                                        aligned_size_t<Alignment> size, Hint hint = Hint(),
                                        caller where = caller::here()) {
    producer_acquire(at, static_cast<uint32>(size), where);
    checks::template check_copy<Alignment>(destination, source, size, full(at), where);
    checked::record_copied<true>(full(at), static_cast<uint32>(size), where);
    bulk_copy(hint, ptx::to_shared(destination), source, static_cast<uint32>(size), full(at));
  }

  // Begins a copy of the box of a tensor map to the stage, after producer_acquire. Does not block. box: the
  // coordinates, in elements, the innermost dimension first. The destination must be aligned to 128 bytes. The box must
  // begin at a multiple of 16 bytes in the innermost dimension; otherwise the kernel ends with an illegal instruction.
  template <size_t Rank, class Hint = no_cache_hint>
  CUDASYNC_DEVICE void copy(producer_state at, void* destination, const CUtensorMap* map, const int32 (&box)[Rank],
                            Hint hint = Hint(), caller where = caller::here()) {
    checks::template check_box<Rank>(destination, where);
    checked::record_copied_to_others(full(at), 0, where);
    static_assert(!Consumers::is_pair || is_same<Hint, no_cache_hint>,
                  "bulk_pipeline::copy for a pair of blocks takes no l2_cache_hint; leave it out");
    if constexpr (Consumers::is_pair)
      Consumers::copy(ptx::to_shared(destination), map, box, full(at));
    else
      bulk_copy_box(hint, ptx::to_shared(destination), map, box, full(at));
  }

  // Begins a copy of pixels to the stage, by a map of make_im2col_map, after producer_acquire. Does not block. first:
  // the channel, the pixel of the bounding box to begin with (W, or W and H, or W, H and D) and the image. offsets: a
  // place in the filter, in the same order as the pixel, which is added to every pixel: at most 65,535 for W, 255 each
  // for W and H, and 31 each for W, H and D. The destination must be aligned to 128 bytes.
  template <size_t Rank, size_t Offsets, class Hint = no_cache_hint>
  CUDASYNC_DEVICE void copy_im2col(producer_state at, void* destination, const CUtensorMap* map,
                                   const int32 (&first)[Rank], const uint16 (&offsets)[Offsets], Hint hint = Hint(),
                                   caller where = caller::here()) {
    checks::template check_box<Rank>(destination, where);
    checks::template check_offsets<Rank>(offsets, where);
    checked::record_copied_to_others(full(at), 0, where);
    static_assert(!Consumers::is_pair || is_same<Hint, no_cache_hint>,
                  "bulk_pipeline::copy_im2col for a pair of blocks takes no l2_cache_hint; leave it out");
    if constexpr (Consumers::is_pair)
      Consumers::copy_im2col(ptx::to_shared(destination), map, first, offsets, full(at));
    else
      bulk_copy_im2col(hint, ptx::to_shared(destination), map, first, offsets, full(at));
  }

  // Begins a copy from global memory to the stage in each block of the cluster whose bit is set in blocks, after
  // producer_acquire, as copy does. Does not block. The bytes count for the stage of the block that receives them.
  template <size_t Alignment, class Hint = no_cache_hint>
  CUDASYNC_DEVICE void copy_to_blocks(producer_state at, void* destination, const void* source,
                                      aligned_size_t<Alignment> size, uint16 blocks, Hint hint = Hint(),
                                      caller where = caller::here()) {
    checks::template check_copy<Alignment>(destination, source, size, full(at), where);
    checks::check_blocks();
    checked::record_copied_to_others(full(at), static_cast<uint32>(size), where, blocks);
    bulk_copy(hint, ptx::cluster_address(ptx::to_shared(destination)), source, static_cast<uint32>(size),
              ptx::cluster_address(full(at)), blocks);
  }
  // Begins a copy of the box of a tensor map, as copy does, to each block of the cluster whose bit is set in blocks.
  template <size_t Rank, class Hint = no_cache_hint>
  CUDASYNC_DEVICE void copy_to_blocks(producer_state at, void* destination, const CUtensorMap* map,
                                      const int32 (&box)[Rank], uint16 blocks, Hint hint = Hint(),
                                      caller where = caller::here()) {
    checks::template check_box<Rank>(destination, where);
    checks::check_blocks();
    checked::record_copied_to_others(full(at), 0, where, blocks);
    bulk_copy_box(hint, ptx::cluster_address(ptx::to_shared(destination)), map, box, ptx::cluster_address(full(at)),
                  blocks);
  }

  // Begins a copy of pixels, as copy_im2col does, to each block of the cluster whose bit is set in blocks.
  template <size_t Rank, size_t Offsets, class Hint = no_cache_hint>
  CUDASYNC_DEVICE void copy_im2col_to_blocks(producer_state at, void* destination, const CUtensorMap* map,
                                             const int32 (&first)[Rank], const uint16 (&offsets)[Offsets],
                                             uint16 blocks, Hint hint = Hint(), caller where = caller::here()) {
    checks::template check_box<Rank>(destination, where);
    checks::template check_offsets<Rank>(offsets, where);
    checks::check_blocks();
    checked::record_copied_to_others(full(at), 0, where, blocks);
    bulk_copy_im2col(hint, ptx::cluster_address(ptx::to_shared(destination)), map, first, offsets,
                     ptx::cluster_address(full(at)), blocks);
  }

  // Blocks until the consumers have released all stages. at: the state after the last tile. The producer thread calls
  // it once, at the end; in a cluster it is required.
  CUDASYNC_DEVICE void producer_tail(producer_state at, caller where = caller::here()) {
    checks::require_copy_engine();
    for (uint32 stage = 0; stage < Stages; ++stage, at.advance())
      checked::await_ring<Blocks>(empty(at), at.parity() ^ 1, at.index(), checked::role::producer, where);
  }

  // --- Consumers ---

  // Blocks until the copies of the stage are complete, and makes the bytes visible to this thread. Each consumer calls
  // it before it reads the stage. The checked build reports a wait that does not end.
  CUDASYNC_DEVICE void consumer_wait(consumer_state at, caller where = caller::here()) {
    checks::require_copy_engine();
    const ring_state<Stages> stage = position(at);
    checked::await_ring<1>(full(stage), stage.parity(), stage.index(), checked::role::consumer, where);
    if constexpr (Consumers::uses_tensor_cores) Consumers::fence_after_wait();
  }

  // Returns whether the copies of the stage are complete. If true, the bytes are visible to this thread. Does not
  // block, and does not suspend the thread.
  [[nodiscard]] CUDASYNC_DEVICE bool try_consumer_wait(consumer_state at) {
    checks::require_copy_engine();
    const ring_state<Stages> stage = position(at);
    const bool is_full = backend::test_ring<1>(bulk_target{}, full(stage), stage.parity());
    if constexpr (Consumers::uses_tensor_cores) Consumers::fence_after_wait();
    return is_full;
  }

  // Releases the stage, in all blocks of the cluster. Does not block. Each consumer calls it once per round, after its
  // wait. What the consumers have read and written in the stage is complete before the next copy into it.
  CUDASYNC_DEVICE void consumer_release(consumer_state at, caller where = caller::here()) {
    checks::require_threads();
    if constexpr (!Consumers::uses_tensor_cores) {
      if constexpr (Blocks > 1) backend::fence_before_arrival(bulk_target{});
      Consumers::synchronize();
      // Not Consumers::rank(): with %laneid, ptxas computes the address of the barrier again in the branch of the
      // thread that arrives, and a ring of tiles of 1 KiB takes up to 16 % longer.
      const uint32 rank = backend::rank_in_block() % Consumers::threads;
      checked::arrive_in_ring<Blocks, Consumers::threads>(empty(at), rank, where);
    }
  }

  // Releases the stage without a fence. Does not block. Use it if no thread has read or written the stage by its own
  // instructions, but only by bulk stores, after a wait for them. If the blocks of a cluster share copies, it saves the
  // fence to the copy engine and a fence at device scope, and does not order other accesses of the threads.
  CUDASYNC_DEVICE void consumer_release_unfenced(consumer_state at, caller where = caller::here()) {
    checks::require_threads();
    if constexpr (!Consumers::uses_tensor_cores) {
      Consumers::synchronize();
      checked::arrive_in_ring_after_reads<Blocks, Consumers::threads>(empty(at), Consumers::rank(), where);
    }
  }

  // --- Consumers that are tensor cores ---

  // Lets the stage be released when its reads, which this warpgroup or thread has begun, are complete, and goes to the
  // next stage. Each consumer calls it once per round, after its wait. consumer_warpgroups: makes a group of its
  // wgmma.mma_async, blocks until that of Pending stages before is complete, and releases that stage. The warpgroup
  // makes no other groups until consumer_finish. consumer_mma and consumer_mma_pair: does not block.
  CUDASYNC_DEVICE void consumer_commit(consumer_state& at, caller where = caller::here()) {
    checks::require_tensor_cores();
    if constexpr (Consumers::uses_tensor_cores) Consumers::template commit<Blocks, Stages>(at, empties(), where);
  }

  // Blocks until all wgmma.mma_async of the warpgroup are complete, so that accumulators may be used, and releases
  // their stages, in all blocks of the cluster. For consumer_warpgroups, each after its last consumer_commit of a tile.
  CUDASYNC_DEVICE void consumer_finish(consumer_state& at, caller where = caller::here()) {
    checks::require_tensor_cores();
    if constexpr (Consumers::uses_tensor_cores) Consumers::template finish<Blocks, Stages>(at, empties(), where);
  }

 private:
  using checks = bulk_checks<Consumers, Blocks>;
  using bulk_target = target::here_or_minimum<target::sm90>::type;

  // Offsets from one address cost less than the address of an element. empty_ follows full_ in memory.
  static constexpr uint32 bar_size = sizeof(barrier<thread_scope_block>);
  CUDASYNC_DEVICE ptx::shared_address full(ring_state<Stages> at) const {
    return ptx::to_shared(full_) + at.index() * bar_size;
  }
  CUDASYNC_DEVICE ptx::shared_address empty(ring_state<Stages> at) const {
    return ptx::to_shared(full_) + (Stages * bar_size + at.index() * bar_size);
  }

  CUDASYNC_DEVICE ptx::shared_address empties() const { return ptx::to_shared(full_) + Stages * bar_size; }

  CUDASYNC_DEVICE static ring_state<Stages> position(const consumer_state& at) {
    if constexpr (Consumers::uses_tensor_cores)
      return at.position();
    else
      return at;
  }

  CUDASYNC_DEVICE void begin_stage(producer_state at, uint32 bytes, caller where = caller::here()) {
    if constexpr (Blocks == 1)
      backend::fence_before_copies(bulk_target{});
    else
      backend::fence_before_copies_to_blocks(bulk_target{});
    if constexpr (Consumers::is_pair) {
      if (!Consumers::is_leader()) return;
      bytes *= 2;
    }
    const ptx::shared_address bar = full(at);
    static_cast<void>(checked::arrive_with_bytes<true>(
        bar, 1, bytes, [=] { return ptx::mbarrier_arrive_expect_tx(bar, bytes); }, where));
  }

  barrier<thread_scope_block> full_[Stages];
  barrier<thread_scope_block> empty_[Stages];
};

}}  // namespace cudasync::CUDASYNC_ABI

#endif  // CUDASYNC_CUDA

#endif
