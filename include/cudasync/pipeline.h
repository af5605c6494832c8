// cuda::pipeline: copies in stages, which producers fill while consumers work on earlier ones.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PIPELINE_H
#define CUDASYNC_PIPELINE_H

#include <cudasync/backend/block_phase.h>
#include <cudasync/backend/copy.h>
#include <cudasync/backend/phase.h>
#include <cudasync/backend/time.h>
#include <cudasync/barrier.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/memcpy_async.h>
#include <cudasync/pipeline_stage.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {

enum class pipeline_role { producer, consumer };

// A thread's handle to a ring of stages that a group of threads shares. In a unified pipeline, which make_pipeline makes
// without a role, every thread is a producer and a consumer; else each is one of them. In the order of the stages,
//   producers: producer_acquire, memcpy_async(..., pipe) or other writes, producer_commit
//   consumers: consumer_wait, use what was copied, consumer_release
// All producers commit each stage and all consumers release it, whether they have copied or used anything or not.
//
// Ordering: what a producer wrote or copied before its commit is visible to consumers after their wait; what consumers
// did before they released is visible to producers after they have acquired the stage again.
//
// Every thread keeps its own handle; it can be moved, not copied. The destructor does nothing: a thread that leaves
// before the others calls quit. Source: libcu++, whose destructor quits, which there does not let the others go on.
template <thread_scope Scope>
class pipeline {
 public:
  pipeline() = delete;
  pipeline(pipeline&&) = default;
  pipeline& operator=(pipeline&&) = default;

  // Blocks until all consumers have released the next stage.
  CUDASYNC_API void producer_acquire() {
    CUDASYNC_ASSERT(is_producer_, "pipeline::producer_acquire: this thread is a consumer");
    await(stages_[head_.stage].consumed, {{!head_.is_odd_round}, head_.stage, true});
  }

  // Commits what this thread has copied, by memcpy_async on this pipeline or otherwise, to the next stage. Does not block
  // where the stages are mbarriers (a block's, in shared memory, sm_80 and newer); elsewhere it waits for the copies.
  CUDASYNC_API void producer_commit() {
    CUDASYNC_ASSERT(is_producer_, "pipeline::producer_commit: this thread is a consumer");
    if (has_copies_)
      backend::arrive_after_copies(target::here{}, phase_of(stages_[head_.stage].produced));
    else
      static_cast<void>(stages_[head_.stage].produced.arrive());
    has_copies_ = false;
    head_.advance(count_);
  }

  // Blocks until all producers have committed the oldest stage that this thread has not released, and its copies are
  // complete.
  CUDASYNC_API void consumer_wait() {
    CUDASYNC_ASSERT(is_consumer_, "pipeline::consumer_wait: this thread is a producer");
    await(stages_[tail_.stage].produced, {{tail_.is_odd_round}, tail_.stage, false});
  }

  // True when that was so within this duration, of std::chrono, cuda::std::chrono or alike.
  template <class Duration>
  CUDASYNC_API bool consumer_wait_for(const Duration& duration) {
    CUDASYNC_ASSERT(is_consumer_, "pipeline::consumer_wait_for: this thread is a producer");
    return stages_[tail_.stage].produced.try_wait_parity_for(tail_.is_odd_round, duration);
  }

  // True when that was so before the clock of this time point reached it.
  CUDASYNC_EXEC_CHECK_DISABLE
  template <class TimePoint>
  CUDASYNC_API bool consumer_wait_until(const TimePoint& time) {
    return consumer_wait_for(time - TimePoint::clock::now());
  }

  // Releases that stage to the producers. Does not block.
  CUDASYNC_API void consumer_release() {
    CUDASYNC_ASSERT(is_consumer_, "pipeline::consumer_release: this thread is a producer");
    static_cast<void>(stages_[tail_.stage].consumed.arrive());
    tail_.advance(count_);
  }

  // Leaves the pipeline: the others go on without this thread. It takes part in one more round of the ring, in which it
  // copies and uses nothing, and instead of arriving at the stages' barriers drops out of them. So it waits for the
  // others to come as far: let them go on for a round, or quit too, as all threads do at the end. Call nothing else on
  // this handle afterwards, and before it commit what was copied.
  // Returns true in the thread that leaves last: then the shared state is free for other use.
  CUDASYNC_API bool quit() {
    uint8 to_produce = is_producer_ ? count_ : uint8{0};
    uint8 to_consume = is_consumer_ ? count_ : uint8{0};
    while (to_produce != 0 || to_consume != 0) {
      const bool has_consumed = to_consume == 0 || head_ == tail_;  // all that it produced
      if (to_produce != 0 && has_consumed) {
        producer_acquire();
        stages_[head_.stage].produced.arrive_and_drop();
        head_.advance(count_);
        --to_produce;
      } else {
        consumer_wait();
        stages_[tail_.stage].consumed.arrive_and_drop();
        tail_.advance(count_);
        --to_consume;
      }
    }
    constexpr target::here here{};
    if (backend::fetch_add_release<Scope>(here, members().left, ~uint32{0}) != 1) return false;
    static_cast<void>(backend::load_acquire<Scope>(here, members().left));
    for (uint8 stage = 0; stage != count_; ++stage) {
      invalidate(&stages_[stage].produced);
      invalidate(&stages_[stage].consumed);
    }
    return true;
  }

  // For make_pipeline.
  template <uint8 Stages>
  CUDASYNC_API pipeline(pipeline_shared_state<Scope, Stages>& state, bool is_producer, bool is_consumer)
      : stages_(state.stages_), count_(Stages), is_producer_(is_producer), is_consumer_(is_consumer) {}

  // For memcpy_async.
  template <class Job>
  friend CUDASYNC_API backend::copied begin_copy(const Job& job, pipeline& pipe) {
    CUDASYNC_ASSERT(pipe.is_producer_, "memcpy_async: this thread is a consumer of the pipeline");
    const backend::copied how = backend::copy(target::here{}, job, phase_of(pipe.stages_[pipe.head_.stage].produced));
    if (how == backend::copied::by_cp_async) pipe.has_copies_ = true;
    return how;
  }

 private:
  CUDASYNC_API pipeline_members& members() { return reinterpret_cast<pipeline_members*>(stages_)[-1]; }

  CUDASYNC_API static void await(barrier<Scope>& bar, backend::stage_parity which) {
    static_cast<void>(backend::wait(target::here{}, phase_of(bar), which, backend::forever));
  }

  pipeline_stage<Scope>* stages_;
  uint8 count_;
  pipeline_position head_{};  // the stage that this thread commits next
  pipeline_position tail_{};  // the stage that it releases next
  bool is_producer_;
  bool is_consumer_;
  bool has_copies_ = false;  // begun by cp.async, and not yet committed
};

}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
