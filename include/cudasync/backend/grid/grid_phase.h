// The phase of a grid_barrier: a counter that only increases, for one thread of each block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_GRID_GRID_PHASE_H
#define CUDASYNC_BACKEND_GRID_GRID_PHASE_H

#include <cudasync/backend/phase/phase.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>

// Bit 31 of the word is the parity, and the other bits count from 0 in each phase. Participant 0 adds 2^31 - (count -
// 1), and each other participant adds 1, which is 2^31 in total. So the last arrival, from any participant, flips the
// parity and leaves a count of zero. No thread resets a word that others may be reading, the number of participants is
// not stored, and zero bytes are a barrier that is ready for use.
//
// Ordering: arrivals are release read-modify-writes, and nothing else writes the word. So every flip is in the release
// sequences of all arrivals of its phase.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

// The participant that arrives: one of count participants.
struct grid_share {
  uint32 rank;
  uint32 count;

  [[nodiscard]] CUDASYNC_API constexpr uint32 addend() const {
    return rank == 0 ? parity_bit<uint32> - (count - 1) : uint32{1};
  }
};

// Blocks: has block_rank() and num_blocks(), as this_grid(), a participant, or cooperative_groups::grid_group.
template <class Blocks>
[[nodiscard]] CUDASYNC_API grid_share share_of(const Blocks& blocks) {
  return {static_cast<uint32>(blocks.block_rank()), static_cast<uint32>(blocks.num_blocks())};
}

// On the host, participants may be anywhere.
CUDASYNC_API void check_residency(target::any, grid_share, caller) {}

struct alignas(8) grid_phase {
  using word_type = uint32;
  CUDASYNC_API const word_type& parity_word() const { return word; }

  word_type word;
};

// The number of participants that have not arrived. The size of the count shows whether participant 0 has arrived.
[[nodiscard]] CUDASYNC_API constexpr uint64 missing_blocks(uint32 word, grid_share share) {
  const uint32 count = word & ~parity_bit<uint32>;
  return count >= parity_bit<uint32> / 2 ? parity_bit<uint32> - count : share.count - count;
}

// Each backend provides these templates on the scope:
//   arrive(here, phase, share)       on the device, synchronizes the block first; releases; returns the word before
//   wait(here, phase, share, word)   blocks until the parity differs from that of the word; acquires; on the device,
//                                    synchronizes the block after that
//   arrive_and_wait(here, phase, share)

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#if CUDASYNC_CUDA
#include <cudasync/backend/grid/grid_phase_device.h>
#endif
#if CUDASYNC_HAS_HOST
#include <cudasync/backend/grid/grid_phase_host.h>
#endif

#endif
