// What the threads of a cuda::pipeline share: two barriers for each stage, and the number of threads that take part.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PIPELINE_PIPELINE_STAGE_H
#define CUDASYNC_PIPELINE_PIPELINE_STAGE_H

#include <cudasync/backend/atomic/word.h>
#include <cudasync/backend/phase/block_phase.h>
#include <cudasync/barrier.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// Producers arrive at produced to commit the stage, consumers at consumed to release it. Phases are rounds of the ring.
template <thread_scope Scope>
struct pipeline_stage {
  barrier<Scope> produced;
  barrier<Scope> consumed;
};

// The numbers of threads that still produce, that still consume, and that have not returned from quit: 21 bits each.
enum : uint64 {
  one_producer = uint64{1} << 42,
  one_consumer = uint64{1} << 21,
  one_member = 1,
  most_members = one_consumer - 1,
};

[[nodiscard]] CUDASYNC_API constexpr uint64 members_word(uint32 threads, uint32 producers, uint32 consumers) {
  return threads * one_member + producers * one_producer + consumers * one_consumer;
}
// The count that a barrier expects from this number of threads: an mbarrier cannot expect 0 arrivals.
[[nodiscard]] CUDASYNC_API constexpr uint32 arrivals_of(uint32 threads) {
  return threads == 0 ? 1 : threads;
}
[[nodiscard]] CUDASYNC_API constexpr uint64 members_of(uint64 word, uint64 one) {
  return word / one & most_members;
}

// The state that the threads of a pipeline share, in memory that all of them can access; for a block's pipeline, best
// in shared memory. make_pipeline initializes it. Only one pipeline at a time may use it. Source: libcu++.
template <thread_scope Scope, uint8 Stages>
class __attribute__((unused)) pipeline_shared_state {
  static_assert(Stages > 0, "pipeline_shared_state<scope, n>: a pipeline has at least one stage");
  static_assert(Scope != thread_scope_cluster,
                "a pipeline cannot have cluster scope, because threads of other blocks cannot wait for a stage; use "
                "bulk_pipeline with the number of blocks of the cluster");

 public:
  pipeline_shared_state() = default;
  pipeline_shared_state(const pipeline_shared_state&) = delete;
  pipeline_shared_state& operator=(const pipeline_shared_state&) = delete;

  // For make_pipeline.
  CUDASYNC_API void start(uint64 members, uint32 producers, uint32 consumers, caller where = caller::here()) {
    members_.word = members;
    for (pipeline_stage<Scope>& stage : stages_) {
      init(&stage.produced, static_cast<ptrdiff_t>(producers), where);
      init(&stage.consumed, static_cast<ptrdiff_t>(consumers), where);
    }
  }

  CUDASYNC_API void start_counting() { members_.word = 0; }
  // Adds to one half of the word, because an addition of 64 bits in shared memory is a loop.
  CUDASYNC_API void count_producer() {
    backend::fetch_add_relaxed<Scope>(target::here{}, members_.halves[1], static_cast<uint32>(one_producer >> 32));
  }
  CUDASYNC_API uint32 producers() const { return static_cast<uint32>(members_of(members_.word, one_producer)); }

 private:
  template <thread_scope>
  friend class pipeline;

  pipeline_stage<Scope> stages_[Stages];
  union {
    uint64 word;
    uint32 halves[2];
  } members_;
  static_assert(sizeof members_ == sizeof(uint64) && sizeof(pipeline_stage<Scope>) % sizeof(uint64) == 0,
                "a pipeline finds the members behind the stages");
};

// A place in the ring of stages. Rounds alternate even, odd, even, ... as the parities of a barrier's phases do.
struct pipeline_position {
  uint8 stage;
  uint8 parity;  // of the round; with bool, a ring takes more instructions

  CUDASYNC_API void advance(uint8 stages) {
    const bool is_last = stage + 1 == stages;
    stage = static_cast<uint8>(is_last ? 0 : stage + 1);
    parity = static_cast<uint8>(parity ^ (is_last ? 1 : 0));
  }
};

}}  // namespace cudasync::CUDASYNC_ABI

#endif
