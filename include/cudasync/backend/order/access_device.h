// The basis of atomic accesses on the device: orders and scopes of PTX, fences, and the state space of an object.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_ORDER_ACCESS_DEVICE_H
#define CUDASYNC_BACKEND_ORDER_ACCESS_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/core/integers.h>
#include <cudasync/core/memory_order.h>
#include <cudasync/core/number_kind.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/fence.h>
#include <cudasync/ptx/qualifiers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

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

// The address whose state space is tested. cicc (13.0) fails on the test of a pointer to bytes in a class, but not if
// the pointer was last converted from a pointer to a type of another size. So this is a pointer to the six bytes before
// the object, if they are in the same aligned 32 bytes, otherwise to the object.
struct six_bytes {
  uint16 parts[3];
};
template <class Value>
[[nodiscard]] CUDASYNC_DEVICE const void* address_to_test(const void* place) {
  if constexpr (sizeof(Value) > 1 && kind_of<Value> != number_kind::none)
    return place;
  else
    return static_cast<const six_bytes*>(place) - (reinterpret_cast<uintptr>(place) >> 4 & 1);
}

// Which space is tested first. An object of block or cluster scope is usually in shared memory, others in global
// memory.
template <thread_scope Scope>
inline constexpr bool is_usually_shared = Scope == thread_scope_block || Scope == thread_scope_cluster;

// Whether the object is in the shared memory of the cluster, of which this block's is a part.
CUDASYNC_DEVICE bool is_in_cluster(target::sm70, const void*) {
  return false;
}
template <class Address>
CUDASYNC_DEVICE bool is_in_cluster(target::sm90, const Address* place) {
  return ptx::is_known_cluster_shared(place);
}

// clang ignores an assumption that contains a call.
CUDASYNC_DEVICE void assume_if(bool condition, bool conclusion) {
  __builtin_assume(!condition || conclusion);
}

// Whether the compiler knows the state space of an object. The answer chooses between two pieces of code that are both
// correct. If it is true, tests of the address take no instructions. At run time, `candidate` is null and the answer is
// false, but only ptxas knows this. The compiler takes candidate to be in the space of the object, because the result
// of a test of a null pointer is unspecified. If the compiler knows that space, it concludes that the answer is true.
[[nodiscard]] CUDASYNC_DEVICE bool knows_space(const void* object) {
  if constexpr (!ptx::has_assumptions_about_spaces()) return true;
  const bool answer = ptx::zero_of_ptxas() != 0;
  const void* const candidate = answer ? object : nullptr;
  assume_if(ptx::is_shared(candidate), answer);
  assume_if(ptx::is_global(candidate), answer);
  assume_if(ptx::is_local(candidate), answer);
  assume_if(ptx::is_constant(candidate), answer);
  assume_if(is_in_cluster(device_here{}, candidate), answer);
  return answer;
}

// Calls the accessor with a pointer to the word in its own state space. Only then does the compiler generate a RED for
// a read-modify-write whose result is unused, and an ATOMS in shared memory. The code tests for the memory of other
// blocks and not for local memory: cicc knows that a pointer from its own mapa points there, and fails on accesses that
// follow a test for local memory.
template <thread_scope Scope, class Word, class Value, class Accessor>
CUDASYNC_DEVICE auto access_in_known_space(const void* place, uint32 offset, const Accessor& accessor) {
  const Word* word = static_cast<const Word*>(place);
  const ptx::shared_pointer<Word> in_shared{ptx::to_shared_pointer(word).address - offset};
  if (is_usually_shared<Scope> && ptx::is_shared(address_to_test<Value>(place))) return accessor(in_shared);
  if (ptx::is_global(address_to_test<Value>(place)))
    return accessor(ptx::global_pointer<Word>{ptx::to_global_pointer(word).address - offset});
  if (!is_usually_shared<Scope> && ptx::is_shared(address_to_test<Value>(place))) return accessor(in_shared);
  if (is_in_cluster(device_here{}, address_to_test<Value>(place)))
    return accessor(ptx::generic_pointer<Word>{ptx::to_generic_pointer(word).address - offset});
  return accessor(in_private_memory{});
}

// How an access reaches an object in an unknown space. In local memory, the hardware loads and stores with a generic
// address, but it traps at a read-modify-write.
enum class addressing {
  generic,       // with a generic address: loads and stores
  not_private,   // with a generic address, except in local memory
  by_space,      // the same in shared memory, but in global memory with a global address
  by_space_only  // with an address in its space
};
// As a type: NVRTC would keep a constant.
template <addressing How>
using addressing_constant = ptx::constant<addressing, How>;

// Whether the object is in local memory, tested at run time, unless the user has told the compiler with
// __builtin_assume that it is in global memory.
template <class Value>
CUDASYNC_DEVICE bool is_private(const void* place) {
  const bool is_local = ptx::is_local_at_run_time(place);
  assume_if(is_local, !ptx::is_global(address_to_test<Value>(place)));
  return is_local;
}

// The same if the compiler does not know the space. The code does not test for global memory, because ptxas generates a
// dozen instructions for this test: it must exclude constant memory.
template <thread_scope Scope, class Word, class Value, class Accessor>
CUDASYNC_DEVICE auto access_in_unknown_space(const void* place, uint32 offset, const Accessor& accessor) {
  const Word* word = static_cast<const Word*>(place);
  const ptx::generic_pointer<Word> anywhere{ptx::to_generic_pointer(word).address - offset};
  constexpr addressing how = typename Accessor::how{};
  if constexpr (how == addressing::generic) {
    return accessor(anywhere);
  } else if constexpr (how == addressing::not_private) {
    if (is_private<Value>(place)) return accessor(in_private_memory{});
    return accessor(anywhere);
  } else {
    const ptx::shared_pointer<Word> in_shared{ptx::to_shared_pointer(word).address - offset};
    const void* tested = address_to_test<Value>(place);
    if (is_usually_shared<Scope> && ptx::is_shared(tested)) return accessor(in_shared);
    const bool is_local = is_private<Value>(place);
    if (!(is_local | (has_clusters ? is_in_cluster(device_here{}, tested) : ptx::is_shared(tested))))
      return accessor(ptx::global_pointer<Word>{ptx::to_global_pointer(word).address - offset});
    if (is_local) return accessor(in_private_memory{});
    if (!has_clusters || (how == addressing::by_space_only && ptx::is_shared(tested))) return accessor(in_shared);
    return accessor(anywhere);
  }
}

// For an object of type Value in the word at this address.
template <thread_scope Scope, class Word, class Value, class Accessor>
CUDASYNC_DEVICE auto access(const void* place, const Accessor& accessor, uint32 offset = 0) {
  if constexpr (Scope == thread_scope_thread) {
    return accessor(in_private_memory{});
  } else {
    if (knows_space(address_to_test<Value>(place)))
      return access_in_known_space<Scope, Word, Value>(place, offset, accessor);
    return access_in_unknown_space<Scope, Word, Value>(place, offset, accessor);
  }
}

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA

#endif
