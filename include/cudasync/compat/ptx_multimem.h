// cuda::ptx: loads, stores and atomics on the memory of several GPUs at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_PTX_MULTIMEM_H
#define CUDASYNC_COMPAT_PTX_MULTIMEM_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/compat/ptx.h>
#include <cudasync/compat/ptx_checks.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/traits.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/multimem.h>
#include <cudasync/ptx/qualifiers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace compat {

// Whether multimem has an operation: on integers of 4 or 8 bytes, and on the bits of any type of these sizes.
template <class Op, class Value>
inline constexpr bool has_multimem =
    combined_as<Op, Value>::is_word && is_trivially_copyable<Value> &&
    (combined_as<Op, Value>::is_bitwise ||
     (is_integer<Value> && (is_same<Op, ptx::op_add_t> || is_same<Op, ptx::op_min_t> || is_same<Op, ptx::op_max_t>)));

// If there is no such operation, any type that keeps other errors away.
template <class Op, class Value>
using multimem_operand = conditional<has_multimem<Op, Value>, typename combined_as<Op, Value>::type, uint32>;

template <class Op, class Value>
CUDASYNC_DEVICE void check_multimem() {
  check_sm90<Value>();
  check_isa_81<Value>();
  static_assert(has_multimem<Op, Value>,
                "multimem has no such operation on this type: cuda::ptx adds, or takes the minimum or the maximum of, "
                "integers of 4 or 8 bytes, and combines the bits of any type of these sizes");
}

namespace ptx_names {

// Loads the value of each GPU at a multicast address, and returns their combination. Weak. multimem.ld_reduce.
template <class Op, class Value>
CUDASYNC_DEVICE Value multimem_ld_reduce(sem_weak_t sem, Op op, const Value* place) {
  check_multimem<Op, Value>();
  using operand = multimem_operand<Op, Value>;
  return from_bits<Value>(ptx::multimem_ld_reduce(sem, op, ptx::global_pointer<operand>{ptx::offset_in_global(place)}));
}

// Loads the value of each GPU at a multicast address, and returns their combination. Relaxed or acquire, at the scope.
// multimem.ld_reduce.
template <dot_sem Sem, dot_scope Scope, class Op, class Value>
CUDASYNC_DEVICE Value multimem_ld_reduce(sem_t<Sem> sem, scope_t<Scope> scope, Op op, const Value* place) {
  check_multimem<Op, Value>();
  static_assert(
      Sem == dot_sem::relaxed || Sem == dot_sem::acquire,
      "multimem_ld_reduce is relaxed or acquires: use sem_relaxed or sem_acquire, or sem_weak without a scope");
  using operand = multimem_operand<Op, Value>;
  return from_bits<Value>(
      ptx::multimem_ld_reduce(sem, scope, op, ptx::global_pointer<operand>{ptx::offset_in_global(place)}));
}

// Combines an operand with each GPU's value at a multicast address. Relaxed or release, at the scope. multimem.red.
template <dot_sem Sem, dot_scope Scope, class Op, class Value>
CUDASYNC_DEVICE void multimem_red(sem_t<Sem> sem, scope_t<Scope> scope, Op op, Value* place, identity<Value> value) {
  check_multimem<Op, Value>();
  static_assert(Sem == dot_sem::relaxed || Sem == dot_sem::release,
                "multimem_red is relaxed or releases: use sem_relaxed or sem_release");
  using operand = multimem_operand<Op, Value>;
  ptx::multimem_red(sem, scope, op, ptx::global_pointer<operand>{ptx::offset_in_global(place)},
                    to_bits<operand>(value));
}

// Stores a value of 4 or 8 bytes to the memory of each GPU at a multicast address. Weak. multimem.st.
template <class Value>
CUDASYNC_DEVICE void multimem_st(sem_weak_t sem, Value* place, identity<Value> value) {
  check_sm90<Value>();
  check_isa_81<Value>();
  using bits = conditional<sizeof(Value) == 8, uint64, uint32>;
  ptx::multimem_st(sem, ptx::global_pointer<bits>{ptx::offset_in_global(place)}, operand_bits<bits>(value));
}

// Stores 4 or 8 bytes to each GPU at a multicast address. Relaxed or release, at the scope. multimem.st.
template <dot_sem Sem, dot_scope Scope, class Value>
CUDASYNC_DEVICE void multimem_st(sem_t<Sem> sem, scope_t<Scope> scope, Value* place, identity<Value> value) {
  check_sm90<Value>();
  check_isa_81<Value>();
  static_assert(Sem == dot_sem::relaxed || Sem == dot_sem::release,
                "multimem_st is relaxed or releases: use sem_relaxed or sem_release, or sem_weak without a scope");
  using bits = conditional<sizeof(Value) == 8, uint64, uint32>;
  ptx::multimem_st(sem, scope, ptx::global_pointer<bits>{ptx::offset_in_global(place)}, operand_bits<bits>(value));
}

}  // namespace ptx_names
}}}  // namespace cudasync::CUDASYNC_ABI::compat

#endif  // CUDASYNC_CUDA

#endif
