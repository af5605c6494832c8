// The data for the report of a hang: which threads wait for which objects, and which threads have arrived there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_EVIDENCE_DEVICE_H
#define CUDASYNC_HANG_EVIDENCE_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/hang/barrier_device.h>
#include <cudasync/hang/mbarrier_state_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/sentence_device.h>
#include <cudasync/hang/thread_set_device.h>
#include <cudasync/hang/watch_device.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/special_registers.h>
#include <cudasync/thread/elect.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace checked {

inline constexpr uint32 most_groups = 12;

// Threads that wait for the same thing at the same line.
struct waiting_group {
  subject what;
  uint64 from;     // the site of the wait
  uint32 threads;  // of the block that reports
  uint32 others;   // of other blocks
  thread_set set;
  const object_record* record;  // null: no record, or the object is not initialized
  barrier_state state;
};

// A summary of the arrivals of this block's threads at a barrier since init. The sets report.arrived, missing and twice
// belong to it.
struct attendances {
  uint32 expected;
  uint32 now;       // arrivals in the current phase
  uint32 total;     // by threads of this block
  uint32 arrivers;  // threads that have arrived
  uint32 usual;     // arrivals of a thread that keeps up with the others
  bool are_equal;   // all threads that arrived did so equally often
  uint32 complete;  // the number of complete phases, or not_counted if it is not known
  bool is_sure;     // whether the missing threads are certainly expected to arrive
};

struct report_space {
  waiting_group groups[most_groups];
  uint32 number_of_groups;
  uint32 left_out;  // waiting threads for whose groups there is no room
  uint64 reported;  // the subject for which the thread that found the hang waits
  attendances found;
  thread_set waiting, waiting_here, missing, twice, arrived, idle;
};

CUDASYNC_DEVICE_VARIABLE report_space report;

// --- Waiting threads ---

inline __device__ __noinline__ void add_to_groups(uint64 what, uint64 from, bool is_here, uint32 rank) {
  // Objects in shared memory have the same addresses in all blocks, so a group can have threads of several blocks.
  uint32 index = 0;
  while (index < report.number_of_groups &&
         (report.groups[index].what.bits != what || report.groups[index].from != from))
    ++index;
  if (index == most_groups) {
    ++report.left_out;
    return;
  }
  waiting_group& group = report.groups[index];
  if (index == report.number_of_groups) {
    ++report.number_of_groups;
    group.what.bits = what;
    group.from = from;
    group.threads = 0;
    group.others = 0;
    group.set.clear();
    group.state = {};
    group.record = record_of(group.what);
  }
  group.threads += is_here;
  group.others += !is_here;
  if (!is_here) return;
  group.set.add(rank);
  report.waiting.add(rank);
}

inline __device__ __noinline__ void collect_waits_of_warp(warp_record& warp) {
  if (shared_by_all(warp.waiting) == 0) return;
  const uint32 owner = shared_by_all(warp.owner);
  CUDASYNC_NO_UNROLL
  for (uint32 lane = 0; lane < 32; ++lane) {
    const uint64 what = shared_by_all(warp.waits[lane]);
    if (what != 0)
      add_to_groups(what, last_call(warp, owner, lane).bits, owner >> 5 == tag_of_block(), owner % 32 * 32 + lane);
  }
}

// Begins with the records of this multiprocessor, which runs all threads of this block.
inline __device__ __noinline__ void collect_waits() {
  report.number_of_groups = 0;
  report.left_out = 0;
  report.waiting.clear();
  const uint32 first = ptx::get_sreg_smid() * 64 % CUDASYNC_CHECKED_WARPS;
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < CUDASYNC_CHECKED_WARPS; ++index)
    collect_waits_of_warp(warps[(first + index) % CUDASYNC_CHECKED_WARPS]);
}

// The first group that waits for the same object as this group.
CUDASYNC_DEVICE const waiting_group& first_group_at(const waiting_group& group) {
  uint32 index = 0;
  while (report.groups[index].what.address() != group.what.address())
    ++index;
  return report.groups[index];
}

// The threads of this block that wait for an object.
inline __device__ __noinline__ void collect_waiters(uint64 address) {
  report.waiting_here.clear();
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < report.number_of_groups; ++index)
    if (report.groups[index].what.address() == address) report.waiting_here.add(report.groups[index].set);
}

// How many threads of all blocks wait for an object.
inline __device__ __noinline__ uint32 threads_that_wait_for(uint64 address) {
  uint32 threads = 0;
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < report.number_of_groups; ++index)
    if (report.groups[index].what.address() == address)
      threads += report.groups[index].threads + report.groups[index].others;
  return threads;
}

// The missing threads that wait for something else.
inline __device__ __noinline__ const waiting_group* missing_group_elsewhere(uint64 address) {
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < report.number_of_groups; ++index) {
    const waiting_group& group = report.groups[index];
    if (group.what.address() != address && group.threads != 0 && group.set.meets(report.missing)) return &group;
  }
  return nullptr;
}

// --- Arrivals ---

// The two words of a thread: the word of all lanes of its warp together, and its own.
CUDASYNC_DEVICE uint64 word_together(const object_record& record, uint32 rank) {
  return in_epoch(record, read_far(record.warps[rank / 32 % 32].arrivals_together));
}
CUDASYNC_DEVICE uint64 word_apart(const object_record& record, uint32 rank) {
  return in_epoch(record, read_far(record.warps[rank / 32 % 32].arrivals[rank % 32]));
}

inline __device__ __noinline__ uint32 arrivals_of(const object_record& record, uint32 rank) {
  return number_of(word_together(record, rank)) + number_of(word_apart(record, rank));
}

inline __device__ __noinline__ bool has_flag(const object_record& record, uint32 rank, uint32 flag) {
  return ((word_together(record, rank) | word_apart(record, rank)) & flag) != 0;
}

// The word of the last wait of a thread, without the epoch: its own, or that of the lanes of its warp together. 0:
// none.
inline __device__ __noinline__ uint32 word_of_waits(const object_record& record, uint32 rank) {
  const warp_attendance& warp = record.warps[rank / 32 % 32];
  const uint32 apart = static_cast<uint32>(in_epoch(record, read_far(warp.waits[rank % 32]))) & ~attendance::epoch;
  const uint32 together = static_cast<uint32>(in_epoch(record, read_far(warp.waits_together))) & ~attendance::epoch;
  return together != 0 && (apart == 0 || (apart & waits_continued) != 0) ? together : apart;
}

// The number of the last waits in a row that were for this parity.
CUDASYNC_DEVICE uint32 waits_in_a_row(const object_record& record, uint32 rank, bool parity) {
  const uint32 word = word_of_waits(record, rank);
  return (word & 1) == parity ? (word & waits_count) / 2 : 0;
}

CUDASYNC_DEVICE bool has_kept_parity(const object_record& record, uint32 rank) {
  return record.who == role::none &&
         (waits_in_a_row(record, rank, false) > 1 || waits_in_a_row(record, rank, true) > 1);
}

// A barrier of the block, this one first, at which a thread has waited for the same parity several times in a row.
inline __device__ __noinline__ const object_record* barrier_with_kept_parity(const object_record& record, uint32 rank) {
  if (has_kept_parity(record, rank)) return &record;
  CUDASYNC_NO_UNROLL
  for (const object_record& other : objects)
    if (other.key != 0 && other.block == record.block && other.times != 0 && has_kept_parity(other, rank))
      return &other;
  return nullptr;
}

// Whether the first wait of a thread was for parity 1, and whether all of its waits were.
CUDASYNC_DEVICE bool has_waited_for_odd_first(const object_record& record, uint32 rank) {
  return (word_of_waits(record, rank) & waits_began_odd) != 0;
}
CUDASYNC_DEVICE bool has_only_waited_for_odd(const object_record& record, uint32 rank) {
  return (word_of_waits(record, rank) & (1 | waits_began_odd | waits_changed)) == (1 | waits_began_odd);
}

// Fills the set with the threads that a function selects.
template <class Function>
CUDASYNC_DEVICE void select_threads(thread_set& set, Function is_wanted) {
  set.clear();
  CUDASYNC_NO_UNROLL
  for (uint32 rank = 0; rank < threads_of_block(); ++rank)
    if (is_wanted(rank)) set.add(rank);
}

// The number of arrivals that most of the threads that arrived have made.
inline __device__ __noinline__ uint32 usual_arrivals(const object_record& record) {
  uint32 usual = 0;
  uint32 votes = 0;
  CUDASYNC_NO_UNROLL
  for (uint32 rank = 0; rank < threads_of_block(); ++rank) {
    const uint32 arrivals = arrivals_of(record, rank);
    if (arrivals == 0) continue;
    if (votes == 0) usual = arrivals;
    votes += arrivals == usual ? 1 : ~uint32{0};
  }
  return usual;
}

// Adds to report.missing the threads that arrive at the corresponding barriers of other stages.
inline __device__ __noinline__ void add_arrivals_at_other_stages(const object_record& record) {
  CUDASYNC_NO_UNROLL
  for (const object_record& other : objects) {
    if (other.key == 0 || other.block != record.block || other.times == 0 || other.who != record.who) continue;
    if (other.from != record.from || other.expected != record.expected) continue;
    if (other.address - record.address + 4096 > 8192) continue;
    CUDASYNC_NO_UNROLL
    for (uint32 rank = 0; rank < threads_of_block(); ++rank)
      if (arrivals_of(other, rank) != 0) report.missing.add(rank);
  }
}

inline __device__ __noinline__ uint32 total_arrivals(const object_record& record) {
  uint32 total = 0;
  CUDASYNC_NO_UNROLL
  for (uint32 rank = 0; rank < threads_of_block(); ++rank)
    total += arrivals_of(record, rank);
  return total;
}

// The other barrier of the same stage of a pipeline: the nearest one that the same init made. Null if it is not known.
inline __device__ __noinline__ const object_record* partner_of(const object_record& record) {
  const object_record* partner = nullptr;
  uint32 least = ~uint32{0};
  CUDASYNC_NO_UNROLL
  for (const object_record& other : objects) {
    if (other.key == 0 || other.block != record.block || other.times == 0 || other.from != record.from) continue;
    if (other.who == role::none || other.who == record.who || other.stage != record.stage) continue;
    const uint32 up = other.address - record.address;
    const uint32 distance = up < 0x80000000 ? up : 0 - up;
    if (distance >= least) continue;
    least = distance;
    partner = &other;
  }
  return partner;
}

// Whether consumers have released a stage more often than producers, which arrive at full, have filled it.
inline __device__ __noinline__ bool is_released_too_often(const object_record& empty, const object_record& full,
                                                          uint32 fills) {
  if (empty.remote != 0 || full.remote != 0 || empty.drops != 0 || full.drops != 0) return false;
  return uint64{total_arrivals(empty)} * full.expected > uint64{fills} * empty.expected;
}

// Whether more threads arrive than a phase expects, according to report.found. The consumers of a ring are the same
// threads in all rounds.
CUDASYNC_DEVICE bool has_more_arrivers(const object_record& record) {
  return record.remote == 0 && record.drops == 0 && report.found.arrivers > report.found.expected;
}

// Counts the arrivals of all threads of the block, in report.found.
inline __device__ __noinline__ void count_arrivals(const object_record& record, const barrier_state& state) {
  attendances& found = report.found;
  found.expected = state.expected != 0 ? state.expected : record.expected - record.drops;
  found.now = found.expected - state.pending;
  found.total = 0;
  found.arrivers = 0;
  found.usual = usual_arrivals(record);
  found.are_equal = true;
  report.arrived.clear();
  report.twice.clear();
  CUDASYNC_NO_UNROLL
  for (uint32 rank = 0; rank < threads_of_block(); ++rank) {
    const uint32 arrivals = arrivals_of(record, rank);
    found.total += arrivals;
    if (arrivals == 0) continue;
    ++found.arrivers;
    report.arrived.add(rank);
    if (arrivals != found.usual) found.are_equal = false;
    if (has_flag(record, rank, attendance::twice_in_a_phase)) report.twice.add(rank);
  }
  found.complete = not_counted;
  if (record.is_of_cluster == 0 && record.remote == 0 && record.drops == 0 && found.total >= found.now &&
      found.expected != 0 && (found.total - found.now) % found.expected == 0)
    found.complete = (found.total - found.now) / found.expected;
  if (record.is_of_cluster != 0 && !state.parity && found.total <= found.now) found.complete = 0;
}

// Determines which threads should have arrived and have not: report.missing.
inline __device__ __noinline__ void compare_arrivals(const waiting_group& group) {
  const object_record& record = *group.record;
  attendances& found = report.found;
  count_arrivals(record, group.state);
  // If a thread has arrived once in each phase, the others should have, too.
  if (found.complete != not_counted && found.now != 0) CUDASYNC_NO_UNROLL
  for (uint32 rank = 0; rank < threads_of_block(); ++rank)
    if (arrivals_of(record, rank) == found.complete + 1) found.usual = found.complete + 1;
  found.is_sure = true;
  if (found.now == 0 && found.arrivers != 0) {
    report.missing.assign(report.arrived);
    return;
  }
  select_threads(report.missing, [&record](uint32 rank) {
    const uint32 arrivals = arrivals_of(record, rank);
    return arrivals != 0 && arrivals < report.found.usual && !has_flag(record, rank, attendance::has_dropped);
  });
  if (report.missing.size() != 0) return;
  if (record.who != role::none) {
    add_arrivals_at_other_stages(record);
    report.missing.remove(report.arrived);
    if (report.missing.size() != 0) return;
  }
  // Threads that have never arrived may be expected to arrive. Threads that wait here are not, unless some of the
  // waiting threads have arrived.
  found.is_sure = false;
  select_threads(report.missing, [](uint32 rank) { return !report.arrived.has(rank); });
  collect_waiters(record.address);
  if (!report.waiting_here.meets(report.arrived) && report.missing.size() > report.waiting_here.size())
    report.missing.remove(report.waiting_here);
}

// The missing threads that do not wait anywhere.
CUDASYNC_DEVICE void collect_idle() {
  report.idle.assign(report.missing);
  report.idle.remove(report.waiting);
}

// --- The state of a barrier ---

// Another barrier of the block that gets more bytes from copies than it expects.
inline __device__ __noinline__ const object_record* barrier_with_foreign_bytes(const object_record& mine) {
  CUDASYNC_NO_UNROLL
  for (const object_record& other : objects)
    if (&other != &mine && other.key != 0 && other.block == mine.block && other.times != 0 &&
        other.copied.bytes > other.expects.bytes)
      return &other;
  return nullptr;
}

// The state that follows from the recorded arrivals, for a barrier whose own state is not readable.
CUDASYNC_DEVICE barrier_state state_from_arrivals(const object_record& record) {
  barrier_state state{};
  if (record.remote != 0 || record.is_of_cluster != 0 || record.drops != 0 || record.expected == 0 ||
      record.expects.bytes != 0)
    return state;
  const uint32 total = total_arrivals(record);
  state.expected = record.expected;
  state.pending = record.expected - total % record.expected;
  state.parity = total / record.expected % 2 != 0;
  state.is_known = true;
  return state;
}

inline __device__ __noinline__ void look_at(waiting_group& group) {
  const waiting_group& first = first_group_at(group);
  if (&first != &group) {
    group.state = first.state;
    return;
  }
  if (group.what.what() != kind::barrier) return;
  const ptx::shared_address bar{static_cast<uint32>(group.what.address())};
  if (group.record == nullptr || group.record->is_readable != 0) {
    // Only a kernel that ends can do without its barriers.
    group.state = action_after_report() == after_report::trap ? whole_state_of(barrier_target{}, bar)
                                                              : state_of(barrier_target{}, bar);
    group.state.is_known = group.record != nullptr;
  } else {
    group.state = state_from_arrivals(*group.record);
  }
  const object_record* const record = find(bar.value);
  group.state.early = record != nullptr ? record->early : 0;
}

}  // namespace checked
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
