// cp.reduce.async.bulk: all operations of the copy engine on arrays, and on boxes of tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_CP_REDUCE_ASYNC_BULK_OPERATIONS_H
#define CUDASYNC_PTX_CP_REDUCE_ASYNC_BULK_OPERATIONS_H

#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/cp_reduce_async_bulk.h>
#include <cudasync/ptx/qualifiers.h>

// Sizes are in bytes, a multiple of 16; addresses are 16-byte aligned. Each element is combined atomically, with
// relaxed order at .gpu scope. An operation on the shared memory of the cluster completes on bar, which must be in the
// block of the destination. An operation on global memory completes with its group.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx {

// The address of an array in the shared memory of any block of the cluster.
template <class Value>
struct cluster_pointer {
  uint32 address;
};

// clang-format off
#define CUDASYNC_REDUCE_IN_CLUSTER(OPERATION, OP, VALUE)                                       \
  CUDASYNC_DEVICE void cp_reduce_async_bulk(OP, cluster_pointer<VALUE> destination, shared_address source,            \
                                            uint32 size, cluster_address bar) {                \
    asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." OPERATION           \
                 " [%0], [%1], %2, [%3];"                                                      \
                 :: "r"(destination.address), "r"(source.value), "r"(size), "r"(bar.value) : "memory");               \
  }
#define CUDASYNC_REDUCE_IN_GLOBAL(OPERATION, OP, VALUE)                                        \
  CUDASYNC_DEVICE void cp_reduce_async_bulk(OP, global_pointer<VALUE> destination, shared_address source,             \
                                            uint32 size) {                                     \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." OPERATION " [%0], [%1], %2;"                   \
                 :: "l"(destination.address), "r"(source.value), "r"(size) : "memory");        \
  }

//                         .op.type          operation    C++ type
// PTX 8.0, sm_90.
CUDASYNC_REDUCE_IN_CLUSTER("and.b32",        op_and_op_t, uint32)
CUDASYNC_REDUCE_IN_CLUSTER("or.b32",         op_or_op_t,  uint32)
CUDASYNC_REDUCE_IN_CLUSTER("xor.b32",        op_xor_op_t, uint32)
CUDASYNC_REDUCE_IN_CLUSTER("add.u32",        op_add_t,    uint32)
CUDASYNC_REDUCE_IN_CLUSTER("add.s32",        op_add_t,    int32)
CUDASYNC_REDUCE_IN_CLUSTER("add.u64",        op_add_t,    uint64)
CUDASYNC_REDUCE_IN_CLUSTER("min.u32",        op_min_t,    uint32)
CUDASYNC_REDUCE_IN_CLUSTER("min.s32",        op_min_t,    int32)
CUDASYNC_REDUCE_IN_CLUSTER("max.u32",        op_max_t,    uint32)
CUDASYNC_REDUCE_IN_CLUSTER("max.s32",        op_max_t,    int32)
CUDASYNC_REDUCE_IN_CLUSTER("inc.u32",        op_inc_t,    uint32)
CUDASYNC_REDUCE_IN_CLUSTER("dec.u32",        op_dec_t,    uint32)
CUDASYNC_REDUCE_IN_GLOBAL ("and.b32",        op_and_op_t, uint32)
CUDASYNC_REDUCE_IN_GLOBAL ("and.b64",        op_and_op_t, uint64)
CUDASYNC_REDUCE_IN_GLOBAL ("or.b32",         op_or_op_t,  uint32)
CUDASYNC_REDUCE_IN_GLOBAL ("or.b64",         op_or_op_t,  uint64)
CUDASYNC_REDUCE_IN_GLOBAL ("xor.b32",        op_xor_op_t, uint32)
CUDASYNC_REDUCE_IN_GLOBAL ("xor.b64",        op_xor_op_t, uint64)
CUDASYNC_REDUCE_IN_GLOBAL ("add.u32",        op_add_t,    uint32)
CUDASYNC_REDUCE_IN_GLOBAL ("add.s32",        op_add_t,    int32)
CUDASYNC_REDUCE_IN_GLOBAL ("add.u64",        op_add_t,    uint64)
CUDASYNC_REDUCE_IN_GLOBAL ("add.f32",        op_add_t,    float)
CUDASYNC_REDUCE_IN_GLOBAL ("add.f64",        op_add_t,    double)
CUDASYNC_REDUCE_IN_GLOBAL ("add.noftz.f16",  op_add_t,    f16_element)
CUDASYNC_REDUCE_IN_GLOBAL ("add.noftz.bf16", op_add_t,    bf16_element)
CUDASYNC_REDUCE_IN_GLOBAL ("min.u32",        op_min_t,    uint32)
CUDASYNC_REDUCE_IN_GLOBAL ("min.s32",        op_min_t,    int32)
CUDASYNC_REDUCE_IN_GLOBAL ("min.u64",        op_min_t,    uint64)
CUDASYNC_REDUCE_IN_GLOBAL ("min.s64",        op_min_t,    int64)
CUDASYNC_REDUCE_IN_GLOBAL ("min.f16",        op_min_t,    f16_element)
CUDASYNC_REDUCE_IN_GLOBAL ("min.bf16",       op_min_t,    bf16_element)
CUDASYNC_REDUCE_IN_GLOBAL ("max.u32",        op_max_t,    uint32)
CUDASYNC_REDUCE_IN_GLOBAL ("max.s32",        op_max_t,    int32)
CUDASYNC_REDUCE_IN_GLOBAL ("max.u64",        op_max_t,    uint64)
CUDASYNC_REDUCE_IN_GLOBAL ("max.s64",        op_max_t,    int64)
CUDASYNC_REDUCE_IN_GLOBAL ("max.f16",        op_max_t,    f16_element)
CUDASYNC_REDUCE_IN_GLOBAL ("max.bf16",       op_max_t,    bf16_element)
CUDASYNC_REDUCE_IN_GLOBAL ("inc.u32",        op_inc_t,    uint32)
CUDASYNC_REDUCE_IN_GLOBAL ("dec.u32",        op_dec_t,    uint32)
#undef CUDASYNC_REDUCE_IN_CLUSTER
#undef CUDASYNC_REDUCE_IN_GLOBAL
// clang-format on

// --- Boxes of tensors ---

// map is the generic address of a CUtensorMap, whose element type the operation uses. Coordinates are in elements, the
// innermost dimension first. Each element is combined atomically, with relaxed order at .gpu scope.

// clang-format off
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
#undef CUDASYNC_REDUCE_BOX
#undef CUDASYNC_REDUCE_TENSOR
// clang-format on

}}}  // namespace cudasync::CUDASYNC_ABI::ptx

#endif
