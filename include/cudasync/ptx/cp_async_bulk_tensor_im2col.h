// cp.async.bulk.tensor.im2col: copies of columns of pixels by the copy engine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_CP_ASYNC_BULK_TENSOR_IM2COL_H
#define CUDASYNC_PTX_CP_ASYNC_BULK_TENSOR_IM2COL_H

#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/qualifiers.h>

// map is the generic address of a CUtensorMap of im2col mode. at is a channel, the pixel of the filter's base (W, or W
// and H, or W, H and D) and an image. offsets are added to the pixel, in the same order. cta_mask has a bit for each
// block that receives the pixels. cache_policy comes from createpolicy. For the tags, see cp_async_bulk_tensor_group.h.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx {

#if !CUDASYNC_DEVICE_PASS

// Parsed but never called: an empty function saves compile time.
template <class... Operands>
CUDASYNC_DEVICE void cp_async_bulk_tensor_im2col(const Operands&...) {}

#else

// clang-format off
#define CUDASYNC_AT_3 "r"(at[0]), "r"(at[1]), "r"(at[2]), "h"(offsets[0])
#define CUDASYNC_AT_4 "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "h"(offsets[0]), "h"(offsets[1])
#define CUDASYNC_AT_5 "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]), "h"(offsets[0]), "h"(offsets[1]), "h"(offsets[2])
#define CUDASYNC_IM2COL(RANK, SPACE, DESTINATION, BOX, OFFSETS)                                \
  CUDASYNC_DEVICE void cp_async_bulk_tensor_im2col(DESTINATION destination, const void* map, const int32 (&at)[RANK], \
                                                   const uint16 (&offsets)[RANK - 2], DESTINATION bar) {              \
    asm volatile("cp.async.bulk.tensor." #RANK "d." SPACE ".global.im2col.mbarrier::complete_tx::bytes"               \
                 " [%0], [%1, " BOX "], [%2], " OFFSETS ";"                                    \
                 :: "r"(destination.value), "l"(map), "r"(bar.value), CUDASYNC_AT_##RANK : "memory");                 \
  }
#define CUDASYNC_IM2COL_HINT(RANK, SPACE, DESTINATION, BOX, OFFSETS)                           \
  CUDASYNC_DEVICE void cp_async_bulk_tensor_im2col(DESTINATION destination, const void* map, const int32 (&at)[RANK], \
                                                   const uint16 (&offsets)[RANK - 2], DESTINATION bar,                \
                                                   uint64 cache_policy) {                      \
    asm volatile("cp.async.bulk.tensor." #RANK "d." SPACE ".global.im2col.mbarrier::complete_tx::bytes.L2::cache_hint" \
                 " [%0], [%1, " BOX "], [%2], " OFFSETS ", %3;"                                \
                 :: "r"(destination.value), "l"(map), "r"(bar.value), "l"(cache_policy), CUDASYNC_AT_##RANK : "memory"); \
  }
#define CUDASYNC_IM2COL_MULTICAST(RANK, BOX, OFFSETS)                                          \
  CUDASYNC_DEVICE void cp_async_bulk_tensor_im2col(cluster_address destination, const void* map,                      \
                                                   const int32 (&at)[RANK], const uint16 (&offsets)[RANK - 2],        \
                                                   cluster_address bar, uint16 cta_mask) {     \
    asm volatile("cp.async.bulk.tensor." #RANK "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"         \
                 ".multicast::cluster [%0], [%1, " BOX "], [%2], " OFFSETS ", %3;"             \
                 :: "r"(destination.value), "l"(map), "r"(bar.value), "h"(cta_mask), CUDASYNC_AT_##RANK : "memory");  \
  }
#define CUDASYNC_IM2COL_MULTICAST_HINT(RANK, BOX, OFFSETS)                                     \
  CUDASYNC_DEVICE void cp_async_bulk_tensor_im2col(cluster_address destination, const void* map,                      \
                                                   const int32 (&at)[RANK], const uint16 (&offsets)[RANK - 2],        \
                                                   cluster_address bar, uint16 cta_mask, uint64 cache_policy) {       \
    asm volatile("cp.async.bulk.tensor." #RANK "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"         \
                 ".multicast::cluster.L2::cache_hint [%0], [%1, " BOX "], [%2], " OFFSETS ", %3, %4;"                 \
                 :: "r"(destination.value), "l"(map), "r"(bar.value), "h"(cta_mask), "l"(cache_policy), CUDASYNC_AT_##RANK : "memory"); \
  }
#define CUDASYNC_IM2COL_PAIR(RANK, BOX, OFFSETS)                                               \
  CUDASYNC_DEVICE void cp_async_bulk_tensor_im2col(cta_group_2_t, cluster_address destination, const void* map,       \
                                                   const int32 (&at)[RANK], const uint16 (&offsets)[RANK - 2],        \
                                                   cluster_address bar) {                      \
    asm volatile("cp.async.bulk.tensor." #RANK "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.cta_group::2" \
                 " [%0], [%1, " BOX "], [%2], " OFFSETS ";"                                    \
                 :: "r"(destination.value), "l"(map), "r"(bar.value), CUDASYNC_AT_##RANK : "memory");                 \
  }

//                                destination                           coordinates             offsets
// PTX 8.0, sm_90.
CUDASYNC_IM2COL               (3, "shared::cluster", cluster_address, "{%3, %4, %5}",           "{%6}")
CUDASYNC_IM2COL               (4, "shared::cluster", cluster_address, "{%3, %4, %5, %6}",       "{%7, %8}")
CUDASYNC_IM2COL               (5, "shared::cluster", cluster_address, "{%3, %4, %5, %6, %7}",   "{%8, %9, %10}")
CUDASYNC_IM2COL_HINT          (3, "shared::cluster", cluster_address, "{%4, %5, %6}",           "{%7}")
CUDASYNC_IM2COL_HINT          (4, "shared::cluster", cluster_address, "{%4, %5, %6, %7}",       "{%8, %9}")
CUDASYNC_IM2COL_HINT          (5, "shared::cluster", cluster_address, "{%4, %5, %6, %7, %8}",   "{%9, %10, %11}")
CUDASYNC_IM2COL_MULTICAST     (3,                                     "{%4, %5, %6}",           "{%7}")
CUDASYNC_IM2COL_MULTICAST     (4,                                     "{%4, %5, %6, %7}",       "{%8, %9}")
CUDASYNC_IM2COL_MULTICAST     (5,                                     "{%4, %5, %6, %7, %8}",   "{%9, %10, %11}")
CUDASYNC_IM2COL_MULTICAST_HINT(3,                                     "{%5, %6, %7}",           "{%8}")
CUDASYNC_IM2COL_MULTICAST_HINT(4,                                     "{%5, %6, %7, %8}",       "{%9, %10}")
CUDASYNC_IM2COL_MULTICAST_HINT(5,                                     "{%5, %6, %7, %8, %9}",   "{%10, %11, %12}")
#if CUDASYNC_PTX_ISA >= 86
// PTX 8.6, sm_90.
CUDASYNC_IM2COL               (3, "shared::cta",     shared_address,  "{%3, %4, %5}",           "{%6}")
CUDASYNC_IM2COL               (4, "shared::cta",     shared_address,  "{%3, %4, %5, %6}",       "{%7, %8}")
CUDASYNC_IM2COL               (5, "shared::cta",     shared_address,  "{%3, %4, %5, %6, %7}",   "{%8, %9, %10}")
CUDASYNC_IM2COL_HINT          (3, "shared::cta",     shared_address,  "{%4, %5, %6}",           "{%7}")
CUDASYNC_IM2COL_HINT          (4, "shared::cta",     shared_address,  "{%4, %5, %6, %7}",       "{%8, %9}")
CUDASYNC_IM2COL_HINT          (5, "shared::cta",     shared_address,  "{%4, %5, %6, %7, %8}",   "{%9, %10, %11}")
#endif
// PTX 8.6, sm_100a. Also sm_100f, sm_103a/f and sm_110a/f. bar may be in the other block of the pair.
CUDASYNC_IM2COL_PAIR          (3,                                     "{%3, %4, %5}",           "{%6}")
CUDASYNC_IM2COL_PAIR          (4,                                     "{%3, %4, %5, %6}",       "{%7, %8}")
CUDASYNC_IM2COL_PAIR          (5,                                     "{%3, %4, %5, %6, %7}",   "{%8, %9, %10}")
#undef CUDASYNC_AT_3
#undef CUDASYNC_AT_4
#undef CUDASYNC_AT_5
#undef CUDASYNC_IM2COL
#undef CUDASYNC_IM2COL_HINT
#undef CUDASYNC_IM2COL_MULTICAST
#undef CUDASYNC_IM2COL_MULTICAST_HINT
#undef CUDASYNC_IM2COL_PAIR
// clang-format on

#endif  // CUDASYNC_DEVICE_PASS

}}}  // namespace cudasync::CUDASYNC_ABI::ptx

#endif
