// mbarrier instructions with an explicit order and scope, and those on a barrier of another block of the cluster.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_MBARRIER_QUALIFIED_H
#define CUDASYNC_PTX_MBARRIER_QUALIFIED_H

#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/qualified.h>
#include <cudasync/ptx/qualifiers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx {

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

// Whether the toolkit assembles mbarrier instructions with .relaxed: since CUDA 12.7.
[[nodiscard]] CUDASYNC_DEVICE constexpr bool has_relaxed_mbarrier() {
  return CUDASYNC_PTX_ISA >= 86;
}

// Fails to compile unless the instruction can have this order and scope.
template <dot_sem Sem, dot_sem Expected, dot_scope Scope>
CUDASYNC_DEVICE constexpr void check_qualifiers() {
  static_assert(Sem == Expected || (Sem == dot_sem::relaxed && has_relaxed_mbarrier()),
                "an mbarrier arrival is sem_release and a wait is sem_acquire, or sem_relaxed since CUDA 12.7");
  static_assert(Scope == dot_scope::cta || Scope == dot_scope::cluster,
                "mbarrier instructions have scope_cta or scope_cluster");
}

// clang-format off
//
#if CUDASYNC_CUDA_CLANG
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-parameter"
#endif
#define CUDASYNC_ARRIVE(FUNCTION, INSTRUCTION)                                                 \
  template <dot_sem Sem, dot_scope Scope>                                                      \
  CUDASYNC_DEVICE uint64 FUNCTION(sem_t<Sem>, scope_t<Scope>, shared_address bar, uint32 count) { \
    check_qualifiers<Sem, dot_sem::release, Scope>();                                          \
    uint64 state{};                                                                            \
    CUDASYNC_ORDERED(INSTRUCTION, "%3%4", ".shared::cta.b64 %0, [%1], %2;",                    \
                     : "=l"(state) : "r"(bar.value), "r"(count))                               \
    return state;                                                                              \
  }                                                                                            \
  template <dot_sem Sem, dot_scope Scope = dot_scope::cluster>                                 \
  CUDASYNC_DEVICE void FUNCTION(sem_t<Sem>, scope_cluster_t, cluster_address bar, uint32 count) { \
    check_qualifiers<Sem, dot_sem::release, Scope>();                                          \
    CUDASYNC_ORDERED(INSTRUCTION, "%2%3", ".shared::cluster.b64 _, [%0], %1;",                 \
                     :: "r"(bar.value), "r"(count))                                            \
  }
#define CUDASYNC_WAIT(FUNCTION, INSTRUCTION, PHASE, REGISTER)                                  \
  template <dot_sem Sem, dot_scope Scope>                                                      \
  CUDASYNC_DEVICE bool FUNCTION(sem_t<Sem>, scope_t<Scope>, shared_address bar, PHASE phase) { \
    check_qualifiers<Sem, dot_sem::acquire, Scope>();                                          \
    uint32 complete{};                                                                         \
    CUDASYNC_ORDERED("{ .reg .pred complete; " INSTRUCTION, "%3%4",                            \
                     ".shared::cta.b64 complete, [%1], %2; selp.u32 %0, 1, 0, complete; }",    \
                     : "=r"(complete) : "r"(bar.value), REGISTER(phase))                       \
    return complete != 0;                                                                      \
  }
#define CUDASYNC_WAIT_HINT(FUNCTION, INSTRUCTION, PHASE, REGISTER)                             \
  template <dot_sem Sem, dot_scope Scope>                                                      \
  CUDASYNC_DEVICE bool FUNCTION(sem_t<Sem>, scope_t<Scope>, shared_address bar, PHASE phase, uint32 suspend_ns) { \
    check_qualifiers<Sem, dot_sem::acquire, Scope>();                                          \
    uint32 complete{};                                                                         \
    CUDASYNC_ORDERED("{ .reg .pred complete; " INSTRUCTION, "%4%5",                            \
                     ".shared::cta.b64 complete, [%1], %2, %3; selp.u32 %0, 1, 0, complete; }",\
                     : "=r"(complete) : "r"(bar.value), REGISTER(phase), "r"(suspend_ns))      \
    return complete != 0;                                                                      \
  }
#define CUDASYNC_EXPECT_TX(INSTRUCTION, SCOPE, ADDRESS)                                        \
  CUDASYNC_DEVICE void mbarrier_expect_tx(sem_relaxed_t, SCOPE, ADDRESS bar, uint32 count) {   \
    asm volatile(INSTRUCTION ".b64 [%0], %1;" :: "r"(bar.value), "r"(count) : "memory");       \
  }

//                function                        instruction
// PTX 8.0, sm_90. With .relaxed: PTX 8.6.
CUDASYNC_ARRIVE   (mbarrier_arrive,                "mbarrier.arrive")
CUDASYNC_ARRIVE   (mbarrier_arrive_expect_tx,      "mbarrier.arrive.expect_tx")
CUDASYNC_ARRIVE   (mbarrier_arrive_drop,           "mbarrier.arrive_drop")
CUDASYNC_ARRIVE   (mbarrier_arrive_drop_expect_tx, "mbarrier.arrive_drop.expect_tx")

//                function                        instruction                  phase
// PTX 8.0, sm_90. With .relaxed: PTX 8.6.
CUDASYNC_WAIT     (mbarrier_test_wait,             "mbarrier.test_wait",        uint64, "l")
CUDASYNC_WAIT     (mbarrier_test_wait_parity,      "mbarrier.test_wait.parity", uint32, "r")
CUDASYNC_WAIT     (mbarrier_try_wait,              "mbarrier.try_wait",         uint64, "l")
CUDASYNC_WAIT     (mbarrier_try_wait_parity,       "mbarrier.try_wait.parity",  uint32, "r")
CUDASYNC_WAIT_HINT(mbarrier_try_wait,              "mbarrier.try_wait",         uint64, "l")
CUDASYNC_WAIT_HINT(mbarrier_try_wait_parity,       "mbarrier.try_wait.parity",  uint32, "r")

//                instruction                                              .scope           address
// PTX 8.0, sm_90.
CUDASYNC_EXPECT_TX("mbarrier.expect_tx.relaxed.cta.shared::cta",         scope_cta_t,     shared_address)
CUDASYNC_EXPECT_TX("mbarrier.expect_tx.relaxed.cluster.shared::cta",     scope_cluster_t, shared_address)
CUDASYNC_EXPECT_TX("mbarrier.expect_tx.relaxed.cta.shared::cluster",     scope_cta_t,     cluster_address)
CUDASYNC_EXPECT_TX("mbarrier.expect_tx.relaxed.cluster.shared::cluster", scope_cluster_t, cluster_address)
//
#if CUDASYNC_CUDA_CLANG
#pragma clang diagnostic pop
#endif
#undef CUDASYNC_ARRIVE
#undef CUDASYNC_WAIT
#undef CUDASYNC_WAIT_HINT
#undef CUDASYNC_EXPECT_TX
// clang-format on

}}}  // namespace cudasync::CUDASYNC_ABI::ptx

#endif
