// Fences for virtual aliases, and fences that order only accesses to one memory space.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_FENCE_RESTRICTED_H
#define CUDASYNC_PTX_FENCE_RESTRICTED_H

#include <cudasync/core/config.h>
#include <cudasync/ptx/qualifiers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace ptx {

// PTX 7.5, sm_70. Orders accesses of this thread to the same memory by different virtual addresses.
CUDASYNC_DEVICE void fence_proxy_alias() {
  asm volatile("fence.proxy.alias;" ::: "memory");
}

// PTX 8.6, sm_90. Acquires at cluster scope. Orders only accesses to the shared memory of the cluster.
CUDASYNC_DEVICE void fence_sync_restrict(sem_acquire_t, space_cluster_t, scope_cluster_t) {
  asm volatile("fence.acquire.sync_restrict::shared::cluster.cluster;" ::: "memory");
}

// PTX 8.6, sm_90. Releases at cluster scope. Orders only accesses to this block's shared memory.
CUDASYNC_DEVICE void fence_sync_restrict(sem_release_t, space_shared_t, scope_cluster_t) {
  asm volatile("fence.release.sync_restrict::shared::cta.cluster;" ::: "memory");
}

// PTX 8.6, sm_90. Acquires at cluster scope, between ordinary accesses and those of the copy engine. Orders only
// accesses to the shared memory of the cluster.
CUDASYNC_DEVICE void fence_proxy_async_generic_sync_restrict(sem_acquire_t, space_cluster_t, scope_cluster_t) {
  asm volatile("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;" ::: "memory");
}

// PTX 8.6, sm_90. Releases at cluster scope, between ordinary accesses and those of the copy engine. Orders only
// accesses to this block's shared memory.
CUDASYNC_DEVICE void fence_proxy_async_generic_sync_restrict(sem_release_t, space_shared_t, scope_cluster_t) {
  asm volatile("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;" ::: "memory");
}

}  // namespace ptx
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
