// The evidence for the cause of a hang at a barrier, or of an arrival too many.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_FIND_CAUSE_DEVICE_H
#define CUDASYNC_HANG_FIND_CAUSE_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/cause_table_device.h>
#include <cudasync/hang/cluster_device.h>
#include <cudasync/hang/evidence_device.h>
#include <cudasync/hang/kind.h>
#include <cudasync/hang/object_history_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/sentence_device.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

CUDASYNC_DEVICE const object_record* empty_barrier_of(const waiting_group& at) {
  return at.record->who == role::consumer ? partner_of(*at.record) : nullptr;
}

// Whether bytes were expected in this phase, by a call that does not arrive.
inline __device__ __noinline__ bool expects_without_arrival(const waiting_group& at) {
  const byte_count& expects = at.record->expects;
  if (expects.bytes == 0 || at.state.pending != at.record->expected || at.what.who() != role::none) return false;
  if (at.state.bytes > 0 || total_arrivals(*at.record) == 0) return true;
  const lone_expectation last{expects.beyond};
  const uint32 arrivals = arrivals_of(*at.record, last.rank());
  return arrivals != 0 && last.is_last_of(arrivals, at.state.parity);
}

inline __device__ __noinline__ bool arrives_by_one_lane_of_each_warp() {
  const attendances& found = report.found;
  if (found.expected * 32 < threads_of_block() + 32) return false;  // the count may be that of the warps
  return found.arrivers > 1 && found.arrivers < found.expected && found.usual == found.complete + 1 &&
         report.arrived.has_one_of_each_warp();
}

// Whether the missing threads wait at one place with all that have arrived: they have passed the arrival.
inline __device__ __noinline__ bool have_missing_passed(const waiting_group& at) {
  const waiting_group* const other = missing_group_elsewhere(at.what);
  if (other == nullptr || report.found.usual != report.found.complete + 1) return false;
  report.idle.assign(report.arrived);
  report.idle.remove(other->set);
  return report.idle.size() == 0;
}

inline __device__ __noinline__ const waiting_group* waiting_scheduler() {
  return find_group([](const waiting_group& at) { return at.what.who() == role::scheduler; });
}

CUDASYNC_DEVICE void look_at_object(finding& found, const waiting_group& at) {
  found.add_if(at.record == nullptr, evidence::has_no_record);
  found.add_if(has_lost_records(), evidence::lost_records);
  found.add_if(at.what.who() != role::none, evidence::is_of_ring);
  found.add_if(is_of_queue(at.what.who()), evidence::is_of_queue);
  found.add_if(at.record != nullptr && is_of_turns(*at.record), evidence::is_of_turns);
  found.add_if(waiting_scheduler() != nullptr, evidence::has_scheduler);
  found.add_if(at.record != nullptr && !at.state.is_known, evidence::is_unreadable);
  found.add_if(is_overwritten(at), evidence::is_overwritten);
}

inline __device__ __noinline__ void look_at_bytes(finding& found, const waiting_group& at) {
  const object_record& record = *at.record;
  const bytes_of_cluster others = bytes_from_others(record.address);
  const uint64 expected = record.expects.bytes;
  const uint64 copied = record.copied.bytes + others.bytes;
  found.bits |= evidence::waits_for_bytes;
  const opposite_block opposite = opposite_of(record);
  found.add_if(opposite.is_sure, evidence::has_misplaced_bytes);
  // In a cluster, bytes not known to be copied are of other blocks, as are those beyond all expected, or of boxes.
  found.add_if(
      !others.are_known || opposite.rounds < read_far(record.expects.times) ||
          (copied < expected && are_senders_late(at, others.bytes)) || (at.state.bytes < 0 && copied <= expected) ||
          (record.is_of_cluster != 0 && at.state.bytes > 0 && copied + static_cast<uint32>(at.state.bytes) < expected),
      evidence::has_remote);
  found.add_if(copied < expected && barrier_with_foreign_bytes(record) != nullptr, evidence::has_foreign_bytes);
  found.add_if(expected == 0, evidence::expects_nothing);
  found.add_if(copied == expected, evidence::are_bytes_equal);
}

// Who releases and fills the stage of a pipeline. Leaves report.found as compare_arrivals(at) does.
inline __device__ __noinline__ void look_at_stage(finding& found, const waiting_group& at) {
  if (const object_record* const empty = empty_barrier_of(at)) {
    found.fills = total_arrivals(*at.record);
    count_arrivals(*empty, state_in_wait({empty->address}));
    found.add_if(has_more_arrivers(*empty), evidence::has_more_consumers);
    compare_arrivals(at);
  }
  const bool is_for_producers = at.what.who() == role::producer;
  found.add_if(is_for_producers, evidence::is_for_producers);
  const object_record* const full = is_for_producers ? partner_of(*at.record) : nullptr;
  if (full == nullptr) return;
  found.fills = total_arrivals(*full);
  found.add_if(has_more_arrivers(*at.record), evidence::has_more_consumers);
  found.add_if(is_released_too_often(*at.record, *full, found.fills), evidence::has_more_releases);
  found.add_if(stage_with_more_releases(*at.record) != nullptr, evidence::has_wrong_stage);
}

// How often the blocks of a cluster arrive, and whether the phase is one of several that are over.
inline __device__ __noinline__ void look_at_blocks(finding& found, const waiting_group& at) {
  const attendances& arrivals = report.found;
  const object_record& record = *at.record;
  const uint32 complete = complete_phases(at);
  found.add_if(has_missed_phase(at, complete), evidence::missed_phase);
  const bool is_certain =
      found.has(evidence::missed_phase) &&
      ((waits_alone(at) && !found.has(evidence::repeated_parity)) || side_released_by_others(at) != nullptr);
  found.add_if(is_certain || is_overtaken(at, complete), evidence::was_overtaken);
  if (record.is_of_cluster == 0) return;
  found.bits |= evidence::is_of_cluster;
  found.add_if(arrivals.now <= arrivals.total && !has_senders(record), evidence::has_no_sender);
  found.add_if(lost_arrivals_of_cluster(at) != 0, evidence::lost_of_cluster);
  found.add_if(complete - 1 < not_counted - 1, evidence::has_whole_phases);
  found.add_if(count_senders(record, arrivals.total).exceed(record.expected), evidence::has_more_senders);
  found.add_if(count_receivers(record.address).are_uneven(record.expected), evidence::is_uneven);
  found.add_if(arrivals_in_own_blocks(record.address) == at.state.pending, evidence::is_in_own_blocks);
}

inline __device__ __noinline__ void look_at_phase(finding& found, const waiting_group& at) {
  const attendances& arrivals = report.found;
  const object_record& record = *at.record;
  found.add_if(barrier_with_repeated_parity(found.rank) != nullptr, evidence::repeated_parity);
  look_at_blocks(found, at);
  found.add_if(!at.what.is_parity_known(), evidence::is_by_token);
  found.add_if(has_skipped_the_first_phase(at), evidence::skipped_phase);
  found.add_if(has_kept_its_parity(at), evidence::kept_parity);
  found.rank = at.set.first();  // arrives, or waits for bytes, and began with the phase before the first one?
  found.add_if(at.is_by_parity() && at.what.who() == role::none &&
                   (has_arrived(record, found.rank) || record.expects.bytes != 0) &&
                   has_begun_too_far(record, found.rank, 1),
               evidence::began_odd);
  found.add_if(expects_without_arrival(at), evidence::only_expects);
  found.add_if(arrivals.arrivers == 0 && record.remote == 0 && record.is_of_cluster == 0, evidence::never_arrived);
  found.add_if(arrivals.arrivers == 0 && barrier_in_place_of(record) != nullptr, evidence::is_confused);
  // The second init found none pending, but the last call of the missing threads is this wait: they arrived before.
  found.add_if(record.times >= 2 && arrivals.complete == 0 && report.missing.size() != 0 &&
                   last_call_of_thread(report.missing.first()).bits == at.from,
               evidence::lost_arrivals);
}

inline __device__ __noinline__ void look_at_counts(finding& found) {
  const attendances& arrivals = report.found;
  const bool is_counted = arrivals.complete != not_counted;
  found.add_if(arrivals.is_sure, evidence::is_sure);
  found.add_if(report.waiting_here.meets(report.missing), evidence::missing_wait_here);
  found.add_if(is_counted && arrivals.complete != 0 && arrivals.are_equal && arrivals.usual <= arrivals.complete,
               evidence::is_round_complete);
  found.add_if(arrives_by_one_lane_of_each_warp(), evidence::is_by_leaders);
  found.add_if(arrivals.complete == 0 && arrivals.are_equal && arrivals.usual > 1 && arrivals.total == arrivals.now,
               evidence::is_by_updates);
  found.add_if(arrivals.expected > threads_of_block(), evidence::expects_above_block);
  found.add_if(arrivals.arrivers == 1 && arrivals.now == 1, evidence::is_by_one);
  found.add_if(report.twice.size() != 0 && report.twice.size() < arrivals.arrivers, evidence::some_twice);
  report.idle.assign(report.arrived);
  report.idle.remove(report.missing);
  found.add_if(is_counted && arrivals.now * 2 <= report.missing.size() && report.idle.size() == arrivals.now,
               evidence::some_once_more);
}

// Fills report.idle with the threads of report.missing that do not wait at an object of the chain.
inline __device__ __noinline__ void collect_outsiders() {
  report.idle.assign(report.missing);
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < chain.length; ++index)
    report.idle.remove(chain.groups[index]->set);
}

// Whether the missing threads of the warps that have arrived are as many as are missing. Leaves only them.
inline __device__ __noinline__ bool select_rest_of_warps(uint32 pending) {
  report.idle.assign(report.missing);
  report.idle.remove_warps_of(report.arrived);
  if (report.missing.size() - report.idle.size() != pending) return false;
  report.missing.remove(report.idle);
  return true;
}

// The threads that are missing, if it is not certain: of the warps that have arrived, or of others, if one lane of each
// arrives and they have passed it; those that wait nowhere or elsewhere, if enough; or from before the last init.
inline __device__ __noinline__ void select_missing(const waiting_group& at) {
  if (select_rest_of_warps(at.state.pending)) return;
  if (report.arrived.has_one_of_each_warp() && have_missing_passed(at)) {
    report.idle.assign(missing_group_elsewhere(at.what)->set);
    report.idle.remove_warps_of(report.arrived);
    if (report.idle.number_of_warps() == at.state.pending) return report.missing.assign(report.idle);
  }
  collect_idle();
  if (report.idle.size() < at.state.pending) collect_outsiders();
  if (report.idle.size() >= at.state.pending) report.missing.assign(report.idle);
  if (at.record->times < 2) return;
  select_threads(report.idle,
                 [&at](uint32 rank) { return report.missing.has(rank) && has_arrived_before_init(*at.record, rank); });
  if (report.idle.size() >= at.state.pending) report.missing.assign(report.idle);
}

inline __device__ __noinline__ void look_at_missing(finding& found, const waiting_group& at) {
  const attendances& arrivals = report.found;
  if (!arrivals.is_sure) select_missing(at);
  const uint32 missing = report.missing.size();
  report.waiting_here.remove(report.arrived);
  report.idle.assign(report.waiting_here);
  report.idle.remove(report.missing);
  const bool are_missing_here = report.idle.size() == 0;
  collect_idle();
  found.add_if(missing == 0, evidence::none_missing);
  found.add_if(missing == at.state.pending && arrivals.arrivers > 1, evidence::fits_missing);
  if (!report.found.are_known()) return;
  found.add_if(missing != 0 && missing == report.waiting_here.size() && are_missing_here,
               evidence::only_waiters_missing);
  found.add_if(arrivals.complete == 0 && arrivals.are_equal &&
                   (arrivals.arrivers + missing < arrivals.expected ||
                    (report.idle.size() < at.state.pending && has_sibling_in_same_state(*at.record))),
               evidence::lacks_threads);
}

// Fills report.idle with the threads that have arrived after arrive_and_drop. Returns whether there are any.
inline __device__ __noinline__ bool has_arrival_after_drop(const object_record& record) {
  select_threads(report.idle, [&](uint32 rank) { return has_flag(record, rank, attendance::arrived_after_drop); });
  return report.idle.size() != 0;
}

inline __device__ __noinline__ void look_at_inits(finding& found, const object_record& record) {
  found.add_if(record.early != 0, evidence::has_early);
  found.add_if(barrier_made_twice(record) != nullptr, evidence::other_count);
  found.add_if(has_state_of_several_groups(record), evidence::is_shared_state);
  found.add_if(has_arrival_after_drop(record), evidence::drops_again);
}

// Why threads wait. The sets of report, and report.found, then belong to this group.
inline __device__ __noinline__ void look_for_cause(finding& found, const waiting_group& at) {
  found = {};
  look_at_object(found, at);
  if (found.has(evidence::has_no_record | evidence::is_overwritten | evidence::is_unreadable | evidence::is_of_queue))
    return;
  if (at.state.pending == 0 && !is_left_by_all(at.record)) return look_at_bytes(found, at);
  compare_arrivals(at);
  // If more arrivals were lost than are missing, the threads have made them again: the init was between two uses.
  found.add_if(at.record->arrived_before != 0 && at.record->arrived_before <= at.state.pending &&
                   report.found.complete == 0,
               evidence::interrupted);
  look_at_inits(found, *at.record);
  found.add_if(report.found.now == 0, evidence::is_phase_empty);
  found.add_if(at.state.bytes < 0, evidence::has_more_bytes);
  if (at.record->times >= 2) {
    found.bits |= evidence::was_made_again;
    found.add_if(has_waited_since_before_init(at), evidence::waits_since_before_init);
    found.add_if(has_undone_a_phase(at), evidence::undid_phase);
  }
  if (found.has(evidence::is_of_ring)) return look_at_stage(found, at);
  look_at_phase(found, at);
  collect_waiters(at.what);
  look_at_counts(found);
  look_at_missing(found, at);
}

// Whether the waits of this thread explain why it arrives too often.
inline __device__ __noinline__ bool look_at_parities(finding& found, const object_record& record, uint32 rank) {
  if (record.who != role::none || is_of_turns(record)) return false;  // the user has no parities
  found.rank = rank;
  found.add_if(has_begun_too_far(record, rank, 0), evidence::began_odd);
  found.add_if(has_flag(record, rank, attendance::twice_in_a_phase) &&
                   barrier_with_kept_parity(record, rank) != nullptr,
               evidence::kept_parity);
  return found.has(evidence::began_odd | evidence::kept_parity);
}

// An arrival in a phase that is complete but for bytes.
inline __device__ __noinline__ void look_at_full_phase(finding& found, const waiting_group& at) {
  const object_record& record = *at.record;
  found.add_if(record.expects.bytes == 0 && record.copied.bytes == 0 && record.remote == 0, evidence::has_no_bytes);
  if (record.who == role::none && record.expects.bytes != 0 && !found.has(evidence::began_odd))
    found.add_if(is_any_thread([&found, &record](uint32 rank) {
                   found.rank = rank;  // that waits for data, but has begun with the phase before the first one
                   return !has_arrived(record, rank) && has_waited_for_odd_first(record, rank);
                 }),
                 evidence::began_odd);
  const object_record* const empty = empty_barrier_of(at);
  if (empty == nullptr) return;
  found.fills = total_arrivals(record) - found.arrivals - record.expected;  // that are complete
  if (!is_released_too_often(*empty, record, found.fills)) return;
  count_arrivals(*empty, state_in_wait({empty->address}));
  found.bits |=
      report.found.arrivers > report.found.expected ? evidence::has_more_consumers : evidence::has_more_releases;
  compare_arrivals(at);
}

// At least how many arrivals of the phase no call has made: all, less the threads that arrived as often as this one.
inline __device__ __noinline__ uint32 unrecorded_arrivals(const waiting_group& at, uint32 missing, uint32 arrivals) {
  const object_record& record = *at.record;
  const uint32 own = arrivals_of(record, backend::rank_in_block());
  uint32 recorded = 0;
  const bool differ = is_any_thread([&](uint32 rank) {
    const uint32 each = arrivals_of(record, rank);
    recorded += each == own;
    return each != 0 && each - own + 1 > 1;
  });
  const uint32 made = record.expected - missing + arrivals;
  // A phase that is full, and waits for no bytes either, was written by something else.
  if (differ || is_overwritten(at) || (missing == 0 && (at.state.bits >> 32 & 0x3ff) == 0)) return 0;
  const bool is_of_phase = own == 1 || at.state.parity == (own % 2 == 0);
  return record.is_simple() && record.has_copies == 0 && is_of_phase && made > recorded ? made - recorded : 0;
}

// missing: arrivals, of the phase. arrivals: by the warp. lanes: of it that arrive.
inline __device__ __noinline__ void look_for_extra_arrivals(finding& found, const waiting_group& at, uint32 missing,
                                                            uint32 arrivals, uint32 lanes) {
  const object_record& record = *at.record;
  found = {};
  look_at_object(found, at);
  if (found.has(evidence::has_no_record)) return;
  found = {evidence::is_too_many, 0, 0, arrivals, lanes, 0, nullptr};
  found.add_if(missing == 0, evidence::is_phase_full);
  compare_arrivals(at);
  if (arrivals == lanes) found.unrecorded = unrecorded_arrivals(at, missing, arrivals);
  found.add_if(found.unrecorded != 0, evidence::has_unrecorded);
  found.add_if(is_init_in_arrival(record), evidence::is_undone);
  found.add_if(record.arrived_before != 0, evidence::interrupted);
  look_at_inits(found, record);
  found.add_if(record.is_of_cluster != 0, evidence::is_of_cluster);
  found.add_if(record.who != role::none, evidence::is_of_ring);
  found.add_if(is_of_turns(record), evidence::is_of_turns);
  found.add_if(barrier_without_arrivals(record) != nullptr, evidence::is_confused);
  if (!look_at_parities(found, record, backend::rank_in_block()) && report.twice.size() != 0)
    look_at_parities(found, record, report.twice.first());
  if (record.who == role::none && !found.has(evidence::began_odd | evidence::kept_parity))
    found.add_if(barrier_with_repeated_parity(found.rank) != nullptr, evidence::repeated_parity);
  if (record.who == role::none && report.twice.size() != 0)
    found.add_if((found.ahead = barrier_ahead_of(record)) != nullptr, evidence::is_left_behind);
  found.add_if(record.is_of_cluster != 0 && barrier_that_opens_early(backend::rank_in_block()) != nullptr,
               evidence::is_left_behind);
  found.add_if(lanes > record.expected, evidence::has_more_lanes);
  found.add_if(report.twice.size() != 0 && (report.twice.size() < report.found.arrivers || record.who != role::none),
               evidence::some_twice);
  found.add_if(report.found.arrivers > record.expected, evidence::has_more_arrivers);
  found.add_if(record.who == role::consumer && report.found.arrivers > record.expected, evidence::has_more_producers);
  if (found.has(evidence::is_phase_full)) look_at_full_phase(found, at);
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
