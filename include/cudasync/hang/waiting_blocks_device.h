// The blocks whose threads wait for an object, from the records of all warps, and those that are missing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_WAITING_BLOCKS_DEVICE_H
#define CUDASYNC_HANG_WAITING_BLOCKS_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/cluster_device.h>
#include <cudasync/hang/givers_device.h>
#include <cudasync/hang/kind.h>
#include <cudasync/hang/record_data_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/hang/sentence_device.h>
#include <cudasync/hang/silent_blocks_device.h>
#include <cudasync/hang/thread_set_device.h>
#include <cudasync/hang/waiting_groups_device.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

inline constexpr uint64 any_subject = 0;  // masks of subjects
inline constexpr uint64 same_kind = uint64{15} << 48;
inline constexpr uint64 same_object = (uint64{1} << 52) - 1;

inline __device__ __noinline__ void add_block_of_warp(thread_set& blocks, const warp_record& warp, uint64 what,
                                                      uint64 mask) {
  if (!polls(warp) || read_far(warp.grid) != grid_number()) return;
  CUDASYNC_NO_UNROLL
  for (const uint64& each : warp.waits) {
    const uint64 waits = read_far(each);
    if (waits == 0 || ((waits ^ what) & mask) != 0) continue;
    return blocks.add(static_cast<uint32>(block_with_tag(read_far(warp.owner) >> 5)));
  }
}

// Fills a set with the numbers of the blocks whose threads wait for a subject. There are at most most_threads blocks.
inline __device__ __noinline__ void collect_blocks(thread_set& blocks, uint64 what, uint64 mask) {
  blocks.clear();
  CUDASYNC_NO_UNROLL
  for (const warp_record& warp : warps)
    add_block_of_warp(blocks, warp, what, mask);
}

// Whether a block of the grid waits for nothing. If one waits, but for no object of this kind, the cause may be there.
inline __device__ __noinline__ bool is_any_block_free(subject what) {
  if (blocks_of_grid() > most_threads) return true;
  collect_blocks(report.idle, 0, any_subject);
  const bool are_all = report.idle.size() == blocks_of_grid();
  collect_blocks(report.arrived, what.bits, same_kind);
  report.idle.remove(report.arrived);
  if (report.idle.size() != 0) report_text.other_block = 1 + report.idle.first();
  return !are_all;
}

// Whether the last of the blocks that are missing has called the library: then all blocks of the grid have started.
inline __device__ __noinline__ bool have_missing_blocks_begun(const thread_set& others) {
  uint64 block = blocks_of_grid();
  if (block > most_threads) return false;
  CUDASYNC_NO_UNROLL
  while (block-- != 0)
    if (!others.has(static_cast<uint32>(block))) break;
  return block < most_threads && last_call_in_block(block, 0).bits != 0;
}

// Names a block that is not in the set. Returns how many are named then.
inline __device__ __noinline__ uint32 say_if_missing(const thread_set& others, uint32 block, uint32 shown) {
  if (others.has(block)) return shown;
  if (shown == 0) report_text.other_block = 1 + block;
  say(shown == 0 ? "{b}" : ", {b}", block);
  return shown + 1;
}

// Names the blocks that are not in the set, if one thread of each block takes part, and this many are missing.
inline __device__ __noinline__ void say_missing_blocks(const thread_set& others, uint64 present, uint64 missing) {
  if (blocks_of_grid() > most_threads || present + missing != blocks_of_grid()) return;
  say(missing == 1 ? "; block " : "; blocks ");
  uint32 shown = 0;
  CUDASYNC_NO_UNROLL
  for (uint32 block = 0; block < blocks_of_grid() && shown < 6; ++block)
    shown = say_if_missing(others, block, shown);
  if (missing > shown) say(" and {n} more", missing - shown);
  say("{c} {is|are} missing", missing);
  record_number(number::block, report_text.other_block - 1);
  static_cast<void>(say_where_block_is(report_text.other_block - 1, 0));
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
