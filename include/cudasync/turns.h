// turns: groups of warps execute each stage of a kernel one after another, in a fixed order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TURNS_H
#define CUDASYNC_TURNS_H

#include <cudasync/compat/include_order.h>

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/backend/phase/phase.h>
#include <cudasync/barrier.h>
#include <cudasync/checked/phase.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/init_barriers.h>
#include <cudasync/named/named_barrier.h>
#include <cudasync/named/named_barrier_ids.h>
#include <cudasync/thread_block.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// Each stage has one barrier for each group, which completes one phase for each turn of the group. The group waits at
// this barrier, and arrives at that of the next group when it passes. It passes for the second time only after the next
// group has waited for the first phase: a phase is known to be complete before an arrival at the next one.

// A group passes its turn with a barrier in shared memory, on sm_80 and newer an mbarrier. Groups have any size.
struct by_mbarriers {
  template <uint32 Groups, uint32 Stages, uint32 Threads>
  class turn_barriers {
   public:
    // The first named barrier that is free: 0 belongs to __syncthreads().
    static constexpr uint32 end = 1;

    template <class Group>
    CUDASYNC_DEVICE void init(const Group& group, caller where = caller::here()) {
      init_barriers(group, expects<Threads>(bars_, where));
    }

    // The barriers of a group and of the next group in stage 0, and the parity of the phase for which the group waits.
    // In its round r, group 0 waits for phase r - 1. In round 0 there is no such phase, and group 0 does not wait.
    class turn_member {
     public:
      CUDASYNC_DEVICE turn_member(turn_barriers& all, uint32 group, [[maybe_unused]] caller where = caller::here())
          : own_(all.bars_ + group), next_(all.bars_ + (group + 1 == Groups ? 0 : group + 1)),
            parity_(group == 0 ? 1 : 0) {
        for (uint32 stage = 0; stage < Stages; ++stage)
          checked::name(phase_of(own_[stage * Groups]), nullptr, 1024 * stage + group);
      }

      CUDASYNC_DEVICE void wait(uint32 stage, caller where = caller::here()) const {
        checked::wait(phase_of(own_[stage * Groups]), backend::phase_parity{parity_}, where);
      }
      CUDASYNC_DEVICE void pass(uint32 stage, caller where = caller::here()) {
        static_cast<void>(next_[stage * Groups].arrive(1, where));
        if (stage + 1 == Stages) parity_ ^= 1;
      }

     private:
      barrier<thread_scope_block>* own_;
      barrier<thread_scope_block>* next_;
      uint32 parity_;
    };

   private:
    barrier<thread_scope_block> bars_[Stages * Groups];
  };
};

// A group passes its turn with a named barrier. There is one for each group and stage, with consecutive ids from
// FirstId. They need no memory. FirstId: 1, or the end of a list of named_barrier_ids.
template <uint32 FirstId>
struct by_named_barriers {
  template <uint32 Groups, uint32 Stages, uint32 Threads>
  class turn_barriers {
    static_assert(
        Threads % 32 == 0,
        "turns by named barriers: whole warps take turns; give a multiple of 32 threads, or use by_mbarriers");
    static_assert(FirstId > 0,
                  "turns by named barriers: number 0 belongs to __syncthreads; give a first id of 1 or more");
    static_assert(
        FirstId + Groups * Stages <= 16,
        "turns by named barriers: a block has 16 barriers, and turns need one for each group and stage; use a "
        "smaller first id, fewer groups or stages, or by_mbarriers");

   public:
    // The first id after those of the turns.
    static constexpr uint32 end = FirstId + Groups * Stages;

    template <class Group>
    CUDASYNC_DEVICE void init(const Group&, [[maybe_unused]] caller where = caller::here()) {}

    // An id is an immediate. If the stage or the group is not a constant, there is a branch for each value. With an id
    // in a register, ptxas would reserve all barriers.
    class turn_member {
     public:
      // The last group arrives for the first turn of group 0 in each stage.
      CUDASYNC_DEVICE turn_member(turn_barriers&, uint32 group, caller where = caller::here()) : group_(group) {
        if (group != Groups - 1) return;
        for (uint32 stage = 0; stage < Stages; ++stage)
          pass_to<0>(stage, where);
      }

      template <uint32 Group = 0>
      CUDASYNC_DEVICE void wait(uint32 stage, caller where = caller::here()) const {
        if constexpr (Group + 1 < Groups)
          if (group_ != Group) return wait<Group + 1>(stage, where);
        sync_as<Group>(stage, where);
      }
      template <uint32 Group = 0>
      CUDASYNC_DEVICE void pass(uint32 stage, caller where = caller::here()) const {
        if constexpr (Group + 1 < Groups)
          if (group_ != Group) return pass<Group + 1>(stage, where);
        pass_to<(Group + 1) % Groups>(stage, where);
      }

     private:
      // The barrier at which the group waits and the previous group arrives.
      template <uint32 Group, uint32 Stage>
      using bar = named_barrier<FirstId + Stage * Groups + Group, 2 * Threads>;

      template <uint32 Group, uint32 Stage = 0>
      CUDASYNC_DEVICE static void sync_as(uint32 stage, caller where = caller::here()) {
        if constexpr (Stage + 1 < Stages)
          if (stage != Stage) return sync_as<Group, Stage + 1>(stage, where);
        bar<Group, Stage>::sync(where);
      }
      template <uint32 Group, uint32 Stage = 0>
      CUDASYNC_DEVICE static void pass_to(uint32 stage, caller where = caller::here()) {
        if constexpr (Stage + 1 < Stages)
          if (stage != Stage) return pass_to<Group, Stage + 1>(stage, where);
        bar<Group, Stage>::arrive(where);
      }

      uint32 group_;
    };
  };
};

// Groups of Threads threads of a block take turns in each of several stages: group 0 first, then group 1, and so on,
// then group 0 again. The object is a __shared__ variable. A turn in one stage does not wait for turns in another
// stage, so one group can be in the first stage while another group is in the second stage:
//
//   using order = cudasync::turns<2, 2, 128>;              // groups, stages, threads of each group
//   __shared__ order in_turn;
//   in_turn.init(cudasync::this_thread_block());
//   order::place mine(in_turn, threadIdx.x / 128);         // in the threads of the groups
//   for (...) {                                            // the tiles of this group
//     mine.wait();
//     ...                                                  // stage 0: multiply, on the tensor cores
//     mine.pass();
//     mine.wait();
//     ...                                                  // stage 1: store the tile
//     mine.pass();
//   }
//
// Means: how a group passes its turn, by_mbarriers or by_named_barriers<FirstId>. The functions are the same with both.
//
// Ordering: what the threads of a group wrote before pass is visible at block scope to the threads of the next group
// after the wait that this pass ends, and to all later groups.
template <uint32 Groups, uint32 Stages, uint32 Threads, class Means = by_mbarriers>
class turns {
  static_assert(Groups >= 2, "turns<groups, stages, threads>: a single group needs no turns; give 2 groups or more");
  static_assert(Stages > 0, "turns<groups, stages, threads>: turns are taken in at least one stage");
  static_assert(
      Threads > 0 && Groups * Threads <= 1024,
      "turns<groups, stages, threads>: a block has 1 to 1024 threads; give the number of threads of one group, such "
      "that all groups fit into a block");

  using barriers = typename Means::template turn_barriers<Groups, Stages, Threads>;

 public:
  // The number of groups.
  static constexpr uint32 groups = Groups;
  // The number of stages.
  static constexpr uint32 stages = Stages;
  // The number of threads of each group.
  static constexpr uint32 threads = Threads;
  // The first id of a named barrier that is free for other purposes.
  static constexpr uint32 end = barriers::end;

  turns() = default;
  turns(const turns&) = delete;
  turns& operator=(const turns&) = delete;

  // Initializes the barriers in shared memory, and synchronizes the group: all threads of the block, which call it.
  // With named barriers, it does nothing.
  template <class Group>
  CUDASYNC_DEVICE void init(const Group& group, caller where = caller::here()) {
    CUDASYNC_ASSERT(group.size() >= Groups * Threads, "turns::init: the block has fewer threads than all groups have");
    barriers_.init(group, where);
  }

  // The position of a thread in the order: its group, and the stage of its next turn. Each thread of a group constructs
  // one after init, and uses it as long as the turns are used. The threads of a group make the same calls; with named
  // barriers, all threads of a warp make each call together.
  class place {
   public:
    // The place of a thread of this group (0 to Groups - 1; the checked build reports others). It begins in stage 0.
    CUDASYNC_DEVICE place(turns& all, uint32 group, caller where = caller::here())
        : member_(all.barriers_, group, where), group_(group) {
      CUDASYNC_ASSERT(group < Groups, "turns::place: there is no group of this number; give 0 to groups - 1");
    }
    place(const place&) = delete;
    place& operator=(const place&) = delete;

    // The group of the thread.
    [[nodiscard]] CUDASYNC_DEVICE uint32 group() const { return group_; }
    // The stage of the current turn or, after pass, of the next turn: 0 to Stages - 1.
    [[nodiscard]] CUDASYNC_DEVICE uint32 stage() const { return stage_; }

    // Blocks until the group before this one has passed its turn in the stage. The first turn of group 0 in each stage
    // does not block. Acquires at block scope. The checked build reports a wait that does not end.
    CUDASYNC_DEVICE void wait(caller where = caller::here()) {
      CUDASYNC_ASSERT(!has_turn_, "turns::wait: this thread has the turn already; call pass before the next wait");
      member_.wait(stage_, where);
      has_turn_ = true;
    }

    // Passes the turn in the stage to the next group, and advances to the next stage. Does not block. Each thread of
    // the group calls it, after wait. Releases at block scope.
    CUDASYNC_DEVICE void pass(caller where = caller::here()) {
      CUDASYNC_ASSERT(has_turn_, "turns::pass: this thread does not have the turn; call wait before each pass");
      member_.pass(stage_, where);
      has_turn_ = false;
      stage_ = stage_ + 1 == Stages ? 0 : stage_ + 1;
    }

   private:
    typename barriers::turn_member member_;
    uint32 group_;
    uint32 stage_ = 0;
    bool has_turn_ = false;
  };

 private:
  barriers barriers_;
};

}}  // namespace cudasync::CUDASYNC_ABI

#endif  // CUDASYNC_CUDA

#endif

#if CUDASYNC_VERSION != 200
#error "cudasync: two versions in one translation unit; leave one of the two on the include path"
#endif
