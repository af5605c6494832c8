// What is said about races and about how a kernel ends: who takes part, what is missing, and the remedy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grid.h"

#include <algorithm>
#include <cstdio>
#include <set>

namespace model {
namespace {

// The last part of a demangled name: kernel(int*)::tile.
std::string last_name(const std::string& mangled) {
  const std::string whole = demangled(mangled);
  const size_t colons = whole.rfind("::");
  return colons == std::string::npos ? whole : whole.substr(colons + 2);
}

// Two copies, neither of which waits for the other one: their numbers are in the order in which they were issued.
std::string order_of_copies(const access& one, const participant& named, const access& other,
                            const participant& other_named) {
  const bool is_one_first = one.who < other.who;
  const std::string begin = "wait until the copy" + line_of(is_one_first ? named : other_named);
  const std::string end = ", before the one" + line_of(is_one_first ? other_named : named) + " is issued";
  return begin +
         ((is_one_first ? one : other).is_write
              ? " has completed (its barrier, or its bulk group)"
              : " has read its source (cp.async.bulk.wait_group.read N, which leaves the last N groups open)") +
         end;
}

// The unit that makes the access.
const char* unit_of(const access& made) {
  if (!made.is_copy) return "thread";
  switch (opcode(made.at->opcode)) {
  case opcode::cp_async:
    return "cp.async";
  case opcode::async_st:
  case opcode::async_red:
    return "st.async";
  case opcode::tensor_mma:
  case opcode::tensor_ld:
  case opcode::tensor_st:
  case opcode::wgmma_mma:
    return "tensor cores";
  default:
    return "copy engine";
  }
}

bool is_of_barrier(const access& made) {
  const opcode what = opcode(made.at->opcode);
  return what >= opcode::mbarrier_arrive && what <= opcode::mbarrier_try_wait;
}

// Of a load or a store.
const operand& memory_operand(const instruction& at) {
  return at.operands[opcode(at.opcode) == opcode::ld ? 1 : 0];
}

const char* name_of(scope reach) {
  constexpr const char* names[] = {"thread", "block", "cluster", "device", "system"};
  return names[static_cast<size_t>(reach)];
}

}  // namespace

void name_global(participant& who, uint64_t address) {
  const region in = find_region(address);
  who.memory = "global";
  who.symbol = in.name.empty() ? "" : last_name(in.name);
  who.allocation = in.number;
  who.offset = address - in.start;
}

std::vector<source_place> grid::places_of(const instruction& at) const {
  std::vector<source_place> found;
  for (const source_line* each = at.from; each != nullptr; each = each->inlined_at) {
    const auto file = program_.files.find(each->file);
    found.push_back({file != program_.files.end() ? file->second : "?", each->line});
  }
  return found;
}

// Whether the checked build made this access to its records.
bool grid::is_trusted(const participant& who) const {
  const auto is_there = [](const source_place& at) { return at.file.find("/cudasync/hang/") != std::string::npos; };
  return with_.trusts_checked_build && std::any_of(who.at.begin(), who.at.end(), is_there);
}
bool grid::is_trusted(const finding& one) const {
  return std::any_of(one.by.begin(), one.by.end(), [this](const participant& who) { return is_trusted(who); });
}

block* grid::find_block(uint32_t serial) const {
  for (const auto* list : {&blocks_, &ended_})
    for (const auto& each : *list)
      if (each->serial == serial) return each.get();
  return nullptr;
}

// The one that made the access, or told another unit to.
const thread* grid::thread_of(const access& made) const {
  uint32_t id = made.who;
  if (made.is_copy) {
    const auto at = std::lower_bound(operations_.begin(), operations_.end(), made.who);
    if (at == operations_.end() || *at != made.who) return nullptr;
    id = issues_[static_cast<size_t>(at - operations_.begin())].by;
  }
  block* const home = find_block(made.from.block);
  if (home == nullptr) return nullptr;
  if (home->threads.empty()) make_threads(*home);
  return home->threads[id - home->first_id].get();
}

void grid::name_memory(participant& who, uint64_t key) const {
  if (key >> 62 != 0) {
    who.memory = "tensor";
    who.offset = key % tensor_memory_columns;
    return;
  }
  if (key < shared_window) {
    name_global(who, key);
    const region in = find_region(key);
    for (size_t index = 0; index < kernel_.parameters.size() && who.argument == 0; ++index) {
      const variable& each = *kernel_.parameters[index];
      uint64_t value = 0;
      if (each.bytes != 8 || each.address + 8 > how_.parameters.size()) continue;
      std::memcpy(&value, how_.parameters.data() + each.address, 8);
      if (value >= in.start && value < in.start + in.bytes) who.argument = index + 1;
    }
    return;
  }
  who.memory = "shared";
  who.offset = key & ((uint64_t{1} << rank_shift) - 1);
  const uint64_t dynamic = dynamic_start_;
  if (who.offset >= dynamic) {
    who.symbol = "dynamic shared memory";
    for (const auto& each : program_.variables)
      if (each.second->where == space::shared && each.second->address == behind_static_ones)
        who.symbol = last_name(each.second->name);
    who.offset -= dynamic;
    return;
  }
  const auto look = [&](const std::vector<std::shared_ptr<variable>>& all) {
    for (const auto& each : all)
      if (who.symbol.empty() && who.offset >= each->address && who.offset < each->address + each->bytes) {
        who.symbol = last_name(each->name);
        who.offset -= each->address;
        return;
      }
  };
  look(program_.shared);
  for (const function* each : kernel_.reached)
    if (who.symbol.empty()) look(each->shared);
}

participant grid::participant_of(const thread& who) const {
  participant made;
  made.block = who.home->index;
  made.thread = who.index;
  made.has_thread = true;
  for (size_t depth = who.frames.size(); depth-- > 0;) {
    const frame& each = who.frames[depth];
    if (each.at >= each.of->code.size()) continue;
    const instruction& at = each.of->code[each.at];
    if (made.instruction.empty()) made.instruction = at.text;
    for (const source_place& line : places_of(at))
      made.at.push_back(line);
  }
  return made;
}

participant grid::participant_of(const access& made, uint64_t key) const {
  participant who;
  const opcode what = opcode(made.at->opcode);
  who.action = what == opcode::mbarrier_inval ? "invalidation"
               : made.is_initialization       ? "initialization"
               : !made.is_write               ? "read"
               : what == opcode::atom || what == opcode::red || what == opcode::mbarrier_arrive ||
                       what == opcode::mbarrier_arrive_drop || what == opcode::mbarrier_expect_tx ||
                       what == opcode::cp_reduce_bulk
                   ? "update"
                   : "write";
  who.instruction = made.at->text;
  who.at = places_of(*made.at);
  who.unit = unit_of(made);
  who.proxy = made.is_map                        ? "tensormap"
              : made.is_multicast                ? "alias"
              : made.is_copy && !made.is_generic ? "async"
                                                 : "generic";
  if (const thread* const by = thread_of(made)) {
    who.block = by->home->index;
    who.thread = by->index;
    who.has_thread = true;
  }
  who.bytes = uint64_t{made.at->first.bytes} * made.at->vector;
  if (made.is_copy && !made.is_generic) who.bytes = 0;
  name_memory(who, key);
  return who;
}

void grid::report(finding one) {
  one.kernel = demangled(kernel_.name);
  one.seed = with_.seed;
  result_.findings.push_back(std::move(one));
  if (with_.on_finding) with_.on_finding(result_.findings.back());
}

// result_.error is the message, and what is behind its first line.
void grid::report_end(const char* kind, const std::string& rule) {
  report_late();
  if (has_raced()) return result_.error.clear();
  finding made;
  made.kind = kind;
  made.rule = rule;
  const size_t line = result_.error.find('\n');
  made.message = result_.error.substr(0, line);
  if (line != std::string::npos) made.text = result_.error.substr(line + 1);
  if (made.kind == "hang") {
    made.message = "no thread gets any further";
    made.by = std::move(hang_.by);
    made.words = std::move(hang_.words);
    if (hang_.likely_cause.empty()) hang_.likely_cause = cause_of_phase(hang_.remedy);
    made.likely_cause = std::move(hang_.likely_cause);
    made.remedy = std::move(hang_.remedy);
  } else if (acting_ != nullptr && acting_->is != state::ended) {
    made.by.push_back(participant_of(*acting_));
  }
  if (rule == "freed-memory")
    made.remedy =
        "free the memory after the last kernel that uses it: cudaFreeAsync in the stream of that kernel, or in one that "
        "waits for it (cudaEventRecord, cudaStreamWaitEvent)";
  if (rule == "too-many-arrivals")
    made.remedy =
        "count all arrivals of a phase when the barrier is initialized, and let no thread arrive for the next phase before "
        "this one has ended: if it waits for another barrier first, that one opens too early";
  report(std::move(made));
}

// A thread at each of the user's lines, and of the calls there, at which threads of a kernel that hangs are: at most four.
std::vector<participant> grid::waiting_places() const {
  std::vector<participant> found;
  std::set<std::string> lines;
  for (const auto& warp : warps_)
    for (const thread* each : warp->lanes) {
      if (each->is == state::ended || found.size() == 4) continue;
      participant made = participant_of(*each);
      const std::string call = made.at.empty() ? "" : std::to_string(made.at.back().line);
      if (user_place(made) != nullptr && lines.insert(line_of(made) + call).second) found.push_back(std::move(made));
    }
  return found;
}

// A sentence, and the remedy; nothing if it is not certain. Of a phase of an mbarrier for which all its threads wait, except
// as many as arrivals are missing, which wait at a barrier of the block; or which lacks bytes alone: no copy is under way.
std::string grid::cause_of_phase(std::string& remedy) const {
  std::map<uint64_t, std::vector<const thread*>> waiting;
  for (const auto& warp : warps_)
    for (const thread* each : warp->lanes)
      if (each->is != state::ended && each->awaited != 0) waiting[each->awaited].push_back(each);
  for (const auto& [key, threads] : waiting) {
    const mbarrier_word word = mbarrier_word::from(threads[0]->awaited_word);
    participant bar = participant_of(*threads[0]);
    name_memory(bar, key);
    if (word.pending == 0 && word.bytes > 0) {
      remedy =
          "let arrive.expect_tx or expect_tx name the bytes that the copies of the phase bring, or issue the copy that is left out";
      return "the phase of " + object_of(bar) + " expects " + std::to_string(word.bytes) +
             " bytes more than its copies have brought, and no copy is under way";
    }
    if (word.bytes != 0 || word.pending + threads.size() != word.expected) continue;
    for (const hardware_barrier& other : threads[0]->home->barriers) {
      if (other.waiting.size() != word.pending) continue;
      remedy =
          "let these threads arrive as often as the others, or drop out (mbarrier.arrive_drop, arrive_and_drop) when they "
          "leave the loop";
      return "the missing arrivals at " + object_of(bar) + " are probably those of the " +
             std::to_string(word.pending) + " threads that wait at another barrier" +
             line_of(participant_of(*other.waiting[0]));
    }
  }
  return "";
}

// What some thread waits for in vain: other lanes, other threads of the block, or anything else.
const char* grid::rule_of_hang() const {
  const char* rule = "hang";
  for (const auto& warp : warps_)
    for (const thread* each : warp->lanes) {
      if (each->is == state::in_warp) return "absent-lane";
      if (each->is == state::at_barrier) rule = "barrier-not-reached";
    }
  return rule;
}

void grid::report_bug(finding one) {
  if (is_trusted(one)) return;
  if (has_raced() || !reported_.insert({one.rule, line_of(one.by[0]) + line_of(one.by.back())}).second) return;
  report_kept();
  if (!has_raced()) report_as_race(std::move(one));
}

// Before the thread arrives: bar and barrier.aligned need all lanes of the warp at the same instruction.
void grid::check_warp_at_barrier(const instruction& at, const thread& who) {
  if ((at.words[0] == "barrier" && !at.has("aligned"_w)) || opcode(at.opcode) == opcode::bar_arrive) return;
  for (const hardware_barrier& each : who.home->barriers) {
    const instruction* const other = each.at[who.warp];
    if (each.arrived == 0 || each.arrived_lanes[who.warp] == 0 || other == &at) continue;
    if (opcode(other->opcode) == opcode::bar_arrive) continue;
    participant first = participant_of(who), second = participant_of(who);
    for (const thread* lane : who.group->lanes)
      if ((each.arrived_lanes[who.warp] >> lane->lane & 1) != 0 && lane->is == state::at_barrier)
        first = participant_of(*lane);
    return report_bug(
        {"divergence",
         "divergent-barrier",
         finding::level::bug,
         name_of(second) + " executes a barrier" + line_of(second) + ", while " + name_of(first) +
             ", of the same warp, waits at another" + line_of(first),
         "let all threads of the warp execute the same barrier: move it out of the branch or the loop that divides them",
         {first, second}});
  }
  if (with_.is_strict && at.words[0] == "bar" && at.operands.size() == 1) check_block_at_barrier(at, who);
}

// Before lanes meet: each must be one of those that it names.
void grid::check_own_lanes(const lanes& group) {
  for (thread* each : group) {
    if ((lanes_named(*each) >> each->lane & 1) != 0) continue;
    const participant by = participant_of(*each);
    char mask[16];
    std::snprintf(mask, sizeof mask, "0x%08x", lanes_named(*each));
    return report_bug({"divergence",
                       "absent-lane",
                       finding::level::bug,
                       name_of(by) + " executes __syncwarp(" + mask + ")" + line_of(by) +
                           ", and is itself no lane of that mask: it is lane " + std::to_string(each->lane),
                       "let the mask have the lanes of the warp that call: that of the upper half warp is 0xffff0000",
                       {by}});
  }
}

// __syncthreads() at two lines: GPUs count warps, wherever they are.
void grid::check_block_at_barrier(const instruction& at, const thread& who) {
  const hardware_barrier& here = who.home->barriers[0];
  if (here.arrived == 0 || at.operands[0].is != operand::form::immediate || at.operands[0].value != 0) return;
  for (const thread* const other : here.waiting) {
    if (other->is != state::at_barrier || &other->next() == &at || other->warp == who.warp) continue;
    const participant first = participant_of(*other), second = participant_of(who);
    if (line_of(first) == line_of(second)) continue;
    return report_bug(
        {"divergence",
         "two-barriers",
         finding::level::strict,
         name_of(second) + " executes __syncthreads()" + line_of(second) + ", while " + name_of(first) +
             ", of another warp, waits at another" + line_of(first) + "; GPUs take them for one",
         "let all threads of the block execute the same __syncthreads(): move it out of the branch or the "
         "loop that divides the warps, or use named barriers with counts",
         {first, second}});
  }
}

// Of shared memory: an operation of a barrier needs one that nothing else has changed since its initialization.
void grid::check_barrier(const access& made, uint64_t key, uint64_t size) {
  const bool uses = is_of_barrier(made);
  if (!uses && !made.is_write) return;
  for (uint64_t at = key / 8 * 8; at < key + size; at += 8) {
    const auto found = mbarriers_.find(at);
    if (found == mbarriers_.end() || !found->second.is_initialized) continue;
    access& overwritten = found->second.overwritten;
    if (!uses) {
      overwritten = made;
    } else if (overwritten.at != nullptr && !made.is_initialization) {
      const participant before = participant_of(overwritten, at), here = participant_of(made, at);
      overwritten = {};
      report_bug(
          {"race",
           "barrier-overwritten",
           finding::level::bug,
           name_of(here) + " uses the barrier " + object_of(here) + line_of(here) + "; " + name_of(before) +
               " wrote into it" + line_of(before),
           "keep other writes away from the barrier's eight bytes, or invalidate it before and initialize it again",
           {before, here}});
    }
  }
}

// The end of a block: what others do to its shared memory must be ordered before.
void grid::check_end(const block& home) {
  if (home.cluster.size() < 2 || home.shared.empty()) return;
  const uint64_t key = shared_window + (uint64_t{home.serial} << rank_shift);
  const auto is_awaited = [&](const access& made, uint64_t at) {  // a relaxed arrival
    const auto barrier = mbarriers_.find(at);
    return barrier != mbarriers_.end() && made.sequence <= barrier->second.awaited && is_of_barrier(made);
  };
  const access* const found = order_.find_unordered(key, home.shared.size(), home.serial, home.ended.all, is_awaited);
  if (found == nullptr) return;
  const participant made = participant_of(*found, order_.conflict_at());
  report_bug(
      {"race",
       "block-may-have-ended",
       finding::level::bug,
       name_of(made) + " " + verb_of(made, true) + " " + object_of(made) + " of block " + triple(home.index) +
           line_of(made) + "; nothing orders that before the end of the block",
       "let the block wait until the others are done with its shared memory: a cluster barrier (cluster.sync()) at "
       "the end of the kernel",
       {made}});
}

// Whether a block ends before somebody in it has waited for a copy. cp.async is done by the multiprocessor, for its thread.
bool grid::check_copies(const block& home) {
  for (const block::copy& each : home.copies) {
    if (home.ended.all.of(each.id) != 0 || home.awaited.of(each.id) != 0) continue;
    const participant made =
        participant_of({each.id, 1, each.from, 0, each.writes, false, true, false, scope::sys, each.at}, each.key);
    const bool is_of_thread = opcode(each.at->opcode) == opcode::cp_async;
    report_bug({"race",
                is_of_thread ? "cp-async-outlives-block" : "copy-outlives-block",
                is_of_thread ? finding::level::strict : finding::level::bug,
                "block " + triple(home.index) + " ends while " + name_of(made) + " may still " + made.action + " " +
                    object_of(made) + line_of(made) + "; nothing waits for the copy",
                is_of_thread ? "call cp.async.wait_all before the thread returns, or begin no copy that nobody needs"
                : each.at->where == space::global
                    ? "call cp.async.bulk.wait_group.read 0 in the thread that issued the copy, before it returns"
                    : "wait for the barrier on which the copy completes before the block ends",
                {made}});
    return true;
  }
  return false;
}

// The barrier in the block of this key on which the copy completes, or nothing.
const mbarrier_messages* grid::barrier_of(const access& copy, uint64_t key) const {
  for (auto each = completes_on_.lower_bound({copy.who, 0}); each != completes_on_.end() && each->first == copy.who;
       ++each) {
    const auto found = mbarriers_.find(each->second);
    if (each->second >> rank_shift == key >> rank_shift && found != mbarriers_.end()) return &found->second;
  }
  return nullptr;
}

// Whether its line reads and writes the same address: x += 1.
bool grid::is_update_in_one_line(const access& made) const {
  const opcode what = opcode(made.at->opcode);
  if (what != opcode::ld && what != opcode::st) return true;
  const auto is_partner = [&](const instruction& each) {
    if (opcode(each.opcode) != (what == opcode::ld ? opcode::st : opcode::ld) || each.from == nullptr) return false;
    const operand &own = memory_operand(*made.at), &other = memory_operand(each);
    return made.at->from != nullptr && each.from->line == made.at->from->line &&
           each.from->file == made.at->from->file && own.has_base == other.has_base && own.reg == other.reg &&
           own.value == other.value && own.symbol == other.symbol;
  };
  for (const function* each : kernel_.reached)
    if (!each->code.empty() && made.at >= each->code.data() && made.at < each->code.data() + each->code.size())
      return std::any_of(each->code.begin(), each->code.end(), is_partner);
  return true;
}

// Of a race between blocks that have synchronized, but not for these two threads: the barrier that is missing in one of them.
std::string grid::how_signal_fails(const access& one, const thread* first, const thread* second) const {
  if (first == nullptr || second == nullptr) return "";
  const auto name = [this](const thread& who) { return name_of(participant_of(who)); };
  for (const auto& each : second->home->threads)
    if (each.get() != second && each->seen.all.of(one.who) >= one.when)
      return name(*each) +
             " comes after the first: call __syncthreads() between what that thread waits for and the second";
  for (const auto& [from, to] : {std::pair(first, second), std::pair(second, first)})
    for (const auto& each : from->home->threads)
      if (each.get() != from && times_[each->id] > 1 && to->seen.all.of(each->id) + 1 >= times_[each->id])
        return name(*each) + " signals to the other block: call __syncthreads() between the access of " + name(*from) +
               " and the signal, and __threadfence() or a release in the thread that signals";
  return "";
}

// Before a copy: the lane that seems to arrive for those that share its warp with this access, for the thread that copies.
std::string grid::arrival_of_warp(const access& one, const thread* copies) const {
  const thread* const reader = thread_of(one);
  if (reader == nullptr || copies == nullptr || reader->home != copies->home || reader->warp == copies->warp) return "";
  for (const auto& each : reader->home->threads)
    if (each->warp == reader->warp && copies->seen.all.of(each->id) > copies->seen.all.of(reader->id))
      return "; if " + name_of(participant_of(*each)) + " arrives for its warp, call __syncwarp() before that";
  return "";
}

// one: the earlier access, with what it lacks to be before the other.
void grid::report_race(const access& one, const access& other) {
  if (has_raced() || (!with_.is_strict && !is_bug(one.lacks))) return;
  const size_t races = static_cast<size_t>(std::count_if(result_.findings.begin(), result_.findings.end(),
                                                         [](const finding& each) { return each.kind == "race"; }));
  const std::pair<std::string, std::string> lines = std::minmax(where_is(*one.at), where_is(*other.at));
  const thread *const first = thread_of(one), *const second = thread_of(other);
  const bool is_warp =
      first != nullptr && second != nullptr && first->home == second->home && first->warp == second->warp;
  const bool is_block = one.from.block == other.from.block;
  const int distance = is_warp ? 0 : is_block ? 1 : 2;
  const auto narrower =
      std::find_if(kept_.begin(), kept_.end(), [&](const kept_race& each) { return each.lines == lines; });
  if (narrower != kept_.end() && distance <= narrower->distance) return;
  if (races >= 20 || (narrower == kept_.end() && !reported_.insert(lines).second)) return;

  const uint64_t key = order_.conflict_at();
  const participant before = participant_of(one, key), here = participant_of(other, key);
  finding made;
  made.kind = "race";
  made.is = is_bug(one.lacks) ? finding::level::bug : finding::level::strict;
  made.message = name_of(here) + " " + verb_of(here, true) + " " + object_of(here) + line_of(here) + "; " +
                 name_of(before) + " " + verb_of(before, false) + " it" + line_of(before) + "; ";
  const bool is_global = here.memory == "global";
  const auto say = [&](const char* rule, const std::string& lacks, const std::string& remedy) {
    made.rule = rule;
    made.message += lacks;
    made.remedy = remedy;
  };
  const bool is_one_warp = is_warp && first->home->threads.size() <= 32;
  const bool is_of_grid = is_global && how_.grid.count() > 1;
  const std::string meeting = is_of_grid && (is_warp || is_block)
                                  ? "__syncthreads(), or a barrier of the grid if other blocks use the memory,"
                              : is_one_warp ? "__syncwarp()"
                              : is_warp     ? "__syncthreads(), or __syncwarp() if no other warp uses the memory,"
                              : is_block    ? "__syncthreads(), or another barrier that both threads take part in,"
                                            : "a cluster barrier (cluster.sync())";
  const char* const fence =
      is_global ? "fence.proxy.async.global" : "fence.proxy.async.shared::cta (fence_before_bulk_copy())";
  switch (one.lacks) {
  case missing::proxy_fence:
    say("missing-proxy-fence", "nothing orders the two proxies",
        std::string("call ") + fence +
            " in the writing thread, after the write and before the barrier that the copying thread waits for");
    break;
  case missing::read_proxy_fence:
    say("read-before-copy", "nothing orders the two proxies, which the memory model requires and GPUs do not",
        std::string("call ") + fence + " after the read and before the barrier");
    break;
  case missing::read_order:
    say(one.is_write ? "arrival-before-inval" : "read-before-write",
        "the lanes have met, but shfl, vote, match and the like do not order memory",
        one.is_write ? "call __syncwarp() before they meet" : "call __syncwarp() after the read");
    break;
  case missing::value:
    say("same-value", "nothing orders them, but both write the same value",
        "let one thread write, or write atomically");
    break;
  case missing::own_fence:
    say("fence-before-barrier",
        "their fences are in other threads than the signal between the blocks, which the memory model does not order and "
        "GPUs do",
        "call __threadfence() in the thread that signals, between the barrier of the block and the signal, and in the "
        "thread that sees it, before the barrier of its block");
    break;
  case missing::arrival_scope:
    say("arrival-of-block-scope",
        "the arrival between them, or the wait for it, has the scope of the block, which the memory model does not order "
        "and GPUs do for a read",
        "use mbarrier.arrive.release.cluster and mbarrier.try_wait.acquire.cluster");
    break;
  case missing::alias_fence:
    say("missing-alias-fence", "the two use different addresses of the same memory",
        "call fence.proxy.alias between the two");
    break;
  case missing::map_fence:
    made.message = name_of(here) + " uses " + object_of(here) + " as a tensor map" + line_of(here) + "; " +
                   name_of(before) + " " + verb_of(before, false) + " it" + line_of(before) + "; ";
    say("missing-tensormap-fence", "nothing orders the generic proxy and that of tensor maps",
        "execute fence.proxy.tensormap::generic.acquire for the map in the copying thread, before the copy");
    break;
  case missing::coherence:
    say("read-only-load",
        "the load is one of data that no thread changes while the kernel runs (ld.global.nc, or of a texture or a surface)",
        "use an ordinary load: without __ldg(), and without const __restrict__ for a pointer to what the kernel writes; "
        "or let a later kernel read it");
    break;
  case missing::barrier_fence:
  case missing::known_barrier_fence:
    made.message = name_of(here) + " completes on the barrier " + object_of(here) + line_of(here) + "; " +
                   name_of(before) + " initialized it" + line_of(before) + "; ";
    say(is_bug(one.lacks) ? "missing-mbarrier-fence" : "init-before-copy",
        is_bug(one.lacks) ? "nothing tells the other proxy or block of the initialization"
                          : "no fence is between the two, which the memory model requires and GPUs do not",
        "call fence.mbarrier_init.release.cluster after mbarrier.init and before the block or the cluster synchronizes");
    break;
  case missing::guess:
    say("first-guess",
        "the load is not atomic, and the compare-exchange that is tried with its value fails if that is old",
        "make the load atomic, too: cuda::atomic_ref, or a volatile pointer");
    break;
  case missing::size:
    say("mixed-sizes",
        "the memory model does not say what a store beside an operation of another size does, and GPUs do what is wanted",
        "use one size for all accesses to the object, or atom.exch in the place of the store");
    break;
  case missing::scope: {
    const access& narrow = includes(one.reach, one.from, other.from) ? other : one;
    const std::string reach = name_of(narrow.reach);
    say("scope-too-narrow",
        "the " + std::string(&narrow == &one ? "earlier" : "later") + " access has " + reach +
            " scope, and the other thread is in another " + (narrow.reach == scope::cta ? "block" : reach),
        std::string("use ") + (one.from.cluster == other.from.cluster ? "cluster or device" : "device") +
            " scope for it");
    break;
  }
  default: {
    const access& copy = one.is_copy ? one : other;
    const access& access_of_thread = one.is_copy ? other : one;
    if (one.is_copy || other.is_copy) {
      const auto at = std::lower_bound(operations_.begin(), operations_.end(), copy.who);
      const bool is_known = at != operations_.end() && *at == copy.who;
      const uint64_t issued = is_known ? issues_[static_cast<size_t>(at - operations_.begin())].sequence : ~uint64_t{0};
      const bool both = one.is_copy && other.is_copy;
      const mbarrier_messages* const bar = barrier_of(copy, key);
      const uint64_t ended = bar != nullptr && bar->awaited == bar->completed_at ? bar->awaited : 0;  // its last phase
      const bool is_early = ended > issued && (!one.is_copy || &copy == &other || ended < copy.sequence);
      // The thread reads what an earlier copy has brought.
      const access* const filled = one.is_copy || !is_early ? nullptr : order_.find_copy(key, copy.who);
      const bool is_refill = filled != nullptr && barrier_of(*filled, key) == bar;
      const bool began = !both && !is_refill && (one.is_copy || access_of_thread.sequence > issued);
      const std::string unit = unit_of(copy);
      const bool is_of_thread = !both && is_warp && first == second;
      const bool has_barrier = completes_on_.lower_bound({copy.who, 0}) != completes_on_.lower_bound({copy.who + 1, 0});
      if (both)
        say("unordered-copies", "nothing orders the two",
            first != second && one.at == other.at ? "let one thread issue it, or give each copy a place of its own"
            : before.unit == here.unit            ? order_of_copies(one, before, other, here)
            : one.is_generic || other.is_generic
                ? "let each thread wait for its own copies (cp.async.wait_group), then call fence.proxy.async.shared::cta and "
                  "meet the others at a barrier, before " +
                      name_of(one.is_generic ? here : before) + " may begin"
                : "let " + name_of(one.who < other.who ? before : here) + " finish before " +
                      name_of(one.who < other.who ? here : before) + " may begin");
      else if (is_of_barrier(access_of_thread) && !access_of_thread.is_initialization)
        say("barrier-overwritten",
            "the barrier is in memory that the copy " + std::string(copy.is_write ? "writes" : "reads"),
            "keep the barrier's eight bytes apart from the arrays: check their offsets and sizes in shared memory");
      else if (ended != 0 && ended < issued && !bar->expected_bytes)
        say("copy-not-awaited", "the phase of its barrier that was awaited had no bytes",
            "let arrive.expect_tx, or expect_tx before the last arrival of the phase, name the bytes of the copy");
      else if (!began)
        say("copy-too-early", "the copy does not wait for that",
            (is_warp
                 ? "call __syncwarp() between the access and the copy"
                 : "let the copying thread wait for a barrier at which the other thread arrives after its access" +
                       arrival_of_warp(access_of_thread, thread_of(copy)) +
                       (is_block || is_global ? "" : ": each block that the copy writes must say that it has read")) +
                (unit == "copy engine" && access_of_thread.is_write ? ", with fence.proxy.async before it" : ""));
      else if (unit == "cp.async")
        say("cp-async-not-awaited", "nothing waits for the copy before",
            is_warp && first == second
                ? "call cp.async.wait_group (or wait_all), or wait for the barrier on which the copy completes, before the "
                  "access"
                : "let the copying thread call cp.async.wait_group and then both threads meet at a barrier, or wait for "
                  "the barrier on which the copy completes");
      else if (is_early)
        say("copy-not-awaited", "the phase of its barrier ended without the copy",
            "let arrive.expect_tx or expect_tx name the bytes of all copies that complete in the phase: now it names too few");
      else if (unit == "tensor cores")
        say("tensor-cores-not-awaited", "nothing waits for the operation before",
            "wait for its commit (tcgen05.commit and its barrier, or wgmma.wait_group) before the access");
      else
        say("copy-not-awaited", "nothing waits for the copy before",
            has_barrier && ended != 0
                ? "wait for the phase in which the copy completes before the access, or arrive at the "
                  "barrier that lets the copy begin only after it"
            : has_barrier ? "wait for the barrier on which the copy completes, before the access"
            : is_of_thread
                ? "wait for its bulk group (cp.async.bulk.wait_group N, which leaves the last N groups open) before the access"
                : "let the thread that issued the copy wait for its bulk group (cp.async.bulk.wait_group N, which leaves the "
                  "last N groups open), and meet the other one at a barrier after that");
      break;
    }
    const source_place *const line = user_place(before), *const other_line = user_place(here);
    const bool is_one_line =
        line != nullptr && other_line != nullptr && line->line == other_line->line && line->file == other_line->file;
    const std::string between_blocks = std::string("signal with a release after the first ") +
                                       (before.action == "read" ? "read" : "access") +
                                       ", and acquire that before the second, at device scope";
    const std::string signal = is_block || !is_global ? "" : how_signal_fails(one, first, second);
    if (is_of_barrier(one) != is_of_barrier(other) && !one.is_initialization && !other.is_initialization) {
      say("barrier-overwritten", "the barrier is in memory that is also used for something else",
          "keep the barrier's eight bytes apart from other variables: check their offsets and sizes in shared memory");
    } else if (one.is_initialization && other.is_initialization) {
      say("barrier-initialized-twice", "both initialize the same barrier, and nothing orders the two",
          "let exactly one thread of the block initialize it: in a block of several dimensions, threadIdx.x == 0 is not one");
    } else if (one.is_initialization || other.is_initialization) {
      const std::string call = std::string("call ") + (is_block ? "__syncthreads()" : meeting);
      say("barrier-not-initialized", "nothing orders the initialization and the use",
          one.is_initialization ? call + " after the initialization"
                                : call + " and then mbarrier.inval before it is initialized again");
    } else if (one.lacks == missing::strength) {
      const bool is_read = !(one.is_strong ? other : one).is_write;
      say("weak-beside-atomic",
          std::string("the ") + (one.is_strong ? "later" : "earlier") +
              " access is not atomic, and nothing orders the two",
          is_read && (is_block || !is_global)
              ? "call " + meeting +
                    " between the two, or, if the reading thread does not wait for that, make both atomic"
              : "make both atomic, or " + (is_block || !is_global ? "call " + meeting + " between the two"
                                           : signal.empty()       ? between_blocks
                                                                  : "order them: " + signal));
    } else if (!signal.empty()) {
      say("unordered-blocks", "nothing orders the two blocks", signal);
    } else if (one.is_write && other.is_write && one.at == other.at) {
      say("two-writers", "both write it at the same line, and nothing orders the two",
          "let one thread write it, or use an atomic operation; if they write in turn, call " +
              (is_block || !is_global ? meeting : "a barrier of the grid") + " between the two");
    } else if (is_one_line && is_update_in_one_line(one) && is_update_in_one_line(other)) {
      say("no-atomic-update", "both execute the same line, and nothing orders the two",
          std::string("use an atomic operation, or give each thread a place of its own") +
              (is_block ? "; if they take turns, call " + meeting + " between these"
                        : "; if a lock orders the blocks, take it with an acquire and give it back with a release, "
                          "after all threads of the block are done"));
    } else if (is_block || !is_global) {
      say(is_warp    ? "missing-syncwarp"
          : is_block ? "missing-block-barrier"
                     : "missing-cluster-barrier",
          "nothing orders the two",
          "call " + meeting + " between the " + (is_one_line ? "read and the write" : "two") +
              (is_warp || mbarriers_.empty()
                   ? ""
                   : "; if they wait for an mbarrier, let the first one arrive after its access, and the second one wait "
                     "for that phase"));
    } else {
      say("unordered-blocks", "nothing orders the two blocks", between_blocks + ", or use two kernels");
    }
  }
  }
  made.by = {before, here};
  if (is_trusted(made)) return;
  const int widest = is_of_grid ? 2 : is_one_warp ? 0 : 1;
  const bool is_narrow = made.rule == "missing-syncwarp" || made.rule == "missing-block-barrier";
  if (narrower != kept_.end()) kept_.erase(narrower);
  if (!is_narrow || distance >= widest) {
    report_kept();
    if (!has_raced()) report_as_race(std::move(made));
  } else if (kept_.empty() || with_.goes_on_after_races) {
    kept_.push_back({std::move(made), lines, distance, result_.steps + 16'384 + 256 * warps_.size()});
  }
}

void grid::report_as_race(finding made) {
  if (!with_.goes_on_after_races) result_.how = outcome::end::raced;
  report(std::move(made));
}

// Races for which no threads that are further apart were found.
void grid::report_kept() {
  decltype(kept_) all;
  all.swap(kept_);
  for (kept_race& each : all)
    if (!has_raced()) report_as_race(std::move(each.made));
}

}  // namespace model
