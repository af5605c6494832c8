// cp.async.bulk: copies by the copy engine, of bytes and of boxes of tensors; their groups and cache policies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_CP_ASYNC_BULK_H
#define CUDASYNC_PTX_CP_ASYNC_BULK_H

#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>

// Sizes are in bytes, a multiple of 16; addresses are 16-byte aligned; void* points to global memory.
// A map is the generic address of a CUtensorMap; coordinates are in elements, the innermost dimension first.
namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace ptx {

// PTX 8.0, sm_90.
CUDASYNC_DEVICE void cp_async_bulk(cluster_address destination, const void* source, uint32 size, cluster_address bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   destination.value),
               "l"(__cvta_generic_to_global(source)), "r"(size), "r"(bar.value)
               : "memory");
}

// PTX 8.0, sm_90. The policy comes from createpolicy.
CUDASYNC_DEVICE void cp_async_bulk(cluster_address destination, const void* source, uint32 size, cluster_address bar,
                                   uint64 cache_policy) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;" ::
          "r"(destination.value),
      "l"(__cvta_generic_to_global(source)), "r"(size), "r"(bar.value), "l"(cache_policy)
      : "memory");
}

#if CUDASYNC_PTX_ISA >= 86
// PTX 8.6, sm_90.
CUDASYNC_DEVICE void cp_async_bulk(shared_address destination, const void* source, uint32 size, shared_address bar) {
  asm volatile(
      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(destination.value),
      "l"(__cvta_generic_to_global(source)), "r"(size), "r"(bar.value)
      : "memory");
}

// PTX 8.6, sm_90. The policy comes from createpolicy.
CUDASYNC_DEVICE void cp_async_bulk(shared_address destination, const void* source, uint32 size, shared_address bar,
                                   uint64 cache_policy) {
  asm volatile(
      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;" ::"r"(
          destination.value),
      "l"(__cvta_generic_to_global(source)), "r"(size), "r"(bar.value), "l"(cache_policy)
      : "memory");
}
#endif

// PTX 8.0, sm_90. To each block whose bit is set in the mask, at the same offset of its shared memory, completing on
// the barrier at the same offset there.
CUDASYNC_DEVICE void cp_async_bulk(cluster_address destination, const void* source, uint32 size, cluster_address bar,
                                   uint16 cta_mask) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::
          "r"(destination.value),
      "l"(__cvta_generic_to_global(source)), "r"(size), "r"(bar.value), "h"(cta_mask)
      : "memory");
}

// PTX 8.0, sm_90. To the shared memory of another block, completing on a barrier there.
CUDASYNC_DEVICE void cp_async_bulk(cluster_address destination, shared_address source, uint32 size,
                                   cluster_address bar) {
  asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   destination.value),
               "r"(source.value), "r"(size), "r"(bar.value)
               : "memory");
}

// PTX 8.0, sm_90. Completes with its group.
CUDASYNC_DEVICE void cp_async_bulk(void* destination, shared_address source, uint32 size) {
  asm volatile(
      "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(destination)),
      "r"(source.value), "r"(size)
      : "memory");
}

// PTX 8.0, sm_90. Makes a group of the copies that this thread began since its last commit.
CUDASYNC_DEVICE void cp_async_bulk_commit_group() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// PTX 8.0, sm_90. Waits until at most Pending of this thread's latest groups are incomplete.
template <int Pending>
CUDASYNC_DEVICE void cp_async_bulk_wait_group() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(Pending) : "memory");
}

// PTX 8.0, sm_90. The same, but waits only until the sources have been read and may be overwritten.
template <int Pending>
CUDASYNC_DEVICE void cp_async_bulk_wait_group_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}

// clang-format off
//
#define CUDASYNC_TENSOR_LOAD(RANK, INSTRUCTION, DESTINATION, BOX, ...)                         \
  CUDASYNC_DEVICE void cp_async_bulk_tensor(DESTINATION destination, const void* map,          \
                                            const int32 (&at)[RANK], DESTINATION bar) {        \
    asm volatile(INSTRUCTION ".mbarrier::complete_tx::bytes [%0], [%1, " BOX "], [%2];"        \
                 :: "r"(destination.value), "l"(map), "r"(bar.value), __VA_ARGS__ : "memory"); \
  }
#define CUDASYNC_TENSOR_MULTICAST(RANK, INSTRUCTION, BOX, ...)                                 \
  CUDASYNC_DEVICE void cp_async_bulk_tensor(cluster_address destination, const void* map,      \
                                            const int32 (&at)[RANK], cluster_address bar,      \
                                            uint16 cta_mask) {                                 \
    asm volatile(INSTRUCTION ".mbarrier::complete_tx::bytes.multicast::cluster "               \
                 "[%0], [%1, " BOX "], [%2], %3;"                                              \
                 :: "r"(destination.value), "l"(map), "r"(bar.value), "h"(cta_mask), __VA_ARGS__ : "memory"); \
  }
#define CUDASYNC_TENSOR_STORE(RANK, INSTRUCTION, BOX, ...)                                     \
  CUDASYNC_DEVICE void cp_async_bulk_tensor(const void* map, const int32 (&at)[RANK],          \
                                            shared_address source) {                           \
    asm volatile(INSTRUCTION ".bulk_group [%0, " BOX "], [%1];"                                \
                 :: "l"(map), "r"(source.value), __VA_ARGS__ : "memory");                      \
  }

//                          instruction                                                              coordinates
// PTX 8.0, sm_90.
CUDASYNC_TENSOR_LOAD     (1, "cp.async.bulk.tensor.1d.shared::cluster.global.tile", cluster_address, "{%3}",                 "r"(at[0]))
CUDASYNC_TENSOR_LOAD     (2, "cp.async.bulk.tensor.2d.shared::cluster.global.tile", cluster_address, "{%3, %4}",             "r"(at[0]), "r"(at[1]))
CUDASYNC_TENSOR_LOAD     (3, "cp.async.bulk.tensor.3d.shared::cluster.global.tile", cluster_address, "{%3, %4, %5}",         "r"(at[0]), "r"(at[1]), "r"(at[2]))
CUDASYNC_TENSOR_LOAD     (4, "cp.async.bulk.tensor.4d.shared::cluster.global.tile", cluster_address, "{%3, %4, %5, %6}",     "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]))
CUDASYNC_TENSOR_LOAD     (5, "cp.async.bulk.tensor.5d.shared::cluster.global.tile", cluster_address, "{%3, %4, %5, %6, %7}", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]))
CUDASYNC_TENSOR_MULTICAST(1, "cp.async.bulk.tensor.1d.shared::cluster.global.tile",                  "{%4}",                 "r"(at[0]))
CUDASYNC_TENSOR_MULTICAST(2, "cp.async.bulk.tensor.2d.shared::cluster.global.tile",                  "{%4, %5}",             "r"(at[0]), "r"(at[1]))
CUDASYNC_TENSOR_MULTICAST(3, "cp.async.bulk.tensor.3d.shared::cluster.global.tile",                  "{%4, %5, %6}",         "r"(at[0]), "r"(at[1]), "r"(at[2]))
CUDASYNC_TENSOR_MULTICAST(4, "cp.async.bulk.tensor.4d.shared::cluster.global.tile",                  "{%4, %5, %6, %7}",     "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]))
CUDASYNC_TENSOR_MULTICAST(5, "cp.async.bulk.tensor.5d.shared::cluster.global.tile",                  "{%4, %5, %6, %7, %8}", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]))
CUDASYNC_TENSOR_STORE    (1, "cp.async.bulk.tensor.1d.global.shared::cta.tile",                      "{%2}",                 "r"(at[0]))
CUDASYNC_TENSOR_STORE    (2, "cp.async.bulk.tensor.2d.global.shared::cta.tile",                      "{%2, %3}",             "r"(at[0]), "r"(at[1]))
CUDASYNC_TENSOR_STORE    (3, "cp.async.bulk.tensor.3d.global.shared::cta.tile",                      "{%2, %3, %4}",         "r"(at[0]), "r"(at[1]), "r"(at[2]))
CUDASYNC_TENSOR_STORE    (4, "cp.async.bulk.tensor.4d.global.shared::cta.tile",                      "{%2, %3, %4, %5}",     "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]))
CUDASYNC_TENSOR_STORE    (5, "cp.async.bulk.tensor.5d.global.shared::cta.tile",                      "{%2, %3, %4, %5, %6}", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]))
#if CUDASYNC_PTX_ISA >= 86
// PTX 8.6, sm_90.
CUDASYNC_TENSOR_LOAD     (1, "cp.async.bulk.tensor.1d.shared::cta.global.tile",     shared_address,  "{%3}",                 "r"(at[0]))
CUDASYNC_TENSOR_LOAD     (2, "cp.async.bulk.tensor.2d.shared::cta.global.tile",     shared_address,  "{%3, %4}",             "r"(at[0]), "r"(at[1]))
CUDASYNC_TENSOR_LOAD     (3, "cp.async.bulk.tensor.3d.shared::cta.global.tile",     shared_address,  "{%3, %4, %5}",         "r"(at[0]), "r"(at[1]), "r"(at[2]))
CUDASYNC_TENSOR_LOAD     (4, "cp.async.bulk.tensor.4d.shared::cta.global.tile",     shared_address,  "{%3, %4, %5, %6}",     "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]))
CUDASYNC_TENSOR_LOAD     (5, "cp.async.bulk.tensor.5d.shared::cta.global.tile",     shared_address,  "{%3, %4, %5, %6, %7}", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]))
#endif
//
#undef CUDASYNC_TENSOR_LOAD
#undef CUDASYNC_TENSOR_MULTICAST
#undef CUDASYNC_TENSOR_STORE
// clang-format on

// PTX 7.4, sm_80.
CUDASYNC_DEVICE uint64 createpolicy_evict_first() {
  uint64 policy;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy)::"memory");
  return policy;
}

// PTX 7.4, sm_80.
CUDASYNC_DEVICE uint64 createpolicy_evict_last() {
  uint64 policy;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy)::"memory");
  return policy;
}

}  // namespace ptx
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
