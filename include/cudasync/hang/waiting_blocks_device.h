// The blocks whose threads wait for an object, those that are missing, and those that have not called the library.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_WAITING_BLOCKS_DEVICE_H
#define CUDASYNC_HANG_WAITING_BLOCKS_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/cluster_device.h>
#include <cudasync/hang/kind.h>
#include <cudasync/hang/permits_device.h>
#include <cudasync/hang/record_data_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/hang/sentence_device.h>
#include <cudasync/hang/thread_set_device.h>
#include <cudasync/hang/waiting_groups_device.h>
#include <cudasync/ptx/special_registers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

inline constexpr uint64 any_subject = 0;  // masks of subjects
inline constexpr uint64 same_kind = uint64{15} << 48;
inline constexpr uint64 same_object = (uint64{1} << 52) - 1;

// Fills a set with the numbers of the blocks whose threads wait for a subject. There are at most most_threads blocks.
inline __device__ __noinline__ void collect_blocks(thread_set& blocks, uint64 what, uint64 mask) {
  blocks.clear();
  CUDASYNC_NO_UNROLL
  for (const warp_record& warp : warps) {
    if (!polls(warp)) continue;
    bool is_wanted = false;
    CUDASYNC_NO_UNROLL
    for (uint32 lane = 0; lane < 32 && !is_wanted; ++lane)
      is_wanted = read_far(warp.waits[lane]) != 0 && ((read_far(warp.waits[lane]) ^ what) & mask) == 0;
    if (is_wanted) blocks.add(static_cast<uint32>(block_with_tag(read_far(warp.owner) >> 5)));
  }
}

// Whether a block of the grid waits for nothing. If one waits, but for no object of this kind, the cause may be there.
inline __device__ __noinline__ bool is_any_block_free(subject what) {
  if (blocks_of_grid() > most_threads) return true;
  collect_blocks(report.idle, 0, any_subject);
  const bool are_all = report.idle.size() == blocks_of_grid();
  collect_blocks(report.arrived, what.bits, same_kind);
  report.idle.remove(report.arrived);
  if (report.idle.size() != 0) report_text.other_block = 1 + report.idle.first();
  return !are_all;
}

// Whether the last of the blocks that are missing has called the library: then all blocks of the grid have started.
inline __device__ __noinline__ bool have_missing_blocks_begun(const thread_set& others) {
  uint32 end = static_cast<uint32>(blocks_of_grid());
  if (blocks_of_grid() > most_threads) return false;
  CUDASYNC_NO_UNROLL
  while (end != 0 && others.has(end - 1))
    --end;
  return end != 0 && last_call_in_block(end - 1, 0).bits != 0;
}

// Names the blocks that are not in the set, if one thread of each block takes part, and this many are missing.
inline __device__ __noinline__ void say_missing_blocks(const thread_set& others, uint64 present, uint64 missing) {
  if (blocks_of_grid() > most_threads || present + missing != blocks_of_grid()) return;
  say(missing == 1 ? "; block " : "; blocks ");
  uint32 shown = 0;
  CUDASYNC_NO_UNROLL
  for (uint32 block = 0; block < blocks_of_grid() && shown < 6; ++block)
    if (!others.has(block)) {
      if (shown == 0) report_text.other_block = 1 + block;
      say(shown++ == 0 ? "{b}" : ", {b}", block);
    }
  if (missing > shown) say(" and {n} more", missing - shown);
  say("{c} {is|are} missing", missing);
  record_number(number::block, report_text.other_block - 1);
  static_cast<void>(say_where_block_is(report_text.other_block - 1, 0));
}

// --- Blocks that have not called the library, and gifts to another object than the awaited one ---

CUDASYNC_DEVICE bool is_of_peers(kind what) {
  return what == kind::peer_signal || what == kind::peer_mailbox;
}

CUDASYNC_DEVICE bool is_of_grid(uint32 tag) {
  return tag_of(owner_of(block_with_tag(tag))) == tag;
}

// Whether a block of this grid waits that has a record in a part of the table.
inline __device__ __noinline__ bool is_waiting_block(uint32 tag, uint32 first, uint32 end) {
  CUDASYNC_NO_UNROLL
  for (uint32 index = first; index < end && index < CUDASYNC_CHECKED_WARPS; ++index)
    if (polls(warps[index]) && read_far(warps[index].owner) >> 5 == tag) return true;
  return false;
}

// Whether a block waits of which this is the first record. The records of a multiprocessor are in a row.
inline __device__ __noinline__ bool begins_waiting_block(uint32 index) {
  const uint32 tag = read_far(warps[index].owner) >> 5;
  return is_waiting_block(tag, index, index + 1) &&
         !is_waiting_block(tag, index / warps_of_multiprocessor * warps_of_multiprocessor, index);
}

// Whether a block of this grid has left a call or a note, but does not wait.
inline __device__ __noinline__ bool has_passed(uint32 index, uint32 tag, uint32& before) {
  const uint32 first = index / warps_of_multiprocessor * warps_of_multiprocessor;
  if (tag == 0 || tag == before) return false;
  before = tag;
  return !is_waiting_block(tag, first, first + warps_of_multiprocessor) && is_of_grid(tag);
}
inline __device__ __noinline__ bool has_passed_block(uint32 index) {
  const warp_record& warp = warps[index];
  uint32 before = 0;
  CUDASYNC_NO_UNROLL
  for (const call_record& each : warp.calls)
    if (has_passed(index, static_cast<uint32>(read_far(each.stamp) >> 37), before)) return true;
  CUDASYNC_NO_UNROLL
  for (uint32 each = 0; each < 96 && read_far(warp.has_given) != 0; ++each)
    if (has_passed(index, static_cast<uint32>(read_far(warp.given[each / 32][each % 32]) >> 37), before)) return true;
  return false;
}

// If a thread of each block that has called the library waits: the number of the other blocks. Otherwise 0.
inline __device__ __noinline__ uint64 silent_blocks() {
  uint64 silent = blocks_of_grid();
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < CUDASYNC_CHECKED_WARPS; ++index) {
    silent -= begins_waiting_block(index);
    if (has_passed_block(index)) return 0;
  }
  return silent;
}

// Each multiprocessor has room for a block, so all blocks of a grid that is not larger have started.
CUDASYNC_DEVICE bool is_larger_than_gpu() {
  return blocks_of_grid() > ptx::get_sreg_nsmid();
}

// How many of the first blocks of the grid wait on a multiprocessor.
inline __device__ __noinline__ uint64 first_blocks_on(uint32 multiprocessor, uint64 end) {
  uint64 found = 0;
  const uint32 first = multiprocessor * warps_of_multiprocessor;
  CUDASYNC_NO_UNROLL
  for (uint32 index = first; index < first + warps_of_multiprocessor; ++index)
    if (begins_waiting_block(index)) found += find_tag(read_far(warps[index].owner) >> 5, end) < end;
  return found;
}

// Whether the first blocks of the grid wait, equally many on each multiprocessor: the others have not started.
inline __device__ __noinline__ bool do_first_blocks_wait(uint64 waiting) {
  const uint32 multiprocessors = ptx::get_sreg_nsmid();
  CUDASYNC_NO_UNROLL
  for (uint32 each = 0; each < multiprocessors; ++each)
    if (first_blocks_on(each, waiting) * multiprocessors != waiting) return false;
  return true;
}

inline __device__ __noinline__ uint64 say_silent(kind what, uint64 silent, bool are_first) {
  const uint64 waiting = blocks_of_grid() - silent;
  say("; {n} of {n} blocks of the grid {c}{has|have} ", silent, blocks_of_grid(), silent);
  if (are_first)
    return say("not started: the first {n} {block waits|blocks wait}, and {fills|fill} all multiprocessors", waiting),
           waiting;
  say("{s}: if the GPU cannot hold all blocks at once, {c}{it has|they have} not started",
      what == kind::atomic_value ? "made no call that is recorded" : "never called the library", silent);
  return 0;
}

// The number of blocks that keep others from starting, or 0 if it is not known. value: the missing arrivals of a
// counter or a latch. may_be_silent: whether there are blocks that have never called the library.
inline __device__ __noinline__ uint64 say_silent_blocks(kind what, uint64 value, bool& may_be_silent) {
  const bool is_counted = what == kind::counter_barrier || what == kind::latch || what == kind::grid_barrier;
  may_be_silent = false;
  if (!is_counted && what != kind::semaphore && what != kind::atomic_value) return 0;
  const uint64 silent = is_larger_than_gpu() ? silent_blocks() : 0;
  const uint64 most = silent * threads_of_block();
  if (silent == 0 || (is_counted && value > most)) return 0;
  may_be_silent = !is_counted || value == silent || value == most;
  if (!do_first_blocks_wait(blocks_of_grid() - silent)) return may_be_silent ? say_silent(what, silent, false) : 0;
  may_be_silent = true;
  return say_silent(what, silent, true);
}

// waiting: the number of blocks that keep others from starting.
inline __device__ __noinline__ void say_remedy_of_grid(uint64 waiting, bool is_for_some) {
  say("launch at most {n} {block|blocks}, or launch with cudaLaunchCooperativeKernel, which rejects a larger "
      "grid{s}{.}",
      waiting,
      !is_for_some
          ? ""
          : "; or let each block take its number from a counter (fetch_add), and wait only for smaller numbers: these "
            "have started before it");
}

inline __device__ __noinline__ bool is_on_all_multiprocessors() {
  uint32 found = 0;
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < CUDASYNC_CHECKED_WARPS; ++index) {
    if (!polls(warps[index])) continue;
    ++found;
    index |= warps_of_multiprocessor - 1;
  }
  return found == ptx::get_sreg_nsmid();
}

// The nearest peer_signal beside the one for which threads wait that a thread of any kernel has last signaled, or the
// nearest atomic to which a thread of this kernel has stored. A note has the lower half of its address.
struct neighbor {
  uint64 address;  // of the awaited object
  uint64 from;     // the site of the call that gave to its neighbor
  int32 distance;  // in bytes; 0: none
  uint32 owner;    // of the warp that made the call
  uint32 rank;     // of the thread
};

inline __device__ __noinline__ void look_at_neighbor(neighbor& found, uint64 given, uint64 from, uint32 lane,
                                                     bool is_signal, bool& is_given) {
  const uint32 upper = static_cast<uint32>(found.address << 16 >> 48);
  const uint32 mine = static_cast<uint32>(note_of(found.address, 0)) ^ upper;
  const int32 distance = static_cast<int32>((static_cast<uint32>(given) ^ upper) - mine) * 2;
  const int32 least = found.distance == 0 ? 1024 : found.distance < 0 ? 0 - found.distance : found.distance;
  if (given == 0 || distance <= 0 - least || distance >= least) return;
  const uint32 owner = static_cast<uint32>(given >> 32);
  if (!is_signal && (noted_store::are_additions(from) || !is_of_grid(owner >> 5))) return;
  if (distance == 0) is_given = true;
  found.from = from;
  found.distance = distance;
  found.owner = owner;
  found.rank = owner % 32 * 32 + lane;
}

// Says that a signal or a store went to a neighbor of the awaited object alone. Returns the site of the call, or 0.
inline __device__ __noinline__ uint64 say_neighbor(subject what) {
  const bool is_signal = what.what() == kind::peer_signal;
  neighbor found{what.address(), 0, 0, 0, 0};
  bool is_given = false;
  for_each_note(&warp_record::has_given, of_stores, [&](const warp_record& warp, uint32 row, uint32 lane) {
    look_at_neighbor(found, read_far(warp.given[row][lane]), read_far(warp.stored_from[row - 1][lane]), lane, is_signal,
                     is_given);
  });
  if (is_given || found.distance == 0) return 0;
  say(is_signal ? "; no thread is known to have signaled it, but "
                : "; no thread of this kernel is known to have stored to it, but ");
  if (is_of_grid(found.owner >> 5))
    say("thread {n} of block {b}", found.rank, block_with_tag(found.owner >> 5));
  else
    say("a thread of another kernel");
  const bool is_before = found.distance < 0;
  say(" has last {s} {i}, {n} bytes {s} it, at {f}", is_signal ? "signaled" : "stored to",
      subject::of(what.what(), found.address + static_cast<uint64>(int64{found.distance})),
      static_cast<uint64>(int64{is_before ? 0 - found.distance : found.distance}), is_before ? "before" : "after",
      found.from);
  return found.from;
}

// Names the first block of the grid that waits for an object of this kind, if blocks before it wait for nothing: the
// root of a chain in which each block waits for an earlier one. It writes the report.
inline __device__ __noinline__ void say_first_of_blocks(subject what) {
  if (blocks_of_grid() > most_threads) return;
  collect_blocks(report.idle, 0, any_subject);
  const uint32 first = report.idle.first();
  collect_blocks(report.idle, what.bits, same_kind);
  if (first == 0 || report.idle.size() < 2 || !report.idle.has(first)) return;
  if (first != block_number()) return static_cast<void>(report_text.other_block = 1 + first);
  say("; this is the first block that waits; block {b} before it waits for nothing {s}", first - 1, idle_word());
  static_cast<void>(say_where_block_is(first - 1, 0));
}

// Threads of other blocks that wait for another object of this kind, if blocks may wait for each other by such objects.
inline __device__ __noinline__ const waiting_group* other_blocks_at(const waiting_group& at) {
  const kind what = at.what.what();
  if (!is_of_peers(what)) return what == kind::latch ? group_of_other_blocks(at.what) : nullptr;
  return find_group([&at](const waiting_group& each) {
    return is_of_peers(each.what.what()) && !each.what.is_same_object(at.what) && each.others != 0;
  });
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
