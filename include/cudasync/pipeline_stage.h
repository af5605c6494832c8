// What the threads of a cuda::pipeline share: two barriers a stage, and the number of threads that take part.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PIPELINE_STAGE_H
#define CUDASYNC_PIPELINE_STAGE_H

#include <cudasync/backend/block_phase.h>
#include <cudasync/backend/word.h>
#include <cudasync/barrier.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {

// Producers arrive at produced when they commit the stage, consumers at consumed when they release it. The phases of
// both are the rounds of the ring.
template <thread_scope Scope>
struct pipeline_stage {
  barrier<Scope> produced;
  barrier<Scope> consumed;
};

struct pipeline_members {
  uint32 left;       // threads that have not quit
  uint32 producers;  // while make_pipeline counts them
};

// Storage for a pipeline, in memory that all its threads can access; a block's best lies in shared memory.
// Uninitialized: make_pipeline initializes it. Only one pipeline at a time may use it. Source: libcu++.
template <thread_scope Scope, uint8 Stages>
class __attribute__((unused)) pipeline_shared_state {
  static_assert(Stages > 0, "pipeline_shared_state<scope, n>: a pipeline has at least one stage");

 public:
  pipeline_shared_state() = default;
  pipeline_shared_state(const pipeline_shared_state&) = delete;
  pipeline_shared_state& operator=(const pipeline_shared_state&) = delete;

  // For make_pipeline.
  CUDASYNC_API void start(uint32 threads, uint32 producers, uint32 consumers) {
    members_.left = threads;
    for (pipeline_stage<Scope>& stage : stages_) {
      init(&stage.produced, producers);
      init(&stage.consumed, consumers);
    }
    if constexpr (Scope == thread_scope_block) backend::publish_to_copy_engine(target::here{});
  }

  CUDASYNC_API void start_counting() { members_.producers = 0; }
  CUDASYNC_API void count_producer() {
    static_cast<void>(backend::fetch_add_relaxed<Scope>(target::here{}, members_.producers, 1));
  }
  CUDASYNC_API uint32 producers() const { return members_.producers; }

 private:
  template <thread_scope>
  friend class pipeline;

  pipeline_members members_;
  pipeline_stage<Scope> stages_[Stages];
};

// A place in the ring of stages. Rounds alternate even, odd, even, ... as the parities of a barrier's phases do.
struct pipeline_position {
  uint8 stage;
  bool is_odd_round;

  CUDASYNC_API bool operator==(const pipeline_position& other) const {
    return stage == other.stage && is_odd_round == other.is_odd_round;
  }

  CUDASYNC_API void advance(uint8 stages) {
    const bool is_last = stage + 1 == stages;
    stage = is_last ? uint8{0} : static_cast<uint8>(stage + 1);
    is_odd_round = is_odd_round != is_last;
  }
};

}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
