// The threads that have last given something to an object: counted down a latch, released a permit, notified or stored.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_GIVERS_DEVICE_H
#define CUDASYNC_HANG_GIVERS_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/record_data_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/hang/sentence_device.h>
#include <cudasync/hang/waiting_groups_device.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// A note about a warp and an object in any memory: the owner in the upper half, a hash of the address, which is odd, in
// the lower half. Notes of earlier kernels are still there, so a note has all bits of the owner. address: 48 bits, as
// of a subject.
CUDASYNC_DEVICE uint64 note_of(uint64 address, uint32 owner) {
  return uint64{owner} << 32 | static_cast<uint32>(address >> 1 ^ address << 16 >> 48) | 1;
}

CUDASYNC_DEVICE uint64 blocks_of_grid() {
  return uint64{gridDim.x} * gridDim.y * gridDim.z;
}

// The number of the block with this tag, or end if none of the blocks before it has it.
inline __device__ __noinline__ uint64 find_tag(uint32 tag, uint64 end) {
  uint64 block = 0;
  CUDASYNC_NO_UNROLL
  while (block < end && tag_of(owner_of(block)) != tag)
    ++block;
  return block;
}
CUDASYNC_DEVICE uint64 block_with_tag(uint32 tag) {
  return find_tag(tag, blocks_of_grid() - 1);
}

// The threads that have last counted down a latch, released a permit of a semaphore, or notified those that wait for an
// atomic, or that have stored to it. report.arrived: those of this block; report.twice: the numbers of their blocks,
// modulo most_threads.
struct givers {
  uint64 address;
  uint64 block;  // of the last giver: one that does not wait in this block, if there is any
  uint32 owner;  // of its warp
  uint32 rank;
  uint32 threads;
};

inline __device__ __noinline__ void look_at_giver(givers& found, uint64 given, uint32 lane) {
  const uint32 owner = static_cast<uint32>(given >> 32);
  if (given != note_of(found.address, owner)) return;
  const bool is_here = owner >> 5 == tag_of_block();
  const uint64 block = is_here ? block_number() : owner == found.owner ? found.block : block_with_tag(owner >> 5);
  if (tag_of(owner_of(block)) != owner >> 5 || (is_in_shared_memory(found.address) && !is_here)) return;
  const uint32 rank = owner % 32 * 32 + lane;
  report.twice.add(static_cast<uint32>(block));
  if (is_here) report.arrived.add(rank);
  if (found.threads++ != 0 && is_here && report.waiting.has(rank)) return;
  found.block = block;
  found.owner = owner;
  found.rank = rank;
}

// Rows of the records' notes.
struct notes {
  uint32 first;
  uint32 end;
};
inline constexpr notes of_gifts{0, 1};
inline constexpr notes of_stores{1, 3};

inline __device__ __noinline__ uint32 collect_givers(givers& found, uint64 address, notes rows) {
  found = {address, 0, 0, 0, 0};
  report.arrived.clear();
  report.twice.clear();
  CUDASYNC_NO_UNROLL
  for (const warp_record& warp : warps) {
    if (read_far(warp.has_given) == 0) continue;
    CUDASYNC_NO_UNROLL
    for (uint32 index = rows.first * 32; index < rows.end * 32; ++index)
      look_at_giver(found, read_far(warp.given[index / 32][index % 32]), index % 32);
  }
  return found.threads;
}

// --- Values that are stored over before a wait finds them ---

// The last store of a thread to an atomic.
struct noted_store {
  uint64 block;
  uint64 from;      // its site; 0: there is none
  uint64 waits_at;  // where the thread waits for that atomic now; 0: it does not
  uint32 rank;
  uint32 value;  // or unknown
  uint32 time;   // bit 0: the thread has waited for the atomic since its store before

  static constexpr uint32 unknown = ~uint32{0};
  // The word of the records: the value, and the time in units of 512 ns.
  CUDASYNC_DEVICE static uint64 when(uint64 value, bool has_waited) {
    return (value < unknown ? value : unknown) << 32 |
           (static_cast<uint32>(ptx::get_sreg_globaltimer() >> 8) & ~uint32{1}) | has_waited;
  }
  CUDASYNC_DEVICE bool is_after(const noted_store& other, uint32 least) const {
    return other.from == 0 || static_cast<int32>(time - other.time) >= static_cast<int32>(least);
  }
};

CUDASYNC_DEVICE uint32 awaited_of(uint64 note) {
  return static_cast<uint32>(note) ^ static_cast<uint32>(note >> 32);
}

// The last two threads that have stored to an atomic.
struct last_stores {
  noted_store last;
  noted_store before;
};

inline __device__ __noinline__ void look_at_store(last_stores& found, subject what, const warp_record& warp,
                                                  uint32 place) {
  const uint32 lane = place % 32;
  const uint64 given = read_far(warp.given[1 + place / 32][lane]);
  const uint32 owner = static_cast<uint32>(given >> 32);
  if (given != note_of(what.address(), owner)) return;
  const uint64 block = find_tag(owner >> 5, blocks_of_grid());
  if (block == blocks_of_grid() || (is_in_shared_memory(what.address()) && block != block_number())) return;
  uint64 from;
  const bool waits = wait_of_lane(warp, lane, from).is_same_object(what) && read_far(warp.owner) == owner;
  const uint64 stored = read_far(warp.stored_at[place / 32][lane]);
  const noted_store each{block,
                         read_far(warp.stored_from[place / 32][lane]),
                         waits ? from : 0,
                         owner % 32 * 32 + lane,
                         static_cast<uint32>(stored >> 32),
                         static_cast<uint32>(stored)};
  if (each.is_after(found.last, 0)) {
    found.before = found.last;
    found.last = each;
  } else if (each.is_after(found.before, 0)) {
    found.before = each;
  }
}

CUDASYNC_DEVICE_VARIABLE last_stores noted;  // not on the stack

inline __device__ __noinline__ void find_last_stores(subject what) {
  noted = {};
  CUDASYNC_NO_UNROLL
  for (const warp_record& warp : warps) {
    if (read_far(warp.has_given) == 0) continue;
    CUDASYNC_NO_UNROLL
    for (uint32 place = 0; place < 64; ++place)
      look_at_store(noted, what, warp, place);
  }
}

// Whether a thread that waits for an atomic has stored to it without a wait before, over another value of another
// thread.
inline __device__ __noinline__ bool is_stored_over(subject what) {
  constexpr uint32 least_apart = 16;  // a store is noted before it is made
  find_last_stores(what);
  const noted_store& last = noted.last;
  const noted_store& before = noted.before;
  return last.waits_at != 0 && (last.time & 1) == 0 && before.from != 0 && before.waits_at == 0 &&
         last.is_after(before, least_apart) && last.value != before.value && last.value != noted_store::unknown &&
         before.value != noted_store::unknown;
}

// Explains the first wait of any block for an atomic whose awaited value was stored over. Returns false if there is
// none.
inline __device__ __noinline__ bool explain_overwritten() {
  const waiting_group* const at = find_group(
      [](const waiting_group& each) { return each.what.what() == kind::atomic_value && is_stored_over(each.what); });
  if (at == nullptr) return false;
  mark_as_explained(at->what);
  record_cause(cause::value_unchanged, at->what);
  record_numbers(number::value, noted.last.value, number::block, noted.before.block, number::rank, noted.before.rank);
  say("{C}thread {n} of block {b} stored {n} to {i} at {f}, and ", noted.before.rank, noted.before.block,
      noted.before.value, at->what, noted.before.from);
  say("then thread {n} of block {b} stored {n} over it at {f}, without a wait for it before, and waits for it at {f}",
      noted.last.rank, noted.last.block, noted.last.value, noted.last.from, noted.last.waits_at);
  say("{R}store the initial value before the launch, or synchronize these threads between the store at {f} and their "
      "other stores; between rounds, store it only after the wait, or let the numbers grow and wait by >={.}",
      noted.last.from);
  return true;
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
