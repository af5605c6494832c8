// cuda::barrier: threads arrive at a phase and wait for it to complete.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BARRIER_H
#define CUDASYNC_BARRIER_H

#include <cudasync/backend/phase/block_phase.h>
#include <cudasync/backend/phase/cluster_phase.h>
#include <cudasync/backend/phase/counter_phase.h>
#include <cudasync/backend/phase/gate_phase.h>
#include <cudasync/checked/phase.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/barrier_base.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/thread/time.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

using backend::empty_completion;

// Where a barrier keeps its phase, and how many arrivals it can expect. A barrier of thread scope counts like one of
// block scope, because programs share it among threads, which libcu++ allows.
template <thread_scope Scope>
inline constexpr thread_scope counting_scope = Scope == thread_scope_thread ? thread_scope_block : Scope;

template <thread_scope Scope, class Completion>
struct barrier_traits {
  struct base {};
  using word = conditional<Scope == thread_scope_block, uint32, uint64>;
  using phase = backend::gate_phase<counting_scope<Scope>, word, Completion>;
  enum : ptrdiff_t {
    max_arrivals = Scope == thread_scope_block ? (1 << 20) - 1 : static_cast<ptrdiff_t>(~size_t{0} >> 1)
  };
};
template <thread_scope Scope>
struct barrier_traits<Scope, empty_completion> {
  struct base {};
  using phase = backend::counter_phase<counting_scope<Scope>>;
  enum : ptrdiff_t { max_arrivals = 0x3fffffff };
};
template <>
struct barrier_traits<thread_scope_block, empty_completion> {
  using base = block_barrier_base;
  using phase = backend::block_phase;
  enum : ptrdiff_t { max_arrivals = (1 << 20) - 1 };
};
template <>
struct barrier_traits<thread_scope_cluster, empty_completion> {
  struct base {};
  using phase = backend::cluster_phase;
  enum : ptrdiff_t { max_arrivals = (1 << 20) - 1 };
};

// Threads arrive at a phase of the barrier and wait until the phase completes. A phase completes when the expected
// number of arrivals has been made. On sm_90, a phase of a barrier in shared memory also needs the expected number of
// bytes (barrier_tx.h). Then Completion runs once, in a thread that arrived. Then the waiting threads continue, and the
// next phase begins with the same expected count, less the drops.
//
// Ordering: arrive, arrive_and_drop and arrive_and_wait release at Scope. A wait that returns, or that returns true,
// acquires at Scope. What a thread did before it arrived is visible to the completion function and after each wait.
//
// A barrier has 8 bytes with the default completion. A block's barrier in shared memory is the mbarrier itself on sm_80
// and newer. On the device, arrivals that lanes of a warp make together may be combined into one.
//
// A cluster's barrier (sm_90 and newer) is in the shared memory of one block. Threads of that block use it. Threads of
// the other blocks arrive through a remote_barrier, and cannot wait for it.
//
// Destroy a barrier, or reuse its memory, only after every call on it has returned. The return of a wait is not
// sufficient, because the thread that completed the phase may still be in its arrive.
//
// Source: [thread.barrier.class], and libcu++ for Scope, init, the parity functions and the timed ones.
template <thread_scope Scope, class Completion = empty_completion>
class __attribute__((unused)) barrier : public barrier_traits<Scope, Completion>::base {
  static_assert(Scope <= thread_scope_thread,
                "a barrier needs a scope: cuda::barrier<cuda::thread_scope_block> for the threads of a block");
  static_assert(
      Scope != thread_scope_cluster || !target::lacks<target::here, target::sm90>,
      "barrier<thread_scope_cluster> needs sm_90: older architectures have no clusters; compile with -arch=sm_90 or "
      "newer");
  static_assert(
      Scope != thread_scope_cluster || is_same<Completion, empty_completion>,
      "a cluster's barrier cannot have a completion function, because arrivals from other blocks cannot run one; do "
      "its work in one thread after the wait");
  using traits = barrier_traits<Scope, Completion>;

 public:
  // The threads that may use the object at the same time.
  static constexpr thread_scope scope = Scope;

  // Identifies a phase, for wait. For an mbarrier it is the state that mbarrier.arrive returns.
  using arrival_token = uint64;

  // Trivial: the object is not initialized, so a __shared__ barrier needs no dynamic initialization. Call init first.
  barrier() = default;

  // A barrier that expects this number of arrivals in each phase. expected: 0 to max(). With the default completion and
  // device or system scope, it is a constant expression: a global barrier needs no dynamic initialization.
  CUDASYNC_API constexpr barrier(ptrdiff_t expected, Completion completion = Completion())
      : phase_(static_cast<uint64>(expected), cudasync::move(completion)) {
    CUDASYNC_ASSERT(expected <= (max)() && expected >= 0, "barrier: expected must be 0 to max()");
  }

  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  // Ends the lifetime of a barrier whose memory will be used for something else, after every call on it has returned.
  // One thread calls it. The destructor is trivial.
  friend CUDASYNC_API void invalidate(barrier* bar) { checked::invalidate(bar->phase_); }

  // Arrives, and waits for no phase to complete. Returns the token of the phase. Releases at Scope. update: the number
  // of arrivals, 1 to the number that the phase still expects. The checked build reports more arrivals than expected;
  // other builds do not detect them. A block's barrier that is not an mbarrier requires that the thread knows that the
  // previous phase has completed, for example after a wait.
  CUDASYNC_API arrival_token arrive(ptrdiff_t update = 1, caller where = caller::here()) {
    CUDASYNC_ASSERT(update <= (max)() && update > 0, "barrier::arrive: update must be 1 to max()");
    return checked::arrive(phase_, static_cast<uint64>(update), where);
  }

  // Blocks until the phase of the token has completed: the current phase or the previous one. Acquires at Scope. The
  // checked build reports a wait that does not end.
  CUDASYNC_API void wait(arrival_token&& token, caller where = caller::here()) const {
    checked::wait(phase_, backend::phase_token{token}, where);
  }

  // Blocks until the phase of a value that converts to a token has completed. Numbers of fewer bytes do not compile.
  template <class Token>
  CUDASYNC_API void wait(Token&& token, caller where = caller::here()) const {
    using type = remove_cv<typename remove_reference<Token>::type>;
    static_assert(!is_same<type, arrival_token>, "barrier::wait consumes the token: pass std::move(token)");
    static_assert(
        may_be_token<type>,
        "barrier::wait takes the token that arrive returned, not another number; pass the token with std::move, or "
        "call wait_parity with a parity");
    wait(static_cast<arrival_token>(token), where);
  }

  // Arrives once, and blocks until the phase has completed. Releases and acquires at Scope.
  CUDASYNC_API void arrive_and_wait(caller where = caller::here()) { checked::arrive_and_wait(phase_, where); }

  // Arrives once, and lowers the expected count of all later phases by one. Waits for no phase to complete. At device
  // or system scope, drops take turns, and an arrival that completes a phase may wait for a drop. Releases at Scope.
  CUDASYNC_API void arrive_and_drop(caller where = caller::here()) { checked::arrive_and_drop(phase_, where); }

  // Blocks until the phase of this parity has completed: the current phase or the previous one. Acquires at Scope. The
  // parities of the phases after init are false, true, and so on. On a new barrier, wait_parity(true) does not block.
  CUDASYNC_API void wait_parity(bool parity, caller where = caller::here()) const {
    checked::wait(phase_, backend::phase_parity{parity}, where);
  }

  // Returns whether the phase of the token has completed: the current phase or the previous one. If true, it acquires
  // at Scope. On sm_90, the hardware may suspend the thread for a moment before the function returns false. token: an
  // arrival_token, or what converts to one.
  template <class Token>
  [[nodiscard]] CUDASYNC_API bool try_wait(const Token& token) const {
    static_assert(may_be_token<Token>,
                  "barrier::try_wait takes the token that arrive returned; for a parity, call try_wait_parity");
    return backend::try_wait(target::here{}, phase_, backend::phase_token{static_cast<arrival_token>(token)});
  }
  // Returns whether the phase of this parity has completed, as try_wait for a token. If true, it acquires at Scope.
  [[nodiscard]] CUDASYNC_API bool try_wait_parity(bool parity) const {
    return backend::try_wait(target::here{}, phase_, backend::phase_parity{parity});
  }

  // Blocks until the phase of the token has completed, for at most this duration, of std::chrono, cuda::std::chrono or
  // similar. Returns whether it completed in time. If true, it acquires at Scope.
  template <class Duration>
  [[nodiscard]] CUDASYNC_API bool try_wait_for(arrival_token token, const Duration& duration) const {
    return backend::wait(target::here{}, phase_, backend::phase_token{token}, backend::to_nanoseconds(duration));
  }
  // Blocks until the phase of this parity has completed, for at most this duration, as try_wait_for does for a token.
  template <class Duration>
  [[nodiscard]] CUDASYNC_API bool try_wait_parity_for(bool parity, const Duration& duration) const {
    return backend::wait(target::here{}, phase_, backend::phase_parity{parity}, backend::to_nanoseconds(duration));
  }

  // Blocks until the phase of the token has completed, or until this time point, as try_wait_for does for a duration.
  CUDASYNC_EXEC_CHECK_DISABLE
  template <class TimePoint>
  [[nodiscard]] CUDASYNC_API bool try_wait_until(arrival_token token, const TimePoint& time) const {
    return try_wait_for(token, backend::time_left(time));
  }
  // Blocks until the phase of this parity has completed, or until this time point, as try_wait_until does for a token.
  CUDASYNC_EXEC_CHECK_DISABLE
  template <class TimePoint>
  [[nodiscard]] CUDASYNC_API bool try_wait_parity_until(bool parity, const TimePoint& time) const {
    return try_wait_parity_for(parity, backend::time_left(time));
  }

  // Returns the largest expected count.
  [[nodiscard]] CUDASYNC_API static constexpr ptrdiff_t(max)() noexcept { return traits::max_arrivals; }

  // For copies, which also complete on a barrier.
  friend CUDASYNC_API typename traits::phase& phase_of(barrier& bar) { return bar.phase_; }

 private:
  template <class Type>
  using converted = decltype(static_cast<arrival_token>(declval<const Type&>()));
  // A number of fewer bytes has lost a part of the token, or never was one.
  template <class Type>
  static constexpr bool may_be_token =
      is_valid<converted, Type> && (has_members<Type> || (sizeof(Type) >= 8 && !is_same<Type, double>));

  typename traits::phase phase_;
};

// Without arguments, the scope is missing: the message has the remedy.
template <class... Arguments>
barrier(Arguments...) -> barrier<static_cast<thread_scope>(15)>;

// Begins the lifetime of a barrier in memory that no thread uses yet. One thread calls it, by argument-dependent
// lookup: init(&bar, n, completion). Synchronize the threads before the first arrival. expected: the arrivals that
// complete a phase, 0 to max(). The checked build reports others and a null pointer. 0 is undefined for an mbarrier.
template <thread_scope Scope, class Completion>
CUDASYNC_API void init(barrier<Scope, Completion>* bar, ptrdiff_t expected, identity<Completion> completion,
                       caller where = caller::here()) {
  CUDASYNC_ASSERT(bar != nullptr, "init: the barrier is a null pointer; pass the address of a barrier");
  CUDASYNC_ASSERT(expected <= (bar->max)() && expected >= 0, "init: expected must be 0 to max()");
  checked::init<Scope>(phase_of(*bar), static_cast<uint64>(expected), cudasync::move(completion), where);
}
// Begins the lifetime of a barrier with a default-constructed completion function: init(&bar, n).
template <thread_scope Scope, class Completion>
CUDASYNC_API void init(barrier<Scope, Completion>* bar, ptrdiff_t expected, caller where = caller::here()) {
  init(bar, expected, Completion(), where);
}
// Fails to compile: init takes a pointer. The message has the remedy.
template <thread_scope Scope, class Completion>
CUDASYNC_API void init(barrier<Scope, Completion>&, ptrdiff_t) {
  static_assert(!is_same<Completion, Completion>, "init takes the address of the barrier: init(&bar, n)");
}
// Fails to compile: an array has a barrier in each element. The message has the remedy.
template <thread_scope Scope, class Completion, size_t Count>
CUDASYNC_API void init(barrier<Scope, Completion> (*)[Count], ptrdiff_t) {
  static_assert(Count == 0, "init takes the address of one barrier: call init(&bars[i], n) for each, or init_barriers");
}

namespace standard {

// A class of its own, so that barrier b(10) deduces its template argument in C++17. Source: [thread.barrier.class].
template <class Completion = empty_completion>
class __attribute__((unused)) barrier : public cudasync::barrier<thread_scope_system, Completion> {
 public:
  barrier() = default;
  // A barrier that expects this number of arrivals in each phase. expected: 0 to max().
  CUDASYNC_API constexpr explicit barrier(ptrdiff_t expected, Completion completion = Completion())
      : cudasync::barrier<thread_scope_system, Completion>(expected, cudasync::move(completion)) {}
};

barrier(ptrdiff_t) -> barrier<>;
template <class Completion>
barrier(ptrdiff_t, Completion) -> barrier<Completion>;

}  // namespace standard
}}  // namespace cudasync::CUDASYNC_ABI

#endif
