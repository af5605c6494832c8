// The copy engine, and copies by threads that complete later.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grid.h"

#include <algorithm>

namespace model {

// A copy is after others that stand before it, so that one pass finds all that are due.
bool grid::run_due_copies() {
  bool did = false;
  for (size_t index = 0; index < copies_.size();) {
    pending_copy& each = copies_[index];
    const auto is_done = [&](uint32_t before) { return copies_done_.count(before) != 0; };
    if (!is_due(each) || !std::all_of(each.after.begin(), each.after.end(), is_done)) {
      ++index;
      continue;
    }
    const auto act = std::move(each.act);
    const uint32_t id = each.id;
    copies_.erase(copies_.begin() + static_cast<long>(index));
    act();
    copies_done_.insert(id);
    did = true;
    if (result_.how != outcome::end::finished) break;  // a race that the next of them would hide
  }
  return did;
}

// Where the barrier is, so that its block's waits acquire it. If that has ended, this has been reported, or no races are
// looked for.
void grid::complete_copy(uint32_t id, const location& bar, uint64_t size, const instruction& by) {
  const block* const home = owner_of(bar.key);
  if (home == nullptr && with_.finds_races) return;
  if (home == nullptr) throw fault("a copy completes in a block that has ended, in " + where_is(by), "block-has-ended");
  message done{view(), place{home->serial, home->cluster_serial}, scope::sys};
  done.seen.all.set(id, 1);
  change_mbarrier(bar, 0, 0, -static_cast<int64_t>(size), &done);
}

void grid::copy_async(const instruction& at, thread& who) {
  const uint64_t size = read_word(who, at.operands[2]);
  uint64_t valid = size;
  // The last operand may be a cache policy; before it, a number of bytes, or a predicate that skips the source.
  if (at.operands.size() > (at.has("L2::cache_hint"_w) ? 4u : 3u)) {
    const operand& extra = at.operands[3];
    const uint64_t given = read_word(who, extra);
    valid = extra.is_predicate ? (given != 0 ? 0 : size) : std::min<uint64_t>(size, given);
  }
  const location to = locate(who, effective(who, at.operands[0]), space::shared, size, at);
  const location from = valid != 0 ? locate(who, effective(who, at.operands[1]), space::global, valid, at)
                                   : location{nullptr, 0, true, false};
  const uint32_t id = new_copy(who);
  // In the generic proxy: what is ordered before the thread's instruction is before the copy.
  const view before = who.seen;
  const instruction* by = &at;
  thread* issuer = &who;
  who.open_copies.push_back(id);
  if (with_.is_strict) keep_copy(id, who, to, size, true, at);
  copies_.push_back({now_ + random(3000) * nanosecond, id, {}, [=]() {
                       if (valid != 0) note_copy(id, *issuer, before, from, valid, false, *by, true);
                       note_copy(id, *issuer, before, to, size, true, *by, true);
                       if (valid != 0) std::memcpy(to.bytes, from.bytes, valid);
                       std::memset(to.bytes + valid, 0, size - valid);
                     }});
}

const block::copy* grid::find_copy_under_way(uint64_t key) const {
  for (const auto& home : blocks_)
    for (const block::copy& each : home->copies) {
      const auto is_it = [&](const pending_copy& other) { return other.id == each.id; };
      if (each.writes && key - each.key < each.bytes && std::any_of(copies_.begin(), copies_.end(), is_it))
        return &each;
    }
  return nullptr;
}

void grid::copy_bulk(const instruction& at, thread& who, bool reduces) {
  const bool to_global = at.where == space::global;
  const bool multicast = at.has("multicast::cluster"_w);
  const uint64_t size = read_word(who, at.operands[2]);
  const uint64_t to_address = effective(who, at.operands[0]), from_address = effective(who, at.operands[1]);
  if (size % 16 != 0 || to_address % 16 != 0 || from_address % 16 != 0)
    throw fault("a bulk copy needs addresses and sizes that are multiples of 16 bytes, in " + where_is(at));
  const view before = who.seen;
  const instruction* by = &at;
  thread* issuer = &who;
  const type each = at.first;
  const operation what = operation(at.operation);
  if (to_global) {
    const location to = locate(who, to_address, space::global, size, at),
                   from = locate(who, from_address, space::shared, size, at);
    // It has read its source before it has written its destination: two steps, for which a thread can wait.
    const uint32_t id = new_copy(who), written = new_copy(who);
    who.open_bulk.push_back(id);
    who.open_bulk.push_back(written);
    keep_copy(id, who, from, size, false, at);
    const auto read = std::make_shared<std::vector<uint8_t>>(size);
    copies_.push_back({now_ + random(3000) * nanosecond, id, {}, [=]() {
                         note_copy(id, *issuer, before, from, size, false, *by);
                         std::memcpy(read->data(), from.bytes, size);
                       }});
    copies_.push_back({now_ + random(9000) * nanosecond, written, {id}, [=]() {
                         const bool is_atomic = reduces;  // each addition
                         access made{written, 1, place_of(*issuer), 0, true, is_atomic, true, false, scope::gpu, by};
                         note_other_write(to.key, size);
                         if (with_.finds_races) record(made, to.key, size, before, fenced_clocks::global);
                         if (reduces)
                           combine_all(what, each, to.bytes, read->data(), size);
                         else
                           std::memcpy(to.bytes, read->data(), size);
                         cache_of(*issuer).drop(to.key, size);
                       }});
    return;
  }
  const bool from_global = at.where_second == space::global;
  const uint64_t bar_address = effective(who, at.operands[3]);
  uint32_t mask = 0;
  if (multicast) mask = static_cast<uint32_t>(read(who, at.operands[4], {kind::bits, 2}));
  const location from = locate(who, from_address, from_global ? space::global : space::shared, size, at);
  for (uint32_t rank = 0; rank < who.home->cluster.size(); ++rank) {
    if (multicast && (mask >> rank & 1) == 0) continue;
    if (!multicast && rank != 0) break;
    const uint32_t id = new_copy(who);  // for each block: it may come when that of another has been awaited
    const auto address = [&](uint64_t given) { return multicast ? address_in(rank, given) : given; };
    const location to = locate(who, address(to_address), space::shared_cluster, size, at),
                   bar = locate(who, address(bar_address), space::shared_cluster, 8, at);
    check_known(id, who, before, bar, at);
    keep_copy(id, who, from, size, false, at);
    keep_copy(id, who, to, size, true, at);
    copies_.push_back({now_ + random(5000) * nanosecond, id, {}, [=]() {
                         note_copy(id, *issuer, before, from, size, false, *by);
                         note_copy(id, *issuer, before, to, size, true, *by);
                         check_known(id, *issuer, before, bar, *by);
                         if (reduces)
                           combine_all(what, each, to.bytes, from.bytes, size);
                         else
                           std::memcpy(to.bytes, from.bytes, size);
                         complete_copy(id, bar, size, *by);
                       }});
  }
}

// st.async and red.async: as if by another thread, later, which then completes the bytes on the barrier. In the generic
// proxy: what is ordered before the thread's instruction is before the operation.
void grid::store_async(const instruction& at, thread& who, bool reduces) {
  const type each = at.first;
  const uint64_t size = uint64_t{each.bytes} * at.vector;
  const location to = locate(who, effective(who, at.operands[0]), space::shared_cluster, size, at);
  const location bar = locate(who, effective(who, at.operands[2]), space::shared_cluster, 8, at);
  if (owner_of(to.key) != owner_of(bar.key))
    throw fault("the destination and the barrier must be in the same block, in " + where_is(at));
  const uint32_t id = new_copy(who);
  const view before = who.seen;
  const instruction* by = &at;
  const place from = place_of(who);
  const thread* const issuer = &who;
  check_known(id, who, before, bar, at, scope::cluster);
  keep_copy(id, who, to, size, true, at);
  std::vector<uint8_t> values(size);
  for (uint32_t part = 0; part < at.vector; ++part) {
    const bits value = read(who, at.operands[1].part(part), each);
    std::memcpy(values.data() + part * each.bytes, &value, each.bytes);
  }
  const operation what = operation(at.operation);
  copies_.push_back({now_ + random(3000) * nanosecond, id, {}, [=]() {
                       const access made{id, 1, from, 0, true, reduces, true, false, scope::cluster, by, true};
                       note_other_write(to.key, size);
                       if (with_.finds_races) record(made, to.key, size, before, memory_of(to));
                       check_known(id, *issuer, before, bar, *by, scope::cluster);
                       if (reduces)
                         combine_all(what, each, to.bytes, values.data(), size);
                       else
                         std::memcpy(to.bytes, values.data(), size);
                       complete_copy(id, bar, size, *by);
                     }});
}

// Sleeps until all but the newest groups are done, and then knows of them. only_reads: of a store, until its source has
// been read.
void grid::wait_for_copies(thread& who, std::vector<std::vector<uint32_t>>& groups, uint64_t left, bool only_reads) {
  const size_t until = groups.size() > left ? groups.size() - left : 0;
  const size_t step = only_reads ? 2 : 1;
  for (size_t group = 0; group < until; ++group)
    for (size_t index = 0; index < groups[group].size(); index += step)
      if (copies_done_.count(groups[group][index]) == 0 ||
          (&groups == &who.multiply_groups && !know_warpgroup(who, groups[group][index]))) {
        who.is = state::sleeping;
        who.wakes_at = now_ + 10 * nanosecond;
        who.waits_since = changes_;
        return;
      }
  for (size_t group = 0; group < until; ++group)
    for (size_t index = 0; index < groups[group].size(); index += step)
      who.seen.all.set(groups[group][index], 1);
  if (&groups == &who.multiply_groups) {
    who.seen.change().published.join(who.group->known_by_multiplies);
    auto& all = who.frames.back().without_value;
    for (auto each = all.begin(); each != all.end();)
      each = has_come(who, *each->second) ? all.erase(each) : std::next(each);
  }
  if (!only_reads) groups.erase(groups.begin(), groups.begin() + static_cast<long>(until));
  ++who.frames.back().at;
}

}  // namespace model
