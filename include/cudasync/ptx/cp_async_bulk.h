// cp.async.bulk: copies of bytes by the copy engine, their groups, and cache policies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_CP_ASYNC_BULK_H
#define CUDASYNC_PTX_CP_ASYNC_BULK_H

#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>

// Sizes are in bytes, a multiple of 16; addresses are 16-byte aligned; void* points to global memory.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx {

// PTX 8.0, sm_90.
CUDASYNC_DEVICE void cp_async_bulk(cluster_address destination, const void* source, uint32 size, cluster_address bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   destination.value),
               "l"(offset_in_global(source)), "r"(size), "r"(bar.value)
               : "memory");
}

// PTX 8.0, sm_90. The policy comes from createpolicy.
CUDASYNC_DEVICE void cp_async_bulk(cluster_address destination, const void* source, uint32 size, cluster_address bar,
                                   uint64 cache_policy) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;" ::
          "r"(destination.value),
      "l"(offset_in_global(source)), "r"(size), "r"(bar.value), "l"(cache_policy)
      : "memory");
}

#if CUDASYNC_PTX_ISA >= 86
// PTX 8.6, sm_90.
CUDASYNC_DEVICE void cp_async_bulk(shared_address destination, const void* source, uint32 size, shared_address bar) {
  asm volatile(
      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(destination.value),
      "l"(offset_in_global(source)), "r"(size), "r"(bar.value)
      : "memory");
}

// PTX 8.6, sm_90. The policy comes from createpolicy.
CUDASYNC_DEVICE void cp_async_bulk(shared_address destination, const void* source, uint32 size, shared_address bar,
                                   uint64 cache_policy) {
  asm volatile(
      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;" ::"r"(
          destination.value),
      "l"(offset_in_global(source)), "r"(size), "r"(bar.value), "l"(cache_policy)
      : "memory");
}

// .shared::cta has no multicast: a mask of blocks, which would be taken for a policy, needs cluster_address.
CUDASYNC_DEVICE void cp_async_bulk(shared_address, const void*, uint32, shared_address, uint16 cta_mask) = delete;
#endif

// PTX 8.0, sm_90. To each block whose bit is set in the mask, at the same offset of its shared memory. Completes on
// the barrier at the same offset there.
CUDASYNC_DEVICE void cp_async_bulk(cluster_address destination, const void* source, uint32 size, cluster_address bar,
                                   uint16 cta_mask) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
               "[%0], [%1], %2, [%3], %4;" ::"r"(destination.value),
               "l"(offset_in_global(source)), "r"(size), "r"(bar.value), "h"(cta_mask)
               : "memory");
}

// PTX 8.0, sm_90. The same with a policy from createpolicy.
CUDASYNC_DEVICE void cp_async_bulk(cluster_address destination, const void* source, uint32 size, cluster_address bar,
                                   uint16 cta_mask, uint64 cache_policy) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%0], [%1], "
      "%2, [%3], %4, %5;" ::"r"(destination.value),
      "l"(offset_in_global(source)), "r"(size), "r"(bar.value), "h"(cta_mask), "l"(cache_policy)
      : "memory");
}

// PTX 8.0, sm_90. To the shared memory of another block. Completes on a barrier there.
CUDASYNC_DEVICE void cp_async_bulk(cluster_address destination, shared_address source, uint32 size,
                                   cluster_address bar) {
  asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   destination.value),
               "r"(source.value), "r"(size), "r"(bar.value)
               : "memory");
}

// PTX 8.0, sm_90. Completes with its group.
CUDASYNC_DEVICE void cp_async_bulk(void* destination, shared_address source, uint32 size) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(offset_in_global(destination)),
               "r"(source.value), "r"(size)
               : "memory");
}

// PTX 8.0, sm_90. The same with a policy from createpolicy.
CUDASYNC_DEVICE void cp_async_bulk(void* destination, shared_address source, uint32 size, uint64 cache_policy) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;" ::"l"(
                   offset_in_global(destination)),
               "r"(source.value), "r"(size), "l"(cache_policy)
               : "memory");
}

// PTX 8.0, sm_90. Loads global memory into the L2 cache.
CUDASYNC_DEVICE void cp_async_bulk_prefetch_L2(const void* source, uint32 size) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(offset_in_global(source)), "r"(size) : "memory");
}

// PTX 8.0, sm_90. Makes a group of the copies that this thread has started since its last commit.
CUDASYNC_DEVICE void cp_async_bulk_commit_group() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// PTX 8.0, sm_90. Blocks until all groups of this thread except the latest Pending are complete.
template <int Pending>
CUDASYNC_DEVICE void cp_async_bulk_wait_group() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(Pending) : "memory");
}

// PTX 8.0, sm_90. The same, but only until the sources have been read and may be overwritten.
template <int Pending>
CUDASYNC_DEVICE void cp_async_bulk_wait_group_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}

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

// PTX 8.6, sm_100. Of each 16 bytes, copies those whose bits are set in the mask. Completes with its group.
CUDASYNC_DEVICE void cp_async_bulk_cp_mask(void* destination, shared_address source, uint32 size, uint16 byte_mask) {
  asm volatile(
      "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%0], [%1], %2, %3;" ::"l"(offset_in_global(destination)),
      "r"(source.value), "r"(size), "h"(byte_mask)
      : "memory");
}

// PTX 9.2, sm_90. The first ignored_left and last ignored_right bytes, 0 to 15, may be out of bounds. Completes on bar.
CUDASYNC_DEVICE void cp_async_bulk_ignore_oob(shared_address destination, const void* source, uint32 size,
                                              uint32 ignored_left, uint32 ignored_right, shared_address bar) {
  asm volatile(
      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [%0], [%1], %2, %3, %4, [%5];" ::"r"(
          destination.value),
      "l"(offset_in_global(source)), "r"(size), "r"(ignored_left), "r"(ignored_right), "r"(bar.value)
      : "memory");
}

}}}  // namespace cudasync::CUDASYNC_ABI::ptx

#endif
