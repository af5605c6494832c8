// cuda::counting_semaphore and cuda::binary_semaphore: permits that threads take and give back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_SEMAPHORE_H
#define CUDASYNC_SEMAPHORE_H

#include <cudasync/backend/permit/permits.h>
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

// A number of permits. acquire takes a permit, and blocks while there is none. Any thread may release permits.
//
// Threads that wait in acquire form a queue: no other acquire takes a permit before them. A thread that finds no permit
// enters the queue at once, or, if the semaphore is binary or on the host, after it has tried for a millisecond. The
// queue of a binary semaphore keeps its order for the first 256 waiting threads. try_acquire and the timed functions do
// not enter the queue. They take permits that no thread in it waits for, and that of a binary semaphore once before
// each turn of the queue.
//
// Ordering: release releases at Scope. A function that takes a permit acquires at Scope. What a thread did before it
// released is visible to the threads that take a permit afterwards.
//
// Destroy a semaphore, or reuse its memory, only after every call on it has returned.
//
// Source: [thread.sema], and libcu++ for Scope. 8 bytes; a binary one 4.
template <thread_scope Scope = thread_scope_system, ptrdiff_t LeastMaxValue = 0x7fffffff>
class __attribute__((unused)) counting_semaphore {
  static_assert(LeastMaxValue >= 0,
                "counting_semaphore: LeastMaxValue is the largest number of permits; give 0 or more");
  using permits = backend::permits_for<Scope, LeastMaxValue>;

 public:
  // Trivial: the object is not initialized, so a __shared__ semaphore needs no dynamic initialization. First call init.
  counting_semaphore() = default;

  // A semaphore with this number of permits. desired: 0 to max(). A global one needs no dynamic initialization.
  CUDASYNC_API constexpr explicit counting_semaphore(ptrdiff_t desired) : permits_(desired) {
    check_least_max_value();
    CUDASYNC_ASSERT(desired <= (max)() && desired >= 0, "counting_semaphore: desired must be 0 to max()");
  }

  counting_semaphore(const counting_semaphore&) = delete;
  counting_semaphore& operator=(const counting_semaphore&) = delete;

  // Gives permits back, or adds new ones. Does not block. Releases at Scope. update: 0 to max() less the available
  // permits. The checked build reports more. A binary semaphore may have its permit already: nothing is added then.
  CUDASYNC_API void release(ptrdiff_t update = 1, caller where = caller::here()) {
    checked::note_use(target::here{}, this, where);
    const trace::span traced(trace::action::semaphore_release, {this, static_cast<uint64>(update)}, where);
    CUDASYNC_ASSERT(update <= (max)() && update >= 0, "counting_semaphore::release: update must be 0 to max()");
    checked::note_release(target::here{}, this, update);
    backend::release_permits(target::here{}, permits_, update, where);
  }

  // Takes a permit. Blocks until there is one. Acquires at Scope. The checked build reports a wait that does not end.
  CUDASYNC_API void acquire(caller where = caller::here()) {
    checked::note_use(target::here{}, this, where);
    const trace::span traced(trace::action::semaphore_acquire, {this}, where);
    backend::acquire_permit(target::here{}, permits_);
    checked::note_permit(target::here{}, this);
  }

  // Takes a permit if there is one that is not for the next thread in the queue. Does not block; may give up if others
  // enter the queue or release at the same time. Returns whether it took one. If true, it acquires at Scope.
  [[nodiscard]] CUDASYNC_API bool try_acquire() noexcept {
    const bool is_taken = backend::try_acquire_permit(target::here{}, permits_);
    if (is_taken) checked::note_permit(target::here{}, this);
    return is_taken;
  }

  // Takes a permit, without a place in the queue. Blocks until there is one, for at most this duration, of std::chrono,
  // cuda::std::chrono or similar. Returns whether it took one. If true, it acquires at Scope.
  template <class Duration>
  [[nodiscard]] CUDASYNC_API bool try_acquire_for(const Duration& duration) {
    const bool is_taken =
        backend::try_acquire_permit_for<Scope>(target::here{}, permits_, backend::to_nanoseconds(duration));
    if (is_taken) checked::note_permit(target::here{}, this);
    return is_taken;
  }

  // Takes a permit, without a place in the queue. Blocks until there is one, or until the clock of this time point
  // reaches it. Returns whether it took one. If true, it acquires at Scope.
  CUDASYNC_EXEC_CHECK_DISABLE
  template <class TimePoint>
  [[nodiscard]] CUDASYNC_API bool try_acquire_until(const TimePoint& time) {
    return try_acquire_for(backend::time_left(time));
  }

  // Returns the largest possible number of permits.
  [[nodiscard]] CUDASYNC_API static constexpr ptrdiff_t(max)() noexcept { return permits::most_permits; }

  // For init.
  friend CUDASYNC_API permits& permits_of(counting_semaphore& object) {
    check_least_max_value();
    return object.permits_;
  }

 private:
  CUDASYNC_API static constexpr void check_least_max_value() {
    static_assert(LeastMaxValue <= permits::most_permits,
                  "counting_semaphore counts to 2^31 - 1: give a LeastMaxValue of at most that");
  }

  permits permits_;
};

// Begins the lifetime of a semaphore in memory that no thread uses yet. One thread calls it. Synchronize the threads
// before the first use. desired: the number of permits, 0 to max(). The checked build reports others, and null.
template <thread_scope Scope, ptrdiff_t LeastMaxValue>
CUDASYNC_API void init(counting_semaphore<Scope, LeastMaxValue>* object, ptrdiff_t desired,
                       caller where = caller::here()) {
  CUDASYNC_ASSERT(object != nullptr, "init: the semaphore is a null pointer; pass the address of a semaphore");
  CUDASYNC_ASSERT(desired <= (object->max)() && desired >= 0, "init: desired must be 0 to max()");
  checked::note_init(object, where);
  permits_of(*object) = backend::permits_for<Scope, LeastMaxValue>(desired);
}
// Fails to compile: init takes a pointer. The message has the remedy.
template <thread_scope Scope, ptrdiff_t LeastMaxValue>
CUDASYNC_API void init(counting_semaphore<Scope, LeastMaxValue>&, ptrdiff_t) {
  static_assert(LeastMaxValue < 0, "init takes the address of the semaphore: init(&semaphore, n)");
}

// A semaphore with at most one permit, such as a lock.
template <thread_scope Scope = thread_scope_system>
using binary_semaphore = counting_semaphore<Scope, 1>;

namespace standard {

// A class, so that counting_semaphore permits(3) deduces its template argument in C++17. Source: [thread.sema].
template <ptrdiff_t LeastMaxValue = 0x7fffffff>
class __attribute__((unused)) counting_semaphore
    : public cudasync::counting_semaphore<thread_scope_system, LeastMaxValue> {
 public:
  counting_semaphore() = default;
  // A semaphore with this number of permits. desired: 0 to max().
  CUDASYNC_API constexpr explicit counting_semaphore(ptrdiff_t desired)
      : cudasync::counting_semaphore<thread_scope_system, LeastMaxValue>(desired) {}
};

counting_semaphore(ptrdiff_t) -> counting_semaphore<>;

// The binary semaphore of the C++ standard.
using binary_semaphore = counting_semaphore<1>;

}  // namespace standard

}}  // namespace cudasync::CUDASYNC_ABI

#endif
