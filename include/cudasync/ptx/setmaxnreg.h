// setmaxnreg: sets the number of registers of each thread in the warps of a warpgroup.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_SETMAXNREG_H
#define CUDASYNC_PTX_SETMAXNREG_H

#include <cudasync/core/integers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace ptx {

// PTX 8.0, sm_90a. Blocks until the block has enough free registers.
template <uint32 Registers>
CUDASYNC_DEVICE void setmaxnreg_inc() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers) : "memory");
}

// PTX 8.0, sm_90a.
template <uint32 Registers>
CUDASYNC_DEVICE void setmaxnreg_dec() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers) : "memory");
}

}  // namespace ptx
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
