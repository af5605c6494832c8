// Explains waits for blocks at a grid_barrier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_EXPLAIN_GRID_DEVICE_H
#define CUDASYNC_HANG_EXPLAIN_GRID_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/causes.h>
#include <cudasync/hang/explain_values_device.h>
#include <cudasync/hang/kind.h>
#include <cudasync/hang/permits_device.h>
#include <cudasync/hang/record_data_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/hang/sentence_device.h>
#include <cudasync/hang/waiting_blocks_device.h>
#include <cudasync/hang/waiting_groups_device.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// The arrivals of blocks at a grid barrier.
struct rounds_of_blocks {
  uint64 address;
  uint64 missing;       // a block that has not arrived in this phase, or not_counted
  uint64 other_from;    // where a block that waits has passed another number of participants
  uint64 waits;         // a block that waits
  uint64 differs;       // one that passes another number of participants now, or not_counted
  uint32 most;          // arrivals of a block that waits
  uint32 of_missing;    // of the missing block
  uint32 participants;  // as a block that waits passes
  uint32 others;        // as it has passed at other_from; 0: none
  uint32 of_differs;    // as `differs` passes
  uint32 rank;          // of a participant that is missing, or not_counted

  // The records of a block that has ended may be those of another one.
  CUDASYNC_DEVICE bool has_never_arrived() const {
    return missing != not_counted && of_missing == 0 && last_call_in_block(missing, 0).bits != 0;
  }
};

inline __device__ __noinline__ void add_rounds(rounds_of_blocks& found, const warp_record& warp) {
  const uint64 at = read_far(warp.round_at);
  if (!is_note_of(found.address, at)) return;
  const uint64 block = block_with_tag(static_cast<uint32>(at >> 37));
  if (tag_of(owner_of(block)) != at >> 37) return;
  const uint32 rounds = read_far(warp.rounds);
  const uint32 rank = read_far(warp.round_rank);
  const uint32 participants = read_far(warp.participants);
  if (rank == found.rank) found.missing = block;
  if (block == found.missing) found.of_missing = rounds;
  if (!report.arrived.has(static_cast<uint32>(block))) return;
  report.twice.add(rank);
  if (found.participants != 0 && found.participants != participants) {
    found.differs = block;
    found.of_differs = participants;
    return;
  }
  found.waits = block;
  found.participants = participants;
  if (rounds < found.most) return;
  found.most = rounds;
  found.others = read_far(warp.others);
  found.other_from = read_far(warp.other_from);
}

inline __device__ __noinline__ void add_all_rounds(rounds_of_blocks& found) {
  CUDASYNC_NO_UNROLL
  for (const warp_record& warp : warps)
    add_rounds(found, warp);
}

// report.arrived: the blocks that wait. value: the number of participants that are missing. If the missing block is not
// known, the first rank among the participants that no block has, and the block that has arrived with it before.
inline __device__ __noinline__ void collect_rounds(rounds_of_blocks& found, uint64 address, uint64 missing,
                                                   uint64 value) {
  found = {address, missing, 0, 0, not_counted, 0, 0, 0, 0, 0, not_counted};
  report.twice.clear();
  add_all_rounds(found);
  if (missing != not_counted || found.differs != not_counted || found.participants > most_threads ||
      report.twice.size() + value != found.participants)
    return;
  found.rank = 0;
  while (report.twice.has(found.rank))
    ++found.rank;
  add_all_rounds(found);
}

// What the first of the missing blocks does, if it has called the library.
inline __device__ __noinline__ void say_rounds_of_missing(const rounds_of_blocks& found, uint64 missing) {
  if (found.of_missing != 0 && found.of_missing < found.most)
    say("; block {b} has arrived at it {n} {time|times}, and the blocks that wait {n}", found.missing, found.of_missing,
        found.most);
  else if (found.has_never_arrived())
    say("; block {b} has never arrived at it", found.missing);
  uint64 from;
  if (wait_in_block(found.missing, from).bits == 0 && wait_in_block(found.missing, from, true).bits == 0)
    return say("; {c}{it waits|they wait} for nothing {s}", missing, idle_word());
  collect_blocks(report.idle, 0, any_subject);
  if (report.idle.size() == blocks_of_grid())
    say("; a thread of every block of the grid waits, so block {b} and these wait for each other", found.missing);
}

// What is known of the first missing rank, or of counts that differ.
inline __device__ __noinline__ void say_rank(const rounds_of_blocks& found) {
  if (found.differs != not_counted)
    return say("; block {b} passes {n} participants, and block {b} {n}", found.waits, found.participants, found.differs,
               found.of_differs);
  if (found.rank == not_counted) return;
  say("; rank {n} of {n} is missing", record_number(number::rank, found.rank), found.participants);
  if (found.missing == not_counted) return say(": no block of this kernel has arrived at it with this rank");
  say(": block {b} has arrived at it with this rank {n} {time|times}", found.missing, found.of_missing);
  if (found.of_missing < found.most) say(", and those that wait {n}", found.most);
  if (say_where_block_is(found.missing, 0).bits == 0) say("; it waits for nothing {s}", idle_word());
}

// A grid barrier. value: the number of participants that have not arrived. If all of these wait at another one, which
// does not lack all that wait at this one, the cause is told there.
CUDASYNC_REPORT void explain_grid_barrier(const waiting_group& here, uint64 value) {
  if (report.must_be_sure) return;
  if (here.what.is_local()) return say_in_local_memory(here);
  const waiting_group* const other = group_of_other_blocks(here.what);
  const uint32 others = other != nullptr ? threads_that_wait_for(other->what) : 0;
  uint64 number = 0;
  const bool is_elsewhere =
      other != nullptr && others == value && find_number(*other, number) && number != threads_that_wait_for(here.what);
  const bool is_circle = other != nullptr && others == value && !is_elsewhere;
  const waiting_group& at = is_elsewhere ? *other : here;
  if (is_elsewhere) {
    value = number;
    report_text.about = at.what.bits;
    mark_as_explained(here.what);
  }
  record_cause(is_circle ? cause::barriers_in_a_circle : cause::participants_missing, at.what);
  say_value(at.what, value);
  say("; {n} {thread waits|threads wait}", threads_that_wait_for(at.what));
  if (is_circle)
    return say("; {n} {thread waits|threads wait} for {i} at {f}"
               "{R}let all blocks use the grid barriers in the same order, for as many rounds{.}",
               others, other->what, other->from);
  collect_blocks(report.arrived, at.what.bits, same_object);
  const bool are_all_blocks = threads_that_wait_for(at.what) + value == blocks_of_grid();
  const bool have_begun = are_all_blocks && have_missing_blocks_begun(report.arrived);
  say_missing_blocks(report.arrived, threads_that_wait_for(at.what), value);
  rounds_of_blocks found;
  collect_rounds(found, at.what.address(), have_begun ? report_text.other_block - 1 : not_counted, value);
  if (have_begun) say_rounds_of_missing(found, value);
  if (found.others != 0)
    say("; the blocks that wait have passed {n} participants before (at {f}), and pass {n} now", found.others,
        found.other_from, found.participants);
  if (!are_all_blocks) say_rank(found);
  if (found.differs != not_counted || (!are_all_blocks && found.rank != not_counted))
    return say(
        found.differs != not_counted ? "{R}let every participant pass the same count{.}"
        : found.missing == not_counted
            ? "{R}let a block or a host thread arrive with each rank below the count, or pass the number of those "
              "that arrive{.}"
            : "{R}let every participant arrive in every round, on every path: a condition around the call must be "
              "the same for all of them{.}");
  const bool is_outsider = found.has_never_arrived();
  if (is_outsider && found.others == threads_that_wait_for(at.what))
    return say("{R}pass the same participants in each call, as at {f}: block {b} is not one of them{.}",
               found.other_from, found.missing);
  bool may_be_silent;
  const uint64 waiting = have_begun ? 0 : say_silent_blocks(kind::grid_barrier, value, may_be_silent);
  if (waiting != 0) return say("{R}"), say_remedy_of_grid(waiting, false);
  say(is_outsider ? "{R}if block {b} takes no part, pass only the blocks that do; otherwise " : "{R}", found.missing);
  say("{s}", explain(kind::grid_barrier).remedy);
  if (is_larger_than_gpu() && !have_begun)
    say(". If the grid has more blocks than the GPU can hold at once, waiting blocks keep the others from starting: "
        "launch with cudaLaunchCooperativeKernel, which rejects such a grid");
  say("{.}");
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
