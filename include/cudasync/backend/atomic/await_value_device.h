// Waiting for a value on the device: relaxed polls, after a while with short pauses, and one acquire at the end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_ATOMIC_AWAIT_VALUE_DEVICE_H
#define CUDASYNC_BACKEND_ATOMIC_AWAIT_VALUE_DEVICE_H

#include <cudasync/core/target.h>

#if CUDASYNC_DEVICE_PASS

#include <cudasync/backend/atomic/atomic_device.h>
#include <cudasync/core/memory_order.h>
#include <cudasync/core/scope.h>
#include <cudasync/hang/kind.h>
#include <cudasync/hang/watch.h>
#include <cudasync/thread/time.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

// The number that the checked build watches during the wait: it changes while there is progress.
template <thread_scope Scope, class Value, class Condition>
CUDASYNC_DEVICE uint64 number_waited_for(const Value& object, const Condition& condition) {
  return checked::number_of(condition, load<Scope>(target::here{}, object, memory_order_relaxed_t{}), 0);
}

// Polls without pauses. The more often a loop branches back, the later it notices the value (H100).
template <thread_scope Scope, class Value, class Condition>
CUDASYNC_DEVICE bool is_soon_true(const Value& object, Condition& condition) {
#pragma unroll (Scope == thread_scope_block ? 16 : 4)
  for (uint32 poll = 0; poll < 16; ++poll)
    if (condition(load<Scope>(target::here{}, object, memory_order_relaxed_t{}))) return true;
  return false;
}

// A relaxed load reads the value that ends the wait. The load and the fence after it form an acquire pattern. A second
// load with acquire order would not be sufficient: it may read a later value, from a thread that released nothing.
CUDASYNC_EXEC_CHECK_DISABLE
template <thread_scope Scope, class Value, class Condition, memory_order Order>
CUDASYNC_DEVICE bool await_value(target::sm70 here, const Value& object, Condition& condition,
                                 order_constant<Order> order, uint64 limit) {
  leading_fence<Scope>(order);
  const uint64 start = limit == forever ? 0 : now(here);
  checked::device_watch guard(checked::kind_of(condition, 0), &object);
  if (checked::is_on || limit != forever || !is_soon_true<Scope>(object, condition)) {
    for (uint32 polls = 0; !condition(load<Scope>(target::here{}, object, memory_order_relaxed_t{})); ++polls) {
      if (limit != forever && now(here) - start >= limit) {
        let_lanes_run(here);  // as in await_flip
        return false;
      }
      if (limit == forever || polls >= 16) __nanosleep(20);
      if constexpr (checked::is_on)
        if (limit == forever && guard.has_given_up([&] { return number_waited_for<Scope>(object, condition); })) break;
    }
  }
  if constexpr (acquires(Order)) fence<Scope>(target::here{}, memory_order_acquire_t{});
  return true;
}

// The same without a limit, for a thread that has just found the condition false. It is used for queues, in which
// pauses from the first poll on let the lanes of one warp get their turns sooner.
template <thread_scope Scope, class Value, class Condition, memory_order Order>
CUDASYNC_DEVICE void await_turn(target::sm70, const Value& object, Condition& condition, order_constant<Order>) {
  checked::device_watch guard(checked::kind_of(condition, 0), &object);
  do {
    __nanosleep(20);
    if constexpr (checked::is_on)
      if (guard.has_given_up([&] { return number_waited_for<Scope>(object, condition); })) break;
  } while (!condition(load<Scope>(target::here{}, object, memory_order_relaxed_t{})));
  if constexpr (acquires(Order)) fence<Scope>(target::here{}, memory_order_acquire_t{});
}

// For a millisecond: long enough that threads that compete for a permit all the time seldom enter its queue. The first
// attempts, in which a reply is often found, follow each other without pauses, but in a loop, where the lanes of a warp
// stay together. Then pauses leave the memory to the thread that has the permit. Longer ones would end late (H100).
template <thread_scope Scope, class Attempt>
CUDASYNC_DEVICE bool retry_for_a_while(target::sm70 here, const Attempt& attempt) {
#pragma unroll 4
  for (uint32 attempts = 0; attempts < 16; ++attempts)
    if (attempt()) return true;
  const uint64 start = now(here);
  do {
    __nanosleep(Scope == thread_scope_block ? 20 : 40);
    if (attempt()) return true;
  } while (now(here) - start < 1000000);
  return false;
}

// The device cannot wake host threads, which look again by themselves.
CUDASYNC_DEVICE void notify_after_change(target::sm70, const void*) {}
CUDASYNC_DEVICE auto of_change(target::sm70) {
  return memory_order_release_t{};
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif  // CUDASYNC_DEVICE_PASS

#endif
