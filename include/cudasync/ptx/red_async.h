// red.async: atomic operations in the shared memory of a block of the cluster that complete on an mbarrier there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_RED_ASYNC_H
#define CUDASYNC_PTX_RED_ASYNC_H

#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/qualifiers.h>

// The destination and bar must be in the shared memory of the same block, which must be another block than that of the
// thread, and the destination must be aligned to its size. The operation is relaxed at cluster scope. It subtracts its
// size in bytes from the transaction count of bar with a release at cluster scope, so a thread that acquires the phase
// of bar sees the result. .inc and .dec count from 0 to the operand and from the operand to 0, and then begin again.
namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace ptx {

// clang-format off
//
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
//
#undef CUDASYNC_RED_ASYNC
// clang-format on

}  // namespace ptx
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
