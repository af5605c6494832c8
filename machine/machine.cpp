// Modules and calls; what is printed, and where threads are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grid.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace model {

module::module(const std::vector<std::string>& units) :program_(parse(units)) {
  for (auto& each : program_->variables) {
    variable& one = *each.second;
    if (one.where != space::global && one.where != space::constant) continue;
    // calloc: what no kernel touches costs no time.
    storage_.emplace_back(static_cast<uint8_t*>(std::calloc(one.bytes + 256, 1)), std::free);
    uint8_t* const start = reinterpret_cast<uint8_t*>(round_up(reinterpret_cast<uint64_t>(storage_.back().get()), 256));
    std::copy(one.initial.begin(), one.initial.end(), start);
    one.address = reinterpret_cast<uint64_t>(start);
    allow(start, one.bytes, one.name);
  }
  for (auto& each : program_->variables)
    for (const variable::pointer& to : each.second->pointers) {
      const auto target = program_->variables.find(to.target);
      const auto callee = program_->functions.find(to.target);
      uint64_t value;
      if (target != program_->variables.end())
        value = target->second->address + static_cast<uint64_t>(to.addend);
      else if (callee != program_->functions.end())
        value = reinterpret_cast<uint64_t>(callee->second.get());
      else
        throw fault("unknown name " + to.target);
      value >>= 8 * to.first_byte;
      std::memcpy(reinterpret_cast<uint8_t*>(each.second->address) + to.offset, &value, std::min(to.bytes, 8u));
    }
}

module::~module() {
  for (auto& each : program_->variables)
    if (each.second->where == space::global || each.second->where == space::constant)
      forbid(reinterpret_cast<const void*>(each.second->address));
}

outcome module::run(const std::string& kernel, const launch& how, const settings& with) {
  const auto found = program_->functions.find(kernel);
  if (found == program_->functions.end() || !found->second->is_kernel) throw fault("no kernel " + kernel);
  launch shaped = how;
  const uint32_t* const required = found->second->cluster;
  if (!how.has_clusters && required[0] * required[1] * required[2] > 1) {
    shaped.cluster = {required[0], required[1], required[2]};
    shaped.has_clusters = true;
  }
  {
    const std::lock_guard<std::mutex> lock(parses_);
    prepare(*program_, *found->second);
  }
  const uint64_t threads = how.grid.count() * how.block.count();
  if (!with.finds_races || threads <= with.most_threads)
    return grid(*this, *found->second, shaped, with, ++runs_).run();
  settings without = with;
  without.finds_races = false;
  finding limit;
  limit.kind = limit.rule = "limit";
  limit.kernel = demangled(kernel);
  limit.seed = with.seed;
  limit.message = "races are not looked for: " + std::to_string(threads) + " threads, the limit is " +
                  std::to_string(with.most_threads);
  if (with.on_finding) with.on_finding(limit);
  outcome done = grid(*this, *found->second, shaped, without, ++runs_).run();
  done.findings.insert(done.findings.begin(), std::move(limit));
  return done;
}

std::vector<std::string> module::unsupported(const std::string& kernel) {
  const auto found = program_->functions.find(kernel);
  if (found == program_->functions.end()) throw fault("no kernel " + kernel);
  prepare(*program_, *found->second);
  std::map<std::string_view, std::string> all;  // by the text
  for (const function* each : found->second->reached)
    for (const instruction& one : each->code)
      if (!one.unknown_word.empty()) all.insert({one.text, program_->what_is_missing(one)});
  std::vector<std::string> names;
  for (const auto& each : all)
    names.push_back(each.second);
  return names;
}

std::string program::place_of(const instruction& at) const {
  const auto file = at.from != nullptr ? files.find(at.from->file) : files.end();
  if (file == files.end()) return std::string(at.text);
  return std::string(at.text) + " (" + file->second.substr(file->second.rfind('/') + 1) + ":" +
         std::to_string(at.from->line) + ")";
}

std::string program::what_is_missing(const instruction& at) const {
  constexpr std::string_view of_textures[] = {"tex", "tld4", "txq", "suld", "sust", "sured", "suq"};
  const bool is_texture =
      std::find(std::begin(of_textures), std::end(of_textures), at.words[0]) != std::end(of_textures);
  const std::string word = is_texture                       ? "textures and surfaces: "
                           : at.unknown_word == at.words[0] ? ""
                                                            : "." + std::string(at.unknown_word) + " of ";
  return word + place_of(at) + ", PTX line " + std::to_string(at.ptx_line);
}

void* module::address_of(const std::string& name, uint64_t* bytes) const {
  const auto found = program_->variables.find(name);
  if (found == program_->variables.end()) return nullptr;
  if (bytes != nullptr) *bytes = found->second->bytes;
  return reinterpret_cast<void*>(found->second->address);
}

uint64_t module::parameter_bytes(const std::string& kernel) const {
  const auto found = program_->functions.find(kernel);
  return found == program_->functions.end() ? 0 : found->second->parameter_bytes;
}

std::vector<uint64_t> module::parameter_offsets(const std::string& kernel) const {
  std::vector<uint64_t> offsets;
  const auto found = program_->functions.find(kernel);
  if (found != program_->functions.end())
    for (const auto& each : found->second->parameters)
      offsets.push_back(each->address);
  return offsets;
}

uint64_t module::parameter_size(const std::string& kernel, size_t index) const {
  return program_->functions.at(kernel)->parameters.at(index)->bytes;
}

bool module::has_kernel(const std::string& name) const {
  const auto found = program_->functions.find(name);
  return found != program_->functions.end() && found->second->is_kernel;
}

std::vector<std::string> module::kernels() const {
  std::vector<std::string> names;
  for (const auto& each : program_->functions)
    if (each.second->is_kernel) names.push_back(each.first);
  return names;
}

facts module::facts_of(const std::string& kernel) {
  const std::lock_guard<std::mutex> lock(parses_);
  function& of = *program_->functions.at(kernel);
  parse_bodies(*program_, of);
  return {static_shared_bytes_of(*program_, of),
          of.local_bytes,
          of.most_threads,
          of.most_registers,
          {of.cluster[0], of.cluster[1], of.cluster[2]}};
}

uint32_t module::architecture() const {
  return program_->architecture;
}

void grid::enter(thread& who, const function& callee) {
  if (who.frames.size() > 200) throw fault("calls are nested too deeply");
  frame made;
  made.of = &callee;
  made.registers.resize(callee.registers);
  made.parameters.resize(callee.frame_parameter_bytes + 16);
  made.local_start = who.local_used;
  who.local_used += round_up(callee.local_bytes, 16);
  const frame& top = who.frames.back();
  const instruction& call = top.of->code[top.at];
  const bool has_results = call.operands.size() > 1 && call.operands[0].is == operand::form::list;
  const size_t arguments_at = (has_results ? 1 : 0) + 1;
  if (call.operands.size() > arguments_at) {
    const std::vector<operand>& arguments = call.operands[arguments_at].parts;
    for (size_t index = 0; index < arguments.size() && index < callee.parameters.size(); ++index)
      std::memcpy(made.parameters.data() + callee.parameters[index]->address,
                  top.parameters.data() + arguments[index].symbol->address, callee.parameters[index]->bytes);
  }
  who.frames.push_back(std::move(made));
}

void grid::leave(thread& who) {
  if (who.frames.size() == 1) return end_thread(who);
  const frame done = std::move(who.frames.back());
  who.frames.pop_back();
  who.local_used = done.local_start;
  frame& top = who.frames.back();
  const instruction& call = top.of->code[top.at];
  if (!done.of->results.empty() && call.operands[0].is == operand::form::list)
    std::memcpy(top.parameters.data() + call.operands[0].parts[0].symbol->address,
                done.parameters.data() + done.of->results[0]->address, done.of->results[0]->bytes);
  ++top.at;
}

void grid::print(thread& who, uint64_t format, uint64_t arguments) {
  static const instruction none;
  const auto string_at = [&](uint64_t address) {  // also in local or shared memory
    std::string made;
    for (;; ++address) {
      const char next = static_cast<char>(*locate(who, address, space::generic, 1, none).bytes);
      if (next == '\0') return made;
      made += next;
    }
  };
  const std::string whole = string_at(format);
  const char* at = whole.c_str();
  std::string text;
  uint64_t offset = 0;
  const auto take = [&](uint64_t bytes) {
    offset = round_up(offset, bytes);
    uint64_t value = 0;
    std::memcpy(&value, locate(who, arguments + offset, space::generic, bytes, none).bytes, bytes);
    offset += bytes;
    return value;
  };
  while (*at != '\0') {
    if (*at != '%') {
      text += *at++;
      continue;
    }
    std::string spec(1, *at++);
    if (*at == '%') {
      text += *at++;
      continue;
    }
    int longs = 0;
    while (*at != '\0' && std::strchr("diouxXcsfeEgGaAp", *at) == nullptr) {
      if (*at == '*')
        spec += std::to_string(static_cast<int>(take(4)));
      else if (*at == 'l' || *at == 'z')
        ++longs;
      else
        spec += *at;
      ++at;
    }
    if (*at == '\0') {  // no conversion
      text += spec;
      break;
    }
    const char what = *at++;
    char buffer[16384];
    if (what == 's') {
      std::snprintf(buffer, sizeof buffer, (spec + "s").c_str(), string_at(take(8)).c_str());
    } else if (std::strchr("feEgGaA", what) != nullptr) {
      const uint64_t raw = take(8);
      double value;
      std::memcpy(&value, &raw, 8);
      std::snprintf(buffer, sizeof buffer, (spec + what).c_str(), value);
    } else if (longs > 0 || what == 'p') {
      std::snprintf(buffer, sizeof buffer, (spec + "ll" + (what == 'p' ? 'x' : what)).c_str(), take(8));
    } else {
      std::snprintf(buffer, sizeof buffer, (spec + what).c_str(), static_cast<uint32_t>(take(4)));
    }
    text += buffer;
  }
  if (result_.printed.size() < (1u << 20)) result_.printed += text;
}

std::string grid::where_is(const instruction& at) const {
  return program_.place_of(at);
}

std::string grid::describe(const thread& who) {
  std::string text = "block " + std::to_string(who.home->index.x) + " thread " + std::to_string(who.rank) + " at ";
  for (size_t depth = who.frames.size(); depth-- > 0;) {
    const frame& each = who.frames[depth];
    if (each.at < each.of->code.size()) text += where_is(each.of->code[each.at]) + (depth > 0 ? " < " : "");
  }
  return text;
}

std::string grid::describe_hang() {
  std::string text = "no thread gets any further:";
  std::map<std::string, uint32_t> places;
  for (const auto& warp : warps_)
    for (const thread* each : warp->lanes)
      if (each->is != state::ended) {
        const std::string full = describe(*each);
        ++places[full.substr(full.find(" at "))];
      }
  int lines = 0;
  for (const auto& each : places)
    if (++lines <= 12)
      text += "\n  " + std::to_string(each.second) + (each.second == 1 ? " thread" : " threads") + each.first;
  for (const auto& each : awaited_barriers())
    if (++lines <= 12)
      text +=
          "\n  " + std::to_string(each.second) + (each.second == 1 ? " thread waits" : " threads wait") + each.first;
  // Others may wait for those that have ended.
  const auto tell = [&](size_t ended, uint64_t all, const char* of, const extent& first) {
    text += "\n  " + std::to_string(ended) + " of " + std::to_string(all) + of + (ended == 1 ? " has" : " have") +
            " ended: " + triple(first) + (ended == 1 ? "" : " first");
  };
  if (!ended_.empty()) tell(ended_.size(), how_.grid.count(), " blocks", ended_[0]->index);
  for (const auto& home : blocks_) {
    const auto is_ended = [](const auto& each) { return each->is == state::ended; };
    const auto first = std::find_if(home->threads.begin(), home->threads.end(), is_ended);
    if (first == home->threads.end()) continue;
    tell(home->threads.size() - home->alive, home->threads.size(), " threads of a block", (*first)->index);
    break;
  }
  return text;
}

// The barriers and the phases of mbarriers for which threads wait, with what they lack, and the number of these threads.
std::map<std::string, uint32_t> grid::awaited_barriers() const {
  std::map<std::string, uint32_t> phases;
  for (const auto& home : blocks_)
    for (size_t id = 0; id < std::size(home->barriers); ++id) {
      const hardware_barrier& each = home->barriers[id];
      if (each.waiting.empty()) continue;
      phases[" at barrier " + std::to_string(id) + (id == 0 && each.expected == 0 ? " (__syncthreads)" : "") + ": " +
             std::to_string(each.arrived) + " of " + std::to_string(each.expected != 0 ? each.expected : home->alive) +
             " threads have arrived"] += static_cast<uint32_t>(each.waiting.size());
    }
  for (const auto& warp : warps_)
    for (const thread* each : warp->lanes) {
      if (each->is == state::ended || each->awaited == 0) continue;
      const mbarrier_word word = mbarrier_word::from(each->awaited_word);
      participant bar = participant_of(*each);
      name_memory(bar, each->awaited);
      const std::string phase = " for parity " + std::to_string(word.parity) + " of " + object_of(bar) + ": ";
      std::string text =
          phase + std::to_string(word.pending) + " of " + std::to_string(word.expected) + " arrivals are missing";
      if (word.bytes > 0)
        text = word.pending != 0 ? text + ", and " + std::to_string(word.bytes) + " bytes"
                                 : phase + "no arrival is missing, but " + std::to_string(word.bytes) + " bytes are";
      if (word.bytes < 0) text += ", and " + std::to_string(-word.bytes) + " bytes are not expected";
      const auto known = mbarriers_.find(each->awaited);
      if (known != mbarriers_.end() && known->second.is_raised && word.pending != 0)
        text += "; cp.async.mbarrier.arrive without .noinc makes no arrival that the count includes";
      ++phases[text];
    }
  return phases;
}

}  // namespace model
