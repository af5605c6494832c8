// What has happened to an object besides its arrivals: other writes, several inits, releases of a wrong stage.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_OBJECT_HISTORY_DEVICE_H
#define CUDASYNC_HANG_OBJECT_HISTORY_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/evidence_device.h>
#include <cudasync/hang/kind.h>
#include <cudasync/hang/object_table_device.h>
#include <cudasync/hang/record_words_device.h>
#include <cudasync/hang/registry_device.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// --- Other writes ---

// Whether the state contradicts the count given to init, so something else has written to the memory of the barrier. On
// sm_90, a phase that waits for neither arrivals nor bytes is complete, so no barrier has that state.
CUDASYNC_DEVICE bool is_overwritten(const object_record& record, const barrier_state& state) {
  if (record.is_readable == 0) return false;
  return state.pending > record.expected || state.expected > record.expected ||
         (state.expected != 0 && state.expected != record.expected && record.is_simple()) ||
         (state.is_whole && state.pending == 0 && state.bytes == 0);
}
CUDASYNC_DEVICE bool is_overwritten(const waiting_group& at) {
  return at.record != nullptr && at.state.is_known && is_overwritten(*at.record, at.state);
}

// The object that begins next below an address of the block's shared memory, or above it. Null if none is known.
inline __device__ __noinline__ const object_record* neighbor_of(const object_record& record, bool is_above) {
  return record_with_least([&record, is_above](const object_record& other) {
    if (&other == &record || other.address >= address_of_named_barriers || (other.address > record.address) != is_above)
      return not_counted;
    return is_above ? other.address - record.address : record.address - other.address;
  });
}

// --- Several inits ---

// This barrier, or one of the same ring, if an init with another count came before any arrival. Null if there is none.
inline __device__ __noinline__ const object_record* barrier_made_twice(const object_record& record) {
  if (record.has_other_count()) return &record;
  if (record.who == role::none) return nullptr;
  return find_record([&record](const object_record& other) {
    return other.has_other_count() && (other.from == record.from || other.unused_from == record.from);
  });
}

// Whether a word was written before the last init of the object. A word without a number was never written.
template <class Word>
CUDASYNC_DEVICE bool is_of_earlier_init(const object_record& record, Word word) {
  const uint32 inits = (static_cast<uint32>(read_near(record.state) - word.bits) & attendance::epoch) >> 8;
  return word.number() != 0 && inits != 0 && inits < (record.times != 0 ? record.times : record.inits);
}

// Whether a thread arrived, or waited, before the last init.
inline __device__ __noinline__ bool has_arrived_before_init(const object_record& record, uint32 rank) {
  const warp_attendance& warp = record.warps[rank / 32 % 32];
  return is_of_earlier_init(record, attendance{read_far(warp.arrivals_together)}) ||
         is_of_earlier_init(record, attendance{read_far(warp.arrivals[rank % 32])});
}
inline __device__ __noinline__ bool has_waited_before_init(const object_record& record, uint32 rank) {
  const warp_attendance& warp = record.warps[rank / 32 % 32];
  return is_of_earlier_init(record, wait_history{read_far(warp.waits_together)}) ||
         is_of_earlier_init(record, wait_history{read_far(warp.waits[rank % 32])});
}

// Fills report.twice with the threads that used an object of several inits before the last one, and not since.
inline __device__ __noinline__ uint32 collect_undone(const object_record& record) {
  select_threads(report.twice, [&record](uint32 rank) {
    return has_arrived_before_init(record, rank) && !has_arrived(record, rank);
  });
  return report.twice.size();
}

// Whether a thread waits for a phase of before the last init: since then, it has neither waited nor got a token.
inline __device__ __noinline__ bool has_waited_since_before_init(const waiting_group& at) {
  if (at.set.size() == 0) return false;
  const uint32 rank = at.set.first();
  if (at.what.is_parity_known()) return !has_waited(*at.record, rank) && has_waited_before_init(*at.record, rank);
  return !has_arrived(*at.record, rank) && has_arrived_before_init(*at.record, rank);
}

// Whether threads arrived before the last init, and the first wait of this thread came after it.
inline __device__ __noinline__ bool has_undone_a_phase(const waiting_group& at) {
  return at.is_by_parity() && !has_waited_before_init(*at.record, at.set.first()) &&
         is_any_thread([&at](uint32 rank) { return has_arrived_before_init(*at.record, rank); });
}

// Whether an init came between the record of this thread's arrival and the arrival: numbers of the phase mean nothing.
inline __device__ __noinline__ bool is_init_in_arrival(const object_record& record) {
  const uint32 rank = backend::rank_in_block();
  return record.times >= 2 && !has_arrived(record, rank) && has_arrived_before_init(record, rank);
}

// Whether a barrier is of a pipeline. Its role is known only after a wait; but its init has made others, too.
inline __device__ __noinline__ bool is_of_pipeline(const object_record& record) {
  return has_record(
      [&record](const object_record& other) { return other.from == record.from && other.who != role::none; });
}

// Whether more threads have arrived, since any of several inits, than a phase expects: at the stages of a pipeline, or
// at a barrier that was initialized twice before any arrival. Fills report.idle with them.
inline __device__ __noinline__ bool has_state_of_several_groups(const object_record& record) {
  if (record.times < 2 || (record.unused_count != record.expected && !is_of_pipeline(record))) return false;
  report.idle.clear();
  for_each_record([&record](const object_record& each) {
    if (is_of_same_side(each, record))
      add_threads(report.idle,
                  [&each](uint32 rank) { return has_arrived(each, rank) || has_arrived_before_init(each, rank); });
  });
  return report.idle.size() > record.expected;
}

// --- Parities ---

// Whether the first thread of a group waits for the same parity as in its wait before, at the same barrier.
inline __device__ __noinline__ bool has_kept_its_parity(const waiting_group& at) {
  return at.is_by_parity() && waits_in_a_row(*at.record, at.set.first(), at.what.parity()) > 1;
}

// Whether a thread has begun with parity 1 at all other barriers of the init for which it has waited, like a producer.
inline __device__ __noinline__ bool begins_with(bool parity, const object_record& other, uint32 rank) {
  return has_waited(other, rank) && has_waited_for_odd_first(other, rank) == parity;
}
inline __device__ __noinline__ bool begins_odd_elsewhere(const object_record& record, uint32 rank) {
  const auto begins = [&](bool parity) {
    return find_sibling(record, [&](const object_record& other) { return begins_with(parity, other, rank); }) !=
           nullptr;
  };
  return begins(true) && !begins(false);
}

// Whether the first wait of a thread is for the second phase, and not for the phase before the first one.
inline __device__ __noinline__ bool has_skipped_the_first_phase(const waiting_group& at) {
  const uint32 rank = at.set.first();
  return at.is_by_parity() && at.what.parity() && report.found.now == 0 && report.found.complete == 1 &&
         !has_arrived(*at.record, rank) && has_waited_for_odd_first(*at.record, rank) &&
         !waits_of(*at.record, rank).has(wait_history::changed | wait_history::has_kept) &&
         !begins_odd_elsewhere(*at.record, rank);
}

// Whether a thread waits for the first time, although two phases or more are complete. complete: their number.
inline __device__ __noinline__ bool is_overtaken(const waiting_group& at, uint32 complete) {
  const wait_history waits = waits_of(*at.record, at.set.first());
  return at.is_by_parity() && !at.what.parity() && complete != not_counted && complete >= 2 &&
         waits.waits_in_a_row() == 1 &&
         !waits.has(wait_history::changed | wait_history::has_kept | wait_history::began_odd);
}

// How many of the complete phases come after the one before a thread's wait, modulo 4. not_counted: not known.
inline __device__ __noinline__ uint32 phases_behind(const waiting_group& at, uint32 complete) {
  if (!at.is_by_parity() || complete == not_counted) return not_counted;
  const wait_history waits = waits_of(*at.record, at.set.first());
  return waits.has(wait_history::has_kept) ? not_counted : (complete - waits.phase()) % 4;
}

// Whether a thread waits for the phase before the last one, or for the one before the first, like a producer.
inline __device__ __noinline__ bool has_missed_phase(const waiting_group& at, uint32 complete) {
  const uint32 rank = at.set.first();
  return complete != 0 && phases_behind(at, complete) == 2 &&
         (complete != 1 || (has_waited_for_odd_first(*at.record, rank) && begins_odd_elsewhere(*at.record, rank)));
}

// Whether a thread that waits never arrives here, and began with the first phase: nobody waits for it.
inline __device__ __noinline__ bool waits_alone(const waiting_group& at) {
  const uint32 rank = at.set.first();
  return at.record->is_of_cluster == 0 && !has_arrived(*at.record, rank) && !has_waited_for_odd_first(*at.record, rank);
}

// --- Arrivals at another barrier ---

// Fills report.idle with threads that arrive and wait here, if they are too many, or have begun to wait like producers.
inline __device__ __noinline__ bool have_waiters_arrived(const object_record& record) {
  select_threads(report.idle, [&record](uint32 rank) { return has_arrived(record, rank) && has_waited(record, rank); });
  const uint32 arrivers = arrivers_at(record);
  const uint32 waiters = report.idle.size();
  if (waiters == 0 || record.is_of_cluster != 0 || record.who != role::none) return false;
  return waiters < arrivers ? arrivers > record.expected : has_waited_for_odd_first(record, report.idle.first());
}

// Whether nobody has arrived at one barrier, and threads wait for it that arrive at the other one.
inline __device__ __noinline__ bool is_used_in_place_of(const object_record& used, const object_record& empty) {
  if (empty.who != role::none || empty.is_of_cluster != 0) return false;
  if (total_arrivals(empty) != 0 || !have_waiters_arrived(used)) return false;
  return is_any_thread([&empty](uint32 rank) { return !report.idle.has(rank) && has_waited(empty, rank); });
}
inline __device__ __noinline__ const object_record* barrier_in_place_of(const object_record& empty) {
  return find_record([&empty](const object_record& other) { return is_used_in_place_of(other, empty); });
}
inline __device__ __noinline__ const object_record* barrier_without_arrivals(const object_record& used) {
  return find_record([&used](const object_record& other) { return is_used_in_place_of(used, other); });
}

// Whether the same threads have arrived in the first phase of another barrier of the same init, and no others.
inline __device__ __noinline__ bool has_sibling_in_same_state(const object_record& record) {
  if (record.remote != 0 || total_arrivals(record) >= record.expected) return false;
  return find_sibling(record, [&record](const object_record& other) {
           return !is_any_thread([&](uint32 rank) { return arrivals_of(record, rank) != arrivals_of(other, rank); });
         }) != nullptr;
}

// The other side of a ring: the threads that arrive here wait there, and no thread of the group arrives there. Or null.
inline __device__ __noinline__ const object_record* side_released_by_others(const waiting_group& at) {
  if (at.record->is_of_cluster != 0) return nullptr;
  return find_record([&at](const object_record& other) {
    return &other != at.record && other.who == role::none && other.remote == 0 && !has_arrived(other, at.set.first()) &&
           arrivers_at(other) != 0 && have_arrivers_waited(other, *at.record) &&
           have_arrivers_waited(*at.record, other);
  });
}

// A barrier of the same init at which the threads that arrive here are ahead, in a phase for which the first thread of
// the group has not waited yet: the two sides do not use the barriers in the same order. Null if there is none.
inline __device__ __noinline__ bool is_out_of_order(const waiting_group& at, const object_record& other) {
  const uint32 arriver = report.arrived.first();
  const wait_history waits = waits_of(other, at.set.first());
  return other.is_of_cluster == 0 && other.remote == 0 && !waits.is_empty() &&
         arrivals_of(other, arriver) > arrivals_of(*at.record, arriver) && (rounds_of(other) - waits.phase()) % 4 == 2;
}
inline __device__ __noinline__ const object_record* barrier_out_of_order(const waiting_group& at) {
  return find_sibling(*at.record, [&at](const object_record& other) { return is_out_of_order(at, other); });
}

// Fills report.idle with the threads that wait since before the last init.
inline __device__ __noinline__ void collect_earlier_waiters(const object_record& record) {
  select_threads(report.idle, [&record](uint32 rank) {
    return report.waiting_here.has(rank) && !has_waited(record, rank) && !has_arrived(record, rank) &&
           (has_waited_before_init(record, rank) || has_arrived_before_init(record, rank));
  });
}

// --- Stages ---

// Whether a thread waits for a round of a stage for which it has waited before: its state is not where the ring is.
CUDASYNC_DEVICE bool repeats_its_round(const waiting_group& at) {
  return (at.what.who() == role::producer || at.what.who() == role::consumer) && at.record != nullptr &&
         at.record->stage < is_of_cuda_pipeline && at.record->times == 1 && has_kept_its_parity(at);
}

// The same side of a later stage with more arrivals of a thread, which has passed over a round of this one. Or null.
inline __device__ __noinline__ const object_record* later_stage_ahead(const object_record& side) {
  return find_record([&side](const object_record& other) {
    return is_of_same_side(other, side) && other.number_of_stage() > side.number_of_stage() &&
           total_arrivals(other) > total_arrivals(side);
  });
}

// How often a thread has given a stage on, and how many stages at this side of a ring. quit drops out of each of them.
inline __device__ __noinline__ uint32 arrivals_at_stage(const object_record& record, uint32 rank) {
  return arrivals_of(record, rank) - (has_flag(record, rank, attendance::has_dropped) ? 1 : 0);
}
inline __device__ __noinline__ uint32 arrivals_at_side(const object_record& record, uint32 rank) {
  uint32 stages = 0;
  for_each_record([&](const object_record& each) {
    if (is_of_same_side(each, record)) stages += arrivals_at_stage(each, rank);
  });
  return stages;
}
inline __device__ __noinline__ bool has_waited_at_side(const object_record& record, uint32 rank) {
  return has_record(
      [&record, rank](const object_record& each) { return is_of_same_side(each, record) && has_waited(each, rank); });
}
// Whether a thread, which has one role, has left by quit: it has waited where it arrives.
inline __device__ __noinline__ bool has_quit(const object_record& record, uint32 rank) {
  const object_record* const partner = partner_of(record);
  return record.has_commits() && has_waited_at_side(record, rank) &&
         (partner == nullptr || arrivals_at_side(*partner, rank) == 0);
}

// Whether consumers have released a stage more often than producers have filled it.
inline __device__ __noinline__ bool has_more_releases(const object_record& empty) {
  const object_record* const full = partner_of(empty);
  return full != nullptr && is_released_too_often(empty, *full, total_arrivals(*full));
}
// Another stage of the same ring of which that is true. Null if there is none.
inline __device__ __noinline__ const object_record* stage_with_more_releases(const object_record& empty) {
  if (empty.who != role::producer) return nullptr;
  return find_record([&empty](const object_record& other) {
    return &other != &empty && is_of_same_side(other, empty) && has_more_releases(other);
  });
}

// Whether a consumer has waited for the last fill of the stage for which a producer waits.
inline __device__ __noinline__ bool is_last_fill_consumed(const object_record& empty) {
  const object_record* const full = partner_of(empty);
  if (full == nullptr) return false;  // no consumer has ever waited for it
  const uint32 fills = rounds_of(*full);
  return fills == 0 || is_any_thread([full, fills](uint32 rank) {
           return has_waited(*full, rank) && waits_of(*full, rank).parity() == (fills % 2 == 0);
         });
}

// Whether a stage was released as often as it was filled: its consumers owe no release.
inline __device__ __noinline__ bool is_free(const object_record& empty) {
  const object_record* const full = partner_of(empty);
  if (full == nullptr || empty.remote != 0 || full->remote != 0 || has_lost_records()) return false;
  const uint32 fills = rounds_of(*full);
  return fills != 0 && rounds_of(empty) >= fills;
}

// Whether all of report.arrived have waited for the last fill of a producer's stage, so that they owe a release.
inline __device__ __noinline__ bool have_all_consumed(const object_record& empty) {
  const object_record* const full = partner_of(empty);
  if (full == nullptr || report.arrived.size() == 0 || is_free(empty)) return false;
  const uint32 fills = rounds_of(*full);
  return !is_any_thread([full, fills](uint32 rank) {
    const wait_history waits = waits_of(*full, rank);
    return report.arrived.has(rank) && (waits.is_empty() || (waits.phase() - fills + 1) % 4 > 1);
  });
}

// Whether the missing consumers have waited for the last fill of the stage for which a producer waits, and perhaps wait
// for the next one, as far as it is known. If they have not, the two sides are in different rounds.
inline __device__ __noinline__ bool have_missing_consumed(const waiting_group& at) {
  const object_record* const full = partner_of(*at.record);
  if (full == nullptr || at.what.who() != role::producer) return true;
  compare_arrivals(at);
  const bool parity = rounds_of(*full) % 2 == 0;
  return !is_any_thread([full, parity](uint32 rank) {
    const wait_history waits = waits_of(*full, rank);
    return report.missing.has(rank) && !waits.is_empty() && waits.parity() != parity && waits.waits_in_a_row() != 1;
  });
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
