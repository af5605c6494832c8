// A ring whose stages wgmma reads: each stage is released after a wait for these reads, without a fence.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90a
// NVCC: 90a
// TODO: by hand it takes 73 and 74 instructions. The state counts its stages in a register, instead of a predicate.
// LIMIT: commit sm_90 75
// LIMIT: commit_by_hand sm_90 73
// LIMIT: commit_in_cluster sm_90 79
// LIMIT: commit_in_cluster_by_hand sm_90 74
// The SASS of the kernels, in the order of their names:
// SASS-LABEL: commit:
// SASS: WARPGROUP.DEPBAR.LE gsb0, 0x1
// SASS-NOT: MEMBAR
// SASS: SYNCS.ARRIVE.TRANS64
// SASS: WARPGROUP.DEPBAR.LE gsb0, 0x0
// SASS-LABEL: commit_in_cluster:
// SASS: WARPGROUP.DEPBAR.LE gsb0, 0x1
// SASS-NOT: MEMBAR
// SASS: SYNCS.ARRIVE.TRANS64.RED
#include <cuda/pipeline>
#include <cudasync/tensor_cores.h>

constexpr unsigned stages = 4;
constexpr unsigned blocks = 2;
using ring = cudasync::bulk_pipeline<stages, cudasync::consumer_warpgroups<2>>;
using cluster_ring = cudasync::bulk_pipeline<stages, cudasync::consumer_warpgroups<2>, blocks>;

__device__ unsigned address_of(const void* object) {
  return static_cast<unsigned>(__cvta_generic_to_shared(object));
}
__device__ unsigned lane() {
  unsigned id;
  asm("mov.u32 %0, %%laneid;" : "=r"(id));
  return id;
}

// Reads a stage: A and B are the same here.
__device__ void hand_multiply(float (&sums)[4], unsigned stage) {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile("{ .reg .pred add; setp.eq.u32 add, 0, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %4, add, 1, 1, 0, 0; }"
               : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
               : "l"(0x4000004000010000ull + 64 * stage)
               : "memory");
}
__device__ void keep(const float (&sums)[4], float* out) {
  for (int index = 0; index < 4; ++index)
    out[threadIdx.x * 4 + index] = sums[index];
}

__device__ void hand_wait_for(unsigned bar, unsigned parity) {
  asm volatile(
      "{ .reg .pred done;\nagain: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n@done bra through;\nbra "
      "again;\nthrough: }" ::"r"(bar),
      "r"(parity)
      : "memory");
}
__device__ void hand_commit_group() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int Pending>
__device__ void hand_await_groups() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}
__device__ void hand_arrive_on(unsigned bar) {
  [[maybe_unused]] unsigned long long state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(bar) : "memory");
}
__device__ void hand_arrive_in_block(unsigned bar, unsigned block) {
  asm volatile(
      "{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; mbarrier.arrive.relaxed.cluster.shared::cluster."
      "b64 _, [there], 1; }" ::"r"(bar),
      "r"(block)
      : "memory");
}

// By hand: four full barriers, then four empty ones. The stage before this one is released.
template <class Release>
__device__ void hand_consume(unsigned bars, unsigned count, float* out, Release release) {
  float sums[4] = {};
  unsigned stage = 0, parity = 0;
  bool has_before = false;
#pragma unroll 1
  for (unsigned tile = 0; tile < count; ++tile) {
    hand_wait_for(bars + 8 * stage, parity);
    hand_multiply(sums, stage);
    hand_commit_group();
    if (has_before) {
      hand_await_groups<1>();
      release(bars + 8 * (stages + (stage == 0 ? stages - 1 : stage - 1)));
    }
    has_before = true;
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
  hand_await_groups<0>();
  if (has_before) release(bars + 8 * (stages + (stage == 0 ? stages - 1 : stage - 1)));
  keep(sums, out);
}

template <class Ring>
__device__ void consume(Ring& pipe, unsigned count, float* out) {
  float sums[4] = {};
  typename Ring::consumer_state at;
#pragma unroll 1
  for (unsigned tile = 0; tile < count; ++tile) {
    pipe.consumer_wait(at);
    hand_multiply(sums, at.index());
    pipe.consumer_commit(at);
  }
  pipe.consumer_finish(at);
  keep(sums, out);
}

extern "C" {

// PTX-LABEL: .entry commit(
// PTX: wgmma.commit_group.sync.aligned;
// PTX: wgmma.wait_group.sync.aligned 1;
// PTX-NOT: fence
// PTX: selp.b32 {{.*}}, 24, -8,
// PTX: mbarrier.arrive.shared.b64
// PTX-LABEL: .entry commit_by_hand(
__global__ void commit(unsigned count, float* out) {
  __shared__ ring pipe;
  consume(pipe, count, out);
}
__global__ void commit_by_hand(unsigned count, float* out) {
  __shared__ ring pipe;
  hand_consume(address_of(&pipe), count, out, [](unsigned bar) {
    if (lane() == 0) hand_arrive_on(bar);
  });
}

// PTX-LABEL: .entry commit_in_cluster(
// PTX: wgmma.wait_group.sync.aligned 1;
// PTX-NOT: fence
// PTX: selp.b32 {{.*}}, 24, -8,
// PTX: mov.{{[bu]}}32 [[ONE:%r[0-9]+]], 1;
// PTX: mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [{{.*}}], [[ONE]];
// PTX-LABEL: .entry commit_in_cluster_by_hand(
__global__ void commit_in_cluster(unsigned count, float* out) {
  __shared__ cluster_ring pipe;
  consume(pipe, count, out);
}
__global__ void commit_in_cluster_by_hand(unsigned count, float* out) {
  __shared__ cluster_ring pipe;
  hand_consume(address_of(&pipe), count, out, [](unsigned bar) {
    if (lane() < blocks) hand_arrive_in_block(bar, lane());
  });
}

}  // extern "C"
