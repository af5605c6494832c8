// Loads, stores and fences with an order and a scope, on 64-bit words at generic addresses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_MEMORY_H
#define CUDASYNC_PTX_MEMORY_H

#include <cudasync/core/integers.h>
#include <cudasync/ptx/scope.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace ptx {

// clang-format off
//
#define CUDASYNC_LD(FUNCTION, INSTRUCTION, SCOPE)                                              \
  CUDASYNC_DEVICE uint64 FUNCTION(SCOPE, const uint64* address) {                              \
    uint64 value;                                                                              \
    asm volatile(INSTRUCTION " %0, [%1];" : "=l"(value) : "l"(address) : "memory");            \
    return value;                                                                              \
  }
#define CUDASYNC_ST(FUNCTION, INSTRUCTION, SCOPE)                                              \
  CUDASYNC_DEVICE void FUNCTION(SCOPE, uint64* address, uint64 value) {                        \
    asm volatile(INSTRUCTION " [%0], %1;" ::"l"(address), "l"(value) : "memory");              \
  }
#define CUDASYNC_FENCE(FUNCTION, INSTRUCTION, SCOPE)                                           \
  CUDASYNC_DEVICE void FUNCTION(SCOPE) { asm volatile(INSTRUCTION ";" ::: "memory"); }

//             function       instruction           scope
// PTX 6.0, sm_70.
CUDASYNC_LD   (ld_relaxed,    "ld.relaxed.cta.u64", cta)
CUDASYNC_LD   (ld_relaxed,    "ld.relaxed.gpu.u64", gpu)
CUDASYNC_LD   (ld_relaxed,    "ld.relaxed.sys.u64", sys)
// PTX 6.0, sm_70.
CUDASYNC_LD   (ld_acquire,    "ld.acquire.cta.u64", cta)
CUDASYNC_LD   (ld_acquire,    "ld.acquire.gpu.u64", gpu)
CUDASYNC_LD   (ld_acquire,    "ld.acquire.sys.u64", sys)
// PTX 6.0, sm_70.
CUDASYNC_ST   (st_relaxed,    "st.relaxed.cta.u64", cta)
CUDASYNC_ST   (st_relaxed,    "st.relaxed.gpu.u64", gpu)
CUDASYNC_ST   (st_relaxed,    "st.relaxed.sys.u64", sys)
// PTX 6.0, sm_70.
CUDASYNC_FENCE(fence_acq_rel, "fence.acq_rel.cta",  cta)
CUDASYNC_FENCE(fence_acq_rel, "fence.acq_rel.gpu",  gpu)
CUDASYNC_FENCE(fence_acq_rel, "fence.acq_rel.sys",  sys)
//
#undef CUDASYNC_LD
#undef CUDASYNC_ST
#undef CUDASYNC_FENCE
// clang-format on

// PTX 8.0, sm_90. Makes prior mbarrier.init visible to the cluster's blocks and, with a cluster barrier, to their copies.
CUDASYNC_DEVICE void fence_mbarrier_init_release_cluster() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// PTX 8.0, sm_90. Orders generic accesses to this block's shared memory with those of asynchronous copies.
CUDASYNC_DEVICE void fence_proxy_async_shared_cta() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

}  // namespace ptx
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
