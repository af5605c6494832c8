// createpolicy: cache policies for the L2 hints of loads and copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_CREATEPOLICY_H
#define CUDASYNC_PTX_CREATEPOLICY_H

#include <cudasync/core/integers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace ptx {

// PTX 7.4, sm_80.
CUDASYNC_DEVICE uint64 createpolicy_evict_first() {
  uint64 policy;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy)::"memory");
  return policy;
}

// PTX 7.4, sm_80.
CUDASYNC_DEVICE uint64 createpolicy_evict_last() {
  uint64 policy;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy)::"memory");
  return policy;
}

}  // namespace ptx
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
