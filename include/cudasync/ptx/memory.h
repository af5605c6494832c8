// Loads, stores and fences with an order and a scope, on 32- and 64-bit words at generic addresses.
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
#define CUDASYNC_LD(FUNCTION, INSTRUCTION, SCOPE, VALUE, REGISTER)                             \
  CUDASYNC_DEVICE VALUE FUNCTION(SCOPE, const VALUE* address) {                                \
    VALUE value;                                                                               \
    asm volatile(INSTRUCTION " %0, [%1];" : "=" REGISTER(value) : "l"(address) : "memory");    \
    return value;                                                                              \
  }
#define CUDASYNC_ST(FUNCTION, INSTRUCTION, SCOPE, VALUE, REGISTER)                             \
  CUDASYNC_DEVICE void FUNCTION(SCOPE, VALUE* address, VALUE value) {                          \
    asm volatile(INSTRUCTION " [%0], %1;" ::"l"(address), REGISTER(value) : "memory");         \
  }
#define CUDASYNC_FENCE(FUNCTION, INSTRUCTION, SCOPE)                                           \
  CUDASYNC_DEVICE void FUNCTION(SCOPE) { asm volatile(INSTRUCTION ";" ::: "memory"); }

//          function    instruction           scope  C++ type  register
// PTX 6.0, sm_70.
CUDASYNC_LD(ld_relaxed, "ld.relaxed.cta.u32", cta, uint32, "r")
CUDASYNC_LD(ld_relaxed, "ld.relaxed.gpu.u32", gpu, uint32, "r")
CUDASYNC_LD(ld_relaxed, "ld.relaxed.sys.u32", sys, uint32, "r")
CUDASYNC_LD(ld_relaxed, "ld.relaxed.cta.u64", cta, uint64, "l")
CUDASYNC_LD(ld_relaxed, "ld.relaxed.gpu.u64", gpu, uint64, "l")
CUDASYNC_LD(ld_relaxed, "ld.relaxed.sys.u64", sys, uint64, "l")
// PTX 6.0, sm_70.
CUDASYNC_LD(ld_acquire, "ld.acquire.cta.u32", cta, uint32, "r")
CUDASYNC_LD(ld_acquire, "ld.acquire.gpu.u32", gpu, uint32, "r")
CUDASYNC_LD(ld_acquire, "ld.acquire.sys.u32", sys, uint32, "r")
CUDASYNC_LD(ld_acquire, "ld.acquire.cta.u64", cta, uint64, "l")
CUDASYNC_LD(ld_acquire, "ld.acquire.gpu.u64", gpu, uint64, "l")
CUDASYNC_LD(ld_acquire, "ld.acquire.sys.u64", sys, uint64, "l")
// PTX 6.0, sm_70.
CUDASYNC_ST(st_release, "st.release.cta.u32", cta, uint32, "r")
CUDASYNC_ST(st_release, "st.release.gpu.u32", gpu, uint32, "r")
CUDASYNC_ST(st_release, "st.release.sys.u32", sys, uint32, "r")
CUDASYNC_ST(st_release, "st.release.cta.u64", cta, uint64, "l")
CUDASYNC_ST(st_release, "st.release.gpu.u64", gpu, uint64, "l")
CUDASYNC_ST(st_release, "st.release.sys.u64", sys, uint64, "l")
// PTX 6.0, sm_70.
CUDASYNC_FENCE(fence_acq_rel, "fence.acq_rel.cta", cta)
CUDASYNC_FENCE(fence_acq_rel, "fence.acq_rel.gpu", gpu)
CUDASYNC_FENCE(fence_acq_rel, "fence.acq_rel.sys", sys)
#if CUDASYNC_PTX_ISA >= 86
// PTX 8.6, sm_90.
CUDASYNC_FENCE(fence_release, "fence.release.cta", cta)
CUDASYNC_FENCE(fence_release, "fence.release.gpu", gpu)
CUDASYNC_FENCE(fence_release, "fence.release.sys", sys)
#else
// PTX 6.0, sm_70. The nearest there is.
CUDASYNC_FENCE(fence_release, "fence.acq_rel.cta", cta)
CUDASYNC_FENCE(fence_release, "fence.acq_rel.gpu", gpu)
CUDASYNC_FENCE(fence_release, "fence.acq_rel.sys", sys)
#endif
//
#undef CUDASYNC_LD
#undef CUDASYNC_ST
#undef CUDASYNC_FENCE
// clang-format on

// PTX 8.0, sm_90. Makes prior mbarrier.init visible to the cluster's blocks and, with a cluster barrier, to their
// copies.
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
