// Causes of hangs: stages of pipelines, answers of launch queues and turns of groups that are not given on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_EXPLAIN_STAGES_DEVICE_H
#define CUDASYNC_HANG_EXPLAIN_STAGES_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/hang/barrier_device.h>
#include <cudasync/hang/cluster_device.h>
#include <cudasync/hang/evidence_device.h>
#include <cudasync/hang/find_cause_device.h>
#include <cudasync/hang/object_history_device.h>
#include <cudasync/hang/record_data_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/hang/sentence_device.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// empty: the barrier at which the producers wait, to which report.found belongs. fills: of the stage, by producers.
inline __device__ __noinline__ void say_releases(cause why, const object_record& empty, uint32 fills) {
  const attendances& found = report.found;
  record_numbers(number::stage, empty.stage, number::expected, found.expected, number::arrivers, found.arrivers,
                 number::releases, found.total, number::fills, fills);
  record_threads(report.arrived);
  if (why == cause::released_too_often)
    return say(
        "{C}stage {n} was released {n} times by {n} {consumer|consumers}, but filled only {n} {time|times}"
        "{R}on both sides, default-construct the state, keep it from tile to tile, and advance once per tile; let "
        "each consumer call consumer_release once per round{.}",
        empty.stage, found.total, found.arrivers, fills);
  const bool are_warps = report.arrived.has_one_of_each_warp();
  say(are_warps ? "{C}{n} consumers release stage {n} ({w}), but the pipeline was made for {n}"
                : "{C}{n} consumers release stage {n} ({t}), but the pipeline was made for {n}",
      found.arrivers, empty.stage, &report.arrived, found.expected);
  say("{R}make the pipeline for the number of consumers that release a stage; let each call consumer_release once per "
      "round{.}");
}

inline __device__ __noinline__ void collect_users(const object_record& own, const object_record* other) {
  for_each_thread([&own, other](uint32 rank) {
    const bool has_arrived = arrivals_of(own, rank) != 0 || (other != nullptr && !waits_of(*other, rank).is_empty());
    const bool has_waited = !waits_of(own, rank).is_empty() || (other != nullptr && arrivals_of(*other, rank) != 0);
    if (has_arrived) report.missing.add(rank);
    if (has_arrived || has_waited) report.idle.add(rank);
  });
}

// Fills report.missing with the threads of the other side, as far as their calls show: those that have arrived where
// this side waits, and those that have waited where this side arrives. Fills report.idle with the threads of both
// sides.
inline __device__ __noinline__ void collect_other_side(const object_record& record) {
  report.missing.clear();
  report.idle.clear();
  for_each_record([&record](const object_record& each) {
    if (is_of_same_side(each, record)) collect_users(each, partner_of(each));
  });
}

inline __device__ __noinline__ uint32 arrivals_at_side(const object_record& record, uint32 rank) {
  return sum_of_arrivals(rank, [&record](const object_record& each) { return is_of_same_side(each, record); });
}

// The threads of report.missing, which are those that should arrive, all wait at this stage.
inline __device__ __noinline__ void say_waiters_owe_it(const object_record& record, bool is_producer) {
  say(is_producer ? ": its consumers are {t}, which {waits|wait} here"
                  : ": its producers are {t}, which {waits|wait} here",
      &report.missing);
  if (is_producer)
    return say("{R}let each thread release the stages for which it has waited before it acquires more{.}");
  say("; thread {n} has committed {n} {stage|stages}, and waits for one more"
      "{R}let each thread commit every stage for which it waits, also one without data: only the copies belong in a "
      "condition{.}",
      report.missing.first(), arrivals_at_side(record, report.missing.first()));
}

// No thread has arrived in this round.
inline __device__ __noinline__ void say_stage_without_arrival(const waiting_group& at) {
  const bool is_producer = at.what.who() == role::producer;
  report.missing.assign(report.arrived);
  if (report.found.arrivers == 0) add_arrivals_at_other_stages(*at.record);
  const bool has_begun = report.missing.size() != 0;
  collect_other_side(*at.record);
  record_threads(report.missing);
  say(!is_producer ? "{C}no producer has committed stage {n} in this round"
      : has_begun  ? "{C}no consumer has released stage {n} since its last round"
                   : "{C}no consumer has released stage {n} or any other stage since init",
      at.what.stage());
  if (report.missing.size() == 0)
    return say(is_producer ? ", and no thread has waited as a consumer"
                             "{R}let the consumers call consumer_wait and consumer_release for each stage{.}"
                           : ", and no thread has acquired a stage as a producer"
                             "{R}let the producers call producer_acquire and producer_commit for each stage (of a "
                             "bulk_pipeline: producer_acquire and the copies){.}");
  const waiting_group* const other = missing_group_elsewhere(at.what);
  if (other != nullptr) {
    say(": {t} {waits|wait} for {o} at {f}", &other->set, other->what, other->from);
    if (is_producer && other->what.who() == role::consumer)
      return say("{R}let each consumer call consumer_release once per round, after the wait for the stage{.}");
    if (other->what.what() == kind::named_barrier)
      return say("{R}let {i} count only the threads of the warps that call it; or find out why the others do not{.}",
                 other->what);
    return say("{R}find out why that wait does not end, or let these threads {s} the stage before it{.}",
               is_producer ? "release" : "commit");
  }
  collect_idle();
  if (report.idle.size() == 0) return say_waiters_owe_it(*at.record, is_producer);
  report.missing.assign(report.idle);
  say(": {t} {has|have} returned from {its|their} last call{l}: {it|they} exited, still {computes|compute}, or "
      "{waits|wait} outside this library, for example at a __syncthreads() that not all threads reach",
      &report.missing, &report.missing);
  say(is_producer
          ? "{R}let each consumer release every stage for which it has waited, on every path, and make as many rounds "
            "as the producers. Where only the consumers synchronize, use a named_barrier. A thread that leaves a "
            "cuda::pipeline "
            "early must call quit{.}"
          : "{R}let each producer call producer_commit once per round (of a bulk_pipeline: producer_acquire), on every "
            "path, for as many rounds as the consumers wait for. A thread that leaves a cuda::pipeline early must call "
            "quit{.}");
}

// The threads of report.missing that have not arrived: their number, or that of their warps if one thread of each warp
// arrives.
inline __device__ __noinline__ uint32 keep_those_that_have_not_arrived(bool are_warps, const thread_set& others) {
  if (are_warps)
    report.missing.remove_warps_of(others);
  else
    report.missing.remove(others);
  return are_warps ? report.missing.number_of_warps() : report.missing.size();
}

struct missing_of_stage {
  bool is_known;
  bool are_warps;     // one thread of each warp arrives
  bool have_used_it;  // the pipeline
};

// Fills report.missing with the producers or consumers of the stage that are missing, after compare_arrivals(at).
inline __device__ __noinline__ missing_of_stage find_missing_of_stage(const waiting_group& at) {
  const bool is_producer = fills_stages(at.what.who());
  const uint32 expected = report.found.expected;
  const uint32 pending = expected - report.found.now;
  uint32 missing = report.missing.size();
  missing_of_stage result{true, is_producer && expected <= 32 && report.arrived.has_one_of_each_warp(), true};
  if (missing == 0 || missing > pending) {
    collect_other_side(*at.record);
    if (is_of_queue(at.what.who())) report.missing.remove(at.set);  // a scheduler waits for answers, too
    missing = keep_those_that_have_not_arrived(result.are_warps, report.arrived);
  } else {
    result.are_warps = result.are_warps && report.missing.has_one_of_each_warp();
  }
  if (missing == 0) {
    result.have_used_it = false;
    select_threads(report.missing, [](uint32) { return true; });
    missing = keep_those_that_have_not_arrived(result.are_warps, report.idle);
    if (missing != pending) {  // perhaps those that wait for something else
      collect_idle();
      missing = keep_those_that_have_not_arrived(result.are_warps, report.idle);
    }
  }
  result.is_known = result.have_used_it ? missing <= pending : missing == pending;
  return result;
}

// Which producers or consumers of the stage are missing.
inline __device__ __noinline__ void say_missing_of_stage(const waiting_group& at) {
  const bool is_producer = at.what.who() == role::producer;
  const missing_of_stage found = find_missing_of_stage(at);
  if (!found.is_known) {
    if (report.arrived.size() != 0) say(": {t}", &report.arrived);
    return say("{R}make the pipeline for the number of {s} a stage, or let the others {s} it, too{.}",
               is_producer ? "consumers that release" : "producers that commit", is_producer ? "release" : "commit");
  }
  record_threads(report.missing);
  say(found.are_warps ? "; {w} {has not|have not}" : "; {t} {has not|have not}", &report.missing);
  const bool have_arrived = arrivals_at_side(*at.record, report.missing.first()) != 0;
  if (!found.have_used_it) say(", and {has|have} never used the pipeline");
  if (have_arrived) say(", but {has|have} in earlier rounds");
  const waiting_group* const other = missing_group_elsewhere(at.what);
  if (other != nullptr && other->what.who() == role::none)
    say(": {t} {waits|wait} for {o} at {f}", &other->set, other->what, other->from);
  else
    say("{l}", &report.missing);
  say("{R}let every {s} the stage, on every path, {s}. A thread that leaves a cuda::pipeline early must call quit{.}",
      is_producer ? "consumer release" : "producer commit",
      have_arrived ? "in as many rounds as the others" : "or make the pipeline for those that do");
}

inline __device__ __noinline__ void say_stage(const waiting_group& at) {
  const bool is_producer = at.what.who() == role::producer;
  const attendances& found = report.found;
  record_numbers(number::stage, at.what.stage(), number::arrived, found.now, number::expected, found.expected);
  if (found.now == 0) return say_stage_without_arrival(at);
  say(is_producer ? "{C}{n} of {n} consumers {c}{has|have} released stage {n}"
                  : "{C}{n} of {n} producers {c}{has|have} committed stage {n}",
      found.now, found.expected, found.now, at.what.stage());
  if (found.arrivers > 1 && found.expected > 32 && found.arrivers == found.now && report.arrived.has_one_of_each_warp())
    return say(": one thread of each of {n} warps"
               "{R}make the pipeline for one consumer of each warp (consumer_warps), or let all threads call "
               "consumer_release{.}",
               found.arrivers);
  if (is_producer && at.record->remote != 0 && blocks_of_cluster(cluster_target{}) > 1) {
    say_releases_of_cluster(at.record->address);
    return say("{R}let the consumers of every block release each stage, for as many rounds as the producers of all "
               "blocks make{.}");
  }
  say_missing_of_stage(at);
}

// Consumers have released another stage than the one for which they waited.
inline __device__ __noinline__ void say_wrong_stage(const waiting_group& at) {
  const object_record& other = *stage_with_more_releases(*at.record);
  record_numbers(number::stage, other.stage, number::releases, total_arrivals(other));
  say("{C}the wrong stage was released: stage {n} was released {n} times", other.stage, total_arrivals(other));
  const uint32 fills = total_arrivals(*partner_of(other));
  record_number(number::fills, fills);
  say(", but filled only {n} {time|times}, and stage {n} waits for {n} {release|releases}"
      "{R}let each consumer release the stage for which it has waited: pass the same state to consumer_wait and "
      "consumer_release, and advance it after the release{.}",
      fills, at.what.stage(), at.state.pending);
}

inline __device__ __noinline__ void explain_stage(cause why, const waiting_group& at, uint32 fills) {
  if (why == cause::stage_not_released || why == cause::stage_not_filled) return say_stage(at);
  if (why == cause::wrong_stage_released) return say_wrong_stage(at);
  if (at.what.who() == role::producer) return say_releases(why, *at.record, fills);
  const object_record& empty = *partner_of(*at.record);
  count_arrivals(empty, state_of(barrier_target{}, {empty.address}));
  say_releases(why, empty, fills);
}

// value: the number of missing arrivals at a stage that is kept as a counter.
inline __device__ __noinline__ void explain_stage_of_counter(const waiting_group& at, uint64 value) {
  report_text.data.why.what = at.what.who() == role::producer ? cause::stage_not_released : cause::stage_not_filled;
  record_numbers(number::stage, at.what.stage(), number::missing, value);
  say(at.what.who() == role::producer ? "{C}{n} {consumer has|consumers have} not released stage {n}"
                                      : "{C}{n} {producer has|producers have} not committed stage {n}",
      value, at.what.stage());
  say("{R}let each {s} once per round, for as many rounds as the {s}. A thread that leaves the pipeline early must "
      "call quit{.}",
      at.what.who() == role::producer ? "consumer call consumer_release" : "producer call producer_commit",
      at.what.who() == role::producer ? "producers make" : "consumers wait for");
}

// --- Answers of a launch queue, and turns of groups ---

inline __device__ __noinline__ void explain_queue(cause why) {
  if (why == cause::answer_not_requested)
    return say("{C}no thread has requested this answer"
               "{R}let one thread of the first block of the cluster call run_scheduler, or call request before each of "
               "its calls of next{.}");
  const waiting_group& scheduler = *waiting_scheduler();
  record_number(number::stage, scheduler.what.stage());
  say("{C}the scheduler waits at {f} until the consumers of all blocks have released answer {n}", scheduler.from,
      scheduler.what.stage());
  if (blocks_of_cluster(cluster_target{}) == 1) {
    compare_arrivals(scheduler);
    say(": {n} of {n} {c}{has|have}", report.found.now, report.found.expected, report.found.now);
    const missing_of_stage found = find_missing_of_stage(scheduler);
    if (found.is_known) {
      record_threads(report.missing);
      say(found.are_warps ? "; {w} {has|have} not" : "; {t} {has|have} not", &report.missing);
      say(found.have_used_it ? "{l}" : ", and {has|have} never called next{l}", &report.missing);
    }
  } else {
    say_releases_of_cluster(static_cast<uint32>(scheduler.what.address()));
  }
  say("{R}let each consumer of every block call next until its state is done, and make the queue for the number of "
      "consumers that call it{.}");
}

inline __device__ __noinline__ void explain_turn(const waiting_group& at) {
  record_numbers(number::arrived, report.found.now, number::expected, at.record->expected);
  if (report.found.now != 0) {
    say("{C}only {n} of {n} threads of the group before have passed their turn", report.found.now, at.record->expected);
    if (report.missing.size() == at.state.pending) {
      record_threads(report.missing);
      say("; {t} {has|have} not{l}", &report.missing, &report.missing);
    }
  } else if (report.found.arrivers != 0) {
    record_threads(report.arrived);
    say("{C}no thread of the group before has passed its turn; {t} {has|have} passed the turns before{l}",
        &report.arrived, &report.arrived);
  } else {
    record_threads(report.missing);
    say("{C}the group before, {t}, has never passed its turn{l}", &report.missing, &report.missing);
  }
  say("{R}let each thread of a group call pass after each wait, on every path, and let all groups take their turns, "
      "also those without work; only the first groups may take one turn more{.}");
}

// The barrier at which the group waits that arrives at this one, in the same stage.
inline __device__ __noinline__ const object_record& turn_before(const object_record& record) {
  const object_record* before = &record;
  CUDASYNC_NO_UNROLL
  for (const object_record& other : objects) {
    if (!is_sibling(other, record) || !is_of_turns(other) || other.index / 1024 != record.index / 1024) continue;
    const bool is_first = record.index % 1024 == 0;
    if (is_first ? other.index > before->index : other.index + 1 == record.index) before = &other;
  }
  return *before;
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
