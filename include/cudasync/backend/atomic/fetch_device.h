// Atomic read-modify-writes on the device: with one instruction, or with a loop if there is none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_ATOMIC_FETCH_DEVICE_H
#define CUDASYNC_BACKEND_ATOMIC_FETCH_DEVICE_H

#include <cudasync/core/target.h>

#if CUDASYNC_DEVICE_PASS

#include <cudasync/backend/atomic/atomic_device.h>
#include <cudasync/backend/order/access_device.h>
#include <cudasync/backend/order/order_device.h>
#include <cudasync/core/bits.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/memory_order.h>
#include <cudasync/core/number_kind.h>
#include <cudasync/core/operation.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/traits.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/arithmetic.h>
#include <cudasync/ptx/atom.h>
#include <cudasync/ptx/qualifiers.h>
#include <cudasync/ptx/red.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

// The instruction of an operation on a type, if there is one.
template <class Operation, class WordType>
struct instruction {
  using operation_type = Operation;
  using word_type = WordType;
};
struct no_instruction {};

template <class Value, size_t Size>
using signed_as =
    conditional<is_signed_integer<Value>, conditional<Size == 4, int32, int64>, conditional<Size == 4, uint32, uint64>>;

template <class Operation, class Value, size_t Room>
CUDASYNC_DEVICE constexpr auto instruction_for() {
  constexpr number_kind kind = kind_of<Value>;
  constexpr bool is_whole = kind == number_kind::integer || kind == number_kind::pointer;
  constexpr size_t size = sizeof(Value) < 4 && Room >= 4 ? 4 : sizeof(Value);
  constexpr bool is_word = size == 4 || size == 8;
  using word = typename word_of_size<size>::type;
  if constexpr (is_same<Operation, operation::add> && is_whole && is_word)
    return instruction<ptx::op_add_t, word>{};
  else if constexpr (is_same<Operation, operation::add> && kind == number_kind::floating)
    return instruction<ptx::op_add_t, Value>{};
  else if constexpr (is_same<Operation, operation::add> && kind == number_kind::half)  // .f16 would be a loop
    return instruction<conditional<is_word, ptx::op_add_f16x2_t, ptx::op_add_f16_t>, word>{};
  else if constexpr (is_same<Operation, operation::add> && kind == number_kind::bfloat && has_clusters)
    return instruction<conditional<is_word, ptx::op_add_bf16x2_t, ptx::op_add_bf16_t>, word>{};
  else if constexpr (is_same<Operation, operation::min> && is_whole && sizeof(Value) >= 4 && is_word)
    return instruction<ptx::op_min_t, signed_as<Value, size>>{};
  else if constexpr (is_same<Operation, operation::max> && is_whole && sizeof(Value) >= 4 && is_word)
    return instruction<ptx::op_max_t, signed_as<Value, size>>{};
  else if constexpr (is_same<Operation, operation::bit_and> && is_word)
    return instruction<ptx::op_and_op_t, word>{};
  else if constexpr (is_same<Operation, operation::bit_or> && is_word)
    return instruction<ptx::op_or_op_t, word>{};
  else if constexpr (is_same<Operation, operation::bit_xor> && is_word)
    return instruction<ptx::op_xor_op_t, word>{};
  else if constexpr (is_same<Operation, operation::exchange> && (is_word || size == 16))
    return instruction<ptx::op_exch_t, word>{};
  else
    return no_instruction{};
}

// The bits of the sum, the minimum and so on.
template <class Operation, class Instruction, class Value, class Bits, class Operand>
CUDASYNC_DEVICE Bits result_of(Bits before, const Operand& operand) {
  using operation_type = typename Instruction::operation_type;
  if constexpr (adds_two_halves<operation_type>)
    return ptx::add(operation_type{}, before, to_bits<Bits>(operand));
  else
    return to_bits<Bits>(Value(Operation::apply(from_bits<Value>(before), operand)));
}

// bits: those of the operand. They are computed once, before the tests of the memory space. In each branch after them,
// the compiler (13.0) would keep an operand of 16 bytes in local memory.
template <thread_scope Scope, memory_order Order, class Operation, class Instruction, class Value, class Operand>
struct fetch_access {
  using word_type = typename Instruction::word_type;
  enum : bool {
    prefers_global = adds_two_halves<typename Instruction::operation_type>,
    fails_in_other_block = is_wrong_in_other_block<typename Instruction::operation_type, word_type>
  };

  Value& object;
  const word_type bits;

  CUDASYNC_DEVICE word_type operator()(in_private_memory) const {
    const auto before = to_bits<word_type>(object);
    object = Operation::apply(from_bits<Value>(before), from_bits<Operand>(bits));
    return before;
  }
  template <template <class> class Pointer>
  CUDASYNC_DEVICE word_type operator()(Pointer<word_type> word) const {
    using operation = typename Instruction::operation_type;
    constexpr scope_on_device<Scope> scope{};
    if constexpr (!has_right_code<operation, Pointer<word_type>>) {
      using whole = typename word_of_size<sizeof(word_type)>::type;
      fence_before<Scope, Order>();
      const whole before = fetch_in_loop<Order>(scope, Pointer<whole>{word.address}, [this](whole found) {
        return result_of<Operation, Instruction, Value>(found, from_bits<Operand>(bits));
      });
      fence_after<Scope, Order>();
      return from_bits<word_type>(before);
    } else if constexpr (keeps_order<operation, Pointer<word_type>>) {
      return ptx::atom(sem_on_device<Order>{}, scope, operation{}, address_for<operation>(word), bits);
    } else {
      fence_before<Scope, Order>();
      const auto at = address_for<operation>(word);
      constexpr bool is_generic = is_same<decltype(at), const ptx::generic_pointer<word_type>>;
      const word_type before = ptx::atom(sem_between_fences<Order, is_generic>{}, scope, operation{}, at, bits);
      fence_after<Scope, Order>();
      return before;
    }
  }
};

// The same for an operation whose result is unused. In global memory, this is a RED.
template <thread_scope Scope, memory_order Order, class Operation, class Instruction, class Value, class Operand>
struct update_access : fetch_access<Scope, Order, Operation, Instruction, Value, Operand> {
  using base = fetch_access<Scope, Order, Operation, Instruction, Value, Operand>;
  using typename base::word_type;
  enum : bool { prefers_global = true };

  using base::operator();
  CUDASYNC_DEVICE word_type operator()(ptx::global_pointer<word_type> word) const {
    ptx::red(sem_on_device<Order>{}, scope_on_device<Scope>{}, typename Instruction::operation_type{}, word,
             this->bits);
    return {};
  }
};

// For operations without an instruction. The caller adds fences once, instead of one per iteration.
template <thread_scope Scope, memory_order Order, class Operation, class Value, size_t Room, class Operand>
struct fetch_loop_access {
  enum : bool { prefers_global = false, fails_in_other_block = false };

  Value& object;
  const placement<Value, Room>& place;
  const Operand& operand;

  CUDASYNC_DEVICE word_of<Value> operator()(in_private_memory) const {
    const Value before = object;
    object = Operation::apply(before, operand);
    return to_bits<word_of<Value>>(before);
  }
  template <class Pointer>
  CUDASYNC_DEVICE word_of<Value> operator()(Pointer word) const {
    using bits = typename placement<Value, Room>::word_type;
    return place.extract(fetch_in_loop<Order>(scope_on_device<Scope>{}, word, [&](bits before) {
      const Value result = Operation::apply(from_bits<Value>(place.extract(before)), operand);
      return place.replace(before, to_bits<word_of<Value>>(result));
    }));
  }
};

// The compiler has functions for these, with which it takes 0.6 of the time. Before sm_90, it would compute an address
// in shared memory with more instructions. For acquires in unknown memory, see sem_between_fences.
template <thread_scope Scope, class Operation, class Word>
inline constexpr bool has_function =
    ptx::has_assumptions_about_spaces() && target::is_at_least<device_here, target::sm90> &&
    Scope != thread_scope_thread && Scope != thread_scope_cluster && sizeof(Word) == 4 &&
    !is_same<Operation, ptx::op_exch_t> && !adds_two_halves<Operation>;

template <template <thread_scope, memory_order, class...> class Access, thread_scope Scope, memory_order Order,
          class Operation, class Instruction, class Value, class Operand>
CUDASYNC_DEVICE Value fetch_by(Value& object, const Operand& operand) {
  using accessor = Access<Scope, Order, Operation, Instruction, Value, Operand>;
  using word = typename Instruction::word_type;
  using instruction = typename Instruction::operation_type;
  if constexpr (!accessor::prefers_global && has_function<Scope, instruction, word>) {
    const ptx::tested_address tested(&object);
    const automatic_answer automatic = knows_automatic(tested);
    if (automatic.is_known) {
      const Value before = object;
      object = Operation::apply(before, operand);
      return before;
    }
    if constexpr (acquires(Order))
      if (!knows_space(tested))
        return from_bits<Value>(
            accessor{object, to_bits<word>(operand)}(ptx::to_generic_pointer(reinterpret_cast<const word*>(&object))));
    fence_before<Scope, Order>();
    void* const place = automatic.may_be ? __cvta_global_to_generic(0) : &object;  // else the function warns
    const word before =
        ptx::atom_known(scope_on_device<Scope>{}, instruction{}, static_cast<word*>(place), to_bits<word>(operand));
    fence_after<Scope, Order>();
    return from_bits<Value>(before);
  } else {
    return from_bits<Value>(access<Scope, word>(&object, accessor{object, to_bits<word>(operand)}));
  }
}

template <template <thread_scope, memory_order, class...> class Access, thread_scope Scope, memory_order Order,
          size_t Room, class Operation, class Value, class Operand>
CUDASYNC_DEVICE Value fetch_with(Value& object, const Operand& operand) {
  using found = decltype(instruction_for<Operation, Value, Room>());
  constexpr bool is_max = is_same<Operation, operation::max>;
  if constexpr (kind_of<Value> == number_kind::floating && (is_max || is_same<Operation, operation::min>)) {
    // With integers: if the operand is not negative, its order relative to any float is that of the signed integers
    // with the same bits. If it is negative, the greater float is the smaller unsigned integer, because the sign bit
    // makes a negative number a large unsigned integer.
    using integer = conditional<sizeof(Value) == 4, int32, int64>;
    using if_positive = instruction<conditional<is_max, ptx::op_max_t, ptx::op_min_t>, integer>;
    using if_negative = instruction<conditional<is_max, ptx::op_min_t, ptx::op_max_t>, word_of<Value>>;
    if (to_bits<integer>(operand) >= 0) return fetch_by<Access, Scope, Order, Operation, if_positive>(object, operand);
    return fetch_by<Access, Scope, Order, Operation, if_negative>(object, operand);
  } else if constexpr (!is_same<found, no_instruction>) {
    return fetch_by<Access, Scope, Order, Operation, found>(object, operand);
  } else {
    const placement<Value, Room> place(object);
    fence_before<Scope, Order>();
    const auto before = access<Scope, typename placement<Value, Room>::word_type>(
        &object, fetch_loop_access<Scope, Order, Operation, Value, Room, Operand>{object, place, operand},
        place.offset);
    fence_after<Scope, Order>();
    return from_bits<Value>(before);
  }
}

template <thread_scope Scope, size_t Room, class Operation, class Value, class Operand, memory_order Order>
CUDASYNC_DEVICE Value fetch(target::sm70, Value& object, const Operand& operand, order_constant<Order> order) {
  static_assert(require_instructions<Value>());
  static_assert(sizeof(Value) < 16 || has_clusters || !target::is_at_least<target::here, target::sm70>,
                "16-byte read-modify-writes need sm_90: compile for it, or use an atomic pointer to the 16-byte value");
  leading_fence<Scope>(order);
  return fetch_with<fetch_access, Scope, Order, Room, Operation>(object, operand);
}

template <thread_scope Scope, size_t Room, class Operation, class Value, class Operand, memory_order Order>
CUDASYNC_DEVICE void update(target::sm70, Value& object, const Operand& operand, order_constant<Order> order) {
  constexpr memory_order at_access = Order == memory_order::release ? Order : memory_order::relaxed;
  leading_fence<Scope>(order);
  static_cast<void>(fetch_with<update_access, Scope, at_access, Room, Operation>(object, operand));
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif  // CUDASYNC_DEVICE_PASS

#endif
