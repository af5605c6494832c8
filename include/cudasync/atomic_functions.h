// The functions of the C++ standard on atomic objects, for atomics of every scope.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_ATOMIC_FUNCTIONS_H
#define CUDASYNC_ATOMIC_FUNCTIONS_H

#include <cudasync/atomic.h>
#include <cudasync/atomic_flag.h>
#include <cudasync/core/memory_order.h>
#include <cudasync/core/memory_order_constants.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/traits.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// Each function calls the member function of its name, which documents the preconditions and the errors. object: not
// null. Values are not deduced: atomic_store(&counter, 0) works for an atomic<long>. Source: [atomics.syn].

// Returns the value. For programs that use memory_order_consume, which is the same as memory_order_acquire.
template <class Type>
CUDASYNC_API Type kill_dependency(Type value) noexcept {
  return value;
}

// Returns whether the operations on the object are lock-free on every target.
template <class Value, thread_scope Scope>
CUDASYNC_API bool atomic_is_lock_free(const volatile atomic<Value, Scope>* object) noexcept {
  return object->is_lock_free();
}

// Initializes the object with the value. The store is not atomic: call the function before any other thread uses the
// object, then synchronize the threads.
template <class Value, thread_scope Scope>
CUDASYNC_API void atomic_init(volatile atomic<Value, Scope>* object, identity<Value> value) noexcept {
  initialize(object, value);
}

// Returns the value. Sequentially consistent.
template <class Value, thread_scope Scope>
CUDASYNC_API Value atomic_load(const volatile atomic<Value, Scope>* object) noexcept {
  return object->load();
}
// Returns the value. order: relaxed, consume, acquire or seq_cst.
template <class Value, thread_scope Scope, class Order>
CUDASYNC_API Value atomic_load_explicit(const volatile atomic<Value, Scope>* object, Order order) noexcept {
  return object->load(order);
}

// Replaces the value. Sequentially consistent.
template <class Value, thread_scope Scope>
CUDASYNC_API void atomic_store(volatile atomic<Value, Scope>* object, identity<Value> value,
                               caller where = caller::here()) noexcept {
  object->store(value, {}, where);
}
// Replaces the value. order: relaxed, release or seq_cst.
template <class Value, thread_scope Scope, class Order>
CUDASYNC_API void atomic_store_explicit(volatile atomic<Value, Scope>* object, identity<Value> value, Order order,
                                        caller where = caller::here()) noexcept {
  object->store(value, order, where);
}

// Does what atomic_compare_exchange_strong does: it does not fail spuriously.
template <class Value, thread_scope Scope>
CUDASYNC_API bool atomic_compare_exchange_weak(volatile atomic<Value, Scope>* object, identity<Value>* expected,
                                               identity<Value> desired) noexcept {
  return object->compare_exchange_weak(*expected, desired);
}
// Stores desired if the value has the bytes of *expected; otherwise reads the value into *expected. Returns whether it
// stored. Sequentially consistent.
template <class Value, thread_scope Scope>
CUDASYNC_API bool atomic_compare_exchange_strong(volatile atomic<Value, Scope>* object, identity<Value>* expected,
                                                 identity<Value> desired) noexcept {
  return object->compare_exchange_strong(*expected, desired);
}
// Does what atomic_compare_exchange_strong_explicit does: it does not fail spuriously.
template <class Value, thread_scope Scope, class Success, class Failure>
CUDASYNC_API bool atomic_compare_exchange_weak_explicit(volatile atomic<Value, Scope>* object,
                                                        identity<Value>* expected, identity<Value> desired,
                                                        Success success, Failure failure) noexcept {
  return object->compare_exchange_weak(*expected, desired, success, failure);
}
// Stores desired if the value has the bytes of *expected; otherwise reads the value into *expected. Returns whether it
// stored. success: any order. failure: the order if nothing is stored, one that a load can have.
template <class Value, thread_scope Scope, class Success, class Failure>
CUDASYNC_API bool atomic_compare_exchange_strong_explicit(volatile atomic<Value, Scope>* object,
                                                          identity<Value>* expected, identity<Value> desired,
                                                          Success success, Failure failure) noexcept {
  return object->compare_exchange_strong(*expected, desired, success, failure);
}

// Blocks while the value has the bytes of old. Sequentially consistent. The thread that changes the value calls
// atomic_notify_one or atomic_notify_all to wake host threads.
template <class Value, thread_scope Scope>
CUDASYNC_API void atomic_wait(const volatile atomic<Value, Scope>* object, identity<Value> old,
                              caller where = caller::here()) noexcept {
  object->wait(old, memory_order_seq_cst, where);
}
// Blocks while the value has the bytes of old. order: relaxed, consume, acquire or seq_cst. The thread that changes the
// value calls atomic_notify_one or atomic_notify_all to wake host threads.
template <class Value, thread_scope Scope, class Order>
CUDASYNC_API void atomic_wait_explicit(const volatile atomic<Value, Scope>* object, identity<Value> old, Order order,
                                       caller where = caller::here()) noexcept {
  object->wait(old, order, where);
}
// Wakes the host threads that sleep in atomic_wait on this object. Device threads do not sleep.
template <class Value, thread_scope Scope>
CUDASYNC_API void atomic_notify_one(volatile atomic<Value, Scope>* object, caller where = caller::here()) noexcept {
  object->notify_all(where);
}
// Wakes all host threads that sleep in atomic_wait on this object. Device threads do not sleep.
template <class Value, thread_scope Scope>
CUDASYNC_API void atomic_notify_all(volatile atomic<Value, Scope>* object, caller where = caller::here()) noexcept {
  object->notify_all(where);
}

// Replaces the value and returns the old one. Sequentially consistent.
template <class Value, thread_scope Scope>
CUDASYNC_API Value atomic_exchange(volatile atomic<Value, Scope>* object, identity<Value> value,
                                   caller where = caller::here()) noexcept {
  return object->exchange(value, {}, where);
}
// Replaces the value and returns the old one. order: any.
template <class Value, thread_scope Scope, class Order>
CUDASYNC_API Value atomic_exchange_explicit(volatile atomic<Value, Scope>* object, identity<Value> value, Order order,
                                            caller where = caller::here()) noexcept {
  return object->exchange(value, order, where);
}

// A comment in the table describes both functions of the row below it: atomic_fetch_add, which is sequentially
// consistent, and atomic_fetch_add_explicit, which has an order parameter. The namespace is for clangd: it shows no
// comment for what a macro declares in a namespace whose name is a macro, which CUDASYNC_ABI is.
inline namespace read_modify_writes {

// clang-format off
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

// Adds to a number or a pointer (in elements) and returns the old value. Default order: seq_cst; _explicit: any.
CUDASYNC_FETCH(fetch_add, Value,   typename atomic_number<Value>::operand_type)
// Subtracts from a number or a pointer (in elements) and returns the old value. Default order: seq_cst; _explicit: any.
CUDASYNC_FETCH(fetch_sub, Value,   typename atomic_number<Value>::operand_type)
// Stores the bitwise and of the integer and the operand; returns the old value. Default order: seq_cst; _explicit: any.
CUDASYNC_FETCH(fetch_and, Value,   identity<Value>)
// Stores the bitwise or of the integer and the operand; returns the old value. Default order: seq_cst; _explicit: any.
CUDASYNC_FETCH(fetch_or,  Value,   identity<Value>)
// Stores the exclusive or of the integer and the operand; returns the old one. Default order: seq_cst; _explicit: any.
CUDASYNC_FETCH(fetch_xor, Value,   identity<Value>)
// Stores the smaller of the value and the operand; returns the old value. Default order: seq_cst; _explicit: any.
CUDASYNC_FETCH(fetch_min, Value,   identity<Value>)
// Stores the larger of the value and the operand; returns the old value. Default order: seq_cst; _explicit: any.
CUDASYNC_FETCH(fetch_max, Value,   identity<Value>)
// Adds, in elements for a pointer, without a result. Default order: seq_cst; _explicit: relaxed, release, seq_cst.
CUDASYNC_FETCH(store_add, void,    typename atomic_number<Value>::operand_type)
// Subtracts, in elements for a pointer, without a result. Default order: seq_cst; _explicit: relaxed, release, seq_cst.
CUDASYNC_FETCH(store_sub, void,    typename atomic_number<Value>::operand_type)
// Stores the bitwise and, without a result (C++26). Default order: seq_cst; _explicit: relaxed, release or seq_cst.
CUDASYNC_FETCH(store_and, void,    identity<Value>)
// Stores the bitwise or, without a result (C++26). Default order: seq_cst; _explicit: relaxed, release or seq_cst.
CUDASYNC_FETCH(store_or,  void,    identity<Value>)
// Stores the exclusive or, without a result (C++26). Default order: seq_cst; _explicit: relaxed, release or seq_cst.
CUDASYNC_FETCH(store_xor, void,    identity<Value>)
// Stores the smaller value, without a result (C++26). Default order: seq_cst; _explicit: relaxed, release or seq_cst.
CUDASYNC_FETCH(store_min, void,    identity<Value>)
// Stores the larger value, without a result (C++26). Default order: seq_cst; _explicit: relaxed, release or seq_cst.
CUDASYNC_FETCH(store_max, void,    identity<Value>)
#undef CUDASYNC_FETCH
// clang-format on

}  // namespace read_modify_writes

// Returns whether the flag is set. Sequentially consistent.
template <class Unused = void>
CUDASYNC_API bool atomic_flag_test(const volatile atomic_flag* flag) noexcept {
  return flag->test();
}
// Returns whether the flag is set. order: relaxed, consume, acquire or seq_cst.
template <class Order>
CUDASYNC_API bool atomic_flag_test_explicit(const volatile atomic_flag* flag, Order order) noexcept {
  return flag->test(order);
}
// Sets the flag and returns whether it was already set. Sequentially consistent.
template <class Unused = void>
CUDASYNC_API bool atomic_flag_test_and_set(volatile atomic_flag* flag, caller where = caller::here()) noexcept {
  return flag->test_and_set({}, where);
}
// Sets the flag and returns whether it was already set. order: any.
template <class Order>
CUDASYNC_API bool atomic_flag_test_and_set_explicit(volatile atomic_flag* flag, Order order,
                                                    caller where = caller::here()) noexcept {
  return flag->test_and_set(order, where);
}
// Clears the flag. Sequentially consistent.
template <class Unused = void>
CUDASYNC_API void atomic_flag_clear(volatile atomic_flag* flag, caller where = caller::here()) noexcept {
  flag->clear({}, where);
}
// Clears the flag. order: relaxed, release or seq_cst.
template <class Order>
CUDASYNC_API void atomic_flag_clear_explicit(volatile atomic_flag* flag, Order order,
                                             caller where = caller::here()) noexcept {
  flag->clear(order, where);
}
// Blocks while the flag has the value old. Sequentially consistent.
template <class Unused = void>
CUDASYNC_API void atomic_flag_wait(const volatile atomic_flag* flag, bool old, caller where = caller::here()) noexcept {
  flag->wait(old, memory_order_seq_cst, where);
}
// Blocks while the flag has the value old. order: relaxed, consume, acquire or seq_cst.
template <class Order>
CUDASYNC_API void atomic_flag_wait_explicit(const volatile atomic_flag* flag, bool old, Order order,
                                            caller where = caller::here()) noexcept {
  flag->wait(old, order, where);
}
// Wakes the host threads that sleep in atomic_flag_wait on this flag. Device threads do not sleep.
template <class Unused = void>
CUDASYNC_API void atomic_flag_notify_one(volatile atomic_flag* flag) noexcept {
  flag->notify_one();
}
// Wakes all host threads that sleep in atomic_flag_wait on this flag. Device threads do not sleep.
template <class Unused = void>
CUDASYNC_API void atomic_flag_notify_all(volatile atomic_flag* flag) noexcept {
  flag->notify_all();
}

}}  // namespace cudasync::CUDASYNC_ABI

#endif
