// Causes of hangs: arrivals that are too many, or at another barrier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_EXPLAIN_EXTRA_ARRIVALS_DEVICE_H
#define CUDASYNC_HANG_EXPLAIN_EXTRA_ARRIVALS_DEVICE_H

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

// Threads arrive at the barrier for which they wait, in place of that for which the other threads wait.
inline __device__ __noinline__ void explain_other_barrier(const object_record& at, bool is_too_many) {
  const object_record& used = is_too_many ? at : *barrier_in_place_of(at);
  const object_record& empty = is_too_many ? *barrier_without_arrivals(at) : at;
  static_cast<void>(have_waiters_arrived(used));
  record_threads(report.idle);
  record_number(number::expected, empty.expected);
  say("{C}no thread has arrived at {o} since init; {t} {arrives|arrive} at {o}, for which {it waits itself|they wait "
      "themselves}"
      "{R}let each side arrive at the barrier for which the other side waits: consumers wait for the full barrier of a "
      "stage, and arrive at its empty barrier{.}",
      subject::of(kind::barrier, empty.address), &report.idle, subject::of(kind::barrier, used.address));
}

inline __device__ __noinline__ void say_arrived_before_bytes(const object_record& record) {
  say("{C}all arrivals of the phase have been made, and it waits for ");
  if (record.expects.bytes > record.copied.bytes)
    say("{n} bytes that no copy writes", record.expects.bytes - record.copied.bytes);
  else
    say("the bytes of copies");
  say("{R}wait for the phase before you arrive in the next one; initialize with the number of arrivals in a phase");
  if (record.expects.times > 1) say(". barrier_arrive_tx arrives, too: let one call expect the bytes of all copies");
  say("{.}");
}

inline __device__ __noinline__ void say_arrived_twice(const object_record& record, bool is_too_many) {
  record_threads(report.twice);
  if (record.who == role::consumer)
    return say("{C}{t} {has|have} acquired stage {n} again before the consumers have released it"
               "{R}on both sides, default-construct the state, keep it from tile to tile, and advance once per tile{.}",
               &report.twice, record.stage % is_of_cuda_pipeline);
  if (record.who != role::none && report.found.arrivers < report.found.expected)
    return say("{C}{t} {has|have} released stage {n} more than once in one round, and only {n} of {n} consumers have "
               "ever released it"
               "{R}let every consumer release every stage, also one that it does not use, or give each group of "
               "consumers a pipeline of its own{.}",
               &report.twice, record.stage % is_of_cuda_pipeline, report.found.arrivers, report.found.expected);
  if (record.who != role::none)
    return say(
        "{C}{t} {has|have} released stage {n} more than once in one round"
        "{R}let each consumer call consumer_release once for each stage that it has waited for, and advance its state "
        "once per tile, also in a tile that it leaves out{.}",
        &report.twice, record.stage % is_of_cuda_pipeline);
  const bool has_tokens =
      is_too_many && find_record([&record](const object_record& other) {
                       return is_made_in(record.block, other) && !waits_of(other, report.twice.first()).is_empty();
                     }) == nullptr;
  say("{C}{t} {has|have} arrived more than once in one phase{s}"
      "{R}let each thread arrive once in a phase, and wait for it{s} before it arrives in the next one{l}{.}",
      &report.twice, is_too_many ? "" : ", so phases have completed before all counted threads arrived",
      has_tokens ? ", with the token of that arrival," : "", &report.twice);
}

inline __device__ __noinline__ void explain_extra_arrivals(cause why, const waiting_group& at, const finding& found) {
  const object_record& record = *at.record;
  switch (why) {
  case cause::arrived_after_drop:
    static_cast<void>(has_arrival_after_drop(record));
    record_threads(report.idle);
    return say("{C}{t} {arrives|arrive} again although {it has|they have} called arrive_and_drop{l}"
               "{R}initialize the barrier again before its next use, or let these threads arrive without dropping{.}",
               &report.idle, &report.idle);
  case cause::too_many_producers:
    record_threads(report.arrived);
    return say("{C}{t} produce, but only {n} {thread|threads} may"
               "{R}let one thread of the block acquire and copy, or make the pipeline for the number of producers{.}",
               &report.arrived, record.expected);
  case cause::arrived_in_own_block:
    record_threads(report.arrived);
    if (!found.has(evidence::is_too_many))
      return say(
          "{C}{n} {arrival is|arrivals are} missing at {i}; no other block of the cluster has arrived there, but "
          "they have arrived {n} {time|times} at their own barriers of this address"
          "{R}let each block also arrive at the barriers of the other blocks that wait: remote_barrier(bar, "
          "rank){.}",
          at.state.pending, at.what, arrivals_in_own_blocks(record.address));
    return say(
        "{C}{t} of this block {arrives|arrive} at this block's own barrier, where init was given {n}: the arrivals "
        "may be for the barrier of another block of the cluster"
        "{R}arrive there with remote_barrier(bar, rank), with the rank of the block that waits{.}",
        &report.arrived, record.expected);
  case cause::arrived_before_bytes:
    return say_arrived_before_bytes(record);
  case cause::count_below_lanes:
    record_number(number::arrivals, found.arrivals);
    return say(
        "{C}a warp makes {n} arrivals, but init was given {n}"
        "{R}initialize with the number of threads that arrive in a phase, or let one lane of each warp arrive{.}",
        found.arrivals, record.expected);
  case cause::arrived_twice:
    return say_arrived_twice(record, found.has(evidence::is_too_many));
  case cause::count_below_arrivers:
    return say_other_count(record, found.has(evidence::is_too_many) ? record.expected : report.found.expected);
  case cause::arrived_too_often:
    if (found.arrivals != found.lanes)
      return say(
          "{C}the updates of a phase add up to more than {n}, the count given to init, or threads arrive again "
          "before the phase is complete"
          "{R}initialize with the sum of the updates in a phase (a warp may have fewer than 32 threads); let each "
          "thread wait for a phase before it arrives in the next one{.}",
          record.expected);
    return say("{C}threads arrive again before the phase is complete, or the count given to init is too small"
               "{R}let each thread wait for a phase before it arrives in the next one; initialize with the number of "
               "arrivals in a phase{.}");
  default:
    return;
  }
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
