// Each function of ptx/mbarrier.h is exactly its instruction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 80+
// NVCC: 80 90
#include <cudasync/ptx/mbarrier.h>

using cudasync::uint32;
using cudasync::uint64;
using namespace cudasync::ptx;

// PTX-LABEL: .entry init(
// PTX: mbarrier.init.shared.b64 [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: mbarrier
extern "C" __global__ void init(uint32 bar, uint32 count) {
  mbarrier_init({bar}, count);
}

// PTX-LABEL: .entry inval(
// PTX: mbarrier.inval.shared.b64 [{{%r[0-9]+}}];
// PTX-NOT: mbarrier
extern "C" __global__ void inval(uint32 bar) {
  mbarrier_inval({bar});
}

// PTX-LABEL: .entry arrive(
// PTX: mbarrier.arrive.shared.b64 {{%rd[0-9]+}}, [{{%r[0-9]+}}];
// PTX-NOT: mbarrier
extern "C" __global__ void arrive(uint32 bar, uint64* out) {
  *out = mbarrier_arrive({bar});
}

// PTX-LABEL: .entry arrive_no_complete(
// PTX: mbarrier.arrive.noComplete.shared.b64 {{%rd[0-9]+}}, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: mbarrier
extern "C" __global__ void arrive_no_complete(uint32 bar, uint32 count, uint64* out) {
  *out = mbarrier_arrive_no_complete({bar}, count);
}

// PTX-LABEL: .entry arrive_drop(
// PTX: mbarrier.arrive_drop.shared.b64 {{%rd[0-9]+}}, [{{%r[0-9]+}}];
// PTX-NOT: mbarrier
extern "C" __global__ void arrive_drop(uint32 bar, uint64* out) {
  *out = mbarrier_arrive_drop({bar});
}

// PTX-LABEL: .entry pending_count(
// PTX: mbarrier.pending_count.b64 {{%r[0-9]+}}, {{%rd[0-9]+}};
// PTX-NOT: mbarrier
extern "C" __global__ void pending_count(const uint64* state, uint32* out) {
  *out = mbarrier_pending_count(*state);
}

// PTX-LABEL: .entry test_wait(
// PTX: mbarrier.test_wait.shared.b64 complete, [{{%r[0-9]+}}], {{%rd[0-9]+}};
// PTX-NOT: mbarrier
extern "C" __global__ void test_wait(uint32 bar, const uint64* state, bool* out) {
  *out = mbarrier_test_wait({bar}, *state);
}

// PTX-LABEL: .entry test_wait_parity(
// PTX: mbarrier.test_wait.parity.shared.b64 complete, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: mbarrier
extern "C" __global__ void test_wait_parity(uint32 bar, uint32 parity, bool* out) {
  *out = mbarrier_test_wait_parity({bar}, parity);
}

// PTX-LABEL: .entry test_wait_until(
// PTX: again: mbarrier.test_wait.shared.b64 complete, [{{%r[0-9]+}}], {{%rd[0-9]+}};
// PTX-NEXT: @complete bra through;
// PTX-NEXT: bra again;
// PTX-NOT: mbarrier
extern "C" __global__ void test_wait_until(uint32 bar, const uint64* state, bool* out) {
  *out = mbarrier_test_wait_until({bar}, *state);
}

// PTX-LABEL: .entry test_wait_until_time(
// PTX: again: mbarrier.test_wait.shared.b64 complete, [{{%r[0-9]+}}], {{%rd[0-9]+}};
// PTX-NEXT: @complete bra through;
// PTX-NEXT: mov.u64 now, %globaltimer;
// PTX-NEXT: setp.lt.u64 early, now, {{%rd[0-9]+}};
// PTX-NEXT: @early bra again;
// PTX-NOT: mbarrier
extern "C" __global__ void test_wait_until_time(uint32 bar, const uint64* state, uint64 time, bool* out) {
  *out = mbarrier_test_wait_until_time({bar}, *state, time);
}

// PTX-LABEL: .entry test_wait_until_parity(
// PTX: again: mbarrier.test_wait.parity.shared.b64 complete, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NEXT: @complete bra through;
// PTX-NEXT: bra again;
// PTX-NOT: mbarrier
extern "C" __global__ void test_wait_until_parity(uint32 bar, uint32 parity, bool* out) {
  *out = mbarrier_test_wait_until_parity({bar}, parity);
}

// PTX-LABEL: .entry test_wait_until_time_parity(
// PTX: again: mbarrier.test_wait.parity.shared.b64 complete, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NEXT: @complete bra through;
// PTX-NEXT: mov.u64 now, %globaltimer;
// PTX-NEXT: setp.lt.u64 early, now, {{%rd[0-9]+}};
// PTX-NEXT: @early bra again;
// PTX-NOT: mbarrier
extern "C" __global__ void test_wait_until_time_parity(uint32 bar, uint32 parity, uint64 time, bool* out) {
  *out = mbarrier_test_wait_until_time_parity({bar}, parity, time);
}

// PTX-LABEL: .entry ours_branch_on_test_wait(
// The predicate that leaves the assembly as an integer costs nothing where it is branched on.
extern "C" __global__ void ours_branch_on_test_wait(uint32 bar, uint32 parity, int* out) {
  if (mbarrier_test_wait_parity({bar}, parity)) *out = 1;
}
extern "C" __global__ void hand_branch_on_test_wait(uint32 bar, uint32 parity, int* out) {
  asm volatile(
      "{ .reg .pred done; mbarrier.test_wait.parity.shared.b64 done, [%0], %1; @done st.u32 [%2], 1; }" ::"r"(bar),
      "r"(parity), "l"(__cvta_generic_to_global(out))
      : "memory");
}

#if __CUDA_ARCH__ >= 900

// PTX-SM90+-LABEL: .entry arrive_count(
// PTX-SM90+: mbarrier.arrive.shared.b64 {{%rd[0-9]+}}, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-SM90+-NOT: mbarrier
extern "C" __global__ void arrive_count(uint32 bar, uint32 count, uint64* out) {
  *out = mbarrier_arrive({bar}, count);
}

// PTX-SM90+-LABEL: .entry arrive_drop_count(
// PTX-SM90+: mbarrier.arrive_drop.shared.b64 {{%rd[0-9]+}}, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-SM90+-NOT: mbarrier
extern "C" __global__ void arrive_drop_count(uint32 bar, uint32 count, uint64* out) {
  *out = mbarrier_arrive_drop({bar}, count);
}

// PTX-SM90+-LABEL: .entry arrive_expect_tx(
// PTX-SM90+: mbarrier.arrive.expect_tx.shared.b64 {{%rd[0-9]+}}, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-SM90+-NOT: mbarrier
extern "C" __global__ void arrive_expect_tx(uint32 bar, uint32 tx_count, uint64* out) {
  *out = mbarrier_arrive_expect_tx({bar}, tx_count);
}

// PTX-SM90+-LABEL: .entry arrive_drop_expect_tx(
// PTX-SM90+: mbarrier.arrive_drop.expect_tx.shared.b64 {{%rd[0-9]+}}, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-SM90+-NOT: mbarrier
extern "C" __global__ void arrive_drop_expect_tx(uint32 bar, uint32 tx_count, uint64* out) {
  *out = mbarrier_arrive_drop_expect_tx({bar}, tx_count);
}

// PTX-SM90+-LABEL: .entry expect_tx(
// PTX-SM90+: mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-SM90+-NOT: mbarrier
extern "C" __global__ void expect_tx(uint32 bar, uint32 tx_count) {
  mbarrier_expect_tx({bar}, tx_count);
}

// PTX-SM90+-LABEL: .entry complete_tx(
// PTX-SM90+: mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-SM90+-NOT: mbarrier
extern "C" __global__ void complete_tx(uint32 bar, uint32 tx_count) {
  mbarrier_complete_tx({bar}, tx_count);
}

// PTX-SM90+-LABEL: .entry try_wait(
// PTX-SM90+: mbarrier.try_wait.shared.b64 complete, [{{%r[0-9]+}}], {{%rd[0-9]+}};
// PTX-SM90+-NOT: mbarrier
extern "C" __global__ void try_wait(uint32 bar, const uint64* state, bool* out) {
  *out = mbarrier_try_wait({bar}, *state);
}

// PTX-SM90+-LABEL: .entry try_wait_limited(
// PTX-SM90+: mbarrier.try_wait.shared.b64 complete, [{{%r[0-9]+}}], {{%rd[0-9]+}}, {{%r[0-9]+}};
// PTX-SM90+-NOT: mbarrier
extern "C" __global__ void try_wait_limited(uint32 bar, const uint64* state, uint32 suspend_ns, bool* out) {
  *out = mbarrier_try_wait({bar}, *state, suspend_ns);
}

// PTX-SM90+-LABEL: .entry try_wait_parity(
// PTX-SM90+: mbarrier.try_wait.parity.shared.b64 complete, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-SM90+-NOT: mbarrier
// SASS-SM90+-LABEL: try_wait_parity:
// SASS-SM90+: SYNCS.PHASECHK.TRANS64.TRYWAIT
extern "C" __global__ void try_wait_parity(uint32 bar, uint32 parity, bool* out) {
  *out = mbarrier_try_wait_parity({bar}, parity);
}

// PTX-SM90+-LABEL: .entry try_wait_parity_limited(
// PTX-SM90+: mbarrier.try_wait.parity.shared.b64 complete, [{{%r[0-9]+}}], {{%r[0-9]+}}, {{%r[0-9]+}};
// PTX-SM90+-NOT: mbarrier
extern "C" __global__ void try_wait_parity_limited(uint32 bar, uint32 parity, uint32 suspend_ns, bool* out) {
  *out = mbarrier_try_wait_parity({bar}, parity, suspend_ns);
}

// PTX-SM90+-LABEL: .entry test_wait_until_time_cluster(
// PTX-SM90+: again: mbarrier.test_wait.acquire.cluster.shared.b64 complete, [{{%r[0-9]+}}], {{%rd[0-9]+}};
// PTX-SM90+-NEXT: @complete bra through;
// PTX-SM90+-NEXT: mov.u64 now, %globaltimer;
// PTX-SM90+-NEXT: setp.lt.u64 early, now, {{%rd[0-9]+}};
// PTX-SM90+-NEXT: @early bra again;
// PTX-SM90+-NOT: mbarrier
extern "C" __global__ void test_wait_until_time_cluster(uint32 bar, const uint64* state, uint64 time, bool* out) {
  *out = mbarrier_test_wait_until_time_cluster({bar}, *state, time);
}

// PTX-SM90+-LABEL: .entry try_wait_until_parity(
// PTX-SM90+: again: mbarrier.try_wait.parity.shared.b64 complete, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-SM90+-NEXT: @complete bra through;
// PTX-SM90+-NEXT: bra again;
// PTX-SM90+-NOT: mbarrier
extern "C" __global__ void try_wait_until_parity(uint32 bar, uint32 parity, bool* out) {
  *out = mbarrier_try_wait_until_parity({bar}, parity);
}

// PTX-SM90+-LABEL: .entry test_wait_until_time_cluster_parity(
// PTX-SM90+: again: mbarrier.test_wait.parity.acquire.cluster.shared.b64 complete, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-SM90+-NEXT: @complete bra through;
// PTX-SM90+-NEXT: mov.u64 now, %globaltimer;
// PTX-SM90+-NEXT: setp.lt.u64 early, now, {{%rd[0-9]+}};
// PTX-SM90+-NEXT: @early bra again;
// PTX-SM90+-NOT: mbarrier
extern "C" __global__ void test_wait_until_time_cluster_parity(uint32 bar, uint32 parity, uint64 time, bool* out) {
  *out = mbarrier_test_wait_until_time_cluster_parity({bar}, parity, time);
}

#endif
