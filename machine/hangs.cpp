// Threads that wait in a loop: when all do, nothing ever happens again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A thread that comes back to a branch with the registers that it had there, while no memory has changed, does the same again
// until something changes. What counts are the registers on which the loop depends, as long as the thread stays in the loop:
// a counter of attempts is none of them, unless it is compared with a limit that it has not passed. Otherwise all registers
// count. Threads that read the time get a minute of the machine's time, in which time limits of the program pass, and read it
// several times: one that sees a leap of the clock may begin anew, or count only a part of it.
#include "grid.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace model {
namespace {

constexpr uint64_t most_idle_nanoseconds = 60'000'000'000, least_times_asked = 32;

template <class Use>
void for_registers(const operand& of, const Use& use) {
  if (of.is == operand::form::reg || (of.is == operand::form::memory && of.has_base)) use(of.reg);
  for (const operand& part : of.parts)
    for_registers(part, use);
}

// Whether all that it does is to compute its first operand.
bool is_pure(const instruction& at) {
  const opcode what = opcode(at.opcode);
  return what != opcode::unknown && what <= opcode::setp && at.unknown_word.empty();
}

using edges = std::vector<std::vector<size_t>>;  // of each place

// For each place, the last one before it through which all ways from the beginning lead: its immediate dominator.
std::vector<size_t> dominators_of(const edges& before, const edges& after) {
  constexpr size_t none = ~size_t{0};
  std::vector<size_t> ended, rank(after.size(), none);
  std::vector<std::pair<size_t, size_t>> way{{0, 0}};
  std::vector<bool> seen(after.size());
  seen[0] = true;
  while (!way.empty()) {
    auto& [at, next] = way.back();
    if (next == after[at].size()) {
      rank[at] = ended.size();
      ended.push_back(at);
      way.pop_back();
    } else if (const size_t to = after[at][next++]; !seen[to]) {
      seen[to] = true;
      way.emplace_back(to, 0);
    }
  }
  std::vector<size_t> last(after.size(), none);
  last[0] = 0;
  for (bool changes = true; changes;) {
    changes = false;
    for (size_t index = ended.size() - 1; index-- > 0;) {
      size_t common = none;
      for (size_t other : before[ended[index]]) {
        if (last[other] == none) continue;
        if (common == none) common = other;
        while (common != other) {
          while (rank[common] < rank[other])
            common = last[common];
          while (rank[other] < rank[common])
            other = last[other];
        }
      }
      changes = changes || last[ended[index]] != common;
      last[ended[index]] = common;
    }
  }
  return last;
}

// The places before this one, back to a place where the walk ends.
std::vector<bool> all_before(const edges& before, std::vector<size_t> left, size_t end) {
  std::vector<bool> in(before.size());
  in[end] = true;
  for (const size_t each : left)
    in[each] = true;
  while (!left.empty()) {
    const size_t at = left.back();
    left.pop_back();
    if (at == end) continue;
    for (const size_t each : before[at])
      if (!in[each]) {
        in[each] = true;
        left.push_back(each);
      }
  }
  return in;
}

control_flow flow_of(const function& of) {
  // A label may be at the end, behind a call that does not return.
  edges before(of.code.size() + 1), after(of.code.size() + 1);
  const auto add = [&](size_t from, size_t to) {
    before[to].push_back(from);
    after[from].push_back(to);
  };
  for (size_t at = 0; at < of.code.size(); ++at) {
    const instruction& each = of.code[at];
    const opcode what = opcode(each.opcode);
    const bool is_jump = what == opcode::bra || what == opcode::brx;
    if (what == opcode::bra) add(at, static_cast<size_t>(each.operands[0].value));
    if (what == opcode::brx)
      for (const operand& part : each.operands[1].parts)
        add(at, static_cast<size_t>(part.value));
    const bool ends = is_jump || what == opcode::ret || what == opcode::exit || what == opcode::trap;
    if ((!ends || each.guard >= 0) && at + 1 < of.code.size()) add(at, at + 1);
  }
  std::vector<size_t> dominators = dominators_of(before, after);
  return {std::move(before), std::move(dominators)};
}

// The instructions of the innermost natural loop with this branch and its target, which need not be where the loop begins.
std::vector<bool> loop_of(const function& of, size_t branch, size_t target) {
  if (of.flow.before.empty()) of.flow = flow_of(of);
  const edges& before = of.flow.before;
  const std::vector<size_t>& last = of.flow.dominators;
  const auto leads_through = [&](size_t place, size_t first) {
    while (place != first && place != 0)
      place = last[place];
    return place == first;
  };
  for (size_t first = branch;; first = last[first]) {
    std::vector<size_t> ends;
    for (const size_t each : before[first])
      if (last[each] < before.size() && leads_through(each, first)) ends.push_back(each);
    if (!ends.empty()) {
      std::vector<bool> in = all_before(before, ends, first);
      if (in[branch] && in[target]) return in;
    }
    if (first == 0) return all_before(before, {branch}, target);
  }
}

bool names(const operand& of, uint32_t reg) {
  bool found = false;
  for_registers(of, [&](uint32_t each) { found = found || each == reg; });
  return found;
}

// The limits of a counter: none if the loop does anything else with it than to add a number and to compare it with numbers.
std::vector<loop_state::limit> limits_of(const function& of, const std::vector<bool>& in, uint32_t reg) {
  std::vector<loop_state::limit> found;
  bool rises = false, falls = false;
  for (size_t at = 0; at < of.code.size(); ++at) {
    const instruction& each = of.code[at];
    const auto has_it = [&](const operand& part) { return names(part, reg); };
    if (!in[at] || std::none_of(each.operands.begin(), each.operands.end(), has_it)) continue;
    const bool has_number = each.operands.size() == 3 && each.operands[1].is == operand::form::reg &&
                            each.operands[1].reg == reg && each.operands[2].is == operand::form::immediate;
    const bool is_setp = opcode(each.opcode) == opcode::setp, is_add = opcode(each.opcode) == opcode::add;
    if (!has_number || (!is_setp && !is_add) || is_float(each.first)) return {};
    if (is_setp) found.push_back({reg, false, &each});
    if (!is_add) continue;
    if (!has_it(each.operands[0])) return {};
    (each.operands[2].value > 0 ? rises : falls) = true;
  }
  if (rises == falls) return {};
  for (loop_state::limit& each : found)
    each.rises = rises;
  return found;
}

// Whether the comparison has the result that it keeps.
bool is_passed(const loop_state::limit& of, uint64_t value) {
  const instruction& at = *of.compared;
  const bool is_signed = at.first.what == kind::signed_integer;
  const uint32_t unused = 64 - 8u * at.first.bytes;
  const auto limit = static_cast<uint64_t>(at.operands[2].value);
  const auto is_less = [&](uint64_t one, uint64_t other) {
    one <<= unused, other <<= unused;
    return is_signed ? static_cast<int64_t>(one) < static_cast<int64_t>(other) : one < other;
  };
  switch (comparison(at.compare)) {
  case comparison::lt:
  case comparison::lo:
  case comparison::ge:
  case comparison::hs:
    return is_less(value, limit) != of.rises;
  case comparison::gt:
  case comparison::hi:
  case comparison::le:
  case comparison::ls:
    return is_less(limit, value) == of.rises;
  default:
    return false;
  }
}

// The registers on which it depends where the loop goes and what it does to memory.
loop_state state_of(const function& of, size_t branch, size_t target) {
  const std::vector<bool> in = loop_of(of, branch, target);
  std::vector<bool> counts(of.registers + 2);
  bool grows = true;
  const auto add = [&](uint32_t reg) {
    grows = grows || !counts[reg];
    counts[reg] = true;
  };
  while (grows) {
    grows = false;
    for (size_t at = 0; at < of.code.size(); ++at) {
      if (!in[at]) continue;
      const instruction& each = of.code[at];
      bool is_needed = !is_pure(each);
      if (!is_needed) for_registers(each.operands[0], [&](uint32_t reg) { is_needed = is_needed || counts[reg]; });
      if (!is_needed) continue;
      if (each.guard >= 0) add(static_cast<uint32_t>(each.guard));
      const bool has_result = is_pure(each) || opcode(each.opcode) == opcode::ld;
      for (size_t index = has_result ? 1 : 0; index < each.operands.size(); ++index)
        for_registers(each.operands[index], add);
    }
  }
  loop_state found;
  for (uint32_t reg = 0; reg < of.registers; ++reg) {
    if (!counts[reg]) continue;
    const std::vector<loop_state::limit> limits = limits_of(of, in, reg);
    if (limits.empty()) found.registers.push_back(reg);
    found.limits.insert(found.limits.end(), limits.begin(), limits.end());
  }
  return found;
}

uint64_t mixed(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 29;
}

// With the calls that it is in: another call of the same function is not the same loop.
uint64_t mixed_calls(const thread& who, uint64_t hash) {
  for (const frame& each : who.frames)
    hash = mixed(hash, each.at);
  return hash;
}

uint64_t hash_of_local(const thread& who) {
  uint64_t hash = who.carry;
  for (size_t at = 0; at + 8 <= who.local.size(); at += 8) {
    uint64_t word;
    std::memcpy(&word, who.local.data() + at, 8);
    hash = mixed(hash, word);
  }
  return hash;
}

}  // namespace

// Before a branch backward.
void grid::note_return(thread& who, const instruction& at) {
  if (has_time_limit(who) || who.waits_since == changes_) return;
  const frame& top = who.frames.back();
  waiting_loop& loop = who.loop;
  if (loop.since != changes_) {
    loop = {};
    loop.since = changes_;
  }
  auto found = top.of->loops.find(top.at);
  if (found == top.of->loops.end())
    found = top.of->loops.emplace(top.at, state_of(*top.of, top.at, static_cast<size_t>(at.operands[0].value))).first;
  const loop_state& of_loop = found->second;
  uint64_t hash = mixed_calls(who, hash_of_local(who));
  for (const uint32_t each : of_loop.registers)
    hash = mixed(hash, top.registers[each]);
  for (const loop_state::limit& each : of_loop.limits)
    if (!is_passed(each, top.registers[each.reg])) hash = mixed(hash, top.registers[each.reg]);
  if (loop.branch == &at && loop.window == window_ && loop.depth == who.frames.size() && loop.state == hash)
    who.waits_since = changes_;
  loop.branch = &at;
  loop.window = window_;
  loop.depth = who.frames.size();
  loop.state = hash;
  if (window_ < 2) return;
  // Of all registers: compared with one state from time to time, since a cycle may be of several loops.
  const uint64_t here = mixed(hash, top.at);
  const bool is_anchor = loop.count++ == loop.next;
  if (!is_anchor && here != loop.anchor_here) return;
  for (const frame& each : who.frames) {
    hash = mixed(hash, each.at);
    for (const uint64_t value : each.registers)
      hash = mixed(hash, value);
  }
  if (loop.count > 1 && loop.anchor == hash) who.waits_since = changes_;
  if (is_anchor) {
    loop.anchor_here = here;
    loop.anchor = hash;
    loop.next = 2 * loop.next + 1;
  }
}

// Windows of steps, ever longer: in every third one, threads are watched. Not in the first, for which loops that compute last.
bool grid::is_watching() {
  const uint64_t turns = idle_steps_ / (64 * (warps_.size() + 1));
  if (turns == 0) return false;
  window_ = static_cast<uint64_t>(63 - __builtin_clzll(turns));
  return window_ % 3 == 1;
}

// Whether a thread may only wait for the time to pass, even if it is back in the same state. It asks again and again:
// one that has asked long ago computes.
bool grid::has_time_limit(const thread& who) const {
  return who.asked_time_since == changes_ && result_.steps - who.asked_time_at < 32768 * (warps_.size() + 1);
}

// Whether a thread goes on only if others change something, or, unless it is late, at some time.
bool grid::waits(const thread& who, bool is_late) const {
  return who.is == state::ended || who.is == state::in_warp || who.is == state::at_barrier ||
         (has_time_limit(who) ? is_late : who.waits_since == changes_);
}

bool grid::do_all_wait() const {
  return std::all_of(warps_.begin(), warps_.end(), [this](const auto& warp) {
    return std::all_of(warp->lanes.begin(), warp->lanes.end(),
                       [this](const thread* each) { return waits(*each, true); });
  });
}

bool grid::is_hung() {
  if (warps_.empty() || idle_steps_ == 0 || idle_steps_ % (4 * (warps_.size() + 1)) != 0) return false;
  if (!copies_.empty() || can_start_cluster()) return false;
  const bool is_late = (now_ - idle_since_) / nanosecond > most_idle_nanoseconds;
  for (const auto& warp : warps_) {
    waiting_.clear();
    for (thread* each : warp->lanes) {
      if (each->is == state::in_warp) waiting_.push_back(each);
      if (!waits(*each, is_late && each->times_asked >= least_times_asked)) return false;
    }
    if (find_meeting(waiting_, together_) != nullptr) return false;  // it happens in the next turn of the warp
  }
  if (let_others_run()) return false;
  if (with_.host_milliseconds == 0) return true;
  const auto now = std::chrono::steady_clock::now();
  if (!waits_for_host_) waits_for_host_since_ = now;
  waits_for_host_ = true;
  if (now - waits_for_host_since_ >= std::chrono::milliseconds(with_.host_milliseconds)) return true;
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ++changes_;  // look again
  return false;
}

}  // namespace model
