// Causes of hangs: arrivals that are missing, too many, or at another barrier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_EXPLAIN_ARRIVALS_DEVICE_H
#define CUDASYNC_HANG_EXPLAIN_ARRIVALS_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/cluster_device.h>
#include <cudasync/hang/evidence_device.h>
#include <cudasync/hang/explain_bytes_device.h>
#include <cudasync/hang/find_cause_device.h>
#include <cudasync/hang/kind.h>
#include <cudasync/hang/record_data_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/hang/sentence_device.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// Another barrier of the same init that has got fewer arrivals by as many as threads too many arrive here: that are
// missing from its phase, or none at all although threads have waited for it. Null if there is none.
inline __device__ __noinline__ const object_record* barrier_that_lacks_arrivals(const object_record& record) {
  const uint32 extra = report.found.arrivers - record.expected;
  return find_sibling(record, [extra](const object_record& other) {
    if (other.remote != 0 || other.drops != 0) return false;
    const uint32 arrivals = total_arrivals(other);
    return extra == other.expected ? arrivals == 0 && has_waits(other)
                                   : arrivals % other.expected == other.expected - extra;
  });
}

inline __device__ __noinline__ void say_other_count(const object_record& record, uint32 count) {
  const uint32 arrivers = report.found.arrivers;
  record_number(number::suggested, arrivers);
  say(arrivers == threads_of_block() ? "{C}all {n} threads of the block" : "{C}{c}{t}", arrivers, &report.arrived);
  say(" {arrives|arrive}, but init was given {n}", count);
  if (const object_record* const other = arrivers > count ? barrier_that_lacks_arrivals(record) : nullptr)
    return say(
        "; in the phase of {i}, of the same init, {n} {arrival is|arrivals are} missing"
        "{R}let each thread arrive at the barrier of its own group: check the index in the array of barriers; or "
        "initialize with {n}, the number of threads that arrive{.}",
        other->as_subject(), arrivers - count, arrivers);
  report.idle.assign(report.missing);  // threads that do not arrive, of warps of which others do
  report.missing.remove_warps_of(report.arrived);
  report.idle.remove(report.missing);
  const uint32 rest = report.idle.size();
  if (arrivers < count && rest != 0)
    return say(
        "; {t} of the same warps {does|do} not{l}"
        "{R}initialize with {n}, the number of threads that arrive; or with {n}, and let the rest of their warps "
        "arrive, too{.}",
        &report.idle, &report.idle, arrivers, arrivers + rest);
  say(arrivers > count ? "{R}initialize with {n}, the number of threads that arrive, or let only {n} of them arrive{.}"
                       : "{R}initialize with {n}, the number of threads that arrive{.}",
      arrivers, count);
}

// Another barrier of the same init at which a thread has arrived. Null if there is none.
inline __device__ __noinline__ const object_record* sibling_of_thread(const object_record& record, uint32 rank) {
  return find_sibling(record, [rank](const object_record& other) { return has_arrived(other, rank); });
}

inline __device__ __noinline__ void say_rounds(const object_record& record, uint32 made) {
  report.arrived.remove(report.missing);
  const uint32 rank = report.arrived.first();
  say(": thread {n} has made {n} {arrival|arrivals}, and thread {n} {n}", report.missing.first(), made, rank,
      arrivals_of(record, rank));
}
// Of threads that have not arrived in the phase, and wait for nothing else. made: the arrivals of the first of them.
inline __device__ __noinline__ void say_missing_in_phase(const object_record& record, uint32 made) {
  collect_idle();
  const bool is_idle = report.idle.size() != 0;
  say(is_idle ? "{m} {has|have} not arrived in this phase"
              : "{m} {has|have} not arrived in this phase, but {waits|wait} for it",
      &report.missing);
  if (made != 0) say_rounds(record, made);
  if (is_idle)
    say("{s} {c}{it|they} still {computes|compute}, exited, took a branch that skips the arrival, or {waits|wait} for "
        "something outside this library{l}",
        made != 0 ? ";" : ":", report.missing.size(), &report.missing);
  if (made != 0)
    return say("{R}let all threads that are counted make the same arrivals in each round, and as many rounds: no "
               "`continue` or `break` may skip one; or let a thread that has ended its work call arrive_and_drop "
               "before it leaves{.}");
  say("{R}let every thread that is counted arrive, or call arrive_and_drop before it leaves; or initialize with {n}, "
      "the number of arrivals{.}",
      report.found.now);
}

inline __device__ __noinline__ void say_threads_missing(const waiting_group& at) {
  const uint32 made = arrivals_of(*at.record, report.missing.first());
  if (made == 0) record_number(number::suggested, report.found.now);
  if (!report.found.is_sure && !report.found.are_known())
    return say(
        "{C}of the {n} {arrival|arrivals} of this phase, {n} {was|were} made by no call of this library, so it is "
        "not known which threads are missing"
        "{R}if hand-written PTX or another library arrives, let its threads arrive once in each phase, on every "
        "path; or initialize with the number of all arrivals in a phase{.}",
        report.found.now, report.found.now - report.found.total);
  record_threads(report.missing);
  const bool have_all = !report.found.is_sure && report.missing.size() != 0 && !is_any_thread([&at](uint32 rank) {
    return report.missing.has(rank) && sibling_of_thread(*at.record, rank) == nullptr;
  });
  if (const object_record* const other = have_all ? sibling_of_thread(*at.record, report.missing.first()) : nullptr)
    return say("{C}only {t} {has|have} ever arrived at it, but init was given {n}; {t} {arrives|arrive} at {i}, "
               "or at others of the same init"
               "{R}if all of these threads should arrive here, check the index in the array of barriers; otherwise "
               "initialize with {n}, the number of threads that arrive{.}",
               &report.arrived, report.found.expected, &report.missing, other->as_subject(), report.found.arrivers);
  say("{C}");
  const waiting_group* const other = missing_group_elsewhere(at.what);
  if (other != nullptr && other->what.what() == kind::barrier && have_missing_passed(at)) {
    report.arrived.remove(report.missing);
    say("{t} {has|have} not arrived in this phase, and {waits|wait} at {f}, as do the threads that have: {t}",
        &report.missing, other->from, &report.arrived);
    return say(made != 0 ? "{R}let {t} arrive before that wait, in every round{.}"
                         : "{R}let {t} arrive before that wait, on every path, or initialize with {n}, the number of "
                           "arrivals{.}",
               &report.missing, report.found.now);
  }
  if (other != nullptr) {
    say("{t} {has|have} not arrived in this phase", &report.missing);
    return say_wait_of_missing(*other, at);
  }
  say_missing_in_phase(*at.record, made);
}

CUDASYNC_DEVICE void say_copies_are_no_arrivals(const waiting_group& at) {
  if (at.record->has_copies != 0)
    say("; memcpy_async or pipeline_producer_commit on this barrier holds its phase, and is no arrival");
}

inline __device__ __noinline__ bool say_arrivals_at_sibling(const object_record& record) {
  const object_record* const other =
      find_sibling(record, [&record](const object_record& each) { return arrivers_at(each) == 2 * record.expected; });
  if (other == nullptr) return false;
  select_threads(report.arrived, [other](uint32 rank) { return has_arrived(*other, rank); });
  say("; {t} arrive at {i}, of the same init, which counts {n}"
      "{R}let each thread arrive at the barrier for which the others wait: half of these threads should arrive here{.}",
      &report.arrived, other->as_subject(), other->expected);
  return true;
}

inline __device__ __noinline__ void say_no_arrival(const waiting_group& at) {
  const uint32 others = used_siblings(at);
  if (others > 1) {  // stages of a ring
    return say("{C}no thread has arrived since init, but {t} {arrives|arrive} again and again at {n} other "
               "barriers of the same init{R}let both sides go through the same barriers in the same order, with the "
               "same number of stages: if one side skips a round, both keep their stage{.}",
               record_threads(report.missing), others);
  }
  select_threads(report.missing, [](uint32 rank) { return !report.waiting.has(rank); });
  record_threads(report.missing);
  say("{C}no thread has arrived since init");
  if (const waiting_group* const other =
          find_group([](const waiting_group& each) { return each.what.what() == kind::group && each.threads != 0; })) {
    record_threads(other->set);
    return say_wait_of_missing(*other, at);
  }
  if (say_arrivals_at_sibling(*at.record)) return;
  if (at.record->expected == 1 && at.record->has_copies == 0) say(", nor expected bytes");
  say_copies_are_no_arrivals(at);
  if (report.missing.size() != 0)
    say("; {m} {waits|wait} for nothing that is recorded: {it|they} exited, still {computes|compute}, or {waits|wait} "
        "for something else, for example at a __syncthreads() or a cluster_barrier that not all threads reach{l}",
        &report.missing, &report.missing);
  if (at.record->has_copies != 0)
    return say("{R}let each thread that copies also arrive, after its copies, and initialize with the number of these "
               "threads{.}");
  const bool may_lack_work = report.missing.size() != 0 && !report.missing.meets(report.active);
  const bool has_calls =
      is_any_thread([](uint32 rank) { return report.missing.has(rank) && last_call_of_thread(rank).bits != 0; });
  say(may_lack_work && !has_calls
          ? "{R}if the threads that are counted have no work here, let those that wait skip the wait, too; otherwise "
            "let them arrive, on every path"
          : "{R}let the threads that are counted arrive, on every path");
  if (may_lack_work && has_calls) say("; if they have no work here, let the threads that wait skip the wait, too");
  if (at.what.is_parity_known() && !at.what.parity() && (at.record->expected != 1 || at.set.has_one_of_each_warp()))
    say("; if this wait is for the phase before the first one, like a producer's first wait for an empty stage, begin "
        "with parity 1");
  say("{.}");
}

inline __device__ __noinline__ void say_unrecorded(uint32 arrivals, const char* when, uint32 expected) {
  say("{C}at least {n} {arrival|arrivals} {s} {c}{was|were} made by no call of this library, but by an instruction on "
      "the address of the barrier, such as cuda::ptx::mbarrier_arrive_expect_tx; {t} {arrives|arrive} by calls, and "
      "init was given {n}"
      "{R}mbarrier_arrive_expect_tx arrives, too: expect bytes by mbarrier_expect_tx or barrier_expect_tx, or count "
      "this arrival at init{.}",
      arrivals, when, arrivals, &report.arrived, expected);
}

// The count given to init is not the number of threads that arrive.
inline __device__ __noinline__ void explain_count(cause why, const waiting_group& at) {
  const attendances& found = report.found;
  const uint32 threads = threads_of_block();
  if (why == cause::one_lane_of_each_warp)
    return say("{C}one thread of each of {n} warps arrives, but init was given {n}"
               "{R}initialize with {n}, or let all threads arrive{.}",
               found.arrivers, found.expected, found.arrivers);
  if (why == cause::waiters_do_not_arrive)
    return say("{C}{t} {arrives|arrive}, and {t} only {waits|wait}, but init was given {n}"
               "{R}let every thread that is counted arrive, also those that only wait, and before that wait; or, "
               "if they are not meant to, initialize with {n}{.}",
               &report.arrived, &report.waiting_here, found.expected, found.arrivers);
  const uint32 made = found.now + (at.state.parity ? found.expected : 0);
  if (why == cause::all_threads_arrived && at.record->is_simple() && made > found.total)
    return say_unrecorded(made - found.total, "since init", found.expected);
  if (why == cause::all_threads_arrived)
    return say("{C}all {n} threads of the block have arrived, and init was given {n}"
               "{R}initialize with the number of arrivals in a phase{.}",
               threads, found.expected);
  if (why == cause::updates_below_count) {
    record_number(number::arrivals, found.total);
    say("{C}{t} {makes|make} {n} arrivals", &report.arrived, found.usual);
    if (found.arrivers != 1) say(" each, {n} in all", found.total);
    return say(", but init was given {n}{R}initialize with {n}, or let the updates of a phase add up to {n}{.}",
               found.expected, found.total, found.expected);
  }
  if (why == cause::count_above_threads) {
    record_numbers(number::threads, threads, number::suggested, found.now);
    say("{C}init was given {n}, but the block has only {n} {thread|threads}", found.expected, threads);
    if (found.are_equal && found.usual == 1 && found.arrivers != threads)
      say(", of which {n} {arrives|arrive}", found.arrivers);
    return say("{R}initialize with {n}, the number of arrivals in this phase so far, if no other is to come{.}",
               found.now);
  }
  say("{C}only {t} arrives, but init was given {n}", &report.arrived, found.expected);
  say_copies_are_no_arrivals(at);
  say("{R}let every thread that is counted arrive, not only one in a branch");
  if (found.expected == 32) say(", where the other lanes of the warp may wait for it in __shfl_sync() or __syncwarp()");
  say("; or, if one is meant to arrive, initialize with 1{.}");
}

inline __device__ __noinline__ void explain_missing_arrivals(cause why, const waiting_group& at) {
  record_numbers(number::expected, report.found.expected, number::arrivers, report.found.arrivers);
  if (why == cause::no_arrival) return say_no_arrival(at);
  if (why == cause::other_blocks_missing) return say_other_blocks_missing(at);
  if (why == cause::count_above_arrivers) return say_other_count(*at.record, report.found.expected);
  if (why == cause::threads_missing) return say_threads_missing(at);
  if (why != cause::rounds_differ) return explain_count(why, at);
  report.arrived.remove(report.missing);
  say("{C}{t} {has|have} arrived more than once in one phase, or once more than {t}, which left a round earlier"
      "{R}let each thread arrive once in a phase, and wait for it before it arrives in the next one; let all threads "
      "make the same number of rounds{l}{.}",
      record_threads(report.arrived), &report.missing, &report.arrived);
}

// --- Too many, or at another barrier ---

// Threads arrive at the barrier for which they wait, in place of that for which the other threads wait.
inline __device__ __noinline__ void explain_other_barrier(const object_record& at, bool is_too_many) {
  const object_record& used = is_too_many ? at : *barrier_in_place_of(at);
  const object_record& empty = is_too_many ? *barrier_without_arrivals(at) : at;
  static_cast<void>(have_waiters_arrived(used));
  record_number(number::expected, empty.expected);
  say("{C}no thread has arrived at {o} since init; {t} {arrives|arrive} at {o}, for which {it waits itself|they wait "
      "themselves}"
      "{R}let each side arrive at the barrier for which the other side waits: consumers wait for the full barrier of a "
      "stage, and arrive at its empty barrier{.}",
      empty.as_subject(), record_threads(report.idle), used.as_subject());
}

inline __device__ __noinline__ void say_arrived_twice(const object_record& record, bool is_too_many) {
  record_threads(report.twice);
  if (record.who == role::consumer)
    return say(
        "{C}{t} {has|have} acquired stage {n} again before the consumers have released it"
        "{R}on both sides, default-construct the state, keep it from tile to tile, and advance once per stage{.}",
        &report.twice, record.number_of_stage());
  if (record.who != role::none) {
    say("{C}{t} {has|have} released stage {n} more than once in one round", &report.twice, record.number_of_stage());
    if (report.found.arrivers < report.found.expected)
      return say(", and only {n} of {n} consumers have ever released it"
                 "{R}let every consumer release every stage, or give each group of consumers a pipeline of its own{.}",
                 report.found.arrivers, report.found.expected);
    return say("{R}let each consumer call consumer_release once for each stage that it has waited for, and advance its "
               "state once per tile, also in a tile that it leaves out{.}");
  }
  const bool has_tokens =
      is_too_many && !has_record([](const object_record& other) { return has_waited(other, report.twice.first()); });
  say("{C}{t} {has|have} arrived more than once in one phase{s}"
      "{R}let each thread arrive once in a phase, and wait for it{s} before it arrives in the next one{l}{.}",
      &report.twice, is_too_many ? "" : ", so phases have completed before all counted threads arrived",
      has_tokens ? ", with the token of that arrival," : "", &report.twice);
}

inline __device__ __noinline__ void explain_extra_arrivals(cause why, const waiting_group& at, const finding& found) {
  const object_record& record = *at.record;
  const bool is_too_many = found.has(evidence::is_too_many);
  if (why == cause::arrived_twice) return say_arrived_twice(record, is_too_many);
  if (why == cause::count_below_arrivers)
    return say_other_count(record, is_too_many ? record.expected : report.found.expected);
  if (why == cause::arrived_after_drop) {
    static_cast<void>(has_arrival_after_drop(record));
    return say("{C}{t} {arrives|arrive} again although {it has|they have} called arrive_and_drop{l}"
               "{R}initialize the barrier again before its next use, or let these threads arrive without dropping{.}",
               record_threads(report.idle), &report.idle);
  }
  if (why == cause::arrived_in_own_block) record_threads(report.arrived);
  if (why == cause::too_many_producers)
    return say("{C}{t} produce, but only {n} {thread|threads} may"
               "{R}let one thread of the block acquire and copy, or make the pipeline for the number of producers{.}",
               record_threads(report.arrived), record.expected);
  if (why == cause::arrived_in_own_block && !is_too_many)
    return say("{C}{n} {arrival is|arrivals are} missing at {i}; no other block of the cluster has arrived there, but "
               "they have arrived {n} {time|times} at their own barriers of this address"
               "{R}let each block also arrive at the barriers of the other blocks that wait: remote_barrier(bar, "
               "rank){.}",
               at.state.pending, at.what, arrivals_in_own_blocks(record.address));
  if (why == cause::arrived_in_own_block)
    return say(
        "{C}{t} of this block {arrives|arrive} at this block's own barrier, where init was given {n}: the arrivals "
        "may be for the barrier of another block of the cluster"
        "{R}arrive there with remote_barrier(bar, rank), with the rank of the block that waits{.}",
        &report.arrived, record.expected);
  if (why == cause::arrived_before_bytes) {
    say("{C}all arrivals of the phase have been made, and it waits for ");
    if (record.expects.bytes > record.copied.bytes)
      say("{n} bytes that no copy writes", record.expects.bytes - record.copied.bytes);
    else
      say("the bytes of copies");
    say("{R}wait for the phase before you arrive in the next one; initialize with the number of arrivals in a phase");
    if (record.expects.times > 1) say(". barrier_arrive_tx arrives, too: let one call expect the bytes of all copies");
    return say("{.}");
  }
  if (why == cause::count_below_lanes)
    return say(
        "{C}a warp makes {n} arrivals, but init was given {n}"
        "{R}initialize with the number of threads that arrive in a phase, or let one lane of each warp arrive{.}",
        record_number(number::arrivals, found.arrivals), record.expected);
  if (found.has(evidence::has_unrecorded)) return say_unrecorded(found.unrecorded, "of this phase", record.expected);
  if (found.arrivals != found.lanes)
    return say("{C}the updates of a phase add up to more than {n}, the count given to init, or threads arrive again "
               "before the phase is complete"
               "{R}initialize with the sum of the updates in a phase (a warp may have fewer than 32 threads); let each "
               "thread wait for a phase before it arrives in the next one{.}",
               record.expected);
  say("{C}threads arrive again before the phase is complete, or the count given to init is too small"
      "{R}let each thread wait for a phase before it arrives in the next one; initialize with the number of arrivals "
      "in a phase{.}");
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
