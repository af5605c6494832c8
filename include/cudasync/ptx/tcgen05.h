// tcgen05.commit, tcgen05.fence and tcgen05.wait: synchronization with the tensor cores of Blackwell.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_TCGEN05_H
#define CUDASYNC_PTX_TCGEN05_H

#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/qualifiers.h>

// All functions are for sm_100a, sm_103a and sm_110a, and for their families, such as sm_100f. With a mask, commit
// arrives at the barrier at the same offset in each block whose bit is set. All tcgen05 instructions of a kernel must
// have the same .cta_group.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx {

// clang-format off
#define CUDASYNC_COMMIT(GROUP, TAG)                                                            \
  CUDASYNC_DEVICE void tcgen05_commit(TAG, cluster_address bar) {                              \
    asm volatile("tcgen05.commit." GROUP ".mbarrier::arrive::one.shared::cluster.b64 [%0];"    \
                 :: "r"(bar.value) : "memory");                                                \
  }                                                                                            \
  CUDASYNC_DEVICE void tcgen05_commit_multicast(TAG, cluster_address bar, uint16 cta_mask) {   \
    asm volatile("tcgen05.commit." GROUP ".mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;"    \
                 :: "r"(bar.value), "h"(cta_mask) : "memory");                                 \
  }

//              .cta_group      tag
// PTX 8.6, sm_100a. Arrives once at bar when the earlier tcgen05.mma, .cp and .shift of this thread are complete.
CUDASYNC_COMMIT("cta_group::1", cta_group_1_t)
CUDASYNC_COMMIT("cta_group::2", cta_group_2_t)
#undef CUDASYNC_COMMIT

#define CUDASYNC_TCGEN05(FUNCTION, INSTRUCTION)                                                \
  CUDASYNC_DEVICE void FUNCTION() { asm volatile(INSTRUCTION ";" ::: "memory"); }
// PTX 8.6, sm_100a. Orders earlier asynchronous tcgen05 operations of this thread before its later synchronization.
CUDASYNC_TCGEN05(tcgen05_fence_before_thread_sync, "tcgen05.fence::before_thread_sync")
// PTX 8.6, sm_100a. Orders later asynchronous tcgen05 operations of this thread after its earlier synchronization.
CUDASYNC_TCGEN05(tcgen05_fence_after_thread_sync, "tcgen05.fence::after_thread_sync")
// PTX 8.6, sm_100a. Blocks until the earlier tcgen05.ld are complete. All threads of the warp execute it together.
CUDASYNC_TCGEN05(tcgen05_wait_ld, "tcgen05.wait::ld.sync.aligned")
// PTX 8.6, sm_100a. Blocks until the earlier tcgen05.st are complete. All threads of the warp execute it together.
CUDASYNC_TCGEN05(tcgen05_wait_st, "tcgen05.wait::st.sync.aligned")
#undef CUDASYNC_TCGEN05
// clang-format on

}}}  // namespace cudasync::CUDASYNC_ABI::ptx

#endif
