// The global timer, without the 50 other functions of special_registers.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_GLOBAL_TIMER_H
#define CUDASYNC_PTX_GLOBAL_TIMER_H

#include <cudasync/core/integers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx { inline namespace special_registers {

// PTX 3.1, sm_70. Returns nanoseconds.
CUDASYNC_DEVICE uint64 get_sreg_globaltimer() {
  uint64 value;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(value)::"memory");
  return value;
}

}}}}  // namespace cudasync::CUDASYNC_ABI::ptx::special_registers

#endif
