// Barriers of blocks and clusters, and mbarriers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grid.h"

#include <algorithm>

namespace model {

void grid::bar(const instruction& at, thread& who) {
  const bool reduces = opcode(at.opcode) == opcode::bar_red;
  const size_t first = reduces ? 1 : 0;
  const uint32_t id = read_word(who, at.operands[first]);
  const size_t rest = at.operands.size() - first - (reduces ? 2 : 1);
  const uint32_t count = rest > 0 ? read_word(who, at.operands[first + 1]) : 0;
  if (id > 15) throw fault("a barrier's id must be 0 to 15");
  hardware_barrier& barrier = who.home->barriers[id];
  if (count % 32 != 0) throw fault("a barrier's count must be a multiple of 32");
  if (barrier.arrived == 0) {
    barrier.expected = count;
  } else if (barrier.expected != count) {
    const auto text = [&](uint32_t threads) {
      return threads == 0 ? "all threads of the block, as __syncthreads() does" : std::to_string(threads) + " threads";
    };
    throw fault("threads name different counts for barrier " + std::to_string(id) + ": " + text(barrier.expected) +
                ", and " + text(count) + "; each group needs an id of its own, and 0 is that of __syncthreads()");
  }
  if (with_.finds_races) check_warp_at_barrier(at, who);
  barrier.at[who.warp] = &at;
  ++barrier.arrived;
  barrier.arrived_lanes[who.warp] |= 1u << who.lane;
  changed();
  brought_to_barrier& brought = count == 0 ? barrier.brought : barrier.of_a_part[who.warp];
  if (with_.finds_races) {
    brought.published.join(who.seen);
    tick(who);
  }
  if (reduces) {
    const bool value = (read(who, at.operands.back(), {kind::predicate, 1}) != 0);
    brought.population += value;
    brought.all = brought.all && value;
    brought.any = brought.any || value;
  }
  if (opcode(at.opcode) != opcode::bar_arrive) {
    who.is = state::at_barrier;
    barrier.waiting.push_back(&who);
  }
  complete_if_full(*who.home, id);
}

void grid::complete_if_full(block& home, uint32_t id) {
  hardware_barrier& barrier = home.barriers[id];
  if (barrier.arrived == 0) return;
  if (barrier.expected == 0 && barrier.arrived < home.alive) return;
  if (barrier.expected != 0) {  // a warp counts as 32 threads, once those of it that have not ended are there
    uint32_t alive[32] = {}, count = 0;
    for (const auto& each : home.threads)
      if (each->is != state::ended) alive[each->warp] |= 1u << each->lane;
    for (uint32_t warp = 0; warp < 32; ++warp) {
      const uint32_t there = barrier.arrived_lanes[warp];
      if (there == 0 || (alive[warp] & ~there) != 0) continue;
      count += 32;
      const auto part = barrier.of_a_part.find(warp);
      if (part == barrier.of_a_part.end()) continue;
      barrier.brought.join(part->second);
      barrier.of_a_part.erase(part);
    }
    if (count < barrier.expected) return;
  }
  const auto waits_for_the_next = [&](const thread* each) { return barrier.of_a_part.count(each->warp) != 0; };
  for (thread* each : barrier.waiting) {
    if (each->is == state::ended || waits_for_the_next(each)) continue;
    each->is = state::ready;
    each->group->idle_until = 0;
    frame& top = each->frames.back();
    const instruction& at = top.of->code[top.at];
    if (opcode(at.opcode) == opcode::bar_red) {
      const bits value = at.has("popc"_w)  ? bits{barrier.brought.population}
                         : at.has("and"_w) ? bits{barrier.brought.all}
                                           : bits{barrier.brought.any};
      write(*each, at.operands[0], value, {kind::bits, 4});
    }
    if (with_.finds_races) each->seen.join_wider(barrier.brought.published);
    ++top.at;
  }
  const auto goes_on = [&](const thread* each) { return !waits_for_the_next(each); };
  barrier.waiting.erase(std::remove_if(barrier.waiting.begin(), barrier.waiting.end(), goes_on), barrier.waiting.end());
  barrier.arrived = 0;
  for (uint32_t warp = 0; warp < 32; ++warp) {
    if (barrier.of_a_part.count(warp) == 0) barrier.arrived_lanes[warp] = 0;
    barrier.arrived += static_cast<uint32_t>(__builtin_popcount(barrier.arrived_lanes[warp]));
  }
  barrier.brought = {};
  changed();
}

void grid::cluster_arrive(const instruction& at, thread& who) {
  cluster_meeting& meeting = meetings_[who.home->cluster_serial];
  if (who.cluster_phase) throw fault("a second barrier.cluster.arrive without a wait");
  who.cluster_phase = meeting.phase;
  if (with_.finds_races) {
    if (!at.has("relaxed"_w)) {
      meeting.published.join(who.seen);
    } else {
      meeting.published.change().initialized.join(who.seen.special().initialized);
      for (const scope reach : {scope::cluster, scope::gpu, scope::sys})
        if (const auto& release = who.fence_releases[static_cast<int>(reach)]) meeting.published.join(release->seen);
    }
    tick(who);
  }
  ++meeting.arrived;
  changed();
  complete_cluster(meeting);
}

void grid::complete_cluster(cluster_meeting& meeting) {
  if (meeting.arrived == 0 || meeting.arrived < meeting.alive) return;
  meeting.arrived = 0;
  ++meeting.phase;
  meeting.completed = meeting.published;
  meeting.published = view();
  changed();
}

bool grid::cluster_wait(const instruction&, thread& who) {
  if (!who.cluster_phase) throw fault("a barrier.cluster.wait without an arrive");
  cluster_meeting& meeting = meetings_[who.home->cluster_serial];
  if (meeting.phase == *who.cluster_phase) return false;
  if (with_.finds_races) who.seen.join(meeting.completed);
  acquire_globally(who, scope::cluster);
  who.cluster_phase.reset();
  return true;
}

block* grid::owner_of(uint64_t key) {
  const uint32_t serial = static_cast<uint32_t>((key - shared_window) >> rank_shift);
  if (last_owner_ != nullptr && last_owner_->serial == serial) return last_owner_;
  for (const auto& each : blocks_)
    if (each->serial == serial) return last_owner_ = each.get();
  return nullptr;
}

void grid::settle(mbarrier_word& word, uint64_t key, block* home) {
  if (word.pending != 0 || word.bytes != 0) return;
  word.pending = word.expected;
  word.parity = !word.parity;
  mbarrier_messages& messages = mbarriers_[key];
  messages.completed = std::move(messages.gathered);
  messages.gathered.clear();
  messages.expected_bytes = messages.expects_bytes;
  messages.expects_bytes = false;
  messages.completed_at = order_.sequence();
  if (home != nullptr)
    for (const auto& each : home->threads)
      if (each->is == state::sleeping && each->has_slept) {
        each->is = state::ready;
        each->group->idle_until = 0;
      }
  changed();
}

void grid::change_mbarrier(const location& at, uint32_t arrivals, uint32_t drops, int64_t bytes, const message* from) {
  uint64_t raw;
  std::memcpy(&raw, at.bytes, 8);
  mbarrier_word word = mbarrier_word::from(raw);
  word.bytes += static_cast<int32_t>(bytes);
  if (bytes > 0) mbarriers_[at.key].expects_bytes = true;
  if (word.bytes > 0xfffff || word.bytes < -0xfffff) throw fault("mbarrier: more than 2^20 - 1 bytes outstanding");
  if (arrivals > word.pending) throw fault("mbarrier: more arrivals than its phase expects");
  word.pending -= arrivals;
  word.expected -= drops;
  if (from != nullptr && with_.finds_races) order_keeper::add(mbarriers_[at.key].gathered, *from);
  settle(word, at.key, owner_of(at.key));
  raw = word.raw();
  std::memcpy(at.bytes, &raw, 8);
  changed();
}

// Lanes that arrive together count as one arrival of as many.
void grid::check_overflow(const instruction& at, const lanes& group) {
  std::map<uint64_t, std::pair<uint32_t, location>> together;
  for (thread* each : group) {
    const bool has_result = at.operands[0].is != operand::form::memory;
    const operand& memory = at.operands[has_result ? 1 : 0];
    const location place = locate(*each, effective(*each, memory), at.where, 8, at);
    const size_t count_at = has_result ? 2 : 1;
    const bool names_count = at.operands.size() > count_at && !at.has("expect_tx"_w);
    const uint32_t count = names_count ? read_word(*each, at.operands[count_at]) : 1;
    auto& sum = together[place.key];
    sum.first += count;
    sum.second = place;
  }
  for (const auto& each : together) {
    uint64_t raw;
    std::memcpy(&raw, each.second.second.bytes, 8);
    const mbarrier_word word = mbarrier_word::from(raw);
    if (each.second.first <= word.pending) continue;
    participant bar;
    name_memory(bar, each.first);
    const std::string bytes = word.bytes > 0 ? ", and it waits for " + std::to_string(word.bytes) + " bytes" : "";
    throw fault("mbarrier: more arrivals than its phase expects: " + std::to_string(each.second.first) + " of " +
                    std::to_string(word.pending) + " at " + object_of(bar) + bytes + ", in " + where_is(at),
                "too-many-arrivals");
  }
}

void grid::mbarrier(const instruction& at, thread& who) {
  const opcode what = opcode(at.opcode);
  if (what == opcode::mbarrier_pending_count) {
    const uint64_t raw = static_cast<uint64_t>(read(who, at.operands[1], {kind::bits, 8}));
    return write(who, at.operands[0], mbarrier_word::from(raw).pending, {kind::bits, 4});
  }
  const bool has_result = at.operands[0].is != operand::form::memory;
  const operand& memory = at.operands[has_result ? 1 : 0];
  const location place = locate(who, effective(who, memory), at.where, 8, at);
  if (place.is_global || place.is_private) throw fault("an mbarrier must lie in shared memory");
  const size_t next = has_result ? 2 : 1;
  const auto number = [&](size_t index) { return read_word(who, at.operands[index]); };
  if (what == opcode::mbarrier_init) {
    const uint32_t count = number(next);
    if (count == 0 || count > 0xfffff) throw fault("mbarrier.init: the count must be 1 to 2^20 - 1");
    note(who, place, 8, true, at, order::weak, scope::cta, true);
    const uint64_t raw = mbarrier_word{count, count, 0, false}.raw();
    std::memcpy(place.bytes, &raw, 8);
    mbarriers_[place.key] = {};
    mbarriers_[place.key].is_initialized = true;
    changed();
    return;
  }
  if (what == opcode::mbarrier_inval) {
    note(who, place, 8, true, at, order::weak, scope::cta, true);
    mbarriers_.erase(place.key);
    return;
  }
  const scope reach = at.has_scope ? at.reach : scope::cta;
  note(who, place, 8, true, at, order::relaxed, scope::sys);
  if (what == opcode::mbarrier_expect_tx) return change_mbarrier(place, 0, 0, number(next), nullptr);
  if (what == opcode::mbarrier_complete_tx) return change_mbarrier(place, 0, 0, -int64_t{number(next)}, nullptr);
  uint64_t before;
  std::memcpy(&before, place.bytes, 8);
  message published = message_of(who, reach);
  const bool is_release = at.ordering != order::relaxed;
  if (!is_release) {
    published.seen = view();
    published.seen.all = who.seen.special().published;
    if (!published.seen.all.is_empty()) published.seen.change().published = published.seen.all;
  }
  const bool has_bytes = at.has("expect_tx"_w);
  const uint32_t count = !has_bytes && at.operands.size() > next ? number(next) : 1;
  const mbarrier_word now = mbarrier_word::from(before);
  if (at.has("noComplete"_w) && now.pending == count && now.bytes == 0)
    throw fault("mbarrier: an arrival completes the phase, which .noComplete forbids, in " + where_is(at));
  // An arrival of nobody returns the state, and releases nothing. On an H200, it completes a phase that expects nobody.
  if (count != 0 || has_bytes || (now.pending == 0 && now.bytes == 0))
    change_mbarrier(place, count, what == opcode::mbarrier_arrive_drop ? count : 0, has_bytes ? number(next) : 0,
                    &published);
  if (with_.finds_races) tick(who);
  if (has_result) write(who, at.operands[0], mbarrier_word::state(before), {kind::bits, 8});
}

// False when the thread shall look again later.
bool grid::test_mbarrier(const instruction& at, thread& who) {
  const location place = locate(who, effective(who, at.operands[1]), at.where, 8, at);
  if (place.is_global || place.is_private) throw fault("an mbarrier must lie in shared memory");
  note(who, place, 8, false, at, order::relaxed, scope::sys);
  uint64_t raw;
  std::memcpy(&raw, place.bytes, 8);
  const bool now = (raw >> 63) != 0;
  const bool is_parity = at.has("parity"_w);
  const bool wanted = is_parity ? (read(who, at.operands[2], {kind::bits, 4}) & 1) != 0
                                : static_cast<uint64_t>(read(who, at.operands[2], {kind::bits, 8})) >> 63 != 0;
  // A GPU takes eight bytes of zeros for a phase that is complete, unless all threads of a barrier have dropped out.
  const bool is_complete = now != wanted || (raw == 0 && !is_initialized(place.key));
  who.awaited = is_complete ? 0 : place.key;
  who.awaited_word = raw;
  if (!is_complete && opcode(at.opcode) == opcode::mbarrier_try_wait && !who.has_slept) {
    who.has_slept = true;
    who.is = state::sleeping;
    const uint64_t limit = at.operands.size() > 3 ? read_word(who, at.operands[3]) : uint64_t{20000};
    const bool gives_up = random(impatience_) == 0;  // which hardware may do at any time
    who.wakes_at = now_ + (gives_up ? 0 : random(limit + 1) * nanosecond);
    return false;
  }
  who.has_slept = false;
  const scope reach = at.has_scope ? at.reach : scope::cta;
  if (is_complete && with_.finds_races) {
    mbarrier_messages& messages = mbarriers_[place.key];
    messages.awaited = messages.completed_at;
    for (const message_pointer& each : messages.completed) {
      if (at.ordering != order::relaxed && acquire(who, *each, reach)) continue;
      if (at.ordering != order::relaxed) who.seen.change().met.join(each->seen.all);
      who.home->awaited.join(each->seen.all);
    }
  }
  if (is_complete && at.ordering != order::relaxed) acquire_globally(who, reach);
  write(who, at.operands[0], is_complete, {kind::predicate, 1});
  return true;
}

}  // namespace model
