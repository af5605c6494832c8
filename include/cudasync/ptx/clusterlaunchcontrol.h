// clusterlaunchcontrol: cancels the launch of clusters of the grid that have not started, so that others do their work.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_CLUSTERLAUNCHCONTROL_H
#define CUDASYNC_PTX_CLUSTERLAUNCHCONTROL_H

#include <cudasync/core/bits.h>
#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>

// A response is 16 opaque bytes, aligned to 16 bytes. After a block has observed that a request failed, another request
// of the block is undefined behavior.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx {

// PTX 8.6, sm_100. The copy engine writes the response later, and counts 16 bytes as complete on the barrier.
CUDASYNC_DEVICE void clusterlaunchcontrol_try_cancel(shared_address response, shared_address bar) {
  asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(
                   response.value),
               "r"(bar.value)
               : "memory");
}

// PTX 8.6, sm_100a. The same, in each block of the cluster: at the same offset of its shared memory, and on the barrier
// at the same offset there. No block of the cluster may have exited.
CUDASYNC_DEVICE void clusterlaunchcontrol_try_cancel_multicast(shared_address response, shared_address bar) {
  asm volatile(
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 "
      "[%0], [%1];" ::"r"(response.value),
      "r"(bar.value)
      : "memory");
}

// PTX 2.0, sm_70. Reads a response.
CUDASYNC_DEVICE uint128 ld_shared_v2(shared_address response) {
  uint128 value;
  asm volatile("ld.shared.v2.b64 {%0, %1}, [%2];" : "=l"(value.low), "=l"(value.high) : "r"(response.value) : "memory");
  return value;
}

// PTX 8.6, sm_100. Returns whether a cluster was canceled.
CUDASYNC_DEVICE bool clusterlaunchcontrol_query_cancel_is_canceled(uint128 response) {
  uint32 canceled;
  asm volatile(
      "{ .reg .b128 response; .reg .pred canceled; mov.b128 response, {%1, %2}; "
      "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 canceled, response; selp.u32 %0, 1, 0, canceled; }"
      : "=r"(canceled)
      : "l"(response.low), "l"(response.high)
      : "memory");
  return canceled != 0;
}

// clang-format off
#define CUDASYNC_FIRST_CTAID(FUNCTION, INSTRUCTION)                                            \
  CUDASYNC_DEVICE uint32 FUNCTION(uint128 response) {                                          \
    uint32 ctaid;                                                                              \
    asm volatile("{ .reg .b128 response; mov.b128 response, {%1, %2}; "                        \
                 INSTRUCTION ".b32.b128 %0, response; }"                                       \
                 : "=r"(ctaid) : "l"(response.low), "l"(response.high) : "memory");            \
    return ctaid;                                                                              \
  }

//                   function                                               instruction
// PTX 8.6, sm_100. Returns the index of the first block of the canceled cluster. Undefined if none was canceled.
CUDASYNC_FIRST_CTAID(clusterlaunchcontrol_query_cancel_get_first_ctaid_x, "clusterlaunchcontrol.query_cancel.get_first_ctaid::x")
CUDASYNC_FIRST_CTAID(clusterlaunchcontrol_query_cancel_get_first_ctaid_y, "clusterlaunchcontrol.query_cancel.get_first_ctaid::y")
CUDASYNC_FIRST_CTAID(clusterlaunchcontrol_query_cancel_get_first_ctaid_z, "clusterlaunchcontrol.query_cancel.get_first_ctaid::z")
#undef CUDASYNC_FIRST_CTAID
// clang-format on

// PTX 8.6, sm_100. The same for x, y and z together. The fourth number is unspecified.
CUDASYNC_DEVICE void clusterlaunchcontrol_query_cancel_get_first_ctaid(uint32 (&ctaid)[4], uint128 response) {
  asm volatile("{ .reg .b128 response; mov.b128 response, {%4, %5}; "
               "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%0, %1, %2, %3}, response; }"
               : "=r"(ctaid[0]), "=r"(ctaid[1]), "=r"(ctaid[2]), "=r"(ctaid[3])
               : "l"(response.low), "l"(response.high)
               : "memory");
}

}}}  // namespace cudasync::CUDASYNC_ABI::ptx

#endif
