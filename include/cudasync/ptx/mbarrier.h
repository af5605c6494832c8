// mbarrier: barriers in shared memory that count arrivals and, on sm_90 and newer, bytes of asynchronous copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_MBARRIER_H
#define CUDASYNC_PTX_MBARRIER_H

#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>

// A state is the value that an arrive returns: it identifies its phase. States and parities are valid for the current
// and the immediately preceding phase only. By default, arrives release and waits acquire, at scope .cta.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx {

// PTX 7.0, sm_80.
CUDASYNC_DEVICE void mbarrier_init(shared_address bar, uint32 count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar.value), "r"(count) : "memory");
}

// PTX 7.0, sm_80. Afterwards, the memory may be used for something else.
CUDASYNC_DEVICE void mbarrier_inval(shared_address bar) {
  asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(bar.value) : "memory");
}

// PTX 7.8, sm_90. An arrival with a count of 0, which the PTX manual does not describe: returns the state and changes
// nothing. On an H200, the lower half of the state is undefined, so it is cleared. The checked build tests whether this
// works before it relies on it.
CUDASYNC_DEVICE uint64 mbarrier_arrive_none(shared_address bar) {
  uint64 state;
  asm volatile("{ .reg .u32 none; mov.u32 none, 0; mbarrier.arrive.shared.b64 %0, [%1], none; }"
               : "=l"(state)
               : "r"(bar.value)
               : "memory");
  return state >> 32 << 32;
}

// PTX 7.0, sm_80. The word of shared memory that contains an mbarrier.
CUDASYNC_DEVICE uint64 read_mbarrier_word(shared_address bar) {
  uint64 word;
  asm volatile("ld.volatile.shared.u64 %0, [%1];" : "=l"(word) : "r"(bar.value) : "memory");
  return word;
}

// PTX 8.0, sm_90.
CUDASYNC_DEVICE void mbarrier_expect_tx(shared_address bar, uint32 tx_count) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(bar.value), "r"(tx_count) : "memory");
}

// PTX 8.0, sm_90. Counts tx_count bytes as complete, as a copy does when it completes.
CUDASYNC_DEVICE void mbarrier_complete_tx(shared_address bar, uint32 tx_count) {
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(bar.value), "r"(tx_count) : "memory");
}

// PTX 7.0, sm_80. Returns the number of arrivals that were pending when the arrive that returned this state began.
CUDASYNC_DEVICE uint32 mbarrier_pending_count(uint64 state) {
  uint32 count;
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(state) : "memory");
  return count;
}

// clang-format off
#define CUDASYNC_ARRIVE(FUNCTION, INSTRUCTION)                                                    \
  CUDASYNC_DEVICE uint64 FUNCTION(shared_address bar) {                                           \
    uint64 state;                                                                                 \
    asm volatile(INSTRUCTION ".shared.b64 %0, [%1];" : "=l"(state) : "r"(bar.value) : "memory");  \
    return state;                                                                                 \
  }
#define CUDASYNC_ARRIVE_COUNT(FUNCTION, INSTRUCTION)                                              \
  CUDASYNC_DEVICE uint64 FUNCTION(shared_address bar, uint32 count) {                             \
    uint64 state;                                                                                 \
    asm volatile(INSTRUCTION ".shared.b64 %0, [%1], %2;"                                          \
                 : "=l"(state) : "r"(bar.value), "r"(count) : "memory");                          \
    return state;                                                                                 \
  }

//                    function                        instruction
// PTX 7.0, sm_80. Arrives once.
CUDASYNC_ARRIVE      (mbarrier_arrive,                "mbarrier.arrive")
// PTX 7.8, sm_90. Arrives count times.
CUDASYNC_ARRIVE_COUNT(mbarrier_arrive,                "mbarrier.arrive")
// PTX 7.0, sm_80. The count must leave at least one arrival pending in the phase.
CUDASYNC_ARRIVE_COUNT(mbarrier_arrive_no_complete,    "mbarrier.arrive.noComplete")
// PTX 7.0, sm_80. Arrives once, and lowers the expected count of all later phases by one.
CUDASYNC_ARRIVE      (mbarrier_arrive_drop,           "mbarrier.arrive_drop")
// PTX 7.8, sm_90. Arrives count times, and lowers the expected count of all later phases by count.
CUDASYNC_ARRIVE_COUNT(mbarrier_arrive_drop,           "mbarrier.arrive_drop")
// PTX 8.0, sm_90. Expects count bytes in this phase, then arrives once.
CUDASYNC_ARRIVE_COUNT(mbarrier_arrive_expect_tx,      "mbarrier.arrive.expect_tx")
// PTX 8.0, sm_90. Expects count bytes in this phase, then does as mbarrier_arrive_drop.
CUDASYNC_ARRIVE_COUNT(mbarrier_arrive_drop_expect_tx, "mbarrier.arrive_drop.expect_tx")
#undef CUDASYNC_ARRIVE
#undef CUDASYNC_ARRIVE_COUNT

#define CUDASYNC_TEST(FUNCTION, INSTRUCTION, PHASE, REGISTER)                                     \
  CUDASYNC_DEVICE bool FUNCTION(shared_address bar, PHASE phase) {                                \
    uint32 complete;                                                                              \
    asm volatile("{ .reg .pred complete; " INSTRUCTION ".shared.b64 complete, [%1], %2; "         \
                 "selp.u32 %0, 1, 0, complete; }"                                                 \
                 : "=r"(complete) : "r"(bar.value), REGISTER(phase) : "memory");                  \
    return complete != 0;                                                                         \
  }
#define CUDASYNC_TRY(FUNCTION, INSTRUCTION, PHASE, REGISTER)                                      \
  CUDASYNC_DEVICE bool FUNCTION(shared_address bar, PHASE phase, uint32 suspend_ns) {             \
    uint32 complete;                                                                              \
    asm volatile("{ .reg .pred complete; " INSTRUCTION ".shared.b64 complete, [%1], %2, %3; "     \
                 "selp.u32 %0, 1, 0, complete; }"                                                 \
                 : "=r"(complete) : "r"(bar.value), REGISTER(phase), "r"(suspend_ns) : "memory"); \
    return complete != 0;                                                                         \
  }

//            function                   instruction                  phase
// PTX 7.0, sm_80. Returns whether the phase of this state has completed. Does not block.
CUDASYNC_TEST(mbarrier_test_wait,        "mbarrier.test_wait",        uint64, "l")
// PTX 7.1, sm_80. Returns whether the phase of this parity has completed. Does not block.
CUDASYNC_TEST(mbarrier_test_wait_parity, "mbarrier.test_wait.parity", uint32, "r")
// PTX 7.8, sm_90. May suspend the thread for a system-dependent time. Returns whether the phase has completed.
CUDASYNC_TEST(mbarrier_try_wait,         "mbarrier.try_wait",         uint64, "l")
CUDASYNC_TEST(mbarrier_try_wait_parity,  "mbarrier.try_wait.parity",  uint32, "r")
// PTX 7.8, sm_90. May suspend the thread for up to suspend_ns nanoseconds. Returns whether the phase has completed.
CUDASYNC_TRY (mbarrier_try_wait,         "mbarrier.try_wait",         uint64, "l")
CUDASYNC_TRY (mbarrier_try_wait_parity,  "mbarrier.try_wait.parity",  uint32, "r")
#undef CUDASYNC_TEST
#undef CUDASYNC_TRY

// The retry loops below are written in assembly, because ptxas peels one iteration off a loop that the compiler
// generates, which costs three more instructions without a benefit (docs/design). The braces keep the labels local. The
// loops always return true, which ptxas can see, but the compiler cannot.
#define CUDASYNC_WAIT_UNTIL(FUNCTION, INSTRUCTION, PHASE, REGISTER)                            \
  CUDASYNC_DEVICE bool FUNCTION(shared_address bar, PHASE phase) {                             \
    uint32 complete;                                                                           \
    asm volatile("{ .reg .pred complete;\n"                                                    \
                 "again: " INSTRUCTION ".shared.b64 complete, [%1], %2;\n"                     \
                 "@complete bra through;\nbra again;\nthrough: mov.u32 %0, 1; }"               \
                 : "=r"(complete) : "r"(bar.value), REGISTER(phase) : "memory");               \
    return complete != 0;                                                                      \
  }

//                  function                         instruction                  phase
// PTX 7.0, sm_80. Tests until the phase of this state has completed.
CUDASYNC_WAIT_UNTIL(mbarrier_test_wait_until,        "mbarrier.test_wait",        uint64, "l")
// PTX 7.1, sm_80. Tests until the phase of this parity has completed.
CUDASYNC_WAIT_UNTIL(mbarrier_test_wait_until_parity, "mbarrier.test_wait.parity", uint32, "r")
// PTX 7.8, sm_90. Tries until the phase of this parity has completed.
CUDASYNC_WAIT_UNTIL(mbarrier_try_wait_until_parity,  "mbarrier.try_wait.parity",  uint32, "r")
// The same with a time limit: returns whether the phase has completed.
#define CUDASYNC_WAIT_UNTIL_TIME(FUNCTION, INSTRUCTION, PHASE, REGISTER)                       \
  CUDASYNC_DEVICE bool FUNCTION(shared_address bar, PHASE phase, uint64 time) {                \
    uint32 complete;                                                                           \
    asm volatile("{ .reg .pred complete;\n.reg .pred early;\n.reg .u64 now;\n"                 \
                 "again: " INSTRUCTION ".shared.b64 complete, [%1], %2;\n"                     \
                 "@complete bra through;\nmov.u64 now, %%globaltimer;\n"                       \
                 "setp.lt.u64 early, now, %3;\n@early bra again;\n"                            \
                 "through: selp.u32 %0, 1, 0, complete; }"                                     \
                 : "=r"(complete) : "r"(bar.value), REGISTER(phase), "l"(time) : "memory");    \
    return complete != 0;                                                                      \
  }

//                       function                               instruction                  phase
// PTX 7.0, sm_80. Tests until the phase of this state has completed, or the global timer has reached this time.
CUDASYNC_WAIT_UNTIL_TIME(mbarrier_test_wait_until_time,         "mbarrier.test_wait",        uint64, "l")
// PTX 7.1, sm_80. Tests until the phase of this parity has completed, or the global timer has reached this time.
CUDASYNC_WAIT_UNTIL_TIME(mbarrier_test_wait_until_time_parity,  "mbarrier.test_wait.parity", uint32, "r")
// PTX 8.0, sm_90. As mbarrier_test_wait_until_time, but acquires at cluster scope.
CUDASYNC_WAIT_UNTIL_TIME(mbarrier_test_wait_until_time_cluster,        "mbarrier.test_wait.acquire.cluster",        uint64, "l")
// PTX 8.0, sm_90. As mbarrier_test_wait_until_time_parity, but acquires at cluster scope.
CUDASYNC_WAIT_UNTIL_TIME(mbarrier_test_wait_until_time_cluster_parity, "mbarrier.test_wait.parity.acquire.cluster", uint32, "r")
#undef CUDASYNC_WAIT_UNTIL
#undef CUDASYNC_WAIT_UNTIL_TIME
// clang-format on

}}}  // namespace cudasync::CUDASYNC_ABI::ptx

#endif
