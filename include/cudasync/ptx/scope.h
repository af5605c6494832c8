// PTX scopes as types, and the scope that serves a cuda::thread_scope.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_SCOPE_H
#define CUDASYNC_PTX_SCOPE_H

#include <cudasync/core/scope.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace ptx {

struct cta {};
struct gpu {};
struct sys {};

// PTX has no scope of one thread: the block's is the narrowest.
template <thread_scope Scope>
struct scope_of {
  using type = cta;
};
template <>
struct scope_of<thread_scope_device> {
  using type = gpu;
};
template <>
struct scope_of<thread_scope_system> {
  using type = sys;
};

}  // namespace ptx
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
