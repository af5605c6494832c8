// Explains waits at named barriers, and waits for the other lanes of a warp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_EXPLAIN_NAMED_DEVICE_H
#define CUDASYNC_HANG_EXPLAIN_NAMED_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/evidence_device.h>
#include <cudasync/hang/kind.h>
#include <cudasync/hang/object_table_device.h>
#include <cudasync/hang/record_data_device.h>
#include <cudasync/hang/record_words_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/hang/sentence_device.h>
#include <cudasync/hang/thread_set_device.h>
#include <cudasync/hang/waiting_groups_device.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// The last arrival of a warp at a named barrier.
inline __device__ __noinline__ warp_arrival last_arrival_of(uint64 id, uint32 warp) {
  const object_record* const record = find(address_of_named_barriers + 8 * static_cast<uint32>(id));
  if (record == nullptr) return {0};
  return warp_arrival::of(read_far(record->warps[warp].at_named_barrier), check_of(record->address));
}

// The last phase of a named barrier: arrivals in the upper half, expected in the lower. report.arrived: of the set.
inline __device__ __noinline__ uint64 last_phase_of(uint64 id, const thread_set& set) {
  warp_arrival latest{0};
  uint32 arrived = 0;
  report.arrived.clear();
  CUDASYNC_NO_UNROLL
  for (uint32 warp = 0; warp * 32 < threads_of_block(); ++warp) {
    const warp_arrival each = last_arrival_of(id, warp);
    if (each.phase() < latest.phase() || each.phase() == 0) continue;
    if (each.phase() > latest.phase()) {
      arrived = 0;
      report.arrived.clear();
    }
    latest = each;
    ++arrived;
    report.arrived.warps[warp] = set.warps[warp];
  }
  return latest.phase() == 0 ? 0 : uint64{arrived} << 37 | latest.expected() * 32;
}

// The id of another named barrier at which threads of the set alone have arrived, too few, and none waits. 0: none.
inline __device__ __noinline__ uint32 other_arrivals_of(const thread_set& set, uint64 id) {
  CUDASYNC_NO_UNROLL
  for (uint32 other = 1; other < 16; ++other) {
    if (other == id || threads_that_wait_for(subject::of(kind::named_barrier, other)) != 0) continue;
    const uint64 phase = last_phase_of(other, set);
    const uint32 arrived = static_cast<uint32>(phase >> 32);
    if (arrived < static_cast<uint32>(phase) && report.arrived.number_of_warps() * 32 == arrived) return other;
  }
  return 0;
}

// value: as in explain_named_barrier.
inline __device__ __noinline__ void record_named(cause why, subject what, uint64 value) {
  record_cause(why, what);
  record_numbers(number::id, what.address(), number::arrived, value >> 32, number::expected,
                 static_cast<uint32>(value));
}

// Fills report.twice with the warps that have ever used a named barrier.
inline __device__ __noinline__ void collect_users(uint64 id) {
  select_threads(report.twice, [id](uint32 rank) { return last_arrival_of(id, rank / 32).phase() != 0; });
}

CUDASYNC_DEVICE bool has_been_used_by(subject what, const thread_set& set) {
  collect_users(what.address());
  return report.twice.meets(set);
}

// The other named barriers that only some warps of a phase have ever used: one side may compute other ids.
inline __device__ __noinline__ bool say_lonely_ids(uint64 id) {
  bool has_said = false;
  CUDASYNC_NO_UNROLL
  for (uint32 other = 1; other < 16; ++other) {
    collect_users(other);
    const uint32 expected = static_cast<uint32>(last_phase_of(other, report.twice));
    if (other == id || report.twice.size() == 0 || report.twice.number_of_warps() * 32 >= expected) continue;
    say("; only {w} {has|have} ever used named barrier {n}, for {n} threads", &report.twice, other, expected);
    has_said = true;
  }
  return has_said;
}

// Begins the cause that a named barrier lacks arrivals. value: as in explain_named_barrier.
inline __device__ __noinline__ void say_arrived_at(subject what, uint64 value) {
  record_named(cause::named_arrivals_missing, what, value);
  say("{C}only {n} of {n} threads have arrived at {i}", value >> 32, static_cast<uint32>(value), what);
}

inline __device__ __noinline__ void say_other_id(const waiting_group& at, uint64 value, uint32 id) {
  say_arrived_at(at.what, value);
  say("; {w} {has|have} arrived at named barrier {n}, where no thread waits", record_threads(report.arrived), id);
  static_cast<void>(say_lonely_ids(at.what.address()));
  say("{R}if both are meant to be one phase, use one id; otherwise let the threads that are missing arrive at {i}, too"
      "{.}",
      at.what);
}

CUDASYNC_DEVICE bool is_above_block(uint64 value) {
  return static_cast<uint32>(value) >= threads_of_block() + 32;
}

inline __device__ __noinline__ void say_missing_at(subject what, const waiting_group* other, uint64 value) {
  const uint32 arrived = static_cast<uint32>(value >> 32);
  const uint32 expected = static_cast<uint32>(value);
  say_arrived_at(what, value);
  record_threads(report.missing);
  if (is_above_block(value))
    return say("; the block has only {n} {thread|threads}{R}pass the number of threads that arrive in a phase{.}",
               threads_of_block());
  collect_users(what.address());
  if (report.twice.size() > expected)
    return say("; {w} {has|have} used it, which {is|are} more than a phase counts"
               "{R}pass {n}, if all of them arrive in one phase; if they are of several groups, give each an id of its "
               "own, or, if the groups use it in turn, let all warps of the group arrive{.}",
               record_threads(report.twice), report.twice.size());
  const bool have_used_it = report.missing.meets(report.twice);  // so the number is right
  if (other != nullptr) {
    const bool is_named = other->what.what() == kind::named_barrier;
    say(is_named ? "; {w} {waits|wait}" : "; {t} {waits|wait}", is_named ? &report.missing : &other->set);
    say(" for {o} at {f}{R}find out why that wait does not end, ", other->what, other->from);
    return say(have_used_it ? "or let these threads arrive before it{.}"
                            : "let these threads arrive before it, or pass {n} without them{.}",
               arrived);
  }
  if (report.missing.size() == expected - arrived)
    say("; {t} {has|have} not{l}", &report.missing, &report.missing);
  else if (report.missing.size() != 0)
    say(report.twice.size() == arrived ? "; {t} {has|have} never used it{l}" : "; {t} {does|do} not wait there{l}",
        &report.missing, &report.missing);
  say(have_used_it
          ? "{R}let all warps that the phase counts arrive, in as many rounds as the others"
          : "{R}let all warps that the phase counts arrive, also the warps that have no work, or pass {n}, the "
            "number of threads that arrive",
      arrived);
  say("; use the same id and the same number in all of them, and a different id for each group{.}");
}

// Whether a part of the warps of a group that waits elsewhere is all that a phase lacks: those that have not arrived in
// it, if others of them have, or that have used the barrier. Fills report.missing with it.
inline __device__ __noinline__ bool lacks_some_of(const waiting_group& other, uint64 id) {
  const uint64 phase = last_phase_of(id, other.set);
  collect_users(id);
  report.missing.assign(other.set);
  report.missing.remove(report.arrived);
  if (report.arrived.size() == 0) report.missing.keep(report.twice);
  const uint32 lacking = report.missing.number_of_warps();
  return lacking != 0 && lacking < other.set.number_of_warps() &&
         static_cast<uint32>(phase) - (phase >> 32) == lacking * 32;
}

// The warps of the current phase, and their last call. Others may have arrived in it after these threads were counted.
inline __device__ __noinline__ void say_who_has_arrived(uint32 id, uint32 threads) {
  collect_users(id);
  if (last_phase_of(id, report.twice) >> 32 < threads) return;
  record_threads(report.arrived);
  const uint64 call = last_call_of_thread(report.arrived.first()).bits;
  say(call == last_call_of_thread(backend::rank_in_block()).bits ? "; {w} {has|have} arrived{l}"
                                                                 : "; {w} {has|have} arrived, by another call{l}",
      &report.arrived, &report.arrived);
}

// The warps that the current phase lacks, if they are the rest of the block, or of those that have used the barrier.
inline __device__ __noinline__ void say_who_is_missing(uint32 id, uint32 expected) {
  collect_users(id);
  if (threads_of_block() <= expected && expected < threads_of_block() + 32)
    select_threads(report.twice, [](uint32) { return true; });
  if (report.twice.number_of_warps() * 32 != expected) return;
  const uint32 phase = last_arrival_of(id, backend::rank_in_block() / 32).phase();
  select_threads(report.missing, [id, phase](uint32 rank) {
    return report.twice.has(rank) && last_arrival_of(id, rank / 32).phase() < phase;
  });
  say(report.missing.size() != 0 ? "; {w} {has|have} not arrived yet{l}" : "; the others have arrived since",
      &report.missing, &report.missing);
}

inline __device__ __noinline__ void say_remedy_of_pair(const waiting_group& at, const waiting_group& other) {
  const bool is_common = has_been_used_by(at.what, other.set);
  const bool is_other_common = has_been_used_by(other.what, at.set);
  const waiting_group& alone = is_common ? other : at;  // at a barrier that the rest has never used
  const waiting_group& rest = is_common ? at : other;
  if (is_common != is_other_common)
    return say(
        "; {w} {has|have} never arrived at {i}"
        "{R}if {i} is for {w} alone, pass {n}, the number of their threads; otherwise let {w} arrive there, too{.}",
        &rest.set, alone.what, alone.what, &alone.set, alone.set.number_of_warps() * 32, &rest.set);
  say(is_common
          ? "{R}let all warps use the named barriers in the same order; if both waits belong to one phase, use one "
            "id{.}"
          : "; the others have never arrived there"
            "{R}if groups take turns, let one of them arrive at the other's barrier before its first wait; if both "
            "waits belong to one phase, use one id; if all of these warps wait at both, let all warps use the named "
            "barriers in the same order{.}");
}

// Whether the other group has left out an arrival here: it has only arrived, once too often, at a barrier of both.
inline __device__ __noinline__ bool explain_first_arrival(const waiting_group& at, const waiting_group& other,
                                                          uint64 value) {
  const uint32 id = other_arrivals_of(other.set, at.what.address());
  if (id == 0 || !has_been_used_by(subject::of(kind::named_barrier, id), at.set) ||
      has_been_used_by(at.what, other.set))
    return false;
  mark_as_explained(at.what);
  mark_as_explained(other.what);
  say_arrived_at(at.what, value);
  say("; {w} {has|have} never arrived there, but at named barrier {n}, which both groups use, and {c}{waits|wait} for "
      "{i} at {f}"
      "{R}let {w} arrive at {i} before that wait, also before the first round, as at named barrier {n}{.}",
      &other.set, id, other.set.number_of_warps(), other.what, other.from, &other.set, at.what, id);
  return true;
}

inline __device__ __noinline__ void say_arrived_at_both(uint64 here, uint64 there) {
  say(": {n} of {n} threads have arrived at the first one, and {n} of {n} at the second", here >> 32,
      static_cast<uint32>(here), there >> 32, static_cast<uint32>(there));
}

// Threads of each of two groups are missing at the barrier of the other one.
inline __device__ __noinline__ void explain_pair(const waiting_group& at, const waiting_group& other, uint64 value) {
  mark_as_explained(other.what);
  const uint64 there = last_phase_of(other.what.address(), other.set);
  if (is_above_block(there)) return say_missing_at(other.what, nullptr, there);
  if (explain_first_arrival(other, at, there)) return;
  if (const uint32 id = other_arrivals_of(at.set, other.what.address()))
    return static_cast<void>(last_phase_of(id, at.set)), say_other_id(other, there, id);
  if (lacks_some_of(other, at.what.address())) return say_missing_at(at.what, &other, value);
  if (lacks_some_of(at, other.what.address())) return say_missing_at(other.what, &at, there);
  record_named(cause::named_barriers_in_a_circle, at.what, value);
  say("{C}{w} at {i} and {w} at {i} wait for each other", &at.set, at.what, &other.set, other.what);
  say_arrived_at_both(value, there);
  say_remedy_of_pair(at, other);
}

// value: the number of threads that have arrived in the upper half, the number that is expected in the lower half.
CUDASYNC_REPORT void explain_named_barrier(const waiting_group& at, uint64 value) {
  select_threads(report.missing, [&at](uint32 rank) { return !at.set.has_warp_of(rank); });
  collect_idle();
  if (report.idle.size() == static_cast<uint32>(value) - static_cast<uint32>(value >> 32))
    report.missing.assign(report.idle);
  else if (report.must_be_sure)
    return;
  const waiting_group* const other = missing_group_elsewhere(at.what);
  if (other != nullptr && other->what.what() == kind::named_barrier && explain_first_arrival(at, *other, value)) return;
  if (const uint32 id = other_arrivals_of(report.missing, at.what.address())) return say_other_id(at, value, id);
  if (other == nullptr || other->what.what() != kind::named_barrier || is_above_block(value))
    return say_missing_at(at.what, other, value);
  explain_pair(at, *other, value);
}

// Lanes of a warp wait for the other ones, in a call that all threads of the block make.
CUDASYNC_REPORT void explain_lanes(const waiting_group& at, uint64) {
  if (report.must_be_sure) return;
  record_cause(cause::threads_missing, at.what);
  select_threads(report.missing, [&at](uint32 rank) { return at.set.has_warp_of(rank) && !at.set.has(rank); });
  if (report.missing.size() == 0) select_threads(report.missing, [&at](uint32 rank) { return !at.set.has(rank); });
  record_threads(report.missing);
  say("{C}all threads of the block make this call, but {t} {has|have} not", &report.missing);
  if (const waiting_group* const other = missing_group_elsewhere(at.what))
    say(": {t} {waits|wait} for {o} at {f}", &other->set, other->what, other->from);
  else
    say("{l}", &report.missing);
  say("{R}let all threads of the block make the call, in no branch, and let none of them exit before the last one{.}");
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
