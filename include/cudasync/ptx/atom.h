// Atomic read-modify-writes, with an order and a scope, on words in global, shared and generic memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_ATOM_H
#define CUDASYNC_PTX_ATOM_H

#include <cudasync/core/bits.h>
#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/qualified.h>
#include <cudasync/ptx/qualifiers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx {

// atom(sem, scope, op, pointer, operand) and atom(sem, scope, op_cas, pointer, expected, desired) return the old value.
// Scope cluster: PTX 7.8, sm_90.
// Half precision and bfloat16 are passed as their bits. The addition of two halves is only for global memory
// (backend/order/order_device.h has the reason).

// clang-format off
#if CUDASYNC_CUDA_CLANG
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-parameter"
#endif
#define CUDASYNC_ATOM(OP, WHAT, WORD, REGISTER)                                                                        \
  template <dot_sem Sem, dot_scope Scope, template <class> class Pointer>                                              \
  CUDASYNC_DEVICE WORD atom(sem_t<Sem>, scope_t<Scope>, OP, Pointer<WORD> word, WORD operand) {                        \
    WORD before{};                                                                                                     \
    if constexpr (sizeof word.address == 8) {                                                                          \
      CUDASYNC_QUALIFIED("atom", "%3%4%5", WHAT " %0, [%1], %2;",                                                      \
                         : "=" REGISTER(before) : "l"(word.address), REGISTER(operand))                                \
    } else {                                                                                                           \
      CUDASYNC_ORDERED("atom", "%3%4", ".shared" WHAT " %0, [%1], %2;",                                                \
                       : "=" REGISTER(before) : "r"(word.address), REGISTER(operand))                                  \
    }                                                                                                                  \
    return before;                                                                                                     \
  }
#define CUDASYNC_ATOM128(OP, WHAT, WORD, REGISTER)                                                                     \
  template <dot_sem Sem, dot_scope Scope, template <class> class Pointer>                                              \
  CUDASYNC_DEVICE WORD atom(sem_t<Sem>, scope_t<Scope>, OP, Pointer<WORD> word, WORD operand) {                        \
    WORD before{};                                                                                                     \
    if constexpr (sizeof word.address == 8) {                                                                          \
      CUDASYNC_QUALIFIED("{ .reg .b128 before, operand; mov.b128 operand, {%3, %4}; atom", "%5%6%7",                   \
                         WHAT " before, [%2], operand; mov.b128 {%0, %1}, before; }",                                  \
                         : "=" REGISTER(before.low), "=" REGISTER(before.high)                                         \
                         : "l"(word.address), REGISTER(operand.low), REGISTER(operand.high))                           \
    } else {                                                                                                           \
      CUDASYNC_ORDERED("{ .reg .b128 before, operand; mov.b128 operand, {%3, %4}; atom", "%5%6",                       \
                       ".shared" WHAT " before, [%2], operand; mov.b128 {%0, %1}, before; }",                          \
                       : "=" REGISTER(before.low), "=" REGISTER(before.high)                                           \
                       : "r"(word.address), REGISTER(operand.low), REGISTER(operand.high))                             \
    }                                                                                                                  \
    return before;                                                                                                     \
  }
#define CUDASYNC_ADD_TWO(OP, WHAT, WORD, REGISTER)                                                                     \
  template <dot_sem Sem, dot_scope Scope>                                                                              \
  CUDASYNC_DEVICE WORD atom(sem_t<Sem>, scope_t<Scope>, OP, global_pointer<WORD> word, WORD operand) {                 \
    WORD before{};                                                                                                     \
    CUDASYNC_ORDERED("atom", "%3%4", ".global" WHAT " %0, [%1], %2;",                                                  \
                     : "=" REGISTER(before) : "l"(word.address), REGISTER(operand))                                    \
    return before;                                                                                                     \
  }
#define CUDASYNC_ATOM_CAS(WHAT, WORD, REGISTER)                                                                        \
  template <dot_sem Sem, dot_scope Scope, template <class> class Pointer>                                              \
  CUDASYNC_DEVICE WORD atom(sem_t<Sem>, scope_t<Scope>, op_cas_t, Pointer<WORD> word, WORD expected, WORD desired) {   \
    WORD before{};                                                                                                     \
    if constexpr (sizeof word.address == 8) {                                                                          \
      CUDASYNC_QUALIFIED("atom", "%4%5%6", WHAT " %0, [%1], %2, %3;",                                                  \
                         : "=" REGISTER(before) : "l"(word.address), REGISTER(expected), REGISTER(desired))            \
    } else {                                                                                                           \
      CUDASYNC_ORDERED("atom", "%4%5", ".shared" WHAT " %0, [%1], %2, %3;",                                            \
                       : "=" REGISTER(before) : "r"(word.address), REGISTER(expected), REGISTER(desired))              \
    }                                                                                                                  \
    return before;                                                                                                     \
  }
#define CUDASYNC_ATOM_CAS128(WHAT, WORD, REGISTER)                                                                     \
  template <dot_sem Sem, dot_scope Scope, template <class> class Pointer>                                              \
  CUDASYNC_DEVICE WORD atom(sem_t<Sem>, scope_t<Scope>, op_cas_t, Pointer<WORD> word, WORD expected, WORD desired) {   \
    WORD before{};                                                                                                     \
    if constexpr (sizeof word.address == 8) {                                                                          \
      CUDASYNC_QUALIFIED("{ .reg .b128 before, expected, desired; mov.b128 expected, {%3, %4}; "                       \
                         "mov.b128 desired, {%5, %6}; atom", "%7%8%9",                                                 \
                         WHAT " before, [%2], expected, desired; mov.b128 {%0, %1}, before; }",                        \
                         : "=" REGISTER(before.low), "=" REGISTER(before.high)                                         \
                         : "l"(word.address), REGISTER(expected.low), REGISTER(expected.high),                         \
                           REGISTER(desired.low), REGISTER(desired.high))                                              \
    } else {                                                                                                           \
      CUDASYNC_ORDERED("{ .reg .b128 before, expected, desired; mov.b128 expected, {%3, %4}; "                         \
                       "mov.b128 desired, {%5, %6}; atom", "%7%8",                                                     \
                       ".shared" WHAT " before, [%2], expected, desired; mov.b128 {%0, %1}, before; }",                \
                       : "=" REGISTER(before.low), "=" REGISTER(before.high)                                           \
                       : "r"(word.address), REGISTER(expected.low), REGISTER(expected.high),                           \
                         REGISTER(desired.low), REGISTER(desired.high))                                                \
    }                                                                                                                  \
    return before;                                                                                                     \
  }

//                   operation        .op.type             C++ type register
// PTX 6.0, sm_70.
CUDASYNC_ATOM       (op_add_t,        ".add.u32",          uint32,  "r")
CUDASYNC_ATOM       (op_add_t,        ".add.u64",          uint64,  "l")
CUDASYNC_ATOM       (op_add_t,        ".add.f32",          float,   "f")
CUDASYNC_ATOM       (op_add_t,        ".add.f64",          double,  "d")
CUDASYNC_ATOM       (op_min_t,        ".min.u32",          uint32,  "r")
CUDASYNC_ATOM       (op_min_t,        ".min.s32",          int32,   "r")
CUDASYNC_ATOM       (op_min_t,        ".min.u64",          uint64,  "l")
CUDASYNC_ATOM       (op_min_t,        ".min.s64",          int64,   "l")
CUDASYNC_ATOM       (op_max_t,        ".max.u32",          uint32,  "r")
CUDASYNC_ATOM       (op_max_t,        ".max.s32",          int32,   "r")
CUDASYNC_ATOM       (op_max_t,        ".max.u64",          uint64,  "l")
CUDASYNC_ATOM       (op_max_t,        ".max.s64",          int64,   "l")
CUDASYNC_ATOM       (op_and_op_t,     ".and.b32",          uint32,  "r")
CUDASYNC_ATOM       (op_and_op_t,     ".and.b64",          uint64,  "l")
CUDASYNC_ATOM       (op_or_op_t,      ".or.b32",           uint32,  "r")
CUDASYNC_ATOM       (op_or_op_t,      ".or.b64",           uint64,  "l")
CUDASYNC_ATOM       (op_xor_op_t,     ".xor.b32",          uint32,  "r")
CUDASYNC_ATOM       (op_xor_op_t,     ".xor.b64",          uint64,  "l")
CUDASYNC_ATOM       (op_exch_t,       ".exch.b32",         uint32,  "r")
CUDASYNC_ATOM       (op_exch_t,       ".exch.b64",         uint64,  "l")
CUDASYNC_ATOM_CAS   (                 ".cas.b32",          uint32,  "r")
CUDASYNC_ATOM_CAS   (                 ".cas.b64",          uint64,  "l")
// PTX 6.3, sm_70.
CUDASYNC_ATOM       (op_add_f16_t,    ".add.noftz.f16",    uint16,  "h")
CUDASYNC_ADD_TWO    (op_add_f16x2_t,  ".add.noftz.f16x2",  uint32,  "r")
CUDASYNC_ATOM_CAS   (                 ".cas.b16",          uint16,  "h")
// PTX 7.8, sm_90.
CUDASYNC_ATOM       (op_add_bf16_t,   ".add.noftz.bf16",   uint16,  "h")
CUDASYNC_ADD_TWO    (op_add_bf16x2_t, ".add.noftz.bf16x2", uint32,  "r")
#if CUDASYNC_PTX_ISA >= 84
// PTX 8.4, sm_90.
CUDASYNC_ATOM128    (op_exch_t,       ".exch.b128",        uint128, "l")
CUDASYNC_ATOM_CAS128(                 ".cas.b128",         uint128, "l")
#endif
// atom_known(scope, op, word, operand): relaxed, by functions of the compiler, which use the state space of the word if
// they know it, and otherwise a generic address. Scopes cta, gpu and sys.
#define CUDASYNC_ATOM_KNOWN(OP, FUNCTION)                                                                              \
  template <dot_scope Scope, class Word>                                                                               \
  CUDASYNC_DEVICE Word atom_known(scope_t<Scope>, OP, Word* word, Word operand) {                                      \
    return Scope == dot_scope::cta   ? FUNCTION##_block(word, operand)                                                 \
           : Scope == dot_scope::gpu ? FUNCTION(word, operand)                                                         \
                                     : FUNCTION##_system(word, operand);                                               \
  }
// PTX 6.0, sm_70.
CUDASYNC_ATOM_KNOWN (op_add_t,    atomicAdd)
CUDASYNC_ATOM_KNOWN (op_min_t,    atomicMin)
CUDASYNC_ATOM_KNOWN (op_max_t,    atomicMax)
CUDASYNC_ATOM_KNOWN (op_and_op_t, atomicAnd)
CUDASYNC_ATOM_KNOWN (op_or_op_t,  atomicOr)
CUDASYNC_ATOM_KNOWN (op_xor_op_t, atomicXor)
#if CUDASYNC_CUDA_CLANG
#pragma clang diagnostic pop
#endif
#undef CUDASYNC_ADD_TWO
#undef CUDASYNC_ATOM
#undef CUDASYNC_ATOM128
#undef CUDASYNC_ATOM_CAS
#undef CUDASYNC_ATOM_CAS128
#undef CUDASYNC_ATOM_KNOWN
// clang-format on

}}}  // namespace cudasync::CUDASYNC_ABI::ptx

#endif
