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

// The number of the block with this tag.
inline __device__ __noinline__ uint64 block_with_tag(uint32 tag) {
  uint64 block = 0;
  CUDASYNC_NO_UNROLL
  for (uint32 layer = 0; layer < gridDim.z; ++layer)
    CUDASYNC_NO_UNROLL
  for (uint32 row = 0; row < gridDim.y; ++row)
    CUDASYNC_NO_UNROLL
  for (uint32 column = 0; column < gridDim.x; ++column, ++block)
    if (tag_of(owner_of(column, row, layer)) == tag) return block;
  return block - 1;
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

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
