// The qualifiers of PTX instructions that programs pass to cuda::ptx, as values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_TAGS_H
#define CUDASYNC_PTX_TAGS_H

#include <cudasync/ptx/qualifiers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx { inline namespace qualifiers {

inline constexpr sem_acq_rel_t sem_acq_rel{};      // .acq_rel: releases and acquires
inline constexpr sem_acquire_t sem_acquire{};      // .acquire: later accesses stay after the operation
inline constexpr sem_relaxed_t sem_relaxed{};      // .relaxed: orders no other accesses
inline constexpr sem_release_t sem_release{};      // .release: earlier accesses stay before the operation
inline constexpr sem_sc_t sem_sc{};                // .sc: sequentially consistent, for fences
inline constexpr sem_weak_t sem_weak{};            // .weak: an access that is not atomic
inline constexpr scope_cta_t scope_cta{};          // .cta: the threads of the block
inline constexpr scope_cluster_t scope_cluster{};  // .cluster: the threads of the cluster
inline constexpr scope_gpu_t scope_gpu{};          // .gpu: the threads of the device
inline constexpr scope_sys_t scope_sys{};          // .sys: all threads of the host and of the devices
inline constexpr space_global_t space_global{};    // .global: global memory
inline constexpr space_cluster_t space_cluster{};  // .shared::cluster: the shared memory of any block of the cluster
inline constexpr space_shared_t space_shared{};    // .shared::cta: the shared memory of this block

}}}}  // namespace cudasync::CUDASYNC_ABI::ptx::qualifiers

#endif
