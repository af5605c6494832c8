// The phase of a barrier of blocks: a counter that only ever grows, for one thread a block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_GRID_PHASE_H
#define CUDASYNC_BACKEND_GRID_PHASE_H

#include <cudasync/backend/phase.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>

// Bit 31 of the word is the parity, the others count from 0 in each phase. Participant 0 adds 2^31 - (count - 1), the others
// 1: together 2^31. So the last arrival, whichever it is, flips the parity and leaves a count of zero; nobody resets anything
// that others may be looking at, the number of participants is nowhere stored, and zero bytes are a barrier ready for use.
//
// Ordering: arrivals are release read-modify-writes, and nothing else writes the word: every flip lies in the release
// sequences of all arrivals of its phase.
namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

// Who arrives: one of count participants.
struct grid_share {
  uint32 rank;
  uint32 count;

  [[nodiscard]] CUDASYNC_API constexpr uint32 addend() const {
    return rank == 0 ? parity_bit<uint32> - (count - 1) : uint32{1};
  }
};

struct alignas(8) grid_phase {
  using word_type = uint32;
  static constexpr word_type sleepers_bit = 1;

  CUDASYNC_API word_type& sleepers_word() { return sleepers; }
  CUDASYNC_API const word_type& parity_word() const { return word; }

  word_type word;
  word_type sleepers;  // host threads
};

// Whether participant 0 is among those that have come shows in the count.
[[nodiscard]] CUDASYNC_API constexpr uint64 missing_blocks(uint32 word, grid_share share) {
  const uint32 count = word & ~parity_bit<uint32>;
  return count >= parity_bit<uint32> / 2 ? parity_bit<uint32> - count : share.count - count;
}

// Each backend provides, templates on the scope:
//   arrive(here, phase, share)       a release; on the device the block's threads meet first. Returns the word before
//   wait(here, phase, share, word)   blocks until the parity is not that word's, an acquire; then the block's threads meet
//   arrive_and_wait(here, phase, share)

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#if CUDASYNC_CUDA
#include <cudasync/backend/grid_phase_device.h>
#endif
#if CUDASYNC_HAS_HOST
#include <cudasync/backend/grid_phase_host.h>
#endif

#endif
