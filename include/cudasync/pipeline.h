// cuda::pipeline: copies in stages, which producers fill while consumers work on earlier ones.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PIPELINE_H
#define CUDASYNC_PIPELINE_H

#include <cudasync/backend/copy/copy.h>
#include <cudasync/backend/phase/block_phase.h>
#include <cudasync/backend/phase/phase.h>
#include <cudasync/barrier.h>
#include <cudasync/checked/phase.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/memcpy_async.h>
#include <cudasync/pipeline/pipeline_stage.h>
#include <cudasync/thread/time.h>
#include <cudasync/trace/span.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// The role of a thread in a partitioned pipeline.
enum class pipeline_role {
  // The thread fills stages.
  producer,
  // The thread uses what the stages contain.
  consumer
};

// A thread's handle to a ring of stages that a group of threads shares. In a unified pipeline, which make_pipeline
// makes without a role, each thread is producer and consumer; otherwise it is one. In the order of the stages,
//   producers: producer_acquire, memcpy_async(..., pipe) or other writes, producer_commit
//   consumers: consumer_wait, use what was copied, consumer_release
// All producers commit each stage and all consumers release it, whether they have copied or used anything or not.
//
// Ordering: what a producer wrote or copied before its commit is visible to consumers after their wait. What consumers
// did before they released a stage is visible to producers after they have acquired it again.
//
// Each thread has its own handle, which can be moved but not copied. The destructor does nothing: a thread that ends
// before the others calls quit. Source: libcu++, where the destructor quits and the other threads then cannot continue.
template <thread_scope Scope>
class __attribute__((unused)) pipeline {
 public:
  pipeline() = delete;
  pipeline(pipeline&&) = default;
  pipeline& operator=(pipeline&&) = default;

  // Blocks until all consumers have released the next stage. What they did before is visible to this thread. Only a
  // producer may call it. The checked build reports a call by a consumer, and a wait that does not end.
  CUDASYNC_API void producer_acquire(caller where = caller::here()) {
    CUDASYNC_ASSERT(is_producer_ || checked::is_told(stages_, members()),
                    "pipeline::producer_acquire: this thread is a consumer; let the producers call it");
    CUDASYNC_ASSERT(
        !is_consumer_ || head_.stage != tail_.stage || head_.parity == tail_.parity ||
            checked::is_told(stages_, members(), count_),
        "pipeline::producer_acquire: this thread, which is also a consumer, has acquired all stages: acquire at most "
        "as many ahead as the pipeline has, and release one (consumer_wait, consumer_release) before the next");
    await(stages_[head_.stage].consumed, {{head_.parity ^ 1u}, head_.stage, true}, where);
  }

  // Adds to the next stage everything that this thread has copied or written since its last commit. Does not block if
  // the stages are mbarriers (a block's pipeline in shared memory, sm_80 and newer); otherwise, it blocks until the
  // copies are complete. Only a producer may call it, after producer_acquire.
  CUDASYNC_API void producer_commit(caller where = caller::here()) {
    CUDASYNC_ASSERT(is_producer_ || checked::is_told(stages_, members()),
                    "pipeline::producer_commit: this thread is a consumer; let the producers call it");
    auto& produced = phase_of(stages_[head_.stage].produced);
    if (has_copies_) checked::note_copies(produced);
    // In a block, without a test: a branch takes longer than an operation for no copies.
    if (Scope == thread_scope_block || has_copies_)
      static_cast<void>(backend::hold_for_copies(target::here{}, produced));
    static_cast<void>(checked::arrive<trace::action::producer_commit>(produced, 1, where));
    has_copies_ = false;
    head_.advance(count_);
  }

  // Blocks until all producers have committed the oldest stage that this thread has not released, and its copies are
  // complete. What they wrote and copied is visible to this thread. Only a consumer may call it. The checked build
  // reports a call by a producer, and a wait that does not end.
  CUDASYNC_API void consumer_wait(caller where = caller::here()) {
    CUDASYNC_ASSERT(is_consumer_ || checked::is_told(stages_, members()),
                    "pipeline::consumer_wait: this thread is a producer; let the consumers call it");
    await(oldest().produced, {{tail_.parity}, tail_.stage, false}, where);
  }

  // Waits for the oldest unreleased stage, at most this long (std::chrono or similar). Returns whether it is complete.
  template <class Duration>
  CUDASYNC_API bool consumer_wait_for(const Duration& duration) {
    CUDASYNC_ASSERT(is_consumer_, "pipeline::consumer_wait_for: this thread is a producer");
    return oldest().produced.try_wait_parity_for(tail_.parity != 0, duration);
  }

  // Waits for the oldest unreleased stage, at most until this time point. Returns whether it is complete.
  CUDASYNC_EXEC_CHECK_DISABLE
  template <class TimePoint>
  CUDASYNC_API bool consumer_wait_until(const TimePoint& time) {
    return consumer_wait_for(backend::time_left(time));
  }

  // Gives the oldest unreleased stage back to the producers. Does not block. Only consumers call it, after their wait.
  CUDASYNC_API void consumer_release(caller where = caller::here()) {
    CUDASYNC_ASSERT(is_consumer_ || checked::is_told(stages_, members()),
                    "pipeline::consumer_release: this thread is a producer; let the consumers call it");
    auto& consumed = phase_of(oldest().consumed);
    static_cast<void>(checked::arrive<trace::action::consumer_release>(consumed, 1, where));
    tail_.advance(count_);
  }

  // Leaves the pipeline, so that the other threads can continue without this one. Commit your copies before, and call
  // nothing else on this handle afterwards. It waits until the other threads of its role have arrived, or left, where
  // this thread last arrived. It does not wait if all have made the same number of rounds. Returns true in the thread
  // that leaves last, if all threads quit: the shared state is then free for something else.
  CUDASYNC_API bool quit(caller where = caller::here()) {
    if (is_producer_) leave_producers(where);
    if (is_consumer_) leave_consumers(where);
    if (count_down(one_member) != 1) return false;
    static_cast<void>(backend::load_acquire<Scope>(target::here{}, words()[0]));
    for (uint8 stage = 0; stage != count_; ++stage) {
      invalidate(&stages_[stage].produced);
      invalidate(&stages_[stage].consumed);
    }
    return true;
  }

  // Makes a handle for one thread, for make_pipeline, which initializes the state.
  template <uint8 Stages>
  CUDASYNC_API pipeline(pipeline_shared_state<Scope, Stages>& state, bool is_producer, bool is_consumer)
      : stages_(state.stages_), count_(Stages), is_producer_(is_producer), is_consumer_(is_consumer) {}

  // For memcpy_async.
  template <class Job>
  friend CUDASYNC_API backend::copied begin_copy(const Job& job, pipeline& pipe) {
    CUDASYNC_ASSERT(pipe.is_producer_, "memcpy_async: this thread is a consumer of the pipeline");
    auto& produced = phase_of(pipe.stages_[pipe.head_.stage].produced);
    const trace::span traced(trace::action::copy, {&produced, job.size / job.threads, pipe.head_.stage});
    const backend::copied how = backend::copy_to_stage(target::here{}, job, produced);
    if (how == backend::copied::by_cp_async) pipe.has_copies_ = true;
    return how;
  }

 private:
  // In a block on the GPU, each count is in one half of the word: an addition of 64 bits in shared memory is a loop.
  using counts =
      conditional<Scope == thread_scope_block && target::is_at_least<target::here, target::sm70>, uint32, uint64>;

  CUDASYNC_API counts* words() { return reinterpret_cast<counts*>(&members()); }
  CUDASYNC_API uint64& members() { return *reinterpret_cast<uint64*>(stages_ + count_); }

  // The stage that this thread releases next. As a product, which the compiler keeps from the wait to the release.
  CUDASYNC_API pipeline_stage<Scope>& oldest() {
    const uint32 distance = tail_.stage * uint32{sizeof(pipeline_stage<Scope>)};
    return *reinterpret_cast<pipeline_stage<Scope>*>(reinterpret_cast<char*>(stages_) + distance);
  }

  CUDASYNC_API static void await(barrier<Scope>& bar, backend::stage_parity which, caller where = caller::here()) {
    checked::wait(phase_of(bar), which, where);
  }

  // To leave, a thread drops out of one barrier of each stage, in the next round in which it would arrive there.
  // Before, it waits until the rounds in which it has arrived are complete, and counts itself out of its role. These
  // waits end: it was allowed to arrive, so the others of its role have arrived in these rounds, or will, or drop out.
  // Who is both drops out as a producer before it waits for consumers: another that leaves may have committed more
  // stages and released fewer, and they would wait for each other. What it has consumed, it need not await again.
  //
  // Then no thread of the role has arrived in a later round than the one that counts itself out last. If that is a
  // producer, it does not drop out: a round would complete in which nobody has committed anything. A consumer drops out
  // of the stages that are committed, which nobody will read. Elsewhere, a round would complete too early, and threads
  // that still wait for an earlier round of the same parity would miss it.
  CUDASYNC_API void leave_producers(caller where = caller::here()) {
    const bool has_seen_all = is_consumer_ && head_.stage == tail_.stage && head_.parity == tail_.parity;
    for (uint8 left = has_seen_all ? 0 : count_; left != 0; --left, head_.advance(count_))
      await(stages_[head_.stage].produced, {{head_.parity ^ 1u}, head_.stage, false}, where);
    if (count_down(one_producer) == 1) return;
    for (uint8 stage = 0; stage != count_; ++stage)
      stages_[stage].produced.arrive_and_drop(where);
  }
  CUDASYNC_API void leave_consumers(caller where = caller::here()) {
    for (uint8 left = count_; left != 0; --left, tail_.advance(count_))
      await(oldest().consumed, {{tail_.parity ^ 1u}, tail_.stage, true}, where);
    const bool is_last = count_down(one_consumer) == 1;
    for (uint8 left = count_; left != 0; --left, tail_.advance(count_)) {
      pipeline_stage<Scope>& stage = oldest();
      if (is_last && !stage.produced.try_wait_parity(tail_.parity == 0)) return;
      stage.consumed.arrive_and_drop(where);
    }
  }

  // Removes this thread from a count. Returns the count before. Only that of members releases, to the last one.
  CUDASYNC_API uint64 count_down(uint64 one) {
    const uint32 index = one < one_producer ? 0 : sizeof one / sizeof(counts) - 1, shift = 32 * index;
    const auto added = static_cast<counts>(0 - (one >> shift));
    counts& word = words()[index];
    const counts before = one == one_member ? backend::fetch_add_release<Scope>(target::here{}, word, added)
                                            : backend::fetch_add_relaxed<Scope>(target::here{}, word, added);
    return members_of(uint64{before} << shift, one);
  }

  pipeline_stage<Scope>* stages_;
  uint8 count_;
  pipeline_position head_{};  // the stage that this thread commits next
  pipeline_position tail_{};  // the stage that it releases next
  bool is_producer_;
  bool is_consumer_;
  bool has_copies_ = false;  // begun by cp.async, and not yet committed
};

}}  // namespace cudasync::CUDASYNC_ABI

#endif
