// Waiting for the value of an atomic object to satisfy a condition.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_ATOMIC_AWAIT_VALUE_H
#define CUDASYNC_BACKEND_ATOMIC_AWAIT_VALUE_H

// Each backend provides these functions, overloaded on the target; the waits are templates on the scope:
//   await_value<Scope>(here, object, condition, order, limit)   blocks until condition(value) is true, for at most
//                                                               limit nanoseconds; returns whether it was, and then
//                                                               has the order
//   await_turn<Scope>(here, object, condition, order)           the same without a limit, for a thread that has just
//                                                               found the condition false; relaxed or acquire
//   retry<Scope>(here, limit, attempt, look)                    calls attempt() until it returns true, after a pause
//                                                               only if look() does, for at most limit nanoseconds;
//                                                               returns whether it did; on the device, with a limit
//                                                               of 0, calls attempt() once; without look, always
//   of_change(here)                                             the releasing order of a read-modify-write directly
//                                                               before notify_after_change(here, object)
#include <cudasync/core/config.h>
#include <cudasync/core/target.h>

#if CUDASYNC_DEVICE_PASS
#include <cudasync/backend/atomic/await_value_device.h>
#endif
#if CUDASYNC_HAS_HOST
#include <cudasync/backend/atomic/await_value_host.h>
#endif
#include <cudasync/core/memory_order.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

// For so many nanoseconds, a thread tries to take a permit before it enters the queue.
enum : uint64 { time_before_queue = 1000000 };

CUDASYNC_EXEC_CHECK_DISABLE
template <thread_scope Scope, class Value, class Condition>
CUDASYNC_API bool await_value(target::any, const Value& object, Condition& condition, memory_order order,
                              uint64 limit) {
  constexpr target::here here{};
  if (order == memory_order::relaxed)
    return await_value<Scope>(here, object, condition, memory_order_relaxed_t{}, limit);
  if (order == memory_order::seq_cst)
    return await_value<Scope>(here, object, condition, memory_order_seq_cst_t{}, limit);
  return await_value<Scope>(here, object, condition, memory_order_acquire_t{}, limit);
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif
