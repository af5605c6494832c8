// Which lanes go next, and how time passes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grid.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace model {

// One with the fewest blocks. Numbers of successive blocks are far apart: docs/design/decisions/checked_build.md, "Records
// that two blocks use".
uint32_t grid::choose_multiprocessor() {
  const uint32_t all = with_.multiprocessors, period = all / std::gcd(all, 8u);
  blocks_on_.resize(all);
  uint32_t best = 0;
  for (uint32_t step = 0; step < all; ++step) {
    const uint32_t place = (next_serial_ + step) % all, number = (place * 8 + place / period) % all;
    if (step == 0 || blocks_on_[number] < blocks_on_[best]) best = number;
  }
  ++blocks_on_[best];
  return best;
}

std::unique_ptr<block> grid::make_block(extent index) {
  std::unique_ptr<block> made(new block);
  made->serial = next_serial_++;
  made->multiprocessor = choose_multiprocessor();
  made->index = index;
  made->shared.resize(shared_bytes_);
  made->written.resize(shared_bytes_);
  for (uint8_t& byte : made->shared)  // comes as earlier blocks left it
    byte = static_cast<uint8_t>(random(256));
  const uint32_t count = static_cast<uint32_t>(how_.block.count());
  made->alive = count;
  made->first_id = static_cast<uint32_t>(times_.size());
  times_.resize(times_.size() + count, 1);
  make_threads(*made);
  for (const auto& one : made->threads) {
    one->is = state::ready;
    one->seen.all.set(one->id, 1);
    if (!spare_frames_.empty()) {
      one->frames = std::move(spare_frames_.back());
      spare_frames_.pop_back();
    }
    one->frames.resize(1);
    frame& first = one->frames[0];
    first.of = &kernel_;
    first.at = first.local_start = 0;
    first.without_value.clear();
    first.registers.assign(kernel_.registers, 0);
    first.parameters.assign(kernel_.frame_parameter_bytes + 16, 0);
    std::copy(how_.parameters.begin(),
              how_.parameters.begin() + static_cast<long>(std::min(how_.parameters.size(), first.parameters.size())),
              first.parameters.begin());
    one->local_used = round_up(kernel_.local_bytes, 16);
  }
  return made;
}

// That do not run.
void grid::make_threads(block& home) const {
  for (uint32_t rank = 0; rank < how_.block.count(); ++rank) {
    std::unique_ptr<thread> one =
        spare_threads_.empty() ? std::make_unique<thread>() : std::move(spare_threads_.back());
    if (!spare_threads_.empty()) {
      spare_threads_.pop_back();
      *one = thread();
    }
    one->home = &home;
    one->rank = rank;
    one->lane = rank % 32;
    one->warp = rank / 32;
    one->index = how_.block.index_of(rank);
    one->id = home.first_id + rank;
    one->is = state::ended;
    home.threads.push_back(std::move(one));
  }
}

// A large grid keeps the threads and the shared memory of the blocks that have ended last.
void grid::shrink_ended() {
  const size_t kept = 1 + 8192 / how_.block.count();
  for (; shrunk_ + kept < ended_.size(); ++shrunk_) {
    block& home = *ended_[shrunk_];
    if (home.cluster.size() > 1 || home.lacks_values) continue;
    const bool is_named = std::any_of(copies_.begin(), copies_.end(),
                                      [&](const pending_copy& each) { return each.id <= home.last_operation; });
    if (is_named) return;
    order_.drop(shared_window + (uint64_t{home.serial} << rank_shift), home.shared.size());
    for (auto* const memory : {&home.shared, &home.written})
      std::vector<uint8_t>().swap(*memory);
    std::move(home.threads.begin(), home.threads.end(), std::back_inserter(spare_threads_));
    std::vector<std::unique_ptr<thread>>().swap(home.threads);
    std::vector<hardware_barrier>().swap(home.barriers);
  }
}

extent grid::first_block_of(uint64_t number) const {
  const extent& shape = how_.cluster;
  const extent clusters{how_.grid.x / shape.x, how_.grid.y / shape.y, how_.grid.z / shape.z};
  const extent index = clusters.index_of(number);
  return {index.x * shape.x, index.y * shape.y, index.z * shape.z};
}

void grid::start_cluster() {
  const extent& shape = how_.cluster;
  const uint64_t number = unstarted_.back();
  unstarted_.pop_back();
  const extent base = first_block_of(number);
  std::vector<block*> members;
  cluster_meeting& meeting = meetings_[static_cast<uint32_t>(number)];
  for (uint32_t rank = 0; rank < shape.count(); ++rank) {
    const extent there = shape.index_of(rank);
    blocks_.push_back(make_block({base.x + there.x, base.y + there.y, base.z + there.z}));
    block& made = *blocks_.back();
    made.cluster_serial = static_cast<uint32_t>(number);
    made.cluster_rank = rank;
    members.push_back(&made);
    meeting.alive += made.alive;
    for (size_t first = 0; first < made.threads.size(); first += 32) {
      std::unique_ptr<warp_of_threads> warp(new warp_of_threads);
      int64_t priority = 0;
      for (size_t lane = first; lane < std::min(first + 32, made.threads.size()); ++lane) {
        warp->lanes.push_back(made.threads[lane].get());
        if (lane == first || choices_.are_lanes_alone()) priority = choices_.first_priority(random_, next_warp_++);
        made.threads[lane]->priority = priority;
        made.threads[lane]->group = warp.get();
      }
      warps_.push_back(std::move(warp));
    }
  }
  for (block* each : members)
    each->cluster = members;
}

outcome grid::run() {
  allow(workspace_.data(), workspace_.size(), "the workspace of the grid");
  changes_of_words_.begin(launch_, kernel_.name);
  shared_bytes_ = dynamic_start_ + how_.dynamic_shared_bytes;
  const extent& shape = how_.cluster;
  try {
    if (how_.grid.x % shape.x != 0 || how_.grid.y % shape.y != 0 || how_.grid.z % shape.z != 0)
      throw fault("the grid is no multiple of the cluster");
    plan_launches();
    for (;;) {
      shrink_ended();
      start_clusters();
      if (blocks_.empty() && copies_.empty()) break;
      if (!step()) break;
      if (!kept_.empty() && result_.steps >= kept_.front().until) report_kept();
      if (result_.how != outcome::end::finished) break;
      const bool is_late = ++result_.steps > with_.most_steps;
      if (is_late || is_hung()) {
        end_hung(!is_late);
        break;
      }
      if (result_.steps < next_look_) continue;
      next_look_ *= 2;
      if (is_livelock()) {
        end_hung(false);
        break;
      }
    }
  } catch (const fault& what) {
    result_.how = outcome::end::faulted;
    result_.error = what.what();
    report_end(what.kind, what.rule);
  }
  report_late();
  forbid(workspace_.data());
  if ((with_.makes_footprint || result_.lets_next_begin) && with_.finds_races) result_.accesses = make_footprint();
  result_.early.sort();
  result_.waits_for_kernel_before = dependency_ != 0;
  constexpr size_t most_children = 64;  // that are looked at
  for (size_t index = 0; index < std::min(known_at_launch_.size(), most_children); ++index)
    result_.children[index].beside = make_footprint(&known_at_launch_[index]);
  result_.nanoseconds = (now_ - start_) / nanosecond;
  result_.places = choices_.places();
  return std::move(result_);
}

// Lets a group of lanes of some warp do a few instructions. False when nothing can ever happen again.
bool grid::step() {
  now_ += time_step_;
  const uint64_t period = 512 * (warps_.size() + 1);
  if (++idle_steps_ % period == 0 && time_step_ < 1'000'000 * nanosecond &&
      (idle_steps_ % (4 * period) == 0 || do_all_wait()))
    time_step_ *= 2;
  if (run_due_copies()) changed();
  if (result_.how != outcome::end::finished) return true;
  if (blocks_.empty() && copies_.empty()) return true;  // they were the last
  lanes& group = group_;
  choose_lanes(group);
  if (group.empty()) {
    uint64_t next = ~uint64_t{0};
    for (const auto& warp : warps_)
      next = std::min(next, warp->idle_until);
    for (const pending_copy& each : copies_)
      next = std::min(next, each.due);
    if (next == ~uint64_t{0}) {
      if (is_over_) return false;
      if (can_start_cluster()) return true;  // soon
      if (let_others_run()) return true;
      end_hung(true);
      return false;
    }
    now_ = std::max(now_, next + random(64 * nanosecond));
    return true;
  }
  watches_ = is_watching();
  std::fill(std::begin(allowed_), std::end(allowed_), allowed_region());
  for (uint64_t burst = 1 + random(24); burst > 0; --burst) {
    if (with_.uses_fast_path && !observes_ && (!run_fast(group, burst) || burst == 0)) return true;
    const frame& top = group[0]->frames.back();
    if (top.at >= top.of->code.size()) {  // runs off its end
      for (thread* each : group)
        leave(*each);
      return true;
    }
    const function* const code = top.of;
    const instruction& at = code->code[top.at];
    if (!choices_.are_random() && is_place(at) && change_priority(group)) return true;
    if (watches_ && opcode(at.opcode) == opcode::bra && static_cast<size_t>(at.operands[0].value) <= top.at)
      for (thread* each : group)
        if (at.guard < 0 || (each->frames.back().registers[static_cast<size_t>(at.guard)] != 0) != at.guard_inverted)
          note_return(*each, at);
    if (observes_) observe_instruction(at, group);
    execute(at, group);
    if (result_.how != outcome::end::finished || group.empty()) return true;
    // The group goes on as long as it stays together.
    for (const thread* each : group)
      if (each->is != state::ready || each->frames.empty() || each->frames.back().of != group[0]->frames.back().of ||
          each->frames.back().at != group[0]->frames.back().at)
        return true;
    now_ += time_step_;
    ++result_.steps;
  }
  return true;
}

uint64_t grid::least_places() const {
  uint64_t count = 1;
  for (const function* each : kernel_.reached)
    count += static_cast<uint64_t>(std::count_if(each->code.begin(), each->code.end(), is_place));
  return count * how_.grid.count() * ((how_.block.count() + 31) / 32);
}

// The one at this place behind the first, or that with the highest priority. None if it can do nothing now. Lanes that have met
// others count only where no lane has still to come: otherwise a warp would go first although its lanes that can go on only poll.
warp_of_threads* grid::next_warp(size_t start, size_t offset) {
  if (choices_.are_random() || is_over_) {
    warp_of_threads* const next = warps_[(start + offset) % warps_.size()].get();
    return next->idle_until > now_ ? nullptr : next;
  }
  warp_of_threads* best = nullptr;
  int64_t highest = 0;
  for (const auto& warp : warps_) {
    if (warp->idle_until > now_) continue;
    const thread *ready = nullptr, *meets = nullptr;
    for (const thread* each : warp->lanes) {
      const bool is_ready = each->is == state::ready || (each->is == state::sleeping && each->wakes_at <= now_);
      const thread*& first = is_ready ? ready : meets;
      if ((is_ready || each->is == state::in_warp) && (first == nullptr || each->priority > first->priority))
        first = each;
    }
    const thread* const first = ready != nullptr ? ready : meets;
    if (first == nullptr || (best != nullptr && first->priority <= highest)) continue;
    best = warp.get();
    highest = first->priority;
  }
  return best;
}

// Before the group goes on: whether it gets another priority, or some of its lanes.
bool grid::change_priority(const lanes& group) {
  constexpr uint32_t most_places = 4096;  // then others come, which it may wait for although it changes memory
  int64_t changed = choices_.change(idle_steps_ <= 1);
  if (++group[0]->places % most_places == 0 && changed == 0) changed = choices_.behind_all();
  if (changed == 0) return false;
  const bool are_all = choices_.are_a_search() || random(2) == 0;
  for (thread* each : group)
    if (are_all || each == group[0] || random(2) == 0) each->priority = changed;
  return true;
}

// An instruction of several lanes happens once all that it names are there: one, with its lanes, of those that wait; or nothing.
const instruction* grid::find_meeting(const lanes& waiting, lanes& together) {
  for (thread* each : waiting) {
    const instruction& at = each->next();
    const uint32_t mask = lanes_named(*each);
    together.clear();
    for (thread* other : waiting) {
      const bool is_same = &other->next() == &at;
      const bool both_synchronize =  // also from different places
          opcode(at.opcode) == opcode::bar_warp_sync && opcode(other->next().opcode) == opcode::bar_warp_sync;
      if ((is_same || both_synchronize) && lanes_named(*other) == mask) together.push_back(other);
    }
    if (is_meeting_complete(together)) return &at;
  }
  return nullptr;
}

// None if no warp can do anything now.
void grid::choose_lanes(lanes& group) {
  group.clear();
  if (warps_.empty()) return;
  const size_t start = random(warps_.size());
  for (size_t offset = 0; offset < warps_.size(); ++offset) {
    warp_of_threads* const next = next_warp(start, offset);
    if (next == nullptr) continue;
    warp_of_threads& warp = *next;
    lanes& ready = ready_;
    lanes& waiting = waiting_;
    ready.clear();
    waiting.clear();
    for (thread* each : warp.lanes) {
      if (each->is == state::sleeping && each->wakes_at <= now_) each->is = state::ready;
      if (each->is == state::ready) ready.push_back(each);
      if (each->is == state::in_warp) waiting.push_back(each);
    }
    if (const instruction* const at = find_meeting(waiting, together_)) {
      for (thread* other : together_)
        other->is = state::ready;
      execute(*at, together_);
      return choose_lanes(group);
    }
    if (ready.empty()) {
      warp.idle_until = ~uint64_t{0};
      for (const thread* each : warp.lanes)
        if (each->is == state::sleeping) warp.idle_until = std::min(warp.idle_until, each->wakes_at);
      continue;
    }
    // Lanes at one place go together, mostly; else some of them. The furthest behind come first, mostly, so that lanes meet
    // again.
    thread* leader = ready[random(ready.size())];
    if (random(4) != 0 || !choices_.are_random())
      for (thread* each : ready)
        if (each->priority > leader->priority ||
            (each->priority == leader->priority &&
             (each->frames.size() > leader->frames.size() ||
              (each->frames.size() == leader->frames.size() && each->frames.back().of == leader->frames.back().of &&
               each->frames.back().at < leader->frames.back().at))))
          leader = each;
    const bool is_split = choices_.are_random() && random(16) == 0;
    for (thread* each : ready)
      if (each->frames.size() == leader->frames.size() && each->frames.back().of == leader->frames.back().of &&
          each->frames.back().at == leader->frames.back().at && each->priority == leader->priority &&
          (each == leader || !is_split || random(2) == 0))
        group.push_back(each);
    return;
  }
}

// Whether all lanes that the mask of the group names, and that have not ended, are in it.
bool grid::is_meeting_complete(const lanes& group) {
  return (lanes_named(*group[0]) & lanes_alive(*group[0]->group) & ~lanes_of(group)) == 0;
}

void grid::end_thread(thread& who) {
  if (who.is == state::ended) return;
  who.is = state::ended;
  if (with_.finds_races && (who.home->cluster.size() > 1 || !who.home->copies.empty())) who.home->ended.join(who.seen);
  who.group->idle_until = 0;
  spare_frames_.push_back(std::move(who.frames));
  who.frames.clear();
  changed();
  block& home = *who.home;
  --home.alive;
  for (uint32_t id = 0; id < 16; ++id)
    complete_if_full(home, id);
  cluster_meeting& meeting = meetings_[home.cluster_serial];
  --meeting.alive;
  complete_cluster(meeting);
  if (home.alive != 0) return;
  if (with_.finds_races && !check_copies(home)) check_end(home);
  home.copies = {};
  check_tensor_memory(home);
  if (with_.finds_races) check_register_counts(home);
  last_owner_ = nullptr;
  --blocks_on_[home.multiprocessor];
  warps_.erase(
      std::remove_if(warps_.begin(), warps_.end(), [&](const auto& warp) { return warp->lanes[0]->home == &home; }),
      warps_.end());
  for (size_t index = 0; index < blocks_.size(); ++index)
    if (blocks_[index].get() == &home) {
      ended_.push_back(std::move(blocks_[index]));
      blocks_.erase(blocks_.begin() + static_cast<long>(index));
      break;
    }
}

}  // namespace model
