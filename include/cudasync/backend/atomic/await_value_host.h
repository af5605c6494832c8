// Waiting for a value on the host: spins and yields, then sleeps on a futex.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_ATOMIC_AWAIT_VALUE_HOST_H
#define CUDASYNC_BACKEND_ATOMIC_AWAIT_VALUE_HOST_H

#include <cudasync/core/config.h>

#if CUDASYNC_HAS_HOST

#include <cudasync/backend/atomic/atomic.h>
#include <cudasync/core/memory_order.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/hang/kind.h>
#include <cudasync/hang/watch.h>
#include <cudasync/thread/time.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

template <thread_scope Scope, class Value, class Condition, memory_order Order>
inline bool await_value(target::host here, const Value& object, Condition& condition, order_constant<Order> order,
                        uint64 limit) {
  host_wait wait(limit);
  checked::host_watch guard(checked::kind_of(condition, 0), &object);
  for (;;) {
    if (condition(load<Scope>(here, object, order))) return true;
    if (wait.is_over()) return false;
    if (!wait.should_sleep()) continue;
    parking_lot& place = parking_lot_of(&object);
    const sleeper announced(place);
    if (limit == forever)
      guard.look([&] { return checked::number_of(condition, load<Scope>(here, object, memory_order_relaxed_t{}), 0); });
    // This look is sequentially consistent, as is the announcement, for notify_after_change.
    const uint32 notices = notices_of(place);
    if (condition(load<Scope>(here, object, memory_order_seq_cst_t{}))) return true;
    sleep_on(&place.notices, notices, wait.sleep());
  }
}

template <thread_scope, class Attempt, class Look = always>
inline bool retry(target::host here, uint64 limit, const Attempt& attempt, const Look& look = {}) {
  for (uint32 pauses = 0; pauses < 2 * spins;) {
    if (look() && attempt()) return true;
    for (const uint32 next = pauses + pauses / 2 + 1; pauses < next; ++pauses)
      relax();
  }
  const uint64 start = now(here);
  do {
    yield(here);
    if (look() && attempt()) return true;
  } while (now(here) - start < limit);
  return false;
}

template <thread_scope Scope, class Value, class Condition, class Order>
inline void await_turn(target::host here, const Value& object, Condition& condition, Order order) {
  static_cast<void>(await_value<Scope>(here, object, condition, order, forever));
}

inline auto of_change(target::host) {
  return memory_order_seq_cst_t{};
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif  // CUDASYNC_HAS_HOST

#endif
