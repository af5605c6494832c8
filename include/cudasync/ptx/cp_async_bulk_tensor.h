// cp.async.bulk.tensor: copies of boxes of tensors by the copy engine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_CP_ASYNC_BULK_TENSOR_H
#define CUDASYNC_PTX_CP_ASYNC_BULK_TENSOR_H

#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>

// The same declaration as in cuda.h.
typedef struct CUtensorMap_st CUtensorMap;

// map is the generic address of a CUtensorMap. Coordinates are in elements, the innermost dimension first. cta_mask has
// a bit for each block that receives the box. cache_policy comes from createpolicy.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx {

#if !CUDASYNC_DEVICE_PASS

// Parsed but never called: an empty function saves compile time.
template <class... Operands>
CUDASYNC_DEVICE void cp_async_bulk_tensor(const Operands&...) {}

#else

// clang-format off
#define CUDASYNC_TENSOR_LOAD(RANK, INSTRUCTION, DESTINATION, BOX, ...)                         \
  CUDASYNC_DEVICE void cp_async_bulk_tensor(DESTINATION destination, const void* map,          \
                                            const int32 (&at)[RANK], DESTINATION bar) {        \
    asm volatile(INSTRUCTION ".mbarrier::complete_tx::bytes [%0], [%1, " BOX "], [%2];"        \
                 :: "r"(destination.value), "l"(map), "r"(bar.value), __VA_ARGS__ : "memory"); \
  }
#define CUDASYNC_TENSOR_LOAD_HINT(RANK, INSTRUCTION, DESTINATION, BOX, ...)                    \
  CUDASYNC_DEVICE void cp_async_bulk_tensor(DESTINATION destination, const void* map,          \
                                            const int32 (&at)[RANK], DESTINATION bar,          \
                                            uint64 cache_policy) {                             \
    asm volatile(INSTRUCTION ".mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, " BOX "], [%2], %3;"     \
                 :: "r"(destination.value), "l"(map), "r"(bar.value), "l"(cache_policy), __VA_ARGS__ : "memory"); \
  }
#define CUDASYNC_TENSOR_MULTICAST(RANK, INSTRUCTION, BOX, ...)                                 \
  CUDASYNC_DEVICE void cp_async_bulk_tensor(cluster_address destination, const void* map,      \
                                            const int32 (&at)[RANK], cluster_address bar,      \
                                            uint16 cta_mask) {                                 \
    asm volatile(INSTRUCTION ".mbarrier::complete_tx::bytes.multicast::cluster "               \
                 "[%0], [%1, " BOX "], [%2], %3;"                                              \
                 :: "r"(destination.value), "l"(map), "r"(bar.value), "h"(cta_mask), __VA_ARGS__ : "memory"); \
  }
#define CUDASYNC_TENSOR_MULTICAST_HINT(RANK, INSTRUCTION, BOX, ...)                            \
  CUDASYNC_DEVICE void cp_async_bulk_tensor(cluster_address destination, const void* map,      \
                                            const int32 (&at)[RANK], cluster_address bar,      \
                                            uint16 cta_mask, uint64 cache_policy) {            \
    asm volatile(INSTRUCTION ".mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint "\
                 "[%0], [%1, " BOX "], [%2], %3, %4;"                                          \
                 :: "r"(destination.value), "l"(map), "r"(bar.value), "h"(cta_mask), "l"(cache_policy), __VA_ARGS__ : "memory"); \
  }
#define CUDASYNC_TENSOR_STORE(RANK, INSTRUCTION, BOX, ...)                                     \
  CUDASYNC_DEVICE void cp_async_bulk_tensor(const void* map, const int32 (&at)[RANK],          \
                                            shared_address source) {                           \
    asm volatile(INSTRUCTION ".bulk_group [%0, " BOX "], [%1];"                                \
                 :: "l"(map), "r"(source.value), __VA_ARGS__ : "memory");                      \
  }

//                          instruction                                                              coordinates
// PTX 8.0, sm_90.
CUDASYNC_TENSOR_LOAD      (1, "cp.async.bulk.tensor.1d.shared::cluster.global.tile",    cluster_address, "{%3}",                    "r"(at[0]))
CUDASYNC_TENSOR_LOAD      (2, "cp.async.bulk.tensor.2d.shared::cluster.global.tile",    cluster_address, "{%3, %4}",                "r"(at[0]), "r"(at[1]))
CUDASYNC_TENSOR_LOAD      (3, "cp.async.bulk.tensor.3d.shared::cluster.global.tile",    cluster_address, "{%3, %4, %5}",            "r"(at[0]), "r"(at[1]), "r"(at[2]))
CUDASYNC_TENSOR_LOAD      (4, "cp.async.bulk.tensor.4d.shared::cluster.global.tile",    cluster_address, "{%3, %4, %5, %6}",        "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]))
CUDASYNC_TENSOR_LOAD      (5, "cp.async.bulk.tensor.5d.shared::cluster.global.tile",    cluster_address, "{%3, %4, %5, %6, %7}",    "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]))
CUDASYNC_TENSOR_LOAD_HINT (1, "cp.async.bulk.tensor.1d.shared::cluster.global.tile",    cluster_address, "{%4}",                    "r"(at[0]))
CUDASYNC_TENSOR_LOAD_HINT (2, "cp.async.bulk.tensor.2d.shared::cluster.global.tile",    cluster_address, "{%4, %5}",                "r"(at[0]), "r"(at[1]))
CUDASYNC_TENSOR_LOAD_HINT (3, "cp.async.bulk.tensor.3d.shared::cluster.global.tile",    cluster_address, "{%4, %5, %6}",            "r"(at[0]), "r"(at[1]), "r"(at[2]))
CUDASYNC_TENSOR_LOAD_HINT (4, "cp.async.bulk.tensor.4d.shared::cluster.global.tile",    cluster_address, "{%4, %5, %6, %7}",        "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]))
CUDASYNC_TENSOR_LOAD_HINT (5, "cp.async.bulk.tensor.5d.shared::cluster.global.tile",    cluster_address, "{%4, %5, %6, %7, %8}",    "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]))
CUDASYNC_TENSOR_MULTICAST (1, "cp.async.bulk.tensor.1d.shared::cluster.global.tile",                     "{%4}",                    "r"(at[0]))
CUDASYNC_TENSOR_MULTICAST (2, "cp.async.bulk.tensor.2d.shared::cluster.global.tile",                     "{%4, %5}",                "r"(at[0]), "r"(at[1]))
CUDASYNC_TENSOR_MULTICAST (3, "cp.async.bulk.tensor.3d.shared::cluster.global.tile",                     "{%4, %5, %6}",            "r"(at[0]), "r"(at[1]), "r"(at[2]))
CUDASYNC_TENSOR_MULTICAST (4, "cp.async.bulk.tensor.4d.shared::cluster.global.tile",                     "{%4, %5, %6, %7}",        "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]))
CUDASYNC_TENSOR_MULTICAST (5, "cp.async.bulk.tensor.5d.shared::cluster.global.tile",                     "{%4, %5, %6, %7, %8}",    "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]))
CUDASYNC_TENSOR_MULTICAST_HINT(1, "cp.async.bulk.tensor.1d.shared::cluster.global.tile",                 "{%5}",                    "r"(at[0]))
CUDASYNC_TENSOR_MULTICAST_HINT(2, "cp.async.bulk.tensor.2d.shared::cluster.global.tile",                 "{%5, %6}",                "r"(at[0]), "r"(at[1]))
CUDASYNC_TENSOR_MULTICAST_HINT(3, "cp.async.bulk.tensor.3d.shared::cluster.global.tile",                 "{%5, %6, %7}",            "r"(at[0]), "r"(at[1]), "r"(at[2]))
CUDASYNC_TENSOR_MULTICAST_HINT(4, "cp.async.bulk.tensor.4d.shared::cluster.global.tile",                 "{%5, %6, %7, %8}",        "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]))
CUDASYNC_TENSOR_MULTICAST_HINT(5, "cp.async.bulk.tensor.5d.shared::cluster.global.tile",                 "{%5, %6, %7, %8, %9}",    "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]))
CUDASYNC_TENSOR_STORE     (1, "cp.async.bulk.tensor.1d.global.shared::cta.tile",                         "{%2}",                    "r"(at[0]))
CUDASYNC_TENSOR_STORE     (2, "cp.async.bulk.tensor.2d.global.shared::cta.tile",                         "{%2, %3}",                "r"(at[0]), "r"(at[1]))
CUDASYNC_TENSOR_STORE     (3, "cp.async.bulk.tensor.3d.global.shared::cta.tile",                         "{%2, %3, %4}",            "r"(at[0]), "r"(at[1]), "r"(at[2]))
CUDASYNC_TENSOR_STORE     (4, "cp.async.bulk.tensor.4d.global.shared::cta.tile",                         "{%2, %3, %4, %5}",        "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]))
CUDASYNC_TENSOR_STORE     (5, "cp.async.bulk.tensor.5d.global.shared::cta.tile",                         "{%2, %3, %4, %5, %6}",    "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]))
#if CUDASYNC_PTX_ISA >= 86
// PTX 8.6, sm_90.
CUDASYNC_TENSOR_LOAD      (1, "cp.async.bulk.tensor.1d.shared::cta.global.tile",        shared_address,  "{%3}",                    "r"(at[0]))
CUDASYNC_TENSOR_LOAD      (2, "cp.async.bulk.tensor.2d.shared::cta.global.tile",        shared_address,  "{%3, %4}",                "r"(at[0]), "r"(at[1]))
CUDASYNC_TENSOR_LOAD      (3, "cp.async.bulk.tensor.3d.shared::cta.global.tile",        shared_address,  "{%3, %4, %5}",            "r"(at[0]), "r"(at[1]), "r"(at[2]))
CUDASYNC_TENSOR_LOAD      (4, "cp.async.bulk.tensor.4d.shared::cta.global.tile",        shared_address,  "{%3, %4, %5, %6}",        "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]))
CUDASYNC_TENSOR_LOAD      (5, "cp.async.bulk.tensor.5d.shared::cta.global.tile",        shared_address,  "{%3, %4, %5, %6, %7}",    "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]))
CUDASYNC_TENSOR_LOAD_HINT (1, "cp.async.bulk.tensor.1d.shared::cta.global.tile",        shared_address,  "{%4}",                    "r"(at[0]))
CUDASYNC_TENSOR_LOAD_HINT (2, "cp.async.bulk.tensor.2d.shared::cta.global.tile",        shared_address,  "{%4, %5}",                "r"(at[0]), "r"(at[1]))
CUDASYNC_TENSOR_LOAD_HINT (3, "cp.async.bulk.tensor.3d.shared::cta.global.tile",        shared_address,  "{%4, %5, %6}",            "r"(at[0]), "r"(at[1]), "r"(at[2]))
CUDASYNC_TENSOR_LOAD_HINT (4, "cp.async.bulk.tensor.4d.shared::cta.global.tile",        shared_address,  "{%4, %5, %6, %7}",        "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]))
CUDASYNC_TENSOR_LOAD_HINT (5, "cp.async.bulk.tensor.5d.shared::cta.global.tile",        shared_address,  "{%4, %5, %6, %7, %8}",    "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]))
#endif
#undef CUDASYNC_TENSOR_LOAD
#undef CUDASYNC_TENSOR_LOAD_HINT
#undef CUDASYNC_TENSOR_MULTICAST
#undef CUDASYNC_TENSOR_MULTICAST_HINT
#undef CUDASYNC_TENSOR_STORE
// clang-format on

#if CUDASYNC_PTX_ISA >= 86
// .shared::cta has no multicast: a mask of blocks, which would be taken for a policy, needs cluster_address.
template <size_t Rank>
CUDASYNC_DEVICE void cp_async_bulk_tensor(shared_address, const void*, const int32 (&)[Rank], shared_address,
                                          uint16 cta_mask) = delete;
#endif

#endif  // CUDASYNC_DEVICE_PASS

// PTX 8.0, sm_90. Loads the map into the cache of tensor maps.
CUDASYNC_DEVICE void prefetch_tensormap(const void* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

}}}  // namespace cudasync::CUDASYNC_ABI::ptx

#endif
