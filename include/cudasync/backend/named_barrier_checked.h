// The checked build's model of named barriers: who has arrived, twice or not at all. In other builds it is nothing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_NAMED_BARRIER_CHECKED_H
#define CUDASYNC_BACKEND_NAMED_BARRIER_CHECKED_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/backend/elect.h>
#include <cudasync/backend/hang_guard.h>
#include <cudasync/backend/word_device.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/special_registers.h>

// The hardware does not say who has arrived, and a warp that arrives twice counts as two. So the checked build keeps its
// own barriers, in 128 bytes of shared memory: for each id a word with the warps that have arrived (bits 31..0), their
// number less one that the first of them expects (36..32), the number of the phase (39..37), and a tag of the block in the
// upper bits. Shared memory comes uninitialized: a word whose tag is another block's counts as fresh.
namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

// A barrier's id and how many warps it expects; 0 for all of the block.
struct warp_count {
  uint32 id;
  uint32 warps;
};

#if CUDASYNC_CHECKED

CUDASYNC_DEVICE bool is_modelled(warp_count expected) {
  return expected.id != 0 && expected.warps != 0;
}

CUDASYNC_DEVICE uint64 tag_of_block() {
  const uint64 block = blockIdx.x + uint64{gridDim.x} * (blockIdx.y + uint64{gridDim.y} * blockIdx.z);
  const uint64 mixed = (block + (ptx::get_sreg_gridid() << 32) + 1) * 0x9e3779b97f4a7c15;
  return mixed & ~((uint64{1} << 40) - 1);
}

inline constexpr uint64 one_phase = uint64{1} << 37;

CUDASYNC_DEVICE uint32 phase_number(uint64 word) {
  return static_cast<uint32>(word / one_phase) & 7;
}
CUDASYNC_DEVICE uint32 expected_warps(uint64 word) {
  return (static_cast<uint32>(word >> 32) & 31) + 1;
}

inline __device__ uint64& word_of_named_barrier(uint32 id) {
  __shared__ uint64 words[16];
  return words[id % 16];
}

inline __device__ __noinline__ void report_named_barrier(const char* text, warp_count expected, uint64 word) {
  printf(
      "cudasync: named barrier %u: block (%u,%u,%u), thread (%u,%u,%u), for %u threads: %s (of the phase, the warps of "
      "mask 0x%x have come: %d threads)\n",
      expected.id, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z, 32 * expected.warps, text,
      static_cast<uint32>(word), 32 * __popc(static_cast<uint32>(word)));
  __nanosleep(1000000);  // lets others say theirs before the kernel ends
  __trap();
}

// For one thread of a warp. Returns the phase that the warp has arrived in.
inline __device__ __noinline__ uint32 model_arrival(warp_count expected) {
  constexpr target::sm70 here{};
  uint64& word = word_of_named_barrier(expected.id);
  const uint32 rank = rank_in_block() / 32;
  const uint64 tag = tag_of_block();
  const uint64 count = uint64{(expected.warps - 1) & 31} << 32;
  for (;;) {
    const uint64 found = load_relaxed<thread_scope_block>(here, word);
    uint64 before = found >> 40 == tag >> 40 ? found : tag;
    if (static_cast<uint32>(before) == 0) before = (before & ~(uint64{31} << 32)) | count;
    if (expected_warps(before) != expected.warps)
      report_named_barrier("warps of one phase expect different numbers of threads. Give all the same.", expected,
                           before);
    if ((static_cast<uint32>(before) >> rank & 1) != 0)
      report_named_barrier(
          "this warp arrives a second time before the phase completes. Let it wait for the other side.", expected,
          before);
    uint64 after = before | uint64{1} << rank;
    if (static_cast<uint32>(__popc(static_cast<uint32>(after))) == expected.warps)
      after = ((after >> 32) << 32) + one_phase - (phase_number(after) == 7 ? 8 * one_phase : 0);
    if (compare_exchange_release<thread_scope_block>(here, word, found, after)) return phase_number(before);
  }
}

// The warp converges first, as the instructions have it do. Exited threads do not count.
CUDASYNC_DEVICE bool is_leader_of_warp() {
  __syncwarp();  // orders what the others did before the leader's arrival
  return (__ballot_sync(0xffffffff, true) & ptx::get_sreg_lanemask_lt()) == 0;
}

inline __device__ __noinline__ void model_arrive(warp_count expected) {
  if (is_leader_of_warp()) static_cast<void>(model_arrival(expected));
  __syncwarp();
}

inline __device__ __noinline__ void model_sync(warp_count expected) {
  if (is_leader_of_warp()) {
    const uint64& word = word_of_named_barrier(expected.id);
    const uint32 phase = model_arrival(expected);
    const uint64 start = ptx::get_sreg_globaltimer();
    while (phase_number(load_acquire<thread_scope_block>(target::sm70{}, word)) == phase)
      if (ptx::get_sreg_globaltimer() - start >= hang_guard::limit)
        report_named_barrier(
            "it has waited too long: the others do not come. Compare the arrivals with the count, which "
            "all must name.",
            expected, load_acquire<thread_scope_block>(target::sm70{}, word));
  }
  __syncwarp();
}

#else

CUDASYNC_DEVICE constexpr bool is_modelled(warp_count) {
  return false;
}
CUDASYNC_DEVICE void model_arrive(warp_count) {}
CUDASYNC_DEVICE void model_sync(warp_count) {}

#endif

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA

#endif
