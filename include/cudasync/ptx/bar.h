// bar and barrier: the sixteen hardware barriers of a block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_BAR_H
#define CUDASYNC_PTX_BAR_H

#include <cudasync/core/integers.h>

// bar is short for barrier.aligned: all threads of a warp must execute it together. As template arguments, Id and
// Threads are immediates: ptxas checks them, and reserves the barriers from 0 to Id. Without Threads, all threads of
// the block take part. With run-time arguments, ptxas reserves all sixteen barriers, the id is taken modulo 16, and any
// number of threads is accepted.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx {

// clang-format off
#define CUDASYNC_BARRIER(FUNCTION, INSTRUCTION)                                                                        \
  template <uint32 Id, uint32 Threads>                                                                                 \
  CUDASYNC_DEVICE void FUNCTION() {                                                                                    \
    asm volatile(INSTRUCTION " %0, %1;" ::"n"(Id), "n"(Threads) : "memory");                                           \
  }                                                                                                                    \
  CUDASYNC_DEVICE void FUNCTION(uint32 id, uint32 threads) {                                                           \
    asm volatile(INSTRUCTION " %0, %1;" ::"r"(id), "r"(threads) : "memory");                                           \
  }
#define CUDASYNC_BARRIER_OF_ALL(FUNCTION, INSTRUCTION)                                                                 \
  template <uint32 Id>                                                                                                 \
  CUDASYNC_DEVICE void FUNCTION() {                                                                                    \
    asm volatile(INSTRUCTION " %0;" ::"n"(Id) : "memory");                                                             \
  }
// Each thread passes a predicate. The result is a number or a predicate.
#define CUDASYNC_BARRIER_RED(FUNCTION, INSTRUCTION, OUT, AFTER)                                                        \
  template <uint32 Id>                                                                                                 \
  CUDASYNC_DEVICE uint32 FUNCTION(bool predicate) {                                                                    \
    uint32 result;                                                                                                     \
    asm volatile("{ .reg .pred in, out; setp.ne.u32 in, %2, 0; " INSTRUCTION " " OUT ", %1, in; " AFTER "}"            \
                 : "=r"(result) : "n"(Id), "r"(static_cast<uint32>(predicate)) : "memory");                            \
    return result;                                                                                                     \
  }                                                                                                                    \
  template <uint32 Id, uint32 Threads>                                                                                 \
  CUDASYNC_DEVICE uint32 FUNCTION(bool predicate) {                                                                    \
    uint32 result;                                                                                                     \
    asm volatile("{ .reg .pred in, out; setp.ne.u32 in, %3, 0; " INSTRUCTION " " OUT ", %1, %2, in; " AFTER "}"        \
                 : "=r"(result) : "n"(Id), "n"(Threads), "r"(static_cast<uint32>(predicate)) : "memory");              \
    return result;                                                                                                     \
  }                                                                                                                    \
  CUDASYNC_DEVICE uint32 FUNCTION(uint32 id, uint32 threads, bool predicate) {                                         \
    uint32 result;                                                                                                     \
    asm volatile("{ .reg .pred in, out; setp.ne.u32 in, %3, 0; " INSTRUCTION " " OUT ", %1, %2, in; " AFTER "}"        \
                 : "=r"(result) : "r"(id), "r"(threads), "r"(static_cast<uint32>(predicate)) : "memory");              \
    return result;                                                                                                     \
  }

//                     function           instruction
// PTX 6.0, sm_70.
CUDASYNC_BARRIER       (bar_sync,         "bar.sync")
CUDASYNC_BARRIER_OF_ALL(bar_sync,         "bar.sync")
CUDASYNC_BARRIER       (bar_arrive,       "bar.arrive")
CUDASYNC_BARRIER       (barrier_sync,     "barrier.sync")
CUDASYNC_BARRIER_OF_ALL(barrier_sync,     "barrier.sync")
CUDASYNC_BARRIER       (barrier_arrive,   "barrier.arrive")
//                     function           instruction             out    after
// PTX 6.0, sm_70.
CUDASYNC_BARRIER_RED   (bar_red_popc,     "bar.red.popc.u32",     "%0",  "")
CUDASYNC_BARRIER_RED   (bar_red_and,      "bar.red.and.pred",     "out", "selp.u32 %0, 1, 0, out; ")
CUDASYNC_BARRIER_RED   (bar_red_or,       "bar.red.or.pred",      "out", "selp.u32 %0, 1, 0, out; ")
CUDASYNC_BARRIER_RED   (barrier_red_popc, "barrier.red.popc.u32", "%0",  "")
CUDASYNC_BARRIER_RED   (barrier_red_and,  "barrier.red.and.pred", "out", "selp.u32 %0, 1, 0, out; ")
CUDASYNC_BARRIER_RED   (barrier_red_or,   "barrier.red.or.pred",  "out", "selp.u32 %0, 1, 0, out; ")
#undef CUDASYNC_BARRIER
#undef CUDASYNC_BARRIER_OF_ALL
#undef CUDASYNC_BARRIER_RED
// clang-format on

}}}  // namespace cudasync::CUDASYNC_ABI::ptx

#endif
