// Causes of hangs: answers of a launch queue that are not requested or not released.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_EXPLAIN_QUEUE_DEVICE_H
#define CUDASYNC_HANG_EXPLAIN_QUEUE_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/hang/evidence_device.h>
#include <cudasync/hang/find_cause_device.h>
#include <cudasync/hang/record_data_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/hang/sentence_device.h>
#include <cudasync/ptx/special_registers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace checked {

using cluster_target = target::here_or_minimum<target::sm70>::type;

CUDASYNC_DEVICE uint32 blocks_of_cluster(target::sm70) {
  return 1;
}
CUDASYNC_DEVICE uint32 blocks_of_cluster(target::sm90) {
  return ptx::get_sreg_cluster_nctarank();
}
CUDASYNC_DEVICE uint32 rank_in_cluster(target::sm70) {
  return 0;
}
CUDASYNC_DEVICE uint32 rank_in_cluster(target::sm90) {
  return ptx::get_sreg_cluster_ctarank();
}

// The record of another block of the cluster for the barrier at this address. Null if there is none.
inline __device__ __noinline__ const object_record* record_of_block(uint64 block, uint32 address) {
  const uint64 key = key_of(address, block);
  CUDASYNC_NO_UNROLL
  for (const object_record& each : objects)
    if (read_far(each.key) == key) return &each;
  return nullptr;
}

inline __device__ __noinline__ site last_call_in_block(uint64 block, uint32 rank) {
  const uint32 owner = tag_of(owner_of(block)) << 5 | rank / 32;
  site found{0};
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < CUDASYNC_CHECKED_WARPS && found.bits == 0; ++index)
    found = last_call(warps[index], owner, rank % 32);
  return found;
}

// How often the consumers of each block of the cluster have released an answer: the least and the most often.
struct releases_of_cluster {
  uint64 block;  // that has released it least often
  uint64 other;  // that has released it most often
  uint32 fewest;
  uint32 most;
  uint32 rank;  // of a consumer of the block that has released it less often than that of the other block
};

inline __device__ __noinline__ uint32 releases_by(const object_record* record, uint32 rank) {
  return record != nullptr ? arrivals_of(*record, rank) : 0;
}

inline __device__ __noinline__ void count_releases(releases_of_cluster& found, uint32 address) {
  const uint64 first = block_number() - rank_in_cluster(cluster_target{});
  found = {first, first, ~uint32{0}, 0, 0};
  CUDASYNC_NO_UNROLL
  for (uint32 block = 0; block < blocks_of_cluster(cluster_target{}); ++block) {
    const object_record* const record = record_of_block(first + block, address);
    const uint32 releases = record != nullptr ? total_arrivals(*record) : 0;
    if (releases < found.fewest) {
      found.block = first + block;
      found.fewest = releases;
    }
    if (releases >= found.most) {
      found.other = first + block;
      found.most = releases;
    }
  }
  const object_record* const less = record_of_block(found.block, address);
  const object_record* const more = record_of_block(found.other, address);
  CUDASYNC_NO_UNROLL
  while (found.rank < threads_of_block() - 1 && releases_by(less, found.rank) >= releases_by(more, found.rank))
    ++found.rank;
}

inline __device__ __noinline__ void explain_queue(cause why) {
  if (why == cause::answer_not_requested)
    return say("{C}no thread has requested this answer"
               "{R}let one thread of the first block of the cluster call run_scheduler, or call request before each of "
               "its calls of next{.}");
  const waiting_group& scheduler = *waiting_scheduler();
  releases_of_cluster found;
  count_releases(found, static_cast<uint32>(scheduler.what.address()));
  record_number(number::stage, scheduler.what.stage());
  record_number(number::releases, found.most);
  record_number(number::fewest_releases, found.fewest);
  record_number(number::block, found.block);
  say("{C}the scheduler waits at {f} until the consumers of all blocks have released answer {n}", scheduler.from,
      scheduler.what.stage());
  if (found.fewest != found.most) {
    say(": block {b} has released it {n} {time|times}, and block {b} {n} {time|times}", found.other, found.most,
        found.block, found.fewest);
    const uint64 from = last_call_in_block(found.block, found.rank).bits;
    if (from != 0) say(" (last call of thread {n} of block {b}: {f})", found.rank, found.block, from);
  } else {
    say(": every block has released it {n} {time|times}", found.most);
  }
  say("{R}let each consumer of every block call next until its state is done, and make the queue for the number of "
      "consumers that call it{.}");
}

}  // namespace checked
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
