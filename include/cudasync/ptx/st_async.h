// st.async: stores to the shared memory of a block of the cluster that complete on an mbarrier of the same block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_ST_ASYNC_H
#define CUDASYNC_PTX_ST_ASYNC_H

#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>

// The destination and bar must be in the shared memory of the same block, and the destination must be aligned to the
// size of the whole store. The cluster must have more than one block. The store is weak. It subtracts its size in bytes
// from the transaction count of bar with a release at cluster scope, so a thread that acquires the phase of bar sees
// the stored value.
namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace ptx {

// clang-format off
//
#define CUDASYNC_ST_ASYNC(INSTRUCTION, OPERAND, VALUE, ...)                                    \
  CUDASYNC_DEVICE void st_async(cluster_address destination, VALUE, cluster_address bar) {     \
    asm volatile(INSTRUCTION " [%0], " OPERAND ", [%1];"                                       \
                 :: "r"(destination.value), "r"(bar.value), __VA_ARGS__ : "memory");           \
  }

//                instruction                                                                   operand               C++ type
// PTX 8.1, sm_90. Does not block.
CUDASYNC_ST_ASYNC("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32",    "%2",               uint32 value,             "r"(value))
CUDASYNC_ST_ASYNC("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64",    "%2",               uint64 value,             "l"(value))
CUDASYNC_ST_ASYNC("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32", "{%2, %3}",         const uint32 (&value)[2], "r"(value[0]), "r"(value[1]))
CUDASYNC_ST_ASYNC("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b64", "{%2, %3}",         const uint64 (&value)[2], "l"(value[0]), "l"(value[1]))
CUDASYNC_ST_ASYNC("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32", "{%2, %3, %4, %5}", const uint32 (&value)[4], "r"(value[0]), "r"(value[1]), "r"(value[2]), "r"(value[3]))
//
#undef CUDASYNC_ST_ASYNC
// clang-format on

}  // namespace ptx
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
