// cuda::thread_scope for CCCL's own headers, with the types on which CCCL's atomics dispatch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_THREAD_SCOPE_H
#define CUDASYNC_COMPAT_THREAD_SCOPE_H

#include <cudasync/compat/std_names.h>

#if !defined(__ATOMIC_BLOCK)
#define __ATOMIC_SYSTEM 0
#define __ATOMIC_DEVICE 1
#define __ATOMIC_BLOCK 2
#define __ATOMIC_THREAD 10
#endif

namespace cuda {
namespace std { inline namespace __4 {

struct __thread_scope_thread_tag {};
struct __thread_scope_block_tag {};
struct __thread_scope_cluster_tag {};
struct __thread_scope_device_tag {};
struct __thread_scope_system_tag {};

// PTX has no scope of a single thread.
// clang-format off
template <int Scope> struct __scope_enum_to_tag                       {};
template <>          struct __scope_enum_to_tag<thread_scope_thread>  { using __tag = __thread_scope_block_tag; };
template <>          struct __scope_enum_to_tag<thread_scope_block>   { using __tag = __thread_scope_block_tag; };
template <>          struct __scope_enum_to_tag<thread_scope_cluster> { using __tag = __thread_scope_cluster_tag; };
template <>          struct __scope_enum_to_tag<thread_scope_device>  { using __tag = __thread_scope_device_tag; };
template <>          struct __scope_enum_to_tag<thread_scope_system>  { using __tag = __thread_scope_system_tag; };
// clang-format on
template <int Scope>
using __scope_to_tag = typename __scope_enum_to_tag<Scope>::__tag;

}}  // namespace std::__4

using std::__thread_scope_block_tag;
using std::__thread_scope_device_tag;
using std::__thread_scope_system_tag;

}  // namespace cuda

#endif
