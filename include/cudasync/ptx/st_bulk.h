// st.bulk: fills this block's shared memory with zeros.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_ST_BULK_H
#define CUDASYNC_PTX_ST_BULK_H

#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace ptx {

// PTX 8.6, sm_100. The store is weak. The address and the size in bytes must be multiples of 8.
CUDASYNC_DEVICE void st_bulk(shared_address destination, uint64 size) {
  asm volatile("st.bulk.weak.shared::cta [%0], %1, 0;" ::"r"(destination.value), "l"(size) : "memory");
}

}  // namespace ptx
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
