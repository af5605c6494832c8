// Internal names of CCCL's barriers and copies that other headers of CCCL, and NVIDIA's tests, use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_CCCL_INTERNALS_H
#define CUDASYNC_COMPAT_CCCL_INTERNALS_H

#include <cudasync/barrier.h>
#include <cudasync/core/config.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#if __has_include(<cuda/__memcpy_async/group_traits.h>)  // in newer CCCLs: traits that programs specialize
#include <cuda/__memcpy_async/group_traits.h>
#endif

// In CCCL's inline namespace. CCCL declares these names only in headers in whose place ours stand.
namespace cuda { inline namespace __4 {

template <class Type>
inline constexpr bool __is_cuda_barrier_v = false;
template <cudasync::thread_scope Scope, class Completion>
inline constexpr bool __is_cuda_barrier_v<cudasync::barrier<Scope, Completion>> = true;

// A group of one thread: the calling one.
struct __single_thread_group {
  CUDASYNC_API static void sync() {}
  [[nodiscard]] CUDASYNC_API static constexpr cudasync::size_t size() { return 1; }
  [[nodiscard]] CUDASYNC_API static constexpr cudasync::size_t thread_rank() { return 0; }
};

}}  // namespace cuda::__4

#endif
