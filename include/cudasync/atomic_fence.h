// Fences: order between the memory accesses of a thread before and after.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_ATOMIC_FENCE_H
#define CUDASYNC_ATOMIC_FENCE_H

#include <cudasync/backend/atomic/atomic.h>
#include <cudasync/core/memory_order.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// Orders the memory accesses of this thread before the fence and after it, as the threads of the scope observe them.
// order: any; relaxed does nothing. Source: [atomics.fences], and libcu++ for the scope.
template <class Order>
CUDASYNC_API void atomic_thread_fence(Order of_fence, thread_scope scope = thread_scope_system) noexcept {
  static_assert(is_order<Order>, "the order of a fence is a cuda::memory_order");
  constexpr target::here here{};
  const memory_order order = of_fence;  // see fence in backend/atomic/atomic.h
  switch (scope) {
  case thread_scope_thread:
    return backend::fence<thread_scope_thread>(here, order);
  case thread_scope_block:
    return backend::fence<thread_scope_block>(here, order);
  case thread_scope_cluster:
    return backend::fence<thread_scope_cluster>(here, order);
  case thread_scope_device:
    return backend::fence<thread_scope_device>(here, order);
  default:
    return backend::fence<thread_scope_system>(here, order);
  }
}

// Orders accesses between a thread and a signal handler in the same thread. Only the compiler is affected.
CUDASYNC_API void atomic_signal_fence(memory_order order) noexcept {
  backend::signal_fence(target::here{}, order);
}

}}  // namespace cudasync::CUDASYNC_ABI

#endif
