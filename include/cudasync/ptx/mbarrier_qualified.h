// mbarrier instructions with an explicit order and scope, and those on a barrier of another block of the cluster.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_MBARRIER_QUALIFIED_H
#define CUDASYNC_PTX_MBARRIER_QUALIFIED_H

#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/qualifiers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace ptx {

// cvta.to.shared. The object must lie in the shared memory of a block of this cluster.
CUDASYNC_DEVICE cluster_address to_cluster(const void* object) {
  return to_shared(object);  // the same instruction converts addresses in .shared::cluster
}

// PTX 7.8, sm_90. The same location in the shared memory of the block with this rank in the cluster.
CUDASYNC_DEVICE cluster_address mapa(shared_address own, uint32 cta_rank) {
  uint32 offset;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(offset) : "r"(own.value), "r"(cta_rank) : "memory");
  return cluster_address(offset);
}

// PTX 7.8, sm_90. The rank in the cluster of the block whose shared memory contains the address.
CUDASYNC_DEVICE uint32 getctarank(cluster_address address) {
  uint32 rank;
  asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(address.value) : "memory");
  return rank;
}

// clang-format off
//
#define CUDASYNC_ARRIVE(FUNCTION, INSTRUCTION, SEM, SCOPE)                                     \
  CUDASYNC_DEVICE uint64 FUNCTION(SEM, SCOPE, shared_address bar, uint32 count) {              \
    uint64 state;                                                                              \
    asm volatile(INSTRUCTION ".shared::cta.b64 %0, [%1], %2;"                                  \
                 : "=l"(state) : "r"(bar.value), "r"(count) : "memory");                       \
    return state;                                                                              \
  }
#define CUDASYNC_ARRIVE_REMOTE(FUNCTION, INSTRUCTION, SEM)                                     \
  CUDASYNC_DEVICE void FUNCTION(SEM, scope_cluster_t, cluster_address bar, uint32 count) {     \
    asm volatile(INSTRUCTION ".shared::cluster.b64 _, [%0], %1;"                               \
                 :: "r"(bar.value), "r"(count) : "memory");                                    \
  }
#define CUDASYNC_EXPECT_TX(INSTRUCTION, SCOPE, ADDRESS)                                        \
  CUDASYNC_DEVICE void mbarrier_expect_tx(sem_relaxed_t, SCOPE, ADDRESS bar, uint32 count) {   \
    asm volatile(INSTRUCTION ".b64 [%0], %1;" :: "r"(bar.value), "r"(count) : "memory");       \
  }
#define CUDASYNC_WAIT(FUNCTION, INSTRUCTION, SEM, SCOPE, PHASE, REGISTER)                      \
  CUDASYNC_DEVICE bool FUNCTION(SEM, SCOPE, shared_address bar, PHASE phase) {                 \
    uint32 complete;                                                                           \
    asm volatile("{ .reg .pred complete; " INSTRUCTION ".shared::cta.b64 complete, [%1], %2; " \
                 "selp.u32 %0, 1, 0, complete; }"                                              \
                 : "=r"(complete) : "r"(bar.value), REGISTER(phase) : "memory");               \
    return complete != 0;                                                                      \
  }
#define CUDASYNC_WAIT_HINT(FUNCTION, INSTRUCTION, SEM, SCOPE, PHASE, REGISTER)                 \
  CUDASYNC_DEVICE bool FUNCTION(SEM, SCOPE, shared_address bar, PHASE phase, uint32 suspend_ns) {   \
    uint32 complete;                                                                           \
    asm volatile("{ .reg .pred complete; " INSTRUCTION ".shared::cta.b64 complete, [%1], %2, %3; "  \
                 "selp.u32 %0, 1, 0, complete; }"                                              \
                 : "=r"(complete) : "r"(bar.value), REGISTER(phase), "r"(suspend_ns) : "memory");   \
    return complete != 0;                                                                      \
  }

//                     function                   instruction                                  .sem           .scope
// PTX 8.0, sm_90.
CUDASYNC_ARRIVE       (mbarrier_arrive,           "mbarrier.arrive.release.cta",               sem_release_t, scope_cta_t)
CUDASYNC_ARRIVE       (mbarrier_arrive,           "mbarrier.arrive.release.cluster",           sem_release_t, scope_cluster_t)
CUDASYNC_ARRIVE_REMOTE(mbarrier_arrive,           "mbarrier.arrive.release.cluster",           sem_release_t)
CUDASYNC_ARRIVE       (mbarrier_arrive_expect_tx, "mbarrier.arrive.expect_tx.release.cta",     sem_release_t, scope_cta_t)
CUDASYNC_ARRIVE       (mbarrier_arrive_expect_tx, "mbarrier.arrive.expect_tx.release.cluster", sem_release_t, scope_cluster_t)
CUDASYNC_ARRIVE_REMOTE(mbarrier_arrive_expect_tx, "mbarrier.arrive.expect_tx.release.cluster", sem_release_t)
CUDASYNC_ARRIVE       (mbarrier_arrive_drop,      "mbarrier.arrive_drop.release.cluster",      sem_release_t, scope_cluster_t)
CUDASYNC_ARRIVE_REMOTE(mbarrier_arrive_drop,      "mbarrier.arrive_drop.release.cluster",      sem_release_t)
CUDASYNC_ARRIVE       (mbarrier_arrive_drop_expect_tx, "mbarrier.arrive_drop.expect_tx.release.cluster", sem_release_t, scope_cluster_t)
#if CUDASYNC_PTX_ISA >= 86
// PTX 8.6, sm_90.
CUDASYNC_ARRIVE       (mbarrier_arrive,           "mbarrier.arrive.relaxed.cta",               sem_relaxed_t, scope_cta_t)
CUDASYNC_ARRIVE       (mbarrier_arrive,           "mbarrier.arrive.relaxed.cluster",           sem_relaxed_t, scope_cluster_t)
CUDASYNC_ARRIVE_REMOTE(mbarrier_arrive,           "mbarrier.arrive.relaxed.cluster",           sem_relaxed_t)
CUDASYNC_ARRIVE       (mbarrier_arrive_expect_tx, "mbarrier.arrive.expect_tx.relaxed.cta",     sem_relaxed_t, scope_cta_t)
CUDASYNC_ARRIVE       (mbarrier_arrive_expect_tx, "mbarrier.arrive.expect_tx.relaxed.cluster", sem_relaxed_t, scope_cluster_t)
CUDASYNC_ARRIVE_REMOTE(mbarrier_arrive_expect_tx, "mbarrier.arrive.expect_tx.relaxed.cluster", sem_relaxed_t)
#endif

//                instruction                                             .scope           address
// PTX 8.0, sm_90.
CUDASYNC_EXPECT_TX("mbarrier.expect_tx.relaxed.cta.shared::cta",         scope_cta_t,     shared_address)
CUDASYNC_EXPECT_TX("mbarrier.expect_tx.relaxed.cluster.shared::cta",     scope_cluster_t, shared_address)
CUDASYNC_EXPECT_TX("mbarrier.expect_tx.relaxed.cta.shared::cluster",     scope_cta_t,     cluster_address)
CUDASYNC_EXPECT_TX("mbarrier.expect_tx.relaxed.cluster.shared::cluster", scope_cluster_t, cluster_address)

//                 function                   instruction                                   .sem           .scope           phase
// PTX 8.0, sm_90.
CUDASYNC_WAIT     (mbarrier_test_wait,        "mbarrier.test_wait.acquire.cta",             sem_acquire_t, scope_cta_t,     uint64, "l")
CUDASYNC_WAIT     (mbarrier_test_wait,        "mbarrier.test_wait.acquire.cluster",         sem_acquire_t, scope_cluster_t, uint64, "l")
CUDASYNC_WAIT     (mbarrier_test_wait_parity, "mbarrier.test_wait.parity.acquire.cta",      sem_acquire_t, scope_cta_t,     uint32, "r")
CUDASYNC_WAIT     (mbarrier_test_wait_parity, "mbarrier.test_wait.parity.acquire.cluster",  sem_acquire_t, scope_cluster_t, uint32, "r")
CUDASYNC_WAIT     (mbarrier_try_wait,         "mbarrier.try_wait.acquire.cta",              sem_acquire_t, scope_cta_t,     uint64, "l")
CUDASYNC_WAIT     (mbarrier_try_wait,         "mbarrier.try_wait.acquire.cluster",          sem_acquire_t, scope_cluster_t, uint64, "l")
CUDASYNC_WAIT     (mbarrier_try_wait_parity,  "mbarrier.try_wait.parity.acquire.cta",       sem_acquire_t, scope_cta_t,     uint32, "r")
CUDASYNC_WAIT     (mbarrier_try_wait_parity,  "mbarrier.try_wait.parity.acquire.cluster",   sem_acquire_t, scope_cluster_t, uint32, "r")
CUDASYNC_WAIT_HINT(mbarrier_try_wait,         "mbarrier.try_wait.acquire.cta",              sem_acquire_t, scope_cta_t,     uint64, "l")
CUDASYNC_WAIT_HINT(mbarrier_try_wait,         "mbarrier.try_wait.acquire.cluster",          sem_acquire_t, scope_cluster_t, uint64, "l")
CUDASYNC_WAIT_HINT(mbarrier_try_wait_parity,  "mbarrier.try_wait.parity.acquire.cta",       sem_acquire_t, scope_cta_t,     uint32, "r")
CUDASYNC_WAIT_HINT(mbarrier_try_wait_parity,  "mbarrier.try_wait.parity.acquire.cluster",   sem_acquire_t, scope_cluster_t, uint32, "r")
#if CUDASYNC_PTX_ISA >= 86
// PTX 8.6, sm_90.
CUDASYNC_WAIT     (mbarrier_test_wait,        "mbarrier.test_wait.relaxed.cta",             sem_relaxed_t, scope_cta_t,     uint64, "l")
CUDASYNC_WAIT     (mbarrier_test_wait,        "mbarrier.test_wait.relaxed.cluster",         sem_relaxed_t, scope_cluster_t, uint64, "l")
CUDASYNC_WAIT     (mbarrier_test_wait_parity, "mbarrier.test_wait.parity.relaxed.cta",      sem_relaxed_t, scope_cta_t,     uint32, "r")
CUDASYNC_WAIT     (mbarrier_test_wait_parity, "mbarrier.test_wait.parity.relaxed.cluster",  sem_relaxed_t, scope_cluster_t, uint32, "r")
CUDASYNC_WAIT     (mbarrier_try_wait,         "mbarrier.try_wait.relaxed.cta",              sem_relaxed_t, scope_cta_t,     uint64, "l")
CUDASYNC_WAIT     (mbarrier_try_wait,         "mbarrier.try_wait.relaxed.cluster",          sem_relaxed_t, scope_cluster_t, uint64, "l")
CUDASYNC_WAIT     (mbarrier_try_wait_parity,  "mbarrier.try_wait.parity.relaxed.cta",       sem_relaxed_t, scope_cta_t,     uint32, "r")
CUDASYNC_WAIT     (mbarrier_try_wait_parity,  "mbarrier.try_wait.parity.relaxed.cluster",   sem_relaxed_t, scope_cluster_t, uint32, "r")
CUDASYNC_WAIT_HINT(mbarrier_try_wait,         "mbarrier.try_wait.relaxed.cta",              sem_relaxed_t, scope_cta_t,     uint64, "l")
CUDASYNC_WAIT_HINT(mbarrier_try_wait,         "mbarrier.try_wait.relaxed.cluster",          sem_relaxed_t, scope_cluster_t, uint64, "l")
CUDASYNC_WAIT_HINT(mbarrier_try_wait_parity,  "mbarrier.try_wait.parity.relaxed.cta",       sem_relaxed_t, scope_cta_t,     uint32, "r")
CUDASYNC_WAIT_HINT(mbarrier_try_wait_parity,  "mbarrier.try_wait.parity.relaxed.cluster",   sem_relaxed_t, scope_cluster_t, uint32, "r")
#endif
//
#undef CUDASYNC_ARRIVE
#undef CUDASYNC_ARRIVE_REMOTE
#undef CUDASYNC_EXPECT_TX
#undef CUDASYNC_WAIT
#undef CUDASYNC_WAIT_HINT
// clang-format on

}  // namespace ptx
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
