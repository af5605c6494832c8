// The report of a hang: which threads wait for which objects, the likely cause, and the remedy; one thread writes it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_REPORT_DEVICE_H
#define CUDASYNC_HANG_REPORT_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/hang/barrier_device.h>
#include <cudasync/hang/evidence_device.h>
#include <cudasync/hang/explain_device.h>
#include <cudasync/hang/mbarrier_state_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/sentence_device.h>
#include <cudasync/hang/watch_device.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/special_registers.h>
#include <cudasync/thread/elect.h>

#if CUDASYNC_HAS_HOST
#include <stdio.h>
#endif

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace checked {

// --- The end of a report ---

// Prints the text, and writes it to the host's memory.
inline __device__ __noinline__ void publish() {
  if (CUDASYNC_SHAKE != 0)
    say("cudasync:   Threads were delayed at random: CUDASYNC_SHAKE={n}.\n", uint64{CUDASYNC_SHAKE});
  printf("%s", report_text.words.bytes);
  host_report* const host = controls.host;
  if (host == nullptr) return;
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index <= report_text.words.length; ++index)
    shared_by_all(host->words.bytes[index]) = report_text.words.bytes[index];
  shared_by_all(host->words.length) = report_text.words.length;
  __threadfence_system();
  shared_by_all(host->is_complete) = 1;
  __threadfence_system();
}

// Traps after 1 ms, so that the text reaches the host first.
[[noreturn]] CUDASYNC_DEVICE void end_kernel() {
  __nanosleep(1000000);
  for (;;)
    __trap();
}

inline __device__ __noinline__ void end_or_go_on() {
  const after_report action = action_after_report();
  if (action == after_report::trap) end_kernel();
  if (action == after_report::drain) shared_by_all(controls.drained_grid) = 1 + grid_number();
  __threadfence();
  shared_by_all(controls.reporters) = 0;
}

// --- A hang ---

inline __device__ __noinline__ void say_object(const waiting_group& at) {
  say("cudasync:   {i}", at.what);
  if (at.record != nullptr) say(", initialized at {f} with {n}", at.record->from, at.record->expected);
  if (at.record != nullptr && at.state.is_known) {
    const uint32 expected = at.state.expected != 0 ? at.state.expected : at.record->expected - at.record->drops;
    say(": phase of parity {n}, {n} {arrival|arrivals} of {n}", uint32{at.state.parity}, expected - at.state.pending,
        expected);
    if (at.state.bytes > 0) say(", {n} {byte|bytes} outstanding", static_cast<uint32>(at.state.bytes));
    if (at.state.bytes < 0) say(", {n} {byte|bytes} more than expected", static_cast<uint32>(-at.state.bytes));
  }
  say("\n");
}

inline __device__ __noinline__ void say_group(const waiting_group& at) {
  if (at.threads == 0)
    say("cudasync:     {n} {thread|threads} of other blocks {waits|wait} at {f}", at.others, at.from);
  else
    say(at.what.what() == kind::named_barrier ? "cudasync:     {w} {waits|wait} at {f}"
                                              : "cudasync:     {t} {waits|wait} at {f}",
        &at.set, at.from);
  if (at.what.is_parity_known()) say(" for parity {n}", uint32{at.what.parity()});
  if (at.threads != 0 && at.others != 0) say("; and {n} of other blocks", at.others);
  say("\n");
}

// Writes the object of a group, and below it all groups that wait for it. Returns the number of lines so far.
inline __device__ __noinline__ uint32 say_who_waits_at(const waiting_group& first, uint32 lines) {
  if (&first_group_at(first) != &first) return lines;
  say_object(first);
  ++lines;
  CUDASYNC_NO_UNROLL
  for (const waiting_group* other = &first; other != report.groups + report.number_of_groups && lines <= 14; ++other) {
    if (other->what.address() != first.what.address()) continue;
    say_group(*other);
    ++lines;
  }
  return lines;
}

inline __device__ __noinline__ void say_who_waits() {
  uint32 lines = 0;
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < report.number_of_groups && lines <= 12; ++index)
    lines = say_who_waits_at(report.groups[index], lines);
  if (report.left_out != 0)
    say("cudasync:     ... and {n} more {thread waits|threads wait}, at other places.\n", report.left_out);
}

// The group of the thread that found the hang.
inline __device__ __noinline__ const waiting_group& reported_group() {
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < report.number_of_groups; ++index)
    if (report.groups[index].what.bits == report.reported && report.groups[index].threads != 0)
      return report.groups[index];
  return report.groups[0];
}

CUDASYNC_REPORT void report_hang(subject what, uint64 value) {
  report_text.words.clear();
  report.reported = what.bits;
  collect_waits();
  say("cudasync: hang: no progress for {n} ms. In block {b} of {n} threads:\n", timeout() / 1000000, block_number(),
      threads_of_block());
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < report.number_of_groups; ++index)
    look_at(report.groups[index]);
  say_who_waits();
  const waiting_group& mine = reported_group();
  if (what.what() == kind::barrier)
    explain_barriers(mine);
  else
    explain_value(mine, value);
  say("cudasync:   If the kernel works for longer between two arrivals, set a longer time-out: "
      "CUDASYNC_HANG_TIMEOUT_MS, a macro or, with cudasync::hang_report, an environment variable.\n");
  publish();
  end_or_go_on();
}

// --- Misuse that is detected immediately ---

// All arrivals of the phase have been made, and it waits for bytes of copies.
inline __device__ __noinline__ void explain_arrival_before_bytes(const object_record& record, uint32 arrivals) {
  if (record.who == role::consumer && report.found.arrivers > record.expected)
    return say("{C}{t} produce, but only {n} {thread|threads} may"
               "{R}let one thread of the block acquire and copy, or make the pipeline for the number of producers{.}",
               &report.arrived, record.expected);
  const object_record* const empty = record.who == role::consumer ? partner_of(record) : nullptr;
  const uint32 fills = total_arrivals(record) - arrivals - record.expected;  // that are complete
  if (empty != nullptr && is_released_too_often(*empty, record, fills)) {
    count_arrivals(*empty, state_of(barrier_target{}, {empty->address}));
    return explain_released_too_often(*empty, fills);
  }
  say("{C}all arrivals of the phase have been made, and it waits for ");
  if (record.expects.bytes > record.copied.bytes)
    say("{n} bytes that no copy writes", record.expects.bytes - record.copied.bytes);
  else
    say("the bytes of copies");
  say("{R}wait for the phase before you arrive in the next one; initialize with the number of arrivals in a phase{.}");
}

inline __device__ __noinline__ void explain_too_many(const waiting_group& at, uint32 missing, uint32 arrivals,
                                                     uint32 lanes) {
  const object_record& record = *at.record;
  const attendances& found = report.found;
  compare_arrivals(at);
  select_threads(report.idle,
                 [&record](uint32 rank) { return has_flag(record, rank, attendance::arrived_after_drop); });
  if (missing == 0)
    say(found.expected == 1 ? ", where the only arrival of the phase has been made"
                            : ", where all {n} arrivals of the phase have been made",
        found.expected);
  else
    say(", where only {n} of {n} {c}{is|are} missing", missing, found.expected, missing);
  say("; init was given {n} (at {f}).\n", record.expected, record.from);
  if (record.arrived_before != 0) return explain_second_init(record);
  if (record.early != 0) return explain_early_arrivals(record);
  if (report.idle.size() != 0)
    return say("{C}{t} {arrives|arrive} again although {it has|they have} called arrive_and_drop"
               "{R}do not use the barrier after arrive_and_drop{.}",
               &report.idle);
  const uint32 rank = backend::rank_in_block();
  if (explain_parity_of_waits(record, rank)) return;
  if (report.twice.size() != 0 && explain_parity_of_waits(record, report.twice.first())) return;
  if (missing == 0) return explain_arrival_before_bytes(record, arrivals);
  if (lanes > record.expected)
    return say(
        "{C}a warp makes {n} arrivals, but init was given {n}"
        "{R}initialize with the number of threads that arrive in a phase, or let one lane of each warp arrive{.}",
        arrivals, record.expected);
  if (report.twice.size() != 0 && report.twice.size() < found.arrivers)
    return say("{C}{t} {has|have} arrived more than once in one phase"
               "{R}let each thread arrive once in a phase, and wait for it before it arrives in the next{l}{.}",
               &report.twice, &report.twice);
  if (found.arrivers > record.expected) {
    say("{C}");
    say_who_arrives();
    return say(" arrive, but init was given {n}"
               "{R}initialize with {n}, the number of threads that arrive{.}",
               record.expected, found.arrivers);
  }
  say("{C}threads arrive again before the phase is complete, or the count given to init is too small"
      "{R}let each thread wait for a phase before it arrives in the next one; initialize with the number of arrivals "
      "in a phase{.}");
}

CUDASYNC_REPORT void print_too_many(ptx::shared_address bar, uint32 missing, uint32 arrivals, uint32 lanes) {
  if (atomicAdd(&controls.reporters, 1u) != 0) wait_for_the_end();
  report_text.words.clear();
  collect_waits();
  const uint32 first = backend::rank_in_block() / 32 * 32;
  report.idle.clear();
  report.idle.warps[first / 32 % 32] = lanes;
  waiting_group& at = report.groups[most_groups - 1];
  at.what = subject::of(kind::barrier, bar.value);
  at.record = record_of(at.what);
  if (at.record != nullptr)
    at.what = subject::of(kind::barrier, bar.value, false, false, at.record->who, at.record->stage);
  at.state = state_of(barrier_target{}, bar);
  say("cudasync: too many arrivals: block {b}, {t} {arrives|arrive} ", block_number(), &report.idle);
  if (arrivals != ptx::popc(lanes)) say("{n} times ", arrivals);
  say("at {i}, at {f}", at.what, last_call(record_of_warp(), owner_of_warp(), own_lane()).bits);
  if (at.record != nullptr)
    explain_too_many(at, missing, arrivals, ptx::popc(lanes));
  else
    say(".\n{C}the barrier is not initialized, or its init is not visible to this thread"
        "{R}let one thread call init(&bar, count), then synchronize the block, before any thread uses it; the init of a "
        "pipeline is called by all threads of the block{.}");
  publish();
  end_kernel();
}

// arrived, expected and others are numbers of warps. others: the number that the other warps expect, 0 if they do not
// agree.
[[noreturn]] inline __device__ __noinline__ void report_named_barrier(const char* cause, const char* remedy, uint32 id,
                                                                      uint32 arrived, uint32 expected, uint32 others) {
  if (atomicAdd(&controls.reporters, 1u) != 0) wait_for_the_end();
  report_text.words.clear();
  say("cudasync: named barrier {n}: block {b}, warp {n}, for {n} threads, at {f}: {n} threads have already "
      "arrived.\n",
      id, block_number(), backend::rank_in_block() / 32, expected * 32,
      last_call(record_of_warp(), owner_of_warp(), own_lane()).bits, arrived * 32);
  say("{C}{s}", cause);
  if (others != expected && others != 0) say(": this warp {n}, the others {n}", expected * 32, others * 32);
  if (others == 0) say(": this warp {n}, the others various numbers", expected * 32);
  say("{R}{s}{.}", remedy);
  publish();
  end_kernel();
}

}  // namespace checked
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
