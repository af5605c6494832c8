// The functions of the C++ standard on atomic objects, for atomics of every scope.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_ATOMIC_FUNCTIONS_H
#define CUDASYNC_ATOMIC_FUNCTIONS_H

#include <cudasync/atomic.h>
#include <cudasync/atomic_flag.h>
#include <cudasync/core/memory_order.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/traits.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {

// Each calls the member of its name. Values are not deduced: atomic_store(&counter, 0) works for an atomic<long>.
// Source: [atomics.syn].

// Returns the value. For programs that use memory_order_consume.
template <class Type>
CUDASYNC_API Type kill_dependency(Type value) noexcept {
  return value;
}

// Calls is_lock_free().
template <class Value, thread_scope Scope>
CUDASYNC_API bool atomic_is_lock_free(const volatile atomic<Value, Scope>* object) noexcept {
  return object->is_lock_free();
}

// Not atomic.
template <class Value, thread_scope Scope>
CUDASYNC_API void atomic_init(volatile atomic<Value, Scope>* object, identity<Value> value) noexcept {
  initialize(object, value);
}

// Calls load, sequentially consistent.
template <class Value, thread_scope Scope>
CUDASYNC_API Value atomic_load(const volatile atomic<Value, Scope>* object) noexcept {
  return object->load();
}
// Calls load with an order.
template <class Value, thread_scope Scope, class Order>
CUDASYNC_API Value atomic_load_explicit(const volatile atomic<Value, Scope>* object, Order order) noexcept {
  return object->load(order);
}

// Calls store, sequentially consistent.
template <class Value, thread_scope Scope>
CUDASYNC_API void atomic_store(volatile atomic<Value, Scope>* object, identity<Value> value) noexcept {
  object->store(value);
}
// Calls store with an order.
template <class Value, thread_scope Scope, class Order>
CUDASYNC_API void atomic_store_explicit(volatile atomic<Value, Scope>* object, identity<Value> value,
                                        Order order) noexcept {
  object->store(value, order);
}

// Calls compare_exchange_weak, sequentially consistent.
template <class Value, thread_scope Scope>
CUDASYNC_API bool atomic_compare_exchange_weak(volatile atomic<Value, Scope>* object, identity<Value>* expected,
                                               identity<Value> desired) noexcept {
  return object->compare_exchange_weak(*expected, desired);
}
// Calls compare_exchange_strong, sequentially consistent.
template <class Value, thread_scope Scope>
CUDASYNC_API bool atomic_compare_exchange_strong(volatile atomic<Value, Scope>* object, identity<Value>* expected,
                                                 identity<Value> desired) noexcept {
  return object->compare_exchange_strong(*expected, desired);
}
// Calls compare_exchange_weak with two orders.
template <class Value, thread_scope Scope, class Success, class Failure>
CUDASYNC_API bool atomic_compare_exchange_weak_explicit(volatile atomic<Value, Scope>* object,
                                                        identity<Value>* expected, identity<Value> desired,
                                                        Success success, Failure failure) noexcept {
  return object->compare_exchange_weak(*expected, desired, success, failure);
}
// Calls compare_exchange_strong with two orders.
template <class Value, thread_scope Scope, class Success, class Failure>
CUDASYNC_API bool atomic_compare_exchange_strong_explicit(volatile atomic<Value, Scope>* object,
                                                          identity<Value>* expected, identity<Value> desired,
                                                          Success success, Failure failure) noexcept {
  return object->compare_exchange_strong(*expected, desired, success, failure);
}

// Calls wait, sequentially consistent.
template <class Value, thread_scope Scope>
CUDASYNC_API void atomic_wait(const volatile atomic<Value, Scope>* object,
                              identity<Value> old CUDASYNC_CALLER) noexcept {
  object->wait(old, memory_order_seq_cst CUDASYNC_PASS_CALLER);
}
// Calls wait with an order.
template <class Value, thread_scope Scope, class Order>
CUDASYNC_API void atomic_wait_explicit(const volatile atomic<Value, Scope>* object, identity<Value> old,
                                       Order order CUDASYNC_CALLER) noexcept {
  object->wait(old, order CUDASYNC_PASS_CALLER);
}
// Calls notify_one.
template <class Value, thread_scope Scope>
CUDASYNC_API void atomic_notify_one(volatile atomic<Value, Scope>* object) noexcept {
  object->notify_one();
}
// Calls notify_all.
template <class Value, thread_scope Scope>
CUDASYNC_API void atomic_notify_all(volatile atomic<Value, Scope>* object) noexcept {
  object->notify_all();
}

// clang-format off
//
#define CUDASYNC_FETCH(NAME, RESULT, OPERAND)                                                                          \
  template <class Value, thread_scope Scope>                                                                           \
  CUDASYNC_API RESULT atomic_##NAME(volatile atomic<Value, Scope>* object, OPERAND operand) noexcept {                 \
    return object->NAME(operand);                                                                                      \
  }                                                                                                                    \
  template <class Value, thread_scope Scope, class Order>                                                              \
  CUDASYNC_API RESULT atomic_##NAME##_explicit(volatile atomic<Value, Scope>* object, OPERAND operand,                 \
                                               Order order) noexcept {                                                 \
    return object->NAME(operand, order);                                                                               \
  }

//             member     returns  operand
CUDASYNC_FETCH(exchange,  Value,   identity<Value>)
CUDASYNC_FETCH(fetch_add, Value,   typename atomic_number<Value>::operand_type)
CUDASYNC_FETCH(fetch_sub, Value,   typename atomic_number<Value>::operand_type)
CUDASYNC_FETCH(fetch_and, Value,   identity<Value>)
CUDASYNC_FETCH(fetch_or,  Value,   identity<Value>)
CUDASYNC_FETCH(fetch_xor, Value,   identity<Value>)
CUDASYNC_FETCH(fetch_min, Value,   identity<Value>)
CUDASYNC_FETCH(fetch_max, Value,   identity<Value>)
// Source: C++26 (P3111).
CUDASYNC_FETCH(store_add, void,    typename atomic_number<Value>::operand_type)
CUDASYNC_FETCH(store_sub, void,    typename atomic_number<Value>::operand_type)
CUDASYNC_FETCH(store_and, void,    identity<Value>)
CUDASYNC_FETCH(store_or,  void,    identity<Value>)
CUDASYNC_FETCH(store_xor, void,    identity<Value>)
CUDASYNC_FETCH(store_min, void,    identity<Value>)
CUDASYNC_FETCH(store_max, void,    identity<Value>)
//
#undef CUDASYNC_FETCH
// clang-format on

CUDASYNC_API bool atomic_flag_test(const volatile atomic_flag* flag) noexcept {
  return flag->test();
}
// Calls test with an order.
template <class Order>
CUDASYNC_API bool atomic_flag_test_explicit(const volatile atomic_flag* flag, Order order) noexcept {
  return flag->test(order);
}
// Calls test_and_set, sequentially consistent.
CUDASYNC_API bool atomic_flag_test_and_set(volatile atomic_flag* flag) noexcept {
  return flag->test_and_set();
}
// Calls test_and_set with an order.
template <class Order>
CUDASYNC_API bool atomic_flag_test_and_set_explicit(volatile atomic_flag* flag, Order order) noexcept {
  return flag->test_and_set(order);
}
// Calls clear, sequentially consistent.
CUDASYNC_API void atomic_flag_clear(volatile atomic_flag* flag) noexcept {
  flag->clear();
}
// Calls clear with an order.
template <class Order>
CUDASYNC_API void atomic_flag_clear_explicit(volatile atomic_flag* flag, Order order) noexcept {
  flag->clear(order);
}
// Calls wait, sequentially consistent.
CUDASYNC_API void atomic_flag_wait(const volatile atomic_flag* flag, bool old CUDASYNC_CALLER) noexcept {
  flag->wait(old, memory_order_seq_cst CUDASYNC_PASS_CALLER);
}
// Calls wait with an order.
template <class Order>
CUDASYNC_API void atomic_flag_wait_explicit(const volatile atomic_flag* flag, bool old,
                                            Order order CUDASYNC_CALLER) noexcept {
  flag->wait(old, order CUDASYNC_PASS_CALLER);
}
// Calls notify_one.
CUDASYNC_API void atomic_flag_notify_one(volatile atomic_flag* flag) noexcept {
  flag->notify_one();
}
// Calls notify_all.
CUDASYNC_API void atomic_flag_notify_all(volatile atomic_flag* flag) noexcept {
  flag->notify_all();
}

}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
