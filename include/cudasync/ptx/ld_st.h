// Loads and stores with an order and a scope, in global, shared and generic memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_LD_ST_H
#define CUDASYNC_PTX_LD_ST_H

#include <cudasync/core/bits.h>
#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/qualified.h>
#include <cudasync/ptx/qualifiers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx {

// ld(sem, scope, pointer) and st(sem, scope, pointer, value). Scope cluster: PTX 7.8, sm_90.
//
// clang-format off
#if CUDASYNC_CUDA_CLANG
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-parameter"
#endif
#define CUDASYNC_LD_ST(WHAT, WORD, IN, REGISTER)                                                                       \
  template <dot_sem Sem, dot_scope Scope, template <class> class Pointer>                                              \
  CUDASYNC_DEVICE WORD ld(sem_t<Sem>, scope_t<Scope>, Pointer<WORD> word) {                                            \
    IN value{};                                                                                                        \
    if constexpr (sizeof word.address == 8) {                                                                          \
      CUDASYNC_QUALIFIED("ld", "%2%3%4", WHAT " %0, [%1];", : "=" REGISTER(value) : "l"(word.address))                 \
    } else {                                                                                                           \
      CUDASYNC_ORDERED("ld", "%2%3", ".shared" WHAT " %0, [%1];", : "=" REGISTER(value) : "r"(word.address))           \
    }                                                                                                                  \
    return static_cast<WORD>(value);                                                                                   \
  }                                                                                                                    \
  template <dot_sem Sem, dot_scope Scope, template <class> class Pointer>                                              \
  CUDASYNC_DEVICE void st(sem_t<Sem>, scope_t<Scope>, Pointer<WORD> word, IN value) {                                  \
    if constexpr (sizeof word.address == 8) {                                                                          \
      CUDASYNC_QUALIFIED("st", "%2%3%4", WHAT " [%0], %1;", :: "l"(word.address), REGISTER(value))                     \
    } else {                                                                                                           \
      CUDASYNC_ORDERED("st", "%2%3", ".shared" WHAT " [%0], %1;", :: "r"(word.address), REGISTER(value))               \
    }                                                                                                                  \
  }
#define CUDASYNC_LD_ST128(WHAT, WORD, IN, REGISTER)                                                                    \
  template <dot_sem Sem, dot_scope Scope, template <class> class Pointer>                                              \
  CUDASYNC_DEVICE WORD ld(sem_t<Sem>, scope_t<Scope>, Pointer<WORD> word) {                                            \
    IN value{};                                                                                                        \
    if constexpr (sizeof word.address == 8) {                                                                          \
      CUDASYNC_QUALIFIED("{ .reg .b128 value; ld", "%3%4%5", WHAT " value, [%2]; mov.b128 {%0, %1}, value; }",         \
                         : "=" REGISTER(value.low), "=" REGISTER(value.high) : "l"(word.address))                      \
    } else {                                                                                                           \
      CUDASYNC_ORDERED("{ .reg .b128 value; ld", "%3%4", ".shared" WHAT " value, [%2]; mov.b128 {%0, %1}, value; }",   \
                       : "=" REGISTER(value.low), "=" REGISTER(value.high) : "r"(word.address))                        \
    }                                                                                                                  \
    return static_cast<WORD>(value);                                                                                   \
  }                                                                                                                    \
  template <dot_sem Sem, dot_scope Scope, template <class> class Pointer>                                              \
  CUDASYNC_DEVICE void st(sem_t<Sem>, scope_t<Scope>, Pointer<WORD> word, IN value) {                                  \
    if constexpr (sizeof word.address == 8) {                                                                          \
      CUDASYNC_QUALIFIED("{ .reg .b128 value; mov.b128 value, {%1, %2}; st", "%3%4%5", WHAT " [%0], value; }",         \
                         :: "l"(word.address), REGISTER(value.low), REGISTER(value.high))                              \
    } else {                                                                                                           \
      CUDASYNC_ORDERED("{ .reg .b128 value; mov.b128 value, {%1, %2}; st", "%3%4", ".shared" WHAT " [%0], value; }",   \
                       :: "r"(word.address), REGISTER(value.low), REGISTER(value.high))                                \
    }                                                                                                                  \
  }

//                .type    C++ type  in a     register
// PTX 6.0, sm_70.
CUDASYNC_LD_ST   (".u8",   uint8,    uint16,  "h")
CUDASYNC_LD_ST   (".u16",  uint16,   uint16,  "h")
CUDASYNC_LD_ST   (".u32",  uint32,   uint32,  "r")
CUDASYNC_LD_ST   (".u64",  uint64,   uint64,  "l")
#if CUDASYNC_PTX_ISA >= 84
// PTX 8.4, sm_70.
CUDASYNC_LD_ST128(".b128", uint128,  uint128, "l")
#endif
#if CUDASYNC_CUDA_CLANG
#pragma clang diagnostic pop
#endif
#undef CUDASYNC_LD_ST
#undef CUDASYNC_LD_ST128
// clang-format on

// Whether the toolkit assembles loads, stores and atomics of 128 bits.
CUDASYNC_DEVICE constexpr bool has_b128() {
  return CUDASYNC_PTX_ISA >= 84;
}

// PTX 1.1, sm_70. Stores two words to global memory at once.
CUDASYNC_DEVICE void st_volatile(uint64 offset_in_global, uint64 first, uint64 second) {
  asm volatile("st.volatile.global.v2.u64 [%0], {%1, %2};" ::"l"(offset_in_global), "l"(first), "l"(second) : "memory");
}

// The following stores depend on a condition, without a branch.

// PTX 1.1, sm_70. Stores two words to global memory at once.
CUDASYNC_DEVICE void st_volatile_if(bool condition, uint64 offset_in_global, uint64 first, uint64 second) {
  asm volatile(
      "{ .reg .pred stores; setp.ne.u32 stores, %0, 0; @stores st.volatile.global.v2.u64 [%1], {%2, %3}; }" ::"r"(
          static_cast<uint32>(condition)),
      "l"(offset_in_global), "l"(first), "l"(second)
      : "memory");
}

// PTX 6.0, sm_70.
CUDASYNC_DEVICE void st_if(bool condition, sem_relaxed_t, scope_cta_t, global_pointer<uint32> word, uint32 value) {
  asm volatile("{ .reg .pred stores; setp.ne.u32 stores, %0, 0; @stores st.relaxed.cta.global.u32 [%1], %2; }" ::"r"(
                   static_cast<uint32>(condition)),
               "l"(word.address), "r"(value)
               : "memory");
}

// PTX 6.0, sm_70.
CUDASYNC_DEVICE void st_if(bool condition, sem_relaxed_t, scope_cta_t, global_pointer<uint64> word, uint64 value) {
  asm volatile("{ .reg .pred stores; setp.ne.u32 stores, %0, 0; @stores st.relaxed.cta.global.u64 [%1], %2; }" ::"r"(
                   static_cast<uint32>(condition)),
               "l"(word.address), "l"(value)
               : "memory");
}

}}}  // namespace cudasync::CUDASYNC_ABI::ptx

#endif
