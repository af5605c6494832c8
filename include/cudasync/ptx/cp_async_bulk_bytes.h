// cp.async.bulk with a mask of bytes, or with bytes at both ends that are not read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_CP_ASYNC_BULK_BYTES_H
#define CUDASYNC_PTX_CP_ASYNC_BULK_BYTES_H

#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>

// Sizes are in bytes, a multiple of 16; addresses are 16-byte aligned; void* points to global memory.
namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace ptx {

// PTX 8.6, sm_100. Of each 16 bytes, copies those whose bits are set in the mask. Completes with its group.
CUDASYNC_DEVICE void cp_async_bulk_cp_mask(void* destination, shared_address source, uint32 size, uint16 byte_mask) {
  asm volatile(
      "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%0], [%1], %2, %3;" ::"l"(offset_in_global(destination)),
      "r"(source.value), "r"(size), "h"(byte_mask)
      : "memory");
}

// PTX 9.2, sm_90. The first ignored_left and the last ignored_right bytes of the source, 0 to 15 each, may be out of
// bounds. Completes on bar.
CUDASYNC_DEVICE void cp_async_bulk_ignore_oob(shared_address destination, const void* source, uint32 size,
                                              uint32 ignored_left, uint32 ignored_right, shared_address bar) {
  asm volatile(
      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [%0], [%1], %2, %3, %4, [%5];" ::"r"(
          destination.value),
      "l"(offset_in_global(source)), "r"(size), "r"(ignored_left), "r"(ignored_right), "r"(bar.value)
      : "memory");
}

}  // namespace ptx
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
