// What each instruction does.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arithmetic.h"
#include "grid.h"

#include <algorithm>

namespace model {
namespace {

// redux of two lanes.
bits reduced(const instruction& at, bits one, bits other, type as) {
  if (!is_float(as)) return combine(operation(at.operation), one, other, 0, as);
  const bool is_one = std::isnan(to_double(one, as)), is_other = std::isnan(to_double(other, as));
  if (is_one || is_other) return at.has("NaN"_w) || (is_one && is_other) ? bits{0x7fffffff} : is_one ? other : one;
  return combine(operation(at.operation), one, other, 0, as);
}

}  // namespace

// Of a group of lanes at one place. Those that are disabled by the guard only go on.
void grid::execute(const instruction& at, lanes& group) {
  const opcode what = opcode(at.opcode);
  lanes& active = active_;
  active.clear();
  result_.instructions += group.size();
  for (thread* each : group) {
    const bool enabled =
        at.guard < 0 || (each->frames.back().registers[static_cast<size_t>(at.guard)] != 0) != at.guard_inverted;
    if (at.guard >= 0 && !each->frames.back().without_value.empty()) check_guard(at, *each);
    if (enabled)
      active.push_back(each);
    else
      ++each->frames.back().at;
  }
  if (active.empty()) return;
  if (!at.unknown_word.empty()) refuse(at);
  if (is_of_several_lanes(what)) {
    // Lanes that name different lanes meet apart, if also at one place.
    const uint32_t mask = lanes_named(*active[0]);
    if (with_.finds_races && what == opcode::bar_warp_sync) check_own_lanes(active);
    const bool are_one =
        std::all_of(active.begin(), active.end(), [&](thread* each) { return lanes_named(*each) == mask; });
    if (are_one && is_meeting_complete(active)) return execute_together(at, active);
    for (thread* each : active)
      each->is = state::in_warp;  // until the others come
    result_.instructions -= active.size();
    return;
  }
  if (what == opcode::activemask) {
    for (thread* each : active) {
      write(*each, at.operands[0], lanes_of(active), {kind::bits, 4});
      ++each->frames.back().at;
    }
    return;
  }
  if (what == opcode::mbarrier_arrive || what == opcode::mbarrier_arrive_drop) check_overflow(at, active);
  if (what == opcode::atom || what == opcode::red || what == opcode::st)
    std::shuffle(active.begin(), active.end(), random_);
  order_.begin_instruction();
  for (thread* each : active) {
    acting_ = each;
    if (!each->frames.back().without_value.empty()) follow(at, *each);
    execute_one(at, *each);
    if (result_.how != outcome::end::finished) return;
  }
}

// The lanes that the instruction names have met.
void grid::execute_together(const instruction& at, const lanes& meeting) {
  const opcode what = opcode(at.opcode);
  if (what == opcode::tensor_wait) return wait_for_tensor_accesses(at, meeting);
  if (what == opcode::tensormap_copy) return copy_map(at, meeting);
  if (is_of_tensor_memory(what)) return manage_tensor_memory(at, meeting);
  if (with_.finds_races && what == opcode::bar_warp_sync) {
    view all;
    for (thread* each : meeting)
      all.join(each->seen);
    for (thread* each : meeting) {
      each->seen.join_wider(all);
      tick(*each);
    }
  } else if (with_.finds_races) {  // they do not order memory, but what the lanes have read, they have read
    sequences executed;
    for (const thread* each : meeting)
      executed.set(each->id, order_.sequence());
    for (thread* each : meeting)
      each->seen.executed.join(executed);
  }
  if (is_of_matrices(what)) {
    execute_matrices(at, meeting);
    for (thread* each : meeting)
      if (what != opcode::wgmma_mma && !each->frames.back().without_value.empty())
        set_lacking(*each, at.operands[0], nullptr);
  } else if (what != opcode::bar_warp_sync) {
    exchange(at, meeting);
  }
  for (thread* each : meeting)
    ++each->frames.back().at;
}

namespace {

// Where a shuffle takes the value of a lane from; itself, if that is outside of its segment.
uint32_t source_of_shuffle(const instruction& at, uint32_t lane, uint32_t by, uint32_t limits, bool& fits) {
  const uint32_t segment = limits >> 8 & 31, bottom = lane & segment, top = bottom | (limits & 31 & ~segment);
  by &= 31;
  const int64_t from = at.has("up"_w)     ? int64_t{lane} - by
                       : at.has("down"_w) ? int64_t{lane} + by
                       : at.has("bfly"_w) ? int64_t{lane ^ by}
                                          : int64_t{bottom | (by & ~segment)};
  fits = at.has("up"_w) ? from >= top : from <= top;
  return fits ? static_cast<uint32_t>(from) : lane;
}

}  // namespace

// elect, match, redux, shfl and vote.
void grid::exchange(const instruction& at, const lanes& meeting) {
  const opcode what = opcode(at.opcode);
  const type word{kind::bits, 4}, as = at.first.bytes != 0 ? at.first : word, flag{kind::predicate, 1};
  const uint32_t all = lanes_of(meeting);
  thread* by_lane[32] = {};
  bits given[32];
  uint32_t ballot = 0;
  for (thread* each : meeting) {
    by_lane[each->lane] = each;
    if (what == opcode::vote)
      ballot |= (read(*each, at.operands[1], flag) != 0 ? 1u : 0) << each->lane;
    else if (what != opcode::elect)
      given[each->lane] = read(*each, at.operands[1], as);
  }
  bits common = 0;  // to all lanes
  if (what == opcode::elect) {
    common = static_cast<uint32_t>(__builtin_ctz(all));
  } else if (what == opcode::vote) {
    common = at.has("ballot"_w) ? ballot
             : at.has("any"_w)  ? ballot != 0
             : at.has("all"_w)  ? ballot == all
                                : (ballot == 0 || ballot == all);
  } else if (what == opcode::redux) {
    const auto operand_of = [&](const thread* each) {
      return at.has("abs"_w) ? given[each->lane] & 0x7fffffff : given[each->lane];
    };
    common = operand_of(meeting[0]);
    for (size_t other = 1; other < meeting.size(); ++other)
      common = reduced(at, common, operand_of(meeting[other]), as);
  }
  const operand& to = at.operands[0];
  const bool gives_flag = what == opcode::vote && !at.has("ballot"_w);
  struct answer {
    bits value;
    bool is_set;
    const no_value* lacks = nullptr;
  };
  std::vector<answer> answers;
  for (thread* each : meeting) {
    answer made{common, each->lane == common};
    if (what == opcode::match) {
      uint32_t same = 0;
      for (const thread* other : meeting)
        if (given[other->lane] == given[each->lane]) same |= 1u << other->lane;
      made = {at.has("all"_w) && same != all ? 0 : same, same == all};
    } else if (what == opcode::shfl) {
      const auto number = [&](size_t index) { return static_cast<uint32_t>(read(*each, at.operands[index], word)); };
      const uint32_t from = source_of_shuffle(at, each->lane, number(2), number(3), made.is_set);
      if (by_lane[from] != nullptr)
        made.value = given[from], made.lacks = lacking(*by_lane[from], at.operands[1]);
      else if (with_.finds_races)
        made.lacks = make_no_value(at, *each, 0, static_cast<int>(from));
    }
    answers.push_back(made);
  }
  for (size_t index = 0; index < meeting.size(); ++index) {
    thread& who = *meeting[index];
    const answer& mine = answers[index];
    const bool is_list = to.is == operand::form::list;
    write(who, is_list ? to.parts[0] : to, mine.value, is_list ? as : gives_flag ? flag : type{kind::bits, 8});
    if (is_list) write(who, to.parts[1], mine.is_set, flag);
    if (mine.lacks == nullptr && who.frames.back().without_value.empty()) continue;
    set_lacking(who, to, nullptr);
    set_lacking(who, is_list ? to.parts[0] : to, mine.lacks);
  }
}

void grid::refuse(const instruction& at) {
  throw unsupported("the machine does not implement " + program_.what_is_missing(at));
}

void grid::execute_one(const instruction& at, thread& who) {
  frame& top = who.frames.back();
  const std::vector<operand>& all = at.operands;
  const type as = at.first;
  const auto in = [&](size_t index) { return read(who, all[index], as); };
  const auto out = [&](bits value) { write(who, all[0], value, as); };
  const auto in_word = [&](size_t index) { return read_word(who, all[index]); };
  if (opcode(at.opcode) <= opcode::last_arithmetic && at.opcode != 0) {
    bits values[4] = {};
    for (size_t index = 1; index < all.size() && index <= 4; ++index)
      values[index - 1] = read(who, all[index], operand_type(at, index));
    const bits value = compute(at, values, who.carry);
    if (opcode(at.opcode) == opcode::lop3 && all[0].is == operand::form::list) {  // d|p, and the predicate in the end
      const bool last = read(who, all.back(), {kind::predicate, 1}) != 0, is_set = (value & 0xffffffff) != 0;
      write(who, all[0].parts[0], value, as);
      write(who, all[0].parts[1], at.has("and"_w) ? is_set && last : is_set || last, {kind::predicate, 1});
    } else {
      write(who, all[0], value, operand_type(at, 0));
    }
    ++top.at;
    return;
  }
  switch (opcode(at.opcode)) {
  case opcode::cvta: {
    uint64_t address = static_cast<uint64_t>(read(who, all[1], {kind::bits, 8}));
    const bool is_shared = at.where == space::shared || at.where == space::shared_cluster;
    const bool to = at.has("to"_w);
    if (is_shared && !to) address &= 0xffffffff;
    const uint64_t window = is_shared                      ? shared_window
                            : at.where == space::local     ? local_window
                            : at.where == space::parameter ? parameter_window
                                                           : 0;
    out(to ? address - window : address + window);
    break;
  }
  case opcode::setp:
  case opcode::set: {
    const bool is_set = opcode(at.opcode) == opcode::set;
    const bool has_third = all.size() > 3;
    const bool third = has_third && read(who, all[3], {kind::predicate, 1}) != 0;
    const auto with = [&](bool one) {
      if (!has_third) return one;
      return at.has("and"_w) ? one && third : at.has("or"_w) ? one || third : one != third;
    };
    // One comparison, or one for each half.
    const type part{as.what, static_cast<uint8_t>(as.bytes / as.parts())};
    bool values[2] = {}, opposites[2] = {};
    for (uint32_t index = 0; index < as.parts(); ++index) {
      const auto half = [&](size_t place) { return in(place) >> (8 * part.bytes * index) & mask_of(part.bytes); };
      const bool value = compare(comparison(at.compare), half(1), half(2), part, at.has("ftz"_w));
      values[index] = with(value);
      opposites[index] = with(!value);
    }
    if (is_set) {
      const type to = at.second;
      const uint32_t width = 8u * to.bytes / as.parts();
      const bits one = is_float(to) ? from_double(1, {to.what, static_cast<uint8_t>(to.bytes / to.parts())})
                                    : (bits{1} << width) - 1;
      bits result = 0;
      for (uint32_t index = 0; index < as.parts(); ++index)
        if (values[index]) result |= one << (width * index);
      write(who, all[0], result, to);
    } else if (all[0].is == operand::form::list) {
      write(who, all[0].parts[0], values[0], {kind::predicate, 1});
      write(who, all[0].parts[1], as.parts() == 2 ? values[1] : opposites[0], {kind::predicate, 1});
    } else {
      write(who, all[0], values[0], {kind::predicate, 1});
    }
    break;
  }
  case opcode::isspacep: {
    const uint64_t address = static_cast<uint64_t>(read(who, all[1], {kind::bits, 8}));
    const bool is_shared = address >= shared_window && address < local_window;
    bool value = false;
    if (at.where == space::shared_cluster)
      value = is_shared;
    else if (at.where == space::shared)
      value = is_shared && (address & 0xffffffff) >> rank_shift == who.home->cluster_rank;
    else if (at.where == space::local)
      value = address >= local_window;
    else if (at.where == space::parameter)
      value = address >= parameter_window && address < shared_window;
    else if (at.where == space::global)
      value = address < parameter_window;
    write(who, all[0], value, {kind::predicate, 1});
    break;
  }
  case opcode::mapa: {
    const bool is_generic = as.bytes == 8;
    const uint64_t mapped = address_in(in_word(2), static_cast<uint64_t>(read(who, all[1], as)));
    out(is_generic ? shared_window + mapped : mapped);
    break;
  }
  case opcode::getctarank: {
    write(who, all[0], (in(1) & 0xffffffff) >> rank_shift, {kind::bits, 4});
    break;
  }
  case opcode::ld:
    load(at, who);
    break;
  case opcode::st:
    store(at, who);
    break;
  case opcode::atom:
    atomic(at, who, true);
    break;
  case opcode::red:
    atomic(at, who, false);
    break;
  case opcode::texture:
    read_texture(at, who);
    break;
  case opcode::surface_ld:
  case opcode::surface_st:
    access_surface(at, who, opcode(at.opcode) == opcode::surface_st);
    break;
  case opcode::fence:
    fence(at, who);
    break;
  case opcode::multimem_st:
    store_everywhere(at, who);
    break;
  case opcode::griddepcontrol:
    if (at.has("launch_dependents"_w)) {
      result_.lets_next_begin = true;
    } else if (with_.finds_races && how_.begins_early) {
      if (dependency_ == 0) dependency_ = new_copy(who);
      who.seen.all.set(dependency_, 1);
    }
    break;
  case opcode::nop:
    break;
  case opcode::setmaxnreg:
    who.group->sets_registers.push_back(&at);
    break;
  case opcode::bra:
    top.at = static_cast<size_t>(all[0].value);
    return;
  case opcode::brx: {
    const uint32_t index = in_word(0);
    if (index >= all[1].parts.size()) throw fault("no such target of " + where_is(at));
    top.at = static_cast<size_t>(all[1].parts[index].value);
    return;
  }
  case opcode::stack_alloca: {  // until the function returns
    const uint64_t alignment = all.size() > 2 ? in_word(2) : 8;
    who.local_used = round_up(who.local_used, alignment);
    out(who.local_used);
    who.local_used += static_cast<uint64_t>(in(1));
    if (who.local_used > local_bytes) throw fault("behind the thread's local memory, in " + where_is(at));
    break;
  }
  case opcode::stack_save:
    out(who.local_used);
    break;
  case opcode::stack_restore:
    who.local_used = static_cast<uint64_t>(in(0));
    break;
  case opcode::call: {
    const size_t callee_at = all[0].is == operand::form::list ? 1 : 0;
    const function* callee = all[callee_at].target;
    if (all[callee_at].is == operand::form::reg) {
      callee = reinterpret_cast<const function*>(read(who, all[callee_at], {kind::bits, 8}));
      const std::vector<function*>& reached = kernel_.reached;
      if (std::find(reached.begin(), reached.end(), callee) == reached.end())
        throw fault("a call of what is no function that the kernel names");
    }
    if (callee->is_defined) return enter(who, *callee);
    if (!call_system(callee->name, at, who))
      throw unsupported("the machine does not have " + callee->name + ", PTX line " + std::to_string(at.ptx_line));
    if (result_.how != outcome::end::finished) return;
    break;
  }
  case opcode::ret:
    leave(who);
    return;
  case opcode::exit:
    end_thread(who);
    return;
  case opcode::trap:
    result_.how = outcome::end::trapped;
    result_.error = describe(who);
    report_end("trap", "trap");
    return;
  case opcode::nanosleep:
    who.is = state::sleeping;
    who.wakes_at = now_ + random(2 * uint64_t{in_word(0)} + 1) * nanosecond;
    break;
  case opcode::bar_arrive:
    bar(at, who);
    break;
  case opcode::bar_sync:
  case opcode::bar_red:
    bar(at, who);
    return;  // goes on when the barrier is complete
  case opcode::cluster_arrive:
    cluster_arrive(at, who);
    break;
  case opcode::cluster_wait:
    if (!cluster_wait(at, who)) {
      who.waits_since = changes_;
      who.is = state::sleeping;
      who.wakes_at = now_ + 10 * nanosecond;
      return;
    }
    break;
  case opcode::mbarrier_test_wait:
  case opcode::mbarrier_try_wait:
    if (!test_mbarrier(at, who)) return;
    break;
  case opcode::mbarrier_arrive:
  case opcode::mbarrier_arrive_drop:
  case opcode::mbarrier_complete_tx:
  case opcode::mbarrier_expect_tx:
  case opcode::mbarrier_init:
  case opcode::mbarrier_inval:
  case opcode::mbarrier_pending_count:
    mbarrier(at, who);
    break;
  case opcode::async_st:
    store_async(at, who, false);
    go_on_after(who);
    break;
  case opcode::async_red:
    store_async(at, who, true);
    go_on_after(who);
    break;
  case opcode::cp_async:
    copy_async(at, who);
    go_on_after(who);
    break;
  case opcode::cp_async_commit:
    who.copy_groups.push_back(std::move(who.open_copies));
    who.open_copies.clear();
    break;
  case opcode::cp_async_wait:
    if (at.has("wait_all"_w)) {
      if (!who.open_copies.empty()) who.copy_groups.push_back(std::move(who.open_copies));
      who.open_copies.clear();
      return wait_for_copies(who, who.copy_groups, 0, false);
    }
    return wait_for_copies(who, who.copy_groups, in_word(0), false);
  case opcode::cp_async_mbarrier_arrive: {
    const location place = locate(who, effective(who, all[0]), space::shared, 8, at);
    std::vector<uint32_t> before;  // those of the thread that are not done, which may have made thousands
    const uint32_t id = new_copy(who);
    message published = message_of(who, scope::cta);
    const auto add = [&](const std::vector<uint32_t>& copies) {
      for (const uint32_t each : copies) {
        published.seen.all.set(each, 1);
        if (copies_done_.count(each) == 0) before.push_back(each);
      }
    };
    add(who.open_copies);
    for (const auto& each : who.copy_groups)
      add(each);
    const bool is_counted = at.has("noinc"_w);
    if (!is_counted) {  // it raises the pending count first
      uint64_t raw;
      std::memcpy(&raw, place.bytes, 8);
      mbarrier_word word = mbarrier_word::from(raw);
      ++word.pending;
      mbarriers_[place.key].is_raised = true;
      raw = word.raw();
      std::memcpy(place.bytes, &raw, 8);
    }
    tick(who);
    copies_.push_back(
        {now_ + random(500) * nanosecond, id, before, [=]() { change_mbarrier(place, 1, 0, 0, &published); }});
    break;
  }
  case opcode::cp_bulk:
    copy_bulk(at, who, false);
    go_on_after(who);
    break;
  case opcode::cp_reduce_bulk:
    copy_bulk(at, who, true);
    go_on_after(who);
    break;
  case opcode::cp_bulk_commit:
    who.bulk_groups.push_back(std::move(who.open_bulk));
    who.open_bulk.clear();
    break;
  case opcode::cp_bulk_wait:
    return wait_for_copies(who, who.bulk_groups, in_word(0), at.has("read"_w));
  case opcode::cp_bulk_tensor:
    copy_box(at, who);
    go_on_after(who);
    break;
  case opcode::cp_reduce_tensor:
    copy_box(at, who);
    go_on_after(who);
    break;
  case opcode::tensormap_replace:
    replace_in_map(at, who);
    break;
  case opcode::tensor_commit:
    commit_tensor(at, who);
    break;
  case opcode::tensor_fence:
    fence_tensor(at, who);
    break;
  case opcode::tensor_ld:
    load_tensor(at, who);
    break;
  case opcode::tensor_st:
    store_tensor(at, who);
    break;
  case opcode::wgmma_fence:
    who.has_multiply_fence = true;
    break;
  case opcode::wgmma_commit:
    who.multiply_groups.push_back(std::move(who.open_multiplies));
    who.open_multiplies.clear();
    break;
  case opcode::wgmma_wait:
    return wait_for_copies(who, who.multiply_groups, in_word(0), false);
  case opcode::tensor_mma:
    multiply_async(at, who);
    go_on_after(who);
    break;
  case opcode::launch_try_cancel:
    try_cancel(at, who);
    go_on_after(who);
    break;
  case opcode::launch_query_cancel:
    query_cancel(at, who);
    break;
  default:
    throw unsupported("the machine does not know " + std::string(at.text));
  }
  ++who.frames.back().at;
}

}  // namespace model
