// redux.sync: the lanes of a warp combine a value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_REDUX_H
#define CUDASYNC_PTX_REDUX_H

#include <cudasync/core/integers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace ptx {

// PTX 7.0, sm_80. The greatest value among the lanes of the member mask.
CUDASYNC_DEVICE uint32 redux_max(uint32 value, uint32 mask) {
  uint32 result;
  asm volatile("redux.sync.max.u32 %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask) : "memory");
  return result;
}

}  // namespace ptx
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
