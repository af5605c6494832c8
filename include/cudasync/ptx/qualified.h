// Instructions whose order, scope and state space are template arguments of their function.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_QUALIFIED_H
#define CUDASYNC_PTX_QUALIFIED_H

#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/qualifiers.h>

// The body of such a function, whose template parameters are Sem and Scope, is
//   CUDASYNC_ORDERED(INSTRUCTION, ...)
// and with the template parameter Pointer, the type of the address `word`,
//   CUDASYNC_QUALIFIED(INSTRUCTION, ...).
// INSTRUCTION(QUALIFIERS, ...) is a macro for the assembly. Its mnemonic contains CUDASYNC_EITHER("%2%3", QUALIFIERS),
// in which the numbers are those of CUDASYNC_ORDER_TEXTS, at the end of its operands. CUDASYNC_QUALIFIED has three
// numbers and CUDASYNC_TEXTS, and adds an argument: the constraint of the address.
//
// For example, ld_st.h has
//   #define CUDASYNC_LD(QUALIFIERS, WHAT, REGISTER, AT)
//     asm volatile("ld" CUDASYNC_EITHER("%2%3%4", QUALIFIERS) WHAT " %0, [%1];"
//                  : "=" REGISTER(value) : AT(word.address) CUDASYNC_TEXTS : "memory");
// and CUDASYNC_QUALIFIED(CUDASYNC_LD, ".u32", "r") is, for a global pointer, since CUDA 12.5
//     asm volatile("ld%2%3%4.u32 %0, [%1];" : "=r"(value) : "l"(word.address), "C"(sem_text<Sem>), ... : "memory");
// and before it one of 48 statements, chosen by if constexpr (4 orders, 4 scopes, 3 spaces), such as
//     asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word.address) : "memory");
//
// Since CUDA 12.5, nvcc and NVRTC insert the text of an operand with the constraint "C". For other compilers, there is
// a statement for each combination of qualifiers. The instructions are the same, but compiling takes longer. A test
// chooses this path by CUDASYNC_HAS_TEXT_OPERANDS=0.
#if !defined(CUDASYNC_HAS_TEXT_OPERANDS)
#if CUDASYNC_PTX_ISA >= 85 && !CUDASYNC_CUDA_CLANG
#define CUDASYNC_HAS_TEXT_OPERANDS 1
#else
#define CUDASYNC_HAS_TEXT_OPERANDS 0
#endif
#endif

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace ptx {

#if CUDASYNC_DEVICE_PASS && CUDASYNC_HAS_TEXT_OPERANDS

// A qualifier that is not in the list is an error of ptxas. Each array has the length of its text: the compiler ends
// the statement at a null character that is not the last one. NVRTC would keep constants that are not static.
template <dot_sem Sem>
static constexpr char sem_text[2] = "?";
template <>
constexpr char sem_text<dot_sem::relaxed>[9] = ".relaxed";
template <>
constexpr char sem_text<dot_sem::acquire>[9] = ".acquire";
template <>
constexpr char sem_text<dot_sem::release>[9] = ".release";
template <>
constexpr char sem_text<dot_sem::acq_rel>[9] = ".acq_rel";

template <dot_scope Scope>
static constexpr char scope_text[2] = "?";
template <>
constexpr char scope_text<dot_scope::cta>[5] = ".cta";
template <>
constexpr char scope_text<dot_scope::cluster>[9] = ".cluster";
template <>
constexpr char scope_text<dot_scope::gpu>[5] = ".gpu";
template <>
constexpr char scope_text<dot_scope::sys>[5] = ".sys";

template <template <class> class Pointer>
static constexpr char space_text[2] = "?";
template <>
constexpr char space_text<global_pointer>[8] = ".global";
template <>
constexpr char space_text<shared_pointer>[8] = ".shared";
template <>
constexpr char space_text<generic_pointer>[1] = "";
template <>
constexpr char space_text<other_block_pointer>[1] = "";

// clang-format off
//
#define CUDASYNC_EITHER(NUMBERS, QUALIFIERS) NUMBERS
#define CUDASYNC_ORDER_TEXTS , "C"(sem_text<Sem>), "C"(scope_text<Scope>)
#define CUDASYNC_TEXTS CUDASYNC_ORDER_TEXTS, "C"(space_text<Pointer>)
#define CUDASYNC_ORDERED(INSTRUCTION, ...) INSTRUCTION(, __VA_ARGS__)
#define CUDASYNC_QUALIFIED(INSTRUCTION, ...)                                                                           \
  if constexpr (sizeof word.address == 4) {                                                                            \
    INSTRUCTION(, __VA_ARGS__, "r")                                                                                    \
  } else {                                                                                                             \
    INSTRUCTION(, __VA_ARGS__, "l")                                                                                    \
  }

#elif CUDASYNC_DEVICE_PASS

template <template <class> class Pointer>
inline constexpr bool is_global_pointer = false;
template <>
inline constexpr bool is_global_pointer<global_pointer> = true;

#define CUDASYNC_EITHER(NUMBERS, QUALIFIERS) QUALIFIERS
#define CUDASYNC_ORDER_TEXTS
#define CUDASYNC_TEXTS
// Each of the three steps appends one qualifier and calls NEXT, which is the next step or the instruction.
#define CUDASYNC_SCOPED(NEXT, SEM, ...)                                                                                \
  if constexpr (Scope == dot_scope::cta) { NEXT(SEM ".cta", __VA_ARGS__) }                                             \
  if constexpr (Scope == dot_scope::cluster) { NEXT(SEM ".cluster", __VA_ARGS__) }                                     \
  if constexpr (Scope == dot_scope::gpu) { NEXT(SEM ".gpu", __VA_ARGS__) }                                             \
  if constexpr (Scope == dot_scope::sys) { NEXT(SEM ".sys", __VA_ARGS__) }
#define CUDASYNC_ORDERED(NEXT, ...)                                                                                    \
  if constexpr (Sem == dot_sem::relaxed) { CUDASYNC_SCOPED(NEXT, ".relaxed", __VA_ARGS__) }                            \
  if constexpr (Sem == dot_sem::acquire) { CUDASYNC_SCOPED(NEXT, ".acquire", __VA_ARGS__) }                            \
  if constexpr (Sem == dot_sem::release) { CUDASYNC_SCOPED(NEXT, ".release", __VA_ARGS__) }                            \
  if constexpr (Sem == dot_sem::acq_rel) { CUDASYNC_SCOPED(NEXT, ".acq_rel", __VA_ARGS__) }
#define CUDASYNC_SPACED(QUALIFIERS, INSTRUCTION, ...)                                                                  \
  if constexpr (sizeof word.address == 4) {                                                                            \
    INSTRUCTION(QUALIFIERS ".shared", __VA_ARGS__, "r")                                                                \
  } else if constexpr (is_global_pointer<Pointer>) {                                                                   \
    INSTRUCTION(QUALIFIERS ".global", __VA_ARGS__, "l")                                                                \
  } else {                                                                                                             \
    INSTRUCTION(QUALIFIERS, __VA_ARGS__, "l")                                                                          \
  }
#define CUDASYNC_QUALIFIED(INSTRUCTION, ...) CUDASYNC_ORDERED(CUDASYNC_SPACED, INSTRUCTION, __VA_ARGS__)

#else

// Parsed but never called: omitted to save compile time.
#define CUDASYNC_ORDERED(INSTRUCTION, ...)
#define CUDASYNC_QUALIFIED(INSTRUCTION, ...)

#endif
//
// clang-format on
#undef CUDASYNC_HAS_TEXT_OPERANDS

}  // namespace ptx
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
