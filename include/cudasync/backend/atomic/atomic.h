// Atomic operations on objects of any type that fits a word, with an order and a scope.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_ATOMIC_ATOMIC_H
#define CUDASYNC_BACKEND_ATOMIC_ATOMIC_H

// Each backend provides these functions, overloaded on the target. order is an order_constant, except in signal_fence.
//   load<Scope>(here, object, order)
//   store<Scope>(here, object, value, order)
//   fetch<Scope, Room, Operation>(here, object, operand, order)            returns the old value
//   compare_exchange<Scope, Room>(here, object, expected, desired, order)  returns whether the value was as expected;
//                                                                          if not, writes it to expected
//   update<Scope, Room, Operation>(here, object, operand, order)           returns nothing
//   fence<Scope>(here, order)
//   signal_fence(here, order)                                              between a thread and its signal handler
// Operation is one of core/operation.h. Room is the number of bytes, from the object's first byte, that belong to the
// object: if an object of 8 or 16 bits owns four bytes, a read-modify-write can be one instruction. The object is a
// value, or contains one (atomic_box.h).
#include <cudasync/core/config.h>
#include <cudasync/core/target.h>

#if CUDASYNC_DEVICE_PASS
#include <cudasync/backend/atomic/atomic_device.h>
#include <cudasync/backend/atomic/fetch_device.h>
#endif
#if CUDASYNC_HAS_HOST
#include <cudasync/backend/atomic/atomic_host.h>
#endif
#include <cudasync/backend/atomic/atomic_box.h>
#include <cudasync/core/memory_order.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/traits.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

// Orders that are known only at run time. If the compiler can determine the value, it removes the switch.

template <thread_scope Scope, class Object>
[[nodiscard]] CUDASYNC_API auto load(target::any, const Object& object, memory_order order) {
  constexpr target::here here{};
  switch (order) {
  case memory_order::relaxed:
    return load<Scope>(here, object, memory_order_relaxed_t{});
  case memory_order::seq_cst:
    return load<Scope>(here, object, memory_order_seq_cst_t{});
  default:
    return load<Scope>(here, object, memory_order_acquire_t{});
  }
}

template <thread_scope Scope, class Object, class Value>
CUDASYNC_API void store(target::any, Object& object, const Value& value, memory_order order) {
  constexpr target::here here{};
  switch (order) {
  case memory_order::relaxed:
    return store<Scope>(here, object, value, memory_order_relaxed_t{});
  case memory_order::seq_cst:
    return store<Scope>(here, object, value, memory_order_seq_cst_t{});
  default:
    return store<Scope>(here, object, value, memory_order_release_t{});
  }
}

template <thread_scope Scope, size_t Room, class Operation, class Object, class Operand>
CUDASYNC_API auto fetch_at_run_time(target::any, Object& object, const Operand& operand, memory_order order) {
  constexpr target::here here{};
  switch (order) {
  case memory_order::relaxed:
    return fetch<Scope, Room, Operation>(here, object, operand, memory_order_relaxed_t{});
  case memory_order::release:
    return fetch<Scope, Room, Operation>(here, object, operand, memory_order_release_t{});
  case memory_order::acq_rel:
    return fetch<Scope, Room, Operation>(here, object, operand, memory_order_acq_rel_t{});
  case memory_order::seq_cst:
    return fetch<Scope, Room, Operation>(here, object, operand, memory_order_seq_cst_t{});
  default:
    return fetch<Scope, Room, Operation>(here, object, operand, memory_order_acquire_t{});
  }
}

// From sm_90 on, an access behind a fence is as much code as one with its order. Five such accesses take longer.
template <thread_scope Scope, size_t Room, class Operation, class Object, class Operand>
CUDASYNC_API auto fetch_at_run_time(target::sm90, Object& object, const Operand& operand, memory_order order) {
  constexpr target::here here{};
  if (order == memory_order::seq_cst) fence<Scope>(here, memory_order_seq_cst_t{});
  if (order == memory_order::release || order == memory_order::acq_rel) fence<Scope>(here, memory_order_release_t{});
  if (acquires(order)) return fetch<Scope, Room, Operation>(here, object, operand, memory_order_acquire_t{});
  return fetch<Scope, Room, Operation>(here, object, operand, memory_order_relaxed_t{});
}

template <thread_scope Scope, size_t Room, class Operation, class Object, class Operand>
CUDASYNC_API auto fetch(target::any, Object& object, const Operand& operand, memory_order order) {
  return fetch_at_run_time<Scope, Room, Operation>(target::here{}, object, operand, order);
}

template <thread_scope Scope, size_t Room, class Operation, class Object, class Operand>
CUDASYNC_API void update(target::any, Object& object, const Operand& operand, memory_order order) {
  constexpr target::here here{};
  switch (order) {
  case memory_order::relaxed:
    return update<Scope, Room, Operation>(here, object, operand, memory_order_relaxed_t{});
  case memory_order::seq_cst:
    return update<Scope, Room, Operation>(here, object, operand, memory_order_seq_cst_t{});
  default:
    return update<Scope, Room, Operation>(here, object, operand, memory_order_release_t{});
  }
}

template <thread_scope Scope, size_t Room, class Object, class Value>
[[nodiscard]] CUDASYNC_API bool compare_exchange(target::any, Object& object, Value& expected,
                                                 identity<const Value&> desired, memory_order order) {
  constexpr target::here here{};
  switch (order) {
  case memory_order::relaxed:
    return compare_exchange<Scope, Room>(here, object, expected, desired, memory_order_relaxed_t{});
  case memory_order::release:
    return compare_exchange<Scope, Room>(here, object, expected, desired, memory_order_release_t{});
  case memory_order::acq_rel:
    return compare_exchange<Scope, Room>(here, object, expected, desired, memory_order_acq_rel_t{});
  case memory_order::seq_cst:
    return compare_exchange<Scope, Room>(here, object, expected, desired, memory_order_seq_cst_t{});
  default:
    return compare_exchange<Scope, Room>(here, object, expected, desired, memory_order_acquire_t{});
  }
}

// An acquire fence may follow a read-modify-write without a result, for which only one of both directions waits.
template <thread_scope Scope>
CUDASYNC_API void fence(target::any, memory_order order) {
  constexpr target::here here{};
  switch (order) {
  case memory_order::relaxed:
    return;
  case memory_order::release:
    return fence<Scope>(here, memory_order_release_t{});
  case memory_order::seq_cst:
    return fence<Scope>(here, memory_order_seq_cst_t{});
  default:
    return fence<Scope>(here, memory_order_acq_rel_t{});
  }
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif
