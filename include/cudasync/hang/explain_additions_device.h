// Explains what threads have stored or added to an atomic, and counts of threads where one of each block arrives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_EXPLAIN_ADDITIONS_DEVICE_H
#define CUDASYNC_HANG_EXPLAIN_ADDITIONS_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/kind.h>
#include <cudasync/hang/permits_device.h>
#include <cudasync/hang/record_data_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/hang/sentence_device.h>
#include <cudasync/hang/thread_set_device.h>
#include <cudasync/hang/waiting_blocks_device.h>
#include <cudasync/hang/waiting_groups_device.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// Of the last changes of all threads to an atomic. Their times may be equal, so values decide where they can.
struct last_stores {
  noted_store last;    // to the value that it has now: the latest
  noted_store before;  // to another value: of additions, the one to the greatest value, otherwise the latest
  noted_store next;    // that is looked at
  noted_store left;    // of the additions, that of a thread that has left the wait for the atomic
  uint64 wait;         // the site of that wait
  uint32 changers;     // threads
  uint32 adders;       // of them, those whose last change is an addition
  uint32 additions;    // by these
  uint32 waiting;      // of these, those that wait for the atomic
  uint32 holders;      // of these, those that have added more than they have taken back
  int32 kept;          // by how much
  bool has_exchanges;
  bool are_of_bits;  // bitwise operations
  uint32 changed;    // how many of these have changed the value
  bool has_fallen;   // one of them has taken back more than it has added
  uint32 times;      // how often each of these has added; 0: not equally often, or a wait came before the first
  uint32 now;        // the value, or unknown
  uint32 found;      // by the additions: the least value, if unsigned

  // Whether the first addition did not find 0, and each has added 1. Then there was no other change since.
  CUDASYNC_DEVICE bool began_above_zero() const {
    return adders != 0 && found != 0 && !are_of_bits && now == uint64{found} + additions;
  }
};

CUDASYNC_DEVICE_VARIABLE last_stores noted;  // not on the stack

inline __device__ __noinline__ void copy_store(noted_store& to, const noted_store& from) {
  copy_words(reinterpret_cast<uint32*>(&to), reinterpret_cast<const uint32*>(&from), sizeof to / sizeof(uint32));
}

inline __device__ __noinline__ void look_at_adder(const warp_record& warp, uint32 lane, uint32 owner) {
  const noted_store& next = noted.next;
  const uint32 calls = static_cast<uint32>(next.from & noted_store::most_calls);
  const uint32 times = calls == 1 && (next.time & 1) != 0 ? 0 : calls;
  noted.additions += calls;
  if (next.found < noted.found) noted.found = next.found;
  noted.has_exchanges = noted.has_exchanges || (next.from & noted_store::by_exchange) != 0;
  noted.are_of_bits = noted.are_of_bits || (next.from & noted_store::of_bits) != 0;
  noted.times = noted.adders++ == 0 || noted.times == times ? times : 0;
  const int32 sum = noted_store::sum_of(next.from);
  noted.has_fallen = noted.has_fallen || sum < 0;
  noted.changed += static_cast<uint32>(sum);
  if (next.waits_at != 0) {
    ++noted.waiting;
    noted.holders += sum > 0;
    noted.kept += sum;
  } else if (last_call(warp, owner, lane).bits == noted.wait) {
    copy_store(noted.left, next);
  }
}

// Notes the store of a lane, if it is to this atomic.
inline __device__ __noinline__ void look_at_store(subject what, const warp_record& warp, uint32 row, uint32 lane) {
  const uint32 owner = static_cast<uint32>(read_far(warp.given[row][lane]) >> 32);
  if (read_far(warp.given[row][lane]) != note_of(what.address(), owner)) return;
  noted_store& next = noted.next;
  next.block = find_tag(owner >> 5, blocks_of_grid());
  if (next.block == blocks_of_grid() || (is_in_shared_memory(what.address()) && next.block != block_number())) return;
  const uint64 stored = read_far(warp.stored_at[row - 1][lane]);
  next.rank = owner % 32 * 32 + lane;
  next.value = static_cast<uint32>(stored >> 32);
  next.time = static_cast<uint32>(stored);
  next.from = read_far(warp.stored_from[row - 1][lane]);
  next.found = read_far(warp.found[row - 1][lane]);
  next.waits_at = 0;
  next.waits = read_far(warp.owner) == owner ? wait_of_lane(warp, lane, next.waits_from) : subject{0};
  if (next.waits.is_same_object(what)) {
    next.waits_at = next.waits_from;
    next.waits.bits = 0;
  }
  ++noted.changers;
  noted_store& kept = next.value == noted.now ? noted.last : noted.before;
  const bool are_additions = noted_store::are_additions(next.from) && noted_store::are_additions(kept.from);
  if (noted_store::are_additions(next.from)) look_at_adder(warp, lane, owner);
  if (kept.from == 0 || (are_additions ? next.value > kept.value : static_cast<int32>(next.time - kept.time) >= 0))
    copy_store(kept, next);
}

inline __device__ __noinline__ void forget_stores() {
  noted = {};
}
// now: the value.
inline __device__ __noinline__ void find_last_stores(const waiting_group& at, uint64 now) {
  forget_stores();
  noted.wait = at.from;
  noted.now = noted_store::known(now);
  noted.found = noted_store::unknown;
  for_each_note(&warp_record::has_given, of_stores,
                [&at](const warp_record& warp, uint32 row, uint32 lane) { look_at_store(at.what, warp, row, lane); });
}

// Whether a thread has stored over another one's value: without a wait before, and it waits now, or over additions.
inline __device__ __noinline__ bool is_stored_over(const waiting_group& at) {
  uint64 now;
  if (at.what.what() != kind::atomic_value || !find_number(at, now)) return false;
  find_last_stores(at, now);
  const noted_store& last = noted.last;
  const noted_store& before = noted.before;
  if (last.from <= noted_store::most_additions || before.from == 0 || last.value == noted_store::unknown ||
      before.value == noted_store::unknown || last.is_surely_before(before))
    return false;
  if (noted_store::are_additions(before.from) && last.value < before.value && last.waits_at == 0) return true;
  return last.waits_at != 0 && (last.time & 1) == 0 && before.waits_at == 0;
}

inline __device__ __noinline__ void say_stored_over(subject what) {
  const noted_store& last = noted.last;
  const noted_store& before = noted.before;
  if (noted_store::are_additions(before.from))
    say(noted.are_of_bits
            ? "{C}{n} {thread has|threads have} set or cleared bits of {i}, which was {n} after the "
              "operation of thread {n} of block {b}, and "
            : "{C}{n} {thread has|threads have} added to {i}, which was at least {n}, after the addition of "
              "thread {n} of block {b}, and ",
        noted.adders, what, before.value, before.rank, before.block);
  else
    say("{C}thread {n} of block {b} stored {n} to {i} at {f}, and ", before.rank, before.block, before.value, what,
        before.from);
  say("then thread {n} of block {b} stored {n} over it at {f}", last.rank, last.block, last.value, last.from);
  if (last.waits_at != 0) return say(", without a wait for it before, and waits for it at {f}", last.waits_at);
  say((last.time & 1) != 0 ? ", after its own wait, while {n} {thread still waits|threads still wait} for it"
                           : ", while {n} {thread waits|threads wait} for it",
      threads_that_wait_for(what));
}

// Explains the first wait for an atomic whose awaited value was stored over. Returns false if there is none.
inline __device__ __noinline__ bool explain_overwritten() {
  const waiting_group* const at = find_group(is_stored_over);
  if (at == nullptr) return false;
  mark_as_explained(at->what);
  record_cause(cause::value_unchanged, at->what);
  record_numbers(number::value, noted.last.value, number::block, noted.before.block, number::rank, noted.before.rank);
  say_stored_over(at->what);
  say(noted.last.waits_at == 0 && (noted.last.time & 1) != 0
          ? "{R}reset it only after all threads that wait for the value have left their waits: let the last of them "
            "store at {f}, or reset it before each launch; or let the numbers grow and wait by >= for a multiple{.}"
          : "{R}store the initial value before the launch, or synchronize these threads between the store at {f} and "
            "their other stores; between rounds, store it only after the wait, or let numbers grow and wait by >={.}",
      noted.last.from);
  return true;
}

// --- Additions ---

// Says that all known changes of an atomic are additions, and who is left to add. Returns false if they are not.
inline __device__ __noinline__ bool say_additions(const givers& found) {
  if (noted.adders == 0 || noted.adders != noted.changers) return false;
  say(noted.are_of_bits ? "; {n} {bitwise operation|bitwise operations}"
                        : "; {n} {addition or compare-exchange|additions or compare-exchanges}",
      noted.additions);
  say(" by {n} {thread|threads} {c}{is|are} known, ", noted.adders, noted.additions);
  if (noted.are_of_bits && noted.changed < noted.additions)
    say("{n} of which {has|have} not changed the value, ", noted.additions - noted.changed);
  say(noted.adders == 1 ? "thread {n} of block {b}" : "for example thread {n} of block {b}", found.rank, found.block);
  if (noted.waiting == 0) say(noted.adders == 1 ? ", which does not wait for it" : ", none of which waits for it");
  if (noted.waiting != 0) say("; {n} of them {waits|wait} for it", noted.waiting);
  if (noted.began_above_zero())
    say("; before, it was {n}, from an earlier launch or a change that is not recorded", noted.found);
  if (blocks_of_grid() > most_threads || is_in_shared_memory(found.address)) return true;
  collect_blocks(report.idle, 0, any_subject);
  const uint64 idle = blocks_of_grid() - report.idle.size();
  if (idle != 0) say("; {n} {block|blocks} of the grid {waits|wait} for nothing {s}", idle, idle_word());
  return true;
}

// Says that all threads that wait for an atomic have added to it as often as all others. Returns false if not.
inline __device__ __noinline__ bool say_sum(const waiting_group& at, bool do_all_wait) {
  const bool is_left = noted.left.from != 0;
  if (noted.adders < 2 || noted.are_of_bits || noted.adders != noted.changers || noted.times == 0 ||
      !(is_left || do_all_wait) || noted.waiting != threads_that_wait_for(at.what))
    return false;
  say("; {n} threads have added to it, each {n} {time|times}, also {c}{the one that waits|all that wait}", noted.adders,
      noted.times, noted.waiting);
  if (is_left)
    say("; thread {n} of block {b} has left this wait, although the value only rises, so the awaited numbers differ, "
        "or are compared by ==",
        noted.left.rank, noted.left.block);
  say("{R}compare by >=; if the number is computed from a load, as base + n, load it before any of these threads adds; "
      "or compute it from what the addition of the thread returns, as (old / n + 1) * n; ");
  if (is_left)
    say("if thread {n} of block {b} should add again, let it do so on every path{.}", noted.left.rank,
        noted.left.block);
  else
    say("otherwise, compare it with the sum of all additions{.}");
  return true;
}

// Says that a store erased one of the additions, if it is known. Returns its site, or 0.
inline __device__ __noinline__ uint64 say_erased() {
  const noted_store& before = noted.before;
  if (noted.adders == 0 || noted.has_fallen || noted.are_of_bits || before.from <= noted_store::most_additions ||
      before.value > noted.now || noted.additions <= noted.now - before.value)
    return 0;
  say("; {n} {addition was|additions were} made, so the store of {n} at {f} came after one of them", noted.additions,
      before.value, before.from);
  return before.from;
}

// Whether the threads that wait for the value have themselves added all of it, as shares of a lock: all changes are
// known, and others have taken back theirs, or none are left and compare-exchanges were used. Says so.
inline __device__ __noinline__ bool say_own_shares(const waiting_group& at, bool is_free) {
  const uint32 threads = noted.waiting;
  const bool have_others = noted.adders != threads;
  if (threads == 0 || noted.are_of_bits || noted.holders != threads || noted.adders != noted.changers ||
      noted.now != static_cast<uint32>(noted.kept) || threads != threads_that_wait_for(at.what) ||
      !(have_others || (noted.has_exchanges && !is_free)))
    return false;
  say("; the {n} {thread that waits has|threads that wait have} added {n} to it, and not taken it back", threads,
      noted.now);
  if (have_others)
    say("; {n} other {thread has|threads have} changed it, and {does|do} not wait for it", noted.adders - threads);
  say("{R}let each thread that waits for the shares of others give back its own before this wait, on every path, or "
      "wait for the value with its own, which only one thread at a time may do{s}{.}",
      have_others ? "" : "; if it counts arrivals, compare the awaited number with those that are made");
  return true;
}

inline __device__ __noinline__ void say_remedy_of_additions() {
  if (noted.are_of_bits)
    return say("compare the bits of the awaited value with those that each thread sets or clears: several threads may "
               "have the same bit, and no thread one that is awaited; otherwise, let each of these threads make its "
               "operation, on every path");
  if (noted.began_above_zero())
    return say(
        "if it should begin with 0 in each launch, reset it before the launch, or count on from the value that is "
        "found at the begin; otherwise, let each thread that is counted add, on every path");
  const bool is_only = noted.additions == 1 && noted.now == 1;
  say("compare the awaited number with the additions that are made: it may {s}be more than the number of threads that "
      "add, if it is computed, for example from a load that came after some of these additions (load it before any "
      "thread can add); otherwise, let each thread that is counted add, on every path",
      is_only
          ? ""
          : "have been passed, if it is compared by == or != (compare by >=, or count each round at an object of its "
            "own), or ");
}

// Whether threads wait for an atomic to which as many have added as wait for this one. value: its value then.
inline __device__ __noinline__ bool is_added_to_by_waiters(const waiting_group& at, const waiting_group& other,
                                                           uint64& value) {
  if (other.what.what() != kind::atomic_value || !find_number(other, value)) return false;
  find_last_stores(other, value);
  return noted.waiting == 0 && noted.adders == noted.changers && noted.adders == threads_that_wait_for(at.what);
}

// Says that the value of an atomic to which no thread has stored is not of this kernel. Returns false if it may be.
inline __device__ __noinline__ bool say_older_value(subject what, uint64 value) {
  givers found;
  if (value == 0 || collect_givers(found, what.address(), of_lanes) != 0) return false;
  say("; no thread of this kernel is known to have stored to it, so {n} is from before the launch, or from a change "
      "that is not recorded (relaxed additions, functions of CUDA)",
      value);
  return true;
}

// Whether a thread has stored 0 to an atomic for whose change from 0 others wait. value: 0.
inline __device__ __noinline__ bool is_stored_in_vain(const waiting_group& other, uint64& value) {
  if (other.what.what() != kind::atomic_value || !find_number(other, value) || value != 0) return false;
  find_last_stores(other, value);
  return noted.changers == 1 && noted.last.from > noted_store::most_additions && noted.last.waits_at == 0;
}

// Whether one thread of each block arrives where all threads of the grid are counted: says it, and the remedy.
inline __device__ __noinline__ bool say_count_of_threads(const thread_set& blocks, uint64 missing) {
  const uint64 arrived = blocks.size();
  if (arrived < 2 || arrived != blocks_of_grid() || threads_of_block() == 1 ||
      missing != arrived * (threads_of_block() - 1))
    return false;
  say("; {n} are expected, as many as the grid has threads, but one thread of each of its {n} blocks arrives"
      "{R}initialize with {n}, the number of threads that arrive; or let all threads of each block arrive{.}",
      arrived + missing, arrived, arrived);
  return true;
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
