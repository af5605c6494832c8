// Causes of hangs: groups of threads that wait for each other, and turns of groups that are not passed on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_EXPLAIN_CIRCLE_DEVICE_H
#define CUDASYNC_HANG_EXPLAIN_CIRCLE_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/evidence_device.h>
#include <cudasync/hang/explain_parity_device.h>
#include <cudasync/hang/kind.h>
#include <cudasync/hang/record_data_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/hang/sentence_device.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// --- A thread that has skipped an arrival ---

// How often a thread's waits have returned, with that for the phase before the first one. not_counted: not known.
inline __device__ __noinline__ uint32 returned_waits(const object_record& record, uint32 rank, bool is_waiting) {
  const wait_history waits = waits_of(record, rank);
  if (waits.is_empty()) return 0;
  const uint32 complete = rounds_of(record);
  const uint32 begun = complete + (is_waiting ? 1 : 0);  // the last wait was for a phase before this one
  const uint32 ended = begun - (begun - 1 - waits.phase()) % 4 - (is_waiting ? 1 : 0);
  const bool is_known = record.remote == 0 && record.drops == 0 && !waits.has(wait_history::has_kept);
  return is_known && ended <= complete ? ended + (waits.has(wait_history::began_odd) ? 1 : 0) : not_counted;
}

// The waits of a thread that have returned, at the barrier of its group and at those of the same init.
inline __device__ __noinline__ uint32 returned_waits(const waiting_group& at, uint32 rank) {
  uint32 total = 0;
  CUDASYNC_NO_UNROLL
  for (const object_record& each : objects) {
    if (&each != at.record && !is_sibling(each, *at.record)) continue;
    const uint32 waits = returned_waits(each, rank, &each == at.record);
    if (waits == not_counted) return not_counted;
    total += waits;
  }
  return total;
}

inline __device__ __noinline__ uint32 arrivals_at_siblings(const object_record& record, uint32 rank) {
  return sum_of_arrivals(rank,
                         [&record](const object_record& each) { return &each == &record || is_sibling(each, record); });
}

// What a group of the circle has done, by a thread that arrives where the group before it waits, or the first one.
struct round_count {
  uint32 rank;
  uint32 waits;     // that have returned
  uint32 arrivals;  // not less than waits, if it is not known
};

inline __device__ __noinline__ round_count count_rounds(const waiting_group& at, const waiting_group& before) {
  round_count found{0, 0, 0};
  if (!at.what.is_parity_known() || at.what.who() != role::none) return found;
  CUDASYNC_NO_UNROLL
  while (found.rank < threads_of_block() &&
         (!at.set.has(found.rank) || arrivals_at_siblings(*before.record, found.rank) == 0))
    ++found.rank;
  const bool has_arrived = found.rank < threads_of_block();
  // Of more than two groups, only those that have never arrived anywhere are known to owe a first arrival.
  if (!has_arrived &&
      (arrivers_at(*before.record) != 0 || (chain.length - chain.begin != 2 && at.set.meets(report.active))))
    return found;
  if (!has_arrived) found.rank = at.set.first();
  const uint32 waits = returned_waits(at, found.rank);
  if (waits == not_counted) return found;
  found.waits = waits;
  if (has_arrived) found.arrivals = arrivals_at_siblings(*before.record, found.rank);
  return found;
}

// Whether a thread has arrived at another barrier of the init at least twice more often than at this one.
inline __device__ __noinline__ bool explain_round_left_out(const waiting_group& at, const waiting_group& before) {
  const uint32 rank = at.set.first();
  const object_record& record = *before.record;
  const object_record* const ahead = find_sibling(record, [&record, rank](const object_record& each) {
    return arrivals_of(each, rank) > arrivals_of(record, rank) + 1;
  });
  if (ahead == nullptr || before.what.who() != role::none || record.is_of_cluster != 0) return false;
  record_cause(cause::arrival_skipped, before.what);
  record_threads(at.set);
  say("{C}thread {n} has left out a round: it has arrived {n} {time|times} at {o}, ", rank, arrivals_of(*ahead, rank),
      subject::of(kind::barrier, ahead->address));
  say("and {n} {time|times} at {i}, where {t} {waits|wait} for it{R}{s}{.}", arrivals_of(record, rank), before.what,
      &before.set,
      arrivals_of(record, rank) == 0
          ? "let it arrive once at each barrier of the array before it waits, also before the loop; or let both sides "
            "begin with the same stage, and leave out the same rounds"
          : "let both sides leave out the same rounds, or count only the rounds that both make, for the index of the "
            "stage and for the parity");
  return true;
}

inline __device__ __noinline__ bool have_arrived(const object_record& record, const thread_set& set, uint32 times) {
  return !is_any_thread([&](uint32 rank) { return set.has(rank) && arrivals_of(record, rank) != times; });
}

// Whether the threads of the group before have left a loop, in which this group makes one more round.
inline __device__ __noinline__ bool has_one_more_round(const waiting_group& at, const waiting_group& before) {
  const uint32 rounds = arrivals_of(*at.record, before.set.first());
  const uint32 others = arrivals_of(*before.record, at.set.first());
  return chain.length - chain.begin == 2 && rounds > others && at.record->is_simple() &&
         rounds_of(*at.record) == rounds && have_arrived(*at.record, before.set, rounds) &&
         have_arrived(*at.record, at.set, rounds + 1) && have_arrived(*before.record, at.set, others) &&
         have_arrived(*before.record, before.set, others + 1);
}
inline __device__ __noinline__ bool explain_rounds(const waiting_group& at, const waiting_group& before) {
  if (!has_one_more_round(at, before)) return false;
  const uint32 rounds = arrivals_of(*at.record, before.set.first());
  record_cause(cause::rounds_differ, at.what);
  record_threads(before.set);
  say("{C}the numbers of rounds differ: {t} {has|have} arrived {n} {time|times} at {o}, where {t} {waits|wait} at {f} "
      "after {n} arrivals; the former {c}{waits|wait} at {f}"
      "{R}let all of them make the same number of rounds; otherwise, let them use the barriers in the same order{.}",
      &before.set, rounds, at.what, &at.set, at.from, rounds + 1, before.set.size(), before.from);
  return true;
}

// The index of the only group of the circle that has arrived less often than its waits have returned, or most_groups.
inline __device__ __noinline__ uint32 group_that_skipped() {
  uint32 found = most_groups;
  CUDASYNC_NO_UNROLL
  for (uint32 index = chain.begin; index < chain.length; ++index) {
    const round_count rounds = count_rounds(*chain.groups[index], chain.before(index));
    if (rounds.arrivals >= rounds.waits) continue;
    if (found != most_groups) return most_groups;
    found = index;
  }
  return found;
}

// Whether a thread of the group before arrives here more often than its waits return: then phases may be over for which
// this group has not waited, and the number of its waits is not known.
inline __device__ __noinline__ bool explain_rounds_without_wait(const waiting_group& at, const waiting_group& before) {
  const round_count rounds = count_rounds(before, at);
  if (rounds.arrivals <= rounds.waits + 1 || rounds.arrivals != arrivals_of(*at.record, rounds.rank)) return false;
  record_cause(cause::overtaken, at.what);
  say("{C}thread {n} does not wait for {t} in each round: it has arrived {n} times at {o}, and its waits for {i} have "
      "returned {n} {time|times}; so phases may be over for which {t} {has|have} not waited"
      "{R}let thread {n} wait in each round, also without work, or let both sides leave out the same rounds{.}",
      rounds.rank, &at.set, rounds.arrivals, at.what, before.what, rounds.waits, &at.set, rounds.rank);
  return true;
}

inline __device__ __noinline__ void explain_skipped_arrival(uint32 index) {
  const waiting_group& at = *chain.groups[index];
  const waiting_group& before = chain.before(index);
  if (explain_rounds_without_wait(at, before)) return;
  const round_count rounds = count_rounds(at, before);
  record_cause(cause::arrival_skipped, before.what);
  record_threads(at.set);
  record_numbers(number::rank, rounds.rank, number::arrivals, rounds.arrivals);
  say("{C}thread {n} has {s}: its waits for {i}, and the other barriers of its init, have returned {n} "
      "{time|times}, and it has arrived {n} {time|times} at {i} and the other barriers of its init, where {t} "
      "{waits|wait} for it{R}let {t} arrive once in each round, on every path: no branch may leave the arrival out{.}",
      rounds.rank, rounds.arrivals != 0 ? "skipped an arrival" : "left out all arrivals", at.what, rounds.waits,
      rounds.arrivals, before.what, &before.set, &at.set);
}

// --- Circles ---

inline __device__ __noinline__ void say_places(bool is_ring) {
  CUDASYNC_NO_UNROLL
  for (uint32 index = chain.begin; index < chain.length; ++index) {
    const waiting_group& at = *chain.groups[index];
    say(index == chain.begin ? ": {t} at " : ", {t} at ", &at.set);
    if (is_ring) say("stage {n}, ", at.what.stage());
    say("{f}", at.from);
  }
}

template <class Function>
CUDASYNC_DEVICE const waiting_group* find_in_circle(Function is_wanted) {
  CUDASYNC_NO_UNROLL
  for (uint32 index = chain.begin; index < chain.length; ++index)
    if (is_wanted(*chain.groups[index])) return chain.groups[index];
  return nullptr;
}
template <class Function>
CUDASYNC_DEVICE bool has_circle(Function is_wanted) {
  return find_in_circle(is_wanted) != nullptr;
}

inline __device__ __noinline__ bool has_several_pipelines() {
  return has_circle([](const waiting_group& at) { return at.record->from != chain.groups[chain.begin]->record->from; });
}

inline __device__ __noinline__ void explain_circle_of_stages() {
  const subject first = chain.groups[chain.begin]->what;
  record_cause(cause::stages_in_a_circle, first);
  const bool are_stages = has_circle([first](const waiting_group& at) { return at.what.stage() != first.stage(); });
  const bool are_several = has_several_pipelines();
  say("{C}producers and consumers wait for each other{s}", are_several  ? " at different pipelines"
                                                           : are_stages ? " at different stages"
                                                                        : "");
  say_places(true);
  if (are_several)
    return say("{R}let both sides use the pipelines in the same order, or make a pipeline of as many stages as the "
               "producers fill before they turn to another one{.}");
  say("{R}on both sides, default-construct the state, keep it from tile to tile, advance once per stage, and make the "
      "same number of rounds{.}");
}

CUDASYNC_DEVICE bool is_in_circle(const waiting_group& at) {
  return has_circle([&at](const waiting_group& each) { return &each == &at; });
}

// Whether threads have neither arrived nor waited elsewhere. Others have used the memory of some stage.
inline __device__ __noinline__ bool is_first_wait(const waiting_group& at) {
  return !at.set.meets(report.active) && !has_record([&at](const object_record& each) {
    return &each != at.record && has_waited(each, at.set.first());
  });
}

inline __device__ __noinline__ void explain_circle_of_barriers() {
  record_cause(cause::barriers_in_a_circle, chain.groups[chain.begin]->what);
  const bool has_begun =
      has_circle([](const waiting_group& at) { return !at.what.is_parity_known() || arrivers_at(*at.record) != 0; });
  const bool has_turn = has_circle([](const waiting_group& at) { return is_of_turns(*at.record); });
  if (!has_begun && !has_turn)
    for_each_group([](const waiting_group& at) {  // for whom they wait is not known
      if (!is_without_arrivals(at) || is_in_circle(at) || chain.length == most_groups) return;
      chain.groups[chain.length++] = &at;
      mark_as_explained(at.what);
    });
  say("{C}");
  CUDASYNC_NO_UNROLL
  for (uint32 index = chain.begin; index < chain.length; ++index)
    say(index == chain.begin ? "{t}" : " and {t}", &chain.groups[index]->set);
  say(has_begun || has_turn ? " wait for each other"
                            : " wait for each other, and no phase of these barriers was ever completed");
  say_places(false);
  if (has_turn) return say("{R}let a group pass its turn before it waits for threads of other groups{.}");
  say(has_begun
          ? "{R}let all threads use the barriers in the same order, and arrive at each before they wait for another{.}"
      : !has_circle(is_first_wait)
          ? "{R}let one side arrive before it waits, or wait a round later, with one more stage; begin with parity 1 "
            "only for the phase before the first one, if the memory is not in use yet{.}"
          : "{R}begin with parity 1 where the first wait is for the phase before the first one, like a producer's "
            "first wait for an empty stage; otherwise let one side arrive before it waits{.}");
}

// A group of the circle that waits for the phase before the last: an arrival came a round too early. Or null.
inline __device__ __noinline__ const waiting_group* group_left_behind() {
  return find_in_circle([](const waiting_group& at) {
    if (at.record == nullptr || at.record->is_of_cluster != 0) return false;
    compare_arrivals(at);
    return has_missed_phase(at, report.found.complete);
  });
}

inline __device__ __noinline__ void explain_circle() {
  if (!has_circle([](const waiting_group& at) { return at.what.who() == role::none; }))
    return explain_circle_of_stages();
  uint32 rank = 0;
  const uint32 late = group_that_skipped();
  if (barrier_with_repeated_parity(rank) != nullptr && report.waiting.has(rank)) {
    record_cause(cause::parity_not_flipped, chain.groups[chain.begin]->what);
    record_number(number::rank, rank);
    const waiting_group* const behind = group_left_behind();
    say_repeated_parity(behind);
    if (behind != nullptr) return;
  } else if (const waiting_group* const behind = group_left_behind()) {
    record_cause(cause::overtaken, behind->what);
    report_text.about = behind->what.bits;
    say_overtaken(*behind);
    return;
  } else if (late != most_groups) {
    explain_skipped_arrival(late);
  } else {
    uint32 index = chain.begin;
    CUDASYNC_NO_UNROLL
    for (; index < chain.length; ++index)
      if (explain_rounds(*chain.groups[index], chain.before(index))) return;
    index = chain.begin;
    CUDASYNC_NO_UNROLL
    while (index < chain.length && !explain_round_left_out(*chain.groups[index], chain.before(index)))
      ++index;
    if (index == chain.length) return explain_circle_of_barriers();
  }
  if (report_text.part != part_of_report::likely) return;
  report_text.part = part_of_report::other;
  explain_circle_of_barriers();
}

// --- Turns of groups ---

// The barrier at which the group waits that arrives at this one, in the same stage.
inline __device__ __noinline__ const object_record& turn_before(const object_record& record) {
  const object_record* const before = record_with_least([&record](const object_record& other) {
    const bool is_in_stage =
        is_sibling(other, record) && is_of_turns(other) && other.index / 1024 == record.index / 1024;
    return is_in_stage ? (record.index - other.index - 1) % 1024 : not_counted;
  });
  return before != nullptr ? *before : record;
}

// The turns of the group before, of which no thread has passed in this phase.
inline __device__ __noinline__ void say_turns_passed(const waiting_group& at) {
  const object_record& record = *at.record;
  const uint32 rank = report.arrived.first();
  const uint32 passed = arrivals_of(record, rank);
  // Group 0 waits for the phase before the first one, too. The others have taken as many turns as phases.
  const bool has_turn =
      (waits_of(turn_before(record), rank).phase() + (record.index % 1024 == 1 ? 2 : 1) - passed) % 4 == 1;
  record_threads(report.arrived);
  say("{C}no thread of the group before has passed its turn; {t} {has|have} taken ", &report.arrived);
  say(has_turn ? "{n} {turn|turns} in this stage, and passed all but the last{l}"
               : "and passed {n} {turn|turns} in this stage{l}",
      passed + has_turn, &report.arrived);
  if (!has_turn) say(", and {t} {waits|wait} for number {n}", &at.set, passed + (record.index % 1024 == 0 ? 2 : 1));
  say(has_turn ? "{R}let each thread of a group call pass after each wait, on every path{.}"
               : "{R}let all groups take equally many turns, also without work; only the first groups may take one "
                 "turn more{.}");
}

inline __device__ __noinline__ void explain_turn(const waiting_group& at) {
  record_numbers(number::arrived, report.found.now, number::expected, at.record->expected);
  if (report.found.now == 0 && report.found.arrivers != 0) return say_turns_passed(at);
  record_threads(report.missing);
  if (report.found.now != 0) {
    say("{C}only {n} of {n} threads of the group before have passed their turn", report.found.now, at.record->expected);
    if (report.missing.size() == at.state.pending) say("; {t} {has|have} not{l}", &report.missing, &report.missing);
  } else {
    say("{C}the group before, {t}, has never passed its turn{l}", &report.missing, &report.missing);
  }
  say("{R}let each thread of a group call pass after each wait, on every path, and let all groups take their turns, "
      "also those without work; only the first groups may take one turn more{.}");
}

// More arrivals than the group has threads.
inline __device__ __noinline__ void explain_large_group(const object_record& record) {
  const object_record& before = turn_before(record);
  select_threads(report.idle, [&before](uint32 rank) { return !waits_of(before, rank).is_empty(); });
  const uint32 threads = report.idle.size();
  record_threads(report.idle);
  record_numbers(number::expected, record.expected, number::threads, threads);
  say("{C}{t} {c}{has|have} the number of group {n}, ", &report.idle, threads, before.index % 1024);
  say(threads > record.expected ? "but a group has {n} threads" : "and have passed its turn more than {n} times",
      record.expected);
  say("{R}give each thread one place, with the number of its group: threadIdx.x / {n} if the groups begin with thread "
      "0; let threads beyond the last group take no turns; or make the turns for larger groups{.}",
      record.expected);
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
