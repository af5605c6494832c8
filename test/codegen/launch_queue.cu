// A queue of tiles needs no more instructions than hand-written PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 100a 103f 120a
// NVCC: 100a
// TODO: compiled by NVRTC, a cluster's consumer takes one instruction less by hand (work_in_cluster_by_hand), but four
// more registers; compiled by nvcc, as many.
// LIMIT: work_in_cluster sm_100+ 61
// LIMIT: work_in_cluster_by_hand sm_100+ 61
// The wait for an answer acquires at cluster scope, because another block has asked for it:
// PTX-LABEL: .entry work_in_cluster(
// PTX: mbarrier.try_wait.parity.acquire.cluster
// PTX-LABEL: .entry work_in_cluster_by_hand(
// The SASS of the kernels, in the order of their names:
// SASS-LABEL: ours_schedule:
// SASS: SYNCS.ARRIVE.TRANS64
// SASS: FENCE.VIEW.ASYNC.S
// SASS: UGETNEXTWORKID.SELFCAST
// SASS-LABEL: ours_schedule_cluster:
// SASS: SYNCS.ARRIVE.TRANS64.RED
// SASS: SYNCS.ARRIVE.TRANS64.RED
// SASS: UGETNEXTWORKID.BROADCAST
// SASS-LABEL: ours_work:
// SASS: SYNCS.PHASECHK.TRANS64.TRYWAIT
// SASS: LDS.128
// SASS-NOT: FENCE
// SASS-LABEL: work_in_cluster:
// SASS: SYNCS.PHASECHK.TRANS64.TRYWAIT
// SASS: LDS.128
// SASS: FENCE.VIEW.ASYNC.S
#include <cuda/work_stealing>

constexpr unsigned stages = 2;
constexpr unsigned warps = 3;
constexpr unsigned blocks = 2;

using queue = cudasync::launch_queue<stages, cudasync::consumer_warps<warps>>;
using cluster_queue = cudasync::launch_queue<stages, cudasync::consumer_warps<warps>, blocks>;

// --- The instructions ---

// A hand's queue: the responses, then the full barriers, then the empty ones.
struct alignas(16) hand_queue {
  unsigned long long responses[2 * stages];
  unsigned long long full[stages];
  unsigned long long empty[stages];
};
constexpr unsigned full_at = 16 * stages;
constexpr unsigned empty_at = 24 * stages;

struct position {
  unsigned index = 0, parity = 0;

  __device__ void advance() {
    const bool is_last = index + 1 == stages;
    index = is_last ? 0 : index + 1;
    parity ^= is_last ? 1 : 0;
  }
};

__device__ unsigned address_of(const void* object) {
  return static_cast<unsigned>(__cvta_generic_to_shared(object));
}

__device__ unsigned lane() {
  unsigned id;
  asm("mov.u32 %0, %%laneid;" : "=r"(id));
  return id;
}

__device__ unsigned block_rank() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

__device__ void hand_wait(unsigned bar, unsigned parity) {
  asm volatile("{ .reg .pred complete;\n"
               "again: mbarrier.try_wait.parity.shared.b64 complete, [%0], %1;\n"
               "@complete bra through;\nbra again;\nthrough: }" ::"r"(bar),
               "r"(parity)
               : "memory");
}

__device__ void hand_wait_in_cluster(unsigned bar, unsigned parity) {
  unsigned complete;
  do {
    asm volatile("{ .reg .pred complete; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 complete, [%1], %2; "
                 "selp.u32 %0, 1, 0, complete; }"
                 : "=r"(complete)
                 : "r"(bar), "r"(parity)
                 : "memory");
  } while (!complete);
}

__device__ bool hand_read(unsigned response, unsigned& tile) {
  unsigned canceled;
  asm volatile(
      "{ .reg .b128 response; .reg .pred canceled; .reg .u64 low, high; ld.shared.v2.b64 {low, high}, [%2]; "
      "mov.b128 response, {low, high}; "
      "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 canceled, response; selp.u32 %0, 1, 0, canceled; "
      "mov.u32 %1, 0xffffffff; "
      "@canceled clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %1, response; }"
      : "=r"(canceled), "=r"(tile)
      : "r"(response)
      : "memory");
  return canceled != 0;
}

__device__ bool hand_is_canceled(unsigned response) {
  unsigned canceled;
  asm volatile(
      "{ .reg .b128 response; .reg .pred canceled; .reg .u64 low, high; ld.shared.v2.b64 {low, high}, [%1]; "
      "mov.b128 response, {low, high}; "
      "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 canceled, response; selp.u32 %0, 1, 0, canceled; }"
      : "=r"(canceled)
      : "r"(response)
      : "memory");
  return canceled != 0;
}

__device__ void hand_fence() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

extern "C" {

// --- The scheduler ---

__global__ void ours_schedule() {
  __shared__ queue shared;
  shared.run_scheduler();
}
__global__ void hand_schedule() {
  __shared__ hand_queue shared;
  const unsigned base = address_of(&shared);
  position at;
  for (;;) {
    hand_wait(base + empty_at + 8 * at.index, at.parity ^ 1);
    hand_fence();
    const unsigned full = base + full_at + 8 * at.index;
    asm volatile("{ .reg .u64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], 16; }" ::"r"(full) : "memory");
    asm volatile(
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(
            base + 16 * at.index),
        "r"(full)
        : "memory");
    hand_wait(full, at.parity);
    if (!hand_is_canceled(base + 16 * at.index)) return;
    at.advance();
  }
}

__global__ void ours_schedule_cluster() {
  __shared__ cluster_queue shared;
  shared.run_scheduler();
}
__global__ void hand_schedule_cluster() {
  __shared__ hand_queue shared;
  const unsigned base = address_of(&shared);
  if (block_rank() != 0) return;
  position at;
  for (;;) {
    hand_wait_in_cluster(base + empty_at + 8 * at.index, at.parity ^ 1);
    const unsigned full = base + full_at + 8 * at.index;
    for (unsigned block = 0; block < blocks; ++block)
      asm volatile("{ .reg .u32 there; mapa.shared::cluster.u32 there, %0, %1; "
                   "mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.b64 _, [there], 16; }" ::"r"(full),
                   "r"(block)
                   : "memory");
    asm volatile(
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 "
        "[%0], [%1];" ::"r"(base + 16 * at.index),
        "r"(full)
        : "memory");
    hand_wait_in_cluster(full, at.parity);
    const bool is_canceled = hand_is_canceled(base + 16 * at.index);
    hand_fence();
    at.advance();
    if (!is_canceled) break;
  }
  for (unsigned stage = 0; stage < stages; ++stage, at.advance())
    hand_wait_in_cluster(base + empty_at + 8 * at.index, at.parity ^ 1);
}

// --- The consumers ---

__global__ void ours_work(float* out, unsigned tiles) {
  __shared__ queue shared;
  queue::consumer_state at(tiles);
  while (!at.is_done()) {
    out[at.index()] += 1;
    shared.next(at);
  }
}
__global__ void hand_work(float* out, unsigned tiles) {
  __shared__ hand_queue shared;
  const unsigned base = address_of(&shared);
  if (gridDim.x != tiles) __trap();
  position at;
  unsigned tile = blockIdx.x;
  if (tile >= tiles) return;
  for (;;) {
    out[tile] += 1;
    hand_wait(base + full_at + 8 * at.index, at.parity);
    const bool has_tile = hand_read(base + 16 * at.index, tile);
    __syncwarp();
    if (lane() == 0)
      asm volatile("{ .reg .u64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(base + empty_at + 8 * at.index)
                   : "memory");
    if (!has_tile) return;
    at.advance();
  }
}

__global__ void work_in_cluster(float* out, unsigned tiles) {
  __shared__ cluster_queue shared;
  cluster_queue::consumer_state at(tiles);
  while (!at.is_done()) {
    if (at.index() < tiles) out[at.index()] += 1;
    shared.next(at);
  }
}
__global__ void work_in_cluster_by_hand(float* out, unsigned tiles) {
  __shared__ hand_queue shared;
  const unsigned base = address_of(&shared);
  if (gridDim.x != (tiles + 1) / 2 * 2) __trap();
  position at;
  unsigned tile = blockIdx.x - block_rank();
  if (tile >= tiles) return;
  for (;;) {
    if (tile + block_rank() < tiles) out[tile + block_rank()] += 1;
    hand_wait_in_cluster(base + full_at + 8 * at.index, at.parity);
    const bool has_tile = hand_read(base + 16 * at.index, tile);
    hand_fence();
    __syncwarp();
    if (lane() == 0)
      asm volatile(
          "{ .reg .u32 there; mapa.shared::cluster.u32 there, %0, 0; "
          "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there], 1; }" ::"r"(base + empty_at + 8 * at.index)
          : "memory");
    if (!has_tile) return;
    at.advance();
  }
}

}  // extern "C"
