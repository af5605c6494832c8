// A stage that tcgen05 reads is released by one instruction, and an accumulator costs a fence on each side.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 100a 103a
// NVCC: 100a
// The SASS of the kernels, in the order of their names:
// SASS-LABEL: ours_accumulate:
// SASS: UTCBAR
// SASS-LABEL: ours_commit:
// SASS: UTCBAR
// SASS-LABEL: ours_commit_to_blocks:
// SASS: UTCBAR.MULTICAST
// SASS-LABEL: ours_commit_to_pair:
// SASS: UTCBAR.2CTA.MULTICAST
// SASS-LABEL: ours_copy_for_pair:
// SASS: UTMALDG.2D.2CTA
// SASS-LABEL: ours_copy_pixels_for_pair:
// SASS: UTMALDG.4D.IM2COL.2CTA
// SASS-LABEL: ours_take:
// SASS-NOT: MEMBAR
// SASS: SYNCS.ARRIVE
// SASS-LABEL: take_in_pair:
// SASS-NOT: MEMBAR
// SASS: SYNCS.ARRIVE
#include <cuda/pipeline>
#include <cudasync/tensor_cores.h>

constexpr unsigned stages = 4;
using ring = cudasync::bulk_pipeline<stages, cudasync::consumer_mma>;
using ring_in_cluster = cudasync::bulk_pipeline<stages, cudasync::consumer_mma, 4>;
using pair_ring = cudasync::bulk_pipeline<stages, cudasync::consumer_mma_pair, 2>;
using results = cudasync::accumulator_pipeline<2, cudasync::consumer_warps<4>>;
using pair_results = cudasync::accumulator_pipeline<2, cudasync::consumer_warps<4>, 2>;

__device__ unsigned address_of(const void* object) {
  return static_cast<unsigned>(__cvta_generic_to_shared(object));
}
__device__ void hand_wait_for(unsigned bar, unsigned parity) {
  asm volatile(
      "{ .reg .pred done;\nagain: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n@done bra through;\nbra "
      "again;\nthrough: }" ::"r"(bar),
      "r"(parity)
      : "memory");
}
__device__ void hand_fence_before() {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}
__device__ void hand_fence_after() {
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}
__device__ void hand_commit_to(unsigned bar) {
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(bar) : "memory");
}

extern "C" {

// PTX-LABEL: .entry ours_commit(
// PTX: mbarrier.try_wait.parity
// PTX: tcgen05.fence::after_thread_sync;
// PTX: tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64
__global__ void ours_commit() {
  __shared__ ring pipe;
  ring::consumer_state at;
  pipe.consumer_wait(at);
  pipe.consumer_commit(at);
}
__global__ void hand_commit() {
  __shared__ ring pipe;
  const unsigned bars = address_of(&pipe);
  hand_wait_for(bars, 0);
  hand_fence_after();
  hand_commit_to(bars + 8 * stages);
}

// PTX-LABEL: .entry ours_try(
// PTX: mbarrier.test_wait.parity
// PTX: tcgen05.fence::after_thread_sync;
// PTX-LABEL: .entry hand_try(
__global__ void ours_try(int* out) {
  __shared__ ring pipe;
  ring::consumer_state at;
  if (pipe.try_consumer_wait(at)) *out = 1;
}
__global__ void hand_try(int* out) {
  __shared__ ring pipe;
  unsigned done;
  asm volatile("{ .reg .pred done; mbarrier.test_wait.parity.shared.b64 done, [%1], %2; selp.u32 %0, 1, 0, done; }"
               : "=r"(done)
               : "r"(address_of(&pipe)), "r"(0)
               : "memory");
  hand_fence_after();
  if (done) *out = 1;
}

// PTX-LABEL: .entry ours_commit_to_blocks(
// PTX: mov.{{[bu]}}16 [[MASK:%rs[0-9]+]], 15;
// PTX: tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [{{.*}}], [[MASK]];
__global__ void ours_commit_to_blocks() {
  __shared__ ring_in_cluster pipe;
  ring_in_cluster::consumer_state at;
  pipe.consumer_commit(at);
}
// PTX-LABEL: .entry hand_commit_to_blocks(
__global__ void hand_commit_to_blocks() {
  __shared__ ring_in_cluster pipe;
  asm volatile(
      "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(
          address_of(&pipe) + 8 * stages),
      "h"(static_cast<short>(15))
      : "memory");
}

// PTX-LABEL: .entry ours_commit_to_pair(
// PTX: tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64
__global__ void ours_commit_to_pair() {
  __shared__ pair_ring pipe;
  pair_ring::consumer_state at;
  pipe.consumer_commit(at);
}
__global__ void hand_commit_to_pair() {
  __shared__ pair_ring pipe;
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile(
      "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(
          address_of(&pipe) + 8 * stages),
      "h"(static_cast<short>(3 << (rank & ~1u)))
      : "memory");
}

// PTX-LABEL: .entry ours_copy_for_pair(
// PTX: mapa.shared::cluster.u32
// PTX: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2
__global__ void ours_copy_for_pair(const CUtensorMap* map) {
  __shared__ pair_ring pipe;
  alignas(128) __shared__ float stage[1024];
  pipe.copy(pair_ring::producer_state(), stage, map, {0, 8});
}
__global__ void hand_copy_for_pair(const CUtensorMap* map) {
  __shared__ pair_ring pipe;
  alignas(128) __shared__ float stage[1024];
  unsigned rank, bar;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(bar) : "r"(address_of(&pipe)), "r"(rank & ~1u));
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 [%0], [%1, "
      "{%3, %4}], [%2];" ::"r"(address_of(stage)),
      "l"(map), "r"(bar), "r"(0), "r"(8)
      : "memory");
}

// PTX-LABEL: .entry ours_copy_pixels_for_pair(
// PTX: mapa.shared::cluster.u32
// PTX: cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.cta_group::2
__global__ void ours_copy_pixels_for_pair(const CUtensorMap* map) {
  __shared__ pair_ring pipe;
  alignas(128) __shared__ float stage[1024];
  pipe.copy_im2col(pair_ring::producer_state(), stage, map, {0, 8, 9, 1}, {1, 2});
}
__global__ void hand_copy_pixels_for_pair(const CUtensorMap* map) {
  __shared__ pair_ring pipe;
  alignas(128) __shared__ float stage[1024];
  unsigned rank, bar;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(bar) : "r"(address_of(&pipe)), "r"(rank & ~1u));
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.cta_group::2 [%0], [%1, "
      "{%3, %4, %5, %6}], [%2], {%7, %8};" ::"r"(address_of(stage)),
      "l"(map), "r"(bar), "r"(0), "r"(8), "r"(9), "r"(1), "h"(static_cast<short>(1)), "h"(static_cast<short>(2))
      : "memory");
}

// PTX-LABEL: .entry ours_accumulate(
// PTX: tcgen05.fence::after_thread_sync;
// PTX: tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64
__global__ void ours_accumulate() {
  __shared__ results accumulators;
  results::producer_state at;
  accumulators.producer_acquire(at);
  accumulators.producer_commit(at);
}
__global__ void hand_accumulate() {
  __shared__ results accumulators;
  const unsigned bars = address_of(&accumulators);
  hand_wait_for(bars + 16, 1);
  hand_fence_after();
  hand_commit_to(bars);
}

// PTX-LABEL: .entry ours_take(
// PTX: tcgen05.fence::after_thread_sync;
// PTX: tcgen05.wait::ld.sync.aligned;
// PTX: tcgen05.fence::before_thread_sync;
// PTX: mbarrier.arrive.shared.b64
__global__ void ours_take() {
  __shared__ results accumulators;
  results::consumer_state at;
  accumulators.consumer_wait(at);
  accumulators.consumer_release(at);
}
__global__ void hand_take() {
  __shared__ results accumulators;
  const unsigned bars = address_of(&accumulators);
  hand_wait_for(bars, 0);
  hand_fence_after();
  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
  hand_fence_before();
  __syncwarp();
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  if (lane != 0) return;
  [[maybe_unused]] unsigned long long state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(bars + 16) : "memory");
}

// PTX-LABEL: .entry take_in_pair(
// PTX: tcgen05.wait::ld.sync.aligned;
// PTX: tcgen05.fence::before_thread_sync;
// PTX: mapa.shared::cluster.u32
// PTX: mov.{{[bu]}}32 [[ONE:%r[0-9]+]], 1;
// PTX: mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [{{.*}}], [[ONE]];
__global__ void take_in_pair() {
  __shared__ pair_results accumulators;
  pair_results::consumer_state at;
  accumulators.consumer_wait(at);
  accumulators.consumer_release(at);
}

}  // extern "C"
