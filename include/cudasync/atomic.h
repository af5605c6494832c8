// cuda::atomic: an object whose accesses are all atomic.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_ATOMIC_H
#define CUDASYNC_ATOMIC_H

#include <cudasync/atomic_ref.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/traits.h>

#if CUDASYNC_HAS_HOST
#include <new>  // placement new, for users; NVRTC declares it by itself
#endif

namespace cudasync { inline namespace CUDASYNC_ABI {

// What an atomic is made of. Each kind has the object that operations are made on.
enum class atomic_kind { narrow, word, boxed };

template <class Value>
inline constexpr atomic_kind kind_of_atomic = sizeof(Value) < 3      ? atomic_kind::narrow
                                              : has_word_size<Value> ? atomic_kind::word
                                                                     : atomic_kind::boxed;

template <class Value, atomic_kind Kind = kind_of_atomic<Value>>
struct atomic_storage {
  atomic_storage() = default;
  CUDASYNC_API constexpr explicit atomic_storage(Value initial) : object(initial) {}

  alignas(sizeof(Value)) Value object;
};
// An atomic owns at least four bytes. With the bytes after a small value, its additions, exchanges and bitwise
// operations are single instructions.
template <class Value>
struct atomic_storage<Value, atomic_kind::narrow> {
  atomic_storage() = default;
  CUDASYNC_API constexpr explicit atomic_storage(Value initial) : object(initial), rest() {}

  alignas(4) Value object;
  unsigned char rest[4 - sizeof(Value)];
};
template <class Value>
struct atomic_storage<Value, atomic_kind::boxed> {
  atomic_storage() = default;
  CUDASYNC_API constexpr explicit atomic_storage(Value initial) : object(initial) {}

  conditional<(sizeof(Value) < 8), padded_value<Value>, locked_value<Value>> object;
};

// An object whose accesses are all atomic. Its members have the same contracts as those of atomic_ref. They are
// declared volatile only, which serves all objects; operator= also has an overload that is not volatile, because it
// would otherwise be ambiguous with the deleted one.
//
// Values of 1, 2, 4, 8 and 16 bytes are words. Values of 3, 5, 6 and 7 bytes are padded to the next word. All others
// have a lock, which each operation holds: for them no operation is lock-free, and waiting threads poll the lock.
//
// sizeof is that of libcu++, except for values of 16 bytes, which have a lock there.
//
// Source: [atomics.types.generic], and libcu++ for Scope, fetch_min and fetch_max.
template <class Value, thread_scope Scope = thread_scope_system>
class atomic : public atomic_number<Value> {
  static_assert(is_same<Value, remove_cv<Value>>,
                "atomic has no const or volatile value type: make the atomic itself const or volatile");
  using storage = atomic_storage<Value>;
  using object_type = decltype(storage::object);
  using reader = atomic_reader<object_type, Scope, sizeof(storage)>;
  using reference = atomic_reference<object_type, Scope, sizeof(storage)>;

 public:
  // The type of the value.
  using value_type = Value;
  // The type of what is added and subtracted: ptrdiff_t for a pointer, else the value's.
  using operand_type = typename atomic_number<Value>::operand_type;
  // Whether accesses are lock-free on every target: those of up to 8 bytes. On the device, those of 16 bytes are, too.
  static constexpr bool is_always_lock_free = sizeof(Value) <= 8;

  // Trivial: the object is not initialized, so a __shared__ atomic needs no dynamic initialization. atomic() is zero.
  atomic() = default;
  // An atomic with this value. A constant expression, so that a global atomic needs no dynamic initialization.
  CUDASYNC_API constexpr atomic(Value initial) noexcept : storage_(initial) {
    static_assert(require_atomic_type<Value>());
  }
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;
  atomic& operator=(const atomic&) volatile = delete;

  // Whether accesses are lock-free on every target: those of up to 8 bytes.
  CUDASYNC_API bool is_lock_free() const volatile noexcept { return is_always_lock_free; }

  // Returns the value. order: relaxed, consume, acquire or seq_cst; others fail to compile, or an assertion.
  template <class Order = seq_cst_t>
  CUDASYNC_API Value load(Order order = {}) const volatile noexcept {
    return read().load(order);
  }
  // Returns the value. Sequentially consistent.
  CUDASYNC_API operator Value() const volatile noexcept { return read().load(); }

  // Replaces the value. order: relaxed, release or seq_cst; others fail to compile, or an assertion.
  template <class Order = seq_cst_t>
  CUDASYNC_API void store(Value value, Order order = {}, caller where = caller::here()) volatile noexcept {
    self().store(value, order, where);
  }
  // Replaces the value and returns the new one. Sequentially consistent.
  CUDASYNC_API Value operator=(Value value) volatile noexcept { return self() = value; }
  // Replaces the value and returns the new one. Sequentially consistent.
  CUDASYNC_API Value operator=(Value value) noexcept { return self() = value; }

  // Replaces the value and returns the old one. order: any.
  template <class Order = seq_cst_t>
  CUDASYNC_API Value exchange(Value value, Order order = {}, caller where = caller::here()) volatile noexcept {
    return self().exchange(value, order, where);
  }
  // Stores desired if the value has the bytes of expected; otherwise reads the value into expected. Returns whether it
  // stored. orders: any order, of which only the acquire part applies if nothing is stored; or one for each case, the
  // second of which is relaxed, consume, acquire or seq_cst.
  template <class... Orders>
  CUDASYNC_API bool compare_exchange_strong(Value& expected, Value desired, Orders... orders) volatile noexcept {
    return self().compare_exchange_strong(expected, desired, orders...);
  }
  // Does what compare_exchange_strong does: it does not fail spuriously.
  template <class... Orders>
  CUDASYNC_API bool compare_exchange_weak(Value& expected, Value desired, Orders... orders) volatile noexcept {
    return self().compare_exchange_strong(expected, desired, orders...);
  }

  // Adds to a number or a pointer, in elements. Integers wrap around. Returns the old value. order: any.
  template <class Order = seq_cst_t>
  CUDASYNC_API Value fetch_add(operand_type operand, Order order = {}) volatile noexcept {
    return self().fetch_add(operand, order);
  }
  // Subtracts from a number or a pointer, in elements. Integers wrap around. Returns the old value. order: any.
  template <class Order = seq_cst_t>
  CUDASYNC_API Value fetch_sub(operand_type operand, Order order = {}) volatile noexcept {
    return self().fetch_sub(operand, order);
  }
  // Stores the smaller of the value and the operand. Returns the old value. order: any.
  template <class Order = seq_cst_t>
  CUDASYNC_API Value fetch_min(Value operand, Order order = {}) volatile noexcept {
    return self().fetch_min(operand, order);
  }
  // Stores the larger of the value and the operand. Returns the old value. order: any.
  template <class Order = seq_cst_t>
  CUDASYNC_API Value fetch_max(Value operand, Order order = {}) volatile noexcept {
    return self().fetch_max(operand, order);
  }
  // Stores the bitwise and of the integer and the operand. Returns the old value. order: any.
  template <class Order = seq_cst_t>
  CUDASYNC_API Value fetch_and(Value operand, Order order = {}) volatile noexcept {
    return self().fetch_and(operand, order);
  }
  // Stores the bitwise or of the integer and the operand. Returns the old value. order: any.
  template <class Order = seq_cst_t>
  CUDASYNC_API Value fetch_or(Value operand, Order order = {}) volatile noexcept {
    return self().fetch_or(operand, order);
  }
  // Stores the bitwise exclusive or of the integer and the operand. Returns the old value. order: any.
  template <class Order = seq_cst_t>
  CUDASYNC_API Value fetch_xor(Value operand, Order order = {}) volatile noexcept {
    return self().fetch_xor(operand, order);
  }

  // Adds to a number or a pointer, in elements. Integers wrap around. Returns nothing, so in global memory it is a RED.
  // order: relaxed, release or seq_cst.
  template <class Order = seq_cst_t>
  CUDASYNC_API void store_add(operand_type operand, Order order = {}) volatile noexcept {
    self().store_add(operand, order);
  }
  // Subtracts without a result, so that it can be a RED. order: relaxed, release or seq_cst.
  template <class Order = seq_cst_t>
  CUDASYNC_API void store_sub(operand_type operand, Order order = {}) volatile noexcept {
    self().store_sub(operand, order);
  }
  // Stores the smaller value without a result, so that it can be a RED. order: relaxed, release or seq_cst.
  template <class Order = seq_cst_t>
  CUDASYNC_API void store_min(Value operand, Order order = {}) volatile noexcept {
    self().store_min(operand, order);
  }
  // Stores the larger value without a result, so that it can be a RED. order: relaxed, release or seq_cst.
  template <class Order = seq_cst_t>
  CUDASYNC_API void store_max(Value operand, Order order = {}) volatile noexcept {
    self().store_max(operand, order);
  }
  // Stores the bitwise and without a result, so that it can be a RED. order: relaxed, release or seq_cst.
  template <class Order = seq_cst_t>
  CUDASYNC_API void store_and(Value operand, Order order = {}) volatile noexcept {
    self().store_and(operand, order);
  }
  // Stores the bitwise or without a result, so that it can be a RED. order: relaxed, release or seq_cst.
  template <class Order = seq_cst_t>
  CUDASYNC_API void store_or(Value operand, Order order = {}) volatile noexcept {
    self().store_or(operand, order);
  }
  // Stores the bitwise exclusive or without a result, so that it can be a RED. order: relaxed, release or seq_cst.
  template <class Order = seq_cst_t>
  CUDASYNC_API void store_xor(Value operand, Order order = {}) volatile noexcept {
    self().store_xor(operand, order);
  }

  // Adds one, or one element to a pointer. Returns the new value. Sequentially consistent.
  CUDASYNC_API Value operator++() volatile noexcept { return ++self(); }
  // Subtracts one, or one element from a pointer. Returns the new value. Sequentially consistent.
  CUDASYNC_API Value operator--() volatile noexcept { return --self(); }
  // Adds one, or one element to a pointer. Returns the old value. Sequentially consistent.
  CUDASYNC_API Value operator++(int) volatile noexcept { return self()++; }
  // Subtracts one, or one element from a pointer. Returns the old value. Sequentially consistent.
  CUDASYNC_API Value operator--(int) volatile noexcept { return self()--; }
  // Adds, in elements for a pointer. Returns the new value. Sequentially consistent.
  CUDASYNC_API Value operator+=(operand_type operand) volatile noexcept { return self() += operand; }
  // Subtracts, in elements for a pointer. Returns the new value. Sequentially consistent.
  CUDASYNC_API Value operator-=(operand_type operand) volatile noexcept { return self() -= operand; }
  // Stores the bitwise and of the integer and the operand. Returns the new value. Sequentially consistent.
  CUDASYNC_API Value operator&=(Value operand) volatile noexcept { return self() &= operand; }
  // Stores the bitwise or of the integer and the operand. Returns the new value. Sequentially consistent.
  CUDASYNC_API Value operator|=(Value operand) volatile noexcept { return self() |= operand; }
  // Stores the bitwise exclusive or of the integer and the operand. Returns the new value. Sequentially consistent.
  CUDASYNC_API Value operator^=(Value operand) volatile noexcept { return self() ^= operand; }

  // Blocks while the value has the bytes of the old value; or until predicate(value) is true, and returns that value.
  // order: relaxed, consume, acquire or seq_cst. The thread that changes the value wakes host threads by notify_all.
  CUDASYNC_EXEC_CHECK_DISABLE
  template <class Condition = Value, class Order = seq_cst_t>
  CUDASYNC_API auto wait(const Condition& old_or_predicate, Order order = {}, caller where = caller::here()) const
      volatile {
    return read().wait(old_or_predicate, order, where);
  }
  // Blocks until the value differs from old, or until predicate(value) is true, for at most this duration, of
  // std::chrono or cuda::std::chrono. Returns whether it did. order: relaxed, consume, acquire or seq_cst.
  CUDASYNC_EXEC_CHECK_DISABLE
  template <class Condition, class Duration, class Order = seq_cst_t>
  [[nodiscard]] CUDASYNC_API bool wait_for(const Condition& old_or_predicate, const Duration& duration,
                                           Order order = {}) const volatile {
    return read().wait_for(old_or_predicate, duration, order);
  }
  // Blocks until the value differs from old, or until predicate(value) is true, or until the clock of this time point
  // reaches it. Returns whether the wait succeeded. order: relaxed, consume, acquire or seq_cst.
  CUDASYNC_EXEC_CHECK_DISABLE
  template <class Condition, class TimePoint, class Order = seq_cst_t>
  [[nodiscard]] CUDASYNC_API bool wait_until(const Condition& old_or_predicate, const TimePoint& time,
                                             Order order = {}) const volatile {
    return read().wait_until(old_or_predicate, time, order);
  }
  // Wakes all host threads that sleep in wait, as notify_all does. Device threads do not sleep.
  CUDASYNC_API void notify_one(caller where = caller::here()) volatile noexcept { self().notify_all(where); }
  // Wakes all host threads that sleep in wait. Device threads do not sleep.
  CUDASYNC_API void notify_all(caller where = caller::here()) volatile noexcept { self().notify_all(where); }

  // Stores the value without atomicity, for atomic_init: no other thread may use the object yet.
  CUDASYNC_API friend void initialize(volatile atomic* object, Value value) {
    const_cast<atomic*>(object)->storage_ = storage(value);
  }

 private:
  // An uninitialized atomic has met no constructor that looks at its type.
  [[nodiscard]] CUDASYNC_API reference self() volatile {
    static_assert(require_atomic_type<Value>());
    return reference(const_cast<atomic*>(this)->storage_.object);
  }
  [[nodiscard]] CUDASYNC_API reader read() const volatile {
    static_assert(require_atomic_type<Value>());
    return reader(const_cast<atomic*>(this)->storage_.object);
  }

  storage storage_;
};

template <class Value>
atomic(Value) -> atomic<Value>;

namespace standard {

// A class of its own, so that atomic a(1) deduces its template argument in C++17, and whose default constructor makes a
// zero, as that of C++20 does. Source: [atomics.types.generic].
template <class Value>
class atomic : public cudasync::atomic<Value, thread_scope_system> {
  using base = cudasync::atomic<Value, thread_scope_system>;

 public:
  // An atomic with the value zero.
  CUDASYNC_API constexpr atomic() noexcept : base() {}
  // An atomic with this value. A constant expression.
  CUDASYNC_API constexpr atomic(Value initial) noexcept : base(initial) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;
  atomic& operator=(const atomic&) volatile = delete;

  // Replaces the value and returns the new one. Sequentially consistent.
  CUDASYNC_API Value operator=(Value value) volatile noexcept { return base::operator=(value); }
  // Replaces the value and returns the new one. Sequentially consistent.
  CUDASYNC_API Value operator=(Value value) noexcept { return base::operator=(value); }
};

template <class Value>
atomic(Value) -> atomic<Value>;

}  // namespace standard
}}  // namespace cudasync::CUDASYNC_ABI

#endif
