// Each function of ptx/mbarrier_qualified.h is exactly its instruction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90+
// NVCC: 90
// The SASS of some kernels, in the order of their names. To release or to acquire beyond the block takes instructions more:
// SASS-LABEL: arrive_relaxed_cluster:
// SASS-NOT: MEMBAR
// SASS: SYNCS.ARRIVE.TRANS64
// SASS-LABEL: arrive_release_cluster:
// SASS: MEMBAR.ALL.GPU
// SASS: SYNCS.ARRIVE.TRANS64
// SASS-LABEL: arrive_release_cta:
// SASS-NOT: MEMBAR
// SASS: SYNCS.ARRIVE.TRANS64
// SASS-LABEL: arrive_release_in_other_block:
// SASS: MEMBAR.ALL.GPU
// SASS: SYNCS.ARRIVE.TRANS64.RED
// SASS-LABEL: try_wait_acquire_cluster:
// SASS: SYNCS.PHASECHK.TRANS64.TRYWAIT
// SASS: CCTL.IVALL
// SASS-LABEL: try_wait_acquire_cta:
// SASS: SYNCS.PHASECHK.TRANS64.TRYWAIT
// SASS-NOT: CCTL
// SASS-LABEL: try_wait_acquire_cta_limited:
// SASS-LABEL: try_wait_parity_relaxed_cluster:
// SASS: SYNCS.PHASECHK.TRANS64.TRYWAIT
// SASS-NOT: CCTL
// SASS-LABEL: try_wait_parity_relaxed_cluster_limited:
#include <cudasync/ptx/mbarrier_qualified.h>
#include <cudasync/ptx/tags.h>

using cudasync::uint32;
using cudasync::uint64;
using namespace cudasync::ptx;

// --- Addresses ---

// PTX-LABEL: .entry map_address(
// PTX: mapa.shared::cluster.u32 {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void map_address(uint32 own, uint32 rank, uint32* out) {
  *out = mapa({own}, rank).value;
}

// PTX-LABEL: .entry rank_of_address(
// PTX: getctarank.shared::cluster.u32 {{%r[0-9]+}}, {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void rank_of_address(uint32 address, uint32* out) {
  *out = getctarank(cluster_address(address));
}

// --- Arrivals ---

// PTX-LABEL: .entry arrive_release_cta(
// PTX: mbarrier.arrive.release.cta.shared::cta.b64 {{%rd[0-9]+}}, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void arrive_release_cta(uint32 bar, uint32 count, uint64* out) {
  *out = mbarrier_arrive(sem_release, scope_cta, shared_address{bar}, count);
}

// PTX-LABEL: .entry arrive_release_cluster(
// PTX: mbarrier.arrive.release.cluster.shared::cta.b64 {{%rd[0-9]+}}, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void arrive_release_cluster(uint32 bar, uint32 count, uint64* out) {
  *out = mbarrier_arrive(sem_release, scope_cluster, shared_address{bar}, count);
}

// PTX-LABEL: .entry arrive_release_in_other_block(
// PTX: mbarrier.arrive.release.cluster.shared::cluster.b64 _, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void arrive_release_in_other_block(uint32 bar, uint32 count) {
  mbarrier_arrive(sem_release, scope_cluster, cluster_address(bar), count);
}

// PTX-LABEL: .entry arrive_expect_tx_release_cta(
// PTX: mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 {{%rd[0-9]+}}, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void arrive_expect_tx_release_cta(uint32 bar, uint32 bytes, uint64* out) {
  *out = mbarrier_arrive_expect_tx(sem_release, scope_cta, shared_address{bar}, bytes);
}

// PTX-LABEL: .entry arrive_expect_tx_release_cluster(
// PTX: mbarrier.arrive.expect_tx.release.cluster.shared::cta.b64 {{%rd[0-9]+}}, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void arrive_expect_tx_release_cluster(uint32 bar, uint32 bytes, uint64* out) {
  *out = mbarrier_arrive_expect_tx(sem_release, scope_cluster, shared_address{bar}, bytes);
}

// PTX-LABEL: .entry arrive_expect_tx_release_in_other_block(
// PTX: mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void arrive_expect_tx_release_in_other_block(uint32 bar, uint32 bytes) {
  mbarrier_arrive_expect_tx(sem_release, scope_cluster, cluster_address(bar), bytes);
}

// PTX-LABEL: .entry arrive_drop_release_cluster(
// PTX: mbarrier.arrive_drop.release.cluster.shared::cta.b64 {{%rd[0-9]+}}, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void arrive_drop_release_cluster(uint32 bar, uint32 count, uint64* out) {
  *out = mbarrier_arrive_drop(sem_release, scope_cluster, shared_address{bar}, count);
}

// PTX-LABEL: .entry arrive_drop_release_in_other_block(
// PTX: mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void arrive_drop_release_in_other_block(uint32 bar, uint32 count) {
  mbarrier_arrive_drop(sem_release, scope_cluster, cluster_address(bar), count);
}

// PTX-LABEL: .entry arrive_drop_expect_tx_release_cluster(
// PTX: mbarrier.arrive_drop.expect_tx.release.cluster.shared::cta.b64 {{%rd[0-9]+}}, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void arrive_drop_expect_tx_release_cluster(uint32 bar, uint32 bytes, uint64* out) {
  *out = mbarrier_arrive_drop_expect_tx(sem_release, scope_cluster, shared_address{bar}, bytes);
}

// PTX-LABEL: .entry arrive_relaxed_cta(
// PTX: mbarrier.arrive.relaxed.cta.shared::cta.b64 {{%rd[0-9]+}}, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void arrive_relaxed_cta(uint32 bar, uint32 count, uint64* out) {
  *out = mbarrier_arrive(sem_relaxed, scope_cta, shared_address{bar}, count);
}

// PTX-LABEL: .entry arrive_relaxed_cluster(
// PTX: mbarrier.arrive.relaxed.cluster.shared::cta.b64 {{%rd[0-9]+}}, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void arrive_relaxed_cluster(uint32 bar, uint32 count, uint64* out) {
  *out = mbarrier_arrive(sem_relaxed, scope_cluster, shared_address{bar}, count);
}

// PTX-LABEL: .entry arrive_relaxed_in_other_block(
// PTX: mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void arrive_relaxed_in_other_block(uint32 bar, uint32 count) {
  mbarrier_arrive(sem_relaxed, scope_cluster, cluster_address(bar), count);
}

// PTX-LABEL: .entry arrive_expect_tx_relaxed_cta(
// PTX: mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 {{%rd[0-9]+}}, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void arrive_expect_tx_relaxed_cta(uint32 bar, uint32 bytes, uint64* out) {
  *out = mbarrier_arrive_expect_tx(sem_relaxed, scope_cta, shared_address{bar}, bytes);
}

// PTX-LABEL: .entry arrive_expect_tx_relaxed_cluster(
// PTX: mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 {{%rd[0-9]+}}, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void arrive_expect_tx_relaxed_cluster(uint32 bar, uint32 bytes, uint64* out) {
  *out = mbarrier_arrive_expect_tx(sem_relaxed, scope_cluster, shared_address{bar}, bytes);
}

// PTX-LABEL: .entry arrive_expect_tx_relaxed_in_other_block(
// PTX: mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.b64 _, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void arrive_expect_tx_relaxed_in_other_block(uint32 bar, uint32 bytes) {
  mbarrier_arrive_expect_tx(sem_relaxed, scope_cluster, cluster_address(bar), bytes);
}

// --- Bytes ---

// PTX-LABEL: .entry expect_tx_cta(
// PTX: mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void expect_tx_cta(uint32 bar, uint32 bytes) {
  mbarrier_expect_tx(sem_relaxed, scope_cta, shared_address{bar}, bytes);
}

// PTX-LABEL: .entry expect_tx_cta_in_other_block(
// PTX: mbarrier.expect_tx.relaxed.cta.shared::cluster.b64 [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void expect_tx_cta_in_other_block(uint32 bar, uint32 bytes) {
  mbarrier_expect_tx(sem_relaxed, scope_cta, cluster_address(bar), bytes);
}

// PTX-LABEL: .entry expect_tx_cluster(
// PTX: mbarrier.expect_tx.relaxed.cluster.shared::cta.b64 [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void expect_tx_cluster(uint32 bar, uint32 bytes) {
  mbarrier_expect_tx(sem_relaxed, scope_cluster, shared_address{bar}, bytes);
}

// PTX-LABEL: .entry expect_tx_cluster_in_other_block(
// PTX: mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void expect_tx_cluster_in_other_block(uint32 bar, uint32 bytes) {
  mbarrier_expect_tx(sem_relaxed, scope_cluster, cluster_address(bar), bytes);
}

// --- Waits ---

// PTX-LABEL: .entry test_wait_acquire_cta(
// PTX: mbarrier.test_wait.acquire.cta.shared::cta.b64 complete, [{{%r[0-9]+}}], {{%rd[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void test_wait_acquire_cta(uint32 bar, const uint64* phase, bool* out) {
  *out = mbarrier_test_wait(sem_acquire, scope_cta, {bar}, *phase);
}

// PTX-LABEL: .entry test_wait_acquire_cluster(
// PTX: mbarrier.test_wait.acquire.cluster.shared::cta.b64 complete, [{{%r[0-9]+}}], {{%rd[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void test_wait_acquire_cluster(uint32 bar, const uint64* phase, bool* out) {
  *out = mbarrier_test_wait(sem_acquire, scope_cluster, {bar}, *phase);
}

// PTX-LABEL: .entry test_wait_parity_acquire_cta(
// PTX: mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 complete, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void test_wait_parity_acquire_cta(uint32 bar, uint32 phase, bool* out) {
  *out = mbarrier_test_wait_parity(sem_acquire, scope_cta, {bar}, phase);
}

// PTX-LABEL: .entry test_wait_parity_acquire_cluster(
// PTX: mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 complete, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void test_wait_parity_acquire_cluster(uint32 bar, uint32 phase, bool* out) {
  *out = mbarrier_test_wait_parity(sem_acquire, scope_cluster, {bar}, phase);
}

// PTX-LABEL: .entry try_wait_acquire_cta(
// PTX: mbarrier.try_wait.acquire.cta.shared::cta.b64 complete, [{{%r[0-9]+}}], {{%rd[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void try_wait_acquire_cta(uint32 bar, const uint64* phase, bool* out) {
  *out = mbarrier_try_wait(sem_acquire, scope_cta, {bar}, *phase);
}

// PTX-LABEL: .entry try_wait_acquire_cta_limited(
// PTX: mbarrier.try_wait.acquire.cta.shared::cta.b64 complete, [{{%r[0-9]+}}], {{%rd[0-9]+}}, {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void try_wait_acquire_cta_limited(uint32 bar, const uint64* phase, uint32 suspend_ns, bool* out) {
  *out = mbarrier_try_wait(sem_acquire, scope_cta, {bar}, *phase, suspend_ns);
}

// PTX-LABEL: .entry try_wait_acquire_cluster(
// PTX: mbarrier.try_wait.acquire.cluster.shared::cta.b64 complete, [{{%r[0-9]+}}], {{%rd[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void try_wait_acquire_cluster(uint32 bar, const uint64* phase, bool* out) {
  *out = mbarrier_try_wait(sem_acquire, scope_cluster, {bar}, *phase);
}

// PTX-LABEL: .entry try_wait_acquire_cluster_limited(
// PTX: mbarrier.try_wait.acquire.cluster.shared::cta.b64 complete, [{{%r[0-9]+}}], {{%rd[0-9]+}}, {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void try_wait_acquire_cluster_limited(uint32 bar, const uint64* phase, uint32 suspend_ns,
                                                            bool* out) {
  *out = mbarrier_try_wait(sem_acquire, scope_cluster, {bar}, *phase, suspend_ns);
}

// PTX-LABEL: .entry try_wait_parity_acquire_cta(
// PTX: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 complete, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void try_wait_parity_acquire_cta(uint32 bar, uint32 phase, bool* out) {
  *out = mbarrier_try_wait_parity(sem_acquire, scope_cta, {bar}, phase);
}

// PTX-LABEL: .entry try_wait_parity_acquire_cta_limited(
// PTX: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 complete, [{{%r[0-9]+}}], {{%r[0-9]+}}, {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void try_wait_parity_acquire_cta_limited(uint32 bar, uint32 phase, uint32 suspend_ns, bool* out) {
  *out = mbarrier_try_wait_parity(sem_acquire, scope_cta, {bar}, phase, suspend_ns);
}

// PTX-LABEL: .entry try_wait_parity_acquire_cluster(
// PTX: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 complete, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void try_wait_parity_acquire_cluster(uint32 bar, uint32 phase, bool* out) {
  *out = mbarrier_try_wait_parity(sem_acquire, scope_cluster, {bar}, phase);
}

// PTX-LABEL: .entry try_wait_parity_acquire_cluster_limited(
// PTX: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 complete, [{{%r[0-9]+}}], {{%r[0-9]+}}, {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void try_wait_parity_acquire_cluster_limited(uint32 bar, uint32 phase, uint32 suspend_ns,
                                                                   bool* out) {
  *out = mbarrier_try_wait_parity(sem_acquire, scope_cluster, {bar}, phase, suspend_ns);
}

// PTX-LABEL: .entry test_wait_relaxed_cta(
// PTX: mbarrier.test_wait.relaxed.cta.shared::cta.b64 complete, [{{%r[0-9]+}}], {{%rd[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void test_wait_relaxed_cta(uint32 bar, const uint64* phase, bool* out) {
  *out = mbarrier_test_wait(sem_relaxed, scope_cta, {bar}, *phase);
}

// PTX-LABEL: .entry test_wait_relaxed_cluster(
// PTX: mbarrier.test_wait.relaxed.cluster.shared::cta.b64 complete, [{{%r[0-9]+}}], {{%rd[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void test_wait_relaxed_cluster(uint32 bar, const uint64* phase, bool* out) {
  *out = mbarrier_test_wait(sem_relaxed, scope_cluster, {bar}, *phase);
}

// PTX-LABEL: .entry test_wait_parity_relaxed_cta(
// PTX: mbarrier.test_wait.parity.relaxed.cta.shared::cta.b64 complete, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void test_wait_parity_relaxed_cta(uint32 bar, uint32 phase, bool* out) {
  *out = mbarrier_test_wait_parity(sem_relaxed, scope_cta, {bar}, phase);
}

// PTX-LABEL: .entry test_wait_parity_relaxed_cluster(
// PTX: mbarrier.test_wait.parity.relaxed.cluster.shared::cta.b64 complete, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void test_wait_parity_relaxed_cluster(uint32 bar, uint32 phase, bool* out) {
  *out = mbarrier_test_wait_parity(sem_relaxed, scope_cluster, {bar}, phase);
}

// PTX-LABEL: .entry try_wait_relaxed_cta(
// PTX: mbarrier.try_wait.relaxed.cta.shared::cta.b64 complete, [{{%r[0-9]+}}], {{%rd[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void try_wait_relaxed_cta(uint32 bar, const uint64* phase, bool* out) {
  *out = mbarrier_try_wait(sem_relaxed, scope_cta, {bar}, *phase);
}

// PTX-LABEL: .entry try_wait_relaxed_cta_limited(
// PTX: mbarrier.try_wait.relaxed.cta.shared::cta.b64 complete, [{{%r[0-9]+}}], {{%rd[0-9]+}}, {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void try_wait_relaxed_cta_limited(uint32 bar, const uint64* phase, uint32 suspend_ns, bool* out) {
  *out = mbarrier_try_wait(sem_relaxed, scope_cta, {bar}, *phase, suspend_ns);
}

// PTX-LABEL: .entry try_wait_relaxed_cluster(
// PTX: mbarrier.try_wait.relaxed.cluster.shared::cta.b64 complete, [{{%r[0-9]+}}], {{%rd[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void try_wait_relaxed_cluster(uint32 bar, const uint64* phase, bool* out) {
  *out = mbarrier_try_wait(sem_relaxed, scope_cluster, {bar}, *phase);
}

// PTX-LABEL: .entry try_wait_relaxed_cluster_limited(
// PTX: mbarrier.try_wait.relaxed.cluster.shared::cta.b64 complete, [{{%r[0-9]+}}], {{%rd[0-9]+}}, {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void try_wait_relaxed_cluster_limited(uint32 bar, const uint64* phase, uint32 suspend_ns,
                                                            bool* out) {
  *out = mbarrier_try_wait(sem_relaxed, scope_cluster, {bar}, *phase, suspend_ns);
}

// PTX-LABEL: .entry try_wait_parity_relaxed_cta(
// PTX: mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 complete, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void try_wait_parity_relaxed_cta(uint32 bar, uint32 phase, bool* out) {
  *out = mbarrier_try_wait_parity(sem_relaxed, scope_cta, {bar}, phase);
}

// PTX-LABEL: .entry try_wait_parity_relaxed_cta_limited(
// PTX: mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 complete, [{{%r[0-9]+}}], {{%r[0-9]+}}, {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void try_wait_parity_relaxed_cta_limited(uint32 bar, uint32 phase, uint32 suspend_ns, bool* out) {
  *out = mbarrier_try_wait_parity(sem_relaxed, scope_cta, {bar}, phase, suspend_ns);
}

// PTX-LABEL: .entry try_wait_parity_relaxed_cluster(
// PTX: mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 complete, [{{%r[0-9]+}}], {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void try_wait_parity_relaxed_cluster(uint32 bar, uint32 phase, bool* out) {
  *out = mbarrier_try_wait_parity(sem_relaxed, scope_cluster, {bar}, phase);
}

// PTX-LABEL: .entry try_wait_parity_relaxed_cluster_limited(
// PTX: mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 complete, [{{%r[0-9]+}}], {{%r[0-9]+}}, {{%r[0-9]+}};
// PTX-NOT: {{mbarrier[.]|mapa|getctarank}}
extern "C" __global__ void try_wait_parity_relaxed_cluster_limited(uint32 bar, uint32 phase, uint32 suspend_ns,
                                                                   bool* out) {
  *out = mbarrier_try_wait_parity(sem_relaxed, scope_cluster, {bar}, phase, suspend_ns);
}
