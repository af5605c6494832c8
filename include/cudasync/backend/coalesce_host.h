// On the host every thread arrives for itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_COALESCE_HOST_H
#define CUDASYNC_BACKEND_COALESCE_HOST_H

#include <cudasync/core/config.h>

#if CUDASYNC_HAS_HOST

#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

struct lone_thread {
  constexpr bool leads() const { return true; }
  constexpr uint32 count() const { return 1; }
  constexpr uint64 broadcast_upper_half(uint64 word) const { return word; }
};

constexpr lone_thread coalesce(target::host, const void*, uint64) {
  return {};
}

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_HAS_HOST

#endif
