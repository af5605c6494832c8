// The report of a hang: who waits for what, the most probable cause, and the remedy. One thread writes it, for all.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CHECKED_REPORT_DEVICE_H
#define CUDASYNC_CHECKED_REPORT_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/backend/elect.h>
#include <cudasync/checked/barrier_device.h>
#include <cudasync/checked/evidence_device.h>
#include <cudasync/checked/explain_device.h>
#include <cudasync/checked/registry_device.h>
#include <cudasync/checked/sentence_device.h>
#include <cudasync/checked/watch_device.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/special_registers.h>

#if CUDASYNC_HAS_HOST
#include <stdio.h>
#endif

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace checked {

// --- The end of a report ---

// Gives the text to printf and to the host.
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

// A moment later, which lets the text arrive.
[[noreturn]] CUDASYNC_DEVICE void end_kernel() {
  __nanosleep(1000000);
  for (;;)
    __trap();
}

inline __device__ __noinline__ void end_or_go_on() {
  const after_report action = static_cast<after_report>(shared_by_all(reinterpret_cast<uint32&>(controls.action)));
  if (action == after_report::trap) end_kernel();
  if (action == after_report::drain) shared_by_all(controls.is_draining) = 1;
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

// The object of a group, and below it all groups that wait for it. Returns how many lines there are now.
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
  say("cudasync: hang: nothing has moved for {n} ms. In block {b} of {n} threads:\n", timeout() / 1000000,
      block_number(), threads_of_block());
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < report.number_of_groups; ++index)
    look_at(report.groups[index]);
  say_who_waits();
  const waiting_group& mine = reported_group();
  if (what.what() == kind::barrier)
    explain_barriers(mine);
  else
    explain_value(mine, value);
  say("cudasync:   A kernel that works for longer without an arrival needs a longer time-out: CUDASYNC_HANG_TIMEOUT_MS, a macro "
      "or, with cudasync::hang_report, an environment variable.\n");
  publish();
  end_or_go_on();
}

// --- Misuse that is found at once ---

inline __device__ __noinline__ void explain_too_many(const waiting_group& at, uint32 missing, uint32 arrivals,
                                                     uint32 lanes) {
  const object_record& record = *at.record;
  const attendances& found = report.found;
  compare_arrivals(at);
  select_threads(report.idle,
                 [&record](uint32 rank) { return has_flag(record, rank, attendance::arrived_after_drop); });
  say(", where only {n} of {n} {c}{is|are} missing; init was given {n} (at {f}).\n", missing, found.expected, missing,
      record.expected, record.from);
  if (record.arrived_before != 0) return explain_second_init(record);
  if (record.early != 0) return explain_early_arrivals(record);
  if (report.idle.size() != 0)
    return say("{C}{t} {arrives|arrive} again although {it has|they have} called arrive_and_drop"
               "{R}call nothing of the barrier after arrive_and_drop{.}",
               &report.idle);
  if (missing == 0) {
    say("{C}all arrivals of the phase have come, and it waits for ");
    if (record.expects.bytes > record.copied.bytes)
      say("{n} bytes that no copy brings", record.expects.bytes - record.copied.bytes);
    else
      say("bytes of copies");
    return say("{R}wait for the phase before you arrive in the next one; initialize with as many arrivals as come{.}");
  }
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
    return say(" arrive, but init was given {n}{R}initialize with {n}, the threads that arrive{.}", record.expected,
               found.arrivers);
  }
  say("{C}threads arrive again before the phase is complete, or the count given to init is too small"
      "{R}let each thread wait for a phase before it arrives in the next one; initialize with the number of arrivals that a "
      "phase gets{.}");
}

[[noreturn]] CUDASYNC_REPORT void report_too_many(ptx::shared_address bar, uint32 missing, uint32 arrivals,
                                                  uint32 lanes) {
  if (atomicAdd(&controls.reporters, 1u) != 0) wait_for_the_end();
  report_text.words.clear();
  collect_waits();
  const uint32 first = backend::rank_in_block() / 32 * 32;
  report.idle.clear();
  report.idle.warps[first / 32 % 32] = lanes;
  waiting_group& at = report.groups[most_groups - 1];
  at.what = subject::of(kind::barrier, bar.value);
  at.record = record_of(at.what);
  at.state = state_of(barrier_target{}, bar);
  say("cudasync: too many arrivals: block {b}, {t} {arrives|arrive} ", block_number(), &report.idle);
  if (arrivals != ptx::popc(lanes)) say("{n} times ", arrivals);
  say("at {i}, at {f}", at.what, last_call(record_of_warp(), owner_of_warp(), own_lane()).bits);
  if (at.record != nullptr)
    explain_too_many(at, missing, arrivals, ptx::popc(lanes));
  else
    say(".\n{C}the barrier is not initialized, or its init is not visible to this thread"
        "{R}let one thread call init(&bar, count), then synchronize the block, before any thread uses it{.}");
  publish();
  end_kernel();
}

// Numbers of warps; others: what the other warps of the phase expect, 0 if they do not agree.
[[noreturn]] inline __device__ __noinline__ void report_named_barrier(const char* cause, const char* remedy, uint32 id,
                                                                      uint32 arrived, uint32 expected, uint32 others) {
  if (atomicAdd(&controls.reporters, 1u) != 0) wait_for_the_end();
  report_text.words.clear();
  say("cudasync: named barrier {n}: block {b}, warp {n}, for {n} threads, at {f}: {n} threads are there already.\n", id,
      block_number(), backend::rank_in_block() / 32, expected * 32,
      last_call(record_of_warp(), owner_of_warp(), own_lane()).bits, arrived * 32);
  say("{C}{s}", cause);
  if (others != expected && others != 0) say(": {n} here, {n} there", expected * 32, others * 32);
  if (others == 0) say(": {n} here, several there", expected * 32);
  say("{R}{s}{.}", remedy);
  publish();
  end_kernel();
}

}  // namespace checked
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
