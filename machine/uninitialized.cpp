// Registers without a value: read from shared memory that nothing has written, from a lane that is absent, or not yet there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Code reads such values and drops them, in lanes whose result nobody needs. So what counts is the use: a branch, an address, a
// store to global memory.
#include "grid.h"

#include <algorithm>

namespace model {

const no_value* grid::lacking(const thread& who, const operand& from) const {
  const auto& all = who.frames.back().without_value;
  const bool has_register = from.is == operand::form::reg || (from.is == operand::form::memory && from.has_base);
  const auto found = has_register ? all.find(from.reg) : all.end();
  if (found != all.end()) return has_come(who, *found->second) ? nullptr : found->second;
  for (const operand& part : from.parts)
    if (const no_value* const one = lacking(who, part)) return one;
  return nullptr;
}

void grid::set_lacking(thread& who, const operand& to, const no_value* lacks) {
  auto& all = who.frames.back().without_value;
  if (to.is == operand::form::reg) {
    if (lacks != nullptr)
      all[to.reg] = lacks;
    else
      all.erase(to.reg);
  }
  if (to.is == operand::form::list)
    for (const operand& part : to.parts)
      set_lacking(who, part, lacks);
}

// Of arithmetic: what the result lacks. Another operand may decide alone.
const no_value* grid::lacking_result(const instruction& at, thread& who) {
  const opcode what = opcode(at.opcode);
  const std::vector<operand>& all = at.operands;
  const auto is = [&](size_t index, bits value, type as) {
    return index < all.size() && lacking(who, all[index]) == nullptr && read(who, all[index], as) == value;
  };
  if (what == opcode::selp && lacking(who, all[3]) == nullptr)
    return lacking(who, all[read(who, all[3], {kind::predicate, 1}) != 0 ? 1 : 2]);
  if (what == opcode::and_ || what == opcode::mul)
    if (is(1, 0, at.first) || is(2, 0, at.first)) return nullptr;
  if (what == opcode::or_ && at.first.what == kind::predicate)
    if (is(1, 1, at.first) || is(2, 1, at.first)) return nullptr;
  if (what == opcode::setp && all.size() > 3 && is(3, at.has("or"_w), {kind::predicate, 1})) return nullptr;
  const no_value* found = nullptr;
  for (size_t index = 1; index < all.size(); ++index)
    found = both(found, lacking(who, all[index]));
  return found;
}

// A value that depends on two which are read at different places.
const no_value* grid::both(const no_value* one, const no_value* other) {
  if (one == nullptr) return other;
  for (; other != nullptr; other = other->other) {
    const no_value* known = one;
    while (known != nullptr && known->at != other->at)
      known = known->other;
    if (known != nullptr) continue;
    no_values_.push_back(*other);
    no_values_.back().other = one;
    one = &no_values_.back();
  }
  return one;
}

// Before an instruction of a thread that has registers without a value.
void grid::follow(const instruction& at, thread& who) {
  const opcode what = opcode(at.opcode);
  const std::vector<operand>& all = at.operands;
  const auto use = [&](size_t index, const char* how) {
    const no_value* const one = index < all.size() ? lacking(who, all[index]) : nullptr;
    if (one != nullptr) report_use(who, at, *one, how);
  };
  // What the tensor cores still compute may be moved to another register, and no more.
  if (what > opcode::mov ? what <= opcode::last_arithmetic : what != opcode::unknown && what < opcode::mov)
    for (size_t index = 1; index < all.size(); ++index)
      if (const no_value* const one = lacking(who, all[index]); one != nullptr && one->operation != 0)
        return report_use(who, at, *one, "computes with");
  switch (what) {
  case opcode::call:
  case opcode::ret:
  case opcode::exit:
    return;
  case opcode::cvta:
  case opcode::isspacep:
  case opcode::mapa:
  case opcode::getctarank:
  case opcode::set:
  case opcode::setp:
    return set_lacking(who, all[0], lacking_result(at, who));
  case opcode::ld:
    use(1, "reads at an address that depends on");
    return set_lacking(who, all[0], nullptr);
  case opcode::st: {
    use(0, "writes at an address that depends on");
    const location to = locate(who, effective(who, all[0]), at.where, 0, at);
    const no_value* const one = lacking(who, all[1]);
    if (to.is_global || (one != nullptr && one->operation != 0 && !to.is_private))
      use(1, to.is_global ? "writes to global memory" : "writes to shared memory");
    return;
  }
  default:
    break;
  }
  if (what != opcode::unknown && what <= opcode::last_arithmetic)
    return set_lacking(who, all[0], lacking_result(at, who));
  const bool has_result = !all.empty() && (all[0].is == operand::form::reg || all[0].is == operand::form::list) &&
                          what != opcode::brx && what != opcode::nanosleep && what != opcode::bar_sync &&
                          what != opcode::bar_arrive;
  for (size_t index = has_result ? 1 : 0; index < all.size(); ++index)
    use(index, "uses, as an operand,");
  if (has_result) set_lacking(who, all[0], nullptr);
}

void grid::check_guard(const instruction& at, thread& who) {
  const auto& all = who.frames.back().without_value;
  const auto found = all.find(static_cast<uint32_t>(at.guard));
  if (found != all.end() && !has_come(who, *found->second)) report_use(who, at, *found->second, "decides by");
}

uint8_t* grid::written_bytes(uint64_t key) {
  block* const owner = owner_of(key);
  return owner == nullptr ? nullptr : owner->written.data() + (key & ((uint64_t{1} << rank_shift) - 1));
}

bool grid::is_unwritten(uint64_t key, uint64_t size) {
  const uint8_t* const bytes = written_bytes(key);
  return bytes != nullptr && std::all_of(bytes, bytes + size, [](uint8_t each) { return each == 0; });
}

const no_value* grid::make_no_value(const instruction& at, const thread& who, uint64_t key, int lane) {
  who.home->lacks_values = true;
  no_values_.push_back({&at, &who, key, lane});
  return &no_values_.back();
}

// What a load from shared memory has read: elements of which nothing has written a byte. Padding of a structure, which is
// copied with its neighbors, is not reported.
void grid::check_loaded(const instruction& at, thread& who, const location& from) {
  const operand& to = at.operands[0];
  for (uint32_t part = 0; part < at.vector; ++part) {
    const uint64_t key = from.key + part * at.first.bytes;
    if (is_unwritten(key, at.first.bytes)) set_lacking(who, to.part(part), make_no_value(at, who, key, -1));
  }
}

// After an atomic operation on shared memory that nothing has written: the result has no value, and unless the operation
// has replaced it, neither has the memory.
void grid::update_unwritten(const instruction& at, thread& who, const location& to) {
  const operation what = operation(at.operation);
  if (opcode(at.opcode) == opcode::atom) set_lacking(who, at.operands[0], make_no_value(at, who, to.key, -1));
  if (what != operation::exch && what != operation::cas) std::fill_n(written_bytes(to.key), at.first.bytes, 0);
}

// Before a store to shared memory: what lacks a value leaves the place without one.
void grid::mark_stored(const instruction& at, thread& who, const location& to) {
  const operand& from = at.operands[1];
  for (uint32_t part = 0; part < at.vector; ++part)
    if (const no_value* const one = lacking(who, from.part(part)); one != nullptr && one->operation == 0)
      if (uint8_t* const bytes = written_bytes(to.key + part * at.first.bytes)) std::fill_n(bytes, at.first.bytes, 0);
}

// Reported when the kernel ends without a race: a place is also read too early if a barrier is missing.
void grid::report_use(const thread& who, const instruction& at, const no_value& lacks, const char* how) {
  if (lacks.other != nullptr) report_use(who, at, *lacks.other, how);
  if (!reported_.insert({where_is(*lacks.at), "no value"}).second || late_.size() >= 20) return;
  finding made;
  made.kind = "uninitialized";
  participant source = participant_of(*lacks.by);
  source.instruction = lacks.at->text;
  source.at = places_of(*lacks.at);
  source.action = "read";
  participant user = participant_of(who);
  user.instruction = at.text;
  user.at = places_of(at);
  const std::string begin = name_of(user) + " " + how + " what ";
  if (lacks.operation != 0) {
    made.kind = "race";
    made.rule = "tensor-cores-not-awaited";
    source.action.clear();
    const bool is_load = opcode(lacks.at->opcode) == opcode::tensor_ld;
    made.message = begin + (is_load ? "tcgen05.ld loads" : "the tensor cores compute") + line_of(source) +
                   ", and has not waited for it";
    made.remedy = is_load ? "execute tcgen05.wait::ld before the use"
                          : "execute wgmma.commit_group and wgmma.wait_group before the use";
  } else if (lacks.lane >= 0) {
    made.rule = "absent-lane";
    made.message = begin + "it got" + line_of(source) + " from lane " + std::to_string(lacks.lane) +
                   ", which takes no part in the shuffle";
    made.remedy = "name that lane in the mask and let it execute the shuffle, or do not use the value";
  } else {
    name_memory(source, lacks.key);
    source.bytes = lacks.at->first.bytes;
    made.rule = "uninitialized-shared";
    made.message = begin + "it read from " + object_of(source) + line_of(source) + ", which nothing has written";
    made.remedy =
        "write all of it before it is read, with a barrier between if another thread writes it, or read only what was "
        "written";
  }
  made.message += "; the use is" + line_of(user);
  made.by = {source, user};
  if (!is_trusted(made)) late_.push_back({std::move(made), lacks.lane < 0 && lacks.operation == 0 ? lacks.key : 0});
}

void grid::report_late() {
  report_kept();
  report_stale();
  decltype(late_) all;
  all.swap(late_);
  if (result_.has_bugs()) return;
  for (auto& [each, key] : all) {
    const access* const copy = key != 0 ? order_.find_copy(key) : nullptr;
    const block::copy* const under_way = key != 0 && copy == nullptr ? find_copy_under_way(key) : nullptr;
    if (under_way != nullptr) {
      participant of_copy;
      of_copy.at = places_of(*under_way->at);
      each.message += "; a copy to it is still under way" + line_of(of_copy);
    } else if (copy != nullptr) {
      each.message += "; a copy wrote it later" + line_of(participant_of(*copy, key));
    }
    if (copy != nullptr || under_way != nullptr) {
      each.remedy =
          "wait for the phase in which the copy completes, before the read: a wait is missing, or its parity is wrong";
    }
    report(std::move(each));
    if (!with_.goes_on_after_races) return;
  }
}

}  // namespace model
