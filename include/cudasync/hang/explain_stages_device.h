// Causes of hangs: stages of pipelines and answers of launch queues that are not given on.
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

// The side of a ring for which the other one waits: its threads, what they do with a stage, and what comes before that.
struct side_of_ring {
  bool is_consumer;
  const char *thread, *give, *given, *got;
};

CUDASYNC_DEVICE_VARIABLE const side_of_ring sides_of_rings[]{{true, "consumer", "release", "released", "waited for"},
                                                             {false, "producer", "fill", "filled", "acquired"},
                                                             {false, "producer", "commit", "committed", "acquired"}};

// The side for which the threads of a group wait.
CUDASYNC_DEVICE const side_of_ring& side_that_owes(const waiting_group& at) {
  return sides_of_rings[at.what.who() == role::producer ? 0 : at.record->has_commits() ? 2 : 1];
}

// empty: the barrier at which the producers wait, to which report.found belongs. fills: of the stage, by producers.
inline __device__ __noinline__ void say_releases(cause why, const object_record& empty, uint32 fills) {
  const attendances& found = report.found;
  record_numbers(number::stage, empty.number_of_stage(), number::expected, found.expected, number::arrivers,
                 found.arrivers, number::releases, found.total, number::fills, fills);
  record_threads(report.arrived);
  if (why == cause::released_too_often)
    return say(
        "{C}stage {n} was released {n} times by {n} {consumer|consumers}, but filled only {n} {time|times}"
        "{R}on both sides, default-construct the state, keep it from tile to tile, and advance once per stage; let "
        "each consumer call consumer_release once per round{.}",
        empty.number_of_stage(), found.total, found.arrivers, fills);
  const bool are_warps = report.arrived.has_one_of_each_warp();
  say(are_warps ? "{C}{n} consumers release stage {n} ({w}), but the pipeline was made for {n}"
                : "{C}{n} consumers release stage {n} ({t}), but the pipeline was made for {n}",
      found.arrivers, empty.number_of_stage(), &report.arrived, found.expected);
  say("{R}make the pipeline for the number of consumers that release a stage; let each call consumer_release once per "
      "round{.}");
}

// Fills report.missing with the threads of the other side, as far as their calls show: those that have arrived where
// this side waits, and those that have waited where this side arrives. report.idle: the threads of both sides.
inline __device__ __noinline__ void collect_other_side(const object_record& record) {
  report.missing.clear();
  report.idle.clear();
  for_each_record([&record](const object_record& each) {
    if (!is_of_same_side(each, record)) return;
    const object_record* const other = partner_of(each);
    for_each_thread([&each, other](uint32 rank) {
      const bool is_opposite = has_arrived(each, rank) || (other != nullptr && has_waited(*other, rank));
      const bool is_here = has_waited(each, rank) || (other != nullptr && has_arrived(*other, rank));
      if (is_opposite) report.missing.add(rank);
      if (is_opposite || is_here) report.idle.add(rank);
    });
  });
}

// The threads of report.missing, which are those that should arrive, all wait at this stage.
inline __device__ __noinline__ void say_waiters_owe_it(const object_record& record, const side_of_ring& owing) {
  say(": its {s}s are {t}, which {waits|wait} here", owing.thread, &report.missing);
  if (owing.is_consumer)
    return say("{R}let each thread release the stages for which it has waited before it acquires more{.}");
  say("; thread {n} has {s} {n} {stage|stages}, and waits for one more"
      "{R}let each thread {s} every stage for which it waits, also one without data: only the copies belong in a "
      "condition{.}",
      report.missing.first(), owing.given, arrivals_at_side(record, report.missing.first()), owing.give);
}

// The threads of report.missing, which wait for nothing, have not arrived in this round.
inline __device__ __noinline__ void say_idle_owe_it(const object_record& record, const side_of_ring& owing) {
  const uint32 rank = report.missing.first();
  const bool are_all_known = !has_lost_records();  // otherwise, only this stage is counted
  const uint32 stages = are_all_known ? arrivals_at_side(record, rank) : arrivals_at_stage(record, rank);
  // Whether the thread has waited for the stage's other barrier in this round, to acquire it or for its last fill.
  const object_record* const partner = partner_of(record);
  const bool has_got =
      partner != nullptr && has_waited(*partner, rank) &&
      (waits_of(*partner, rank).phase() - rounds_of(owing.is_consumer ? *partner : record) + 1) % 4 == 0;
  say(": {t} {has|have} ", &report.missing);
  if (stages != 0)
    say(are_all_known ? "{s} {n} {stage|stages}, and " : "{s} this stage {n} {time|times}, and ", owing.given, stages);
  if (has_got) say("{s} this one, and ", owing.got);
  const bool has_left = has_quit(record, rank);
  say(has_left ? "left by quit{l}" : "made no call since{l}", &report.missing);
  uint32 of_ring = 0;  // used in turn
  for_each_record([&](const object_record& each) {
    if (is_of_same_side(each, record) && each.number_of_stage() >= of_ring) of_ring = each.number_of_stage() + 1;
  });
  if (!owing.is_consumer && are_all_known && stages != 0 &&
      rounds_of(record) * of_ring + record.number_of_stage() == stages)
    say("; the consumers wait for number {n}", stages + 1);
  if (has_got && !owing.is_consumer)
    return say("{R}let each producer {s} every stage that it has acquired, on every path{.}", owing.give);
  say(has_got
          ? "{R}let each consumer release every stage for which it has waited, on every path"
          : "{R}let both sides use equally many stages, on every path: compare how each of them computes the number");
  if (has_left) return say("; quit does not stop the other side, which must learn of the end, too{.}");
  if (!owing.is_consumer) return say("{.}");
  if (record.has_commits()) say(", and call quit before it leaves early");
  say(". Where only the consumers synchronize, use a named_barrier, not __syncthreads(){.}");
}

// The threads of report.missing wait for nothing.
inline __device__ __noinline__ void say_that_missing_are_idle() {
  if (report.missing.size() != 0)
    say("; {m} {waits|wait} for nothing {s}{l}", &report.missing, idle_word(), &report.missing);
}

// Whether threads have arrived at this side of the ring, as far as it is known.
inline __device__ __noinline__ bool have_stages_been_used(const object_record& record) {
  report.missing.assign(report.arrived);
  if (report.found.arrivers == 0) add_arrivals_at_other_stages(record);
  return report.missing.size() != 0 || has_lost_records();
}

inline __device__ __noinline__ void say_stage_without_arrival(const waiting_group& at) {
  const side_of_ring& owing = side_that_owes(at);
  const bool has_begun = have_stages_been_used(*at.record);
  collect_other_side(*at.record);
  record_threads(report.missing);
  if (!owing.is_consumer)
    say("{C}no producer has {s} stage {n} in this round", owing.given, at.what.stage());
  else
    say(has_begun ? "{C}no consumer has released stage {n} since its last round"
                  : "{C}no consumer has released stage {n} or any other stage since init",
        at.what.stage());
  if (report.missing.size() == 0) {
    say(", and no thread has {s}", owing.is_consumer ? "waited as a consumer" : "acquired a stage as a producer");
    select_threads(report.missing, [](uint32 rank) { return !report.waiting.has(rank); });
    say_that_missing_are_idle();
    return say(owing.is_consumer ? "{R}let the consumers call consumer_wait and consumer_release for each stage{.}"
                                 : "{R}let the producers acquire each stage, and {s} it; if there is no work, let the "
                                   "consumers skip the wait, too{.}",
               owing.give);
  }
  const waiting_group* const other = missing_group_elsewhere(at.what);
  if (other != nullptr) {
    say(": {t} {waits|wait} for {o} at {f}", &other->set, other->what, other->from);
    if (owing.is_consumer && other->what.who() == role::consumer)
      return say("{R}let each consumer call consumer_release once per round, after the wait for the stage{.}");
    if (other->what.what() == kind::named_barrier)
      return say("{R}let {i} count only the threads of the warps that call it; or find out why the others do not{.}",
                 other->what);
    return say("{R}find out why that wait does not end, or let these threads {s} the stage before it{.}", owing.give);
  }
  collect_idle();
  if (report.idle.size() == 0) return say_waiters_owe_it(*at.record, owing);
  report.missing.assign(report.idle);
  say_idle_owe_it(*at.record, owing);
}

// Removes others from report.missing. Returns the number of the rest, or that of their warps, if one of each arrives.
inline __device__ __noinline__ uint32 missing_without(const thread_set& others, bool are_warps) {
  if (are_warps) report.missing.remove_warps_of(others);
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
    missing = missing_without(report.arrived, result.are_warps);
  } else {
    result.are_warps = result.are_warps && report.missing.has_one_of_each_warp();
  }
  if (missing == 0) {
    result.have_used_it = false;
    select_threads(report.missing, [](uint32) { return true; });
    missing = missing_without(report.idle, result.are_warps);
    if (missing != pending) {  // perhaps those that wait for something else
      collect_idle();
      missing = missing_without(report.idle, result.are_warps);
    }
  }
  result.is_known = result.have_used_it ? missing <= pending : missing == pending;
  return result;
}

// What the missing threads of a stage have done at the ring.
enum class share { none, waits, other, earlier_rounds };

inline __device__ __noinline__ share share_of(const object_record& record, uint32 rank) {
  if (arrivals_at_side(record, rank) != 0) return share::earlier_rounds;
  const object_record* const partner = partner_of(record);
  if (partner != nullptr && has_waited_at_side(*partner, rank)) return share::waits;
  const auto is_used = [&record, rank](const object_record& each) {
    return each.from == record.from && (has_arrived(each, rank) || has_waited(each, rank));
  };
  return has_record(is_used) || has_lost_records() ? share::other : share::none;
}

// The missing threads of report.missing: {t} of the cause was the last set.
inline __device__ __noinline__ void say_share(share done, const waiting_group& at) {
  const side_of_ring& owing = side_that_owes(at);
  if (done == share::none)
    say(last_call_of_thread(report.missing.first()).bits == at.record->from
            ? ", and {has|have} made no call since the pipeline was made"
            : ", and {has|have} never used the pipeline");
  else if (done == share::earlier_rounds)
    say(", but {has|have} in earlier rounds");
  else if (done == share::waits)
    say(", and {has|have} {s} stages, but never {s} one", owing.got, owing.given);
}

inline __device__ __noinline__ void say_remedy_of_share(share done, const waiting_group& at) {
  const side_of_ring& owing = side_that_owes(at);
  const bool can_quit = at.record->has_commits();
  if (done == share::waits)
    return say("{R}let {t} {s} each stage after the {s}{.}", &report.missing, owing.give,
               owing.is_consumer ? "last read of it" : "acquire");
  say("{R}");
  if (done == share::none && can_quit) say("let {t} call quit before {it leaves|they leave}; or ", &report.missing);
  say("let every {s} {s} the stage, on every path", owing.thread, owing.give);
  say(done != share::earlier_rounds ? ", or make the pipeline for those that do{.}"
      : can_quit                    ? ", in as many rounds as the others, or call quit before it leaves early{.}"
                                    : ", in as many rounds as the others{.}");
}

inline __device__ __noinline__ void say_missing_of_stage(const waiting_group& at) {
  const missing_of_stage found = find_missing_of_stage(at);
  if (!found.is_known) {
    const side_of_ring& owing = side_that_owes(at);
    if (report.arrived.size() != 0) say(": {t}", &report.arrived);
    return say("{R}make the pipeline for the number of {s}s that {s} a stage, or let the others {s} it, too{.}",
               owing.thread, owing.give, owing.give);
  }
  say(found.are_warps ? "; {w} {has not|have not}" : "; {t} {has not|have not}", record_threads(report.missing));
  const share done = share_of(*at.record, report.missing.first());
  say_share(done, at);
  const waiting_group* const other = missing_group_elsewhere(at.what);
  if (other != nullptr && other->what.who() == role::none)
    say(": {t} {waits|wait} for {o} at {f}", &other->set, other->what, other->from);
  else
    say("{l}", &report.missing);
  say_remedy_of_share(done, at);
}

// The threads that wait have arrived more often at a later stage than at this one.
inline __device__ __noinline__ void say_passed_round(const waiting_group& at, const object_record& ahead) {
  const side_of_ring& own = sides_of_rings[at.what.who() == role::consumer ? 0 : 1];
  say("{C}the state of {t} has passed over a round of stage {n}", record_threads(at.set), at.what.stage());
  say(": {c}{it has|they have} {s} stage {n} more often", at.set.size(), own.given, ahead.number_of_stage());
  say("{R}advance the state once for each stage that was {s}, and not for a tile that uses none{.}", own.got);
}

// Threads wait for a round of a stage for which they have waited before, or one too far.
inline __device__ __noinline__ void say_repeated_round(const waiting_group& at) {
  const object_record& record = *at.record;
  const object_record* const partner = partner_of(record);
  if (const object_record* const ahead = partner != nullptr ? later_stage_ahead(*partner) : nullptr)
    return say_passed_round(at, *ahead);
  say("{C}the state of {t} began anew, or was not advanced: {it waits|they wait} for a round of stage {n} for which "
      "{c}{it has|they have} waited before",
      record_threads(at.set), at.what.stage(), at.set.size());
  if (partner != nullptr && record.remote == 0 && partner->remote == 0) {
    const bool is_producer = at.what.who() == role::producer;
    say("; since init, it was filled {n} {time|times}, and released {n} {time|times}",
        rounds_of(is_producer ? *partner : record), rounds_of(is_producer ? record : *partner));
  }
  say("{R}declare one state for all tiles, before the loop over them, and advance it once per stage, but not for a "
      "tile without one{.}");
}

inline __device__ __noinline__ void say_stage(const waiting_group& at) {
  const side_of_ring& owing = side_that_owes(at);
  const attendances& found = report.found;
  record_numbers(number::stage, at.what.stage(), number::arrived, found.now, number::expected, found.expected);
  if (repeats_its_round(at)) return say_repeated_round(at);
  if (found.now == 0) return say_stage_without_arrival(at);
  say("{C}{n} of {n} {s}s {c}{has|have} {s} stage {n}", found.now, found.expected, owing.thread, found.now, owing.given,
      at.what.stage());
  if (found.arrivers > 1 && found.expected > 32 && found.arrivers == found.now && report.arrived.has_one_of_each_warp())
    return say(": one thread of each of {n} warps"
               "{R}make the pipeline for one consumer of each warp (consumer_warps), or let all threads call "
               "consumer_release{.}",
               found.arrivers);
  if (owing.is_consumer && at.record->remote != 0 && blocks_of_cluster(cluster_target{}) > 1) {
    say_releases_of_cluster(at.record->address);
    return say("{R}let the consumers of every block release each stage, for as many rounds as the producers of all "
               "blocks make{.}");
  }
  say_missing_of_stage(at);
}

inline __device__ __noinline__ void say_wrong_stage(const waiting_group& at) {
  const object_record& other = *stage_with_more_releases(*at.record);
  const uint32 releases = total_arrivals(other);
  const uint32 fills = total_arrivals(*partner_of(other));
  record_numbers(number::stage, other.number_of_stage(), number::releases, releases, number::fills, fills);
  say("{C}the wrong stage was released: stage {n} was released {n} times, but filled only {n} {time|times}, and stage "
      "{n} waits for {n} {release|releases}"
      "{R}let each consumer release the stage for which it has waited: pass the same state to consumer_wait and "
      "consumer_release, and advance it after the release{.}",
      other.number_of_stage(), releases, fills, at.what.stage(), at.state.pending);
}

inline __device__ __noinline__ void explain_stage(cause why, const waiting_group& at, uint32 fills) {
  if (why == cause::stage_not_released || why == cause::stage_not_filled) return say_stage(at);
  if (why == cause::wrong_stage_released) return say_wrong_stage(at);
  if (at.what.who() == role::producer) return say_releases(why, *at.record, fills);
  const object_record& empty = *partner_of(*at.record);
  count_arrivals(empty, state_in_wait({empty.address}));
  say_releases(why, empty, fills);
}

// value: the number of missing arrivals at a stage that is kept as a counter.
inline __device__ __noinline__ void explain_stage_of_counter(const waiting_group& at, uint64 value) {
  const bool is_producer = at.what.who() == role::producer;
  report_text.data.why.what = is_producer ? cause::stage_not_released : cause::stage_not_filled;
  record_numbers(number::stage, at.what.stage(), number::missing, value);
  say(is_producer ? "{C}{n} {consumer has|consumers have} not released stage {n}"
                  : "{C}{n} {producer has|producers have} not committed stage {n}",
      value, at.what.stage());
  say("{R}let each {s} once per round, for as many rounds as the {s}. A thread that leaves the pipeline early must "
      "call quit{.}",
      is_producer ? "consumer call consumer_release" : "producer call producer_commit",
      is_producer ? "producers make" : "consumers wait for");
}

// --- Answers of a launch queue ---

inline __device__ __noinline__ void explain_queue(cause why) {
  if (why == cause::answer_not_requested)  // no scheduler waits
    return say("{C}no thread has requested this answer"
               "{R}let one thread of the first block of the cluster call run_scheduler, or call request before each of "
               "its calls of next{.}");
  const waiting_group& scheduler = *waiting_scheduler();
  mark_as_explained(scheduler.what);
  say("{C}the scheduler waits at {f} until the consumers of all blocks have released answer {n}", scheduler.from,
      record_number(number::stage, scheduler.what.stage()));
  if (blocks_of_cluster(cluster_target{}) == 1) {
    compare_arrivals(scheduler);
    say(": {n} of {n} {c}{has|have}", report.found.now, report.found.expected, report.found.now);
    const missing_of_stage found = find_missing_of_stage(scheduler);
    if (found.is_known) {
      say(found.are_warps ? "; {w} {has|have} not" : "; {t} {has|have} not", record_threads(report.missing));
      say(found.have_used_it ? "{l}" : ", and {has|have} never called next{l}", &report.missing);
    }
  } else {
    say_releases_of_cluster(static_cast<uint32>(scheduler.what.address()));
  }
  const waiting_group* const other = find_group([](const waiting_group& at) {
    return at.threads != 0 && at.what.what() == kind::barrier && !is_of_queue(at.what.who());
  });
  if (other != nullptr) say("; {t} {waits|wait} for {i} at {f}", &other->set, other->what, other->from);
  say(other != nullptr ? "{R}if they wait for the thread of the scheduler, give it a thread of its own: run_scheduler "
                         "returns after the last answer; otherwise "
                       : "{R}");
  say("let each consumer of every block call next until its state is done, and make the queue for the number of "
      "consumers that call it{.}");
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
