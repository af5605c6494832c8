// Footprints: made of ranges of addresses, and compared.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "footprint.h"

#include <algorithm>

namespace model {

void footprint::add(uint64_t start, uint64_t end, uint32_t which, uint64_t thread) {
  const uint32_t piece = static_cast<uint32_t>(std::min<uint64_t>(end - start, ~uint32_t{0}));
  last_.resize(kinds.size(), ~size_t{0});
  if (last_[which] != ~size_t{0}) {
    range& old = ranges[last_[which]];
    const uint64_t pieces = (old.end - old.start) / old.piece;
    const bool continues = old.end == start && old.piece == piece && (old.end - old.start) % piece == 0;
    if (continues && pieces == 1 && (thread == old.thread || thread == old.thread + 1))
      old.step = static_cast<uint32_t>(thread - old.thread);
    if (continues && thread == old.thread + pieces * old.step) {
      old.end = end;
      return;
    }
  }
  last_[which] = ranges.size();
  ranges.push_back({start, end, thread, which, piece, 0});
}

void footprint::sort() {
  last_.clear();
  std::sort(ranges.begin(), ranges.end(), [](const range& one, const range& other) { return one.start < other.start; });
}

participant footprint::at(const range& which, uint64_t address) const {
  participant who = kinds[which.kind].who;
  if (who.has_thread) {
    const uint64_t number = which.thread + (address - which.start) / which.piece * which.step;
    who.block = grid.index_of(number / block.count());
    who.thread = block.index_of(number % block.count());
  }
  name_global(who, address);
  return who;
}

namespace {

// Calls use(range of one, range of the other) for pairs that overlap, until it returns true.
template <class Use>
void for_overlaps(const footprint& one, const footprint& other, const Use& use) {
  std::vector<const footprint::range*> open[2];
  size_t at[2] = {};
  const footprint* const both[2] = {&one, &other};
  for (;;) {
    const auto has = [&](int side) { return at[side] < both[side]->ranges.size(); };
    if (!has(0) && !has(1)) return;
    const int side = !has(1) || (has(0) && one.ranges[at[0]].start <= other.ranges[at[1]].start) ? 0 : 1;
    const footprint::range& next = both[side]->ranges[at[side]++];
    for (auto& list : open)
      list.erase(std::remove_if(list.begin(), list.end(), [&](const auto* each) { return each->end <= next.start; }),
                 list.end());
    for (const footprint::range* each : open[1 - side])
      if (use(side == 0 ? next : *each, side == 0 ? *each : next)) return;
    open[side].push_back(&next);
  }
}

}  // namespace

footprint_conflict find_conflict(const footprint& one, const footprint& later) {
  footprint_conflict found;
  for_overlaps(one, later, [&](const footprint::range& here, const footprint::range& there) {
    const footprint::kind &first = one.kinds[here.kind], &second = later.kinds[there.kind];
    if ((!first.is_write && !second.is_write) || (first.is_strong && second.is_strong)) return false;
    const bool is_same_value = first.is_write && second.is_write && !second.changes;
    if (found.is_found && is_same_value) return false;
    const uint64_t address = std::max(here.start, there.start);
    found = {true, is_same_value, one.at(here, address), later.at(there, address)};
    return !is_same_value;
  });
  return found;
}

bool may_signal(const footprint& one, const footprint& other) {
  return one.releases && other.acquires && shares_flag(one, other);
}

bool shares_flag(const footprint& one, const footprint& other) {
  bool does = false;
  for_overlaps(one, other, [&](const footprint::range& here, const footprint::range& there) {
    const footprint::kind &first = one.kinds[here.kind], &second = other.kinds[there.kind];
    does = first.is_write && first.is_strong && second.is_strong;
    return does;
  });
  return does;
}

}  // namespace model
