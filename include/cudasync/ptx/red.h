// Atomic read-modify-writes of global memory that return nothing, for single values and for vectors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_RED_H
#define CUDASYNC_PTX_RED_H

#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/qualified.h>
#include <cudasync/ptx/qualifiers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx {

// red(sem, scope, op, pointer, operand), and functions for vectors, which update each element atomically by itself.
// Scope cluster: PTX 7.8, sm_90. Half precision and bfloat16 are passed as their bits.
#if !CUDASYNC_DEVICE_PASS

// Parsed but never called: an empty function saves compile time.
template <class... Operands>
CUDASYNC_DEVICE void red(const Operands&...) {}
template <class... Operands>
CUDASYNC_DEVICE void red_v2_f32(const Operands&...) {}
template <class... Operands>
CUDASYNC_DEVICE void red_v4_f32(const Operands&...) {}

#else

// clang-format off
#define CUDASYNC_RED(OP, WHAT, WORD, REGISTER)                                                                         \
  template <dot_sem Sem, dot_scope Scope>                                                                              \
  CUDASYNC_DEVICE void red(sem_t<Sem>, scope_t<Scope>, OP, global_pointer<WORD> word, WORD operand) {                  \
    CUDASYNC_ORDERED("red", "%2%3", ".global" WHAT " [%0], %1;", :: "l"(word.address), REGISTER(operand))              \
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

#undef CUDASYNC_RED

// PTX 8.1, sm_90.
template <dot_scope Scope, dot_sem Sem = dot_sem::relaxed>
CUDASYNC_DEVICE void red_v2_f32(sem_relaxed_t, scope_t<Scope>, op_add_t, global_pointer<float2> word, float2 operand) {
  CUDASYNC_ORDERED("red", "%3%4", ".global.add.v2.f32 [%0], {%1, %2};",
                   :: "l"(word.address), "f"(operand.x), "f"(operand.y))
}
// PTX 8.1, sm_90.
template <dot_scope Scope, dot_sem Sem = dot_sem::relaxed>
CUDASYNC_DEVICE void red_v4_f32(sem_relaxed_t, scope_t<Scope>, op_add_t, global_pointer<float4> word, float4 operand) {
  CUDASYNC_ORDERED("red", "%5%6", ".global.add.v4.f32 [%0], {%1, %2, %3, %4};",
                   :: "l"(word.address), "f"(operand.x), "f"(operand.y), "f"(operand.z), "f"(operand.w))
}
// clang-format on

#endif  // CUDASYNC_DEVICE_PASS

}}}  // namespace cudasync::CUDASYNC_ABI::ptx

#endif
