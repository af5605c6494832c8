// st.async, red.async and st.bulk: stores and atomic operations in shared memory that do not block the thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_ST_ASYNC_H
#define CUDASYNC_PTX_ST_ASYNC_H

#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/qualifiers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx {

// --- Stores to a block of the cluster ---

// The destination and bar must be in the shared memory of the same block, and the destination must be aligned to the
// size of the whole store. The cluster must have more than one block. The store is weak. It subtracts its size in bytes
// from the transaction count of bar with a release at cluster scope, so a thread that acquires the phase of bar sees
// the stored value.

// clang-format off
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
#undef CUDASYNC_ST_ASYNC
// clang-format on

// --- Atomic operations in another block of the cluster ---

// The destination and bar must be in the shared memory of the same block, which must be another block than that of the
// thread, and the destination must be aligned to its size. The operation is relaxed at cluster scope. It subtracts its
// size in bytes from the transaction count of bar with a release at cluster scope, so a thread that acquires the phase
// of bar sees the result. .inc and .dec count from 0 to the operand and from the operand to 0, and then begin again.

// clang-format off
#define CUDASYNC_RED_ASYNC(OPERATION, OP, VALUE, REGISTER)                                     \
  CUDASYNC_DEVICE void red_async(OP, cluster_address destination, VALUE value, cluster_address bar) {                 \
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." OPERATION " [%0], %1, [%2];" \
                 :: "r"(destination.value), REGISTER(value), "r"(bar.value) : "memory");       \
  }

//                 .op.type   operation    C++ type  register
// PTX 8.1, sm_90. Does not block.
CUDASYNC_RED_ASYNC("inc.u32", op_inc_t,    uint32,   "r")
CUDASYNC_RED_ASYNC("dec.u32", op_dec_t,    uint32,   "r")
CUDASYNC_RED_ASYNC("min.u32", op_min_t,    uint32,   "r")
CUDASYNC_RED_ASYNC("max.u32", op_max_t,    uint32,   "r")
CUDASYNC_RED_ASYNC("add.u32", op_add_t,    uint32,   "r")
CUDASYNC_RED_ASYNC("min.s32", op_min_t,    int32,    "r")
CUDASYNC_RED_ASYNC("max.s32", op_max_t,    int32,    "r")
CUDASYNC_RED_ASYNC("add.s32", op_add_t,    int32,    "r")
CUDASYNC_RED_ASYNC("and.b32", op_and_op_t, uint32,   "r")
CUDASYNC_RED_ASYNC("or.b32",  op_or_op_t,  uint32,   "r")
CUDASYNC_RED_ASYNC("xor.b32", op_xor_op_t, uint32,   "r")
CUDASYNC_RED_ASYNC("add.u64", op_add_t,    uint64,   "l")
#undef CUDASYNC_RED_ASYNC
// clang-format on

// --- Zeros ---

// PTX 8.6, sm_100. The store is weak. The address and the size in bytes must be multiples of 8.
CUDASYNC_DEVICE void st_bulk(shared_address destination, uint64 size) {
  asm volatile("st.bulk.weak.shared::cta [%0], %1, 0;" ::"r"(destination.value), "l"(size) : "memory");
}

}}}  // namespace cudasync::CUDASYNC_ABI::ptx

#endif
