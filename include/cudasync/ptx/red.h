// Atomic read-modify-writes of global memory that return nothing, for single values and for vectors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_RED_H
#define CUDASYNC_PTX_RED_H

#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/atom.h>
#include <cudasync/ptx/qualifiers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace ptx {

// red(sem, scope, op, pointer, operand), and functions for vectors, which update each element atomically by itself.
// Scope cluster: PTX 7.8, sm_90. Half precision and bfloat16 are passed as their bits.
//
// clang-format off
//
#define CUDASYNC_RED1(SEM, SCOPE, WHAT, REGISTER)                                                                      \
  if constexpr (Scope == dot_scope::SCOPE)                                                                             \
    asm volatile("red." #SEM "." #SCOPE ".global" WHAT " [%0], %1;" ::"l"(word.address), REGISTER(operand) : "memory");
#if CUDASYNC_DEVICE_PASS
#define CUDASYNC_SCOPES(SEM, WHAT, REGISTER)                                                                           \
  if constexpr (Sem == dot_sem::SEM) {                                                                                 \
    CUDASYNC_RED1(SEM, cta, WHAT, REGISTER) CUDASYNC_RED1(SEM, cluster, WHAT, REGISTER)                                \
    CUDASYNC_RED1(SEM, gpu, WHAT, REGISTER) CUDASYNC_RED1(SEM, sys, WHAT, REGISTER)                                    \
  }
#else  // parsed but never called: omitted to save compile time
#define CUDASYNC_SCOPES(SEM, WHAT, REGISTER)
#endif
#if CUDASYNC_CUDA_CLANG
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-parameter"
#endif
#define CUDASYNC_RED(OP, WHAT, WORD, REGISTER)                                                                         \
  template <dot_sem Sem, dot_scope Scope>                                                                              \
  CUDASYNC_DEVICE void red(sem_t<Sem>, scope_t<Scope>, OP, global_pointer<WORD> word, WORD operand) {                  \
    CUDASYNC_SCOPES(relaxed, WHAT, REGISTER) CUDASYNC_SCOPES(release, WHAT, REGISTER)                                  \
  }

//           operation        .op.type             C++ type register
// PTX 6.0, sm_70.
CUDASYNC_RED(op_add_t,        ".add.u32",          uint32, "r")
CUDASYNC_RED(op_add_t,        ".add.u64",          uint64, "l")
CUDASYNC_RED(op_add_t,        ".add.f32",          float,  "f")
CUDASYNC_RED(op_add_t,        ".add.f64",          double, "d")
CUDASYNC_RED(op_min_t,        ".min.u32",          uint32, "r")
CUDASYNC_RED(op_min_t,        ".min.s32",          int32,  "r")
CUDASYNC_RED(op_min_t,        ".min.u64",          uint64, "l")
CUDASYNC_RED(op_min_t,        ".min.s64",          int64,  "l")
CUDASYNC_RED(op_max_t,        ".max.u32",          uint32, "r")
CUDASYNC_RED(op_max_t,        ".max.s32",          int32,  "r")
CUDASYNC_RED(op_max_t,        ".max.u64",          uint64, "l")
CUDASYNC_RED(op_max_t,        ".max.s64",          int64,  "l")
CUDASYNC_RED(op_and_op_t,     ".and.b32",          uint32, "r")
CUDASYNC_RED(op_and_op_t,     ".and.b64",          uint64, "l")
CUDASYNC_RED(op_or_op_t,      ".or.b32",           uint32, "r")
CUDASYNC_RED(op_or_op_t,      ".or.b64",           uint64, "l")
CUDASYNC_RED(op_xor_op_t,     ".xor.b32",          uint32, "r")
CUDASYNC_RED(op_xor_op_t,     ".xor.b64",          uint64, "l")
// PTX 6.3, sm_70.
CUDASYNC_RED(op_add_f16_t,    ".add.noftz.f16",    uint16, "h")
CUDASYNC_RED(op_add_f16x2_t,  ".add.noftz.f16x2",  uint32, "r")
// PTX 7.8, sm_90.
CUDASYNC_RED(op_add_bf16_t,   ".add.noftz.bf16",   uint16, "h")
CUDASYNC_RED(op_add_bf16x2_t, ".add.noftz.bf16x2", uint32, "r")
//
#if CUDASYNC_CUDA_CLANG
#pragma clang diagnostic pop
#endif
#undef CUDASYNC_RED1
#undef CUDASYNC_SCOPES
#undef CUDASYNC_RED

#define CUDASYNC_RED2(SCOPE, WHAT)                                                                                     \
  if constexpr (Scope == dot_scope::SCOPE)                                                                             \
    asm volatile("red.relaxed." #SCOPE ".global.add" WHAT " [%0], {%1, %2};"                                           \
                 ::"l"(place.address), "f"(operand.x), "f"(operand.y) : "memory");
#define CUDASYNC_RED4(SCOPE, WHAT)                                                                                     \
  if constexpr (Scope == dot_scope::SCOPE)                                                                             \
    asm volatile("red.relaxed." #SCOPE ".global.add" WHAT " [%0], {%1, %2, %3, %4};"                                   \
                 ::"l"(place.address), "f"(operand.x), "f"(operand.y), "f"(operand.z), "f"(operand.w) : "memory");
#define CUDASYNC_RED_VECTOR(NAME, HOW, WHAT, PLACE, OPERAND)                                                           \
  template <dot_scope Scope>                                                                                           \
  CUDASYNC_DEVICE void NAME(sem_relaxed_t, scope_t<Scope>, op_add_t, global_pointer<PLACE> place, OPERAND operand) {   \
    HOW(cta, WHAT) HOW(cluster, WHAT) HOW(gpu, WHAT) HOW(sys, WHAT)                                                    \
  }

//                  function           operands        .type           C++ types
// PTX 8.1, sm_90.
CUDASYNC_RED_VECTOR(red_v2_f32,        CUDASYNC_RED2,  ".v2.f32",       float2, float2)
CUDASYNC_RED_VECTOR(red_v4_f32,        CUDASYNC_RED4,  ".v4.f32",       float4, float4)
//
#undef CUDASYNC_RED2
#undef CUDASYNC_RED4
#undef CUDASYNC_RED_VECTOR
// clang-format on

}  // namespace ptx
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
