// Causes of hangs: bytes of copies, and arrivals of other blocks of the cluster, that a phase waits for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_EXPLAIN_BYTES_DEVICE_H
#define CUDASYNC_HANG_EXPLAIN_BYTES_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/cluster_device.h>
#include <cudasync/hang/evidence_device.h>
#include <cudasync/hang/record_data_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/hang/sentence_device.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

inline __device__ __noinline__ void say_bytes(const byte_count& expects, const byte_count& copied,
                                              const bytes_of_cluster& others) {
  say(expects.bytes == 0 ? "{C}since init, no bytes were expected" : "{C}since init, {n} bytes were expected (at {f})",
      expects.bytes, expects.from);
  if (others.bytes != 0) {
    if (copied.bytes != 0) say(", copies of {n} bytes were started by this block", copied.bytes);
    return say(", and {s} of {n} bytes were {s} by other blocks of the cluster",
               others.are_stores ? "stores" : "copies", others.bytes, others.are_stores ? "made" : "started");
  }
  if (copied.bytes == 0 && copied.from != 0)
    return say(", and the copies at {f} are for other blocks of the cluster alone", copied.from);
  say(copied.bytes == 0 ? ", and no copy was started on this barrier"
                        : ", and copies of {n} bytes were started (at {f})",
      copied.bytes, copied.from);
}

inline __device__ __noinline__ void say_bytes_of_other_blocks(const waiting_group& at) {
  say("{C}all arrivals have been made, but {n} bytes {s}; copies of other blocks, or of boxes of a tensor map, whose "
      "bytes are not known here, complete on this barrier",
      static_cast<uint32>(at.state.bytes < 0 ? -at.state.bytes : at.state.bytes),
      at.state.bytes < 0 ? "more have been copied than expected" : "are missing");
  const counts_of_cluster arrivals = count_releases(at.record->address);
  if (arrivals.fewest != arrivals.most) {
    say(": block {b} has {s} {n} {time|times}, and block {b} {n} {time|times}", arrivals.other,
        at.what.who() != role::none ? "acquired this stage" : "arrived at its own barrier of this address",
        arrivals.most, arrivals.late, arrivals.fewest);
    static_cast<void>(say_where_block_is(arrivals.late, thread_of_late_block(arrivals, at.record->address)));
    return say("{R}let all blocks of the cluster make the same number of rounds: the threads that copy, and those that "
               "wait for the copies{.}");
  }
  const uint64 sender = bytes_from_others(at.record->address).sender;
  if (sender != block_number() && does_block_wait(sender))
    return say("{R}find out why that wait does not end; or, if the bytes of this phase keep it waiting, let each block "
               "expect exactly the bytes that are copied to it{.}");
  say("{R}let each block expect exactly the bytes that are copied to it; check the blocks in the mask of each copy; a "
      "box counts in full, its dimensions times the size of an element, even beyond the edge of the tensor{.}");
}

inline __device__ __noinline__ void say_bytes_of_block(const object_record& record, uint32 rank) {
  const byte_count& expects = record.expects;
  say(" block {b} expects {n} bytes (at {f}), and {n} came", block_of_cluster(cluster_target{}, rank), expects.bytes,
      expects.from, static_cast<uint64>(int64{bytes_beyond(record, rank)}) + expects.bytes);
  for_each_block([&record, rank](uint32 from, uint64 sender) {
    const object_record* const other = record_of_block(sender, record.address);
    if (other == nullptr) return;
    const uint64 bytes =
        from == rank ? read_far(other->copied.bytes) : read_far(other->bytes_sent[rank % most_blocks_of_cluster]);
    if (bytes != 0) say(from == rank ? ", {n} from itself" : ", {n} from block {b}", bytes, sender);
  });
}

// Bytes were sent to the wrong block. Returns whether that is known.
inline __device__ __noinline__ bool say_misplaced_bytes(const object_record& record) {
  const opposite_block opposite = opposite_of(record);
  if (!opposite.is_sure) return false;
  const uint64 other = block_of_cluster(cluster_target{}, opposite.rank);
  record_number(number::block, other);
  say("{C}bytes were sent to the wrong block of the cluster:");
  say_bytes_of_block(record, rank_in_cluster(cluster_target{}));
  say(", and");
  say_bytes_of_block(*record_of_block(other, record.address), opposite.rank);
  say("{R}check the rank of the destination, or the mask, in each block that stores or copies{.}");
  return true;
}

inline __device__ __noinline__ void say_bytes_differ(const object_record& record, const byte_count& copied,
                                                     bool are_stores) {
  const byte_count& expects = record.expects;
  if (copied.times != 0 && copied.bytes - expects.bytes + 15 < 31)
    say("; the size was rounded in one of the two places");
  if (copied.times != 0 && expects.times > copied.times && copied.bytes != 0 &&
      expects.bytes / expects.times * copied.times == copied.bytes)
    return say("; {n} calls expect bytes, and {n} {copies|copy} them"
               "{R}let one thread expect the bytes of a copy, once; or add the missing copy{.}",
               expects.times, copied.times);
  if (copied.bytes == 0 && copied.from != 0)
    return say("{R}set the bit of this block's rank in the mask of the copy; or do not expect its bytes here{.}");
  if (copied.bytes == 0) return say("{R}start the copy on this barrier, or do not expect its bytes here{.}");
  const bool are_missing = copied.bytes < expects.bytes;
  const char* const moves = are_stores ? "stores" : "copies";
  say(are_missing ? "; {n} bytes more are expected than the {s} bring" : "; {n} bytes more come than are expected",
      are_missing ? expects.bytes - copied.bytes : copied.bytes - expects.bytes, moves);
  const opposite_block opposite = opposite_of(record);
  if (opposite.rounds != not_counted)
    return say("; block {b} {s} as many{R}check the rank of the destination, or the mask, in each block that stores or "
               "copies{.}",
               block_of_cluster(cluster_target{}, opposite.rank), are_missing ? "has got too many, just" : "lacks");
  say(!are_missing && copied.times == 0  // they are of other blocks
          ? "{R}check the rank of the destination in each block; expect exactly the bytes that the {s} move{.}"
          : "{R}expect exactly the bytes that the {s} move{.}",
      moves);
}

// No thread has arrived in the phase, and bytes have come.
inline __device__ __noinline__ void say_bytes_without_arrival(const waiting_group& at) {
  const object_record& record = *at.record;
  const bool is_stage = at.what.who() != role::none;
  say("{C}copies have written {n} bytes that {i} does not expect", static_cast<uint32>(-at.state.bytes), at.what);
  if (record.copied.bytes > record.expects.bytes)
    say(" (at {f})", record.copied.beyond);
  else if (record.is_of_cluster != 0 || record.remote != 0)
    say(": they are copies of other blocks of the cluster (multicast)");
  say(", and no thread of this block has {s}"
      "{R}let {s} of every block that receives bytes call {s}, with the bytes of all copies to this block{.}",
      is_stage ? "acquired the stage" : "arrived in this phase", is_stage ? "the producer" : "one thread",
      is_stage ? "producer_acquire" : "barrier_arrive_tx");
}

inline __device__ __noinline__ void explain_bytes(cause why, const waiting_group& at) {
  if (why == cause::bytes_not_expected && at.state.pending != 0) return say_bytes_without_arrival(at);
  if (why == cause::bytes_of_other_blocks) return say_bytes_of_other_blocks(at);
  if (why == cause::bytes_at_other_barrier && say_misplaced_bytes(*at.record)) return;
  const byte_count& expects = at.record->expects;
  byte_count copied = at.record->copied;
  if (why == cause::expected_without_arrival)
    return say("{C}{n} {byte is|bytes are} expected (at {f}), but no thread has arrived in this phase"
               "{R}barrier_expect_tx does not arrive: call barrier_arrive_tx, or arrive as well{.}",
               expects.beyond != 0 ? lone_expectation{expects.beyond}.bytes() : expects.bytes / expects.times,
               expects.from);
  record_numbers(number::bytes_expected, expects.bytes, number::bytes_copied, copied.bytes);
  const bytes_of_cluster others = bytes_from_others(at.record->address);
  say_bytes(expects, copied, others);
  if (why == cause::bytes_at_other_barrier) {
    const object_record& other = *barrier_with_foreign_bytes(*at.record);
    return say("; {o} got copies of {n} bytes that it does not expect (at {f})"
               "{R}give each copy the barrier of the stage that expects its bytes{.}",
               other.as_subject(), other.copied.bytes - other.expects.bytes, other.copied.beyond);
  }
  if (others.bytes != 0) copied = {copied.bytes + others.bytes, 0, 0, 0, 0};
  if (why == cause::bytes_differ)
    return say_bytes_differ(*at.record, copied, others.bytes == copied.bytes && others.are_stores);
  say(why == cause::bytes_not_expected
          ? "{R}arrive with barrier_arrive_tx, or call barrier_expect_tx before the last arrival, with the bytes of "
            "all copies{.}"
          : "; a copy has not completed, or bytes of one phase were counted in another"
            "{R}let each phase expect the bytes of its own copies, before they are started{.}");
}

// --- Arrivals of other blocks ---

// Whether all blocks that have not arrived here have elsewhere, as often. If not, the late block is one that has not.
inline __device__ __noinline__ bool have_late_passed(counts_of_cluster& senders, uint32 address) {
  bool have_passed = senders.fewest == 0 && senders.most != 0;
  CUDASYNC_NO_UNROLL
  for (uint32 rank = 0; have_passed && rank < blocks_of_cluster(cluster_target{}); ++rank) {
    const uint64 block = block_of_cluster(cluster_target{}, rank);
    if (block == block_number() || arrivals_from_block(block, address) != 0) continue;
    senders.late = block;
    const object_record* const record = record_of_block(block, address);
    have_passed = false;
    CUDASYNC_NO_UNROLL
    for (uint32 to = 0; record != nullptr && to < most_blocks_of_cluster; ++to)
      have_passed = have_passed || read_far(record->sent[to]) >= senders.most;
  }
  return have_passed;
}

// Whether the barriers of the blocks get different numbers of arrivals. Says so.
inline __device__ __noinline__ bool say_uneven_receivers(const object_record& record) {
  const counts_of_cluster found = count_receivers(record.address);
  if (!found.are_uneven(record.expected)) return false;
  say("{C}the blocks of the cluster do not arrive equally often at their barriers of this address: since init, that of "
      "block {b} has got {n} {arrival|arrivals}, and that of block {b} {n}"
      "{R}find the block that should arrive at the barrier of block {b}: check the rank that each block gives to "
      "remote_barrier, and that all blocks make the same number of rounds{.}",
      record_number(number::block, found.late), found.fewest, found.other, found.most, found.late);
  return true;
}

inline __device__ __noinline__ void say_other_blocks_missing(const waiting_group& at) {
  const attendances& found = report.found;
  counts_of_cluster senders = count_senders(*at.record, found.total);
  record_number(number::fewest_releases, senders.fewest);
  if (senders.exceed(at.record->expected))
    return say("{C}{n} blocks of the cluster arrive at {i}, each {n} {time|times} since init, but init was given {n}"
               "{R}initialize with {n}, the number of blocks that arrive{.}",
               record_number(number::suggested, senders.late_blocks), at.what, senders.most, at.record->expected,
               senders.late_blocks);
  if (found.now == 0 && say_uneven_receivers(*at.record)) return;
  if (senders.most == 0) {
    say("{C}no block of the cluster has arrived at {i}", at.what);
    if (const object_record* const other = find_sibling(*at.record, has_senders))
      return say(
          "; {i}, of the same init, has got {n} {arrival|arrivals}"
          "{R}let the blocks arrive at each barrier of the array before they wait for it, also those that begin as "
          "free; let all blocks go through them in the same order{.}",
          other->as_subject(), count_senders(*other, 0).total);
    const uint64 block = block_of_cluster(cluster_target{}, rank_in_cluster(cluster_target{}) == 0 ? 1 : 0);
    if (blocks_of_cluster(cluster_target{}) > 1 && say_where_block_is(block, not_counted).bits != 0)
      return say("{R}let that block arrive (remote_barrier) before its wait{.}");
    return say("{R}let the other blocks of the cluster arrive at this block's barrier (remote_barrier), on every "
               "path{.}");
  }
  if (senders.fewest == senders.most)
    return say("{C}the {n} {block|blocks} of the cluster that {c}{arrives|arrive} at {i} {c}{has|have} made {n} "
               "{arrival|arrivals} each since init, and init was given {n}"
               "{R}let the other blocks of the cluster arrive at this block's barrier (remote_barrier), or initialize "
               "with the number of arrivals that a phase gets from all blocks of the cluster, which has {n} "
               "{block|blocks}{.}",
               senders.late_blocks, senders.late_blocks, at.what, senders.late_blocks, senders.most,
               at.record->expected, blocks_of_cluster(cluster_target{}));
  const bool have_passed = have_late_passed(senders, at.record->address);
  say("{C}block {b}", senders.late);
  if (senders.late_blocks > 1) say(", like {n} other {block|blocks},", senders.late_blocks - 1);
  if (senders.fewest == 0)
    say(have_passed ? " has not arrived at {i}, but at that of another block" : " has not arrived at {i}", at.what);
  else
    say(" has arrived {n} {time|times} at {i}", senders.fewest, at.what);
  record_number(number::block, senders.late);
  if (!have_passed) static_cast<void>(say_where_block_is(senders.late, 0));
  say("; block {b} has arrived {n} {time|times}", senders.other, senders.most);
  const object_record* const own = record_of_block(senders.late, at.record->address);  // perhaps used in place of this
  const uint32 arrivals = own != nullptr && senders.late != block_number() ? total_arrivals(*own) : 0;
  if (arrivals != 0)
    say("; at its own barrier of this address, block {b} has arrived {n} {time|times}", senders.late, arrivals);
  return say(
      have_passed ? "{R}initialize it with {n}, the number of arrivals that it gets, if no other block should arrive "
                    "here; otherwise check the rank that block {b} gives to remote_barrier{.}"
      : senders.fewest != 0
          ? "{R}let every block that is counted arrive at this block's barrier (remote_barrier) in every round, and "
            "make as many rounds as the others{.}"
          : "{R}let every block that is counted arrive at this block's barrier (remote_barrier) before it waits, "
            "also if it has no work; or initialize it with the number of arrivals that this block gets, if others "
            "have more neighbors{.}",
      found.now, senders.late);
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
