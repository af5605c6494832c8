// cuda::atomic_ref: atomic operations on an existing object.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_ATOMIC_REF_H
#define CUDASYNC_ATOMIC_REF_H

#include <cudasync/atomic/atomic_reader.h>
#include <cudasync/backend/atomic/atomic.h>
#include <cudasync/backend/atomic/await_value.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/bits.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/memory_order.h>
#include <cudasync/core/number_kind.h>
#include <cudasync/core/operation.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// Reads and writes. Every operation has scope Scope: it is atomic for the threads of that scope that access the object,
// and orders memory among them.
//
// Orders: a read-modify-write takes any order. The default is memory_order_seq_cst. On the device, seq_cst costs one
// fence more than acq_rel.
//
// Comparisons are of the bytes of members: padding is ignored if the compiler shows where it is (core/same_value.h).
//
// Source: [atomics.ref.generic], and libcu++ for Scope, fetch_min and fetch_max.
template <class Object, thread_scope Scope, size_t Room>
class atomic_reference : public atomic_reader<Object, Scope, Room> {
  using reader = atomic_reader<Object, Scope, Room>;

 protected:
  using reader::object_;

 public:
  // The type of the value.
  using value_type = typename reader::value_type;
  // The type of what is added and subtracted: ptrdiff_t for a pointer, else the value's.
  using operand_type = typename reader::operand_type;

  using reader::reader;

  // Replaces the value. order: relaxed, release or seq_cst; others fail to compile or, at run time, an assertion.
  template <class Order = seq_cst_t>
  CUDASYNC_API void store(value_type value, Order order = {}, caller where = caller::here()) const noexcept {
    check_store<Order>(order);
    if constexpr (checked::is_on) checked::note_stored(target::here{}, object_, value, where);
    backend::store<Scope>(target::here{}, *object_, value, order);
  }
  // Replaces the value and returns the new one. Sequentially consistent.
  CUDASYNC_API value_type operator=(value_type value) const noexcept {
    store(value);
    return value;
  }

  // Replaces the value and returns the old one. order: any.
  template <class Order = seq_cst_t>
  CUDASYNC_API value_type exchange(value_type value, Order order = {}, caller where = caller::here()) const noexcept {
    const value_type old = fetch<operation::exchange>(value, order);
    if constexpr (checked::is_on) checked::note_exchanged(target::here{}, object_, old, value, where);
    return old;
  }

  // Stores desired if the value has the bytes of expected; otherwise reads the value into expected. Returns whether it
  // stored. order: any. If nothing is stored, only its acquire part applies.
  template <class Success = seq_cst_t>
  CUDASYNC_API bool compare_exchange_strong(value_type& expected, value_type desired,
                                            Success order = {}) const noexcept {
    static_assert(is_order<Success>, "the order of an atomic operation is a cuda::memory_order");
    const bool is_stored = backend::compare_exchange<Scope, Room>(target::here{}, *object_, expected, desired, order);
    if constexpr (checked::is_on)
      if (is_stored) checked::note_changed(target::here{}, object_, expected, desired, checked::change::exchange);
    return is_stored;
  }
  // Takes another order for the case that nothing is stored. failure: relaxed, consume, acquire or seq_cst.
  template <class Success, class Failure>
  CUDASYNC_API bool compare_exchange_strong(value_type& expected, value_type desired, Success success,
                                            Failure failure) const noexcept {
    static_assert(is_order<Success> && is_order<Failure>, "the order of an atomic operation is a cuda::memory_order");
    static_assert(
        may_load<Failure>,
        "a failed compare-exchange stores nothing to release: use memory_order_relaxed, memory_order_acquire or "
        "memory_order_seq_cst on failure");
    CUDASYNC_ASSERT(is_load_order(failure), "atomic: the order on failure cannot be release or acq_rel; use acquire");
    return compare_exchange_strong(expected, desired, joined(success, failure));
  }
  // Does what compare_exchange_strong does, also with two orders: it does not fail spuriously.
  template <class... Orders>
  CUDASYNC_API bool compare_exchange_weak(value_type& expected, value_type desired, Orders... orders) const noexcept {
    return compare_exchange_strong(expected, desired, orders...);
  }

  // Adds to a number or a pointer, in elements. Integers wrap around. Returns the old value. order: any. Numbers are
  // integers, float, double, __half and __nv_bfloat16. Other types fail to compile.
  template <class Order = seq_cst_t>
  CUDASYNC_API value_type fetch_add(operand_type operand, Order order = {}) const noexcept {
    return fetch<operation::add>(scaled(operand), order);
  }
  // Subtracts from a number or a pointer, in elements. Integers wrap around. Returns the old value. order: any.
  template <class Order = seq_cst_t>
  CUDASYNC_API value_type fetch_sub(operand_type operand, Order order = {}) const noexcept {
    return fetch<operation::add>(negative(scaled(operand)), order);
  }

  // Stores the smaller of the value and the operand. Returns the old value. order: any. Structs need an operator<.
  // Floating-point numbers compare by IEEE 754's totalOrder: -0 is less than +0; a NaN is beyond its sign's infinity.
  template <class Order = seq_cst_t>
  CUDASYNC_API value_type fetch_min(value_type operand, Order order = {}) const noexcept {
    return fetch<operation::min>(operand, order);
  }
  // Stores the larger of the value and the operand. Returns the old value. order: any. Compares as fetch_min.
  template <class Order = seq_cst_t>
  CUDASYNC_API value_type fetch_max(value_type operand, Order order = {}) const noexcept {
    return fetch<operation::max>(operand, order);
  }

  // Stores the bitwise and of the integer and the operand. Returns the old value. order: any. This and the next two are
  // not templates, because programs check types with decltype(&atomic_ref<Type>::fetch_or).
  CUDASYNC_API value_type fetch_and(value_type operand, memory_order order = seq_cst_t()) const noexcept {
    return fetch<operation::bit_and>(operand, order);
  }
  // Stores the bitwise or of the integer and the operand. Returns the old value. order: any.
  CUDASYNC_API value_type fetch_or(value_type operand, memory_order order = seq_cst_t()) const noexcept {
    return fetch<operation::bit_or>(operand, order);
  }
  // Stores the bitwise exclusive or of the integer and the operand. Returns the old value. order: any.
  CUDASYNC_API value_type fetch_xor(value_type operand, memory_order order = seq_cst_t()) const noexcept {
    return fetch<operation::bit_xor>(operand, order);
  }

  // Adds to a number or a pointer, in elements. Integers wrap around. Returns nothing, so in global memory it is a RED
  // if PTX has one for the type. A fetch_add with an unused result becomes a RED only with the orders relaxed and
  // release. order: relaxed, release or seq_cst. Source: C++26 (P3111).
  template <class Order = seq_cst_t>
  CUDASYNC_API void store_add(operand_type operand, Order order = {}) const noexcept {
    update<operation::add>(scaled(operand), order);
  }
  // Subtracts without a result, so that it can be a RED. order: relaxed, release or seq_cst.
  template <class Order = seq_cst_t>
  CUDASYNC_API void store_sub(operand_type operand, Order order = {}) const noexcept {
    update<operation::add>(negative(scaled(operand)), order);
  }
  // Stores the smaller value without a result, so that it can be a RED. order: relaxed, release or seq_cst.
  template <class Order = seq_cst_t>
  CUDASYNC_API void store_min(value_type operand, Order order = {}) const noexcept {
    update<operation::min>(operand, order);
  }
  // Stores the larger value without a result, so that it can be a RED. order: relaxed, release or seq_cst.
  template <class Order = seq_cst_t>
  CUDASYNC_API void store_max(value_type operand, Order order = {}) const noexcept {
    update<operation::max>(operand, order);
  }
  // Stores the bitwise and without a result, so that it can be a RED. order: relaxed, release or seq_cst.
  template <class Order = seq_cst_t>
  CUDASYNC_API void store_and(value_type operand, Order order = {}) const noexcept {
    update<operation::bit_and>(operand, order);
  }
  // Stores the bitwise or without a result, so that it can be a RED. order: relaxed, release or seq_cst.
  template <class Order = seq_cst_t>
  CUDASYNC_API void store_or(value_type operand, Order order = {}) const noexcept {
    update<operation::bit_or>(operand, order);
  }
  // Stores the bitwise exclusive or without a result, so that it can be a RED. order: relaxed, release or seq_cst.
  template <class Order = seq_cst_t>
  CUDASYNC_API void store_xor(value_type operand, Order order = {}) const noexcept {
    update<operation::bit_xor>(operand, order);
  }

  // Adds one, or one element to a pointer. Returns the new value. Sequentially consistent.
  CUDASYNC_API value_type operator++() const noexcept { return *this += static_cast<operand_type>(1); }
  // Subtracts one, or one element from a pointer. Returns the new value. Sequentially consistent.
  CUDASYNC_API value_type operator--() const noexcept { return *this -= static_cast<operand_type>(1); }
  // Adds one, or one element to a pointer. Returns the old value. Sequentially consistent.
  CUDASYNC_API value_type operator++(int) const noexcept { return fetch_add(static_cast<operand_type>(1)); }
  // Subtracts one, or one element from a pointer. Returns the old value. Sequentially consistent.
  CUDASYNC_API value_type operator--(int) const noexcept { return fetch_sub(static_cast<operand_type>(1)); }
  // Adds, in elements for a pointer. Returns the new value. Sequentially consistent.
  CUDASYNC_API value_type operator+=(operand_type operand) const noexcept {
    return operation::add::apply(fetch_add(operand), scaled(operand));
  }
  // Subtracts, in elements for a pointer. Returns the new value. Sequentially consistent.
  CUDASYNC_API value_type operator-=(operand_type operand) const noexcept {
    return operation::add::apply(fetch_sub(operand), negative(scaled(operand)));
  }
  // Stores the bitwise and of the integer and the operand. Returns the new value. Sequentially consistent.
  CUDASYNC_API value_type operator&=(value_type operand) const noexcept {
    return operation::bit_and::apply(fetch_and(operand), operand);
  }
  // Stores the bitwise or of the integer and the operand. Returns the new value. Sequentially consistent.
  CUDASYNC_API value_type operator|=(value_type operand) const noexcept {
    return operation::bit_or::apply(fetch_or(operand), operand);
  }
  // Stores the bitwise exclusive or of the integer and the operand. Returns the new value. Sequentially consistent.
  CUDASYNC_API value_type operator^=(value_type operand) const noexcept {
    return operation::bit_xor::apply(fetch_xor(operand), operand);
  }

  // Wakes all host threads that sleep in wait, because objects share their places. Device threads do not sleep.
  CUDASYNC_API void notify_one(caller where = caller::here()) const noexcept { notify_all(where); }
  // Wakes all host threads that sleep in wait. Device threads do not sleep.
  CUDASYNC_API void notify_all(caller where = caller::here()) const noexcept {
    if constexpr (checked::is_on) checked::note_given(target::here{}, object_, where);
    backend::notify(target::here{}, object_);
  }

 private:
  template <class Order>
  static CUDASYNC_API void check_store([[maybe_unused]] Order order) {
    static_assert(is_order<Order>, "the order of an atomic operation is a cuda::memory_order");
    static_assert(
        may_store<Order>,
        "a store has nothing to acquire: use memory_order_relaxed, memory_order_release or memory_order_seq_cst");
    CUDASYNC_ASSERT(is_store_order(static_cast<memory_order>(order)),
                    "atomic: a store cannot have order consume, acquire or acq_rel; use relaxed, release or seq_cst");
  }
  template <class Operation, class Order>
  static CUDASYNC_API constexpr bool accepts() {
    static_assert(is_order<Order>, "the order of an atomic operation is a cuda::memory_order");
    static_assert(
        kind_of<value_type> != number_kind::none || !is_same<Operation, operation::add>,
        "arithmetic needs an integer, a floating-point number or a pointer: use compare_exchange_weak in a loop, or, "
        "to add to float2, float4 or a pair of 16-bit numbers, cudasync::device::store_add_elements");
    static_assert(operation::has_order<value_type> || !operation::is_comparison<Operation>,
                  "fetch_min and fetch_max need an operator<: define it for the type");
    static_assert(is_integer<value_type> || is_same<value_type, bool> || !operation::is_bitwise<Operation>,
                  "bitwise operations need an integer or a bool: use compare_exchange_weak in a loop");
    return true;
  }

  // A pointer's operand in bytes.
  static CUDASYNC_API operand_type scaled(operand_type operand) {
    if constexpr (kind_of<value_type> == number_kind::pointer)
      return operand * static_cast<ptrdiff_t>(sizeof(*value_type()));
    else
      return operand;
  }
  static CUDASYNC_API auto negative(operand_type operand) {
    if constexpr (kind_of<value_type> == number_kind::half || kind_of<value_type> == number_kind::bfloat)
      return from_bits<operand_type>(static_cast<uint16>(to_bits<uint16>(operand) ^ 0x8000));
    else if constexpr (is_integer<operand_type>)
      return 0 - static_cast<typename operation::unsigned_of<operand_type>::type>(operand);  // an int if it is narrower
    else if constexpr (kind_of<value_type> == number_kind::floating)
      return -operand;
    else
      return operand;  // `accepts` rejects it
  }

  template <class Operation, class Operand, class Order>
  CUDASYNC_API value_type fetch(const Operand& operand, Order order) const {
    static_assert(accepts<Operation, Order>());
    const value_type old = backend::fetch<Scope, Room, Operation>(target::here{}, *object_, operand, order);
    if constexpr (checked::is_on && (is_same<Operation, operation::add> || operation::is_bitwise<Operation>))
      if (releases(order) || acquires(order))
        checked::note_changed(target::here{}, object_, old, Operation::apply(old, operand),
                              operation::is_bitwise<Operation> ? checked::change::of_bits : checked::change::addition);
    return old;
  }
  template <class Operation, class Operand, class Order>
  CUDASYNC_API void update(const Operand& operand, Order order) const {
    static_assert(accepts<Operation, Order>());
    check_store<Order>(order);
    if constexpr (kind_of<value_type> == number_kind::none)
      static_cast<void>(fetch<Operation>(operand, order));
    else
      backend::update<Scope, Room, Operation>(target::here{}, *object_, operand, order);
  }
};

// A const object can only be read.
template <class Object, thread_scope Scope, size_t Room>
class atomic_reference<const Object, Scope, Room> : public atomic_reader<const Object, Scope, Room> {
 public:
  using atomic_reader<const Object, Scope, Room>::atomic_reader;
};

// Atomic operations on an existing object. As long as there is such a reference to the object, all accesses to it must
// go through one. The object must be aligned to required_alignment. The checked build reports an object that is not. A
// reference to a const object can only load and wait.
//
// On the device, read-modify-writes of 8 and 16 bits are loops around a compare-exchange of 16 bits, which also
// contains the neighboring byte.
template <class Object, thread_scope Scope = thread_scope_system>
class atomic_ref : public atomic_reference<Object, Scope, sizeof(Object)> {
  using base = atomic_reference<Object, Scope, sizeof(Object)>;

 public:
  // Refers to the object, which must be aligned to required_alignment and must outlive the reference.
  CUDASYNC_API constexpr explicit atomic_ref(Object& object) : base(object) {
    static_assert(require_referenceable_type<remove_cv<Object>>());
    CUDASYNC_ASSERT(reinterpret_cast<uintptr>(&object) % base::required_alignment == 0,
                    "atomic_ref: the object is not aligned to required_alignment; use alignas");
  }
  atomic_ref(const atomic_ref&) = default;
  atomic_ref& operator=(const atomic_ref&) = delete;
  atomic_ref& operator=(const atomic_ref&) const = delete;

  using base::operator=;

  // Returns the address of the object.
  [[nodiscard]] CUDASYNC_API constexpr same_cv<Object, void>* address() const noexcept { return base::object_; }
};

template <class Object>
atomic_ref(Object&) -> atomic_ref<Object>;

namespace standard {

// A class of its own, so that atomic_ref r(x) deduces its template argument in C++17. Source: [atomics.ref.generic].
template <class Object>
class atomic_ref : public cudasync::atomic_ref<Object, thread_scope_system> {
  using base = cudasync::atomic_ref<Object, thread_scope_system>;

 public:
  // Refers to the object, which must be aligned to required_alignment and must outlive the reference.
  CUDASYNC_API constexpr explicit atomic_ref(Object& object) : base(object) {}
  atomic_ref(const atomic_ref&) = default;
  atomic_ref& operator=(const atomic_ref&) = delete;
  atomic_ref& operator=(const atomic_ref&) const = delete;

  using base::operator=;
};

template <class Object>
atomic_ref(Object&) -> atomic_ref<Object>;

}  // namespace standard
}}  // namespace cudasync::CUDASYNC_ABI

#endif
