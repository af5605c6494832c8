// Causes of hangs: turns of groups that are not passed on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_EXPLAIN_TURNS_DEVICE_H
#define CUDASYNC_HANG_EXPLAIN_TURNS_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/evidence_device.h>
#include <cudasync/hang/record_data_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/hang/sentence_device.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

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
