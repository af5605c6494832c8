// launch_queue: assigns tiles to the blocks of a persistent kernel, by canceling launches or by the stride of the grid.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_LAUNCH_QUEUE_H
#define CUDASYNC_LAUNCH_QUEUE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/backend/grid/launch_device.h>
#include <cudasync/backend/order/proxy_device.h>
#include <cudasync/barrier.h>
#include <cudasync/checked/ring_device.h>
#include <cudasync/checked/transaction.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/bits.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/hang/kind.h>
#include <cudasync/init_barriers.h>
#include <cudasync/pipeline/ring_consumers.h>
#include <cudasync/pipeline/ring_state.h>
#include <cudasync/ptx/clusterlaunchcontrol.h>
#include <cudasync/ptx/mbarrier.h>
#include <cudasync/ptx/special_registers.h>

#if CUDASYNC_HAS_HOST
#include <cudasync/backend/grid/launch_host.h>
#endif

namespace cudasync { inline namespace CUDASYNC_ABI {

// The tiles of a persistent kernel, numbered from 0, in __shared__ memory. Each block begins with the tile blockIdx.x.
// Call init first. One thread requests more tiles in advance. Consumers take the answers in the order of the requests.
//
//   scheduler: one thread of each block               each consumer
//     queue.run_scheduler();                            queue::consumer_state at(tiles);
//                                                       while (!at.is_done()) {
//                                                         ... at.index() ...
//                                                         queue.next(at);
//                                                       }
//
// sm_100 and newer: the grid has one block for each tile. A request cancels the launch of a cluster that has not
// started, and the answer is the tiles of that cluster. Older: the grid may have any size, and a block gets every
// gridDim.x-th tile. The scheduler has nothing to do. blocks_to_launch returns the size of the grid in both cases.
//
// Stages: the number of answers by which consumers may be behind the scheduler. Blocks: the number of blocks of the
// cluster, which has the shape (Blocks, 1, 1). The blocks get the tiles of a canceled cluster together, and each block
// gets the tile of its own rank. init needs a group of the whole cluster, and the consumers of all blocks take every
// answer. On sm_100, clusters need code for one architecture or family (sm_100a, sm_100f). Code for plain sm_100
// cancels nothing, and each cluster processes only its own tiles.
//
// Each stage has a response and two barriers. full: consumers wait here for the response, which the scheduler expects
// in every block of the cluster. empty: when consumers have read the response, they arrive at this barrier in the
// scheduler's block. The scheduler waits for each answer before its next request, because a request after a failed one
// is undefined behavior.
//
// Ordering: none. Synchronize the threads of the block before they use shared memory for another tile.
template <uint32 Stages, class Consumers, uint32 Blocks = 1>
class launch_queue {
  static_assert(Stages > 0, "launch_queue<n, consumers>: a ring has at least one stage");
  static_assert(Consumers::arrivals > 0, "launch_queue<n, consumers>: no consumers; give consumer_warps<1> or more");
  static_assert(Blocks > 0 && Blocks <= 16, "launch_queue<n, consumers, blocks>: a cluster has 1 to 16 blocks");

 public:
  // The number of stages.
  static constexpr uint32 stages = Stages;

  // The requests of the scheduler. It cannot be copied: a copy would not know that a request has failed.
  class scheduler_state {
   public:
    // No request has been made.
    CUDASYNC_DEVICE scheduler_state() {}
    scheduler_state(const scheduler_state&) = delete;
    scheduler_state& operator=(const scheduler_state&) = delete;

    // Returns whether the scheduler knows that no tile is left.
    [[nodiscard]] CUDASYNC_DEVICE bool is_done() const { return is_done_; }

   private:
    friend class launch_queue;
    ring_state<Stages> next_;    // the stage of the next request
    ring_state<Stages> latest_;  // the stage of the latest request
    bool has_asked_ = false;
    bool is_done_ = false;
  };

  // The tile of a consumer. It cannot be copied: two states would take the same answer.
  class consumer_state {
   public:
    // At the tile blockIdx.x. tiles: the number of all tiles, 1 to 2^31 - 1. On sm_100 and newer, if the grid does
    // not have one block for each tile, the kernel ends with a trap, because tiles would be lost.
    CUDASYNC_DEVICE explicit consumer_state(uint32 tiles, caller where = caller::here())
        : first_(blockIdx.x - rank()), tiles_(tiles) {
      require_grid(tiles, where);
    }
    consumer_state(const consumer_state&) = delete;
    consumer_state& operator=(const consumer_state&) = delete;

    // Returns whether no tile is left, which is the same in all blocks of the cluster.
    [[nodiscard]] CUDASYNC_DEVICE bool is_done() const {
      if constexpr (is_dynamic)
        return first_ == none;
      else
        return first_ >= tiles_;
    }
    // Returns the number of the tile. If the number of tiles is not a multiple of Blocks, some blocks of the last
    // cluster get a number that is not less than the number of tiles. They have no tile, but must also call next.
    [[nodiscard]] CUDASYNC_DEVICE uint32 index() const { return first_ + rank(); }

   private:
    friend class launch_queue;
    uint32 first_;  // the tile of the first block of the cluster
    uint32 tiles_;
    ring_state<Stages> answer_;
  };

  // --- Once ---

  // Initializes the barriers and synchronizes the group. All threads of the group call it. The group is
  // this_thread_block() or, if Blocks is more than 1, this_cluster(). Before, no thread may use the queue's memory.
  template <class Group>
  CUDASYNC_DEVICE void init(const Group& group, caller where = caller::here()) {
    require_clusters();
    static_assert(Blocks == 1 || has_blocks<Group>,
                  "launch_queue::init needs a group of the whole cluster, because its blocks arrive in each other's "
                  "memory; pass this_cluster()");
    if constexpr (has_blocks<Group>)
      CUDASYNC_ASSERT(group.num_blocks() == Blocks, "launch_queue::init: the cluster has another number of blocks");
    if constexpr (is_dynamic) {
      init_barriers(group, expects<1>(full_, where), expects<Consumers::arrivals * Blocks>(empty_, where));
    } else {
      checked::sync_members(group, where);
    }
  }

  // --- Scheduler ---

  // Requests tiles until none is left. Returns when the block no longer needs its scheduler. One thread of each block,
  // no consumer, calls it. In the blocks of a cluster other than the first one, and before sm_100, it returns at once.
  CUDASYNC_DEVICE void run_scheduler(caller where = caller::here()) {
    require_clusters();
    if constexpr (is_dynamic) {
      if (rank() != 0) return;
      ring_state<Stages> at;
      for (bool has_tile = true; has_tile; at.advance()) {
        ask(at, where);
        has_tile = has_canceled(at, where);
      }
      await_last_releases(at, where);
    }
  }

  // Requests one more answer. Blocks until the answer to the previous request is known and the consumers have released
  // the stage of this request. Returns whether it has made a request: false if no tile is left, in blocks of a cluster
  // other than the first one, and before sm_100. Always the same thread calls it. A consumer may call it once before
  // each of its calls of next. The answer then arrives while the consumer works on a tile.
  CUDASYNC_DEVICE bool request([[maybe_unused]] scheduler_state& at, caller where = caller::here()) {
    require_clusters();
    if constexpr (is_dynamic) {
      if (rank() != 0 || at.is_done_) return false;
      if (at.has_asked_) {
        at.is_done_ = !has_canceled(at.latest_, where);
        if (at.is_done_) return false;
      }
      ask(at.next_, where);
      at.latest_ = at.next_;
      at.next_.advance();
      at.has_asked_ = true;
      return true;
    } else {
      return false;
    }
  }

  // Blocks until the consumers of all blocks of the cluster have released all answers. The thread that has called
  // request calls it once, at the end. In a cluster it is required, because the block must not exit before the last
  // arrivals of other blocks. With one block it does nothing. run_scheduler calls it.
  CUDASYNC_DEVICE void scheduler_tail([[maybe_unused]] scheduler_state& at, caller where = caller::here()) {
    require_clusters();
    if constexpr (is_dynamic) {
      if (rank() == 0) await_last_releases(at.next_, where);
    }
  }

  // --- Consumers ---

  // Blocks until the next answer is known, and sets the state to its tile or, if no tile is left, to the end. Releases
  // the stage of the answer. Each consumer calls it until the state is done. The checked build reports a wait that does
  // not end, and a call after the end.
  CUDASYNC_DEVICE void next(consumer_state& at, caller where = caller::here()) {
    require_clusters();
    CUDASYNC_ASSERT(!at.is_done(), "launch_queue::next: the queue has ended; call it only while is_done() is false");
    if constexpr (is_dynamic) {
      await_answer(at.answer_, where);
      const uint128 answer = read(at.answer_);
      at.first_ = none;
      if (backend::was_canceled(launch_target{}, answer))
        at.first_ = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x(answer);
      Consumers::synchronize();
      checked::arrive_in_ring<Blocks, Consumers::threads, 1>(empty(at.answer_), Consumers::rank(), where);
      at.answer_.advance();
    } else {
      at.first_ += gridDim.x;
    }
  }

#if CUDASYNC_HAS_HOST
  // --- Host ---

  // Returns the number of blocks to launch for this number of tiles, or 0 if the runtime reports an error. If the code
  // of the kernel that this device runs is for sm_100 or newer: one for each tile. Otherwise as many as the device can
  // hold at a time, at most one for each tile. Always a multiple of Blocks. The kernel is launched with this number of
  // threads in a block, these bytes of dynamic shared memory, and clusters of (Blocks, 1, 1).
  template <class Kernel>
  [[nodiscard]] static uint32 blocks_to_launch(Kernel* kernel, uint32 tiles, uint32 threads, size_t shared_bytes = 0) {
    return backend::blocks_to_launch<Blocks>(reinterpret_cast<const void*>(kernel), in_clusters(tiles), threads,
                                             shared_bytes);
  }
#endif

 private:
  static constexpr bool is_dynamic =
      Blocks == 1 ? backend::cancels_launches<target::here> : backend::cancels_launches_for_clusters<target::here>;
  static constexpr uint32 none = ~uint32{0};
  using launch_target = target::here_or_minimum<target::sm100>::type;

  template <class Here = target::here>
  CUDASYNC_DEVICE static void require_clusters() {
    static_assert(Blocks == 1 || !target::lacks<Here, target::sm90>,
                  "launch_queue for the blocks of a cluster needs sm_90: older architectures have no clusters; use one "
                  "block there, or compile with -arch=sm_90 or newer");
  }

  // The number of blocks in whole clusters.
  CUDASYNC_API static constexpr uint32 in_clusters(uint32 tiles) { return (tiles + (Blocks - 1)) / Blocks * Blocks; }

  // The rank of this block in its cluster.
  CUDASYNC_DEVICE static uint32 rank() {
    if constexpr (Blocks == 1)
      return 0;
    else
      return ptx::get_sreg_cluster_ctarank();
  }

  CUDASYNC_DEVICE static void require_grid([[maybe_unused]] uint32 tiles,
                                           [[maybe_unused]] caller where = caller::here()) {
    CUDASYNC_ASSERT(tiles < uint32{1} << 31 && tiles > 0, "launch_queue: the number of tiles must be 1 to 2^31 - 1");
    CUDASYNC_ASSERT(gridDim.y == 1 && gridDim.z == 1, "launch_queue: the grid must have its blocks in x only");
    if constexpr (is_dynamic) {
      CUDASYNC_ASSERT(gridDim.x == in_clusters(tiles),
                      "launch_queue: on sm_100 and newer, the grid must have one block for each tile; launch "
                      "blocks_to_launch(...) blocks");
      if (gridDim.x != in_clusters(tiles)) __trap();
    }
  }

  // Offsets from one address cost less than the address of an element. The barriers follow the responses in memory.
  static constexpr uint32 bar_size = sizeof(barrier<thread_scope_block>);
  CUDASYNC_DEVICE ptx::shared_address response(ring_state<Stages> at) const {
    return ptx::to_shared(this) + at.index() * backend::launch_response_bytes;
  }
  CUDASYNC_DEVICE ptx::shared_address full(ring_state<Stages> at) const {
    return ptx::to_shared(this) + (Stages * backend::launch_response_bytes + at.index() * bar_size);
  }
  CUDASYNC_DEVICE ptx::shared_address empty(ring_state<Stages> at) const {
    return ptx::to_shared(this) + (Stages * (backend::launch_response_bytes + bar_size) + at.index() * bar_size);
  }

  // A fence orders the read before the write of the next response in this stage. With one block, the scheduler executes
  // it for all readers (ask). In a cluster, it would not reach the reads of other blocks, so each reader has a fence.
  CUDASYNC_DEVICE uint128 read(ring_state<Stages> at) const {
    const uint128 answer = ptx::ld_shared_v2(response(at));
    if constexpr (Blocks > 1) backend::fence_before_arrival(launch_target{});
    return answer;
  }

  CUDASYNC_DEVICE void await_answer(ring_state<Stages> at, caller where = caller::here()) {
    if constexpr (Blocks > 1) checked::record_others(full(at));
    checked::await_ring<Blocks>(full(at), at.parity(), at.index(), checked::role::queue_consumer, where);
  }
  CUDASYNC_DEVICE void await_release(ring_state<Stages> at, caller where = caller::here()) {
    if constexpr (Blocks > 1) checked::record_others(empty(at));
    checked::await_ring<Blocks>(empty(at), at.parity() ^ 1, at.index(), checked::role::scheduler, where);
  }

  // Other blocks arrive in this one until they have released the last answer.
  CUDASYNC_DEVICE void await_last_releases([[maybe_unused]] ring_state<Stages> at, caller where = caller::here()) {
    if constexpr (Blocks > 1)
      for (uint32 stage = 0; stage < Stages; ++stage, at.advance())
        await_release(at, where);
  }

  // Returns whether the request of this stage has canceled a cluster.
  CUDASYNC_DEVICE bool has_canceled(ring_state<Stages> at, caller where = caller::here()) {
    await_answer(at, where);
    return backend::was_canceled(launch_target{}, read(at));
  }

  CUDASYNC_DEVICE void ask(ring_state<Stages> at, caller where = caller::here()) {
    await_release(at, where);
    const ptx::shared_address bar = full(at);
    constexpr uint32 bytes = backend::launch_response_bytes;
    if constexpr (Blocks == 1) {
      static_cast<void>(
          checked::arrive_with_bytes(bar, 1, bytes, [=] { return ptx::mbarrier_arrive_expect_tx(bar, bytes); }, where));
      checked::record_copied(bar, bytes, where);
      backend::fence_before_arrival(launch_target{});
      ptx::clusterlaunchcontrol_try_cancel(response(at), bar);
    } else {
      checked::record_copied_to_others(bar, bytes, where);
      backend::expect_launch_in_cluster<Blocks>(launch_target{}, bar);
      ptx::clusterlaunchcontrol_try_cancel_multicast(response(at), bar);
    }
  }

  uint128 responses_[Stages];
  barrier<thread_scope_block> full_[Stages];
  barrier<thread_scope_block> empty_[Stages];
};

}}  // namespace cudasync::CUDASYNC_ABI

#endif  // CUDASYNC_CUDA

#endif
