// Causes of hangs: stages of pipelines that are not filled or not released.
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
#include <cudasync/hang/record_data_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/hang/sentence_device.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace checked {

inline __device__ __noinline__ void say_stage_remedy(const waiting_group& at) {
  say(at.what.who() == role::producer
          ? "{R}let each consumer call consumer_release once per round (in a bulk_pipeline: then advance), for as many "
            "rounds as the producers make, and make the pipeline for the number of consumers that release; a thread "
            "that leaves a cuda::pipeline early must call quit{.}"
          : "{R}let each producer call producer_commit once per round (in a bulk_pipeline: producer_acquire, then "
            "advance), for as many rounds as the consumers wait for, and make the pipeline for the number of producers "
            "that commit; a thread that leaves a cuda::pipeline early must call quit{.}");
}

// empty: the barrier at which the producers wait, to which report.found belongs. fills: of the stage, by producers.
inline __device__ __noinline__ void say_releases(cause why, const object_record& empty, uint32 fills) {
  const attendances& found = report.found;
  record_number(number::stage, empty.stage);
  record_number(number::expected, found.expected);
  record_number(number::arrivers, found.arrivers);
  record_number(number::releases, found.total);
  record_number(number::fills, fills);
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

// No thread has arrived in this round.
inline __device__ __noinline__ void say_stage_without_arrival(const waiting_group& at) {
  const bool is_producer = at.what.who() == role::producer;
  report.missing.assign(report.arrived);
  if (report.found.arrivers == 0) add_arrivals_at_other_stages(*at.record);
  record_threads(report.missing);
  if (is_producer && report.missing.size() == 0) {
    say("{C}no consumer has released stage {n} or any other stage since init", at.what.stage());
    return say_stage_remedy(at);
  }
  say(is_producer ? "{C}no consumer has released stage {n} since its last round"
                  : "{C}no producer has committed stage {n} in this round",
      at.what.stage());
  if (const waiting_group* const other = missing_group_elsewhere(at.what.address()))
    say(": {t} {waits|wait} for {o} at {f}", &other->set, other->what, other->from);
  else
    say("{l}", &report.missing);
  say_stage_remedy(at);
}

// Whether consumers of several blocks of a cluster release the stage.
CUDASYNC_DEVICE bool is_of_several_blocks(const waiting_group& at) {
  return at.record->remote != 0 && blocks_of_cluster(cluster_target{}) > 1;
}

inline __device__ __noinline__ void say_stage(const waiting_group& at) {
  const bool is_producer = at.what.who() == role::producer;
  const attendances& found = report.found;
  record_number(number::stage, at.what.stage());
  record_number(number::arrived, found.now);
  record_number(number::expected, found.expected);
  if (found.now == 0) return say_stage_without_arrival(at);
  say(is_producer ? "{C}{n} of {n} consumers {c}{has|have} released stage {n}"
                  : "{C}{n} of {n} producers {c}{has|have} committed stage {n}",
      found.now, found.expected, found.now, at.what.stage());
  const uint32 missing = report.missing.size();
  if (found.arrivers > 1 && found.expected > 32 && found.arrivers == found.now &&
      report.arrived.has_one_of_each_warp()) {
    say(": one thread of each of {n} warps", found.arrivers);
  } else if (is_producer && is_of_several_blocks(at)) {
    releases_of_cluster releases;
    count_releases(releases, at.record->address);
    say_releases_of_cluster(releases);
  } else if (missing != 0 && missing <= found.expected - found.now) {
    const bool are_warps = is_producer && found.expected <= 32 && report.arrived.has_one_of_each_warp() &&
                           report.missing.has_one_of_each_warp();
    record_threads(report.missing);
    say(are_warps ? "; {w} {has not|have not}{l}" : "; {t} {has not|have not}{l}", &report.missing, &report.missing);
  }
  say_stage_remedy(at);
}

inline __device__ __noinline__ void explain_stage(cause why, const waiting_group& at, uint32 fills) {
  if (why == cause::stage_not_released || why == cause::stage_not_filled) return say_stage(at);
  if (at.record->who == role::producer) return say_releases(why, *at.record, fills);
  const object_record& empty = *partner_of(*at.record);
  count_arrivals(empty, state_of(barrier_target{}, {empty.address}));
  say_releases(why, empty, fills);
}

// value: the number of missing arrivals at a stage that is kept as a counter.
inline __device__ __noinline__ void explain_stage_of_counter(const waiting_group& at, uint64 value) {
  report_text.data.why.what = at.what.who() == role::producer ? cause::stage_not_released : cause::stage_not_filled;
  record_number(number::stage, at.what.stage());
  record_number(number::missing, value);
  say(at.what.who() == role::producer ? "{C}{n} {consumer has|consumers have} not released stage {n}"
                                      : "{C}{n} {producer has|producers have} not committed stage {n}",
      value, at.what.stage());
  say_stage_remedy(at);
}

}  // namespace checked
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
