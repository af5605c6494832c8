// Explains what threads have added to an atomic, and counts of threads where one of each block arrives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_EXPLAIN_ADDITIONS_DEVICE_H
#define CUDASYNC_HANG_EXPLAIN_ADDITIONS_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/kind.h>
#include <cudasync/hang/permits_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/sentence_device.h>
#include <cudasync/hang/thread_set_device.h>
#include <cudasync/hang/waiting_blocks_device.h>
#include <cudasync/hang/waiting_groups_device.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// Whether the first addition did not find 0, and each has added 1. value: then there was no other change since.
CUDASYNC_DEVICE bool began_above_zero(uint64 value) {
  return noted.adders != 0 && noted.found != 0 && value == uint64{noted.found} + noted.additions;
}

// Says that all known changes of an atomic are additions, and who is left to add. Returns false if they are not.
inline __device__ __noinline__ bool say_additions(const givers& found) {
  if (noted.adders == 0 || noted.adders != noted.changers) return false;
  say("; {n} {call|calls} of fetch_add or fetch_sub by {n} {thread|threads} {c}{is|are} known, ", noted.additions,
      noted.adders, noted.additions);
  say(noted.adders == 1 ? "thread {n} of block {b}" : "for example thread {n} of block {b}", found.rank, found.block);
  if (noted.waiting == 0) say(noted.adders == 1 ? ", which does not wait for it" : ", none of which waits for it");
  if (noted.waiting != 0) say("; {n} of them {waits|wait} for it", noted.waiting);
  if (began_above_zero(noted.now))
    say("; before, it was {n}, from an earlier launch or a change that is not recorded", noted.found);
  if (blocks_of_grid() > most_threads || is_in_shared_memory(found.address)) return true;
  collect_blocks(report.idle, 0, any_subject);
  const uint64 idle = blocks_of_grid() - report.idle.size();
  if (idle != 0) say("; {n} {block|blocks} of the grid {waits|wait} for nothing {s}", idle, idle_word());
  return true;
}

// Whether each thread that waits for the value may itself have added to it. Says so.
inline __device__ __noinline__ bool say_shares(const waiting_group& at, uint64 value) {
  if (value <= 1 || value != threads_that_wait_for(at.what)) return false;
  say("the value is the number of threads that wait: if each of them has added to it itself, for example to hold a "
      "share of a lock, each waits for the shares of the others: let them give back their own before this wait, on "
      "every path");
  return true;
}

inline __device__ __noinline__ void say_remedy_of_additions(const waiting_group& at, uint64 value) {
  if (noted.waiting == 0 && noted.adders > 1 && say_shares(at, value)) say("; ");
  if (began_above_zero(value))
    return say(
        "if it should begin with 0 in each launch, reset it before the launch, or count on from the value that is "
        "found at the begin; otherwise, let each thread that is counted add, on every path");
  say("compare the awaited number with the additions that are made: it may have been passed, if it is compared by == "
      "or != (compare by >=, or count each round at an object of its own), or be more than the number of threads that "
      "add, if it is computed; otherwise, let each thread that is counted add, on every path");
}

// Whether threads wait for an atomic to which as many have added as wait for this one. value: its value then.
inline __device__ __noinline__ bool is_added_to_by_waiters(const waiting_group& at, const waiting_group& other,
                                                           uint64& value) {
  if (other.what.what() != kind::atomic_value || !find_number(other, value)) return false;
  find_last_stores(other, value);
  return noted.waiting == 0 && noted.adders == noted.changers && noted.adders == threads_that_wait_for(at.what);
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
