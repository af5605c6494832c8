// cuda::atomic_flag: set or clear.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_ATOMIC_FLAG_H
#define CUDASYNC_ATOMIC_FLAG_H

#include <cudasync/atomic.h>
#include <cudasync/atomic_ref.h>
#include <cudasync/backend/atomic/await_value.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// A flag that is either set or clear, at system scope. Clear a flag in __shared__ memory before use, because it is not
// initialized. Source: [atomics.flag].
class atomic_flag {
 public:
  atomic_flag() = default;
  // A flag in this state. A constant expression.
  CUDASYNC_API constexpr atomic_flag(bool is_set) noexcept : state_(is_set) {}
  atomic_flag(const atomic_flag&) = delete;
  atomic_flag& operator=(const atomic_flag&) = delete;
  atomic_flag& operator=(const atomic_flag&) volatile = delete;

  // Returns whether the flag is set. order: relaxed, consume, acquire or seq_cst.
  template <class Order = seq_cst_t>
  CUDASYNC_API bool test(Order order = {}) const volatile noexcept {
    return self(order).load(order);
  }
  // Sets the flag. Returns whether it was already set. order: any.
  template <class Order = seq_cst_t>
  CUDASYNC_API bool test_and_set(Order order = {}, caller where = caller::here()) volatile noexcept {
    return self(order).exchange(true, order, where);
  }
  // Clears the flag. order: relaxed, release or seq_cst.
  template <class Order = seq_cst_t>
  CUDASYNC_API void clear(Order order = {}, caller where = caller::here()) volatile noexcept {
    self(order).store(false, order, where);
  }
  // Blocks while the flag has the value old. order: relaxed, consume, acquire or seq_cst. The thread that changes the
  // flag calls notify_one or notify_all to wake host threads.
  template <class Order = seq_cst_t>
  CUDASYNC_API void wait(bool old, Order order = {}, caller where = caller::here()) const volatile noexcept {
    self(order).wait(old, order, where);
  }
  // Wakes all host threads that sleep in wait, as notify_all does. Device threads do not sleep.
  CUDASYNC_API void notify_one() volatile noexcept { notify_all(); }
  // Wakes all host threads that sleep in wait. Device threads do not sleep.
  CUDASYNC_API void notify_all() volatile noexcept {
    backend::notify(target::here{}, const_cast<bool*>(&state_.object));
  }

 private:
  // A template, so that programs that do not use a flag do not instantiate the class of the result.
  template <class Order, thread_scope Scope = thread_scope_system>
  [[nodiscard]] CUDASYNC_API auto self(Order) const volatile {
    return atomic_reference<bool, Scope, sizeof(state_)>(const_cast<atomic_flag*>(this)->state_.object);
  }

  atomic_storage<bool> state_;
};

}}  // namespace cudasync::CUDASYNC_ABI

#endif
