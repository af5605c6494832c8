// The basis of atomic accesses on the device: orders and scopes of PTX, fences, and the state space of an object.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_ORDER_ACCESS_DEVICE_H
#define CUDASYNC_BACKEND_ORDER_ACCESS_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/core/integers.h>
#include <cudasync/core/memory_order.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/fence.h>
#include <cudasync/ptx/qualifiers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

// --- Orders and scopes of PTX ---

using device_here = typename target::here_or_minimum<target::sm70>::type;
enum : bool { has_clusters = target::is_at_least<device_here, target::sm90> };

// On targets without clusters, device scope is the narrowest scope that includes cluster scope.
template <thread_scope Scope>
using scope_on_device =
    typename ptx::scope_of<Scope == thread_scope_cluster && !has_clusters ? thread_scope_device : Scope>::type;

// The order qualifier of an instruction. Sequential consistency is a fence.sc before the instruction. The instruction
// itself then need not release, because the fence and the instruction form a release pattern. Source: the mapping of
// scoped C++ atomics to PTX by Lustig, Sahasrabuddhe and Giroux (ASPLOS 2019), with leading fences.
[[nodiscard]] CUDASYNC_API constexpr ptx::dot_sem sem_of(memory_order order) {
  return order == memory_order::relaxed   ? ptx::dot_sem::relaxed
         : order == memory_order::release ? ptx::dot_sem::release
         : order == memory_order::acq_rel ? ptx::dot_sem::acq_rel
                                          : ptx::dot_sem::acquire;
}
template <memory_order Order>
using sem_on_device = ptx::sem_t<sem_of(Order)>;
template <memory_order Order>
using store_sem_on_device = ptx::sem_t<Order == memory_order::release ? ptx::dot_sem::release : ptx::dot_sem::relaxed>;

template <thread_scope Scope, memory_order Order>
CUDASYNC_DEVICE void fence(target::sm70, order_constant<Order>) {
  if constexpr (Scope == thread_scope_thread || Order == memory_order::relaxed)
    ptx::keep_order();
  else if constexpr (Order == memory_order::seq_cst)
    ptx::fence(ptx::sem_sc_t{}, scope_on_device<Scope>{});
  else
    ptx::fence(ptx::sem_acq_rel_t{}, scope_on_device<Scope>{});
}

template <thread_scope Scope, memory_order Order>
CUDASYNC_DEVICE void fence(target::sm90, order_constant<Order> order) {
  if constexpr (Scope == thread_scope_thread || Order == memory_order::relaxed || Order == memory_order::seq_cst ||
                Order == memory_order::acq_rel)
    fence<Scope>(target::sm70{}, order);
  else if constexpr (Order == memory_order::release)
    ptx::fence(ptx::fence_release_t{}, scope_on_device<Scope>{});
  else
    ptx::fence(ptx::fence_acquire_t{}, scope_on_device<Scope>{});
}

CUDASYNC_DEVICE void signal_fence(target::sm70, memory_order) {
  ptx::keep_order();
}

template <thread_scope Scope, memory_order Order>
CUDASYNC_DEVICE void leading_fence(order_constant<Order>) {
  if constexpr (Order == memory_order::seq_cst && Scope != thread_scope_thread)
    fence<Scope>(device_here{}, memory_order_seq_cst_t{});
}

// --- Memory ---

// Replaces the pointer to an object that only this thread uses: atomics are not needed, and PTX defines none for it.
struct in_private_memory {};

// Whether the object is in the shared memory of the cluster, of which this block's is a part.
CUDASYNC_DEVICE bool is_in_cluster(target::sm70, ptx::tested_address place) {
  return ptx::is_shared(place);
}
template <class Address>
CUDASYNC_DEVICE bool is_in_cluster(target::sm90, Address place) {
  return ptx::is_known_cluster_shared(place);
}

// Whether the compiler knows the state space of an object. The answer chooses between two pieces of code that are both
// correct. If it is true, tests of the address take no instructions. At run time, `candidate` is null and the answer is
// false, but only ptxas knows this. The compiler takes candidate to be in the space of the object, because the result
// of a test of a null pointer is unspecified. If the compiler knows that space, it concludes that the answer is true.
CUDASYNC_DEVICE bool knows_space(ptx::tested_address candidate) {
  if constexpr (!ptx::has_assumptions_about_spaces()) return true;
  const bool answer = ptx::zero_of_ptxas() != 0;
  if (!answer) candidate.value = nullptr;
  const int spaces = ptx::is_shared(candidate) + ptx::is_global(candidate) + ptx::is_local(candidate);
  __builtin_assume(spaces == 0 || answer);
  return answer;
}

// Whether the compiler knows that an object is automatic, in the same way. may_be is false, but only ptxas knows this.
// If the compiler knows another space, the statement for the zero disappears: beside assembly, it does not take
// pointers that it loads to be in global memory.
struct automatic_answer {
  bool is_known;
  bool may_be;
};
CUDASYNC_DEVICE automatic_answer knows_automatic(ptx::tested_address object) {
  const bool is_automatic = ptx::is_local(object);
  if constexpr (!ptx::has_assumptions_about_spaces()) return {is_automatic, false};
  const uint32 zero = is_automatic ? ptx::zero_of_ptxas() : 0;
  const bool answer = is_automatic && zero >= 2;
  __builtin_assume(answer == is_automatic);
  return {answer, (zero & 1) != 0};
}

// For an object in the word at this address. Calls the accessor with a pointer to the word in its own state space, if
// the compiler knows it. Only then does it generate a RED for a read-modify-write whose result is unused, and an ATOMS
// in shared memory. Otherwise, the pointer is generic. A load or a store with a generic address is correct in every
// memory. A read-modify-write traps in local memory, for which there is no test: it would take more than the access.
template <thread_scope Scope, class Word, class Accessor>
CUDASYNC_DEVICE auto access(const void* place, const Accessor& accessor, uint32 offset = 0) {
  if constexpr (Scope == thread_scope_thread) {
    return accessor(in_private_memory{});
  } else {
    const ptx::tested_address at(place);
    const ptx::global_pointer<Word> in_global{ptx::offset_in_global(place) - offset};
    const ptx::generic_pointer<Word> anywhere{reinterpret_cast<uintptr>(place) - offset};
    if (knows_space(at)) {
      if (ptx::is_shared(at)) return accessor(ptx::shared_pointer<Word>{ptx::offset_in_shared(at.value) - offset});
      if (ptx::is_global(at)) return accessor(in_global);
      if constexpr (ptx::has_assumptions_about_spaces())
        return accessor(in_private_memory{});
      else if (!is_in_cluster(device_here{}, at))
        return accessor(in_private_memory{});
    } else if constexpr (Accessor::prefers_global) {
      if (!is_in_cluster(device_here{}, at)) return accessor(in_global);
    }
    if constexpr (has_clusters && Accessor::fails_in_other_block)
      if (is_in_cluster(device_here{}, at) && !ptx::is_shared(at))
        return accessor(ptx::other_block_pointer<Word>{anywhere.address});
    return accessor(anywhere);
  }
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif  // CUDASYNC_CUDA

#endif
