// cp.reduce.async.bulk.tensor: operations of the copy engine on boxes of tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_CP_REDUCE_ASYNC_BULK_TENSOR_H
#define CUDASYNC_PTX_CP_REDUCE_ASYNC_BULK_TENSOR_H

#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/qualifiers.h>

// map is the generic address of a CUtensorMap, whose element type the operation uses. Coordinates are in elements, the
// innermost dimension first. Each element is combined atomically, with relaxed order at .gpu scope.
namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace ptx {

// clang-format off
//
#define CUDASYNC_REDUCE_BOX(RANK, OPERATION, OP, BOX, ...)                                     \
  CUDASYNC_DEVICE void cp_reduce_async_bulk_tensor(OP, const void* map, const int32 (&at)[RANK],                      \
                                                   shared_address source) {                    \
    asm volatile("cp.reduce.async.bulk.tensor." #RANK "d.global.shared::cta." OPERATION        \
                 ".tile.bulk_group [%0, " BOX "], [%1];"                                       \
                 :: "l"(map), "r"(source.value), __VA_ARGS__ : "memory");                      \
  }
#define CUDASYNC_REDUCE_TENSOR(OPERATION, OP)                                                  \
  CUDASYNC_REDUCE_BOX(1, OPERATION, OP, "{%2}",                 "r"(at[0]))                    \
  CUDASYNC_REDUCE_BOX(2, OPERATION, OP, "{%2, %3}",             "r"(at[0]), "r"(at[1]))        \
  CUDASYNC_REDUCE_BOX(3, OPERATION, OP, "{%2, %3, %4}",         "r"(at[0]), "r"(at[1]), "r"(at[2]))                   \
  CUDASYNC_REDUCE_BOX(4, OPERATION, OP, "{%2, %3, %4, %5}",     "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]))       \
  CUDASYNC_REDUCE_BOX(5, OPERATION, OP, "{%2, %3, %4, %5, %6}", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]))

//                     .op    operation
// PTX 8.0, sm_90. Completes with its group.
CUDASYNC_REDUCE_TENSOR("add", op_add_t)
CUDASYNC_REDUCE_TENSOR("min", op_min_t)
CUDASYNC_REDUCE_TENSOR("max", op_max_t)
CUDASYNC_REDUCE_TENSOR("inc", op_inc_t)
CUDASYNC_REDUCE_TENSOR("dec", op_dec_t)
CUDASYNC_REDUCE_TENSOR("and", op_and_op_t)
CUDASYNC_REDUCE_TENSOR("or",  op_or_op_t)
CUDASYNC_REDUCE_TENSOR("xor", op_xor_op_t)
//
#undef CUDASYNC_REDUCE_BOX
#undef CUDASYNC_REDUCE_TENSOR
// clang-format on

}  // namespace ptx
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
