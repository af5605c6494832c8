// The global timer alone: special_registers.h, which also declares it, has 50 more functions to compile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_GLOBAL_TIMER_H
#define CUDASYNC_PTX_GLOBAL_TIMER_H

#include <cudasync/core/integers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace ptx {

// PTX 3.1, sm_70. Returns nanoseconds. The same as get_sreg_globaltimer.
CUDASYNC_DEVICE uint64 globaltimer() {
  uint64 value;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(value)::"memory");
  return value;
}

}  // namespace ptx
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
