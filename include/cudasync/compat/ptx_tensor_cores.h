// cuda::ptx: synchronization with the tensor cores of Blackwell, registers of a warpgroup, restricted fences.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_PTX_TENSOR_CORES_H
#define CUDASYNC_COMPAT_PTX_TENSOR_CORES_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/compat/ptx.h>
#include <cudasync/compat/ptx_checks.h>
#include <cudasync/core/integers.h>
#include <cudasync/ptx/fence.h>
#include <cudasync/ptx/mbarrier_qualified.h>
#include <cudasync/ptx/qualifiers.h>
#include <cudasync/ptx/tcgen05.h>
#include <cudasync/ptx/warpgroup.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace compat {

template <class Dependent, class Here = target::here, bool Has = target::has_setmaxnreg>
CUDASYNC_DEVICE void check_setmaxnreg() {
  static_assert(
      Has || is_same<Here, target::host>,
      "setmaxnreg needs the target of one architecture or family: compile with -arch=sm_90a, sm_100a, sm_120a "
      "and so on");
}

namespace ptx_names {

// Arrives once at the mbarrier bar in a block of the cluster when the earlier tcgen05.mma, .cp and .shift of this
// thread are complete. Does not block. All tcgen05 instructions of a kernel must have the same group. tcgen05.commit.
template <dot_cta_group Group>
CUDASYNC_DEVICE void tcgen05_commit(cta_group_t<Group> group, uint64* bar) {
  check_tcgen05<cta_group_t<Group>>();
  ptx::tcgen05_commit(group, ptx::to_cluster(bar));
}

// The same at the mbarrier at the same offset in each block of the cluster whose bit is set in cta_mask.
// tcgen05.commit.multicast::cluster.
template <dot_cta_group Group>
CUDASYNC_DEVICE void tcgen05_commit_multicast(cta_group_t<Group> group, uint64* bar, uint16 cta_mask) {
  check_tcgen05<cta_group_t<Group>>();
  ptx::tcgen05_commit_multicast(group, ptx::to_cluster(bar), cta_mask);
}

// clang-format off
#define CUDASYNC_TCGEN05(FUNCTION)                                                             \
  template <class Here = target::here>                                                         \
  CUDASYNC_DEVICE void FUNCTION() {                                                            \
    check_tcgen05<Here>();                                                                     \
    ptx::FUNCTION();                                                                           \
  }
// Orders earlier asynchronous tcgen05 operations of this thread before its later synchronization. tcgen05.fence.
CUDASYNC_TCGEN05(tcgen05_fence_before_thread_sync)
// Orders later asynchronous tcgen05 operations of this thread after its earlier synchronization. tcgen05.fence.
CUDASYNC_TCGEN05(tcgen05_fence_after_thread_sync)
// Blocks until the earlier tcgen05.ld of this thread are complete. All threads of the warp call it, converged.
CUDASYNC_TCGEN05(tcgen05_wait_ld)
// Blocks until the earlier tcgen05.st of this thread are complete. All threads of the warp call it, converged.
CUDASYNC_TCGEN05(tcgen05_wait_st)
#undef CUDASYNC_TCGEN05
// clang-format on

// Raises the number of registers of each thread of the warpgroup. Blocks until the block has enough free registers. All
// threads of the warpgroup call it, converged. setmaxnreg.inc.
template <int Registers>
CUDASYNC_DEVICE void setmaxnreg_inc(n32_t<Registers>) {
  check_setmaxnreg<n32_t<Registers>>();
  ptx::setmaxnreg_inc<Registers>();
}

// Lowers the number of registers of each thread of the warpgroup. All its threads call it, converged. setmaxnreg.dec.
template <int Registers>
CUDASYNC_DEVICE void setmaxnreg_dec(n32_t<Registers>) {
  check_setmaxnreg<n32_t<Registers>>();
  ptx::setmaxnreg_dec<Registers>();
}

// Orders accesses of this thread to the same memory by different virtual addresses. fence.proxy.alias.
using ptx::fence_proxy_alias;

// Acquires or releases at cluster scope. Orders only accesses to the shared memory of the space. fence.sync_restrict.
template <class Sem, class Space>
CUDASYNC_DEVICE void fence_sync_restrict(Sem sem, Space space, scope_cluster_t scope) {
  check_sm90<Sem>();
  check_isa_86<Sem>();
  ptx::fence_sync_restrict(sem, space, scope);
}

// Acquires or releases at cluster scope, between ordinary accesses and those of the copy engine. Orders only accesses
// to the shared memory of the space. fence.proxy.async::generic.
template <class Sem, class Space>
CUDASYNC_DEVICE void fence_proxy_async_generic_sync_restrict(Sem sem, Space space, scope_cluster_t scope) {
  check_sm90<Sem>();
  check_isa_86<Sem>();
  ptx::fence_proxy_async_generic_sync_restrict(sem, space, scope);
}

}  // namespace ptx_names
}}}  // namespace cudasync::CUDASYNC_ABI::compat

#endif  // CUDASYNC_CUDA

#endif
