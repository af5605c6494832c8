// Loads, stores and atomics with an order and a scope, on words of 32 and 64 bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_MEMORY_H
#define CUDASYNC_PTX_MEMORY_H

#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/qualifiers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace ptx {

// clang-format off
//
// The operations on a word in one address space, at one scope.
#define CUDASYNC_WORD(POINTER, AT, SCOPE, WHERE, VALUE, TYPE, BITS, REGISTER)                                          \
  CUDASYNC_DEVICE VALUE ld_relaxed(SCOPE, POINTER<VALUE> word) {                                                       \
    VALUE value;                                                                                                       \
    asm volatile("ld.relaxed" WHERE "." TYPE " %0, [%1];" : "=" REGISTER(value) : AT(word.address) : "memory");        \
    return value;                                                                                                      \
  }                                                                                                                    \
  CUDASYNC_DEVICE VALUE ld_acquire(SCOPE, POINTER<VALUE> word) {                                                       \
    VALUE value;                                                                                                       \
    asm volatile("ld.acquire" WHERE "." TYPE " %0, [%1];" : "=" REGISTER(value) : AT(word.address) : "memory");        \
    return value;                                                                                                      \
  }                                                                                                                    \
  CUDASYNC_DEVICE void st_release(SCOPE, POINTER<VALUE> word, VALUE value) {                                           \
    asm volatile("st.release" WHERE "." TYPE " [%0], %1;" ::AT(word.address), REGISTER(value) : "memory");             \
  }                                                                                                                    \
  CUDASYNC_DEVICE void red_relaxed_add(SCOPE, POINTER<VALUE> word, VALUE value) {                                      \
    asm volatile("red.relaxed" WHERE ".add." TYPE " [%0], %1;" ::AT(word.address), REGISTER(value) : "memory");        \
  }                                                                                                                    \
  CUDASYNC_DEVICE VALUE atom_relaxed_add(SCOPE, POINTER<VALUE> word, VALUE value) {                                    \
    VALUE before;                                                                                                      \
    asm volatile("atom.relaxed" WHERE ".add." TYPE " %0, [%1], %2;"                                                    \
                 : "=" REGISTER(before) : AT(word.address), REGISTER(value) : "memory");                               \
    return before;                                                                                                     \
  }                                                                                                                    \
  CUDASYNC_DEVICE VALUE atom_release_add(SCOPE, POINTER<VALUE> word, VALUE value) {                                    \
    VALUE before;                                                                                                      \
    asm volatile("atom.release" WHERE ".add." TYPE " %0, [%1], %2;"                                                    \
                 : "=" REGISTER(before) : AT(word.address), REGISTER(value) : "memory");                               \
    return before;                                                                                                     \
  }                                                                                                                    \
  CUDASYNC_DEVICE VALUE atom_relaxed_cas(SCOPE, POINTER<VALUE> word, VALUE expected, VALUE desired) {                  \
    VALUE before;                                                                                                      \
    asm volatile("atom.relaxed" WHERE ".cas." BITS " %0, [%1], %2, %3;"                                                \
                 : "=" REGISTER(before) : AT(word.address), REGISTER(expected), REGISTER(desired) : "memory");         \
    return before;                                                                                                     \
  }                                                                                                                    \
  CUDASYNC_DEVICE VALUE atom_release_cas(SCOPE, POINTER<VALUE> word, VALUE expected, VALUE desired) {                  \
    VALUE before;                                                                                                      \
    asm volatile("atom.release" WHERE ".cas." BITS " %0, [%1], %2, %3;"                                                \
                 : "=" REGISTER(before) : AT(word.address), REGISTER(expected), REGISTER(desired) : "memory");         \
    return before;                                                                                                     \
  }

//            pointer          in   scope  where       C++ type  .type .bits  register
// PTX 6.0, sm_70.
CUDASYNC_WORD(global_pointer,  "l", scope_cta_t, ".cta.global", uint32, "u32", "b32", "r")
CUDASYNC_WORD(global_pointer,  "l", scope_cta_t, ".cta.global", uint64, "u64", "b64", "l")
CUDASYNC_WORD(global_pointer,  "l", scope_gpu_t, ".gpu.global", uint32, "u32", "b32", "r")
CUDASYNC_WORD(global_pointer,  "l", scope_gpu_t, ".gpu.global", uint64, "u64", "b64", "l")
CUDASYNC_WORD(global_pointer,  "l", scope_sys_t, ".sys.global", uint32, "u32", "b32", "r")
CUDASYNC_WORD(global_pointer,  "l", scope_sys_t, ".sys.global", uint64, "u64", "b64", "l")
CUDASYNC_WORD(shared_pointer,  "r", scope_cta_t, ".cta.shared", uint32, "u32", "b32", "r")
CUDASYNC_WORD(shared_pointer,  "r", scope_cta_t, ".cta.shared", uint64, "u64", "b64", "l")
CUDASYNC_WORD(shared_pointer,  "r", scope_gpu_t, ".gpu.shared", uint32, "u32", "b32", "r")
CUDASYNC_WORD(shared_pointer,  "r", scope_gpu_t, ".gpu.shared", uint64, "u64", "b64", "l")
CUDASYNC_WORD(shared_pointer,  "r", scope_sys_t, ".sys.shared", uint32, "u32", "b32", "r")
CUDASYNC_WORD(shared_pointer,  "r", scope_sys_t, ".sys.shared", uint64, "u64", "b64", "l")
CUDASYNC_WORD(generic_pointer, "l", scope_cta_t, ".cta",       uint32, "u32", "b32", "r")
CUDASYNC_WORD(generic_pointer, "l", scope_cta_t, ".cta",       uint64, "u64", "b64", "l")
CUDASYNC_WORD(generic_pointer, "l", scope_gpu_t, ".gpu",       uint32, "u32", "b32", "r")
CUDASYNC_WORD(generic_pointer, "l", scope_gpu_t, ".gpu",       uint64, "u64", "b64", "l")
CUDASYNC_WORD(generic_pointer, "l", scope_sys_t, ".sys",       uint32, "u32", "b32", "r")
CUDASYNC_WORD(generic_pointer, "l", scope_sys_t, ".sys",       uint64, "u64", "b64", "l")
//
#undef CUDASYNC_WORD
// clang-format on

}  // namespace ptx
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
