// cp.async: copies of 4, 8 or 16 bytes from global to shared memory that do not block the thread, and their groups.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_CP_ASYNC_H
#define CUDASYNC_PTX_CP_ASYNC_H

#include <cudasync/core/config.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/qualifiers.h>

// Both addresses must be aligned to the size. void* points to global memory. A copy with a source size reads only the
// first bytes, and writes zeros after them.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx {

// clang-format off
#define CUDASYNC_CP_ASYNC(SIZE, INSTRUCTION)                                                                           \
  CUDASYNC_DEVICE void cp_async(n32_t<SIZE>, shared_address destination, const void* source) {                         \
    asm volatile(INSTRUCTION " [%0], [%1], %2;" :: "r"(destination.value), "l"(offset_in_global(source)), "n"(SIZE)    \
                 : "memory");                                                                                          \
  }                                                                                                                    \
  CUDASYNC_DEVICE void cp_async(n32_t<SIZE>, shared_address destination, const void* source, uint32 source_size) {     \
    asm volatile(INSTRUCTION " [%0], [%1], %2, %3;"                                                                    \
                 :: "r"(destination.value), "l"(offset_in_global(source)), "n"(SIZE), "r"(source_size) : "memory");    \
  }

//               bytes  instruction
// PTX 7.0, sm_80. Through the L1 cache (.ca), or not (.cg, only for 16 bytes).
CUDASYNC_CP_ASYNC(4,    "cp.async.ca.shared.global")
CUDASYNC_CP_ASYNC(8,    "cp.async.ca.shared.global")
CUDASYNC_CP_ASYNC(16,   "cp.async.cg.shared.global")
#undef CUDASYNC_CP_ASYNC
// clang-format on

// PTX 7.0, sm_80. Makes a group of the copies that this thread has started since its last commit.
CUDASYNC_DEVICE void cp_async_commit_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// PTX 7.0, sm_80. Blocks until all groups of this thread except the latest Pending are complete.
template <int Pending>
CUDASYNC_DEVICE void cp_async_wait_group() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

// PTX 7.0, sm_80. Blocks until all copies of this thread are complete.
CUDASYNC_DEVICE void cp_async_wait_all() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

// PTX 7.0, sm_80. Adds one pending arrival to the phase, and makes it when all copies of this thread are complete.
CUDASYNC_DEVICE void cp_async_mbarrier_arrive(shared_address bar) {
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(bar.value) : "memory");
}

// PTX 7.0, sm_80. Makes one of the expected arrivals when all copies of this thread are complete.
CUDASYNC_DEVICE void cp_async_mbarrier_arrive_noinc(shared_address bar) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(bar.value) : "memory");
}

}}}  // namespace cudasync::CUDASYNC_ABI::ptx

#endif
