// The threads that wait when a hang is reported, in groups that wait for the same thing at the same line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_WAITING_GROUPS_DEVICE_H
#define CUDASYNC_HANG_WAITING_GROUPS_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/hang/kind.h>
#include <cudasync/hang/object_table_device.h>
#include <cudasync/hang/record_words_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/sentence_device.h>
#include <cudasync/hang/thread_set_device.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/mbarrier_qualified.h>
#include <cudasync/ptx/special_registers.h>

// One thread of the GPU writes a report at a time (control::reporters), so `report` needs no synchronization. It
// collects the waits from the records of all warps, then what is known about the arrivals at each barrier.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

inline constexpr uint32 most_groups = 12;

// Threads that wait for the same thing at the same line.
struct waiting_group {
  subject what;
  uint64 from;     // the site of the wait
  uint32 threads;  // of the block that reports
  uint32 others;   // of other blocks
  thread_set set;
  const object_record* record;  // null: no record, or the object is not initialized
  barrier_state state;
  // Whether threads of this block wait for a parity: set.first() is one of them.
  CUDASYNC_DEVICE bool is_by_parity() const { return what.is_parity_known() && set.size() != 0; }
};

// The arrivals of this block's threads at a barrier since init, with report.arrived, missing and twice.
struct attendances {
  uint32 expected;
  uint32 now;       // arrivals in the current phase
  uint32 total;     // by threads of this block
  uint32 arrivers;  // threads that have arrived
  uint32 usual;     // arrivals of a thread that keeps up with the others
  bool are_equal;   // all threads that arrived did so equally often
  uint32 complete;  // the number of complete phases, or not_counted if it is not known
  bool is_sure;     // whether the missing threads are certainly expected to arrive
  // Whether all arrivals of the phase are recorded. Hand-written PTX and other libraries record none.
  CUDASYNC_DEVICE bool are_known() const { return total >= now; }
  // Complete phases, if this block's threads alone arrive. Recorded arrivals may not have been made yet.
  CUDASYNC_DEVICE uint32 least_complete() const { return total <= now || expected == 0 ? 0 : (total - now) / expected; }
};

struct report_space {
  waiting_group groups[most_groups];
  uint32 number_of_groups;
  uint32 left_out;  // waiting threads that are not in the list: all, until it is written
  uint64 reported;  // the subject for which the thread that found the hang waits
  attendances found;
  bool ends_barriers;    // barriers have been invalidated, so the kernel cannot go on
  bool must_be_sure;     // a cause is written only if it does not depend on the waits that are explained
  thread_set explained;  // threads whose waits are explained
  thread_set waiting, waiting_here, missing, twice, arrived, idle;
  thread_set active;  // threads that have arrived anywhere
  thread_set blocks;  // that have begun this report, by their numbers modulo most_threads
};

CUDASYNC_DEVICE_VARIABLE report_space report;

// The waits from group to group. From `begin` on, they form a circle.
struct chain_of_waits {
  const waiting_group* groups[most_groups];
  uint32 length;
  uint32 begin;
  CUDASYNC_DEVICE const waiting_group& before(uint32 index) const {
    return *groups[(index == begin ? length : index) - 1];
  }
};

CUDASYNC_DEVICE_VARIABLE chain_of_waits chain;  // not on the stack, whose size is that of all threads

// The subject with the address that its object has in this block: on sm_90, addresses of shared memory contain the rank
// of the block in its cluster. The state of a barrier of another block cannot be read.
CUDASYNC_DEVICE uint64 in_this_block(target::sm70, uint64 what) {
  return what;
}
CUDASYNC_DEVICE uint64 in_this_block(target::sm90, uint64 what) {
  if (subject{what}.what() != kind::barrier) return what;
  const ptx::shared_address given{static_cast<uint32>(what)};
  return what >> 32 << 32 | ptx::mapa(given, ptx::get_sreg_cluster_ctarank()).value;
}

inline __device__ __noinline__ void add_to_groups(uint64 what, uint64 from, bool is_here, uint32 rank) {
  // Objects in shared memory have the same offsets in all blocks, so a group can have threads of several blocks.
  uint32 index = 0;
  while (index < report.number_of_groups &&
         (report.groups[index].what.bits != what || report.groups[index].from != from))
    ++index;
  ++report.left_out;
  if (index == most_groups) return;
  waiting_group& group = report.groups[index];
  if (index == report.number_of_groups) {
    ++report.number_of_groups;
    group.what.bits = what;
    group.from = from;
    group.threads = 0;
    group.others = 0;
    group.set.clear();
    group.state = {};
    group.record = record_of(group.what);
  }
  group.threads += is_here;
  group.others += !is_here;
  if (!is_here) return;
  group.set.add(rank);
  if (group.what.what() == kind::named_barrier)
    report.waiting.add_warp_of(rank);  // one lane waits for all
  else
    report.waiting.add(rank);
}

// Objects in shared memory have the same addresses in all blocks.
CUDASYNC_DEVICE bool is_in_shared_memory(uint64 address) {
  return address < 0x100000 || ptx::is_shared(reinterpret_cast<const void*>(address));
}

// Whether each block has an object of its own at this address. Then other kernels have others there.
CUDASYNC_DEVICE bool is_of_block(subject what) {
  return what.what() == kind::barrier || what.what() == kind::named_barrier || is_in_shared_memory(what.address());
}

inline __device__ __noinline__ void collect_waits_of_warp(warp_record& warp) {
  CUDASYNC_NO_UNROLL
  for (uint32 lane = 0; lane < 32; ++lane) {
    const uint32 owner = shared_by_all(warp.owner);
    uint64 from;
    const subject what = wait_of_lane(warp, lane, from);
    if (what.bits != 0 && (shared_by_all(warp.grid) == grid_number() || !is_of_block(what)))
      add_to_groups(in_this_block(target::here_or_minimum<target::sm70>::type{}, what.bits), from,
                    owner >> 5 == tag_of_block(), owner % 32 * 32 + lane);
  }
}

// Begins with this warp, for whose wait there must be room, and its multiprocessor, which runs all of the block.
inline __device__ __noinline__ void collect_waits() {
  report.number_of_groups = 0;
  report.left_out = 0;
  report.waiting.clear();
  warp_record& own = record_of_warp();
  collect_waits_of_warp(own);
  const uint32 first = ptx::get_sreg_smid() * warps_of_multiprocessor % CUDASYNC_CHECKED_WARPS;
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < CUDASYNC_CHECKED_WARPS; ++index) {
    warp_record& warp = warps[(first + index) % CUDASYNC_CHECKED_WARPS];
    if (&warp != &own && shared_by_all(warp.waiting) != 0 && !moves(warp)) collect_waits_of_warp(warp);
  }
}

struct notes {
  uint32 first;
  uint32 end;
};
inline constexpr notes of_lanes{0, 1};
inline constexpr notes of_stores{1, 3};

// Calls a function with each note of a lane: the record of its warp, the row and the lane. has_any: whether a warp has.
template <class Function>
CUDASYNC_DEVICE void for_each_note(uint32 warp_record::* has_any, notes rows, Function function) {
  CUDASYNC_NO_UNROLL
  for (const warp_record& warp : warps) {
    if (read_far(warp.*has_any) == 0) continue;
    CUDASYNC_NO_UNROLL
    for (uint32 place = rows.first * 32; place < rows.end * 32; ++place)
      function(warp, place / 32, place % 32);
  }
}

// Calls a function with each group, or with each group that waits for an object.
template <class Function>
CUDASYNC_DEVICE void for_each_group(Function function) {
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < report.number_of_groups; ++index)
    function(report.groups[index]);
}
template <class Function>
CUDASYNC_DEVICE void for_each_group_at(subject what, Function function) {
  for_each_group([&](waiting_group& at) {
    if (at.what.is_same_object(what)) function(at);
  });
}

// All waits for an object. One lane of a warp waits at a named barrier for all.
inline __device__ __noinline__ void mark_as_explained(subject what) {
  for_each_group_at(what, [](const waiting_group& at) {
    if (at.what.what() == kind::named_barrier)
      report.explained.add_warps_of(at.set);
    else
      report.explained.add(at.set);
  });
}
inline __device__ __noinline__ void mark_chain() {
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < chain.length; ++index)
    mark_as_explained(chain.groups[index]->what);
}
CUDASYNC_DEVICE bool is_explained(const waiting_group& at) {
  return at.set.meets(report.explained);
}

// The first group that a function selects. Null if there is none.
template <class Function>
CUDASYNC_DEVICE const waiting_group* find_group(Function is_wanted) {
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < report.number_of_groups; ++index)
    if (is_wanted(report.groups[index])) return &report.groups[index];
  return nullptr;
}

CUDASYNC_DEVICE const waiting_group& first_group_at(const waiting_group& group) {
  return *find_group([&group](const waiting_group& other) { return other.what.is_same_object(group.what); });
}

inline __device__ __noinline__ void collect_waiters(subject what) {
  report.waiting_here.clear();
  for_each_group_at(what, [](const waiting_group& at) { report.waiting_here.add(at.set); });
}

inline __device__ __noinline__ uint32 threads_that_wait_for(subject what) {
  uint32 threads = 0;
  for_each_group_at(what, [&threads](const waiting_group& at) { threads += at.threads + at.others; });
  return threads;
}

// The number that the threads of a group watch, which is not needed for barriers. Returns false if it is not known.
inline __device__ __noinline__ bool find_number(const waiting_group& at, uint64& number) {
  bool is_known = at.what.what() == kind::barrier;
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < CUDASYNC_CHECKED_WARPS && !is_known; ++index) {
    const warp_record& warp = warps[index];
    is_known = polls(warp) && read_far(warp.watched) == at.what.bits;
    number = read_far(warp.number);
  }
  return is_known;
}

// The missing threads that wait for something else.
inline __device__ __noinline__ const waiting_group* missing_group_elsewhere(subject what) {
  return find_group([what](const waiting_group& group) {
    return !group.what.is_same_object(what) && group.threads != 0 && group.set.meets(report.missing);
  });
}

// Threads of other blocks that wait for another object of this kind: their own, if it is in shared memory. Or null.
inline __device__ __noinline__ const waiting_group* group_of_other_blocks(subject what) {
  return find_group([what](const waiting_group& group) {
    return group.what.what() == what.what() && !group.what.is_same_object(what) && group.others != 0;
  });
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
