// The reading half of atomics: loads and waits, and the types that they accept.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_ATOMIC_ATOMIC_READER_H
#define CUDASYNC_ATOMIC_ATOMIC_READER_H

#include <cudasync/backend/atomic/atomic.h>
#include <cudasync/backend/atomic/await_value.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/bits.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/memory_order.h>
#include <cudasync/core/number_kind.h>
#include <cudasync/core/same_value.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/hang/watch.h>
#include <cudasync/thread/time.h>
#include <cudasync/trace/span.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

template <class Value>
inline constexpr bool has_word_size =
    sizeof(Value) == 1 || sizeof(Value) == 2 || sizeof(Value) == 4 || sizeof(Value) == 8 || sizeof(Value) == 16;

// True: the result of a function that only a static_assert calls generates no code.
template <class Value>
CUDASYNC_API constexpr bool require_atomic_type() {
  static_assert(
      is_trivially_copyable<Value>,
      "an atomic type must be trivially copyable [atomics.types.generic]: use an atomic pointer to the object, or, to "
      "add to __half2 or __nv_bfloat162, cudasync::device::store_add_elements");
  return true;
}

// For atomic_ref, which does not choose the object's address. The exact alignment is the object's, not its type's.
template <class Value>
CUDASYNC_API constexpr bool require_referenceable_type() {
  static_assert(
      has_word_size<Value>,
      "atomic_ref needs an object of 1, 2, 4, 8 or 16 bytes: pad the type, or use atomic<T>, which has a lock");
  static_assert(alignof(Value) > 1 || sizeof(Value) == 1,
                "atomic_ref needs objects aligned to their size: declare the type with alignas(sizeof ...)");
  return require_atomic_type<Value>();
}

// The condition that wait waits for.
template <class Value>
struct differs_from {
  word_of<Value> old;

  CUDASYNC_API bool operator()(const Value& value) const {
    if constexpr (has_word_size<Value> && (knows_padding<Value> || !has_equality<Value>))
      return !is_same_representation<Value>(to_bits<word_of<Value>>(value), old);
    else
      return !is_same_value(value, from_bits<Value>(old));
  }
};
template <class Value, class Predicate>
struct satisfies {
  const Predicate& predicate;
  word_of<Value> last;

  CUDASYNC_EXEC_CHECK_DISABLE
  CUDASYNC_API bool operator()(const Value& value) {
    last = to_bits<word_of<Value>>(value);
    return static_cast<bool>(predicate(value));
  }
};

// The type of the operand of fetch_add and similar functions: for pointers, a number of elements.
template <class Value, number_kind Kind = kind_of<Value>>
struct atomic_number {
  using difference_type = Value;
  using operand_type = Value;
};
template <class Value>
struct atomic_number<Value, number_kind::none> {
  using operand_type = Value;
};
template <class Value>
struct atomic_number<Value, number_kind::pointer> {
  using difference_type = ptrdiff_t;
  using operand_type = ptrdiff_t;
};

// The reading half: all that an atomic_ref of a const object has. Room: the bytes from its first that belong to it.
template <class Object, thread_scope Scope, size_t Room>
class atomic_reader : public atomic_number<typename value_in<remove_cv<Object>>::type> {
 public:
  // The type of the value.
  using value_type = typename value_in<remove_cv<Object>>::type;

  // Whether accesses are lock-free on every target: those of up to 8 bytes. On the device, those of 16 bytes are, too.
  static constexpr bool is_always_lock_free = sizeof(value_type) <= 8;

  // The object's address must be a multiple of this, which may be more than its type's alignment.
  static constexpr size_t required_alignment = sizeof(value_type);

  // Refers to the object, which must outlive the reference.
  CUDASYNC_API constexpr explicit atomic_reader(Object& object) : object_(const_cast<remove_cv<Object>*>(&object)) {}

  // Whether accesses are lock-free on every target: those of up to 8 bytes.
  CUDASYNC_API bool is_lock_free() const noexcept { return is_always_lock_free; }

  // Returns the value. order: relaxed, consume (the same as acquire), acquire or seq_cst. Other orders fail to compile
  // or, at run time in the checked build, fail an assertion.
  template <class Order = seq_cst_t>
  CUDASYNC_API value_type load(Order order = {}) const noexcept {
    check_load<Order>(order);
    return backend::load<Scope>(target::here{}, *object_, order);
  }
  // Returns the value. Sequentially consistent.
  CUDASYNC_API operator value_type() const noexcept { return load(); }

  // Blocks until the value, compared by its bytes, differs from the old value; or until predicate(value) is true, and
  // returns that value. order: relaxed, consume, acquire or seq_cst. It polls with relaxed loads and acquires once, at
  // the end. The thread that stores the new value calls notify_one or notify_all to wake host threads that sleep. The
  // predicate may be called many times.
  // One function, because nvcc gives the default argument of an overload that tests for a predicate its own line.
  CUDASYNC_EXEC_CHECK_DISABLE
  template <class Condition = value_type, class Order = seq_cst_t>
  CUDASYNC_API auto wait(const Condition& old_or_predicate, Order order = {}, caller where = caller::here()) const {
    checked::note_awaited(target::here{}, object_, where);
    const trace::span traced(trace::action::atomic_wait, {object_, 0}, where);
    if constexpr (is_valid<tested, Condition, value_type>) {
      satisfies<value_type, Condition> condition{old_or_predicate, {}};
      static_cast<void>(await(condition, order, backend::forever));
      return from_bits<value_type>(condition.last);
    } else {
      // A number of another type, such as the literal 0, is converted here and not by the caller: without a warning.
      constexpr bool are_numbers = is_arithmetic<Condition> && is_arithmetic<value_type>;
      const value_type old = static_cast<conditional<are_numbers, value_type, const Condition&>>(old_or_predicate);
      static_cast<void>(await(differs_from<value_type>{to_bits<word_of<value_type>>(old)}, order, backend::forever));
    }
  }

  // Blocks until the value, compared by its bytes, differs from old, for at most this duration, of std::chrono,
  // cuda::std::chrono or similar. Returns whether it differed in time.
  template <class Duration, class Order = seq_cst_t, class = typename Duration::period>
  [[nodiscard]] CUDASYNC_API bool wait_for(value_type old, const Duration& duration, Order order = {}) const noexcept {
    return await(differs_from<value_type>{to_bits<word_of<value_type>>(old)}, order, backend::to_nanoseconds(duration));
  }
  // Blocks until predicate(value) is true, for at most this duration, of std::chrono, cuda::std::chrono or similar.
  // Returns whether it was true in time.
  CUDASYNC_EXEC_CHECK_DISABLE
  template <class Predicate, class Duration, class Order = seq_cst_t,
            class = decltype(static_cast<bool>(declval<const Predicate&>()(declval<const value_type&>())))>
  [[nodiscard]] CUDASYNC_API bool wait_for(const Predicate& predicate, const Duration& duration,
                                           Order order = {}) const {
    return await(satisfies<value_type, Predicate>{predicate, {}}, order, backend::to_nanoseconds(duration));
  }

  // Blocks until the value differs from old, or until predicate(value) is true, or until the clock of this time point
  // reaches it. Returns whether the wait succeeded.
  CUDASYNC_EXEC_CHECK_DISABLE
  template <class Condition, class TimePoint, class Order = seq_cst_t>
  [[nodiscard]] CUDASYNC_API bool wait_until(const Condition& old_or_predicate, const TimePoint& time,
                                             Order order = {}) const {
    return wait_for(old_or_predicate, backend::time_left(time), order);
  }

 protected:
  template <class Order>
  static CUDASYNC_API void check_load([[maybe_unused]] Order order) {
    static_assert(is_order<Order>, "the order of an atomic operation is a cuda::memory_order");
    static_assert(
        may_load<Order>,
        "a load has nothing to release: use memory_order_relaxed, memory_order_acquire or memory_order_seq_cst");
    CUDASYNC_ASSERT(is_load_order(static_cast<memory_order>(order)),
                    "atomic: a load or a wait cannot have order release or acq_rel; use relaxed, acquire or seq_cst");
  }

  template <class Condition, class Order>
  CUDASYNC_API bool await(Condition&& condition, Order order, uint64 limit) const {
    check_load<Order>(order);
    return backend::await_value<Scope>(target::here{}, *object_, condition, order, limit);
  }

  remove_cv<Object>* object_;
};

}}  // namespace cudasync::CUDASYNC_ABI

#endif
