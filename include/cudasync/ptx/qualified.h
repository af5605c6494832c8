// Instructions whose order, scope and state space are template arguments of their function.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_QUALIFIED_H
#define CUDASYNC_PTX_QUALIFIED_H

#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/qualifiers.h>

// In a function whose template parameters are Sem and Scope,
//   CUDASYNC_ORDERED("ld", "%2%3", ".global.u32 %0, [%1];", : "=r"(value) : "l"(word.address))
// is one instruction with their qualifiers, such as
//   asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word.address) : "memory");
// The arguments: what stands before the qualifiers, the numbers of the next two operands, what stands behind the
// qualifiers, and the operands. If Pointer is a template parameter, too,
//   CUDASYNC_QUALIFIED("ld", "%2%3%4", ".u32 %0, [%1];", : "=r"(value) : "l"(word.address))
// adds the space of global_pointer or generic_pointer, and has one more number.
//
// Since CUDA 12.5, nvcc and NVRTC insert the text of an operand with the constraint "C" where its number stands. For
// other compilers, there is a statement for each combination. The instructions are the same, but compiling takes
// longer. A test chooses this form by CUDASYNC_HAS_TEXT_OPERANDS=0.
#if !defined(CUDASYNC_HAS_TEXT_OPERANDS)
#if CUDASYNC_PTX_ISA >= 85 && !CUDASYNC_CUDA_CLANG
#define CUDASYNC_HAS_TEXT_OPERANDS 1
#else
#define CUDASYNC_HAS_TEXT_OPERANDS 0
#endif
#endif

namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx {

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
constexpr char space_text<generic_pointer>[1] = "";
template <>
constexpr char space_text<other_block_pointer>[1] = "";

// clang-format off
#define CUDASYNC_ORDERED(BEGINNING, NUMBERS, REST, ...)                                                                \
  asm volatile(BEGINNING NUMBERS REST __VA_ARGS__, "C"(sem_text<Sem>), "C"(scope_text<Scope>) : "memory");
#define CUDASYNC_QUALIFIED(BEGINNING, NUMBERS, REST, ...)                                                              \
  asm volatile(BEGINNING NUMBERS REST __VA_ARGS__, "C"(sem_text<Sem>), "C"(scope_text<Scope>), "C"(space_text<Pointer>)\
               : "memory");

#elif CUDASYNC_DEVICE_PASS

template <template <class> class Pointer>
inline constexpr bool is_global_pointer = false;
template <>
inline constexpr bool is_global_pointer<global_pointer> = true;

#define CUDASYNC_IF_ORDERED(SEM, SCOPE, BEGINNING, REST, ...)                                                          \
  if constexpr (Sem == dot_sem::SEM && Scope == dot_scope::SCOPE)                                                      \
    asm volatile(BEGINNING "." #SEM "." #SCOPE REST __VA_ARGS__ : "memory");
#define CUDASYNC_ORDERED(BEGINNING, NUMBERS, REST, ...)                                                                \
  CUDASYNC_IF_ORDERED(relaxed, cta,     BEGINNING, REST, __VA_ARGS__)                                                  \
  CUDASYNC_IF_ORDERED(relaxed, cluster, BEGINNING, REST, __VA_ARGS__)                                                  \
  CUDASYNC_IF_ORDERED(relaxed, gpu,     BEGINNING, REST, __VA_ARGS__)                                                  \
  CUDASYNC_IF_ORDERED(relaxed, sys,     BEGINNING, REST, __VA_ARGS__)                                                  \
  CUDASYNC_IF_ORDERED(acquire, cta,     BEGINNING, REST, __VA_ARGS__)                                                  \
  CUDASYNC_IF_ORDERED(acquire, cluster, BEGINNING, REST, __VA_ARGS__)                                                  \
  CUDASYNC_IF_ORDERED(acquire, gpu,     BEGINNING, REST, __VA_ARGS__)                                                  \
  CUDASYNC_IF_ORDERED(acquire, sys,     BEGINNING, REST, __VA_ARGS__)                                                  \
  CUDASYNC_IF_ORDERED(release, cta,     BEGINNING, REST, __VA_ARGS__)                                                  \
  CUDASYNC_IF_ORDERED(release, cluster, BEGINNING, REST, __VA_ARGS__)                                                  \
  CUDASYNC_IF_ORDERED(release, gpu,     BEGINNING, REST, __VA_ARGS__)                                                  \
  CUDASYNC_IF_ORDERED(release, sys,     BEGINNING, REST, __VA_ARGS__)                                                  \
  CUDASYNC_IF_ORDERED(acq_rel, cta,     BEGINNING, REST, __VA_ARGS__)                                                  \
  CUDASYNC_IF_ORDERED(acq_rel, cluster, BEGINNING, REST, __VA_ARGS__)                                                  \
  CUDASYNC_IF_ORDERED(acq_rel, gpu,     BEGINNING, REST, __VA_ARGS__)                                                  \
  CUDASYNC_IF_ORDERED(acq_rel, sys,     BEGINNING, REST, __VA_ARGS__)

#define CUDASYNC_QUALIFIED(BEGINNING, NUMBERS, REST, ...)                                                              \
  if constexpr (is_global_pointer<Pointer>) {                                                                          \
    CUDASYNC_ORDERED(BEGINNING, NUMBERS, ".global" REST, __VA_ARGS__)                                                  \
  } else {                                                                                                             \
    CUDASYNC_ORDERED(BEGINNING, NUMBERS, REST, __VA_ARGS__)                                                            \
  }

#else

// Parsed but never called: omitted to save compile time.
#define CUDASYNC_ORDERED(...)
#define CUDASYNC_QUALIFIED(...)

#endif
// clang-format on
#undef CUDASYNC_HAS_TEXT_OPERANDS

}}}  // namespace cudasync::CUDASYNC_ABI::ptx

#endif
