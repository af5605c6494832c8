// multimem.st: a store to several places at once, each of which it reaches at a time of its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grid.h"

#include <algorithm>

namespace model {

void grid::store_everywhere(const instruction& at, thread& who) {
  const type each = at.first;
  const uint64_t address = effective(who, at.operands[0]);
  if ((address & multicast_window) == 0) throw fault("no multicast address in " + where_is(at));
  const bits value = read(who, at.operands[1], each);
  if (at.ordering == order::release) finish_stores_everywhere(who);
  const access made{who.id, times_[who.id], place_of(who), 0,   true,  at.ordering != order::weak,
                    false,  false,          at.reach,      &at, false, true};
  const view before = with_.finds_races ? who.seen : view();
  std::vector<message> published;
  if (with_.finds_races && at.ordering != order::weak) {
    for (const auto& release : who.fence_releases)
      if (release != nullptr) {
        published.push_back(*release);
        published.back().reach = std::min(published.back().reach, at.reach);
      }
    if (at.ordering == order::release) {
      published.push_back(message_of(who, at.reach));
      tick(who);
    }
  }
  const uint64_t first = address & ((uint64_t{1} << multicast_count_shift) - 1);
  const uint64_t count = address >> multicast_count_shift & 0xff;
  for (uint64_t replica = 0; replica < count; ++replica) {
    const location to = locate(who, first + replica * multicast_stride, space::global, each.bytes, at);
    pending_copy store{now_ + random(3000) * nanosecond, new_copy(who), {}, {}, &who, made.when, to.key};
    for (const pending_copy& earlier : copies_)
      if (earlier.by == &who && earlier.to == to.key) store.after.push_back(earlier.id);
    store.act = [=]() {
      note_other_write(to.key, each.bytes);
      if (with_.finds_races) {
        record(made, to.key, each.bytes, before, memory_of(to));
        if (made.is_strong) {
          std::vector<message_pointer>& list = order_.messages(to.key);
          list.clear();
          for (const message& one : published)
            order_keeper::add(list, one);
        }
      }
      std::memcpy(to.bytes, &value, each.bytes);
    };
    copies_.push_back(std::move(store));
  }
}

// What is ordered before a release or a fence of the thread has reached all places before it.
void grid::finish_stores_everywhere(thread& who) {
  for (size_t index = 0; index < copies_.size();) {
    const thread* const by = copies_[index].by;
    const bool is_before = by != nullptr && (!with_.finds_races || who.seen.all.of(by->id) >= copies_[index].when);
    if (!is_before) {
      ++index;
      continue;
    }
    const pending_copy store = std::move(copies_[index]);
    copies_.erase(copies_.begin() + static_cast<long>(index));
    store.act();
    copies_done_.insert(store.id);
    changed();
  }
}

}  // namespace model
