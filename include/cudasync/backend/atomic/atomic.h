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

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

// --- Orders that are known only at run time ---

// Calls the function with one of the orders as a constant; with the last one if the order is none of the others. If the
// compiler can determine the order, only one call is left.
template <memory_order First, memory_order... Others, class Function>
CUDASYNC_API auto with_order([[maybe_unused]] memory_order order, const Function& function) {
  if constexpr (sizeof...(Others) != 0)
    if (order != First) return with_order<Others...>(order, function);
  return function(order_constant<First>{});
}

// The same with every order of a read-modify-write.
template <class Function>
CUDASYNC_API auto with_any_order(memory_order order, const Function& function) {
  return with_order<memory_order::relaxed, memory_order::release, memory_order::acq_rel, memory_order::seq_cst,
                    memory_order::acquire>(order, function);
}

template <thread_scope Scope, class Object>
[[nodiscard]] CUDASYNC_API auto load(target::any, const Object& object, memory_order order) {
  return with_order<memory_order::relaxed, memory_order::seq_cst, memory_order::acquire>(
      order, [&](auto known) { return load<Scope>(target::here{}, object, known); });
}

template <thread_scope Scope, class Object, class Value>
CUDASYNC_API void store(target::any, Object& object, const Value& value, memory_order order) {
  with_order<memory_order::relaxed, memory_order::seq_cst, memory_order::release>(
      order, [&](auto known) { store<Scope>(target::here{}, object, value, known); });
}

template <thread_scope Scope, size_t Room, class Operation, class Object, class Operand>
CUDASYNC_API auto fetch(target::any, Object& object, const Operand& operand, memory_order order) {
  return with_any_order(
      order, [&](auto known) { return fetch<Scope, Room, Operation>(target::here{}, object, operand, known); });
}

template <thread_scope Scope, size_t Room, class Operation, class Object, class Operand>
CUDASYNC_API void update(target::any, Object& object, const Operand& operand, memory_order order) {
  with_order<memory_order::relaxed, memory_order::seq_cst, memory_order::release>(
      order, [&](auto known) { update<Scope, Room, Operation>(target::here{}, object, operand, known); });
}

template <thread_scope Scope, size_t Room, class Object, class Value>
[[nodiscard]] CUDASYNC_API bool compare_exchange(target::any, Object& object, Value& expected,
                                                 identity<const Value&> desired, memory_order order) {
  return with_any_order(order, [&](auto known) {
    return compare_exchange<Scope, Room>(target::here{}, object, expected, desired, known);
  });
}

template <thread_scope Scope>
CUDASYNC_API void fence(target::any, memory_order order) {
  if (order != memory_order::relaxed)
    with_order<memory_order::release, memory_order::acq_rel, memory_order::seq_cst, memory_order::acquire>(
        order, [](auto known) { fence<Scope>(target::here{}, known); });
}

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
