// cp.async.bulk.tensor.tile::gather4 and tile::scatter4: copies of four rows of a matrix.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_CP_ASYNC_BULK_TENSOR_ROWS_H
#define CUDASYNC_PTX_CP_ASYNC_BULK_TENSOR_ROWS_H

#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/qualifiers.h>

// map is the generic address of a CUtensorMap of rank 2. at is a column and four rows. cta_mask has a bit for each
// block that receives the rows. For the tags, see cp_async_bulk_tensor_group.h.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx {

// PTX 8.6, sm_100. Completes on bar.
CUDASYNC_DEVICE void cp_async_bulk_tensor_tile_gather4(shared_address destination, const void* map,
                                                       const int32 (&at)[5], shared_address bar) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%3, %4, %5, %6, %7}], [%2];" ::"r"(destination.value),
               "l"(map), "r"(bar.value), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4])
               : "memory");
}

// PTX 8.6, sm_100a. Also sm_100f, sm_103a/f and sm_110a/f. Completes on the barrier at the same offset in each block.
CUDASYNC_DEVICE void cp_async_bulk_tensor_tile_gather4(cluster_address destination, const void* map,
                                                       const int32 (&at)[5], cluster_address bar, uint16 cta_mask) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%4, %5, %6, %7, %8}], [%2], %3;" ::"r"(destination.value),
      "l"(map), "r"(bar.value), "h"(cta_mask), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4])
      : "memory");
}

// clang-format off
#define CUDASYNC_GATHER(GROUP, TAG)                                                            \
  CUDASYNC_DEVICE void cp_async_bulk_tensor_tile_gather4(TAG, shared_address destination, const void* map,            \
                                                         const int32 (&at)[5], shared_address bar) {                  \
    asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes." GROUP       \
                 " [%0], [%1, {%3, %4, %5, %6, %7}], [%2];"                                    \
                 :: "r"(destination.value), "l"(map), "r"(bar.value),                          \
                    "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]) : "memory");    \
  }                                                                                            \
  CUDASYNC_DEVICE void cp_async_bulk_tensor_tile_gather4(TAG, cluster_address destination, const void* map,           \
                                                         const int32 (&at)[5], cluster_address bar, uint16 cta_mask) { \
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes"          \
                 ".multicast::cluster." GROUP " [%0], [%1, {%4, %5, %6, %7, %8}], [%2], %3;"   \
                 :: "r"(destination.value), "l"(map), "r"(bar.value), "h"(cta_mask),           \
                    "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]) : "memory");    \
  }

//              .cta_group      tag
// PTX 8.6, sm_100a. Also sm_100f, sm_103a/f and sm_110a/f. Completes on bar, or on the barriers at its offset.
CUDASYNC_GATHER("cta_group::1", cta_group_1_t)
CUDASYNC_GATHER("cta_group::2", cta_group_2_t)
#undef CUDASYNC_GATHER
// clang-format on

// PTX 8.6, sm_100a. Also sm_100f, sm_103a/f and sm_110a/f. Completes with its group.
CUDASYNC_DEVICE void cp_async_bulk_tensor_tile_scatter4(const void* map, const int32 (&at)[5], shared_address source) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%0, {%2, %3, %4, %5, %6}], [%1];" ::"l"(
          map),
      "r"(source.value), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4])
      : "memory");
}

}}}  // namespace cudasync::CUDASYNC_ABI::ptx

#endif
