// Misuse with <cuda/pipeline>, <cudasync/tensor_cores.h>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/pipeline>
#include <cudasync/tensor_cores.h>

// misuse: accumulators_for_no_warps
// A ring has consumers.
// ERROR: accumulator_pipeline<n, consumers>: a ring needs consumers; give consumer_warps<1> or more
using results = cudasync::accumulator_pipeline<2, cudasync::consumer_warps<0>>;  // wrong
using results = cudasync::accumulator_pipeline<2, cudasync::consumer_warps<4>>;  // right

static_assert(sizeof(results) != 0);

// misuse: accumulators_for_threads
// tcgen05.ld is executed by warps.
// ERROR: accumulator_pipeline<n, consumers>: tcgen05.ld is an instruction of a warp; give consumer_warps<n>
using results = cudasync::accumulator_pipeline<2, cudasync::consumer_threads<128>>;  // wrong
using results = cudasync::accumulator_pipeline<2, cudasync::consumer_warps<4>>;      // right

static_assert(sizeof(results) != 0);

// misuse: accumulators_of_four_blocks
// Two blocks share tensor cores.
// ERROR: accumulator_pipeline<n, consumers, blocks>: tensor cores multiply for one block or for a pair; give 1 or 2
using results = cudasync::accumulator_pipeline<2, cudasync::consumer_warps<4>, 4>;  // wrong
using results = cudasync::accumulator_pipeline<2, cudasync::consumer_warps<4>, 2>;  // right

static_assert(sizeof(results) != 0);

// misuse: eight_pending_groups
// wgmma.wait_group takes up to seven groups.
// ERROR: consumer_warpgroups<n, pending>: wgmma.wait_group takes at most 7 pending groups; give 0 to 7
using ring = cudasync::bulk_pipeline<12, cudasync::consumer_warpgroups<2, 8>>;  // wrong
using ring = cudasync::bulk_pipeline<12, cudasync::consumer_warpgroups<2, 7>>;  // right

static_assert(sizeof(ring) != 0);

// misuse: init_accumulators_by_one_block
// The blocks of a pair arrive in each other's memory.
// ERROR: accumulator_pipeline::init needs a group of the whole cluster, because the blocks of a pair arrive in each other's memory; pass this_cluster\(\)
// ARCHS: 100a
using results = cudasync::accumulator_pipeline<2, cudasync::consumer_warps<4>, 2>;

__device__ void misuse(results& accumulators) {
  accumulators.init(cudasync::this_thread_block());  // wrong
  accumulators.init(cudasync::this_cluster());       // right
}

// misuse: no_accumulators
// A ring has an accumulator.
// ERROR: accumulator_pipeline<n, consumers>: a ring has at least one stage
using results = cudasync::accumulator_pipeline<0, cudasync::consumer_warps<4>>;  // wrong
using results = cudasync::accumulator_pipeline<2, cudasync::consumer_warps<4>>;  // right

static_assert(sizeof(results) != 0);

// misuse: no_stage_to_release
// A ring of two stages is full when two of them are being read.
// ERROR: bulk_pipeline<n, consumer_warpgroups<m, pending>>: the ring would fill up with stages that are not released; give more stages than pending ones
// COMPILERS: nvrtc nvcc
using ring = cudasync::bulk_pipeline<2, cudasync::consumer_warpgroups<2, 2>>;  // wrong
using ring = cudasync::bulk_pipeline<3, cudasync::consumer_warpgroups<2, 2>>;  // right

using state = ring::consumer_state;

static_assert(sizeof(state) != 0);

// misuse: pair_of_three_blocks
// A cluster of pairs has an even number of blocks.
// ERROR: bulk_pipeline<n, consumer_mma_pair, blocks>: pairs need a cluster of an even number of blocks
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_mma_pair>;     // wrong
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_mma_pair, 2>;  // right

static_assert(sizeof(ring) != 0);

// common:
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warpgroups<2>>;

// misuse: advance_by_warpgroups
// consumer_commit goes to the next stage.
// ERROR: has no member "advance"
// ARCHS: 90a
__device__ void misuse(ring& pipe, ring::consumer_state& at) {
  pipe.consumer_commit(at);
  at.advance();  // wrong
  at.skip(1);    // right
}

// misuse: release_by_warpgroups
// The reads of wgmma may be under way when a warpgroup releases a stage by consumer_release.
// ERROR: bulk_pipeline::consumer_release: the reads of tensor cores may be under way; call consumer_commit
// ARCHS: 90a
// COMPILERS: nvrtc nvcc
__device__ void misuse(ring& pipe, ring::consumer_state& at) {
  pipe.consumer_release(at);  // wrong
  pipe.consumer_commit(at);   // right
}

// common:
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_mma_pair, 2>;

// misuse: bytes_for_pair
// The bytes of a copy without a tensor map complete in the block that they are copied to.
// ERROR: bulk_pipeline::copy of bytes cannot complete in the other block of a pair; copy boxes of a tensor map
// ARCHS: 100a
__device__ void misuse(ring& pipe, ring::producer_state at, float* stage, [[maybe_unused]] const CUtensorMap* map,
                       [[maybe_unused]] const float* source) {
  pipe.copy(at, stage, source, cuda::aligned_size_t<16>(1024));  // wrong
  pipe.copy(at, stage, map, {0, 0});                             // right
}

// misuse: mma_pair_without_tcgen05
// Only sm_100a, sm_103a, sm_110a and their families have tcgen05.
// ERROR: consumer_mma and consumer_mma_pair need tcgen05, which only sm_100a, sm_103a, sm_110a and their families have; compile with -gencode arch=compute_100a,code=sm_100a, and use consumer_warpgroups on sm_90a
// ARCHS: 90a 120a
__device__ void misuse([[maybe_unused]] ring& pipe, [[maybe_unused]] ring::consumer_state& at) {
  pipe.consumer_commit(at);  // wrong
  pipe.consumer_wait(at);    // right
}

// common:
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_mma>;

// misuse: mma_without_tcgen05
// Only sm_100a, sm_103a, sm_110a and their families have tcgen05.
// ERROR: consumer_mma and consumer_mma_pair need tcgen05, which only sm_100a, sm_103a, sm_110a and their families have; compile with -gencode arch=compute_100a,code=sm_100a, and use consumer_warpgroups on sm_90a
// ARCHS: 90a 100 120a
__device__ void misuse([[maybe_unused]] ring& pipe, [[maybe_unused]] ring::consumer_state& at) {
  pipe.consumer_commit(at);  // wrong
  pipe.consumer_wait(at);    // right
}

// misuse: release_by_mma
// tcgen05.commit releases a stage, and not the thread.
// ERROR: bulk_pipeline::consumer_release: the reads of tensor cores may be under way; call consumer_commit
// ARCHS: 100a
__device__ void misuse(ring& pipe, ring::consumer_state& at) {
  pipe.consumer_release(at);  // wrong
  pipe.consumer_commit(at);   // right
}

// common:
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warpgroups<2>>;

__device__ void misuse([[maybe_unused]] ring& pipe, [[maybe_unused]] ring::consumer_state& at) {
  // misuse: commit_without_wgmma
  // Only sm_90a has wgmma.
  // ERROR: consumer_warpgroups needs wgmma, which only sm_90a has; compile with -gencode arch=compute_90a,code=sm_90a
  // ARCHS: 90 100a 120a
  pipe.consumer_commit(at);  // wrong
  pipe.consumer_wait(at);    // right

  // misuse: finish_without_wgmma
  // Only sm_90a has wgmma.
  // ERROR: consumer_warpgroups needs wgmma, which only sm_90a has; compile with -gencode arch=compute_90a,code=sm_90a
  // ARCHS: 90 100a 120a
  pipe.consumer_finish(at);  // wrong
  pipe.consumer_wait(at);    // right
}

// common:
using results = cudasync::accumulator_pipeline<2, cudasync::consumer_warps<4>>;

__device__ void use([[maybe_unused]] results& accumulators, results::consumer_state& at) {
  // misuse: consumer_release_without_tcgen05
  // Only sm_100a, sm_103a, sm_110a and their families have tcgen05.
  // ERROR: accumulator_pipeline needs tcgen05, which only sm_100a, sm_103a, sm_110a and their families have; compile with -gencode arch=compute_100a,code=sm_100a
  // ARCHS: 90a 120a
  accumulators.consumer_release(at);  // wrong
  static_cast<void>(at.index());      // right

  // misuse: consumer_wait_without_tcgen05
  // Only sm_100a, sm_103a, sm_110a and their families have tcgen05.
  // ERROR: accumulator_pipeline needs tcgen05, which only sm_100a, sm_103a, sm_110a and their families have; compile with -gencode arch=compute_100a,code=sm_100a
  // ARCHS: 90a 120a
  accumulators.consumer_wait(at);  // wrong
  static_cast<void>(at.index());   // right
}

// common:
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_mma_pair, 2>;

__device__ void misuse(ring& pipe, ring::producer_state at, float* stage, const CUtensorMap* map) {
  // misuse: hint_for_pair
  // Copies for a pair have no cache hint.
  // ERROR: bulk_pipeline::copy for a pair of blocks takes no l2_cache_hint; leave it out
  // ARCHS: 100a
  pipe.copy(at, stage, map, {0, 0}, cudasync::l2_cache_hint::evict_first());  // wrong
  pipe.copy(at, stage, map, {0, 0});                                          // right

  // misuse: im2col_hint_for_pair
  // Copies of pixels for a pair have no cache hint.
  // ERROR: bulk_pipeline::copy_im2col for a pair of blocks takes no l2_cache_hint; leave it out
  // ARCHS: 100a
  pipe.copy_im2col(at, stage, map, {0, 7, 7, 1}, {1, 2}, cudasync::l2_cache_hint::evict_first());  // wrong
  pipe.copy_im2col(at, stage, map, {0, 7, 7, 1}, {1, 2});                                          // right

  // misuse: multicast_for_pair
  // Each block of a pair copies its part.
  // ERROR: bulk_pipeline::copy_to_blocks: each block of a pair copies its own part of a stage; call copy
  // ARCHS: 100a
  pipe.copy_to_blocks(at, stage, map, {0, 0}, 3);  // wrong
  pipe.copy(at, stage, map, {0, 0});               // right
}

// common:
using results = cudasync::accumulator_pipeline<2, cudasync::consumer_warps<4>>;

__device__ void use([[maybe_unused]] results& accumulators, results::producer_state& at) {
  // misuse: producer_acquire_without_tcgen05
  // Only sm_100a, sm_103a, sm_110a and their families have tcgen05.
  // ERROR: accumulator_pipeline needs tcgen05, which only sm_100a, sm_103a, sm_110a and their families have; compile with -gencode arch=compute_100a,code=sm_100a
  // ARCHS: 90a 120a
  accumulators.producer_acquire(at);  // wrong
  static_cast<void>(at.index());      // right

  // misuse: producer_commit_without_tcgen05
  // Only sm_100a, sm_103a, sm_110a and their families have tcgen05.
  // ERROR: accumulator_pipeline needs tcgen05, which only sm_100a, sm_103a, sm_110a and their families have; compile with -gencode arch=compute_100a,code=sm_100a
  // ARCHS: 90a 120a
  accumulators.producer_commit(at);  // wrong
  static_cast<void>(at.index());     // right

  // misuse: producer_tail_without_tcgen05
  // Only sm_100a, sm_103a, sm_110a and their families have tcgen05.
  // ERROR: accumulator_pipeline needs tcgen05, which only sm_100a, sm_103a, sm_110a and their families have; compile with -gencode arch=compute_100a,code=sm_100a
  // ARCHS: 90a 120a
  accumulators.producer_tail(at);  // wrong
  static_cast<void>(at.index());   // right
}
