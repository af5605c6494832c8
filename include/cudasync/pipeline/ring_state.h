// ring_state: the position of a thread in a ring of stages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PIPELINE_RING_STATE_H
#define CUDASYNC_PIPELINE_RING_STATE_H

#include <cudasync/core/integers.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// The index of a stage and the parity of the round. Threads go through the ring in rounds: even, odd, even, and so on.
// A round is a phase of the barriers of each stage. A state is a small value in registers: each thread has its own, and
// keeps it through all tiles of a persistent kernel.
template <uint32 Stages>
class ring_state {
  static_assert(Stages > 0, "ring_state<n>: a ring has at least one stage");

 public:
  // At the first stage of round 0.
  ring_state() = default;

  // Returns the index of the stage, 0 to Stages - 1.
  [[nodiscard]] CUDASYNC_API constexpr uint32 index() const { return index_; }
  // Returns the parity of the round: 0 in even rounds, 1 in odd ones.
  [[nodiscard]] CUDASYNC_API constexpr uint32 parity() const { return parity_; }

  // Goes to the next stage; after the last one, to the first stage of the next round.
  CUDASYNC_API constexpr void advance() {
    const bool is_last = index_ + 1 == Stages;
    index_ = is_last ? 0 : index_ + 1;
    parity_ ^= is_last ? 1u : 0u;
  }

  // Goes this number of stages forward, past stages that other consumers wait for. Before this thread waits for a stage
  // again, it must know that the rounds of this stage that it has passed are complete, for example by its turn after
  // those consumers: their parity would otherwise be mistaken for that of an earlier round.
  CUDASYNC_API constexpr void advance(uint32 count) {
    const uint32 sum = index_ + count % Stages;
    index_ = sum % Stages;
    parity_ ^= (count / Stages + sum / Stages) % 2;
  }

 private:
  uint32 index_ = 0;
  uint32 parity_ = 0;
};

}}  // namespace cudasync::CUDASYNC_ABI

#endif
