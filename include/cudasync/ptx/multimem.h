// multimem: loads, stores and atomic operations on the memory of all GPUs of a multicast object at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_MULTIMEM_H
#define CUDASYNC_PTX_MULTIMEM_H

#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/qualified.h>
#include <cudasync/ptx/qualifiers.h>

// The address must be a multicast address in global memory. Each function is one instruction: Scope and Sem select it.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx {

// clang-format off
//
#if CUDASYNC_CUDA_CLANG
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-parameter"
#endif
#define CUDASYNC_LD_REDUCE(OP, WHAT, WORD, REGISTER)                                           \
  CUDASYNC_DEVICE WORD multimem_ld_reduce(sem_weak_t, OP, global_pointer<WORD> word) {         \
    WORD combined;                                                                             \
    asm volatile("multimem.ld_reduce.weak.global." WHAT " %0, [%1];"                           \
                 : "=" REGISTER(combined) : "l"(word.address) : "memory");                     \
    return combined;                                                                           \
  }                                                                                            \
  template <dot_sem Sem, dot_scope Scope>                                                      \
  CUDASYNC_DEVICE WORD multimem_ld_reduce(sem_t<Sem>, scope_t<Scope>, OP, global_pointer<WORD> word) { \
    WORD combined{};                                                                           \
    CUDASYNC_ORDERED("multimem.ld_reduce", "%2%3", ".global." WHAT " %0, [%1];",               \
                     : "=" REGISTER(combined) : "l"(word.address))                             \
    return combined;                                                                           \
  }
#define CUDASYNC_RED(OP, WHAT, WORD, REGISTER)                                                 \
  template <dot_sem Sem, dot_scope Scope>                                                      \
  CUDASYNC_DEVICE void multimem_red(sem_t<Sem>, scope_t<Scope>, OP, global_pointer<WORD> word, WORD operand) { \
    CUDASYNC_ORDERED("multimem.red", "%2%3", ".global." WHAT " [%0], %1;",                     \
                     :: "l"(word.address), REGISTER(operand))                                  \
  }
#define CUDASYNC_ST(WHAT, WORD, REGISTER)                                                      \
  CUDASYNC_DEVICE void multimem_st(sem_weak_t, global_pointer<WORD> word, WORD value) {        \
    asm volatile("multimem.st.weak.global." WHAT " [%0], %1;"                                  \
                 :: "l"(word.address), REGISTER(value) : "memory");                            \
  }                                                                                            \
  template <dot_sem Sem, dot_scope Scope>                                                      \
  CUDASYNC_DEVICE void multimem_st(sem_t<Sem>, scope_t<Scope>, global_pointer<WORD> word, WORD value) { \
    CUDASYNC_ORDERED("multimem.st", "%2%3", ".global." WHAT " [%0], %1;",                      \
                     :: "l"(word.address), REGISTER(value))                                    \
  }

//                 operation    .op.type   C++ type register
// PTX 8.1, sm_90. Loads the word of each GPU, and returns their combination. relaxed or acquire, or weak without scope.
CUDASYNC_LD_REDUCE(op_min_t,    "min.u32", uint32,  "r")
CUDASYNC_LD_REDUCE(op_min_t,    "min.s32", int32,   "r")
CUDASYNC_LD_REDUCE(op_min_t,    "min.u64", uint64,  "l")
CUDASYNC_LD_REDUCE(op_min_t,    "min.s64", int64,   "l")
CUDASYNC_LD_REDUCE(op_max_t,    "max.u32", uint32,  "r")
CUDASYNC_LD_REDUCE(op_max_t,    "max.s32", int32,   "r")
CUDASYNC_LD_REDUCE(op_max_t,    "max.u64", uint64,  "l")
CUDASYNC_LD_REDUCE(op_max_t,    "max.s64", int64,   "l")
CUDASYNC_LD_REDUCE(op_add_t,    "add.u32", uint32,  "r")
CUDASYNC_LD_REDUCE(op_add_t,    "add.s32", int32,   "r")
CUDASYNC_LD_REDUCE(op_add_t,    "add.u64", uint64,  "l")
CUDASYNC_LD_REDUCE(op_and_op_t, "and.b32", uint32,  "r")
CUDASYNC_LD_REDUCE(op_and_op_t, "and.b64", uint64,  "l")
CUDASYNC_LD_REDUCE(op_or_op_t,  "or.b32",  uint32,  "r")
CUDASYNC_LD_REDUCE(op_or_op_t,  "or.b64",  uint64,  "l")
CUDASYNC_LD_REDUCE(op_xor_op_t, "xor.b32", uint32,  "r")
CUDASYNC_LD_REDUCE(op_xor_op_t, "xor.b64", uint64,  "l")
// PTX 8.1, sm_90. Combines the operand with the word of each GPU. relaxed or release.
CUDASYNC_RED      (op_min_t,    "min.u32", uint32,  "r")
CUDASYNC_RED      (op_min_t,    "min.s32", int32,   "r")
CUDASYNC_RED      (op_min_t,    "min.u64", uint64,  "l")
CUDASYNC_RED      (op_min_t,    "min.s64", int64,   "l")
CUDASYNC_RED      (op_max_t,    "max.u32", uint32,  "r")
CUDASYNC_RED      (op_max_t,    "max.s32", int32,   "r")
CUDASYNC_RED      (op_max_t,    "max.u64", uint64,  "l")
CUDASYNC_RED      (op_max_t,    "max.s64", int64,   "l")
CUDASYNC_RED      (op_add_t,    "add.u32", uint32,  "r")
CUDASYNC_RED      (op_add_t,    "add.s32", int32,   "r")
CUDASYNC_RED      (op_add_t,    "add.u64", uint64,  "l")
CUDASYNC_RED      (op_and_op_t, "and.b32", uint32,  "r")
CUDASYNC_RED      (op_and_op_t, "and.b64", uint64,  "l")
CUDASYNC_RED      (op_or_op_t,  "or.b32",  uint32,  "r")
CUDASYNC_RED      (op_or_op_t,  "or.b64",  uint64,  "l")
CUDASYNC_RED      (op_xor_op_t, "xor.b32", uint32,  "r")
CUDASYNC_RED      (op_xor_op_t, "xor.b64", uint64,  "l")
// PTX 8.1, sm_90. Stores a value to the word of each GPU. relaxed or release, or weak without scope.
CUDASYNC_ST       (             "b32",     uint32,  "r")
CUDASYNC_ST       (             "b64",     uint64,  "l")
//
#if CUDASYNC_CUDA_CLANG
#pragma clang diagnostic pop
#endif
#undef CUDASYNC_LD_REDUCE
#undef CUDASYNC_RED
#undef CUDASYNC_ST
// clang-format on

}}}  // namespace cudasync::CUDASYNC_ABI::ptx

#endif
