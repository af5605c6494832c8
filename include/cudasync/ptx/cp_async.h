// cp.async: copies of 4, 8 or 16 bytes from global to shared memory that the thread does not wait for; their groups.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_CP_ASYNC_H
#define CUDASYNC_PTX_CP_ASYNC_H

#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/qualifiers.h>

// Both addresses are aligned to the size. void* points to global memory.
namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace ptx {

// clang-format off
//
#define CUDASYNC_CP_ASYNC(SIZE, INSTRUCTION)                                                   \
  CUDASYNC_DEVICE void cp_async(n32_t<SIZE>, shared_address destination, const void* source) { \
    asm volatile(INSTRUCTION " [%0], [%1], %2;"                                                \
                 :: "r"(destination.value), "l"(offset_in_global(source)), "n"(SIZE) : "memory"); \
  }

//               bytes  instruction
// PTX 7.0, sm_80. Through L1 (.ca) or past it (.cg), which only 16 bytes can be.
CUDASYNC_CP_ASYNC(4,    "cp.async.ca.shared.global")
CUDASYNC_CP_ASYNC(8,    "cp.async.ca.shared.global")
CUDASYNC_CP_ASYNC(16,   "cp.async.cg.shared.global")
//
#undef CUDASYNC_CP_ASYNC
// clang-format on

// PTX 7.0, sm_80. Makes a group of the copies that this thread began since its last commit.
CUDASYNC_DEVICE void cp_async_commit_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// PTX 7.0, sm_80. Waits until at most Pending of this thread's latest groups are incomplete.
template <int Pending>
CUDASYNC_DEVICE void cp_async_wait_group() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

// PTX 7.0, sm_80. Waits for all copies that this thread began.
CUDASYNC_DEVICE void cp_async_wait_all() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

// PTX 7.0, sm_80. One more arrival is pending in this phase, and comes when all copies that this thread began complete.
CUDASYNC_DEVICE void cp_async_mbarrier_arrive(shared_address bar) {
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(bar.value) : "memory");
}

// PTX 7.0, sm_80. One of the arrivals that are pending anyway comes when all copies that this thread began complete.
CUDASYNC_DEVICE void cp_async_mbarrier_arrive_noinc(shared_address bar) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(bar.value) : "memory");
}

}  // namespace ptx
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
