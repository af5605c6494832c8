// Atomic read-modify-writes, with an order and a scope, on words in global, shared and generic memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_ATOM_H
#define CUDASYNC_PTX_ATOM_H

#include <cudasync/core/bits.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/qualifiers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace ptx {

// atom(sem, scope, op, pointer, operand) and atom(sem, scope, op_cas, pointer, expected, desired) return the old value.
// Scope cluster: PTX 7.8, sm_90.
// Half precision and bfloat16 are passed as their bits. The addition of two halves is only for global memory
// (backend/order/order_device.h has the reason).

// clang-format off
//
#define CUDASYNC_AT(SEM, SCOPE, WHAT, REGISTER, AT)                                                                    \
  if constexpr (Scope == dot_scope::SCOPE)                                                                             \
    asm volatile("atom." #SEM "." #SCOPE WHAT " %0, [%1], %2;"                                                         \
                 : "=" REGISTER(before) : AT(word.address), REGISTER(operand) : "memory");
#define CUDASYNC_CAS(SEM, SCOPE, WHAT, REGISTER, AT)                                                                   \
  if constexpr (Scope == dot_scope::SCOPE)                                                                             \
    asm volatile("atom." #SEM "." #SCOPE WHAT " %0, [%1], %2, %3;"                                                     \
                 : "=" REGISTER(before) : AT(word.address), REGISTER(expected), REGISTER(desired) : "memory");
#define CUDASYNC_AT128(SEM, SCOPE, WHAT, REGISTER, AT)                                                                 \
  if constexpr (Scope == dot_scope::SCOPE)                                                                             \
    asm volatile("{ .reg .b128 before, operand; mov.b128 operand, {%3, %4}; "                                          \
                 "atom." #SEM "." #SCOPE WHAT " before, [%2], operand; mov.b128 {%0, %1}, before; }"                   \
                 : "=l"(before.low), "=l"(before.high)                                                                 \
                 : AT(word.address), "l"(operand.low), "l"(operand.high) : "memory");
#define CUDASYNC_CAS128(SEM, SCOPE, WHAT, REGISTER, AT)                                                                \
  if constexpr (Scope == dot_scope::SCOPE)                                                                             \
    asm volatile("{ .reg .b128 before, expected, desired; mov.b128 expected, {%3, %4}; mov.b128 desired, {%5, %6}; "   \
                 "atom." #SEM "." #SCOPE WHAT " before, [%2], expected, desired; mov.b128 {%0, %1}, before; }"         \
                 : "=l"(before.low), "=l"(before.high)                                                                 \
                 : AT(word.address), "l"(expected.low), "l"(expected.high), "l"(desired.low), "l"(desired.high)        \
                 : "memory");
#if CUDASYNC_DEVICE_PASS
#define CUDASYNC_SCOPES(HOW, SEM, WHAT, REGISTER, AT)                                                                  \
  if constexpr (Sem == dot_sem::SEM) {                                                                                 \
    HOW(SEM, cta, WHAT, REGISTER, AT) HOW(SEM, cluster, WHAT, REGISTER, AT)                                            \
    HOW(SEM, gpu, WHAT, REGISTER, AT) HOW(SEM, sys, WHAT, REGISTER, AT)                                                \
  }
#else  // parsed but never called: omitted to save compile time
#define CUDASYNC_SCOPES(HOW, SEM, WHAT, REGISTER, AT)
#endif
#if CUDASYNC_CUDA_CLANG
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-parameter"
#endif
#define CUDASYNC_ORDERS(HOW, WHAT, REGISTER, AT)                                                                       \
  CUDASYNC_SCOPES(HOW, relaxed, WHAT, REGISTER, AT) CUDASYNC_SCOPES(HOW, acquire, WHAT, REGISTER, AT)                  \
  CUDASYNC_SCOPES(HOW, release, WHAT, REGISTER, AT) CUDASYNC_SCOPES(HOW, acq_rel, WHAT, REGISTER, AT)
#define CUDASYNC_ATOM_IN(HOW, OP, WHAT, WORD, REGISTER, POINTER, AT)                                                   \
  template <dot_sem Sem, dot_scope Scope>                                                                              \
  CUDASYNC_DEVICE WORD atom(sem_t<Sem>, scope_t<Scope>, OP, POINTER<WORD> word, WORD operand) {                        \
    WORD before{};                                                                                                     \
    CUDASYNC_ORDERS(HOW, WHAT, REGISTER, AT)                                                                           \
    return before;                                                                                                     \
  }
#define CUDASYNC_CAS_IN(HOW, WHAT, WORD, REGISTER, POINTER, AT)                                                        \
  template <dot_sem Sem, dot_scope Scope>                                                                              \
  CUDASYNC_DEVICE WORD atom(sem_t<Sem>, scope_t<Scope>, op_cas_t, POINTER<WORD> word, WORD expected, WORD desired) {   \
    WORD before{};                                                                                                     \
    CUDASYNC_ORDERS(HOW, WHAT, REGISTER, AT)                                                                           \
    return before;                                                                                                     \
  }
#define CUDASYNC_ATOM(HOW, OP, WHAT, WORD, REGISTER)                                                                   \
  CUDASYNC_ATOM_IN(HOW, OP, ".global" WHAT, WORD, REGISTER, global_pointer, "l")                                       \
  CUDASYNC_ATOM_IN(HOW, OP, ".shared" WHAT, WORD, REGISTER, shared_pointer, "r")                                       \
  CUDASYNC_ATOM_IN(HOW, OP, WHAT, WORD, REGISTER, generic_pointer, "l")
#define CUDASYNC_ADD_TWO(OP, WHAT, WORD, REGISTER)                                                                     \
  CUDASYNC_ATOM_IN(CUDASYNC_AT, OP, ".global" WHAT, WORD, REGISTER, global_pointer, "l")
#define CUDASYNC_ATOM_CAS(HOW, WHAT, WORD, REGISTER)                                                                   \
  CUDASYNC_CAS_IN(HOW, ".global" WHAT, WORD, REGISTER, global_pointer, "l")                                            \
  CUDASYNC_CAS_IN(HOW, ".shared" WHAT, WORD, REGISTER, shared_pointer, "r")                                            \
  CUDASYNC_CAS_IN(HOW, WHAT, WORD, REGISTER, generic_pointer, "l")

//            operands         operation        .op.type             C++ type register
// PTX 6.0, sm_70.
CUDASYNC_ATOM(CUDASYNC_AT,     op_add_t,        ".add.u32",          uint32,  "r")
CUDASYNC_ATOM(CUDASYNC_AT,     op_add_t,        ".add.u64",          uint64,  "l")
CUDASYNC_ATOM(CUDASYNC_AT,     op_add_t,        ".add.f32",          float,   "f")
CUDASYNC_ATOM(CUDASYNC_AT,     op_add_t,        ".add.f64",          double,  "d")
CUDASYNC_ATOM(CUDASYNC_AT,     op_min_t,        ".min.u32",          uint32,  "r")
CUDASYNC_ATOM(CUDASYNC_AT,     op_min_t,        ".min.s32",          int32,   "r")
CUDASYNC_ATOM(CUDASYNC_AT,     op_min_t,        ".min.u64",          uint64,  "l")
CUDASYNC_ATOM(CUDASYNC_AT,     op_min_t,        ".min.s64",          int64,   "l")
CUDASYNC_ATOM(CUDASYNC_AT,     op_max_t,        ".max.u32",          uint32,  "r")
CUDASYNC_ATOM(CUDASYNC_AT,     op_max_t,        ".max.s32",          int32,   "r")
CUDASYNC_ATOM(CUDASYNC_AT,     op_max_t,        ".max.u64",          uint64,  "l")
CUDASYNC_ATOM(CUDASYNC_AT,     op_max_t,        ".max.s64",          int64,   "l")
CUDASYNC_ATOM(CUDASYNC_AT,     op_and_op_t,     ".and.b32",          uint32,  "r")
CUDASYNC_ATOM(CUDASYNC_AT,     op_and_op_t,     ".and.b64",          uint64,  "l")
CUDASYNC_ATOM(CUDASYNC_AT,     op_or_op_t,      ".or.b32",           uint32,  "r")
CUDASYNC_ATOM(CUDASYNC_AT,     op_or_op_t,      ".or.b64",           uint64,  "l")
CUDASYNC_ATOM(CUDASYNC_AT,     op_xor_op_t,     ".xor.b32",          uint32,  "r")
CUDASYNC_ATOM(CUDASYNC_AT,     op_xor_op_t,     ".xor.b64",          uint64,  "l")
CUDASYNC_ATOM(CUDASYNC_AT,     op_exch_t,       ".exch.b32",         uint32,  "r")
CUDASYNC_ATOM(CUDASYNC_AT,     op_exch_t,       ".exch.b64",         uint64,  "l")
CUDASYNC_ATOM_CAS(CUDASYNC_CAS,                 ".cas.b32",          uint32,  "r")
CUDASYNC_ATOM_CAS(CUDASYNC_CAS,                 ".cas.b64",          uint64,  "l")
// PTX 6.3, sm_70.
CUDASYNC_ATOM(CUDASYNC_AT,     op_add_f16_t,    ".add.noftz.f16",    uint16,  "h")
CUDASYNC_ADD_TWO(              op_add_f16x2_t,  ".add.noftz.f16x2",  uint32,  "r")
CUDASYNC_ATOM_CAS(CUDASYNC_CAS,                 ".cas.b16",          uint16,  "h")
// PTX 7.8, sm_90.
CUDASYNC_ATOM(CUDASYNC_AT,     op_add_bf16_t,   ".add.noftz.bf16",   uint16,  "h")
CUDASYNC_ADD_TWO(              op_add_bf16x2_t, ".add.noftz.bf16x2", uint32,  "r")
#if CUDASYNC_PTX_ISA >= 84
// PTX 8.4, sm_90.
CUDASYNC_ATOM(CUDASYNC_AT128,  op_exch_t,       ".exch.b128",        uint128, "q")
CUDASYNC_ATOM_CAS(CUDASYNC_CAS128,              ".cas.b128",         uint128, "q")
#endif
//
#if CUDASYNC_CUDA_CLANG
#pragma clang diagnostic pop
#endif
#undef CUDASYNC_AT
#undef CUDASYNC_CAS
#undef CUDASYNC_AT128
#undef CUDASYNC_CAS128
#undef CUDASYNC_SCOPES
#undef CUDASYNC_ORDERS
#undef CUDASYNC_ADD_TWO
#undef CUDASYNC_ATOM_IN
#undef CUDASYNC_CAS_IN
#undef CUDASYNC_ATOM
#undef CUDASYNC_ATOM_CAS
// clang-format on

}  // namespace ptx
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
