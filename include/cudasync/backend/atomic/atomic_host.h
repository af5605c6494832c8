// Atomic operations on the host, by the compiler's built-ins. 16-byte operations need -latomic.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_ATOMIC_ATOMIC_HOST_H
#define CUDASYNC_BACKEND_ATOMIC_ATOMIC_HOST_H

#include <cudasync/core/config.h>

#if CUDASYNC_HAS_HOST

#include <cudasync/core/bits.h>
#include <cudasync/core/memory_order.h>
#include <cudasync/core/number_kind.h>
#include <cudasync/core/operation.h>
#include <cudasync/core/same_value.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

template <thread_scope, class Value, memory_order Order>
[[nodiscard]] inline Value load(target::host, const Value& object, order_constant<Order>) {
  uninitialized<Value> result;
  __atomic_load(&object, &result.value, static_cast<int>(Order));
  return result.value;
}

template <thread_scope, class Value, memory_order Order>
inline void store(target::host, Value& object, identity<const Value&> value, order_constant<Order>) {
  Value desired = value;
  __atomic_store(&object, &desired, static_cast<int>(Order));
}

// A type with padding is exchanged as a word, because a copy of a value may omit the padding. If nothing but the
// padding differs, the next attempt expects the bytes of the object.
template <thread_scope, size_t, class Value, memory_order Order>
[[nodiscard]] inline bool compare_exchange(target::host, Value& object, Value& expected, identity<const Value&> desired,
                                           order_constant<Order>) {
  constexpr int success = static_cast<int>(Order);
  [[maybe_unused]] constexpr int failure = static_cast<int>(failure_order(Order));  // relacy takes one order
  if constexpr (has_padding<Value>) {
    using word = word_of<Value>;
    auto& place = reinterpret_cast<alias<word>&>(object);
    const alias<word> wanted{to_bits<word>(expected)};
    alias<word> bits{to_bits<word>(desired)};
    alias<word> seen = wanted;
    do {
      if (__atomic_compare_exchange(&place, &seen, &bits, false, success, failure)) return true;
    } while (is_same_representation<Value>(seen.word, wanted.word));
    set_bits(expected, seen.word);
    return false;
  } else {
    Value wanted = desired;
    return __atomic_compare_exchange(&object, &expected, &wanted, false, success, failure);
  }
}

template <thread_scope Scope, size_t Room, class Operation, class Value, class Operand, memory_order Order>
inline Value fetch(target::host here, Value& object, const Operand& operand, order_constant<Order> order) {
  constexpr int model = static_cast<int>(Order);
  constexpr bool is_whole = is_integer<Value> || kind_of<Value> == number_kind::pointer;
  if constexpr (is_same<Operation, operation::exchange>) {
    Value desired = operand;
    uninitialized<Value> before;
    __atomic_exchange(&object, &desired, &before.value, model);
    return before.value;
  } else if constexpr (is_same<Operation, operation::add> && is_whole) {
    return __atomic_fetch_add(&object, operand, model);
  } else if constexpr (is_same<Operation, operation::bit_and> && is_whole) {
    return __atomic_fetch_and(&object, operand, model);
  } else if constexpr (is_same<Operation, operation::bit_or> && is_whole) {
    return __atomic_fetch_or(&object, operand, model);
  } else if constexpr (is_same<Operation, operation::bit_xor> && is_whole) {
    return __atomic_fetch_xor(&object, operand, model);
  } else {
    Value before = load<Scope>(here, object, memory_order_relaxed_t{});
    while (!compare_exchange<Scope, Room>(here, object, before, Operation::apply(before, operand), order)) {
    }
    return before;
  }
}

template <thread_scope Scope, size_t Room, class Operation, class Value, class Operand, memory_order Order>
inline void update(target::host here, Value& object, const Operand& operand, order_constant<Order> order) {
  static_cast<void>(fetch<Scope, Room, Operation>(here, object, operand, order));
}

template <thread_scope, memory_order Order>
inline void fence(target::host, order_constant<Order>) {
  __atomic_thread_fence(static_cast<int>(Order));
}

inline void signal_fence(target::host, memory_order order) {
  if (order != memory_order::relaxed) __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif  // CUDASYNC_HAS_HOST

#endif
