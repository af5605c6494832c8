// The data for the report of a hang: which threads have arrived at a barrier, and what its state is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_EVIDENCE_DEVICE_H
#define CUDASYNC_HANG_EVIDENCE_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/record_words_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/thread_set_device.h>
#include <cudasync/hang/waiting_groups_device.h>
#include <cudasync/hang/watch_device.h>
#include <cudasync/ptx/address.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// --- Arrivals ---

inline __device__ __noinline__ bool has_flag(const object_record& record, uint32 rank, uint32 flag) {
  return attendance{word_together(record, rank).bits | word_apart(record, rank).bits}.has(flag);
}

// The word of the last wait of a thread, without the epoch: its own, or that of the lanes of its warp together.
inline __device__ __noinline__ wait_history waits_of(const object_record& record, uint32 rank) {
  const warp_attendance& warp = record.warps[rank / 32 % 32];
  const auto without_epoch = [&record](uint64 word) {
    return wait_history{static_cast<uint32>(in_epoch(record, word).bits) & ~attendance::epoch};
  };
  return without_epoch(read_far(warp.waits[rank % 32])).later(without_epoch(read_far(warp.waits_together)));
}

CUDASYNC_DEVICE bool has_waited(const object_record& record, uint32 rank) {
  return !waits_of(record, rank).is_empty();
}
CUDASYNC_DEVICE bool has_waited_for_odd_first(const object_record& record, uint32 rank) {
  return waits_of(record, rank).has(wait_history::began_odd);
}
CUDASYNC_DEVICE uint32 waits_in_a_row(const object_record& record, uint32 rank, bool parity) {
  const wait_history waits = waits_of(record, rank);
  return waits.parity() == parity ? waits.waits_in_a_row() : 0;
}

inline __device__ __noinline__ bool has_kept_parity(const object_record& record, uint32 rank) {
  return record.who == role::none &&
         (waits_in_a_row(record, rank, false) > 1 || waits_in_a_row(record, rank, true) > 1);
}

// A barrier of the block, this one first, at which a thread has waited for the same parity several times in a row.
inline __device__ __noinline__ const object_record* barrier_with_kept_parity(const object_record& record, uint32 rank) {
  if (has_kept_parity(record, rank)) return &record;
  return find_record([rank](const object_record& other) { return has_kept_parity(other, rank); });
}

// A barrier at which a thread of the block has at any time waited for one parity twice in a row. rank: of that thread.
inline __device__ __noinline__ const object_record* barrier_with_repeated_parity(uint32& rank) {
  return find_record([&rank](const object_record& other) {
    return other.who == role::none && is_any_thread([&rank, &other](uint32 each) {
             rank = each;
             return waits_of(other, each).has(wait_history::has_kept);
           });
  });
}

// Whether a thread has begun with parity 1, and not to wait for its own last phase, ahead waits more than arrivals.
inline __device__ __noinline__ bool has_begun_too_far(const object_record& record, uint32 rank, uint32 ahead) {
  const uint32 arrivals = arrivals_of(record, rank);
  return has_waited_for_odd_first(record, rank) &&
         (arrivals == 0 || (waits_of(record, rank).phase() + 2 - arrivals) % 4 != ahead);
}

// Adds to the set the threads that a function selects, or fills it with them.
template <class Function>
CUDASYNC_DEVICE void add_threads(thread_set& set, Function is_wanted) {
  for_each_thread([&](uint32 rank) {
    if (is_wanted(rank)) set.add(rank);
  });
}
template <class Function>
CUDASYNC_DEVICE void select_threads(thread_set& set, Function is_wanted) {
  set.clear();
  add_threads(set, is_wanted);
}

// The number of arrivals that most of the threads that arrived have made.
inline __device__ __noinline__ uint32 usual_arrivals(const object_record& record) {
  uint32 usual = 0;
  uint32 votes = 0;
  for_each_thread([&](uint32 rank) {
    const uint32 arrivals = arrivals_of(record, rank);
    if (arrivals == 0) return;
    if (votes == 0) usual = arrivals;
    votes += arrivals == usual ? 1 : ~uint32{0};
  });
  return usual;
}

// Whether both barriers are of one side of one ring. From stage to stage, they are one or two barriers apart.
CUDASYNC_DEVICE bool is_of_same_side(const object_record& other, const object_record& record) {
  const uint32 stages = (other.stage - record.stage) * 8;
  const uint32 distance = other.address - record.address;
  return other.from == record.from && other.who == record.who && (distance == stages || distance == 2 * stages);
}

inline __device__ __noinline__ bool has_waits(const object_record& record) {
  return is_any_thread([&record](uint32 rank) { return has_waited(record, rank); });
}
// Whether some threads have waited at each of two barriers, and none at both: they are two sides of a ring.
inline __device__ __noinline__ bool are_two_sides(const object_record& other, const object_record& record) {
  return has_waits(other) && has_waits(record) &&
         !is_any_thread([&](uint32 rank) { return has_waited(other, rank) && has_waited(record, rank); });
}

// Adds to report.missing the threads that arrive at this side of other stages, or at barriers of the same init.
inline __device__ __noinline__ void add_arrivals_at_other_stages(const object_record& record) {
  for_each_record([&record](const object_record& other) {
    if (record.who != role::none ? is_of_same_side(other, record)
                                 : is_sibling(other, record) && !are_two_sides(other, record))
      add_threads(report.missing, [&other](uint32 rank) { return has_arrived(other, rank); });
  });
}

// Adds threads that do not wait here, but arrive repeatedly at another barrier of the init, to report.missing.
inline __device__ __noinline__ bool is_used_sibling(const waiting_group& at, const object_record& other) {
  if (!is_sibling(other, *at.record) || other.times != 1) return false;
  if (usual_arrivals(other) < 2 || are_two_sides(other, *at.record)) return false;
  select_threads(report.idle, [&](uint32 rank) { return has_arrived(other, rank) && !at.set.has(rank); });
  report.missing.add(report.idle);
  return report.idle.size() != 0;
}

inline __device__ __noinline__ uint32 used_siblings(const waiting_group& at) {
  report.missing.clear();
  uint32 barriers = 0;
  for_each_record([&](const object_record& other) { barriers += is_used_sibling(at, other); });
  return barriers;
}

inline __device__ __noinline__ uint32 total_arrivals(const object_record& record) {
  return sum_over_threads([&record](uint32 rank) { return arrivals_of(record, rank); });
}
// How often all arrivals of a phase have been made: how often a stage was filled, or released.
CUDASYNC_DEVICE uint32 rounds_of(const object_record& record) {
  return total_arrivals(record) / record.expected;
}

// Whether all threads that have arrived at one barrier have waited at another one.
inline __device__ __noinline__ bool have_arrivers_waited(const object_record& arrived, const object_record& waited) {
  return !is_any_thread([&](uint32 rank) { return has_arrived(arrived, rank) && !has_waited(waited, rank); });
}

// The other barrier of a stage: the nearest of its init, above the filled one or below the released one. Or null.
inline __device__ __noinline__ const object_record* partner_of(const object_record& record) {
  return record_with_least([&record](const object_record& other) {
    if (other.from != record.from || other.who == role::none || other.who == record.who || other.stage != record.stage)
      return not_counted;
    const uint32 distance = fills_stages(record.who) ? record.address - other.address : other.address - record.address;
    return distance > 0x7fffffff ? not_counted : distance;
  });
}

// Whether consumers have released a stage more often than producers, which arrive at full, have filled it.
inline __device__ __noinline__ bool is_released_too_often(const object_record& empty, const object_record& full,
                                                          uint32 fills) {
  if (empty.remote != 0 || full.remote != 0 || empty.drops != 0 || full.drops != 0) return false;
  return uint64{total_arrivals(empty)} * full.expected > uint64{fills} * empty.expected;
}

// Whether more threads arrive than a phase expects. The consumers of a ring are the same threads in all rounds.
CUDASYNC_DEVICE bool has_more_arrivers(const object_record& record) {
  return record.remote == 0 && record.drops == 0 && report.found.arrivers > report.found.expected;
}

inline __device__ __noinline__ void count_arrivals(const object_record& record, const barrier_state& state) {
  attendances& found = report.found;
  found.expected = state.expected != 0 ? state.expected : record.expected - record.drops;
  found.now = found.expected - state.pending;
  found.total = 0;
  found.usual = usual_arrivals(record);
  found.are_equal = true;
  report.arrived.clear();
  report.twice.clear();
  for_each_thread([&](uint32 rank) {
    const uint32 arrivals = arrivals_of(record, rank);
    found.total += arrivals;
    if (arrivals == 0) return;
    report.arrived.add(rank);
    if (arrivals != found.usual) found.are_equal = false;
    if (has_flag(record, rank, attendance::twice_in_a_phase)) report.twice.add(rank);
  });
  found.arrivers = report.arrived.size();
  found.complete = not_counted;
  if (record.is_simple() && found.total >= found.now && found.expected != 0 &&
      (found.total - found.now) % found.expected == 0)
    found.complete = (found.total - found.now) / found.expected;
  // Arrivals that are not counted: of other blocks, or counted just before the last init.
  if (!state.parity && found.total <= found.now) found.complete = 0;
}

// The phases of a barrier at which one of report.twice waits, and whose arrivers wait at this one, or not_counted.
inline __device__ __noinline__ uint32 phases_beside(const object_record& record, const object_record& other) {
  if (&other == &record || other.who != role::none || !other.is_simple()) return not_counted;
  if (other.expected == 0 || !has_waited(other, report.twice.first())) return not_counted;
  return have_arrivers_waited(other, record) ? rounds_of(other) : not_counted;
}

// A barrier that completes several phases in one phase of this barrier, although the threads that arrive there wait
// here: of those at which a thread of report.twice waits, the one with the fewest phases. Null if there is none.
inline __device__ __noinline__ const object_record* barrier_ahead_of(const object_record& record) {
  const object_record* const slowest =
      record_with_least([&record](const object_record& other) { return phases_beside(record, other); });
  if (slowest == nullptr) return nullptr;
  return phases_beside(record, *slowest) >= report.found.least_complete() + 2 ? slowest : nullptr;
}

// Determines which threads should have arrived and have not: report.missing.
inline __device__ __noinline__ void compare_arrivals(const waiting_group& group) {
  const object_record& record = *group.record;
  attendances& found = report.found;
  count_arrivals(record, group.state);
  // If a thread has arrived once in each phase, the others should have, too.
  if (found.complete != not_counted && found.now != 0 &&
      is_any_thread([&](uint32 rank) { return arrivals_of(record, rank) == found.complete + 1; }))
    found.usual = found.complete + 1;
  found.is_sure = true;
  if (found.now == 0 && found.arrivers != 0) return report.missing.assign(report.arrived);
  select_threads(report.missing, [&record](uint32 rank) {
    const uint32 arrivals = arrivals_of(record, rank);
    return arrivals != 0 && arrivals < report.found.usual && !has_flag(record, rank, attendance::has_dropped);
  });
  if (report.missing.size() != 0) return;
  if (record.who != role::none || (found.arrivers == 0 && !is_of_turns(record))) {
    add_arrivals_at_other_stages(record);
    report.missing.remove(report.arrived);
    const uint32 others = report.missing.size();
    collect_waiters(group.what);
    if (record.who != role::none ? others != 0
                                 : others == record.expected && !report.waiting_here.meets(report.missing))
      return;
  }
  // Threads that have never arrived may be expected to, but not those that wait here, unless some of them have.
  found.is_sure = false;
  select_threads(report.missing, [](uint32 rank) { return !report.arrived.has(rank); });
  collect_waiters(group.what);
  if (!report.waiting_here.meets(report.arrived) && report.missing.size() > report.waiting_here.size())
    report.missing.remove(report.waiting_here);
  if (!is_of_turns(record) || record.index % 1024 == 0) return;
  // Threads that wait for the turn of another group than the one before are not missing at a turn.
  for_each_group([&record](const waiting_group& at) {
    if (at.record != nullptr && is_of_turns(*at.record) && at.record->from == record.from &&
        at.record->index % 1024 + 1 != record.index % 1024)
      report.missing.remove(at.set);
  });
}

// Whether no thread has arrived at the barrier of a group, nor at those of the same init.
inline __device__ __noinline__ bool is_without_arrivals(const waiting_group& at) {
  if (at.record == nullptr || at.threads == 0 || arrivers_at(*at.record) != 0) return false;
  return find_sibling(*at.record, [](const object_record& other) { return arrivers_at(other) != 0; }) == nullptr;
}

// Whether the missing threads of a group wait at another barrier. Functions of their own take fewer registers.
inline __device__ __noinline__ bool is_missing_at(const waiting_group& at, const waiting_group& other) {
  return other.what.what() == kind::barrier && !other.what.is_same_object(at.what) && other.threads != 0 &&
         other.set.meets(report.missing);
}
inline __device__ __noinline__ bool is_idle_at(const waiting_group& at, const waiting_group& other) {
  return is_missing_at(at, other) && !other.set.meets(report.active);
}
inline __device__ __noinline__ bool may_wait_for(const waiting_group& at, const waiting_group& other) {
  return is_missing_at(at, other) && other.record != nullptr &&
         (is_without_arrivals(other) || has_arrived(*other.record, at.set.first()));
}

// The group of the missing threads that wait elsewhere. If it is uncertain, those that have never arrived come first.
inline __device__ __noinline__ const waiting_group* likely_group_elsewhere(const waiting_group& at) {
  const waiting_group* const first = missing_group_elsewhere(at.what);
  if (report.found.is_sure || first == nullptr) return first;
  const waiting_group* found = find_group([&at](const waiting_group& other) {
    return is_idle_at(at, other) && other.record != nullptr && arrivers_at(*other.record) == 0;
  });
  if (found == nullptr) found = find_group([&at](const waiting_group& other) { return is_idle_at(at, other); });
  if (found == nullptr) found = find_group([&at](const waiting_group& other) { return may_wait_for(at, other); });
  return found != nullptr ? found : first;
}

inline __device__ __noinline__ void collect_idle() {
  report.idle.assign(report.missing);
  report.idle.remove(report.waiting);
}

// --- The state of a barrier ---

// Another barrier of the block that gets more bytes from copies than it expects.
inline __device__ __noinline__ const object_record* barrier_with_foreign_bytes(const object_record& mine) {
  return find_record(
      [&mine](const object_record& other) { return &other != &mine && other.copied.bytes > other.expects.bytes; });
}

// The state that follows from the recorded arrivals, if no bytes are.
CUDASYNC_DEVICE barrier_state state_from_arrivals(const object_record& record) {
  if (!record.is_simple() || record.expected == 0 || record.expects.bytes + record.copied.bytes != 0) return {};
  const uint32 total = total_arrivals(record);
  const uint32 pending = record.expected - total % record.expected;
  return {0, pending, record.expected, 0, total / record.expected % 2 != 0, 0, true, false};
}

inline __device__ __noinline__ void look_at(waiting_group& group) {
  const waiting_group& first = first_group_at(group);
  if (&first != &group) {
    group.state = first.state;
    return;
  }
  if (group.what.what() != kind::barrier) return;
  const ptx::shared_address bar{static_cast<uint32>(group.what.address())};
  group.state = group.record != nullptr ? state_from_arrivals(*group.record) : barrier_state{};
  if (group.record == nullptr || group.record->is_readable != 0) {
    const barrier_state found = state_in_wait(bar);
    if (!group.state.is_known || group.state.pending != found.pending || group.state.parity != found.parity) {
      // Only a kernel that ends can do without its barriers.
      const bool ends_barrier = action_after_report() == after_report::trap && !is_left_by_all(group.record);
      report.ends_barriers |= ends_barrier;
      group.state = ends_barrier ? whole_state_of(barrier_target{}, bar) : found;
      group.state.is_known = group.record != nullptr;
    }
  }
  const object_record* const record = find(bar.value);
  group.state.early = record != nullptr ? record->early : 0;
}

// Whether the barrier of a wait is as it was when that wait looked at it. Other objects count as unchanged.
inline __device__ __noinline__ bool is_unchanged(subject what, uint64 value) {
  const ptx::shared_address bar{static_cast<uint32>(what.address())};
  if (what.what() != kind::barrier || state_in_wait(bar).bits == value) return true;
  return find(bar.value) != nullptr && total_arrivals(*find(bar.value)) == value;
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
