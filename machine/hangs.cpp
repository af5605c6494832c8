// Threads that wait in a loop: when all do, nothing ever happens again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A thread that comes back to a branch with the registers that it had there, while no memory has changed, does the same again
// until something changes. What counts are the registers on which the loop depends, as long as the thread stays in the loop:
// a counter of attempts is none of them. Otherwise all registers count. Threads that read the time get a minute of the machine's
// time, in which time limits of the program pass.
#include "grid.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace model {
namespace {

constexpr uint64_t most_idle_nanoseconds = 60'000'000'000;

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

// The instructions of the loop that this branch closes.
std::vector<bool> loop_of(const function& of, size_t branch, size_t target) {
  // A label may be at the end, behind a call that does not return.
  std::vector<std::vector<size_t>> before(of.code.size() + 1);
  for (size_t at = 0; at < of.code.size(); ++at) {
    const instruction& each = of.code[at];
    const opcode what = opcode(each.opcode);
    const bool is_jump = what == opcode::bra || what == opcode::brx;
    if (what == opcode::bra) before[static_cast<size_t>(each.operands[0].value)].push_back(at);
    if (what == opcode::brx)
      for (const operand& part : each.operands[1].parts)
        before[static_cast<size_t>(part.value)].push_back(at);
    const bool ends = is_jump || what == opcode::ret || what == opcode::exit || what == opcode::trap;
    if ((!ends || each.guard >= 0) && at + 1 < of.code.size()) before[at + 1].push_back(at);
  }
  std::vector<bool> in(before.size());
  in[target] = in[branch] = true;
  std::vector<size_t> left{branch};
  while (!left.empty()) {
    const size_t at = left.back();
    left.pop_back();
    if (at == target) continue;
    for (const size_t each : before[at])
      if (!in[each]) {
        in[each] = true;
        left.push_back(each);
      }
  }
  return in;
}

// The registers on which it depends where the loop goes and what it does to memory.
std::vector<uint32_t> registers_of(const function& of, size_t branch, size_t target) {
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
  std::vector<uint32_t> found;
  for (uint32_t reg = 0; reg < of.registers; ++reg)
    if (counts[reg]) found.push_back(reg);
  return found;
}

uint64_t mixed(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 29;
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
  if (who.asked_time_since == changes_ || who.waits_since == changes_) return;
  const frame& top = who.frames.back();
  waiting_loop& loop = who.loop;
  if (loop.since != changes_) {
    loop = {};
    loop.since = changes_;
  }
  std::vector<uint32_t>*& of_loop = loops_[&at];
  if (of_loop == nullptr) {
    all_loops_.push_back(registers_of(*top.of, top.at, static_cast<size_t>(at.operands[0].value)));
    of_loop = &all_loops_.back();
  }
  uint64_t hash = hash_of_local(who);
  for (const uint32_t each : *of_loop)
    hash = mixed(hash, top.registers[each]);
  if (loop.branch == &at && loop.window == window_ && loop.depth == who.frames.size() && loop.state == hash)
    who.waits_since = changes_;
  loop.branch = &at;
  loop.window = window_;
  loop.depth = who.frames.size();
  loop.state = hash;
  if (window_ < 2) return;
  // Of all registers: compared with one state from time to time, since a cycle may be of several loops.
  for (const frame& each : who.frames) {
    hash = mixed(hash, each.at);
    for (const uint64_t value : each.registers)
      hash = mixed(hash, value);
  }
  if (loop.count != 0 && loop.anchor == hash) who.waits_since = changes_;
  if (loop.count++ == loop.next) {
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

bool grid::is_hung() {
  if (warps_.empty() || idle_steps_ == 0 || idle_steps_ % (4 * (warps_.size() + 1)) != 0) return false;
  if (!copies_.empty() || can_start_cluster()) return false;
  const bool is_late = (now_ - idle_since_) / nanosecond > most_idle_nanoseconds;
  for (const auto& warp : warps_) {
    waiting_.clear();
    for (thread* each : warp->lanes) {
      if (each->is == state::in_warp) waiting_.push_back(each);
      const bool has_time_limit = each->asked_time_since == changes_;  // even if it is back in the same state
      const bool waits = each->is == state::ended || each->is == state::in_warp || each->is == state::at_barrier ||
                         (has_time_limit ? is_late : each->waits_since == changes_);
      if (!waits) return false;
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
