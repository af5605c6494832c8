// Atomic loads, stores and compare-exchanges on the device, of objects of any size.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_ATOMIC_ATOMIC_DEVICE_H
#define CUDASYNC_BACKEND_ATOMIC_ATOMIC_DEVICE_H

#include <cudasync/core/target.h>

#if CUDASYNC_DEVICE_PASS

#include <cudasync/backend/order/access_device.h>
#include <cudasync/backend/order/order_device.h>
#include <cudasync/core/bits.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/memory_order.h>
#include <cudasync/core/same_value.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/traits.h>
#include <cudasync/ptx/atom.h>
#include <cudasync/ptx/ld_st.h>
#include <cudasync/ptx/qualifiers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

// True: the result of a function that only a static_assert calls generates no code.
template <class Value>
CUDASYNC_DEVICE constexpr bool require_instructions() {
  static_assert(
      sizeof(Value) < 16 || ptx::has_b128(),
      "16-byte atomics need PTX ISA 8.4: compile with CUDA 12.4 or newer, or use an atomic pointer to the 16-byte "
      "value");
  return true;
}

// --- Loads and stores ---

template <thread_scope Scope, memory_order Order, class Value>
struct load_access {
  enum : bool { prefers_global = false, fails_in_other_block = false };

  const Value& object;

  CUDASYNC_DEVICE word_of<Value> operator()(in_private_memory) const { return to_bits<word_of<Value>>(object); }
  template <class Pointer>
  CUDASYNC_DEVICE word_of<Value> operator()(Pointer word) const {
    return ptx::ld(sem_on_device<Order>{}, scope_on_device<Scope>{}, word);
  }
};

template <thread_scope Scope, class Value, memory_order Order>
[[nodiscard]] CUDASYNC_DEVICE Value load(target::sm70, const Value& object, order_constant<Order> order) {
  static_assert(require_instructions<Value>());
  leading_fence<Scope>(order);
  return from_bits<Value>(access<Scope, word_of<Value>>(&object, load_access<Scope, Order, Value>{object}));
}

template <thread_scope Scope, memory_order Order, class Value>
struct store_access {
  enum : bool { prefers_global = false, fails_in_other_block = false };

  Value& object;
  word_of<Value> bits;

  CUDASYNC_DEVICE void operator()(in_private_memory) const { set_bits(object, bits); }
  template <class Pointer>
  CUDASYNC_DEVICE void operator()(Pointer word) const {
    ptx::st(store_sem_on_device<Order>{}, scope_on_device<Scope>{}, word, bits);
  }
};

template <thread_scope Scope, class Value, memory_order Order>
CUDASYNC_DEVICE void store(target::sm70, Value& object, identity<const Value&> value, order_constant<Order> order) {
  static_assert(require_instructions<Value>());
  leading_fence<Scope>(order);
  access<Scope, word_of<Value>>(&object, store_access<Scope, Order, Value>{object, to_bits<word_of<Value>>(value)});
}

// --- Compare-exchange ---

// The word on which a compare-exchange of an object acts, and the position of the object in this word. An object that
// owns four bytes is at the beginning of a 32-bit word. An object that owns fewer bytes is a 16-bit word or a part of
// one. For these, ptxas generates a loop over 32 bits, but memory checkers know that it accesses no other bytes.
template <class Value, size_t Room>
struct placement {
  static constexpr bool is_part = sizeof(Value) < 4 && (Room >= 4 || sizeof(Value) == 1);
  using word_type = conditional<!is_part, word_of<Value>, conditional<(Room >= 4), uint32, uint16>>;

  CUDASYNC_DEVICE explicit placement(const Value& object) {
    constexpr bool may_be_second = sizeof(Value) == 1 && Room < 4;
    offset = may_be_second ? static_cast<uint32>(reinterpret_cast<uintptr>(&object)) & 1 : 0;
  }

  CUDASYNC_DEVICE word_of<Value> extract(word_type word) const {
    if constexpr (is_part)
      return static_cast<word_of<Value>>(word >> 8 * offset);
    else
      return word;
  }
  CUDASYNC_DEVICE word_type replace(word_type word, word_of<Value> part) const {
    const uint32 bytes = sizeof(Value) == 2 ? 0x3254 : offset != 0 ? 0x3240 : 0x3214;  // 4, 5: of the part
    if constexpr (is_part)
      return static_cast<word_type>(__byte_perm(word, part, bytes));
    else
      return part;
  }

  uint32 offset;
};

template <thread_scope Scope, memory_order Order, class Value, size_t Room>
struct compare_exchange_access {
  enum : bool { prefers_global = false, fails_in_other_block = false };

  Value& object;
  const placement<Value, Room>& place;
  word_of<Value> expected;
  word_of<Value> desired;

  CUDASYNC_DEVICE word_of<Value> operator()(in_private_memory) const {
    const auto before = to_bits<word_of<Value>>(object);
    auto after = before;  // a conditional expression of two words of 16 bytes would keep them in memory
    if (before == expected) after = desired;
    set_bits(object, after);
    return before;
  }

  template <class Pointer>
  CUDASYNC_DEVICE word_of<Value> operator()(Pointer word) const {
    constexpr scope_on_device<Scope> scope{};
    constexpr sem_on_device<Order> sem{};
    if constexpr (!placement<Value, Room>::is_part) {
      return ptx::atom(sem, scope, ptx::op_cas_t{}, address_for<ptx::op_cas_t>(word), expected, desired);
    } else if constexpr (Room >= 4) {  // zeros follow the object; if an addition has carried, the loop tries again
      uint32 before = expected, seen = ptx::atom(sem, scope, ptx::op_cas_t{}, word, before, uint32{desired});
      while (seen != before && place.extract(seen) == expected) {
        before = seen;
        seen = ptx::atom(sem, scope, ptx::op_cas_t{}, word, before, place.replace(before, desired));
      }
      return place.extract(seen);
    } else {  // neighbors are read first; if the part is then not as expected, only an order needs the instruction
      for (auto before = ptx::ld(ptx::sem_relaxed_t{}, scope, word);;) {
        const bool is_expected = place.extract(before) == expected;
        if (Order == memory_order::relaxed && !is_expected) return place.extract(before);
        const auto after = is_expected ? place.replace(before, desired) : before;
        const auto seen = ptx::atom(sem, scope, ptx::op_cas_t{}, word, before, after);
        if (seen == before) return place.extract(seen);
        before = seen;
      }
    }
  }
};

template <thread_scope Scope, size_t Room, class Value, memory_order Order>
[[nodiscard]] CUDASYNC_DEVICE bool compare_exchange(target::sm70, Value& object, Value& expected,
                                                    identity<const Value&> desired, order_constant<Order> order) {
  static_assert(require_instructions<Value>());
  static_assert(sizeof(Value) < 16 || has_clusters || !target::is_at_least<target::here, target::sm70>,
                "16-byte compare-exchange needs sm_90: compile for it, or use an atomic pointer to the 16-byte value");
  leading_fence<Scope>(order);
  const placement<Value, Room> place(object);
  const auto wanted = to_bits<word_of<Value>>(expected);
  const auto bits = to_bits<word_of<Value>>(desired);
  word_of<Value> before = wanted;
  bool is_expected;
  do {  // again if only padding differs: then the bytes of the object are expected
    const auto compared = before;
    before = access<Scope, typename placement<Value, Room>::word_type>(
        &object, compare_exchange_access<Scope, Order, Value, Room>{object, place, compared, bits}, place.offset);
    is_expected = before == compared;
  } while (has_padding<Value> && !is_expected && is_same_representation<Value>(before, wanted));
  if (!is_expected) set_bits(expected, before);
  return is_expected;
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif  // CUDASYNC_DEVICE_PASS

#endif
