// Causes of hangs: a barrier or pipeline without a usable init; parities and tokens of other phases.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_EXPLAIN_PARITY_DEVICE_H
#define CUDASYNC_HANG_EXPLAIN_PARITY_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/evidence_device.h>
#include <cudasync/hang/find_cause_device.h>
#include <cudasync/hang/object_history_device.h>
#include <cudasync/hang/record_data_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/hang/sentence_device.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// --- The object and its init ---

inline __device__ __noinline__ void say_barrier_not_initialized(const waiting_group& at) {
  say("{C}the barrier is not initialized: no init by cudasync was seen in this block");
  if (at.state.early != 0) say(", but {n} {arrival|arrivals}", at.state.early);
  uint32 others = 0;
  for_each_group([&](const waiting_group& other) {
    if (other.what.what() != kind::barrier || other.record != nullptr || other.threads == 0) return;
    mark_as_explained(other.what);
    if (!other.what.is_same_object(at.what) && &first_group_at(other) == &other) ++others;
  });
  if (others != 0) say("; nor {c}{is|are} {n} {other|others} for which threads wait", others, others);
  record_number(number::arrivals, at.state.early);
  if (const object_record* const before = find_initialized(at.what.address() - sizeof(uint64)))
    return say("; the one before it in memory, {o}, is"
               "{R}let one thread initialize every barrier of the array, then synchronize the block, before any thread "
               "uses them{.}",
               before->as_subject());
  say("{R}let one thread call init(&bar, count), then synchronize the block, before any thread uses it (all threads of "
      "the block call the init of a pipeline); in dynamic shared memory, make sure that nothing else has the same "
      "address{.}");
}

// Arrivals before the second init: of the phase that it interrupted, or all of the current one.
inline __device__ __noinline__ void say_second_init(const waiting_group& at, const finding& found) {
  const object_record& record = *at.record;
  if (found.has(evidence::other_count) && record.arrived_before == 0) {
    const object_record& made = *barrier_made_twice(record);
    return say(
        "{C}{i} was initialized at {f} with {n}, and again at {f} with {n} before any thread arrived: two barriers "
        "have the same memory, or one is initialized twice"
        "{R}in dynamic shared memory, let each array begin where the one before it ends; initialize each barrier "
        "once{.}",
        made.as_subject(), made.unused_from, made.unused_count, made.from, made.expected);
  }
  if (found.has(evidence::is_shared_state)) {
    static_cast<void>(has_state_of_several_groups(record));
    record_threads(report.idle);
    record_number(number::expected, record.expected);
    const bool is_pipeline = is_of_pipeline(record);
    return say("{C}several groups use one {s}: it was initialized {n} times, at {f}, for {n} arrivals in a phase, and "
               "{t} {arrives|arrive}"
               "{R}give each group a {s}, or make one for all of these threads{.}",
               is_pipeline ? "pipeline" : "barrier", record.times, record.from, record.expected, &report.idle,
               is_pipeline
                   ? "state of its own (an array of pipeline_shared_state, one for each warp)"
                   : "barrier of its own (a __shared__ variable of a function is the same in all of its calls)");
  }
  record_threads(at.set);
  if (record.arrived_before == 0 && record.who != role::none)
    return say(
        "{C}the pipeline was initialized {n} times, the last time at {f}: a group that still uses it waits for phases "
        "of before that init"
        "{R}give each group a state of its own; make another pipeline of the same state only after all threads of the "
        "one before have called quit{.}",
        record.times, record.from);
  if (record.arrived_before == 0 && found.has(evidence::waits_since_before_init | evidence::undid_phase)) {
    say(found.has(evidence::waits_since_before_init)
            ? "{C}{i} was initialized again at {f} while {t} {waits|wait} for an earlier phase"
            : "{C}{i} was initialized again at {f}, after threads had arrived and before {t} waited: this init undid "
              "their phase",
        at.what, record.from, &at.set);
    return say(
        "{R}initialize once, before the first phase. To reuse the memory, synchronize the threads that wait before "
        "the next init, for example by __syncthreads(){.}");
  }
  say("{C}{i} was initialized again at {f} while it was in use: ", at.what, record.from);
  if (found.has(evidence::is_too_many) && found.has(evidence::is_undone)) {
    say("threads were arriving");
  } else {
    const uint32 lost = record.arrived_before != 0 ? record.arrived_before : at.state.pending;
    say("at least {n} {arrival of the phase is|arrivals of the phase are} lost", record_number(number::lost, lost));
  }
  say("{R}initialize once, in one thread, then synchronize all threads; wait for the last phase before you reuse the "
      "memory; for fewer threads, use another barrier, or let those that leave call arrive_and_drop{.}");
}

inline __device__ __noinline__ void say_early_arrivals(const waiting_group& at) {
  const object_record& record = *at.record;
  if (record.early == 0) {
    const uint32 lost = lost_arrivals_of_cluster(at);
    return say(
        "{C}{n} {arrival|arrivals} of blocks of the cluster at {i} {c}{is|are} lost: {c}{it was|they were} made before "
        "its init at {f}, or when the init was not visible to the other blocks"
        "{R}initialize the barriers of all blocks, then synchronize the cluster, before any block arrives: "
        "init_barriers(this_cluster(), ...) does both{.}",
        record_number(number::lost, lost), at.what, lost, lost, record.from);
  }
  say("{C}{n} {arrival was|arrivals were} made before init at {f}, or when init was not visible to the threads, and "
      "{is|are} lost: thread {n}{s} arrived at {f}",
      record_number(number::lost, record.early), record.from, record.early_rank,
      record.early > 1 ? ", for example," : "", record.early_from);
  say(record.who != role::none
          ? "{R}let all threads of the group call the pipeline's init, which synchronizes them, before any of them "
            "uses it{.}"
          : "{R}let one thread call init(&bar, count), then synchronize the block, before any thread uses the "
            "barrier{.}");
}

// The value of the memory cannot be that of the barrier.
inline __device__ __noinline__ void say_overwritten(const waiting_group& at) {
  const object_record& record = *at.record;
  say("{C}something has written over the memory of {o}: init was given {n}, ", at.what,
      record_number(number::expected, record.expected));
  if (at.state.expected != 0 && at.state.expected != record.expected)
    say("and the memory has a count of {n}", at.state.expected);
  else if (at.state.pending > record.expected)
    say("and in the memory {n} arrivals are missing", at.state.pending);
  else
    say("and the memory has a phase that waits for nothing");
  if (const object_record* const below = neighbor_of(record, false))
    say("; the next known object below it in shared memory is {i}", below->as_subject());
  if (const object_record* const above = neighbor_of(record, true))
    say("; the next known object above it is {i}", above->as_subject());
  say("{R}find the store or the copy: it exceeds its array, for example a tile with its halo, or its array shares the "
      "memory, for example a tile of the epilogue in dynamic shared memory. Compare the arrays with the address of the "
      "barrier, or place an array of guard values before the barrier, and check them{.}");
}

inline __device__ __noinline__ void explain_object(cause why, const waiting_group& at, const finding& found) {
  if (why == cause::overwritten) return say_overwritten(at);
  if (why == cause::barrier_not_initialized) return say_barrier_not_initialized(at);
  if (why == cause::initialized_twice) return say_second_init(at, found);
  if (why == cause::arrivals_before_init) return say_early_arrivals(at);
  if (why == cause::pipeline_not_initialized)
    return say("{C}the pipeline is not initialized: no init was seen in this block"
               "{R}let all threads of the block call its init before any of them uses it{.}");
  if (why == cause::state_not_readable)
    return say(
        "{C}arrivals or bytes are missing; on this GPU a program cannot read how many"
        "{R}compare the number of arrivals with the count given to init, and the parity of the wait with that of the "
        "phase{.}");
  say("{C}unknown: more barriers are in use than the checked build can record, and the record of this one was replaced"
      "{R}define CUDASYNC_CHECKED_OBJECTS as a power of two greater than {n}, then run again{.}",
      record_number(number::capacity, CUDASYNC_CHECKED_OBJECTS));
}

// --- Parities and tokens ---

// Whether a thread that has waited for one parity twice in a row may have begun anew: it began with that parity, and
// has also waited for the other one, at this barrier or at another one of the init.
inline __device__ __noinline__ bool may_begin_anew(const object_record& record, uint32 rank, bool parity) {
  return begins_with(parity, record, rank) && has_record([&](const object_record& each) {
           return (&each == &record || is_sibling(each, record)) && waits_of(each, rank).has(wait_history::changed);
         });
}

inline __device__ __noinline__ void say_flip(const char* before, const char* after) {
  say("{s}flip the parity once after each wait for the same barrier (in a ring, when the index of the stage wraps "
      "around){s}{.}",
      before, after);
}
inline __device__ __noinline__ void say_parity_remedy(bool begins_anew) {
  say("{R}");
  say_flip(begins_anew ? "keep the parity, and in a ring the index of the stage, from one tile to the next, and " : "",
           "");
}

// A thread waits for the same parity as in its last wait, or has done so before an arrival too many.
inline __device__ __noinline__ void say_kept_parity(const object_record& waited, uint32 rank, bool is_too_many) {
  const bool parity = waits_in_a_row(waited, rank, true) > 1;
  const uint32 waits = waits_in_a_row(waited, rank, parity);
  const bool begins_anew = may_begin_anew(waited, rank, parity);
  record_numbers(number::waits_in_a_row, waits, number::parity, uint32{parity});
  if (is_too_many)
    say("{C}the parity was not flipped: thread {n} has waited {n} times in a row for parity {n} at {o}", rank, waits,
        uint32{parity}, waited.as_subject());
  else
    say(begins_anew
            ? "{C}the parity began anew, or was not flipped: this is wait number {n} in a row for parity {n}, with "
              "which thread {n} began at this barrier"
            : "{C}the parity was not flipped: this is wait number {n} for parity {n} in a row at this barrier",
        waits, uint32{parity}, rank);
  if (!is_too_many && report.found.complete != not_counted && waited.is_of_cluster == 0)
    say(", and {n} {phase is|phases are} complete", report.found.complete);
  say_parity_remedy(begins_anew);
}

// A thread arrives too often, because a wait returned at once: of this thread, or of one that arrives elsewhere.
// behind: threads that therefore wait for a phase that is over, if they are known.
inline __device__ __noinline__ void say_repeated_parity(const waiting_group* behind) {
  uint32 rank;
  const object_record& waited = *barrier_with_repeated_parity(rank);
  say("{C}the parity was not flipped, or flipped twice: thread {n} has waited twice in a row for the same parity at "
      "{o}, and the second wait returned at once",
      rank, waited.as_subject());
  if (behind != nullptr)
    say("; so an arrival at {i} came a round too early, and {t} {waits|wait} at {f} for a phase that is over",
        behind->what, &behind->set, behind->from);
  say_parity_remedy(true);
}

inline __device__ __noinline__ void say_phase_not_begun(const waiting_group& at) {
  const counts_of_cluster senders = count_senders(*at.record, report.found.total);
  const uint32 phases = complete_phases(at);
  if (phases != not_counted)
    say("{C}{n} {phase is|phases are} complete, and no thread has arrived in the next one",
        record_number(number::phases, phases));
  else
    say("{C}no thread has arrived in this phase");
  if (at.record->is_of_cluster != 0 && senders.most != 0)
    say(" ({n} {arrival|arrivals} of block {b})", senders.most, senders.other);
  if (senders.most != 0 && senders.other != block_number() && does_block_wait(senders.other))
    return say("{R}find out why that wait does not end, or let this block arrive before it{.}");
  const waiting_group* const other = missing_group_elsewhere(at.what);
  say(", the phase of this wait");
  if (other != nullptr && other->what.what() != kind::barrier) return say_wait_of_missing(*other, at);
  const bool is_next = phases_behind(at, phases) == 0;
  if (const object_record* const ahead = is_next ? barrier_out_of_order(at) : nullptr) {
    const uint32 rank = report.arrived.first();
    return say(
        ": thread {n} has arrived {n} {time|times} here, and {n} times at {i}, ahead of the waits there: it began "
        "with a later barrier of the array, or left out an arrival here{l}"
        "{R}let both sides begin with the same barrier, for example arrive before the index is advanced; let no "
        "branch leave an arrival out{.}",
        rank, arrivals_of(*at.record, rank), arrivals_of(*ahead, rank), ahead->as_subject(), &report.arrived);
  }
  say("{l}{R}let the threads that arrive make as many rounds as those that wait, on every path", &report.arrived);
  if (report.arrived.size() != 0 && !report.arrived.meets(report.waiting))
    say("; if a value ends their loop, let them read it before the arrival after which it is replaced");
  if (is_next) return say("{.}");
  say_flip("; ", ", and let no phase complete before the threads have waited for the one before the last");
}

// A thread arrives too early: a barrier for which it waits opens before all threads of the cluster have arrived.
inline __device__ __noinline__ void say_opens_early(uint32 rank) {
  const object_record& other = *barrier_that_opens_early(rank);
  const uint32 senders = count_senders(other, 0).total;
  const uint32 own = total_arrivals(other);
  record_number(number::phases, (senders + own) / other.expected);
  say("{C}{o} completes phases before thread {n} has waited for them: since init, it has got {n} arrivals of this "
      "block and {n} of other blocks of the cluster, and init was given {n}"
      "{R}initialize it with the number of arrivals in a round, of all blocks; let each thread that is counted arrive "
      "once in a round{.}",
      other.as_subject(), rank, own, senders, other.expected);
}

// The threads that arrive do not wait for those of the group.
inline __device__ __noinline__ void say_who_releases(const waiting_group& at, const object_record& other) {
  const thread_set& here = report.waiting_here;
  select_threads(report.idle, [&other](uint32 rank) { return has_arrived(other, rank); });
  select_threads(report.waiting_here, [&at](uint32 rank) { return has_waited(*at.record, rank); });
  const bool are_warps = report.idle.has_one_of_each_warp() && here.number_of_warps() != here.size();
  const uint32 waiting = are_warps ? here.number_of_warps() : here.size();
  say("; the arriving threads wait at {o}, at which {t} alone {arrives|arrive} for {n} {s}"
      "{R}let each {s} that waits here arrive there, after its last read, and initialize that barrier with {n}; or "
      "synchronize them before that arrival{.}",
      other.as_subject(), &report.idle, waiting, are_warps ? "warps" : "threads", are_warps ? "warp" : "thread",
      waiting);
}

// The phase of a wait is over, and so is the next one.
inline __device__ __noinline__ void say_overtaken(const waiting_group& at) {
  const uint32 phases = complete_phases(at);
  record_number(number::phases, phases);
  record_threads(at.set);
  const object_record* const other = side_released_by_others(at);
  const bool is_first = is_overtaken(at, phases);
  const bool is_of_cluster = at.record->is_of_cluster != 0;
  const uint32 arrivals = arrivals_of(*at.record, at.set.first());
  if (!is_first) {
    const uint32 rank = report.arrived.first();
    if (report.arrived.has(rank) && barrier_that_opens_early(rank) != nullptr) return say_opens_early(rank);
    say("{C}{n} {phase is|phases are} complete, and {t} {waits|wait} for ", phases, &at.set);
    say(phases == 1                             ? "the one before the first"
        : phases <= 4 || arrivals + 1 == phases ? "number {n}"
                                                : "an earlier one",  // of four, as the thread's waits tell
        phases - 1);
    const counts_of_cluster senders = count_senders(*at.record, report.found.total);
    if (is_of_cluster) say(" ({n} {arrival|arrivals} of block {b})", senders.most, senders.other);
  } else {
    say("{C}{n} phases were complete before {t} waited for the first one", phases, &at.set);
  }
  if (other != nullptr) return say_who_releases(at, *other);
  if (at.record->who != role::none)
    return say(
        ": {c}{its state is|their states are} behind those of the other threads"
        "{R}let the state of each thread pass all stages, also those that other threads use: advance it by their "
        "number, and keep it from tile to tile{.}",
        at.set.size());
  const bool is_apart = is_first || waits_alone(at);
  say(is_apart ? ": the arriving threads do not wait for {c}{it|them}" : ": the next one was complete before",
      at.set.size());
  say("{R}let the threads that arrive wait, before each phase, until the waiting threads have seen the last one{s}{.}",
      is_apart ? ", for example at a second barrier; or let the waiting threads arrive at this one, too, and count them"
      : is_of_cluster
          ? "; initialize with the number of all arrivals in a phase, also those of other blocks of the cluster"
          : "; initialize with the number of all arrivals in a phase");
}

// Threads arrive too often, because the barrier at which they wait completes several phases in one of this barrier.
inline __device__ __noinline__ void say_left_behind(const object_record& other) {
  const uint32 others = rounds_of(other);
  record_number(number::phases, others);
  select_threads(report.missing, [&other](uint32 rank) { return has_arrived(other, rank); });
  say("{C}{n} {phase|phases} of {o} {c}{is|are} complete, and {n} of this barrier: {t}, which {waits|wait} here",
      others, other.as_subject(), others, report.found.least_complete(), record_threads(report.missing));
  say(" before each round, {c}{completes|complete} more than one phase there in a round"
      "{R}let them arrive there once in a round, or initialize that barrier with the number of arrivals in a round, "
      "{n} or more. barrier_arrive_tx arrives, too: let one call expect the bytes of all copies, or count all calls{.}",
      report.missing.size(), other.expected * 2);
}

// A token that is not of this phase. It is of this barrier if the thread has arrived at no other one.
inline __device__ __noinline__ void say_old_token(const waiting_group& at) {
  const uint32 rank = at.set.first();
  const uint32 arrivals = arrivals_of(*at.record, rank);
  const bool has_others = arrivals != sum_of_arrivals(rank, [](const object_record&) { return true; });
  if (arrivals == report.found.complete && !has_others)
    return say("{C}the token is of an earlier phase: thread {n} has made {n} {arrival|arrivals} here, one in each "
               "complete phase, none at another barrier, and does not wait with the token of the last one"
               "{R}wait once for each token, before the next arrival, and keep what each arrival returns, also in a "
               "loop: token = bar.arrive(){.}",
               rank, arrivals);
  say("{C}the token does not belong to this phase, in which thread {n} has not arrived: it belongs to an earlier phase "
      "or another barrier{R}wait for each token at its own barrier, before the next arrival{.}",
      rank);
}

inline __device__ __noinline__ void explain_parity(cause why, const waiting_group& at, const finding& found) {
  const bool is_too_many = found.has(evidence::is_too_many);
  if (why == cause::phase_not_begun) return say_phase_not_begun(at);
  if (why == cause::overtaken && !is_too_many) return say_overtaken(at);
  if (why == cause::overtaken)
    return at.record->is_of_cluster != 0 ? say_opens_early(backend::rank_in_block()) : say_left_behind(*found.ahead);
  if (why == cause::token_of_other_phase) return say_old_token(at);
  if (why == cause::token_of_other_barrier)
    return say(
        "{C}the token belongs to another barrier: {t} never arrived at this one, nor did any other thread of the block"
        "{R}wait for each token at its own barrier{.}",
        &at.set);
  record_number(number::rank, found.rank);
  if (why == cause::first_parity) {
    say("{C}the first wait of thread {n} at this barrier was for parity 1, but the first phase has parity 0{R}",
        found.rank);
    return say_flip("", ", beginning with parity 0 for the first phase");
  }
  if (!found.has(evidence::kept_parity)) return say_repeated_parity(nullptr);
  say_kept_parity(*barrier_with_kept_parity(*at.record, found.rank), found.rank, is_too_many);
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
