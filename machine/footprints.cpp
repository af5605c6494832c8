// The footprint of a grid that has ended, from what is known of the order of its accesses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grid.h"

#include <algorithm>
#include <tuple>

namespace model {

// Of accesses to the records of the checked build, which are in no footprint.
constexpr uint32_t no_kind = ~uint32_t{0};

// Of a thread of the grid.
uint64_t grid::thread_number(const access& made, const block* home) const {
  if (home == nullptr || made.is_copy) return 0;
  const extent &at = home->index, &of = how_.grid;
  return ((uint64_t{at.z} * of.y + at.y) * of.x + at.x) * how_.block.count() + made.who +
         static_cast<uint32_t>(__builtin_ctz(made.lanes)) - home->first_id;
}

// What the kernel does beside the one before it in its stream.
void grid::note_early(const access& made, uint64_t key, uint64_t size) {
  footprint& early = result_.early;
  early.grid = how_.grid;
  early.block = how_.block;
  const auto added = early_kinds_.insert({{made.at, made.is_write}, static_cast<uint32_t>(early.kinds.size())});
  if (added.second && is_trusted(participant_of(made, key))) added.first->second = no_kind;
  if (added.first->second == no_kind) return;
  if (added.second) {
    early.kinds.push_back({participant_of(made, key), made.is_write, made.is_strong && made.reach >= scope::gpu, true});
    early.kinds.back().who.kernel = demangled(kernel_.name);
    early.kinds.back().who.has_thread = !made.is_copy;
  }
  early.add(key, key + size, added.first->second, thread_number(made, find_block(made.from.block)));
}

// Memory that was freed meanwhile is left out: it may belong to others by now. So is what the clocks know.
footprint grid::make_footprint(const clocks* left_out) {
  footprint made;
  made.grid = how_.grid;
  made.block = how_.block;
  made.releases = has_released_;
  made.acquires = has_acquired_;

  std::vector<const block*> by_serial(next_serial_);
  for (const auto* list : {&blocks_, &ended_})
    for (const auto& each : *list)
      by_serial[each->serial] = each.get();
  const auto home_of = [&](const access& one) {
    return one.from.block >= next_serial_ ? nullptr : by_serial[one.from.block];
  };

  std::map<std::tuple<const instruction*, bool, bool, bool, bool>, uint32_t> known;
  const auto kind_of = [&](const access& one, bool is_strong, uint64_t key) {
    const auto added = known.insert({std::make_tuple(one.at, one.is_write, is_strong, one.changes, one.is_copy),
                                     static_cast<uint32_t>(made.kinds.size())});
    if (added.second && is_trusted(participant_of(one, key))) {
      added.first->second = no_kind;
    } else if (added.second) {
      made.kinds.push_back({participant_of(one, key), one.is_write, is_strong, one.changes});
      made.kinds.back().who.kernel = demangled(kernel_.name);
      made.kinds.back().who.has_thread = !one.is_copy;
    }
    return added.first->second;
  };
  struct piece {
    uint64_t start, end;
    uint32_t kind;
    uint64_t thread;
  };
  std::vector<piece> pieces;
  order_.for_accesses(shared_window, [&](uint64_t key, access_list& all) {
    pieces.clear();
    uint8_t seen[4] = {};  // bytes, of what is written and what is strong
    for (size_t index = 0; index < all.size(); ++index) {
      const access& one = all[index];
      if (left_out != nullptr && left_out->behind(one.who, one.lanes, one.when) == 0) continue;
      const bool is_strong = one.is_strong && one.reach >= scope::gpu;
      uint8_t& before = seen[(one.is_write ? 2 : 0) + (is_strong ? 1 : 0)];
      uint32_t left = one.bytes & ~before & 0xff;
      before |= one.bytes;
      while (left != 0) {
        const uint32_t first = static_cast<uint32_t>(__builtin_ctz(left));
        const uint32_t behind = first + static_cast<uint32_t>(__builtin_ctz(~(left >> first)));
        if (const uint32_t kind = is_allowed(key + first, 1) ? kind_of(one, is_strong, key) : no_kind; kind != no_kind)
          pieces.push_back({key + first, key + behind, kind, thread_number(one, home_of(one))});
        left &= ~((1u << behind) - (1u << first));
      }
    }
    std::sort(pieces.begin(), pieces.end(),
              [](const piece& one, const piece& other) { return one.start < other.start; });
    for (const piece& each : pieces)
      made.add(each.start, each.end, each.kind, each.thread);
  });
  made.sort();
  return made;
}

}  // namespace model
