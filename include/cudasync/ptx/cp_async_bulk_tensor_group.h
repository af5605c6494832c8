// cp.async.bulk.tensor.cta_group: copies of boxes of tensors for the blocks that share a tensor core.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_CP_ASYNC_BULK_TENSOR_GROUP_H
#define CUDASYNC_PTX_CP_ASYNC_BULK_TENSOR_GROUP_H

#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/qualifiers.h>

// With .cta_group::1, bar must be in the block of the destination. With .cta_group::2, it may also be in the other
// block of its pair. map, the coordinates and cta_mask are those of cp_async_bulk_tensor.h.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx {

// clang-format off
#define CUDASYNC_LOAD_BOX(RANK, SPACE, GROUP, DESTINATION, TAG, BOX, ...)                      \
  CUDASYNC_DEVICE void cp_async_bulk_tensor(TAG, DESTINATION destination, const void* map,     \
                                            const int32 (&at)[RANK], DESTINATION bar) {        \
    asm volatile("cp.async.bulk.tensor." #RANK "d." SPACE ".global.tile.mbarrier::complete_tx::bytes." GROUP          \
                 " [%0], [%1, " BOX "], [%2];"                                                 \
                 :: "r"(destination.value), "l"(map), "r"(bar.value), __VA_ARGS__ : "memory"); \
  }
#define CUDASYNC_MULTICAST_BOX(RANK, GROUP, TAG, BOX, ...)                                     \
  CUDASYNC_DEVICE void cp_async_bulk_tensor(TAG, cluster_address destination, const void* map, \
                                            const int32 (&at)[RANK], cluster_address bar, uint16 cta_mask) {          \
    asm volatile("cp.async.bulk.tensor." #RANK "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"           \
                 ".multicast::cluster." GROUP " [%0], [%1, " BOX "], [%2], %3;"                \
                 :: "r"(destination.value), "l"(map), "r"(bar.value), "h"(cta_mask), __VA_ARGS__ : "memory");         \
  }
#define CUDASYNC_LOAD(SPACE, GROUP, DESTINATION, TAG)                                          \
  CUDASYNC_LOAD_BOX(1, SPACE, GROUP, DESTINATION, TAG, "{%3}",                 "r"(at[0]))     \
  CUDASYNC_LOAD_BOX(2, SPACE, GROUP, DESTINATION, TAG, "{%3, %4}",             "r"(at[0]), "r"(at[1]))                \
  CUDASYNC_LOAD_BOX(3, SPACE, GROUP, DESTINATION, TAG, "{%3, %4, %5}",         "r"(at[0]), "r"(at[1]), "r"(at[2]))    \
  CUDASYNC_LOAD_BOX(4, SPACE, GROUP, DESTINATION, TAG, "{%3, %4, %5, %6}",     "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3])) \
  CUDASYNC_LOAD_BOX(5, SPACE, GROUP, DESTINATION, TAG, "{%3, %4, %5, %6, %7}", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]))
#define CUDASYNC_MULTICAST(GROUP, TAG)                                                         \
  CUDASYNC_MULTICAST_BOX(1, GROUP, TAG, "{%4}",                 "r"(at[0]))                    \
  CUDASYNC_MULTICAST_BOX(2, GROUP, TAG, "{%4, %5}",             "r"(at[0]), "r"(at[1]))        \
  CUDASYNC_MULTICAST_BOX(3, GROUP, TAG, "{%4, %5, %6}",         "r"(at[0]), "r"(at[1]), "r"(at[2]))                   \
  CUDASYNC_MULTICAST_BOX(4, GROUP, TAG, "{%4, %5, %6, %7}",     "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]))       \
  CUDASYNC_MULTICAST_BOX(5, GROUP, TAG, "{%4, %5, %6, %7, %8}", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]))

//                 .dst               .cta_group      destination      tag
// PTX 8.6, sm_100a. Also sm_100f, sm_103a/f and sm_110a/f.
CUDASYNC_LOAD     ("shared::cta",     "cta_group::1", shared_address,  cta_group_1_t)
CUDASYNC_LOAD     ("shared::cta",     "cta_group::2", shared_address,  cta_group_2_t)
CUDASYNC_LOAD     ("shared::cluster", "cta_group::1", cluster_address, cta_group_1_t)
CUDASYNC_LOAD     ("shared::cluster", "cta_group::2", cluster_address, cta_group_2_t)
CUDASYNC_MULTICAST(                   "cta_group::1",                  cta_group_1_t)
CUDASYNC_MULTICAST(                   "cta_group::2",                  cta_group_2_t)
#undef CUDASYNC_LOAD_BOX
#undef CUDASYNC_MULTICAST_BOX
#undef CUDASYNC_LOAD
#undef CUDASYNC_MULTICAST
// clang-format on

}}}  // namespace cudasync::CUDASYNC_ABI::ptx

#endif
