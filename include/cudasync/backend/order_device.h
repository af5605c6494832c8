// Read-modify-writes for which ptxas generates wrong code, and what is right instead: the one place that knows them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_ORDER_DEVICE_H
#define CUDASYNC_BACKEND_ORDER_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/backend/access_device.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/memory_order.h>
#include <cudasync/core/number_kind.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/qualifiers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

// In shared memory, and in another block's, there is no instruction for these, and ptxas makes loops of them. For sm_90 and
// newer it drops their order (12.9 and 13.0): neither MEMBAR nor CCTL is left, and accesses move across. So they are relaxed,
// between fences. On every target: a driver may assemble the PTX of an older one for sm_90.
// test/support/order_audit.py looks for others in the code of every instruction.
template <class Operation, class Word>
inline constexpr bool loses_order = !is_same<Operation, ptx::op_exch_t> && !is_same<Operation, ptx::op_cas_t> &&
                                    (sizeof(Word) == 8 || is_float<Word> || is_same<Operation, ptx::op_add_f16x2_t> ||
                                     is_same<Operation, ptx::op_add_bf16x2_t>);

template <class Operation, class Pointer>
inline constexpr bool keeps_order = true;
template <class Operation, class Word>
inline constexpr bool keeps_order<Operation, ptx::shared_pointer<Word>> = !loses_order<Operation, Word>;
template <class Operation, class Word>
inline constexpr bool keeps_order<Operation, ptx::generic_pointer<Word>> = !loses_order<Operation, Word>;

// In another block's shared memory the hardware exchanges and compares 64 bits, and of other operations on them ptxas (13.0)
// makes a load and a store, which are not atomic: they are to be loops around a compare-exchange.
template <class Operation, class Pointer>
inline constexpr bool is_atomic_at = true;
template <class Operation, class Word>
inline constexpr bool is_atomic_at<Operation, ptx::generic_pointer<Word>> =
    sizeof(Word) != 8 || is_same<Operation, ptx::op_exch_t> || is_same<Operation, ptx::op_cas_t>;

// A relaxed access, with fences in place of its order. Sequential consistency has its fence before the operation (lead).
template <thread_scope Scope, memory_order Order, class Access>
CUDASYNC_DEVICE auto between_fences(const Access& access) {
  constexpr device_here here{};
  if constexpr (releases(Order) && Order != memory_order::seq_cst) fence<Scope>(here, memory_order_release);
  const auto before = access();
  if constexpr (acquires(Order)) fence<Scope>(here, memory_order_acquire);
  return before;
}

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA

#endif
