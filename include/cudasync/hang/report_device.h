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
#include <cudasync/hang/explain_grid_device.h>
#include <cudasync/hang/explain_named_device.h>
#include <cudasync/hang/explain_values_device.h>
#include <cudasync/hang/find_cause_device.h>
#include <cudasync/hang/object_history_device.h>
#include <cudasync/hang/record_data_device.h>
#include <cudasync/hang/record_words_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/hang/sentence_device.h>
#include <cudasync/hang/watch_device.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/special_registers.h>
#include <cudasync/thread/elect.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// --- The text of a hang ---

// Lets a thread of another block write the report, if the cause is that this block does not come, and it waits. So the
// report is about the block in which the chain of waits ends. Returns whether a thread of that block has begun.
inline __device__ __noinline__ bool is_continued_elsewhere() {
  const uint64 other = report_text.other_block - 1;
  report.blocks.add(static_cast<uint32>(block_number()));
  uint64 from;
  if (report_text.other_block == 0 || report.blocks.has(static_cast<uint32>(other)) ||
      wait_in_block(other, from).bits == 0)
    return false;
  const uint32 tag = tag_of(owner_of(other));
  __threadfence();
  shared_by_all(controls.asked) = tag;
  CUDASYNC_NO_UNROLL
  for (uint32 looks = 0; looks < 16 && shared_by_all(controls.asked) == tag; ++looks)
    __nanosleep(1000000);
  return atomicCAS(&controls.asked, tag, 0u) != tag;
}

inline __device__ __noinline__ void say_object(const waiting_group& at) {
  reported_object& object = record_object(at);
  put("cudasync:   ");
  begin(object.line);
  begin(object.name);
  put_name(at.what);
  end(object.name);
  if (at.record != nullptr) {
    put(", initialized at ");
    put_place(object.place, at.record->from);
    say(" with {n}", at.record->expected);
    if (at.record->drops != 0) say(", of which {n} {has|have} dropped out", at.record->drops);
  }
  if (is_overwritten(at)) put(": overwritten");
  if (object.has_phase != 0)
    say(": phase of parity {n}, {n} {arrival|arrivals} of {n}", object.parity, object.arrived, object.expected);
  if (object.bytes > 0) say(", {n} {byte|bytes} outstanding", static_cast<uint32>(object.bytes));
  if (object.bytes < 0) say(", {n} {byte|bytes} more than expected", static_cast<uint32>(-object.bytes));
  end_line(object.line);
}

inline __device__ __noinline__ void say_group(const waiting_group& at) {
  reported_wait& wait = record_wait_of(at);
  put("cudasync:     ");
  begin(wait.line);
  say_waiting(at);
  put_place(wait.place, at.from);
  if (wait.parity != not_counted) say(" for parity {n}", wait.parity);
  if (wait.threads != 0 && wait.others != 0) say("; and {n} of other blocks", wait.others);
  report.left_out -= wait.threads + wait.others;
  end_line(wait.line);
}

// Writes the object of a group, and below it all groups that wait for it. Returns the number of lines so far.
inline __device__ __noinline__ uint32 say_who_waits_at(const waiting_group& first, uint32 lines) {
  if (&first_group_at(first) != &first) return lines;
  say_object(first);
  ++lines;
  for_each_group_at(first.what, [&lines](const waiting_group& each) {
    if (lines++ <= 14) say_group(each);
  });
  return lines;
}

inline __device__ __noinline__ void say_who_waits() {
  uint32 lines = 0;
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < report.number_of_groups && lines <= 12; ++index)
    lines = say_who_waits_at(report.groups[index], lines);
  report_text.data.left_out = report.left_out;
  if (report.left_out != 0)
    say("cudasync:     ... and {n} more {thread waits|threads wait}, for other objects or elsewhere.\n",
        report.left_out);
}

// --- Several hangs ---

// Explains the wait of a group, if its cause is certain and does not depend on what is explained.
inline __device__ __noinline__ void explain_if_sure(const waiting_group& at) {
  uint64 number = 0;
  if (at.threads == 0 || index_of_object(at.what) == not_counted || is_explained(at) || !find_number(at, number))
    return;
  const explainer explain = shared_by_all(explainers[static_cast<uint32>(at.what.what())]);
  if (explain == nullptr) return;
  report.must_be_sure = report_text.part != part_of_report::named;
  explain(at, number);
  if (current_cause().what != cause::unknown) mark_as_explained(at.what);
  report.must_be_sure = false;
}

inline __device__ __noinline__ void explain_first_that_is_sure() {
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < report.number_of_groups && current_cause().what == cause::unknown; ++index)
    explain_if_sure(report.groups[index]);
}

// Whether a group waits for the rest of its block, which waits elsewhere, for what is explained.
inline __device__ __noinline__ bool is_consequence(const waiting_group& at) {
  if (at.what.what() == kind::group) return true;
  if (at.what.what() != kind::counter_barrier || !is_in_shared_memory(at.what.address())) return false;
  collect_waiters(at.what);
  return report.waiting_here.size() < threads_of_block() &&
         !is_any_thread([](uint32 rank) { return !report.waiting_here.has(rank) && !report.explained.has(rank); });
}

// The objects for which threads of this block wait, and whose waits the causes may not explain.
inline __device__ __noinline__ void say_unexplained() {
  report_data& data = report_text.data;
  for_each_group([&](const waiting_group& at) {
    const uint32 object = index_of_object(at.what);
    if (at.threads == 0 || object == not_counted || is_explained(at) || (data.unexplained >> object & 1) != 0) return;
    if (is_consequence(at)) return;
    say(data.unexplained == 0 ? "cudasync:   Threads also wait, perhaps as a consequence, for {i}" : ", {i}", at.what);
    data.unexplained |= uint32{1} << object;
  });
  if (data.unexplained != 0) put(report.left_out != 0 ? ", and for objects that are not listed.\n" : ".\n");
}

// Removes the threads of report.missing that have the last call of this one, and writes them.
inline __device__ __noinline__ bool say_last_place(uint32 rank, const char* sentence) {
  const uint64 from = last_call_of_thread(rank).bits;
  if (from == 0 || find_group([from](const waiting_group& at) {  // where a thread waits for its whole block
        return at.from == from && at.what.what() >= kind::grid_barrier && at.what.what() <= kind::world_barrier;
      }))
    return false;
  select_threads(report.idle,
                 [from](uint32 other) { return report.missing.has(other) && last_call_of_thread(other).bits == from; });
  report.missing.remove(report.idle);
  say(sentence, &report.idle, from);
  return true;
}

// The threads that have called the library and are in none of its waits. Where else they stand is not recorded.
inline __device__ __noinline__ void say_who_is_elsewhere() {
  const uint32 callers = warps_with_calls();
  select_threads(report.missing, [callers](uint32 rank) {
    return (callers >> rank / 32 & 1) != 0 && !report.waiting.has(rank) && !report_text.told.has(rank) &&
           last_call_of_thread(rank).line() != 0;  // at the end of a cluster_exit_guard
  });
  uint32 places = 0;
  CUDASYNC_NO_UNROLL
  for (uint32 rank = 0; rank < threads_of_block() && places < 3; ++rank)
    if (report.missing.has(rank))
      places += say_last_place(rank, places == 0 ? "cudasync:   In no wait of this library: {t}, after {f}"
                                                 : "; {t}, after {f}");
  if (places != 0)
    say(". They have returned, compute, run a loop, or wait outside this library, for example at __syncthreads().\n");
}

// Explains the wait that the cause names, or another hang that does not depend on it.
inline __device__ __noinline__ void explain_further_hangs() {
  const subject named = report_text.named;
  report_text.part = part_of_report::named;
  for_each_group_at(named, explain_if_sure);
  const cause why = current_cause().what;
  if ((why == cause::phase_not_begun || why == cause::threads_missing || why == cause::named_arrivals_missing) &&
      index_of_object(report_text.named) == report_text.data.why.object)
    put("cudasync:   These two waits form a circle. If phases are complete, one side has left out an arrival, for "
        "example in a branch with `continue`; otherwise, one side waits before it arrives.\n");
  say_same_waits();
  report_text.part = part_of_report::further;
  explain_first_that_is_sure();
  say_unexplained();
  if (report_text.told.size() == 0 || report_text.data.other.what != cause::unknown) say_who_is_elsewhere();
}

// Returns false if a thread of another block writes the report.
inline __device__ __noinline__ bool say_waits(uint64 value, explainer explain) {
  collect_waits();
  for_each_group(look_at);
  say_who_waits();
  const waiting_group* const found =
      find_group([](const waiting_group& at) { return at.what.bits == report.reported && at.threads != 0; });
  const waiting_group& at = found != nullptr ? *found : report.groups[0];
  report.explained.clear();
  report.must_be_sure = false;
  // The wait for a value says nothing of its cause, so another wait whose cause is certain comes first.
  if (at.what.what() != kind::barrier && at.what.what() != kind::named_barrier) explain_first_that_is_sure();
  if (current_cause().what == cause::unknown) {
    explain(at, value);
    mark_as_explained(at.what);
  }
  if (is_continued_elsewhere()) return false;
  explain_further_hangs();
  return true;
}

// Returns false if a thread of another block writes the report.
inline __device__ __noinline__ bool write_report(subject what, uint64 value, explainer explain) {
  begin_report(incident::hang);
  report_data& data = report_text.data;
  const uint64 now = ptx::get_sreg_globaltimer();
  const bool do_others_move = is_changing(now);
  unchanged_since = do_others_move ? end_of_changes(now) : 0;
  data.milliseconds = static_cast<uint32>(timeout() / 1000000) * (do_others_move ? 4 : 1);
  report.reported = what.bits;
  say("hang: no progress {s}for {n} ms. In block {b} of {n} threads:", do_others_move ? "of a wait " : "",
      data.milliseconds, block_number(), data.threads);
  end_line(data.headline);
  const uint32 warps_of_gpu = warps_of_multiprocessor * ptx::get_sreg_nsmid();
  if (CUDASYNC_CHECKED_WARPS < warps_of_gpu) {  // several warps overwrite each other's waits
    data.why.what = cause::record_replaced;
    record_number(number::capacity, CUDASYNC_CHECKED_WARPS);
    say("{C}unknown: the GPU can hold {n} warps at a time, and CUDASYNC_CHECKED_WARPS is {n}, so several warps have "
        "one record"
        "{R}define CUDASYNC_CHECKED_WARPS as {n} or more, then run again{.}",
        warps_of_gpu, uint32{CUDASYNC_CHECKED_WARPS}, warps_of_gpu);
  } else if (!say_waits(value, explain)) {
    return false;
  }
  put("cudasync:   ");
  if (do_others_move) put("Other waits of this kernel still begin and end: what is missing may only be late. ");
  put("If the kernel works for longer between two arrivals, set a longer time-out: "
      "CUDASYNC_HANG_TIMEOUT_MS, a macro or, with cudasync::hang_report, an environment variable.\n");
  return true;
}

// There is no hang if what was missing comes during the report, or threads have not seen yet that their phase is over.
CUDASYNC_REPORT void report_hang(subject what, uint64 value, explainer explain) {
  if (is_unchanged(what, value)) {
    if (!write_report(what, value, explain)) return;
    const waiting_group* const going_on = find_group([](const waiting_group& at) {
      return at.is_by_parity() && at.state.is_known && at.what.parity() != at.state.parity;
    });
    if (report.ends_barriers || (is_unchanged(what, value) && going_on == nullptr)) {
      publish();
      const after_report action = action_after_report();
      if (action == after_report::trap) end_kernel();
      if (action == after_report::drain) shared_by_all(controls.drained_grid) = 1 + grid_number();
    }
  }
  report.blocks.clear();
  unchanged_since = 0;
  __threadfence();
  shared_by_all(controls.reporters) = 0;
}

// --- Misuse that is detected immediately ---

// Waits until no other thread writes a report.
inline __device__ __noinline__ void begin_misuse(incident what) {
  while (atomicAdd(&controls.reporters, 1u) != 0)
    __nanosleep(1000000);
  begin_report(what);
}

// Says where, and how many arrivals the phase has: the rest of the headline.
inline __device__ __noinline__ void say_where_too_many(const waiting_group& at, uint32 missing) {
  report_data& data = report_text.data;
  reported_object& object = record_object(at);
  put("at ");
  begin(object.name);
  put_name(at.what);
  end(object.name);
  say(", at {f}", last_call(record_of_warp(), owner_of_warp(), own_lane()).bits);
  if (at.record != nullptr) {
    const uint32 left = at.record->expected - at.record->drops;
    const uint32 expected = at.state.expected != 0         ? at.state.expected
                            : left != 0 && missing <= left ? left
                                                           : at.record->expected;
    if (missing == 0)
      say(expected == 1 ? ", where the only arrival of the phase has been made"
                        : ", where all {n} arrivals of the phase have been made",
          expected);
    else if (!is_init_in_arrival(*at.record))
      say(", where only {n} of {n} {c}{is|are} missing", missing, expected, missing);
    say("; init was given {n} (at ", at.record->expected);
    put_place(object.place, at.record->from);
    put(")");
  }
  put(".");
  end_line(data.headline);
}

CUDASYNC_REPORT void print_too_many(ptx::shared_address bar, uint32 missing, uint32 arrivals, uint32 lanes) {
  begin_misuse(incident::too_many_arrivals);
  collect_waits();
  report.idle.clear();
  report.idle.warps[backend::rank_in_block() / 32 % 32] = lanes;
  waiting_group& at = report.groups[most_groups - 1];
  at.what = subject::of(kind::barrier, bar.value);
  at.record = record_of(at.what);
  if (at.record != nullptr)
    at.what = subject::of(kind::barrier, bar.value, false, false, at.record->who, at.record->stage);
  at.state = state_in_wait(bar);
  at.threads = ptx::popc(lanes);
  say("too many arrivals: block {b}, {t} {arrives|arrive} ", block_number(), &report.idle);
  if (arrivals != ptx::popc(lanes)) say("{n} {time|times} ", arrivals);
  say_where_too_many(at, missing);
  explain_by_table(at, [&](finding& found) { look_for_extra_arrivals(found, at, missing, arrivals, at.threads); });
  publish();
  end_kernel();
}

CUDASYNC_REPORT void check_sent(ptx::shared_address own, uint32 block_rank, uint32 update, uint32 lanes) {
  const uint32 peers = __match_any_sync(lanes, block_rank);
  const uint32 arrivals = sum_of_updates(peers, update);
  const uint64 block = block_of_cluster(cluster_target{}, block_rank);
  const object_record* const there = record_of_block(block, own.value);
  if (there == nullptr || arrivals <= read_far(there->expected)) return;
  begin_misuse(incident::too_many_arrivals);
  report.arrived.clear();
  report.arrived.warps[backend::rank_in_block() / 32 % 32] = peers;
  const subject what = subject::of(kind::barrier, own.value);
  say("too many arrivals: block {b}, {t} {arrives|arrive} at {i} of block {b}", block_number(), &report.arrived, what,
      block);
  say(", at {f}.", last_call(record_of_warp(), owner_of_warp(), own_lane()).bits);
  end_line(report_text.data.headline);
  record_cause(cause::count_below_lanes, what);
  record_number(number::arrivals, arrivals);
  say("{C}a warp makes {n} arrivals, but init was given {n} (at {f})"
      "{R}initialize with the number of threads that arrive in a phase, or let one lane of each warp arrive{.}",
      arrivals, there->expected, there->from);
  publish();
  end_kernel();
}

struct named_barrier_misuse {
  const char* why;
  const char* remedy;
  uint32 id;
  uint32 arrived;   // the number of warps
  uint32 expected;  // by this warp: the number of warps
  uint32 others;    // the number that the other warps expect, 0 if they do not agree
};

[[noreturn]] inline __device__ __noinline__ void report_named_barrier(const named_barrier_misuse& what) {
  begin_misuse(incident::named_barrier);
  say("named barrier {n}: block {b}, warp {n}, for {n} threads, at {f}: {n} threads have already arrived.", what.id,
      block_number(), backend::rank_in_block() / 32, what.expected * 32,
      last_call(record_of_warp(), owner_of_warp(), own_lane()).bits, what.arrived * 32);
  end_line(report_text.data.headline);
  report_text.data.why.what = cause::named_barrier_misused;
  record_numbers(number::id, what.id, number::warp, backend::rank_in_block() / 32, number::expected, what.expected * 32,
                 number::arrived, what.arrived * 32);
  say("{C}{s}", what.why);
  if (what.others != what.expected && what.others != 0)
    say(": this warp {n}, the others {n}", what.expected * 32, what.others * 32);
  if (what.others == 0) say(": this warp {n}, the others various numbers", what.expected * 32);
  if (what.others != what.expected || what.arrived > what.expected)
    say_who_has_arrived(what.id, what.arrived * 32);
  else if (what.arrived < what.expected)
    say_who_is_missing(what.id, what.expected * 32);
  if (what.arrived > what.expected) __nanosleep(1000000);  // for warps that are about to arrive elsewhere
  const bool is_of_several = what.arrived > what.expected && say_lonely_ids(what.id);
  say(is_of_several ? "{R}{s}; compute the id in the same way on both sides{.}" : "{R}{s}{.}", what.remedy);
  publish();
  end_kernel();
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
