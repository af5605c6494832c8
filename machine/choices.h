// Who goes on where several threads can: at random, by priorities that change at a few places, or by counting.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_CHOICES_H
#define CUDASYNC_MACHINE_CHOICES_H

#include "numbers.h"
#include "opcodes.h"
#include "program.h"

#include <cstdint>
#include <vector>

namespace model {

struct schedule {
  enum class kind : uint8_t { random, priority, search, mixed } is = kind::random;  // mixed: every other seed is random
  int changes = -1;  // of priorities; -1: with each seed 1 to 3, and 2 in a search
  uint64_t places =
      0;  // that the kernel has, as an earlier run has counted them; 0: a guess, another one with each seed
};

// CUDASYNC_MACHINE_SCHEDULE: "random", "priority", "priority:CHANGES:PLACES", "search:CHANGES" or "mixed". Throws a fault.
schedule schedule_from_environment();

// Where it matters who goes on: at accesses to memory that others see, and at synchronization.
inline bool is_place(const instruction& at) {
  const opcode what = opcode(at.opcode);
  const bool is_private = at.where == space::parameter || at.where == space::local || at.where == space::constant;
  return ((what >= opcode::ld && what <= opcode::multimem_st) || what >= opcode::bar_warp_sync) && !is_private;
}

// The choices of a run. Unless they are random, the threads with the highest priority go on until they wait.
// docs/design/model.md, "Schedules", says what it means that no bug is found.
class choices {
 public:
  // least_places: the instructions of all warps that are places, without loops.
  choices(const schedule& how, uint64_t seed, uint64_t least_places);

  bool are_random() const { return is_ == schedule::kind::random; }
  bool are_a_search() const { return is_ == schedule::kind::search; }
  uint64_t seed() const { return seed_; }  // of what remains random
  // Of all lanes of a warp, or of one lane, if each has its own: then it goes alone.
  int64_t first_priority(generator& random, uint32_t warp) const;
  bool are_lanes_alone() const { return are_lanes_alone_; }
  // Counts a place. Zero, or the priority that the threads there get before they go on.
  int64_t change(bool is_progress);
  int64_t behind_all() { return --lowest_; }
  uint64_t places() const { return places_; }
  // Whether a copy takes effect as soon as it can.
  bool is_at_once(uint32_t copy) const;
  // What the L1 caches keep: 1 all lines, 2 most, 0 half of them.
  uint64_t kept_lines() const { return lines_; }
  // Of so many waits that may give up early, one does so at once.
  uint64_t impatience() const { return seed_ * 0x9e3779b97f4a7c15 >> 62 != 0 ? 2 : 16; }

 private:
  schedule::kind is_;
  uint64_t seed_, lines_, places_ = 0;
  bool are_lanes_alone_ = false, are_copies_at_once_ = false;
  std::vector<uint64_t> changes_;  // at these places, the first of which is 1
  int64_t lowest_ = -1000;
  uint32_t idle_places_ = 0;
};

}  // namespace model

#endif
