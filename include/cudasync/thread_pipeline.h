// cuda::pipeline of one thread, which needs no shared state: groups of cp.async.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_THREAD_PIPELINE_H
#define CUDASYNC_THREAD_PIPELINE_H

#include <cudasync/backend/copy/copy.h>
#include <cudasync/barrier.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/pipeline.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// A pipeline whose only producer and consumer is the calling thread. There is no limit on the number of stages, and the
// thread waits only for its copies. From global to shared memory, on sm_80 and newer, these are cp.async, in the same
// groups as those of <cuda_pipeline.h>. Otherwise memcpy_async copies before it returns.
//
// Ordering: copies are visible to the calling thread after its wait. Synchronize others with it. Source: libcu++.
template <>
class __attribute__((unused)) pipeline<thread_scope_thread> {
 public:
  pipeline(pipeline&&) = default;
  pipeline& operator=(pipeline&&) = default;

  // A pipeline of the calling thread, which ignores the shared state and the roles.
  template <uint8 Stages>
  CUDASYNC_API pipeline(pipeline_shared_state<thread_scope_thread, Stages>&, bool, bool) {}

  // Does nothing: a thread cannot overtake itself.
  CUDASYNC_API void producer_acquire() {}

  // Makes a stage of what this thread has copied since its last commit. Does not block.
  CUDASYNC_API void producer_commit() {
    backend::commit_copies(target::here{});
    ++pending_;
  }

  // Blocks until the copies of the oldest stage that this thread has not waited for are complete.
  CUDASYNC_API void consumer_wait() {
    const uint16 others = static_cast<uint16>(pending_ == 0 ? 0 : pending_ - 1);
    backend::await_copies(target::here{}, others);
    pending_ = others;
  }

  // Calls consumer_wait, because a wait for copies has no time limit. Returns true.
  template <class Duration>
  CUDASYNC_API bool consumer_wait_for(const Duration&) {
    consumer_wait();
    return true;
  }
  // Calls consumer_wait, because a wait for copies has no time limit. Returns true.
  template <class TimePoint>
  CUDASYNC_API bool consumer_wait_until(const TimePoint&) {
    consumer_wait();
    return true;
  }

  // Does nothing: a thread that has waited may use the stage again.
  CUDASYNC_API void consumer_release() {}

  // Does nothing, because no other thread takes part. Returns true.
  CUDASYNC_API bool quit() { return true; }

 private:
  friend CUDASYNC_API pipeline make_pipeline();
  template <uint8 Prior>
  friend CUDASYNC_API void pipeline_consumer_wait_prior(pipeline& pipe);

  pipeline() = default;

  // Stages committed and not waited for. Packed, for the alignment that libcu++'s has.
  __attribute__((packed)) uint16 pending_ = 0;
};

// Makes a pipeline of the calling thread alone, without shared state.
CUDASYNC_API pipeline<thread_scope_thread> make_pipeline() {
  return {};
}

// Blocks until the copies of this thread's committed stages, except the latest Prior, are complete and visible to it.
template <uint8 Prior>
CUDASYNC_API void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>& pipe) {
  backend::await_copies(target::here{}, Prior);
  if (pipe.pending_ > Prior) pipe.pending_ = Prior;
}
// Fails to compile: threads that share stages wait for them in turn. The message has the remedy.
template <uint8 Prior, thread_scope Scope>
CUDASYNC_API void pipeline_consumer_wait_prior(pipeline<Scope>&) {
  static_assert(Scope == thread_scope_thread,
                "pipeline_consumer_wait_prior needs the pipeline of one thread, make_pipeline(); with a shared state, "
                "call consumer_wait");
}

// Makes the current phase of bar wait for the copies that this thread has begun since its last commit: the phase does
// not complete before them. Call it in place of a commit, before this thread's arrival in that phase. If bar is not a
// block's or a cluster's barrier, or not in shared memory, it blocks until the copies are complete.
template <thread_scope Scope>
CUDASYNC_API void pipeline_producer_commit(pipeline<thread_scope_thread>&, barrier<Scope>& bar) {
  checked::note_copies(phase_of(bar));
  static_cast<void>(backend::hold_for_copies(target::here{}, phase_of(bar)));
}

template <class Job>
CUDASYNC_API backend::copied begin_copy(const Job& job, pipeline<thread_scope_thread>&) {
  return backend::copy(target::here{}, job);
}

}}  // namespace cudasync::CUDASYNC_ABI

#endif
