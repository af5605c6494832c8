// Reading clocks, and choosing one thread of a warp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_SPECIAL_REGISTERS_H
#define CUDASYNC_PTX_SPECIAL_REGISTERS_H

#include <cudasync/core/integers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace ptx {

// PTX 3.1, sm_70. Nanoseconds; the step is about 32 ns on sm_90, up to 1 us on older parts.
CUDASYNC_DEVICE uint64 globaltimer() {
  uint64 nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return nanoseconds;
}

// PTX 1.3, sm_70.
CUDASYNC_DEVICE uint32 laneid() {
  uint32 lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

// PTX 8.0, sm_90. True in one thread of the member mask, the same one at each call in practice.
CUDASYNC_DEVICE bool elect_sync(uint32 mask) {
  uint32 elected;
  asm volatile("{ .reg .pred elected; elect.sync _|elected, %1; selp.u32 %0, 1, 0, elected; }"
               : "=r"(elected)
               : "r"(mask));
  return elected != 0;
}

}  // namespace ptx
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
