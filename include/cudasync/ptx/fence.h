// Fences with an order and a scope, and fences between proxies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_FENCE_H
#define CUDASYNC_PTX_FENCE_H

#include <cudasync/core/config.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/qualifiers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx {

#if !CUDASYNC_DEVICE_PASS

// Parsed but never called: an empty function saves compile time.
template <class Sem, class Scope>
CUDASYNC_DEVICE void fence(Sem, Scope) {}

#else

// clang-format off
#define CUDASYNC_FENCE(INSTRUCTION, SEM, SCOPE)                                                \
  CUDASYNC_DEVICE void fence(SEM, SCOPE) { asm volatile(INSTRUCTION ";" ::: "memory"); }

//             instruction              .sem           .scope

// PTX 6.0, sm_70. Orders the accesses of this thread before it and after it, with this order and at this scope.
CUDASYNC_FENCE("fence.sc.cta",          sem_sc_t,      scope_cta_t)
CUDASYNC_FENCE("fence.sc.gpu",          sem_sc_t,      scope_gpu_t)
CUDASYNC_FENCE("fence.sc.sys",          sem_sc_t,      scope_sys_t)
CUDASYNC_FENCE("fence.acq_rel.cta",     sem_acq_rel_t, scope_cta_t)
CUDASYNC_FENCE("fence.acq_rel.gpu",     sem_acq_rel_t, scope_gpu_t)
CUDASYNC_FENCE("fence.acq_rel.sys",     sem_acq_rel_t, scope_sys_t)
// PTX 7.8, sm_90. Orders the accesses of this thread before it and after it, at cluster scope.
CUDASYNC_FENCE("fence.sc.cluster",      sem_sc_t,      scope_cluster_t)
CUDASYNC_FENCE("fence.acq_rel.cluster", sem_acq_rel_t, scope_cluster_t)
#if CUDASYNC_PTX_ISA >= 86
// PTX 8.6, sm_90. Orders the accesses of this thread before it and after it, in one direction.
CUDASYNC_FENCE("fence.acquire.cta",     sem_acquire_t, scope_cta_t)
CUDASYNC_FENCE("fence.acquire.cluster", sem_acquire_t, scope_cluster_t)
CUDASYNC_FENCE("fence.acquire.gpu",     sem_acquire_t, scope_gpu_t)
CUDASYNC_FENCE("fence.acquire.sys",     sem_acquire_t, scope_sys_t)
CUDASYNC_FENCE("fence.release.cta",     sem_release_t, scope_cta_t)
CUDASYNC_FENCE("fence.release.cluster", sem_release_t, scope_cluster_t)
CUDASYNC_FENCE("fence.release.gpu",     sem_release_t, scope_gpu_t)
CUDASYNC_FENCE("fence.release.sys",     sem_release_t, scope_sys_t)
#endif
#undef CUDASYNC_FENCE
// clang-format on

#endif  // CUDASYNC_DEVICE_PASS

// The weakest orders of a fence that acquires, or releases, on sm_90 with this PTX ISA.
#if CUDASYNC_PTX_ISA >= 86
using fence_acquire_t = sem_acquire_t;
using fence_release_t = sem_release_t;
#else
using fence_acquire_t = sem_acq_rel_t;
using fence_release_t = sem_acq_rel_t;
#endif

// Not an instruction: only prevents the compiler from moving memory accesses across it.
CUDASYNC_DEVICE void keep_order() {
  asm volatile("" ::: "memory");
}

// clang-format off
#define CUDASYNC_PROXY_FENCE(FUNCTION, INSTRUCTION, ...)                                       \
  CUDASYNC_DEVICE void FUNCTION(__VA_ARGS__) { asm volatile(INSTRUCTION ";" ::: "memory"); }

//                   function             instruction                             tags
// PTX 8.0, sm_90. Orders ordinary accesses of this thread and those of the copy engine, in all memory.
CUDASYNC_PROXY_FENCE(fence_proxy_async,   "fence.proxy.async",)
// PTX 8.0, sm_90. Orders ordinary accesses of this thread and those of the copy engine, in global memory.
CUDASYNC_PROXY_FENCE(fence_proxy_async,   "fence.proxy.async.global",             space_global_t)
// PTX 8.0, sm_90. Orders ordinary accesses of this thread and those of the copy engine, in the cluster's shared memory.
CUDASYNC_PROXY_FENCE(fence_proxy_async,   "fence.proxy.async.shared::cluster",    space_cluster_t)
// PTX 8.0, sm_90. Orders ordinary accesses of this thread and those of the copy engine, in this block's shared memory.
CUDASYNC_PROXY_FENCE(fence_proxy_async,   "fence.proxy.async.shared::cta",        space_shared_t)
// PTX 8.0, sm_90. Makes initialized mbarriers visible to the cluster and to the copy engine.
CUDASYNC_PROXY_FENCE(fence_mbarrier_init, "fence.mbarrier_init.release.cluster",  sem_release_t, scope_cluster_t)
// PTX 7.5, sm_70. Orders accesses of this thread to the same memory by different virtual addresses.
CUDASYNC_PROXY_FENCE(fence_proxy_alias,   "fence.proxy.alias",)
// PTX 8.6, sm_90. Acquires at cluster scope. Orders only accesses to the shared memory of the cluster.
CUDASYNC_PROXY_FENCE(fence_sync_restrict, "fence.acquire.sync_restrict::shared::cluster.cluster", sem_acquire_t, space_cluster_t, scope_cluster_t)
// PTX 8.6, sm_90. Releases at cluster scope. Orders only accesses to this block's shared memory.
CUDASYNC_PROXY_FENCE(fence_sync_restrict, "fence.release.sync_restrict::shared::cta.cluster",     sem_release_t, space_shared_t,  scope_cluster_t)
// PTX 8.6, sm_90. Acquires at cluster scope, also accesses of the copy engine. Only the cluster's shared memory.
CUDASYNC_PROXY_FENCE(fence_proxy_async_generic_sync_restrict, "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster", sem_acquire_t, space_cluster_t, scope_cluster_t)
// PTX 8.6, sm_90. Releases at cluster scope, also accesses of the copy engine. Only this block's shared memory.
CUDASYNC_PROXY_FENCE(fence_proxy_async_generic_sync_restrict, "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster",     sem_release_t, space_shared_t,  scope_cluster_t)
#undef CUDASYNC_PROXY_FENCE

#define CUDASYNC_FENCE_TENSORMAP(SCOPE, TAG)                                                   \
  CUDASYNC_DEVICE void fence_proxy_tensormap_generic(sem_release_t, TAG) {                     \
    asm volatile("fence.proxy.tensormap::generic.release." SCOPE ";" ::: "memory");            \
  }                                                                                            \
  CUDASYNC_DEVICE void fence_proxy_tensormap_generic(sem_acquire_t, TAG, const void* map) {    \
    asm volatile("fence.proxy.tensormap::generic.acquire." SCOPE " [%0], 128;"                 \
                 :: "l"(map) : "memory");                                                      \
  }

//                       .scope

// PTX 8.3, sm_90. Release: publishes this thread's stores to tensor maps. Acquire: makes a map visible to later copies.
CUDASYNC_FENCE_TENSORMAP("cta",     scope_cta_t)
CUDASYNC_FENCE_TENSORMAP("cluster", scope_cluster_t)
CUDASYNC_FENCE_TENSORMAP("gpu",     scope_gpu_t)
CUDASYNC_FENCE_TENSORMAP("sys",     scope_sys_t)
#undef CUDASYNC_FENCE_TENSORMAP
// clang-format on

// Whether the toolkit assembles the tensor-map fences.
CUDASYNC_DEVICE constexpr bool has_tensormap_fences() {
  return CUDASYNC_PTX_ISA >= 83;
}

}}}  // namespace cudasync::CUDASYNC_ABI::ptx

#endif
