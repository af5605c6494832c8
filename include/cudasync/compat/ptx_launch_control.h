// The names of libcu++'s cuda::ptx that cancel launches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_PTX_LAUNCH_CONTROL_H
#define CUDASYNC_COMPAT_PTX_LAUNCH_CONTROL_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/backend/grid/launch_device.h>
#include <cudasync/core/bits.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/clusterlaunchcontrol.h>

// In a call that finds a function here and one of CCCL's, CCCL's is the better match: compat/ptx.h says why. A pack
// that is always empty makes a template less specialized.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace compat {

template <class Dependent, class Here = target::here>
CUDASYNC_DEVICE void check_sm100() {
  static_assert(!target::lacks<Here, target::sm100>,
                "clusterlaunchcontrol needs sm_100: compile with -arch=sm_100 or newer, or use launch_queue or "
                "for_each_canceled_block, which work on all architectures");
}

template <bool Condition>
using require = typename enable_if<Condition, int>::type;

namespace ptx_names {

// Requests to cancel the launch of a cluster that has not started. Does not block. The response is written later, to 16
// bytes of shared memory that are aligned to 16 bytes, and completes on the mbarrier bar.
// clusterlaunchcontrol.try_cancel.
template <class Word>
CUDASYNC_DEVICE void clusterlaunchcontrol_try_cancel(void* response, Word* bar) {
  check_sm100<Word>();
  ptx::clusterlaunchcontrol_try_cancel(ptx::to_shared(response), ptx::to_shared(bar));
}

// Requests to cancel the launch of a cluster that has not started. Does not block. The response is written later, in
// each block of the cluster, and completes on the mbarrier bar there. Every block must expect its 16 bytes.
// clusterlaunchcontrol.try_cancel.multicast::cluster::all.
template <class Word, class Here = target::here>
CUDASYNC_DEVICE void clusterlaunchcontrol_try_cancel_multicast(void* response, Word* bar) {
  check_sm100<Word>();
  static_assert(
      target::lacks<Here, target::sm100> || target::is_at_least<Here, target::host> ||
          backend::cancels_launches_for_clusters<Here>,
      "clusterlaunchcontrol with multicast needs sm_100a or sm_100f: the plain architecture does not have it; "
      "compile with -arch=sm_100a, 100f and so on");
  ptx::clusterlaunchcontrol_try_cancel_multicast(ptx::to_shared(response), ptx::to_shared(bar));
}

// Returns whether the request of this response has canceled a cluster. clusterlaunchcontrol.query_cancel.is_canceled.
template <class B128, class... None, require<sizeof(B128) == 16 && sizeof...(None) == 0> = 0>
CUDASYNC_DEVICE bool clusterlaunchcontrol_query_cancel_is_canceled(B128 response, None...) {
  check_sm100<B128>();
  return ptx::clusterlaunchcontrol_query_cancel_is_canceled(to_bits<uint128>(response));
}

// clang-format off
#define CUDASYNC_FIRST_CTAID(FUNCTION)                                                         \
  template <class B32, class B128, class... None,                                              \
            require<sizeof(B32) == 4 && sizeof(B128) == 16 && sizeof...(None) == 0> = 0>       \
  CUDASYNC_DEVICE B32 FUNCTION(B128 response, None...) {                                       \
    check_sm100<B128>();                                                                       \
    return from_bits<B32>(ptx::FUNCTION(to_bits<uint128>(response)));                          \
  }
// Returns a coordinate of blockIdx of the first block of the canceled cluster.
CUDASYNC_FIRST_CTAID(clusterlaunchcontrol_query_cancel_get_first_ctaid_x)
CUDASYNC_FIRST_CTAID(clusterlaunchcontrol_query_cancel_get_first_ctaid_y)
CUDASYNC_FIRST_CTAID(clusterlaunchcontrol_query_cancel_get_first_ctaid_z)
#undef CUDASYNC_FIRST_CTAID
// clang-format on

// Stores blockIdx of the first block of the canceled cluster in the first three elements.
// clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.
template <class B32, class B128, class... None,
          require<sizeof(B32) == 4 && sizeof(B128) == 16 && sizeof...(None) == 0> = 0>
CUDASYNC_DEVICE void clusterlaunchcontrol_query_cancel_get_first_ctaid(B32 (&block_index)[4], B128 response, None...) {
  check_sm100<B128>();
  uint32 words[4];
  ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid(words, to_bits<uint128>(response));
  for (int index = 0; index < 4; ++index)
    block_index[index] = from_bits<B32>(words[index]);
}

}  // namespace ptx_names
}}}  // namespace cudasync::CUDASYNC_ABI::compat

namespace cuda::ptx { inline namespace __4 {
using namespace cudasync::compat::ptx_names;
}}  // namespace cuda::ptx::__4

#endif  // CUDASYNC_CUDA

#endif
