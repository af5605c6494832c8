// cp.reduce.async.bulk: additions of arrays in shared memory to arrays in global memory, by the copy engine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_CP_REDUCE_ASYNC_BULK_H
#define CUDASYNC_PTX_CP_REDUCE_ASYNC_BULK_H

#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>

// Sizes are in bytes, a multiple of 16; addresses are 16-byte aligned. The additions complete with their group. Each
// element is added atomically, with relaxed order at .gpu scope.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx {

// Stand-ins for elements of half precision and bfloat16.
struct f16_element {};
struct bf16_element {};

// clang-format off
#define CUDASYNC_REDUCE(FUNCTION, OPERATION, TYPE, VALUE)                                      \
  CUDASYNC_DEVICE void FUNCTION(VALUE* destination, shared_address source, uint32 size) {      \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." OPERATION "." TYPE      \
                 " [%0], [%1], %2;"                                                            \
                 :: "l"(offset_in_global(destination)), "r"(source.value), "r"(size) : "memory"); \
  }

//              function                   operation    .type   C++ type
// PTX 8.0, sm_90.
CUDASYNC_REDUCE(cp_reduce_async_bulk_add,  "add",       "u32",  uint32)
CUDASYNC_REDUCE(cp_reduce_async_bulk_add,  "add",       "s32",  int32)
CUDASYNC_REDUCE(cp_reduce_async_bulk_add,  "add",       "u64",  uint64)
CUDASYNC_REDUCE(cp_reduce_async_bulk_add,  "add",       "f32",  float)
CUDASYNC_REDUCE(cp_reduce_async_bulk_add,  "add",       "f64",  double)
CUDASYNC_REDUCE(cp_reduce_async_bulk_add,  "add.noftz", "f16",  f16_element)
CUDASYNC_REDUCE(cp_reduce_async_bulk_add,  "add.noftz", "bf16", bf16_element)
#undef CUDASYNC_REDUCE
// clang-format on

}}}  // namespace cudasync::CUDASYNC_ABI::ptx

#endif
