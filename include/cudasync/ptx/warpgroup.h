// setmaxnreg and wgmma: the registers of a warpgroup, and its synchronization with the tensor cores of Hopper.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_WARPGROUP_H
#define CUDASYNC_PTX_WARPGROUP_H

#include <cudasync/core/integers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx {

// --- The number of registers of each thread in the warps of a warpgroup ---

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

// --- The tensor cores of Hopper ---

// For sm_90a only. All threads of a warp execute each of them together.

// PTX 8.0, sm_90a. Orders accesses to registers before the wgmma.mma_async that this warpgroup executes next. It is
// required before the first one, and whenever registers of its operands have changed.
CUDASYNC_DEVICE void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

// PTX 8.0, sm_90a. Makes a group of the wgmma.mma_async since the last commit.
CUDASYNC_DEVICE void wgmma_commit_group() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// PTX 8.0, sm_90a. Blocks until all groups except the latest Pending are complete: they have read their shared memory,
// and their accumulators are in the registers.
template <uint32 Pending>
CUDASYNC_DEVICE void wgmma_wait_group() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}

}}}  // namespace cudasync::CUDASYNC_ABI::ptx

#endif
