// cuda::latch: threads count down to zero, once, and wait for it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_LATCH_H
#define CUDASYNC_LATCH_H

#include <cudasync/backend/phase/countdown.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/hang/watch.h>
#include <cudasync/thread/time.h>
#include <cudasync/trace/span.h>

#if CUDASYNC_HAS_HOST
#include <new>  // placement new, for users; NVRTC declares it by itself
#endif

namespace cudasync { inline namespace CUDASYNC_ABI {

// A counter that goes down to zero once and stays zero. Threads count it down, and threads wait until it is zero.
//
// Ordering: count_down and arrive_and_wait release at Scope. A wait that returns, or that returns true, acquires at
// Scope. What any thread did before it counted down is visible to every thread after its wait.
//
// Destroy a latch, or reuse its memory, only after every call on it has returned.
//
// Source: [thread.latch], and libcu++ for Scope.
template <thread_scope Scope = thread_scope_system>
class __attribute__((unused)) latch {
 public:
  // Trivial: the object is not initialized, so a __shared__ latch needs no dynamic initialization. First call init.
  latch() = default;

  // A latch with this count. expected: 0 to max(). A global latch needs no dynamic initialization.
  CUDASYNC_API constexpr explicit latch(ptrdiff_t expected, caller where = caller::here())
      : count_(static_cast<uint32>(expected)) {
    CUDASYNC_ASSERT(expected <= (max)() && expected >= 0, "latch: expected must be 0 to max()");
    checked::note_init(this, where);
  }

  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;

  // Subtracts update from the count. Does not block. Releases at Scope. update: 0 to the count; checked builds test it.
  CUDASYNC_API void count_down(ptrdiff_t update = 1, caller where = caller::here()) {
    checked::note(target::here{}, where);
    const trace::span traced(trace::action::latch_count_down, {this, static_cast<uint64>(update)}, where);
    check_update(update, where);
    backend::count_down(target::here{}, count_, static_cast<uint32>(update), where);
  }

  // Returns whether the count is zero. Does not block. If true, it acquires at Scope.
  CUDASYNC_API bool try_wait() const noexcept { return backend::is_zero(target::here{}, count_); }

  // Blocks until the count is zero. Acquires at Scope. The checked build reports a wait that does not end.
  CUDASYNC_API void wait(caller where = caller::here()) const {
    checked::note_awaited(target::here{}, this, where, true);
    const trace::span traced(trace::action::latch_wait, {this, 0}, where);
    static_cast<void>(backend::await_zero(target::here{}, count_, backend::forever));
  }

  // Subtracts update, 0 to the count, and blocks until the count is zero. Releases and acquires at Scope.
  CUDASYNC_API void arrive_and_wait(ptrdiff_t update = 1, caller where = caller::here()) {
    checked::note(target::here{}, where);
    const trace::span traced(trace::action::latch_arrive_and_wait, {this, static_cast<uint64>(update)}, where);
    check_update(update, where);
    backend::count_down_and_wait(target::here{}, count_, static_cast<uint32>(update), where);
  }

  // Blocks until the count is zero, for at most this duration, of std::chrono, cuda::std::chrono or similar. Returns
  // whether it was zero in time. If true, it acquires at Scope.
  template <class Duration>
  [[nodiscard]] CUDASYNC_API bool try_wait_for(const Duration& duration) const {
    return backend::await_zero(target::here{}, count_, backend::to_nanoseconds(duration));
  }

  // Blocks until the count is zero, or until the clock of this time point reaches it. Returns whether the count was
  // zero in time. If true, it acquires at Scope.
  CUDASYNC_EXEC_CHECK_DISABLE
  template <class TimePoint>
  [[nodiscard]] CUDASYNC_API bool try_wait_until(const TimePoint& time) const {
    return try_wait_for(backend::time_left(time));
  }

  // Returns the largest expected count.
  CUDASYNC_API static constexpr ptrdiff_t(max)() noexcept { return 0x7fffffff; }

  friend CUDASYNC_API backend::countdown<Scope>& countdown_of(latch& object) { return object.count_; }

 private:
  CUDASYNC_API void check_update([[maybe_unused]] ptrdiff_t update, caller where = caller::here()) const {
    if constexpr (checked::is_on) checked::note_given(target::here{}, this, where);
    CUDASYNC_ASSERT(update <= (max)() && update >= 0, "latch: update must be 0 to what is left of the count");
  }

  backend::countdown<Scope> count_;
};

// Begins the lifetime of a latch in memory that no thread uses yet. One thread calls it. Synchronize the threads before
// the first use. expected: 0 to max(). The checked build reports other counts and a null pointer.
template <thread_scope Scope>
CUDASYNC_API void init(latch<Scope>* object, ptrdiff_t expected, caller where = caller::here()) {
  CUDASYNC_ASSERT(object != nullptr, "init: the latch is a null pointer; pass the address of a latch");
  CUDASYNC_ASSERT(expected <= (object->max)() && expected >= 0, "init: expected must be 0 to max()");
  checked::note_init(object, where);
  countdown_of(*object) = backend::countdown<Scope>(static_cast<uint32>(expected));
}
// Fails to compile: init takes a pointer. The message has the remedy.
template <thread_scope Scope>
CUDASYNC_API void init(latch<Scope>&, ptrdiff_t) {
  static_assert(sizeof(latch<Scope>) == 0, "init takes the address of the latch: init(&latch, n)");
}

}}  // namespace cudasync::CUDASYNC_ABI

#endif
