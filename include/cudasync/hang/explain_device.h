// Writes the most probable cause of a hang, and its remedy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_EXPLAIN_DEVICE_H
#define CUDASYNC_HANG_EXPLAIN_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/evidence_device.h>
#include <cudasync/hang/explain_arrivals_device.h>
#include <cudasync/hang/explain_bytes_device.h>
#include <cudasync/hang/explain_circle_device.h>
#include <cudasync/hang/explain_parity_device.h>
#include <cudasync/hang/explain_permits_device.h>
#include <cudasync/hang/explain_stages_device.h>
#include <cudasync/hang/find_cause_device.h>
#include <cudasync/hang/kind.h>
#include <cudasync/hang/object_history_device.h>
#include <cudasync/hang/object_table_device.h>
#include <cudasync/hang/record_data_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/hang/sentence_device.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

inline __device__ __noinline__ void explain_as(cause why, const waiting_group& at, const finding& found) {
  record_cause(why, at.what);
  if (why <= cause::overwritten) return explain_object(why, at, found);
  if (why <= cause::answer_not_released) return explain_queue(why);
  if (why == cause::group_too_large) return explain_large_group(*at.record);
  if (why == cause::arrived_at_other_barrier)
    return explain_other_barrier(*at.record, found.has(evidence::is_too_many));
  const bool is_of_stage = cause::expected_without_arrival < why && why <= cause::too_many_consumers;
  const bool is_extra = cause::token_of_other_barrier < why && why <= cause::too_many_producers;
  const bool is_named =
      why == cause::other_blocks_missing || (why == cause::bytes_not_expected && at.state.pending != 0);  // in the text
  if (!is_of_stage && !is_extra && !is_named) report_text.about = at.what.bits;
  if (why == cause::turn_not_passed) return explain_turn(at);
  if (why <= cause::expected_without_arrival) return explain_bytes(why, at);
  if (is_of_stage) return explain_stage(why, at, found.fills);
  if (why <= cause::token_of_other_barrier) return explain_parity(why, at, found);
  if (is_extra) return explain_extra_arrivals(why, at, found);
  explain_missing_arrivals(why, at);
}

// Explains a hang, or an arrival too many, and if that is uncertain, by the next cause, too. look: for the evidence.
template <class Look>
__device__ __noinline__ void explain_by_table(const waiting_group& at, Look look) {
  finding found;
  look(found);
  const rule& first = rule_for(found);
  explain_as(first.what, at, found);
  if (!first.is_uncertain || report_text.part != part_of_report::likely) return;
  report_text.part = part_of_report::other;
  look(found);
  explain_as(rule_for(found, &first).what, at, found);
}

// --- Groups that wait for other groups ---

// The group for which this group waits, or null if its wait has another cause.
inline __device__ __noinline__ const waiting_group* next_of(const waiting_group& at) {
  if (is_of_queue(at.what.who()) || at.record == nullptr) return nullptr;
  if (!at.state.is_known || at.state.pending == 0 || at.record->early != 0) return nullptr;
  if (is_overwritten(at) || expects_without_arrival(at)) return nullptr;
  compare_arrivals(at);
  if (at.what.who() != role::none && report.found.now != 0 && !report.found.is_sure)
    static_cast<void>(find_missing_of_stage(at));
  else if (!report.found.is_sure)
    static_cast<void>(select_rest_of_warps(at.state.pending));
  // At a barrier of a cluster, this block's threads are missing only if they alone arrive, or nobody does.
  if (at.record->is_of_cluster != 0 && (report.found.now != 0 || has_senders(*at.record))) return nullptr;
  collect_idle();
  if (report.found.now != 0 && report.found.is_sure && report.idle.size() != 0 && report.twice.size() == 0)
    return nullptr;
  const waiting_group* const next = likely_group_elsewhere(at);
  return next != nullptr && next->what.what() == kind::barrier ? next : nullptr;
}

// Whether some of its arrivals have been made, and at least as many threads as are missing do not wait in the chain.
inline __device__ __noinline__ bool lacks_idle_threads(const waiting_group& at) {
  if (at.record == nullptr || at.state.pending == 0 || at.state.pending >= at.record->expected - at.record->drops)
    return false;
  compare_arrivals(at);
  if (at.what.who() != role::none && (report.found.is_sure || find_missing_of_stage(at).have_used_it))
    return have_missing_consumed(at);
  if (!report.found.is_sure) static_cast<void>(select_rest_of_warps(at.state.pending));
  collect_outsiders();
  return report.idle.size() >= at.state.pending;
}

// Whether the threads of this group wait because of a mistake at their own barrier, although they are in a circle.
inline __device__ __noinline__ bool has_cause_of_its_own(const waiting_group& at) {
  if (at.record == nullptr) return false;
  compare_arrivals(at);
  if (at.what.who() == role::none) {
    if (report.found.now == 0)
      return has_kept_its_parity(at) || has_skipped_the_first_phase(at) ||
             (report.found.arrivers == 0 &&
              (at.record->has_copies != 0 || barrier_in_place_of(*at.record) != nullptr || used_siblings(at) > 1));
    if (have_missing_passed(at) || has_sibling_in_same_state(*at.record)) return true;
    return arrives_by_one_lane_of_each_warp() && report.arrived.has_warps_of(report.missing, report.waiting);
  }
  if (at.what.who() != role::producer) return false;
  if (has_more_releases(*at.record) || stage_with_more_releases(*at.record) != nullptr) return true;
  if (has_more_arrivers(*at.record)) return true;
  if (report.found.now == 0 && have_all_consumed(*at.record)) return true;
  if (report.found.arrivers != 0) return false;
  report.missing.clear();
  add_arrivals_at_other_stages(*at.record);
  return report.missing.size() == 0;
}

// Follows the waits from group to group, until a group waits for no other group, or the groups form a circle.
inline __device__ __noinline__ void follow_waits(const waiting_group& first) {
  chain.length = 0;
  chain.begin = most_groups;
  CUDASYNC_NO_UNROLL
  for (const waiting_group* at = &first; at != nullptr && chain.length < most_groups && chain.begin == most_groups;) {
    chain.groups[chain.length++] = at;
    at = next_of(*at);
    CUDASYNC_NO_UNROLL
    for (uint32 index = 0; index < chain.length; ++index)
      if (chain.groups[index] == at) chain.begin = index;
  }
}

// The group whose wait is the cause of the others, or null if the groups of a circle wait for each other alone.
inline __device__ __noinline__ const waiting_group* root_of_waits() {
  if (chain.begin == most_groups) return chain.groups[chain.length - 1];
  if (const waiting_group* const behind = find_in_circle(repeats_its_round)) return behind;
  // The orders of pipelines differ: no consumer has come to the stages that the producers want to fill again.
  if (has_several_pipelines() && !has_circle([](const waiting_group& at) {
        return at.what.who() != role::consumer &&
               (at.what.who() != role::producer || is_last_fill_consumed(*at.record));
      }))
    return nullptr;
  const waiting_group* root = nullptr;
  CUDASYNC_NO_UNROLL
  for (uint32 index = chain.begin; index < chain.length; ++index)
    if (lacks_idle_threads(*chain.groups[index]) || has_cause_of_its_own(*chain.groups[index]))
      root = chain.groups[index];
  return root != nullptr || report.must_be_sure ? root : find_group([](const waiting_group& at) {
    return at.what.what() == kind::barrier && at.threads != 0 && !is_in_circle(at) && has_cause_of_its_own(at);
  });
}

// Fills report.missing with the threads for which a group waits. Returns whether they are known.
inline __device__ __noinline__ bool collect_missing(const waiting_group& at) {
  const object_record& record = *at.record;
  report.missing.clear();
  if (record.is_of_cluster != 0 || record.remote != 0 || !at.state.is_known) return false;
  if (at.state.pending == 0) return record.expects.bytes != record.copied.bytes;
  compare_arrivals(at);
  if (at.what.who() == role::none && !report.found.is_sure) {
    select_missing(at);
    return report.missing.size() == at.state.pending;
  }
  if (!report.found.is_sure) return find_missing_of_stage(at).is_known;
  return report.missing.size() != 0;
}

inline constexpr uint32 is_dependent = 1;
inline constexpr uint32 is_unknown = 2;

// Whether a wait of the chain depends on one that is explained, or it is not known for whom it waits: bits.
inline __device__ __noinline__ uint32 dependence_of(const waiting_group& at, bool is_root) {
  uint32 found = is_explained(at) ? is_dependent : 0;
  if (at.record == nullptr) return found;
  if (!collect_missing(at))
    found |= is_unknown;
  else if (report.missing.meets(report.explained))
    found |= is_dependent;
  collect_outsiders();
  return is_root && report.idle.meets(report.waiting) ? found | is_unknown : found;
}

CUDASYNC_REPORT void explain_barriers(const waiting_group& first, uint64) {
  report.active.clear();
  for_each_record([](const object_record& each) {
    add_threads(report.active, [&each](uint32 rank) { return has_arrived(each, rank); });
  });
  follow_waits(first);
  const waiting_group* const root = root_of_waits();
  uint32 found = 0;  // 0: the waits of the chain are the reason for each other alone
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < chain.length && report.must_be_sure; ++index)
    found |= dependence_of(*chain.groups[index], chain.groups[index] == root);
  if ((found & is_dependent) != 0) mark_chain();  // they are explained with the wait on which they depend
  if (found != 0) return;
  mark_chain();
  if (root == nullptr) return explain_circle();
  mark_as_explained(root->what);
  if (explain_permit_at_barrier(*root)) return;
  explain_by_table(*root, [root](finding& found) { look_for_cause(found, *root); });
}

// Whether two groups wait at one line for barriers of one init, and as many arrivals and bytes are missing.
inline __device__ __noinline__ bool is_same_wait(const waiting_group& at, const waiting_group& other) {
  return at.record != nullptr && other.record != nullptr && is_sibling(*other.record, *at.record) && at.threads != 0 &&
         at.from == other.from && at.set.size() == other.set.size() && at.state.pending == other.state.pending &&
         at.state.bytes == other.state.bytes && at.state.parity == other.state.parity;
}

// Waits like one that is explained are no further hangs.
inline __device__ __noinline__ void say_same_waits() {
  bool is_any = false;
  for_each_group([&is_any](const waiting_group& at) {
    if (is_explained(at) || find_group([&at](const waiting_group& each) {
                              return is_explained(each) && is_same_wait(at, each);
                            }) == nullptr)
      return;
    mark_as_explained(at.what);
    say(is_any ? ", {i}" : "cudasync:   The same is probably true of {i}", at.what);
    is_any = true;
  });
  if (is_any) put(".\n");
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
