// cp.async.bulk: copies by the copy engine that complete on an mbarrier, in units of 16 bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_CP_ASYNC_BULK_H
#define CUDASYNC_PTX_CP_ASYNC_BULK_H

#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>

// Sizes are in bytes, a multiple of 16; addresses are 16-byte aligned; a source is a generic pointer to global memory.
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

}  // namespace ptx
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
