// Evidence from the other blocks of the cluster: their records of a barrier at the same address.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_CLUSTER_DEVICE_H
#define CUDASYNC_HANG_CLUSTER_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/hang/evidence_device.h>
#include <cudasync/hang/object_table_device.h>
#include <cudasync/hang/record_data_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/hang/sentence_device.h>
#include <cudasync/ptx/special_registers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

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

// The number in the grid of the block of this rank in the cluster.
CUDASYNC_DEVICE uint64 block_of_cluster(target::sm70, uint32) {
  return block_number();
}
inline __device__ __noinline__ uint64 block_of_cluster(target::sm90, uint32 rank) {
  const uint32 columns = ptx::get_sreg_cluster_nctaid_x();
  const uint32 rows = ptx::get_sreg_cluster_nctaid_y();
  const uint64 column = ptx::get_sreg_ctaid_x() - ptx::get_sreg_cluster_ctaid_x() + rank % columns;
  const uint64 row = ptx::get_sreg_ctaid_y() - ptx::get_sreg_cluster_ctaid_y() + rank / columns % rows;
  const uint64 layer = ptx::get_sreg_ctaid_z() - ptx::get_sreg_cluster_ctaid_z() + rank / columns / rows;
  return column + gridDim.x * (row + gridDim.y * layer);
}

// Calls a function with the rank and the number of each block of the cluster, the last one first.
template <class Function>
CUDASYNC_DEVICE void for_each_block(Function function) {
  CUDASYNC_NO_UNROLL
  for (uint32 rank = blocks_of_cluster(cluster_target{}); rank-- != 0;)
    function(rank, block_of_cluster(cluster_target{}, rank));
}

// The record of a block of the cluster for the barrier at this address. Null if there is none.
inline __device__ __noinline__ const object_record* record_of_block(uint64 block, uint32 address) {
  const uint64 key = key_of(address, block);
  CUDASYNC_NO_UNROLL
  for (const object_record& each : objects)
    if (read_far(each.key) == key) return &each;
  return nullptr;
}

inline __device__ __noinline__ void add_wait(subject& found, uint64& from, const warp_record& warp, uint32 lane,
                                             bool is_meeting) {
  uint64 at;
  const subject what = wait_of_lane(warp, lane, at);
  if (what.bits == 0 || (what.what() == kind::group) != is_meeting) return;
  found = {in_this_block(cluster_target{}, what.bits)};
  from = at;
  if (is_meeting) report.idle.add(read_far(warp.owner) % 32 * 32 + lane);
}

// What the first polling thread of another block waits for, or no bits. is_meeting: the last by an instruction, in any.
inline __device__ __noinline__ subject wait_in_block(uint64 block, uint64& from, bool is_meeting = false) {
  const uint32 tag = tag_of(owner_of(block));
  subject found{0};
  if (is_meeting) report.idle.clear();
  for_each_note(&warp_record::waiting, of_lanes, [&](const warp_record& warp, uint32, uint32 lane) {
    if (read_far(warp.owner) >> 5 == tag && !moves(warp) && (is_meeting || (found.bits == 0 && tag != tag_of_block())))
      add_wait(found, from, warp, lane, is_meeting);
  });
  return found;
}

// How often the blocks of the cluster have arrived at a barrier since its init.
struct counts_of_cluster {
  uint32 fewest;
  uint32 most;
  uint32 total;
  uint32 late_blocks;  // that have arrived less often than the others
  uint64 late;         // the first of them
  uint64 other;        // a block that has arrived most often

  // Whether all blocks that arrive do so equally often, and are more than a phase expects.
  CUDASYNC_DEVICE bool exceed(uint32 count) const { return most != 0 && fewest == most && late_blocks > count; }
  // Whether they differ by more than one phase, as in a ring of blocks that wait for each other.
  CUDASYNC_DEVICE bool are_uneven(uint32 count) const { return most != 0 && (fewest == 0 || most - fewest > count); }
};

CUDASYNC_DEVICE_VARIABLE const counts_of_cluster no_counts{~uint32{0}, 0, 0, 0, 0, 0};

inline __device__ __noinline__ void count_block(counts_of_cluster& found, uint64 block, uint32 arrivals) {
  found.total += arrivals;
  if (arrivals > found.most) {
    found.most = arrivals;
    found.other = block;
  }
  if (arrivals < found.fewest) found.late_blocks = 0;
  if (arrivals <= found.fewest) {
    found.fewest = arrivals;
    found.late = block;
    ++found.late_blocks;
  }
}

// By each block at its own barrier of this address: the releases of a stage or an answer.
inline __device__ __noinline__ counts_of_cluster count_releases(uint32 address) {
  counts_of_cluster found = no_counts;
  for_each_block([&found, address](uint32, uint64 block) {
    const object_record* const record = record_of_block(block, address);
    count_block(found, block, record != nullptr ? total_arrivals(*record) : 0);
  });
  return found;
}

// A thread of the late block that has arrived at its own barrier less often than that of the other block.
inline __device__ __noinline__ uint32 thread_of_late_block(const counts_of_cluster& found, uint32 address) {
  const object_record* const less = record_of_block(found.late, address);
  const object_record* const more = record_of_block(found.other, address);
  uint32 rank = 0;
  CUDASYNC_NO_UNROLL
  while (rank < threads_of_block() - 1 && more != nullptr && less != nullptr &&
         arrivals_of(*less, rank) >= arrivals_of(*more, rank))
    ++rank;
  return rank;
}

// Where a block is that does not come: what it waits for, or behind the last call of a thread (rank, or not_counted).
inline __device__ __noinline__ subject say_where_block_is(uint64 block, uint32 rank) {
  report_text.other_block = 1 + block;
  uint64 from = 0;
  subject there = wait_in_block(block, from);
  if (there.bits != 0)
    return say("; block {b} waits for {s}{i} at {f}", block, is_of_block(there) ? "its " : "", there, from), there;
  there = wait_in_block(block, from, true);
  const bool has_thread = rank != not_counted;
  const uint32 thread = has_thread ? rank : 0;
  const uint64 last = has_thread || there.bits == 0 ? last_call_in_block(block, thread).bits : 0;
  if (last != 0) say(" (last call of thread {n} of block {b}: {f})", thread, block, last);
  if (there.bits == 0) return there;
  say("; {t} of block {b} {waits|wait} for {i} at {f}", &report.idle, block, there, from);
  if (there.is_cluster() && block != block_number()) say(", to which the threads that wait here have not come");
  return there;
}

// The same. Returns whether it waits for an object: it may have ended its work if it waits for its cluster.
CUDASYNC_DEVICE bool does_block_wait(uint64 block) {
  const subject there = say_where_block_is(block, 0);
  return there.bits != 0 && there.what() != kind::group;
}

inline __device__ __noinline__ void say_releases_of_cluster(uint32 address) {
  const counts_of_cluster found = count_releases(address);
  record_numbers(number::releases, found.most, number::fewest_releases, found.fewest, number::block, found.late);
  if (found.fewest == found.most) return say(": every block has released it {n} {time|times}", found.most);
  say(": block {b} has released it {n} {time|times}, and block {b} {n} {time|times}", found.other, found.most,
      found.late, found.fewest);
  static_cast<void>(say_where_block_is(found.late, thread_of_late_block(found, address)));
}

// --- Arrivals by remote_barrier ---

inline __device__ __noinline__ uint32 arrivals_from_block(uint64 block, uint32 address) {
  const object_record* const record = record_of_block(block, address);
  return record != nullptr ? read_far(record->sent[rank_in_cluster(cluster_target{}) % most_blocks_of_cluster]) : 0;
}

// The bytes of the copies of the other blocks to a block's barrier. sender: the one of them that has copied least.
struct bytes_of_cluster {
  uint64 sender;
  uint32 bytes;
  uint32 fewest;
  bool are_known;
  bool are_stores;  // all of them
};

inline __device__ __noinline__ bytes_of_cluster bytes_for_block(uint32 address, uint32 receiver) {
  bytes_of_cluster found{block_of_cluster(cluster_target{}, receiver), 0, ~uint32{0}, true, true};
  for_each_block([&found, address, receiver](uint32, uint64 block) {
    const object_record* const record = record_of_block(block, address);
    if (record == nullptr) return;
    if (read_far(record->remote) == not_counted) found.are_known = false;
    const uint32 bytes = read_far(record->bytes_sent[receiver % most_blocks_of_cluster]);
    found.bytes += bytes;
    if (bytes != 0 && read_far(record->remote) != by_stores) found.are_stores = false;
    if (bytes == 0 || bytes > found.fewest) return;
    found.fewest = bytes;
    found.sender = block;
  });
  return found;
}
CUDASYNC_DEVICE bytes_of_cluster bytes_from_others(uint32 address) {
  return bytes_for_block(address, rank_in_cluster(cluster_target{}));
}

// By how many bytes those that have come to a block's barrier exceed those that it expects. 0: not known.
inline __device__ __noinline__ int32 bytes_beyond(const object_record& record, uint32 rank) {
  const bytes_of_cluster others = bytes_for_block(record.address, rank);
  const uint64 bytes = read_far(record.copied.bytes) + others.bytes - read_far(record.expects.bytes);
  return others.are_known ? static_cast<int32>(bytes) : 0;
}

// Whether each block has moved as many bytes as it expects, none has made fewer calls that expect bytes than the one
// that lacks some, and no sender of that with too many, of this rank, has made more than that.
inline __device__ __noinline__ bool have_all_moved(const object_record& lacking, const object_record& beyond,
                                                   uint32 rank) {
  bool have_all = true;
  for_each_block([&](uint32, uint64 block) {
    const object_record* const each = record_of_block(block, lacking.address);
    if (each == nullptr) return static_cast<void>(have_all = false);
    uint64 bytes = read_far(each->copied.bytes);
    CUDASYNC_NO_UNROLL
    for (const uint32& sent : each->bytes_sent)
      bytes += read_far(sent);
    const uint32 times = read_far(each->expects.times);
    const bool is_ahead =
        times > read_far(beyond.expects.times) && read_far(each->bytes_sent[rank % most_blocks_of_cluster]) != 0;
    have_all =
        have_all && bytes >= read_far(each->expects.bytes) && times >= read_far(lacking.expects.times) && !is_ahead;
  });
  return have_all;
}

// A block that has got as many bytes too many as this one lacks, or the reverse; if several, one that is behind.
struct opposite_block {
  uint32 rank;    // if there is none, that of this block
  bool is_sure;   // the bytes were sent to the wrong block, and the one that lacks them does not wait for a late sender
  uint32 rounds;  // its calls that expect bytes
};

inline __device__ __noinline__ opposite_block opposite_of(const object_record& record) {
  const uint32 own = rank_in_cluster(cluster_target{});
  opposite_block found{own, false, not_counted};
  const int32 difference = bytes_beyond(record, own);
  for_each_block([&found, &record, difference, own](uint32 rank, uint64 block) {
    const object_record* const other = record_of_block(block, record.address);
    if (difference == 0 || other == nullptr || bytes_beyond(*other, rank) != -difference) return;
    const bool is_beyond = difference > 0;
    const object_record& beyond = is_beyond ? record : *other;
    const object_record& lacking = is_beyond ? *other : record;
    const bool is_sure = read_far(beyond.expects.times) >= read_far(lacking.expects.times) &&
                         (read_far(beyond.remote) == 0 || have_all_moved(lacking, beyond, is_beyond ? own : rank));
    const uint32 rounds = read_far(other->expects.times);
    if (found.is_sure || (!is_sure && rounds > found.rounds)) return;
    found = {rank, is_sure, rounds};
  });
  return found;
}

// Whether another block of the cluster has arrived at this barrier, or at another one of its init.
inline __device__ __noinline__ bool is_sender(uint64 block, const object_record& record) {
  return has_record([block, &record](const object_record& other) {
    return (&other == &record || is_sibling(other, record)) && arrivals_from_block(block, other.address) != 0;
  });
}

// A bit for each counted block: if those that have ever arrived at its init are the count, they alone. own: arrivals.
inline __device__ __noinline__ uint32 senders_of(const object_record& record, uint32 own) {
  uint32 senders = 0;
  for_each_block([&senders, &record, own](uint32 rank, uint64 block) {
    if (block == block_number() ? own != 0 : is_sender(block, record)) senders |= uint32{1} << rank;
  });
  return ptx::popc(senders) == record.expected ? senders : senders | ~(uint32{1} << rank_in_cluster(cluster_target{}));
}

inline __device__ __noinline__ uint32 arrivals_of_block(uint64 block, const object_record& record, uint32 own) {
  return block == block_number() ? own : arrivals_from_block(block, record.address);
}
// This block is not counted if it has never arrived: the barrier may be for other blocks alone.
inline __device__ __noinline__ counts_of_cluster count_senders(const object_record& record, uint32 own) {
  counts_of_cluster found = no_counts;
  const uint32 senders = senders_of(record, own);
  for_each_block([&found, senders, &record, own](uint32 rank, uint64 block) {
    if ((senders >> rank & 1) != 0) count_block(found, block, arrivals_of_block(block, record, own));
  });
  return found;
}

CUDASYNC_DEVICE bool has_senders(const object_record& record) {
  return count_senders(record, 0).most != 0;
}

// Whether other blocks copy to this barrier, and have done so in earlier phases, or copy to others of the same init.
inline __device__ __noinline__ bool are_senders_late(const waiting_group& at, uint32 bytes) {
  const object_record& record = *at.record;
  if (bytes != 0) return at.state.parity || total_arrivals(record) > record.expected;
  return find_sibling(record, [](const object_record& other) { return bytes_from_others(other.address).bytes != 0; }) !=
         nullptr;
}

// The arrivals of all blocks at the barrier of a block at this address, since its init.
inline __device__ __noinline__ uint32 arrivals_at_block(uint32 receiver, uint32 address) {
  uint32 arrivals = 0;
  for_each_block([&arrivals, receiver, address](uint32 sender, uint64 block) {
    const object_record* const record = record_of_block(block, address);
    if (record == nullptr) return;
    arrivals +=
        sender == receiver ? total_arrivals(*record) : read_far(record->sent[receiver % most_blocks_of_cluster]);
  });
  return arrivals;
}

// Of the blocks whose barriers of this address are used: the same.
inline __device__ __noinline__ counts_of_cluster count_receivers(uint32 address) {
  counts_of_cluster found = no_counts;
  for_each_block([&found, address](uint32 rank, uint64 block) {
    const uint32 arrivals = arrivals_at_block(rank, address);
    const object_record* const record = record_of_block(block, address);
    if (arrivals != 0 || (record != nullptr && has_waits(*record))) count_block(found, block, arrivals);
  });
  return found;
}

// The arrivals of the other blocks at their own barriers of this address, if none has arrived at another's. Or 0.
inline __device__ __noinline__ uint32 arrivals_in_own_blocks(uint32 address) {
  const uint32 own = count_releases(address).total;
  return own == count_receivers(address).total ? own - report.found.total : 0;
}

inline __device__ __noinline__ uint32 lost_arrivals_of_cluster(const waiting_group& at) {
  const uint32 expected = at.record->expected;
  const uint32 in_phases = report.found.now + (at.state.parity ? expected : 0);
  const counts_of_cluster senders = count_senders(*at.record, report.found.total);
  return senders.total <= in_phases || at.record->drops != 0 ? 0 : (senders.total - in_phases) % (2 * expected);
}

// A barrier with at least two phases more, by arrivals of several blocks, than a thread has waited for, or null.
inline __device__ __noinline__ const object_record* barrier_that_opens_early(uint32 rank) {
  return find_record([rank](const object_record& other) {
    if (other.is_of_cluster == 0 || other.drops != 0) return false;
    const wait_history waits = waits_of(other, rank);
    if (waits.is_empty() || waits.has(wait_history::has_kept)) return false;
    const uint32 complete = count_senders(other, total_arrivals(other)).total / other.expected;
    return complete >= 2 && (complete - waits.phase() + 1) % 4 < 2;
  });
}

// The number of complete phases, or not_counted: by report.found or, in a cluster, by the arrivals of all blocks.
inline __device__ __noinline__ uint32 complete_phases(const waiting_group& at) {
  if (at.record->is_of_cluster == 0) return report.found.complete;
  const uint32 made = count_senders(*at.record, report.found.total).total - report.found.now;
  return at.record->drops == 0 && made % at.record->expected == 0 ? made / at.record->expected : not_counted;
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
