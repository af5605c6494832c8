// The most probable cause of a hang, and its remedy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_EXPLAIN_DEVICE_H
#define CUDASYNC_HANG_EXPLAIN_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/hang/causes.h>
#include <cudasync/hang/evidence_device.h>
#include <cudasync/hang/mbarrier_state_device.h>
#include <cudasync/hang/object_table_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/sentence_device.h>
#include <cudasync/ptx/special_registers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace checked {

// --- Bytes ---

inline __device__ __noinline__ void say_bytes(const byte_count& expects, const byte_count& copied) {
  say(expects.bytes == 0 ? "{C}since init, no bytes were expected" : "{C}since init, {n} bytes were expected (at {f})",
      expects.bytes, expects.from);
  say(copied.bytes == 0 ? ", and no copy was started on this barrier"
                        : ", and copies of {n} bytes were started (at {f})",
      copied.bytes, copied.from);
}

inline __device__ __noinline__ void explain_unequal_bytes(const byte_count& expects, const byte_count& copied) {
  if (copied.bytes - expects.bytes + 15 < 31) say("; the size was rounded in one of the two places");
  if (expects.times > copied.times && copied.bytes != 0 && expects.bytes / expects.times * copied.times == copied.bytes)
    return say("; {n} calls expect bytes, and {n} {copies|copy} them"
               "{R}let one thread expect the bytes of a copy, once; or add the missing copy{.}",
               expects.times, copied.times);
  say("{R}expect exactly the bytes that the copies move, and start every copy on the barrier that expects its "
      "bytes{.}");
}

inline __device__ __noinline__ void explain_bytes(const waiting_group& at) {
  const object_record& record = *at.record;
  if (record.remote != 0)
    return say(
        "{C}all arrivals have been made, but {s}; copies of other blocks, or of boxes of a tensor map, complete on "
        "this barrier"
        "{R}let each block expect exactly the bytes that are copied to it; a box counts in full, even if it extends "
        "beyond the edge of the tensor{.}",
        at.state.bytes < 0 ? "more bytes have been copied than expected" : "bytes are missing");
  say_bytes(record.expects, record.copied);
  const bool are_too_few = record.copied.bytes < record.expects.bytes;
  if (const object_record* const other = are_too_few ? barrier_with_foreign_bytes(record) : nullptr)
    return say("; {o} got copies of {n} bytes that it does not expect (at {f})"
               "{R}give each copy the barrier of the stage that expects its bytes{.}",
               subject::of(kind::barrier, other->address), other->copied.bytes - other->expects.bytes,
               other->copied.from);
  if (record.expects.bytes == 0)
    return say(
        "{R}arrive with barrier_arrive_tx, or call barrier_expect_tx before the last arrival, with the bytes of all "
        "copies{.}");
  if (record.copied.bytes == record.expects.bytes)
    return say(
        "; a copy has not completed, or bytes of one phase were counted in another"
        "{R}expect exactly the bytes that the copies move, and start every copy on the barrier that expects its bytes; "
        "let each phase expect its own bytes{.}");
  explain_unequal_bytes(record.expects, record.copied);
}

// --- Stages of pipelines ---

inline __device__ __noinline__ void say_stage_remedy(const waiting_group& at) {
  say(at.what.who() == role::producer
          ? "{R}let each consumer call consumer_release once per round (in a bulk_pipeline: then advance), for as many "
            "rounds as the producers make, and make the pipeline for the number of consumers that release; a thread "
            "that leaves a cuda::pipeline early must call quit{.}"
          : "{R}let each producer call producer_commit once per round (in a bulk_pipeline: producer_acquire, then "
            "advance), for as many rounds as the consumers wait for, and make the pipeline for the number of producers "
            "that commit; a thread that leaves a cuda::pipeline early must call quit{.}");
}

// empty: the barrier at which the producers wait, and report.found belongs to it.
inline __device__ __noinline__ void explain_released_too_often(const object_record& empty, uint32 fills) {
  const attendances& found = report.found;
  const bool are_warps = report.arrived.has_one_of_each_warp();
  if (found.arrivers <= found.expected)
    return say(
        "{C}stage {n} was released {n} times by {n} {consumer|consumers}, but filled only {n} {time|times}"
        "{R}on both sides, default-construct the state, keep it from tile to tile, and advance once per tile; let "
        "each consumer call consumer_release once per round{.}",
        empty.stage, found.total, found.arrivers, fills);
  say(are_warps ? "{C}{n} consumers release stage {n} ({w}), but the pipeline was made for {n}"
                : "{C}{n} consumers release stage {n} ({t}), but the pipeline was made for {n}",
      found.arrivers, empty.stage, &report.arrived, found.expected);
  say("{R}make the pipeline for the number of consumers that release a stage; let each call consumer_release once per "
      "round{.}");
}

inline __device__ __noinline__ void explain_missing_stage(const waiting_group& at) {
  const bool is_producer = at.what.who() == role::producer;
  const attendances& found = report.found;
  if (found.now == 0) {
    report.missing = report.arrived;
    if (found.arrivers == 0) add_arrivals_at_other_stages(*at.record);
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

// --- Answers of launch queues ---

using cluster_target = target::here_or_minimum<target::sm70>::type;

CUDASYNC_DEVICE uint32 blocks_of_cluster(target::sm70) {
  return 1;
}
CUDASYNC_DEVICE uint32 blocks_of_cluster(target::sm90) {
  return ptx::get_sreg_cluster_nctarank();
}
CUDASYNC_DEVICE uint32 rank_in_cluster(target::sm70) {
  return 0;
}
CUDASYNC_DEVICE uint32 rank_in_cluster(target::sm90) {
  return ptx::get_sreg_cluster_ctarank();
}

// The record of another block of the cluster for the barrier at this address. Null if there is none.
inline __device__ __noinline__ const object_record* record_of_block(uint64 block, uint32 address) {
  const uint64 key = key_of(address, block);
  CUDASYNC_NO_UNROLL
  for (const object_record& each : objects)
    if (read_far(each.key) == key) return &each;
  return nullptr;
}

inline __device__ __noinline__ site last_call_in_block(uint64 block, uint32 rank) {
  const uint32 owner = tag_of(owner_of(block)) << 5 | rank / 32;
  site found{0};
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < CUDASYNC_CHECKED_WARPS && found.bits == 0; ++index)
    found = last_call(warps[index], owner, rank % 32);
  return found;
}

// How often the consumers of each block of the cluster have released an answer: the least and the most often.
struct releases_of_cluster {
  uint64 block;  // that has released it least often
  uint64 other;  // that has released it most often
  uint32 fewest;
  uint32 most;
  uint32 rank;  // of a consumer of the block that has released it less often than that of the other block
};

inline __device__ __noinline__ uint32 releases_by(const object_record* record, uint32 rank) {
  return record != nullptr ? arrivals_of(*record, rank) : 0;
}

inline __device__ __noinline__ void count_releases(releases_of_cluster& found, uint32 address) {
  const uint64 first = block_number() - rank_in_cluster(cluster_target{});
  found = {first, first, ~uint32{0}, 0, 0};
  CUDASYNC_NO_UNROLL
  for (uint32 block = 0; block < blocks_of_cluster(cluster_target{}); ++block) {
    const object_record* const record = record_of_block(first + block, address);
    const uint32 releases = record != nullptr ? total_arrivals(*record) : 0;
    if (releases < found.fewest) {
      found.block = first + block;
      found.fewest = releases;
    }
    if (releases >= found.most) {
      found.other = first + block;
      found.most = releases;
    }
  }
  const object_record* const less = record_of_block(found.block, address);
  const object_record* const more = record_of_block(found.other, address);
  CUDASYNC_NO_UNROLL
  while (found.rank < threads_of_block() - 1 && releases_by(less, found.rank) >= releases_by(more, found.rank))
    ++found.rank;
}

// The group of the scheduler that waits for a release. Null if none does.
inline __device__ __noinline__ const waiting_group* waiting_scheduler() {
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < report.number_of_groups; ++index)
    if (report.groups[index].what.who() == role::scheduler) return &report.groups[index];
  return nullptr;
}

inline __device__ __noinline__ void explain_queue() {
  const waiting_group* const scheduler = waiting_scheduler();
  if (scheduler == nullptr)
    return say("{C}no thread has requested this answer"
               "{R}let one thread of the first block of the cluster call run_scheduler, or call request before each of "
               "its calls of next{.}");
  releases_of_cluster found;
  count_releases(found, static_cast<uint32>(scheduler->what.address()));
  say("{C}the scheduler waits at {f} until the consumers of all blocks have released answer {n}", scheduler->from,
      scheduler->what.stage());
  if (found.fewest != found.most) {
    say(": block {b} has released it {n} {time|times}, and block {b} {n} {time|times}", found.other, found.most,
        found.block, found.fewest);
    const uint64 from = last_call_in_block(found.block, found.rank).bits;
    if (from != 0) say(" (last call of thread {n} of block {b}: {f})", found.rank, found.block, from);
  } else {
    say(": every block has released it {n} {time|times}", found.most);
  }
  say("{R}let each consumer of every block call next until its state is done, and make the queue for the number of "
      "consumers that call it{.}");
}

// --- Barriers ---

// Whether the first thread of a group waits for the same parity as in its wait before, at the same barrier.
CUDASYNC_DEVICE bool has_kept_its_parity(const waiting_group& at) {
  return at.what.is_parity_known() && at.set.size() != 0 &&
         waits_in_a_row(*at.record, at.set.first(), at.what.parity()) > 1;
}

inline __device__ __noinline__ void say_parity_remedy() {
  say("{R}flip the parity once after each wait for the same barrier (in a ring, when the index of the stage wraps around), "
      "beginning with parity 0 for the first phase{.}");
}

inline __device__ __noinline__ void explain_kept_parity(const waiting_group& at) {
  say("{C}the parity was not flipped: this is wait number {n} for parity {n} in a row at this barrier",
      waits_in_a_row(*at.record, at.set.first(), at.what.parity()), uint32{at.what.parity()});
  if (report.found.complete != not_counted) say(", and {n} {phase is|phases are} complete", report.found.complete);
  say_parity_remedy();
}

inline __device__ __noinline__ void explain_first_parity(uint32 rank) {
  say("{C}the first wait of thread {n} at this barrier was for parity 1, but the first phase has parity 0", rank);
  say_parity_remedy();
}

// An arrival was one too many: whether the waits of this thread explain it.
inline __device__ __noinline__ bool explain_parity_of_waits(const object_record& record, uint32 rank) {
  if (has_waited_for_odd_first(record, rank)) {
    explain_first_parity(rank);
    return true;
  }
  if (!has_flag(record, rank, attendance::twice_in_a_phase)) return false;
  const object_record* const waited = barrier_with_kept_parity(record, rank);
  if (waited == nullptr) return false;
  const bool parity = waits_in_a_row(*waited, rank, true) > 1;
  say("{C}the parity was not flipped: thread {n} has waited {n} times in a row for parity {n} at {o}", rank,
      waits_in_a_row(*waited, rank, parity), uint32{parity}, subject::of(kind::barrier, waited->address));
  say_parity_remedy();
  return true;
}

// Whether a thread waits for the second phase without having waited for the first one, which is complete.
inline __device__ __noinline__ bool has_skipped_the_first_phase(const waiting_group& at) {
  const uint32 rank = at.set.first();
  return at.what.is_parity_known() && at.what.parity() && at.set.size() != 0 && report.found.now == 0 &&
         report.found.complete == 1 && arrivals_of(*at.record, rank) == 0 && has_only_waited_for_odd(*at.record, rank);
}

// Whether a thread that arrives at this barrier began its waits with the phase before the first one.
inline __device__ __noinline__ bool has_arrived_before_its_phase(const waiting_group& at) {
  const uint32 rank = at.set.first();
  return at.what.is_parity_known() && at.what.who() == role::none && at.set.size() != 0 &&
         arrivals_of(*at.record, rank) != 0 && has_waited_for_odd_first(*at.record, rank);
}

// Whether bytes were expected in this phase, by a call that does not arrive.
inline __device__ __noinline__ bool expects_without_arrival(const waiting_group& at) {
  const byte_count& expects = at.record->expects;
  if (expects.bytes == 0 || at.state.pending != at.record->expected || at.what.who() != role::none) return false;
  if (at.state.bytes > 0 || total_arrivals(*at.record) == 0) return true;
  bool is_last_call = false;
  CUDASYNC_NO_UNROLL
  for (uint32 rank = 0; rank < threads_of_block() && !is_last_call; ++rank)
    is_last_call = arrivals_of(*at.record, rank) != 0 && last_call_of_thread(rank).bits == expects.from;
  return is_last_call;
}

// No thread has arrived in the phase of this wait.
inline __device__ __noinline__ void explain_parity(const waiting_group& at) {
  const attendances& found = report.found;
  if (has_skipped_the_first_phase(at)) return explain_first_parity(at.set.first());
  if (has_kept_its_parity(at)) return explain_kept_parity(at);
  if (has_arrived_before_its_phase(at)) return explain_first_parity(at.set.first());
  if (found.complete != not_counted)
    say("{C}{n} {phase is|phases are} complete, and no thread has arrived in the next one", found.complete);
  else
    say("{C}no thread has arrived in this phase");
  say(", the phase of this wait{l}"
      "{R}let the threads that arrive make as many rounds as those that wait, and flip the parity once after each wait "
      "for the same barrier (in a ring, when the index of the stage wraps around){.}",
      &report.arrived);
}

inline __device__ __noinline__ void explain_no_arrival(const waiting_group& at) {
  if (!at.what.is_parity_known())
    return say(
        "{C}the token belongs to another barrier: {t} never arrived at this one, nor did any other thread of the block"
        "{R}wait for each token at its own barrier{.}",
        &at.set);
  say("{C}no thread has arrived since init"
      "{R}let the threads that are counted arrive, on every path; if this wait is for the phase before the first one, "
      "like a producer's first wait for an empty stage, begin with parity 1{.}");
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
          : "; the phase also needs arrivals of other blocks, or more arrivals of this block");
  say("{R}let the other blocks of the cluster arrive at this block's barrier (remote_barrier), or initialize with the "
      "number of arrivals that a phase gets from all blocks{.}");
}

inline __device__ __noinline__ void explain_second_init(const object_record& record) {
  say("{C}the barrier was initialized again at {f} while it was in use: {n} {arrival of the phase is|arrivals of the "
      "phase are} lost"
      "{R}initialize once, in one thread, then synchronize all threads; wait for the last phase before you reuse the "
      "memory{.}",
      record.from, record.arrived_before);
}

// The second init found no pending arrivals, but the last call of the missing threads is this wait: they arrived before
// that init, and their arrivals are lost.
inline __device__ __noinline__ bool explain_lost_arrivals(const waiting_group& at) {
  const object_record& record = *at.record;
  if (record.times < 2 || report.found.complete != 0 || report.missing.size() == 0) return false;
  if (last_call_of_thread(report.missing.first()).bits != at.from) return false;
  say("{C}the barrier was initialized again at {f} while it was in use: {n} arrivals of the phase are lost"
      "{R}initialize once, in one thread, then synchronize all threads; wait for the last phase before you reuse the "
      "memory{.}",
      record.from, at.state.pending);
  return true;
}

inline __device__ __noinline__ void explain_early_arrivals(const object_record& record) {
  say("{C}{n} {arrival was|arrivals were} made before init at {f}, or when init was not visible to the threads, and "
      "{is|are} lost",
      record.early, record.from);
  say(record.who != role::none
          ? "{R}let all threads of the group call the pipeline's init, which synchronizes them, before any of them uses it{.}"
          : "{R}let one thread call init(&bar, count), then synchronize the block, before any thread uses the "
            "barrier{.}");
}

CUDASYNC_DEVICE bool arrives_by_one_lane_of_each_warp() {
  const attendances& found = report.found;
  return found.arrivers > 1 && found.arrivers < found.expected && found.usual == found.complete + 1 &&
         report.arrived.has_one_of_each_warp();
}

// Threads have arrived in this phase, and the count given to init is not the number of arrivals.
inline __device__ __noinline__ bool explain_wrong_count() {
  const attendances& found = report.found;
  const uint32 threads = threads_of_block();
  if (found.complete != not_counted && found.complete != 0 && found.are_equal && found.usual <= found.complete) {
    say("{C}");
    say_who_arrives();
    say(" arrive, but init was given {n}{R}initialize with {n}, the number of threads that arrive{.}", found.expected,
        found.arrivers);
  } else if (arrives_by_one_lane_of_each_warp()) {
    say("{C}one thread of each of {n} warps arrives, but init was given {n}"
        "{R}initialize with {n}, or let all threads arrive{.}",
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
    say("{R}initialize with {n}, the number of arrivals in this phase so far, if no other is to come{.}", found.now);
  } else if (found.arrivers == 1 && found.now == 1) {
    say("{C}only {t} arrives, but init was given {n}"
        "{R}initialize with 1, or let every thread that is counted arrive{.}",
        &report.arrived, found.expected);
  } else if (report.twice.size() != 0 && report.twice.size() < found.arrivers && !found.is_sure) {
    say("{C}{t} {has|have} arrived more than once in one phase, so phases have completed before all counted threads "
        "arrived"
        "{R}let each thread arrive once in a phase, and wait for it before it arrives in the next one{l}{.}",
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
      "{R}let each thread arrive once in a phase, and wait for it before it arrives in the next one; let all threads "
      "make the same number of rounds{l}{.}",
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
  report.waiting_here.remove(report.arrived);
  if (!found.is_sure && missing != 0 && missing == report.waiting_here.size())
    return say("{C}{t} {arrives|arrive}, and {t} only {waits|wait}, but init was given {n}"
               "{R}initialize with {n}, or let every thread that is counted arrive{.}",
               &report.arrived, &report.waiting_here, found.expected, found.arrivers);
  if (!found.is_sure && found.complete == 0 && found.are_equal && found.arrivers + missing < found.expected)
    return say(
        "{C}{t} {arrives|arrive}, but init was given {n}{R}initialize with {n}, the number of threads that arrive{.}",
        &report.arrived, found.expected, found.arrivers);
  if (missing == 0)
    return say("{C}all {n} threads of the block have arrived, and init was given {n}"
               "{R}initialize with the number of arrivals in a phase{.}",
               threads_of_block(), found.expected);
  say("{C}");
  if (at.what.bits != report.reported) say("{o}: ", at.what);
  if (const waiting_group* other = missing_group_elsewhere(at.what.address()))
    return say("{t} {has|have} not arrived in this phase: {t} {waits|wait} for {o} at {f}"
               "{R}find out why that wait does not end, or let these threads arrive before it{.}",
               &report.missing, &other->set, other->what, other->from);
  say("{t} {has|have} not arrived in this phase: {it|they} exited, took a branch that skips the arrival, still "
      "{computes|compute}, or {waits|wait} for something outside this library{l}"
      "{R}let every thread that is counted arrive, or call arrive_and_drop before it leaves; or initialize with {n}, "
      "the number of arrivals{.}",
      &report.missing, &report.missing, found.now);
}

inline __device__ __noinline__ void explain_missing_arrivals(const waiting_group& at) {
  const object_record& record = *at.record;
  const attendances& found = report.found;
  compare_arrivals(at);
  if (record.arrived_before != 0 && found.complete == 0) return explain_second_init(record);
  if (record.early != 0) return explain_early_arrivals(record);
  if (at.what.who() == role::producer) {
    const object_record* const full = partner_of(record);
    const uint32 fills = full != nullptr ? total_arrivals(*full) : 0;
    if (full != nullptr && (is_released_too_often(record, *full, fills) || has_more_arrivers(record)))
      return explain_released_too_often(record, fills);
  }
  const object_record* const empty = at.what.who() == role::consumer ? partner_of(record) : nullptr;
  if (empty != nullptr) {
    count_arrivals(*empty, state_of(barrier_target{}, {empty->address}));
    if (has_more_arrivers(*empty)) return explain_released_too_often(*empty, total_arrivals(record));
    compare_arrivals(at);
  }
  if (at.what.who() != role::none) return explain_missing_stage(at);
  if (found.now == 0 && expects_without_arrival(at))
    return say("{C}{n} {byte is|bytes are} expected (at {f}), but no thread has arrived in this phase"
               "{R}barrier_expect_tx does not arrive: call barrier_arrive_tx, or arrive as well{.}",
               record.expects.bytes / record.expects.times, record.expects.from);
  const bool is_alone = record.remote == 0 && record.is_of_cluster == 0;
  if (found.arrivers == 0 && found.now == 0 && is_alone) return explain_no_arrival(at);
  if (record.is_of_cluster != 0) return explain_cluster();
  if (found.now == 0 && at.what.is_parity_known()) return explain_parity(at);
  if (found.now == 0)
    return say(
        "{C}the token does not belong to this phase, in which thread {n} has not arrived: it belongs to an earlier "
        "phase or another barrier"
        "{R}wait for each token at its own barrier, before the next arrival{.}",
        at.set.first());
  if (explain_lost_arrivals(at)) return;
  collect_waiters(at.what.address());
  if (found.is_sure && has_kept_its_parity(at) && report.waiting_here.meets(report.missing))
    return explain_kept_parity(at);
  if (explain_wrong_count() || explain_extra_arrivals()) return;
  explain_missing_threads(at);
}

inline __device__ __noinline__ void explain_barrier(const waiting_group& at) {
  if (at.record == nullptr && grid_that_lost_records == 1 + grid_number())
    return say("{C}unknown: more barriers are in use than the checked build can record, and the record of this one was "
               "replaced"
               "{R}define CUDASYNC_CHECKED_OBJECTS as a power of two greater than {n}, then run again{.}",
               uint32{CUDASYNC_CHECKED_OBJECTS});
  if (at.record == nullptr && at.what.who() != role::none)
    return say("{C}the pipeline is not initialized: no init was seen in this block"
               "{R}let all threads of the block call its init before any of them uses it{.}");
  if (at.record == nullptr) {
    say("{C}the barrier is not initialized: no init by cudasync was seen in this block");
    if (at.state.early != 0) say(", but {n} {arrival|arrivals}", at.state.early);
    return say(
        "{R}let one thread call init(&bar, count), then synchronize the block, before any thread uses it; in dynamic "
        "shared memory, make sure that nothing else has the same address{.}");
  }
  if (!at.state.is_known)
    return say(
        "{C}arrivals or bytes are missing; on this GPU a program cannot read how many"
        "{R}compare the number of arrivals with the count given to init, and the parity of the wait with that of the "
        "phase{.}");
  if (is_of_queue(at.what.who())) return explain_queue();
  if (at.state.pending == 0) return explain_bytes(at);  // the phase waits for bytes
  explain_missing_arrivals(at);
}

// --- Groups that wait for other groups ---

// The group for which this group waits, or null if its wait has another cause.
inline __device__ __noinline__ const waiting_group* next_of(const waiting_group& at) {
  if (is_of_queue(at.what.who())) return nullptr;
  if (at.record == nullptr || !at.state.is_known || at.record->early != 0 || at.record->is_of_cluster != 0)
    return nullptr;
  if (at.state.pending == 0) return nullptr;
  if (expects_without_arrival(at)) return nullptr;
  compare_arrivals(at);
  collect_idle();
  if (report.found.now != 0 && report.found.is_sure && report.idle.size() != 0 && report.twice.size() == 0)
    return nullptr;
  const waiting_group* const next = missing_group_elsewhere(at.what.address());
  return next != nullptr && next->what.what() == kind::barrier ? next : nullptr;
}

// Whether some of its arrivals have been made, and at least as many threads as are missing do not wait anywhere.
inline __device__ __noinline__ bool lacks_idle_threads(const waiting_group& at) {
  if (at.record == nullptr || at.state.pending == 0 || at.state.pending >= at.record->expected - at.record->drops)
    return false;
  if (at.what.who() != role::none) return true;
  compare_arrivals(at);
  collect_idle();
  return report.idle.size() >= at.state.pending;
}

// Whether the threads of this group wait because of a mistake at their own barrier, although others of the circle wait,
// too.
inline __device__ __noinline__ bool has_cause_of_its_own(const waiting_group& at) {
  if (at.record == nullptr) return false;
  compare_arrivals(at);
  if (at.what.who() == role::none) {
    if (report.found.now == 0) return has_kept_its_parity(at) || has_skipped_the_first_phase(at);
    return arrives_by_one_lane_of_each_warp() && report.arrived.has_warps_of(report.missing, report.waiting);
  }
  if (at.what.who() != role::producer) return false;
  const object_record* const full = partner_of(*at.record);
  if (full != nullptr && is_released_too_often(*at.record, *full, total_arrivals(*full))) return true;
  if (has_more_arrivers(*at.record)) return true;
  if (report.found.arrivers != 0) return false;
  report.missing.clear();
  add_arrivals_at_other_stages(*at.record);
  return report.missing.size() == 0;
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
          ? "{R}on both sides, default-construct the state, keep it from tile to tile, advance once per tile, and make the "
            "same number of rounds{.}"
      : has_begun
          ? "{R}let all threads use the barriers in the same order, and arrive at each before they wait for another{.}"
          : "{R}begin with parity 1 where the first wait is for the phase before the first one, like a producer's "
            "first wait for an empty stage; otherwise let one side arrive before it waits{.}");
}

// Follows the waits from group to group, until a group waits for no other group, or the groups form a circle.
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
      if (lacks_idle_threads(*path[index]) || has_cause_of_its_own(*path[index])) root = path[index];
      circle.groups[circle.size++] = path[index];
    }
    if (root == nullptr) return explain_circle(circle);
  }
  explain_barrier(*root);
}

// --- The other objects ---

// value: the number of missing arrivals.
inline __device__ __noinline__ void explain_stage_of_counter(const waiting_group& at, uint64 value) {
  say(at.what.who() == role::producer ? "{C}{n} {consumer has|consumers have} not released stage {n}"
                                      : "{C}{n} {producer has|producers have} not committed stage {n}",
      value, at.what.stage());
  say_stage_remedy(at);
}

// value: the number of threads that have arrived in the upper half, the number that is expected in the lower half.
inline __device__ __noinline__ void explain_named_barrier(const waiting_group& at, uint64 value) {
  const uint32 arrived = static_cast<uint32>(value >> 32);
  const uint32 expected = static_cast<uint32>(value);
  select_threads(report.missing, [&at](uint32 rank) { return !at.set.has_warp_of(rank); });
  const waiting_group* const other = missing_group_elsewhere(at.what.address());
  if (other != nullptr && other->what.what() == kind::named_barrier)
    return say(
        "{C}{w} at {i} and {w} at {i} wait for each other"
        "{R}let all warps use the named barriers in the same order; if both waits belong to one phase, use one id{.}",
        &at.set, at.what, &other->set, other->what);
  say("{C}only {n} of {n} threads have arrived at {i}", arrived, expected, at.what);
  if (other != nullptr)
    return say("; {t} {waits|wait} for {o} at {f}"
               "{R}find out why that wait does not end, or let these threads arrive before it{.}",
               &other->set, other->what, other->from);
  if (report.missing.size() == expected - arrived)
    say("; {t} {has|have} not{l}", &report.missing, &report.missing);
  else if (report.missing.size() != 0)
    say("; {t} {does|do} not wait there{l}", &report.missing, &report.missing);
  say("{R}let all warps that the phase counts arrive, also the warps that have no work; use the same id and the same "
      "number of threads in all of them, and a different id for each group{.}");
}

inline __device__ __noinline__ void explain_value(const waiting_group& at, uint64 value) {
  if (at.what.what() == kind::named_barrier) return explain_named_barrier(at, value);
  if (at.what.who() != role::none) return explain_stage_of_counter(at, value);
  const explanation why = explain(at.what.what());
  say("{C}{s}", why.cause);
  if (at.what.what() == kind::peer_barrier || at.what.what() == kind::world_barrier) {
    const missing_peer who = missing_peer::of(value);
    say("{n}{s}{n}", who.rank, who.is_own ? why.one : why.many, who.phase);
  } else if (why.one != nullptr)
    say("{n}{s}", value, value == 1 ? why.one : why.many);
  if (at.what.what() == kind::grid_barrier || at.what.what() == kind::counter_barrier)
    say("; {n} {thread waits|threads wait}", threads_that_wait_for(at.what.address()));
  say("{R}{s}{.}", why.remedy);
}

}  // namespace checked
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
