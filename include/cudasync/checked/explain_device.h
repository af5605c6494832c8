// The most probable cause of a hang, and its remedy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CHECKED_EXPLAIN_DEVICE_H
#define CUDASYNC_CHECKED_EXPLAIN_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/checked/causes.h>
#include <cudasync/checked/evidence_device.h>
#include <cudasync/checked/registry_device.h>
#include <cudasync/checked/sentence_device.h>
#include <cudasync/core/integers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace checked {

// --- Bytes ---

inline __device__ __noinline__ void say_bytes(const byte_count& expects, const byte_count& copied) {
  say(expects.bytes == 0 ? "{C}no bytes are expected" : "{C}{n} {byte is|bytes are} expected (at {f})", expects.bytes,
      expects.from);
  say(copied.bytes == 0 ? ", and no copy completes on this barrier since init"
                        : ", and copies of {n} bytes were begun (at {f}) since init",
      copied.bytes, copied.from);
}

inline __device__ __noinline__ void explain_unequal_bytes(const byte_count& expects, const byte_count& copied) {
  if (copied.bytes - expects.bytes + 15 < 31) say("; the size was rounded in one of the two places");
  if (expects.times > copied.times && copied.bytes != 0 && expects.bytes / expects.times * copied.times == copied.bytes)
    return say("; {n} calls expect bytes, and {n} {copies|copy} them"
               "{R}let one thread expect the bytes of a copy, once; or a copy is missing{.}",
               expects.times, copied.times);
  say("{R}expect exactly the bytes that the copies move, and begin every copy with the barrier that expects them{.}");
}

inline __device__ __noinline__ void explain_bytes(const waiting_group& at) {
  const object_record& record = *at.record;
  if (record.remote != 0)
    return say(
        "{C}all arrivals have come, but {s}; copies of other blocks, or of boxes of a tensor map, complete on this barrier"
        "{R}let each block expect all bytes that come to it, and exactly these; a box counts in full, also beyond the edge "
        "of the tensor{.}",
        at.state.bytes < 0 ? "more bytes than are expected" : "bytes are missing");
  say_bytes(record.expects, record.copied);
  const bool are_too_few = record.copied.bytes < record.expects.bytes;
  if (const object_record* const other = are_too_few ? barrier_with_foreign_bytes(record) : nullptr)
    return say("; {o} got copies of {n} bytes that it does not expect (at {f})"
               "{R}give each copy the barrier of the stage that expects its bytes{.}",
               subject::of(kind::barrier, other->address), other->copied.bytes - other->expects.bytes,
               other->copied.from);
  if (record.expects.bytes == 0)
    return say(
        "{R}arrive by barrier_arrive_tx, or call barrier_expect_tx before the last arrival, with the bytes of all "
        "copies{.}");
  if (record.copied.bytes == record.expects.bytes)
    return say(
        "; a copy has not completed, or bytes of one phase came in another"
        "{R}expect exactly the bytes that the copies move, and begin every copy with the barrier that expects them; let each "
        "phase expect its own bytes{.}");
  explain_unequal_bytes(record.expects, record.copied);
}

// --- Stages of pipelines ---

inline __device__ __noinline__ void say_stage_remedy(const waiting_group& at) {
  say(at.what.who() == role::producer
          ? "{R}let each consumer call consumer_release once a round, for as many rounds as the producers make, and make the "
            "pipeline with as many consumers as release; a thread that leaves early calls quit{.}"
          : "{R}let each producer call producer_commit once a round (a bulk_pipeline's: producer_acquire), for as many rounds "
            "as the consumers wait for, and make the pipeline with as many producers as commit; a thread that leaves early "
            "calls quit{.}");
}

inline __device__ __noinline__ void explain_missing_stage(const waiting_group& at) {
  const bool is_producer = at.what.who() == role::producer;
  const attendances& found = report.found;
  if (found.now == 0) {
    report.missing = report.arrived;
    if (found.arrivers == 0) add_arrivals_at_other_stages(*at.record);
    say(is_producer ? "{C}no consumer has released stage {n} since its last round{l}"
                    : "{C}no producer has committed stage {n} in this round{l}",
        at.what.stage(), &report.missing);
    return say_stage_remedy(at);
  }
  say(is_producer ? "{C}{n} of {n} consumers {c}{has|have} released stage {n}"
                  : "{C}{n} of {n} producers {c}{has|have} committed stage {n}",
      found.now, found.expected, found.now, at.what.stage());
  const uint32 missing = report.missing.size();
  if (found.arrivers > 1 && found.expected > 32 && found.arrivers == found.now &&
      report.arrived.has_one_of_each_warp()) {
    say(": one thread of each of {n} warps", found.arrivers);
  } else if (missing != 0 && missing <= found.expected - found.now) {
    const bool are_warps = is_producer && found.expected <= 32 && report.arrived.has_one_of_each_warp() &&
                           report.missing.has_one_of_each_warp();
    say(are_warps ? "; {w} {has not|have not}{l}" : "; {t} {has not|have not}{l}", &report.missing, &report.missing);
  }
  say_stage_remedy(at);
}

// --- Barriers ---

// Nobody has arrived in the phase that this wait is for.
inline __device__ __noinline__ void explain_parity(const waiting_group& at) {
  const attendances& found = report.found;
  const uint32 in_a_row = waits_in_a_row(*at.record, at.set.first(), at.what.parity());
  if (in_a_row > 1) {
    say("{C}the parity was not flipped: this is wait number {n} for parity {n} in a row", in_a_row,
        uint32{at.what.parity()});
    if (found.complete != not_counted) say(", and {n} {phase is|phases are} complete", found.complete);
    return say("{R}flip the parity once after each wait, beginning with parity 0 for the first phase{.}");
  }
  if (found.complete != not_counted)
    say("{C}{n} {phase is|phases are} complete, and nobody has arrived in the next one", found.complete);
  else
    say("{C}nobody has arrived in this phase");
  say(", which is waited for{l}"
      "{R}let the threads that arrive make as many rounds as those that wait, and flip the parity once after each wait{.}",
      &report.arrived);
}

inline __device__ __noinline__ void explain_no_arrival(const waiting_group& at) {
  const byte_count& expects = at.record->expects;
  if (expects.bytes != 0)
    return say("{C}{n} {byte was|bytes were} expected at {f}, but nobody has arrived"
               "{R}barrier_expect_tx does not arrive: call barrier_arrive_tx, or arrive besides{.}",
               expects.bytes, expects.from);
  if (!at.what.is_parity_known())
    return say(
        "{C}the token is of another barrier: {t} never arrived at this one, nor did any other thread of the block"
        "{R}wait for each token at its own barrier{.}",
        &at.set);
  say("{C}no thread has arrived since init"
      "{R}let the threads that are counted arrive, on every path; if this wait is for the phase before the first one, as a "
      "producer's for an empty stage, begin with parity 1{.}");
}

inline __device__ __noinline__ void say_who_arrives() {
  say(report.found.arrivers == threads_of_block() ? "all {n} threads of the block" : "{c}{t}", report.found.arrivers,
      &report.arrived);
}

inline __device__ __noinline__ void explain_cluster() {
  const attendances& found = report.found;
  if (found.arrivers == 0)
    say("{C}no thread of this block has arrived");
  else
    say("{C}{t} {has|have} arrived", &report.arrived);
  say(found.complete == 0 && found.now <= found.total
          ? ", and no thread of another block has"
          : "; arrivals of other blocks complete the phase, or are missing");
  say("{R}let the other blocks of the cluster arrive at this block's barrier (remote_barrier), or initialize with the number "
      "of arrivals that a phase gets from all blocks{.}");
}

inline __device__ __noinline__ void explain_second_init(const object_record& record) {
  say("{C}the barrier was initialized again at {f} while it was in use: {n} {arrival of the phase is|arrivals of the phase "
      "are} lost{R}initialize once, by one thread, before all threads synchronize; wait for the last phase before the memory "
      "is used again{.}",
      record.from, record.arrived_before);
}

// No arrival was seen to be lost when the barrier was initialized again, but threads that arrived before are gone.
inline __device__ __noinline__ bool explain_lost_arrivals(const waiting_group& at) {
  const object_record& record = *at.record;
  if (record.times < 2 || report.found.complete != 0 || report.missing.size() == 0) return false;
  if (last_call_of_thread(report.missing.first()).bits != at.from) return false;
  say("{C}the barrier was initialized again at {f} while it was in use: {n} arrivals of the phase are lost"
      "{R}initialize once, by one thread, before all threads synchronize; wait for the last phase before the memory is used "
      "again{.}",
      record.from, at.state.pending);
  return true;
}

inline __device__ __noinline__ void explain_early_arrivals(const object_record& record) {
  say("{C}{n} {arrival|arrivals} came before init at {f}, or when it was not visible to them, and {is|are} lost"
      "{R}let one thread call init(&bar, count), then synchronize the block, before any thread uses the barrier{.}",
      record.early, record.from);
}

// Some have arrived in this phase, and as often as others: the count given to init is not that of the arrivals.
inline __device__ __noinline__ bool explain_wrong_count() {
  const attendances& found = report.found;
  const uint32 threads = threads_of_block();
  if (found.complete != not_counted && found.complete != 0 && found.are_equal && found.usual <= found.complete) {
    say("{C}");
    say_who_arrives();
    say(" arrive, but init was given {n}{R}initialize with {n}, the threads that arrive{.}", found.expected,
        found.arrivers);
  } else if (found.arrivers > 1 && found.usual == found.complete + 1 && report.arrived.has_one_of_each_warp()) {
    say("{C}one thread of each of {n} warps arrives, but init was given {n}{R}initialize with {n}, or let all threads "
        "arrive{.}",
        found.arrivers, found.expected, found.arrivers);
  } else if (found.complete == 0 && found.are_equal && found.usual > 1 && found.total == found.now) {
    say("{C}{t} {makes|make} {n} arrivals", &report.arrived, found.usual);
    if (found.arrivers != 1) say(" each, {n} in all", found.total);
    say(", but init was given {n}{R}initialize with {n}, or let the updates of a phase add up to {n}{.}",
        found.expected, found.total, found.expected);
  } else if (found.expected > threads) {
    say("{C}init was given {n}, but the block has only {n} {thread|threads}", found.expected, threads);
    if (found.are_equal && found.usual == 1 && found.arrivers != threads)
      say(", of which {n} {arrives|arrive}", found.arrivers);
    say("{R}initialize with {n}, the arrivals of this phase, if all of them have come{.}", found.now);
  } else if (found.arrivers == 1 && found.now == 1) {
    say("{C}only {t} arrives, but init was given {n}{R}initialize with 1, or let all threads arrive that are counted{.}",
        &report.arrived, found.expected);
  } else if (report.twice.size() != 0 && report.twice.size() < found.arrivers && !found.is_sure) {
    say("{C}{t} {has|have} arrived more than once in one phase, so that phases completed without threads that are counted"
        "{R}let each thread arrive once in a phase, and wait for it before the next{l}{.}",
        &report.twice, &report.twice);
  } else {
    return false;
  }
  return true;
}

// A few threads have arrived once more than the others.
inline __device__ __noinline__ bool explain_extra_arrivals() {
  const attendances& found = report.found;
  if (!found.is_sure || found.complete == not_counted || found.now * 2 > report.missing.size()) return false;
  report.arrived.remove(report.missing);
  if (report.arrived.size() != found.now) return false;
  say("{C}{t} {has|have} arrived more than once in one phase, or once more than {t}, which left a round earlier"
      "{R}let each thread arrive once in a phase, and wait for it before the next; let all make the same number of "
      "rounds{l}{.}",
      &report.arrived, &report.missing, &report.arrived);
  return true;
}

// Some threads have not arrived in this phase: report.missing.
inline __device__ __noinline__ void explain_missing_threads(const waiting_group& at) {
  const attendances& found = report.found;
  collect_idle();
  if (!found.is_sure && report.idle.size() >= at.state.pending) report.missing = report.idle;
  const uint32 missing = report.missing.size();
  collect_waiters(at.what.address());
  if (!found.is_sure && !report.waiting_here.meets(report.arrived) && missing == report.waiting_here.size())
    return say("{C}{t} {arrives|arrive}, and {t} only {waits|wait}, but init was given {n}"
               "{R}initialize with {n}, or let all threads arrive that are counted{.}",
               &report.arrived, &report.waiting_here, found.expected, found.arrivers);
  if (missing == 0)
    return say("{C}all {n} threads of the block have arrived, and init was given {n}"
               "{R}initialize with the number of arrivals that a phase gets{.}",
               threads_of_block(), found.expected);
  say("{C}");
  if (at.what.bits != report.reported) say("{o}: ", at.what);
  if (const waiting_group* other = missing_group_elsewhere(at.what.address()))
    return say("{t} {has|have} not arrived in this phase: {t} {waits|wait} for {o} at {f}"
               "{R}see why that wait does not end, or let these threads arrive before it{.}",
               &report.missing, &other->set, other->what, other->from);
  say("{t} {has|have} not arrived in this phase: {it|they} exited, took a branch without the arrival, or {waits|wait} by other "
      "means{l}{R}let every thread that is counted arrive, or call arrive_and_drop before it leaves; or initialize with the "
      "{n} that do{.}",
      &report.missing, &report.missing, found.now);
}

inline __device__ __noinline__ void explain_missing_arrivals(const waiting_group& at) {
  const object_record& record = *at.record;
  const attendances& found = report.found;
  compare_arrivals(at);
  if (record.arrived_before != 0 && found.complete == 0) return explain_second_init(record);
  if (record.early != 0) return explain_early_arrivals(record);
  if (at.what.who() != role::none) return explain_missing_stage(at);
  const bool is_alone = record.remote == 0 && record.is_of_cluster == 0;
  if (found.arrivers == 0 && found.now == 0 && is_alone) return explain_no_arrival(at);
  if (record.is_of_cluster != 0) return explain_cluster();
  if (found.now == 0 && at.what.is_parity_known()) return explain_parity(at);
  if (found.now == 0)
    return say(
        "{C}the token is not of this phase, in which thread {n} has not arrived: it is of an earlier phase or of another "
        "barrier{R}wait for each token at its own barrier, before the next arrival{.}",
        at.set.first());
  if (explain_lost_arrivals(at) || explain_wrong_count() || explain_extra_arrivals()) return;
  explain_missing_threads(at);
}

inline __device__ __noinline__ void explain_barrier(const waiting_group& at) {
  if (at.record == nullptr && objects_lost != 0)
    return say("{C}not known: more barriers are in use than the checked build remembers, and this one was forgotten"
               "{R}define CUDASYNC_CHECKED_OBJECTS as a greater power of two than {n}, then run again{.}",
               uint32{CUDASYNC_CHECKED_OBJECTS});
  if (at.record == nullptr) {
    say("{C}the barrier is not initialized: no init by cudasync was seen in this block");
    if (at.state.early != 0) say(", but {n} {arrival|arrivals}", at.state.early);
    return say(
        "{R}let one thread call init(&bar, count), then synchronize the block, before any thread uses it; in dynamic shared "
        "memory see that nothing else lies at its address{.}");
  }
  if (!at.state.is_known)
    return say(
        "{C}arrivals or bytes are missing; this GPU does not let a program read how many"
        "{R}compare the arrivals made with the count given to init, and the parity waited for with the phase{.}");
  if (at.state.pending == 0 && at.state.bytes != 0) return explain_bytes(at);
  explain_missing_arrivals(at);
}

// --- Who waits for whom ---

// The group that this one waits for, if its threads wait themselves, and no others are to blame.
inline __device__ __noinline__ const waiting_group* next_of(const waiting_group& at) {
  if (at.record == nullptr || !at.state.is_known || at.record->early != 0 || at.record->is_of_cluster != 0)
    return nullptr;
  if (at.state.pending == 0 && at.state.bytes != 0) return nullptr;
  if (at.record->expects.bytes != 0 && at.state.pending == at.record->expected && at.what.who() == role::none)
    return nullptr;
  compare_arrivals(at);
  collect_idle();
  if (report.found.now != 0 && report.found.is_sure && report.idle.size() != 0 && report.twice.size() == 0)
    return nullptr;
  const waiting_group* const next = missing_group_elsewhere(at.what.address());
  return next != nullptr && next->what.what() == kind::barrier ? next : nullptr;
}

// Whether a part of its arrivals has come, and threads that wait nowhere are as many as are missing.
inline __device__ __noinline__ bool lacks_idle_threads(const waiting_group& at) {
  if (at.record == nullptr || at.state.pending == 0 || at.state.pending >= at.record->expected - at.record->drops)
    return false;
  if (at.what.who() != role::none) return true;
  compare_arrivals(at);
  collect_idle();
  return report.idle.size() >= at.state.pending;
}

// Groups that wait for each other, in a circle.
struct waiting_circle {
  const waiting_group* groups[most_groups];
  uint32 size;
};

inline __device__ __noinline__ void explain_circle(const waiting_circle& circle) {
  bool is_ring = true;
  bool is_same_stage = true;
  bool has_begun = true;
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < circle.size; ++index) {
    const waiting_group& at = *circle.groups[index];
    is_ring = is_ring && at.what.who() != role::none;
    is_same_stage = is_same_stage && at.what.stage() == circle.groups[0]->what.stage();
    compare_arrivals(at);
    if (at.what.is_parity_known() && report.found.total == 0) has_begun = false;
  }
  if (is_ring)
    say("{C}producers and consumers wait for each other{s}", is_same_stage ? "" : " at different stages");
  else
    say("{C}");
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < circle.size && !is_ring; ++index)
    say(index == 0 ? "{t}" : " and {t}", &circle.groups[index]->set);
  if (!is_ring) say(has_begun ? " wait for each other" : " wait for each other, and no phase was ever completed");
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < circle.size; ++index) {
    const waiting_group& at = *circle.groups[index];
    say(index == 0 ? ": {t} at " : ", {t} at ", &at.set);
    if (is_ring) say("stage {n}, ", at.what.stage());
    say("{f}", at.from);
  }
  say(is_ring
          ? "{R}advance once a tile on both sides, begin both at the same stage, and let both make the same number of rounds{.}"
      : has_begun
          ? "{R}let all threads use the barriers in the same order, and arrive at the one before they wait for the other{.}"
          : "{R}begin with parity 1 where the first wait is for the phase before the first one, as a producer's for an empty "
            "stage; else let one side arrive before it waits{.}");
}

// From one wait to the next, until nobody waits, or a circle is closed.
inline __device__ __noinline__ void explain_barriers(const waiting_group& first) {
  const waiting_group* path[most_groups];
  uint32 length = 0;
  uint32 begin = most_groups;  // of the circle
  CUDASYNC_NO_UNROLL
  for (const waiting_group* at = &first; at != nullptr && length < most_groups && begin == most_groups;) {
    path[length++] = at;
    at = next_of(*at);
    CUDASYNC_NO_UNROLL
    for (uint32 index = 0; index < length; ++index)
      if (path[index] == at) begin = index;
  }
  const waiting_group* root = path[length - 1];
  if (begin != most_groups) {
    root = nullptr;
    waiting_circle circle;
    circle.size = 0;
    CUDASYNC_NO_UNROLL
    for (uint32 index = begin; index < length; ++index) {
      if (lacks_idle_threads(*path[index])) root = path[index];
      circle.groups[circle.size++] = path[index];
    }
    if (root == nullptr) return explain_circle(circle);
  }
  explain_barrier(*root);
}

// --- The other objects ---

// value: how many arrivals are missing.
inline __device__ __noinline__ void explain_stage_of_counter(const waiting_group& at, uint64 value) {
  say(at.what.who() == role::producer ? "{C}{n} {consumer has|consumers have} not released stage {n}"
                                      : "{C}{n} {producer has|producers have} not committed stage {n}",
      value, at.what.stage());
  say_stage_remedy(at);
}

// value: the threads that have come in the upper half, those that are expected in the lower.
inline __device__ __noinline__ void explain_named_barrier(const waiting_group& at, uint64 value) {
  say("{C}only {n} of {n} threads have come to the named barrier", value >> 32, value & 0xffffffff);
  select_threads(report.missing, [&at](uint32 rank) { return !at.set.has_warp_of(rank); });
  if (report.missing.size() != 0) say("; {t} {does|do} not wait there{l}", &report.missing, &report.missing);
  say("{R}let all warps of the phase use the same id and the same number of threads, which must be that of all that sync or "
      "arrive; take another id for each group{.}");
}

inline __device__ __noinline__ void explain_value(const waiting_group& at, uint64 value) {
  if (at.what.what() == kind::named_barrier) return explain_named_barrier(at, value);
  if (at.what.who() != role::none) return explain_stage_of_counter(at, value);
  const explanation why = explain(at.what.what());
  say("{C}{s}", why.cause);
  if (why.one != nullptr) say("{n}{s}", value, value == 1 ? why.one : why.many);
  say("{R}{s}{.}", why.remedy);
}

}  // namespace checked
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
