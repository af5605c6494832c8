// The causes of hangs at barriers, in the order in which the evidence is tested: one table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_CAUSE_TABLE_DEVICE_H
#define CUDASYNC_HANG_CAUSE_TABLE_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/report_data.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

CUDASYNC_API constexpr uint64 bit(uint32 index) {
  return uint64{1} << index;
}

// What is true of a barrier and of the threads that wait for it or arrive.
struct evidence {
  static constexpr uint64 is_too_many = bit(0);  // an arrival is one too many; otherwise threads wait for too long
  // The object
  static constexpr uint64 has_no_record = bit(1);
  static constexpr uint64 lost_records = bit(2);  // records of this grid were replaced
  static constexpr uint64 is_of_ring = bit(3);    // of a pipeline or a queue
  static constexpr uint64 is_of_queue = bit(4);
  static constexpr uint64 has_scheduler = bit(5);  // a scheduler waits
  static constexpr uint64 is_unreadable = bit(6);
  static constexpr uint64 is_of_cluster = bit(7);
  static constexpr uint64 interrupted = bit(8);  // by a second init
  static constexpr uint64 has_early = bit(9);    // arrivals before init
  static constexpr uint64 is_of_turns = bit(61);
  static constexpr uint64 lost_arrivals = bit(10);
  // Bytes
  static constexpr uint64 waits_for_bytes = bit(11);      // all arrivals have been made
  static constexpr uint64 has_remote = bit(12);           // other blocks arrive or copy
  static constexpr uint64 has_misplaced_bytes = bit(40);  // they were sent to the wrong block
  static constexpr uint64 has_foreign_bytes = bit(13);
  static constexpr uint64 expects_nothing = bit(14);
  static constexpr uint64 are_bytes_equal = bit(15);
  static constexpr uint64 only_expects = bit(16);  // bytes, by a call that does not arrive
  // Stages
  static constexpr uint64 is_for_producers = bit(17);  // a producer waits for a release
  static constexpr uint64 has_more_consumers = bit(18);
  static constexpr uint64 has_more_releases = bit(19);  // than fills
  // Parities and phases
  static constexpr uint64 is_by_token = bit(21);
  static constexpr uint64 kept_parity = bit(22);
  static constexpr uint64 began_odd = bit(23);      // the first wait was for the phase before the first one
  static constexpr uint64 skipped_phase = bit(24);  // a thread has not waited for the first phase, which is complete
  static constexpr uint64 is_phase_empty = bit(25);
  static constexpr uint64 never_arrived = bit(26);  // no thread, neither here nor elsewhere
  // Arrivals
  static constexpr uint64 is_sure = bit(27);              // the missing threads are expected to arrive
  static constexpr uint64 missing_wait_here = bit(28);    // some of them
  static constexpr uint64 is_round_complete = bit(29);    // the threads that arrive have made all their arrivals
  static constexpr uint64 is_by_leaders = bit(30);        // one lane of each warp arrives
  static constexpr uint64 is_by_updates = bit(31);        // each thread makes several arrivals in the first phase
  static constexpr uint64 expects_above_block = bit(32);  // more arrivals than the block has threads
  static constexpr uint64 is_by_one = bit(33);            // only one thread arrives
  static constexpr uint64 some_twice = bit(34);           // some threads have arrived twice in a phase, but not all
  static constexpr uint64 some_once_more = bit(35);       // a few threads have made one round more than the others
  static constexpr uint64 only_waiters_missing = bit(36);
  static constexpr uint64 lacks_threads = bit(37);  // the threads that arrive or are missing are fewer than expected
  static constexpr uint64 none_missing = bit(38);
  // The object: more than one init, or other writes
  static constexpr uint64 is_overwritten = bit(43);
  static constexpr uint64 waits_since_before_init = bit(44);  // for a phase of before the last init
  static constexpr uint64 was_made_again = bit(48);           // by another init
  static constexpr uint64 is_shared_state = bit(47);   // of a pipeline, by several groups, each of which initialized it
  static constexpr uint64 has_no_sender = bit(49);     // no other block has arrived since init
  static constexpr uint64 is_in_own_blocks = bit(39);  // other blocks arrive at their own barriers alone
  static constexpr uint64 has_more_bytes = bit(50);    // than are expected
  static constexpr uint64 fits_missing = bit(51);      // as many threads of this block are missing as arrivals
  static constexpr uint64 has_wrong_stage = bit(52);   // another stage was released more often than filled
  static constexpr uint64 lost_of_cluster = bit(53);   // arrivals of other blocks
  static constexpr uint64 undid_phase = bit(45);       // the last init came after arrivals, and before the first wait
  static constexpr uint64 other_count = bit(54);       // an init with another count came before any arrival
  static constexpr uint64 drops_again = bit(20);       // a thread arrives after arrive_and_drop
  static constexpr uint64 repeated_parity = bit(55);   // one has waited twice in a row for one parity, at any barrier
  static constexpr uint64 was_overtaken = bit(56);     // the first wait began after two phases or more
  static constexpr uint64 missed_phase = bit(63);      // a later wait is for the phase before the last
  // Blocks of a cluster
  static constexpr uint64 has_whole_phases = bit(57);  // their arrivals are those of complete phases
  static constexpr uint64 has_more_senders = bit(58);  // more blocks arrive than a phase expects
  static constexpr uint64 is_uneven = bit(60);    // the barriers of waiting blocks get different numbers of arrivals
  static constexpr uint64 is_confused = bit(62);  // it gets the arrivals of another barrier, or that one those of it
  // Of an arrival too many alone: the numbers are those of facts for which only hangs are searched.
  static constexpr uint64 has_more_producers = bit(11);
  static constexpr uint64 is_undone = bit(12);      // by an init during this arrival
  static constexpr uint64 is_phase_full = bit(13);  // no arrival is missing
  static constexpr uint64 has_more_lanes = bit(14);
  static constexpr uint64 has_more_arrivers = bit(15);
  static constexpr uint64 has_no_bytes = bit(16);    // of expectations or copies
  static constexpr uint64 has_unrecorded = bit(24);  // arrivals of the phase, by no call of this library
  static constexpr uint64 is_left_behind = bit(17);  // another barrier completes several phases in a phase of this one
};

struct finding {
  uint64 bits;
  uint32 rank;                 // a thread whose parities are wrong
  uint32 fills;                // of the stage, by producers
  uint32 arrivals;             // by the warp that makes one too many
  uint32 lanes;                // of that warp, which arrive
  uint32 unrecorded;           // arrivals of the phase that no call of this library has made, at least
  const object_record* ahead;  // a barrier that completes several phases in one of this one

  CUDASYNC_DEVICE bool has(uint64 bit) const { return (bits & bit) != 0; }
  CUDASYNC_DEVICE void add_if(bool condition, uint64 bit) { bits |= condition ? bit : 0; }
};

struct rule {
  uint64 must;      // all of these are true
  uint64 must_not;  // none of these is true
  cause what;
  bool is_uncertain = false;  // the next row with another cause is reported, too
};

// The first row that fits is the cause. If it is uncertain, the next row that fits and has another cause is also
// reported. A row may rely on the rows above it: where an object has no record, nothing below is known; where an init
// was wrong, arrivals were lost, and counting them would accuse the wrong thread. Parities come before counts, because
// a wait for the wrong phase makes threads arrive too often. The last row of each part fits whatever is left.
// test/model/reports names the case of test/gpu/hang_report_*.cu whose report a row decides, and compares the two.
struct rule_table : evidence {
  static constexpr bool uncertain = true;
  rule rows[94] = {
      // clang-format off
    // what must be true                               must not       the cause
    // --- An arrival is one too many.
    {is_too_many | is_undone,                          0,             cause::initialized_twice},
    {is_too_many | interrupted,                        0,             cause::initialized_twice, uncertain},
    {is_too_many | other_count,                        0,             cause::initialized_twice, uncertain},
    {is_too_many | is_shared_state,                    0,             cause::initialized_twice},
    {is_too_many | has_early,                          0,             cause::arrivals_before_init},
    {is_too_many | is_of_turns,                        0,             cause::group_too_large},
    {is_too_many | is_confused,                        0,             cause::arrived_at_other_barrier},
    {is_too_many | drops_again,                        0,             cause::arrived_after_drop},
    {is_too_many | began_odd,                          0,             cause::first_parity},
    {is_too_many | kept_parity,                        0,             cause::parity_not_flipped},
    {is_too_many | has_more_producers,                 0,             cause::too_many_producers},
    {is_too_many | is_phase_full | has_more_consumers, 0,             cause::too_many_consumers},
    {is_too_many | is_phase_full | is_of_ring | some_twice, 0,        cause::arrived_twice},
    {is_too_many | is_phase_full | has_more_releases,  0,             cause::released_too_often},
    {is_too_many | is_of_cluster | is_left_behind,     0,             cause::overtaken},
    {is_too_many | has_unrecorded, is_of_ring | some_twice | has_more_arrivers, cause::arrived_too_often},
    {is_too_many | is_phase_full | has_no_bytes,       0,             cause::overwritten, uncertain},
    {is_too_many | is_phase_full | has_more_arrivers,  is_of_ring | some_twice, cause::count_below_arrivers, uncertain},
    {is_too_many | is_phase_full,                      0,             cause::arrived_before_bytes},
    {is_too_many | is_of_ring | has_more_arrivers,     is_phase_full, cause::too_many_consumers},
    {is_too_many | is_of_ring | some_twice,            is_phase_full, cause::arrived_twice},
    {is_too_many | is_of_cluster | has_more_lanes,     some_twice,    cause::count_below_lanes, uncertain},
    {is_too_many | is_of_cluster,                      some_twice,    cause::arrived_in_own_block, uncertain},
    {is_too_many | has_more_lanes,                     0,             cause::count_below_lanes},
    {is_too_many | repeated_parity,                    0,             cause::parity_not_flipped, uncertain},
    {is_too_many | is_left_behind,                     0,             cause::overtaken},
    {is_too_many | some_twice,                         0,             cause::arrived_twice},
    {is_too_many | has_more_arrivers,                  0,             cause::count_below_arrivers},
    {is_too_many,                                      0,             cause::arrived_too_often},

    // --- A hang: the object.
    {has_no_record | lost_records,                     0,             cause::record_replaced},
    {is_overwritten,                                   0,             cause::overwritten},
    {has_no_record | is_of_ring,                       0,             cause::pipeline_not_initialized},
    {has_no_record,                                    0,             cause::barrier_not_initialized},
    {is_unreadable,                                    0,             cause::state_not_readable},

    // --- Answers of a launch queue.
    {is_of_queue,                                      has_scheduler, cause::answer_not_requested},
    {is_of_queue,                                      0,             cause::answer_not_released},

    // --- All arrivals have been made, and the phase waits for bytes.
    {waits_for_bytes | has_misplaced_bytes,            0,             cause::bytes_at_other_barrier},
    {waits_for_bytes | has_remote,                     0,             cause::bytes_of_other_blocks},
    {waits_for_bytes | has_foreign_bytes,              0,             cause::bytes_at_other_barrier},
    {waits_for_bytes | expects_nothing,                0,             cause::bytes_not_expected},
    {waits_for_bytes | are_bytes_equal,                0,             cause::copy_not_complete},
    {waits_for_bytes,                                  0,             cause::bytes_differ},

    // --- Arrivals are missing, and some were lost.
    {interrupted,                                      0,             cause::initialized_twice, uncertain},
    {is_of_ring | other_count,                         0,             cause::initialized_twice, uncertain},
    {is_shared_state,                                  0,             cause::initialized_twice},
    {has_early,                                        0,             cause::arrivals_before_init},

    {waits_since_before_init,                          0,             cause::initialized_twice},

    // --- Turns of groups.
    {is_of_turns,                                      0,             cause::turn_not_passed},

    {is_phase_empty | has_more_bytes,                  began_odd,     cause::bytes_not_expected},

    // --- At a stage of a pipeline.
    {is_of_ring | has_more_consumers,                  0,             cause::too_many_consumers},
    {is_of_ring | has_more_releases,                   0,             cause::released_too_often},
    {is_of_ring | is_for_producers | has_wrong_stage,  0,             cause::wrong_stage_released},
    {is_of_ring | is_for_producers | was_made_again,   0,             cause::stage_not_released, uncertain},
    {is_of_ring | was_made_again,                      is_for_producers, cause::stage_not_filled, uncertain},
    {is_of_ring | was_made_again,                      0,             cause::initialized_twice},
    {is_of_ring | is_for_producers,                    0,             cause::stage_not_released},
    {is_of_ring,                                       0,             cause::stage_not_filled},

    // --- At another barrier, in a phase without an arrival.
    {is_phase_empty | only_expects,                    0,             cause::expected_without_arrival},
    {is_phase_empty | never_arrived | is_confused,     0,             cause::arrived_at_other_barrier},
    {is_phase_empty | never_arrived | is_by_token,     0,             cause::token_of_other_barrier},
    {is_phase_empty | never_arrived | undid_phase,     0,             cause::initialized_twice, uncertain},
    {is_phase_empty | never_arrived,                   0,             cause::no_arrival},
    {is_phase_empty | is_of_cluster | is_uneven,       has_more_senders, cause::other_blocks_missing},
    {is_phase_empty | was_overtaken,                   has_more_senders, cause::overtaken},
    {missed_phase, has_more_senders | repeated_parity | began_odd,    cause::overtaken, uncertain},
    {is_of_cluster | lost_of_cluster,                  0,             cause::arrivals_before_init},
    {is_phase_empty | has_whole_phases | repeated_parity, has_more_senders, cause::parity_not_flipped, uncertain},
    {is_phase_empty | is_of_cluster | has_whole_phases, has_more_senders, cause::phase_not_begun},
    {is_of_cluster | has_no_sender | fits_missing,     is_phase_empty, cause::threads_missing, uncertain},
    {is_in_own_blocks,                                 is_phase_empty, cause::arrived_in_own_block},
    {is_of_cluster | has_no_sender,                    is_phase_empty, cause::other_blocks_missing, uncertain},
    {is_of_cluster,                                    0,             cause::other_blocks_missing},
    {is_phase_empty | skipped_phase,                   0,             cause::first_parity},
    {is_phase_empty | kept_parity,                     0,             cause::parity_not_flipped},
    {is_phase_empty | began_odd,                       0,             cause::first_parity},
    {is_phase_empty | repeated_parity,                 is_by_token,   cause::parity_not_flipped, uncertain},
    {is_phase_empty,                                   is_by_token,   cause::phase_not_begun},
    {is_phase_empty,                                   0,             cause::token_of_other_phase},

    // --- Some threads have arrived in the phase.
    {other_count,                                      0,             cause::initialized_twice, uncertain},
    {lost_arrivals,                                    0,             cause::initialized_twice},
    {is_sure | kept_parity | missing_wait_here,        0,             cause::parity_not_flipped},
    {is_round_complete,                                0,             cause::count_below_arrivers},
    {is_by_leaders,                                    0,             cause::one_lane_of_each_warp},
    {is_by_updates,                                    0,             cause::updates_below_count},
    {expects_above_block,                              0,             cause::count_above_threads},
    {is_by_one,                                        0,             cause::one_thread_only},
    {drops_again,                                      0,             cause::arrived_after_drop, uncertain},
    {some_twice | repeated_parity,                     is_sure,       cause::parity_not_flipped, uncertain},
    {some_twice,                                       is_sure,       cause::arrived_twice},
    {is_sure | some_once_more,                         0,             cause::rounds_differ},
    {only_waiters_missing,                             is_sure,       cause::waiters_do_not_arrive},
    {lacks_threads,                                    is_sure,       cause::count_above_arrivers},
    {none_missing,                                     0,             cause::all_threads_arrived},
    {0,                                                0,             cause::threads_missing},
      // clang-format on
  };
};

CUDASYNC_DEVICE_VARIABLE const rule_table rules{};

// The first rule that fits and has another cause than the one before.
inline __device__ __noinline__ const rule& rule_for(const finding& found, const rule* before = nullptr) {
  const rule* at = rules.rows;
  if (before != nullptr) at = before + 1;
  while ((found.bits & at->must) != at->must || (found.bits & at->must_not) != 0 ||
         (before != nullptr && at->what == before->what))
    ++at;
  return *at;
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
