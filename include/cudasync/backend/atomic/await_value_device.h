// Waiting for a value on the device: polls, after a while with short pauses, and where they are relaxed one acquire.
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

// 16 attempts without pauses. The more often a loop branches back, the later it notices a value (H100).
template <uint32 Step, class Attempt>
CUDASYNC_DEVICE bool soon_succeeds(const Attempt& attempt) {
#pragma unroll Step
  for (uint32 attempts = 0; attempts < 16; ++attempts)
    if (attempt()) return true;
  return false;
}

// Attempts without pauses find a reply soon; lanes stay together. Pauses leave the memory to a permit's holder.
template <thread_scope Scope, class Attempt, class Look = always>
CUDASYNC_DEVICE bool retry(target::sm70 here, uint64 limit, const Attempt& attempt, const Look& look = {}) {
  if (limit == 0 ? attempt() : soon_succeeds<4>(attempt)) return true;
  if (limit != 0) {
    const uint64 start = now(here);
    do {
      __nanosleep(Scope == thread_scope_block ? 20 : 40);
      if (look() && attempt()) return true;
    } while (now(here) - start < limit);
  }
  __nanosleep(0);  // lets the other lanes run, as in await_flip
  return false;
}

// For a thread that has just found the condition false, and has no limit. It is used for queues, in which pauses from
// the first poll on let the lanes of one warp get their turns sooner.
template <thread_scope Scope, class Value, class Condition, memory_order Order>
CUDASYNC_DEVICE void await_turn(target::sm70, const Value& object, Condition& condition, order_constant<Order>) {
  constexpr target::here here{};
  checked::device_watch guard(condition, &object);
  do {
    __nanosleep(20);
    if constexpr (checked::is_on)
      if (guard.has_given_up(
              [&] { return checked::number_of(condition, load<Scope>(here, object, memory_order_relaxed_t{}), 0); }))
        break;
  } while (!condition(load<Scope>(here, object, memory_order_relaxed_t{})));
  if constexpr (acquires(Order)) fence<Scope>(here, memory_order_acquire_t{});
}

// A relaxed load reads the value that ends the wait. The load and the fence after it form an acquire pattern. A second
// load with acquire order would not be sufficient: it may read a later value, from a thread that released nothing.
// Where such a fence takes long, the first polls acquire instead. Each empties the L1 cache, but they are few.
CUDASYNC_EXEC_CHECK_DISABLE
template <thread_scope Scope, class Value, class Condition, memory_order Order>
CUDASYNC_DEVICE bool await_value(target::sm70 here, const Value& object, Condition& condition,
                                 order_constant<Order> order, uint64 limit) {
  constexpr bool is_at_access = acquires(Order) && !has_clusters && Scope != thread_scope_block;
  constexpr order_constant<is_at_access ? memory_order::acquire : memory_order::relaxed> at_access{};
  const auto is_true = [&] { return condition(load<Scope>(target::here{}, object, at_access)); };
  leading_fence<Scope>(order);
  if (limit != forever) {
    if (!retry<Scope>(here, limit, is_true)) return false;
  } else if (!soon_succeeds<(Scope == thread_scope_block ? 16 : 4)>(is_true)) {
    await_turn<Scope>(here, object, condition, at_access);
  }
  if constexpr (acquires(Order) && !is_at_access) fence<Scope>(target::here{}, memory_order_acquire_t{});
  return true;
}

CUDASYNC_DEVICE auto of_change(target::sm70) {
  return memory_order_release_t{};
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif  // CUDASYNC_DEVICE_PASS

#endif
