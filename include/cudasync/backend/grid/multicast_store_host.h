// A store through a multicast address, on the host: there is none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_GRID_MULTICAST_STORE_HOST_H
#define CUDASYNC_BACKEND_GRID_MULTICAST_STORE_HOST_H

#include <cudasync/core/config.h>

#if CUDASYNC_HAS_HOST

#include <cudasync/core/target.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

// The host pass of a kernel also instantiates it, so that it must compile.
template <class Word>
[[noreturn]] inline void store_release_everywhere(target::host, Word&, Word) {
  __builtin_trap();
}

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_HAS_HOST

#endif
