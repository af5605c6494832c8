// The read-modify-writes for which ptxas generates wrong code, and their correct replacements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_ORDER_ORDER_DEVICE_H
#define CUDASYNC_BACKEND_ORDER_ORDER_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/backend/order/access_device.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/memory_order.h>
#include <cudasync/core/number_kind.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/atom.h>
#include <cudasync/ptx/fence.h>
#include <cudasync/ptx/ld_st.h>
#include <cudasync/ptx/qualifiers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

// The hardware has no instruction for these operations in shared memory, of this block or of another block, and ptxas
// generates loops. For sm_90 and newer, ptxas (12.9 and 13.0) drops their order: the code has neither MEMBAR nor CCTL,
// and accesses move across it. So these operations are relaxed, between fences. This applies to every target, because a
// driver may assemble the PTX of an older target for sm_90. tools/cudasync_tools/order_audit.py searches the code of
// every instruction for more such operations.
template <class Operation, class Word>
inline constexpr bool loses_order =
    !is_same<Operation, ptx::op_exch_t> && !is_same<Operation, ptx::op_cas_t> && (sizeof(Word) == 8 || is_float<Word>);

template <class Operation, class Pointer>
inline constexpr bool keeps_order = true;
template <class Operation, class Word>
inline constexpr bool keeps_order<Operation, ptx::shared_pointer<Word>> = !loses_order<Operation, Word>;
template <class Operation, class Word>
inline constexpr bool keeps_order<Operation, ptx::generic_pointer<Word>> = !loses_order<Operation, Word>;

// For two operations, ptxas (13.0) generates code with wrong results, so they must be compare-exchange loops:
// - In another block's shared memory, operations on 64-bit integers become a load and a store, which are not atomic, if
//   the hardware has no instruction. Hopper has those for exchange, compare-exchange and addition. For newer GPUs, on
//   which additions were not measured, they are loops, too. An addition of double becomes a loop, which is atomic.
// - An addition of two halves in shared memory becomes a loop. If its operand is a part of a 64-bit value, the loop
//   adds the wrong 16 bits to the upper half. ptx/atom.h has that instruction only for global memory.
template <class Operation, class Word>
inline constexpr bool is_wrong_in_other_block =
    sizeof(Word) == 8 && !is_float<Word> && !is_same<Operation, ptx::op_exch_t> && !is_same<Operation, ptx::op_cas_t> &&
    (!is_same<Operation, ptx::op_add_t> || target::is_at_least<device_here, target::sm100>);

template <class Operation>
inline constexpr bool adds_two_halves =
    is_same<Operation, ptx::op_add_f16x2_t> || is_same<Operation, ptx::op_add_bf16x2_t>;

template <class Operation, class Pointer>
inline constexpr bool has_right_code = !adds_two_halves<Operation>;
template <class Operation, class Word>
inline constexpr bool has_right_code<Operation, ptx::global_pointer<Word>> = true;
template <class Operation, class Word>
inline constexpr bool has_right_code<Operation, ptx::other_block_pointer<Word>> = false;

// From sm_90 on, the hardware adds 64 bits in this block's shared memory, but only with a generic address. With
// .shared, ptxas generates a loop, which takes 1.4 times as long, and 3.4 times as long if threads compete (H200). With
// a generic address, it generates one instruction, and the loop for what the hardware cannot do. Both lose their order.
template <class Operation, class Word>
inline constexpr bool has_generic_addition = has_clusters && is_same<Operation, ptx::op_add_t> && is_same<Word, uint64>;

// The address with which the operation is fastest. In global memory, an exchange or a compare-exchange without a result
// takes up to 90 times as long with .global as with a generic address. With one, it takes as long, except that a
// compare-exchange of 64 bits is faster with .global (H100).
template <class Operation, template <class> class Pointer, class Word>
CUDASYNC_DEVICE auto address_for(Pointer<Word> word) {
  constexpr bool is_cas = is_same<Operation, ptx::op_cas_t> && (sizeof(Word) == 4 || sizeof(Word) == 16);
  if constexpr ((is_cas || is_same<Operation, ptx::op_exch_t>) && is_same<Pointer<Word>, ptx::global_pointer<Word>>)
    return ptx::generic_pointer<Word>{word.address};
  else if constexpr (has_generic_addition<Operation, Word> && is_same<Pointer<Word>, ptx::shared_pointer<Word>>)
    return ptx::to_generic_pointer(static_cast<const Word*>(ptx::to_generic(ptx::shared_address{word.address})));
  else
    return word;
}

// The order of an access between fences. Before sm_90, an acquire fence waits for the stores of the thread, longer than
// an atomic instruction takes. There, the access acquires, and the fence after it is for shared memory. So does one
// with a generic address: ptxas (13.0) waits for it before an acquire fence only if its result is used.
template <memory_order Order, bool IsGeneric = false>
using sem_between_fences =
    ptx::sem_t<acquires(Order) && (IsGeneric || !has_clusters) ? ptx::dot_sem::acquire : ptx::dot_sem::relaxed>;

// Compares and exchanges a word until next(before) takes its place. Returns the word before. The first load has the
// scope of the updates: at a narrower one, it would race with updates by other blocks.
template <memory_order Order, class Scope, class Pointer, class Next>
CUDASYNC_DEVICE auto fetch_in_loop(Scope scope, Pointer word, const Next& next) {
  auto before = ptx::ld(ptx::sem_relaxed_t{}, scope, word);
  while (true) {
    const auto seen = ptx::atom(sem_between_fences<Order>{}, scope, ptx::op_cas_t{}, word, before, next(before));
    if (seen == before) break;
    before = seen;
  }
  ptx::keep_order();  // behind the loop, so that its exit is not one of the caller: ptxas (13.0) would peel the loop
  return before;
}

// The fences that give an access between them an order. leading_fence makes the one of sequential consistency.
template <thread_scope Scope, memory_order Order>
CUDASYNC_DEVICE void fence_before() {
  if constexpr (releases(Order) && Order != memory_order::seq_cst)
    fence<Scope>(device_here{}, memory_order_release_t{});
}
template <thread_scope Scope, memory_order Order>
CUDASYNC_DEVICE void fence_after() {
  constexpr thread_scope scope = has_clusters || Scope == thread_scope_thread ? Scope : thread_scope_block;
  if constexpr (acquires(Order)) fence<scope>(device_here{}, memory_order_acquire_t{});
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif  // CUDASYNC_CUDA

#endif
