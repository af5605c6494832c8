// Values of sizes that no instruction supports: up to 8 bytes padded to a word, and larger ones with a lock.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_ATOMIC_ATOMIC_BOX_H
#define CUDASYNC_BACKEND_ATOMIC_ATOMIC_BOX_H

#include <cudasync/core/bits.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/memory_order.h>
#include <cudasync/core/operation.h>
#include <cudasync/core/same_value.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/hang/kind.h>
#include <cudasync/hang/watch.h>
#include <cudasync/thread/time.h>

#if CUDASYNC_DEVICE_PASS
#include <cudasync/backend/atomic/atomic_device.h>
#include <cudasync/backend/atomic/fetch_device.h>
#endif
#if CUDASYNC_HAS_HOST
#include <cudasync/backend/atomic/atomic_host.h>
#endif

namespace cudasync { inline namespace CUDASYNC_ABI {

template <class Value>
inline constexpr bool has_initializers = !__is_trivially_constructible(Value);

// A value of 3, 5, 6 or 7 bytes, padded with zeros to a word, on which operations act. Comparisons ignore the padding.
template <class Value>
struct padded_bytes {
  using word_type = typename word_of_size<(sizeof(Value) < 4 ? 4 : 8)>::type;

  Value value;
  unsigned char rest[sizeof(word_type) - sizeof(Value)];
};
template <class Value, bool HasInitializers = has_initializers<Value>>
union padded_value {
  using word_type = typename padded_bytes<Value>::word_type;

  padded_value() = default;
  CUDASYNC_API constexpr explicit padded_value(Value initial) : bytes{initial, {}} {}

  padded_bytes<Value> bytes;
  word_type word;
};
template <class Value>
union padded_value<Value, true> {
  using word_type = typename padded_bytes<Value>::word_type;

  CUDASYNC_API constexpr padded_value() : bytes{Value(), {}} {}
  CUDASYNC_API constexpr explicit padded_value(Value initial) : bytes{initial, {}} {}

  padded_bytes<Value> bytes;
  word_type word;
};

// A value and its lock. The layout is that of libcu++, and so is the lock: it is taken if it is 1, and every other
// value is free. So memory that was filled with any byte has no taken lock, and both libraries can share an object.
enum : uint32 { lock_is_taken = 1 };
template <bool IsInitialized>
struct lock_word {
  uint32 word;
};
template <>
struct lock_word<true> {
  uint32 word = 0;
};
template <class Value>
struct locked_value {
  locked_value() = default;
  CUDASYNC_API constexpr explicit locked_value(Value initial) : value(initial), lock{0} {}

  Value value;
  mutable lock_word<has_initializers<Value>> lock;
};

// The type of the value in an object that atomic operations are made on.
// clang-format off
template <class Object> struct value_in                      { using type = Object; };
template <class Value>  struct value_in<padded_value<Value>> { using type = Value; };
template <class Value>  struct value_in<locked_value<Value>> { using type = Value; };
// clang-format on

namespace backend {

// --- A padded value ---

template <thread_scope Scope, class Value, memory_order Order>
[[nodiscard]] CUDASYNC_API Value load(target::here here, const padded_value<Value>& object,
                                      order_constant<Order> order) {
  return from_bits<Value>(load<Scope>(here, object.word, order));
}

template <thread_scope Scope, class Value, memory_order Order>
CUDASYNC_API void store(target::here here, padded_value<Value>& object, identity<const Value&> value,
                        order_constant<Order> order) {
  store<Scope>(here, object.word, to_bits<typename padded_value<Value>::word_type>(value), order);
}

template <thread_scope Scope, size_t Room, class Operation, class Value, memory_order Order>
CUDASYNC_API Value fetch(target::here here, padded_value<Value>& object, const Value& value,
                         order_constant<Order> order) {
  using word = typename padded_value<Value>::word_type;
  if constexpr (is_same<Operation, operation::exchange>)
    return from_bits<Value>(fetch<Scope, Room, Operation>(here, object.word, to_bits<word>(value), order));
  auto before = load<Scope>(here, object.word, memory_order_relaxed_t{});
  while (!compare_exchange<Scope, Room>(here, object.word, before,
                                        to_bits<word>(Operation::apply(from_bits<Value>(before), value)), order)) {
  }
  return from_bits<Value>(before);
}

template <thread_scope Scope, size_t Room, class Value, memory_order Order>
[[nodiscard]] CUDASYNC_API bool compare_exchange(target::here here, padded_value<Value>& object, Value& expected,
                                                 identity<const Value&> desired, order_constant<Order> order) {
  using word = typename padded_value<Value>::word_type;
  const auto wanted = to_bits<word_of<Value>>(expected);
  const auto bits = to_bits<word>(desired);
  auto before = to_bits<word>(expected);
  // Bytes of zeros follow the value, unless no constructor has initialized the object, for example in a table that
  // cudaMemset has filled. Then the first attempt fails, and the next one expects the word as it is.
  while (!compare_exchange<Scope, Room>(here, object.word, before, bits, order)) {
    word_of<Value> seen{};
    copy_bytes(&seen, &before, sizeof(Value));
    if (!is_same_representation<Value>(seen, wanted)) {
      set_bits(expected, seen);
      return false;
    }
  }
  return true;
}

// --- A value with a lock ---

#if CUDASYNC_DEVICE_PASS
template <thread_scope Scope, class Order>
CUDASYNC_DEVICE void take_lock(target::sm70 here, uint32& lock, Order order) {
  checked::device_watch guard(checked::kind::atomic_lock, &lock);
  while (fetch<Scope, sizeof lock, operation::exchange>(target::here{}, lock, uint32{lock_is_taken}, order) ==
         lock_is_taken) {
    let_lanes_run(here);
    if constexpr (checked::is_on)
      if (guard.has_given_up([] { return uint64{1}; })) return;
  }
}
#endif

#if CUDASYNC_HAS_HOST
template <thread_scope Scope, class Order>
inline void take_lock(target::host here, uint32& lock, Order order) {
  checked::host_watch guard(checked::kind::atomic_lock, &lock);
  while (fetch<Scope, sizeof lock, operation::exchange>(here, lock, uint32{lock_is_taken}, order) == lock_is_taken) {
    yield(here);
    guard.look([] { return uint64{1}; });
  }
}
#endif

// Holds the lock during its lifetime. With any order, a critical section acquires and releases. It is sequentially
// consistent if the lock is taken with that order: of two critical sections, one ends before the other takes the lock.
template <thread_scope Scope>
class lock_holder {
 public:
  template <memory_order Order>
  CUDASYNC_API lock_holder(uint32& lock, order_constant<Order>) : lock_(lock) {
    using lock_order = order_constant<Order == memory_order::seq_cst ? Order : memory_order::acquire>;
    take_lock<Scope>(target::here{}, lock_, lock_order{});
  }
  lock_holder(const lock_holder&) = delete;
  lock_holder& operator=(const lock_holder&) = delete;
  CUDASYNC_API ~lock_holder() { store<Scope>(target::here{}, lock_, 0u, memory_order_release_t{}); }

 private:
  uint32& lock_;
};

template <thread_scope Scope, class Value, memory_order Order>
[[nodiscard]] CUDASYNC_API Value load(target::here, const locked_value<Value>& object, order_constant<Order> order) {
  const lock_holder<Scope> holder(object.lock.word, order);
  return object.value;
}

template <thread_scope Scope, class Value, memory_order Order>
CUDASYNC_API void store(target::here, locked_value<Value>& object, identity<const Value&> value,
                        order_constant<Order> order) {
  const auto bits = to_bits<word_of<Value>>(value);
  const lock_holder<Scope> holder(object.lock.word, order);
  set_bits(object.value, bits);
}

template <thread_scope Scope, size_t, class Operation, class Value, memory_order Order>
CUDASYNC_API Value fetch(target::here, locked_value<Value>& object, const Value& value, order_constant<Order> order) {
  const lock_holder<Scope> holder(object.lock.word, order);
  const auto before = to_bits<word_of<Value>>(object.value);
  set_bits(object.value, to_bits<word_of<Value>>(Operation::apply(from_bits<Value>(before), value)));
  return from_bits<Value>(before);
}

template <thread_scope Scope, size_t, class Value, memory_order Order>
[[nodiscard]] CUDASYNC_API bool compare_exchange(target::here, locked_value<Value>& object, Value& expected,
                                                 identity<const Value&> desired, order_constant<Order> order) {
  const auto bits = to_bits<word_of<Value>>(desired);
  const lock_holder<Scope> holder(object.lock.word, order);
  const bool is_expected = is_same_value(object.value, expected);
  if (is_expected)
    set_bits(object.value, bits);
  else
    set_bits(expected, to_bits<word_of<Value>>(object.value));
  return is_expected;
}

}  // namespace backend
}}  // namespace cudasync::CUDASYNC_ABI

#endif
