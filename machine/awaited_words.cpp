// What threads wait for in loops of their own: the words that they read again and again, and who changed these.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Nothing is kept of reads while a kernel runs. Once it hangs, its threads go on for a while, and their reads are observed.
#include "grid.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace model {
namespace {

constexpr uint64_t least_turns = 3;  // of a loop
constexpr size_t most_words = 3;

bool is_reg(const operand& of) {
  return of.is == operand::form::reg;
}

bool can_go_on(const thread* each) {
  return each->is == state::ready || each->is == state::sleeping;
}

std::string number_of(uint64_t value, const loop_read* read) {
  if (read != nullptr && read->compared != nullptr) {
    const type as = read->compared->first;
    const int64_t with_sign = static_cast<int64_t>(to_signed(value, as.bytes));
    if (as.what == kind::signed_integer && with_sign < 0) return std::to_string(with_sign);
  }
  return std::to_string(value);
}

std::string counted(uint64_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

// "it is 4": when the comparison would have the other result. Empty if that is not known.
std::string awaited_by(const loop_read& read) {
  if (read.compared == nullptr || read.is_compared_twice || !read.decides || is_float(read.compared->first)) return "";
  const type as = read.compared->first;
  const bool is_signed = as.what == kind::signed_integer;
  const auto cut = [&](uint64_t of) { return of & static_cast<uint64_t>(mask_of(as.bytes)); };
  const uint64_t value = cut(read.value), other = cut(read.other);
  const auto is_less = [&](uint64_t one, uint64_t two) {
    return is_signed ? to_signed(one, as.bytes) < to_signed(two, as.bytes) : one < two;
  };
  const std::string limit = number_of(other, &read);
  const bool is_second = read.is_second;
  switch (comparison(read.compared->compare)) {
  case comparison::eq:
  case comparison::ne:
    return value == other ? "it is no longer " + limit : "it is " + limit;
  case comparison::lt:
  case comparison::lo:
  case comparison::ge:
  case comparison::hs:  // value < other, or with the two in the other order other < value
    if (is_second) return is_less(other, value) ? "it is at most " + limit : "it is more than " + limit;
    return is_less(value, other) ? "it is at least " + limit : "it is less than " + limit;
  case comparison::gt:
  case comparison::hi:
  case comparison::le:
  case comparison::ls:
    if (is_second) return is_less(value, other) ? "it is at least " + limit : "it is less than " + limit;
    return is_less(other, value) ? "it is at most " + limit : "it is more than " + limit;
  default:
    return "";
  }
}

// Whether it waits for one value, which it does not have.
bool is_free_value(const loop_read& read) {
  const std::string until = awaited_by(read);
  return !until.empty() && until == "it is " + number_of(read.other, &read);
}

// "it is 2 or 3".
std::string joined(const std::vector<std::string>& all) {
  std::string text;
  for (size_t index = 0; index < all.size() && index < most_words; ++index) {
    const bool is_number =
        index > 0 && all[index].compare(0, 6, "it is ") == 0 && all[index].find_first_of("0123456789-") == 6;
    const bool is_last = index + 1 == all.size();
    text += (index == 0 ? "" : is_last ? " or " : ", ") + (is_number ? all[index].substr(6) : all[index]);
  }
  return text + (all.size() > most_words ? " or another value" : "");
}

}  // namespace

struct grid::waiting_word {
  uint64_t key = 0, size = 0, value = 0;  // value: that is there, or its first eight bytes
  participant memory;
  std::vector<std::pair<const thread*, const loop_read*>> reads;  // by threads, one after the other
  std::vector<std::string> awaited;                               // by all of the threads; or not known
  launch_changes here, earlier;                                   // earlier: of the same memory, or nothing
  const plain_store* plain = nullptr;                             // of this launch
  bool is_last_known = false;                                     // here has the change that gave it its value
  bool is_counted = false;                                        // here has all changes of this launch
  bool is_unwritten = false;                                      // by this launch

  uint64_t threads() const {
    uint64_t count = 0;
    for (size_t index = 0; index < reads.size(); ++index)
      count += index == 0 || reads[index].first != reads[index - 1].first;
    return count;
  }
};

block* grid::home_of(uint32_t id) const {
  const auto count = static_cast<uint32_t>(how_.block.count());
  for (const auto* list : {&blocks_, &ended_})
    for (const auto& each : *list)
      if (id - each->first_id < count) return each.get();
  return nullptr;
}

bool grid::has_ended(uint32_t id) const {
  const block* const home = home_of(id);
  return home == nullptr || home->threads.empty() || home->threads[id - home->first_id]->is == state::ended;
}

participant grid::participant_of(const word_change& made) const {
  participant who;
  const opcode what = opcode(made.at->opcode);
  who.action = what == opcode::st ? "write" : "update";
  who.instruction = made.at->text;
  who.at = places_of(*made.at);
  if (const block* const home = home_of(made.by)) {
    who.block = home->index;
    who.thread = how_.block.index_of(made.by - home->first_id);
    who.has_thread = true;
  }
  return who;
}

// Whether the checked build does it for its reports.
bool grid::is_of_records(const instruction& at) const {
  const std::vector<source_place> places = places_of(at);
  return std::any_of(places.begin(), places.end(), [](const source_place& each) {
    return each.file.find("/cudasync/hang/") != std::string::npos ||
           each.file.find("/cudasync/checked/") != std::string::npos ||
           each.file.find("/cudasync/trace/") != std::string::npos ||
           each.file.find("/cudasync/core/assert.h") != std::string::npos;
  });
}

void grid::observe_instruction(const instruction& at, const lanes& group) {
  const opcode what = opcode(at.opcode);
  for (thread* each : group) {
    loop_reads& known = observed_[each];
    if (known.depth != each->frames.size()) {
      known.in.clear();
      known.decide.clear();
      known.depth = each->frames.size();
    }
    if (at.guard >= 0) {
      const auto decides = known.decide.find(static_cast<uint32_t>(at.guard));
      if (what == opcode::bra && decides != known.decide.end()) known.all[decides->second].decides = true;
      const bool is_enabled = (each->frames.back().registers[static_cast<size_t>(at.guard)] != 0) != at.guard_inverted;
      if (!is_enabled) continue;
    }
    if (at.operands.empty()) continue;
    if (what == opcode::st) known.stores = true;
    if (what == opcode::bra && static_cast<size_t>(at.operands[0].value) <= each->frames.back().at) {
      const std::vector<uint64_t>& now = each->frames.back().registers;
      if (known.branch == &at)
        for (uint32_t reg = 0; reg < now.size(); ++reg)
          known.counts = known.counts || (now[reg] != known.registers[reg] && known.derived.count(reg) == 0);
      known.branch = &at;
      known.registers = now;
      ++known.returns;
    }
    const operand& to = at.operands[0];
    if (what == opcode::setp) {
      for (size_t index = 1; index < 3 && index < at.operands.size(); ++index) {
        const operand& from = at.operands[index];
        const auto found = is_reg(from) ? known.in.find(from.reg) : known.in.end();
        if (found == known.in.end()) continue;
        loop_read& read = known.all[found->second];
        const operand& other = at.operands[3 - index];
        const auto limit = static_cast<uint64_t>(this->read(*each, other, at.first));
        const bool is_same = read.compared == &at && read.other == limit;
        read.is_compared_twice =
            read.is_compared_twice || at.operands.size() > 3 || (read.compared != nullptr && !is_same);
        read.compared = &at;
        read.is_second = index == 2;
        read.other = limit;
        if (!is_reg(to)) continue;
        known.decide[to.reg] = found->second;
        known.derived.insert(to.reg);
      }
      continue;
    }
    const bool is_move =
        (what == opcode::mov || what == opcode::cvt) && at.operands.size() == 2 && is_reg(at.operands[1]);
    for (uint32_t part = 0; part < to.count(); ++part) {
      const operand& result = to.part(part);
      if (!is_reg(result) || what == opcode::st || what == opcode::red || what == opcode::bra) continue;
      const auto from = is_move ? known.in.find(at.operands[1].reg) : known.in.end();
      if (from != known.in.end()) {
        known.in[result.reg] = from->second;
        known.derived.insert(result.reg);
      } else {
        known.in.erase(result.reg);
      }
      known.decide.erase(result.reg);
    }
  }
}

void grid::observe_access(thread& who, const instruction& at, uint64_t key, uint64_t size, bits value,
                          const bits* made) {
  constexpr size_t most = 64;
  const bool changes = made != nullptr && *made != value;
  if (changes) ++observed_changes_;
  loop_reads& known = observed_[&who];
  auto found = std::find_if(known.all.begin(), known.all.end(),
                            [&](const loop_read& each) { return each.at == &at && each.key == key; });
  if (found == known.all.end()) {
    if (known.all.size() == most) return;
    found = known.all.insert(known.all.end(), loop_read{&at, key, size});
  }
  found->value = static_cast<uint64_t>(value);
  found->is_update = made != nullptr;
  found->is_changed = found->is_changed || changes;
  if (made != nullptr) found->written = static_cast<uint64_t>(*made);
  ++found->times;
  if (opcode(at.opcode) == opcode::red || at.vector != 1 || size > 8 || !is_reg(at.operands[0])) return;
  known.in[at.operands[0].reg] = static_cast<size_t>(found - known.all.begin());
  known.derived.insert(at.operands[0].reg);
}

bool grid::are_all_observed() const {
  for (const auto& warp : warps_)
    for (const thread* each : warp->lanes) {
      if (!can_go_on(each)) continue;
      const auto known = observed_.find(each);
      if (known == observed_.end()) return false;
      const auto is_loop = [](const loop_read& read) { return read.times >= least_turns; };
      if (std::none_of(known->second.all.begin(), known->second.all.end(), is_loop)) return false;
    }
  return true;
}

// After the end, lets the threads go on for a while. is_certain: that they change nothing. False if they did something else than
// to repeat these reads, and changes of the same words.
bool grid::observe_loops(bool is_certain) {
  if (std::none_of(warps_.begin(), warps_.end(),
                   [&](const auto& warp) { return std::any_of(warp->lanes.begin(), warp->lanes.end(), can_go_on); }))
    return false;
  const uint64_t before = changes_, round = 16 * (warps_.size() + 1);
  const uint64_t most = std::min<uint64_t>(400 * (warps_.size() + 1) + 20'000, 1'000'000);
  observes_ = is_over_ = true;
  observed_.clear();
  observed_changes_ = 0;
  time_step_ = 1;
  bool is_done = false;
  try {
    for (uint64_t turn = 1; turn <= most && result_.how == outcome::end::finished && !is_done; ++turn) {
      if (!step() || (is_certain && changes_ != before)) break;
      is_done = turn % round == 0 && are_all_observed();
    }
  } catch (const fault&) {  // it would have been another end
    is_done = false;
  }
  observes_ = is_over_ = false;
  const bool repeats = result_.how == outcome::end::finished && changes_ - before == observed_changes_;
  result_.how = outcome::end::finished;
  return repeats && (is_certain || is_done);
}

// Whether all threads that could go on exchange one word, for the others' values and never for the one that would end their
// loops: it changes again and again, and so does nothing else. Looks while they go on.
bool grid::is_livelock() {
  if (warps_.empty() || !copies_.empty() || !unstarted_.empty()) return false;
  const uint64_t before = changes_, turns = 1000 * (warps_.size() + 1) + 10'000;
  observes_ = true;
  observed_.clear();
  observed_changes_ = 0;
  for (uint64_t turn = 0; turn < turns; ++turn) {
    const bool goes_on = step() && result_.how == outcome::end::finished && !warps_.empty();
    if (!goes_on || changes_ - before != observed_changes_) break;
  }
  observes_ = false;
  if (result_.how != outcome::end::finished || observed_changes_ == 0 || changes_ - before != observed_changes_)
    return false;
  const loop_read* first = nullptr;
  for (const auto& warp : warps_)
    for (const thread* each : warp->lanes) {
      if (!can_go_on(each)) continue;
      const auto known = observed_.find(each);
      if (known == observed_.end() || known->second.all.size() != 1) return false;
      const loop_reads& loop = known->second;
      const loop_read& read = loop.all[0];
      if (first == nullptr) first = &read;
      const bool is_exchange = read.is_update && operation(read.at->operation) == operation::exch;
      const bool is_alone = loop.returns >= least_turns && !loop.stores && !loop.counts;
      if (!is_exchange || !is_alone || !is_free_value(read) || read.written == read.other) return false;
      if (read.key != first->key || read.other != first->other || read.size != first->size) return false;
    }
  return first != nullptr && find_region(first->key).memory == std::string("global") && !let_others_run();
}

std::vector<grid::waiting_word> grid::words_of_loops() const {
  std::map<uint64_t, waiting_word> all;
  std::map<const instruction*, bool> of_records;
  for (const auto& warp : warps_)
    for (const thread* who : warp->lanes) {
      const auto known = observed_.find(who);
      if (known == observed_.end() || who->is == state::ended || who->is == state::at_barrier) continue;
      std::vector<const loop_read*> own;
      for (const loop_read& each : known->second.all) {
        if (each.times < least_turns) continue;
        const auto added = of_records.insert({each.at, false});
        if (added.second) added.first->second = is_of_records(*each.at);
        if (!added.first->second) own.push_back(&each);
      }
      const bool are_strong =
          std::any_of(own.begin(), own.end(), [](const loop_read* each) { return !each->is_weak(); });
      for (const loop_read* each : own) {
        if (are_strong && each->is_weak()) continue;
        waiting_word& word = all[each->key];
        word.key = each->key;
        word.size = std::max(word.size, each->size);
        word.reads.emplace_back(who, each);
        if (own.size() != 1) continue;
        const std::string until = awaited_by(*each);
        if (std::find(word.awaited.begin(), word.awaited.end(), until) == word.awaited.end())
          word.awaited.push_back(until);
      }
    }
  std::vector<waiting_word> found;
  for (auto& each : all) {
    waiting_word& word = each.second;
    const auto is_alone = [&](const auto& read) { return observed_.at(read.first).all.size() == 1; };
    const bool is_unknown = std::find(word.awaited.begin(), word.awaited.end(), "") != word.awaited.end();
    if (is_unknown || !std::all_of(word.reads.begin(), word.reads.end(), is_alone)) word.awaited.clear();
    found.push_back(std::move(word));
  }
  std::stable_sort(found.begin(), found.end(), [](const waiting_word& one, const waiting_word& other) {
    return one.reads.size() > other.reads.size();
  });
  return found;
}

// Whether it is known that no thread or copy of this launch has.
bool grid::is_unwritten_word(uint64_t key, uint64_t size) {
  if (mbarriers_.count(key / 8 * 8) != 0) return false;
  if (with_.finds_races) return !order_.has_write(key, size);
  const auto& [first, end] = other_writes_[key >= shared_window ? 1 : 0];
  if (!changes_of_words_.knows(launch_) || (key < end && first < key + size)) return false;
  for (uint64_t start = key - 15; start < key + size; ++start) {
    const word_changes* const known = changes_of_words_.find(start);
    if (known == nullptr || start + known->here.size <= key) continue;
    if ((known->here.launch == launch_ && known->here.count != 0) || known->is_mixed) return false;
  }
  return !stored_.may_have(key);
}

// What is known of its value, and of who changed it.
void grid::look_up(waiting_word& word) {
  const auto value_at = [&](const void* bytes) {
    uint64_t value = 0;
    std::memcpy(&value, bytes, std::min<uint64_t>(word.size, 8));
    return value;
  };
  name_memory(word.memory, word.key);
  word.memory.bytes = word.size;
  word.value = word.reads[0].second->value;
  if (word.key < shared_window) {
    word.memory.memory = find_region(word.key).memory;
    word.value = value_at(reinterpret_cast<const void*>(word.key));
  } else if (const block* const home = owner_of(word.key)) {
    word.value = value_at(home->shared.data() + (word.key & ((uint64_t{1} << rank_shift) - 1)));
  }
  word.plain = changes_of_words_.find_store(launch_, word.key, word.size);
  if (const word_changes* const known = changes_of_words_.find(word.key);
      known != nullptr && known->here.size == word.size) {
    const bool is_here = known->here.launch == launch_;
    if (is_here) word.here = known->here;
    const launch_changes& earlier = is_here ? known->earlier : known->here;
    const bool is_of_this = word.key < shared_window && earlier.launch > find_region(word.key).since;
    if (!known->is_mixed && earlier.count != 0 && is_of_this && earlier.launch < launch_) word.earlier = earlier;
    word.is_last_known = word.here.count != 0 && (word.size > 8 || word.here.last.value == word.value);
    word.is_counted = word.is_last_known && !known->is_mixed && !stored_.may_have(word.key);
  }
  if (word.plain != nullptr && word.plain->when >= static_cast<uint32_t>(word.here.when))
    word.is_last_known = word.is_counted = false;
  word.is_unwritten = !word.is_last_known && word.plain == nullptr && is_unwritten_word(word.key, word.size);
  if (word.size > 8) word.is_counted = false;
}

// Such as "2 threads read `turns` + 4 again and again, until it is 2 or 3: global memory, 4 bytes, value 1".
std::string grid::sentence_of(const waiting_word& word) const {
  const loop_read& read = *word.reads[0].second;
  const auto is_update = [](const auto& each) { return each.second->is_update; };
  const bool are_updates = std::all_of(word.reads.begin(), word.reads.end(), is_update);
  const std::string verb = !are_updates                                       ? "read"
                           : operation(read.at->operation) == operation::exch ? "exchange"
                                                                              : "update";
  const uint64_t count = word.threads();
  return counted(count, "thread ", "threads ") + verb + (count == 1 ? "s " : " ") + object_of(word.memory) +
         " again and again" + (word.awaited.empty() ? "" : ", until " + joined(word.awaited)) + ": " +
         word.memory.memory + " memory, " + std::to_string(word.size) + (word.size == 1 ? " byte" : " bytes") +
         (word.size > 8 ? "" : ", value " + number_of(word.value, &read));
}

std::string grid::name_of_launch(uint64_t launch) const {
  return "launch " + std::to_string(launch) + " of the program" +
         (changes_of_words_.kernel_of(launch) == kernel_.name ? ", of this kernel," : "");
}

// Lines about who changed it.
std::vector<std::string> grid::history_of(const waiting_word& word) const {
  const loop_read& read = *word.reads[0].second;
  const launch_changes &here = word.here, &earlier = word.earlier;
  const auto number = [&](uint64_t value) { return number_of(value, &read); };
  const auto by = [&](const word_change& each) {
    const participant who = participant_of(each);
    return name_of(who) + line_of(who) + (has_ended(each.by) ? ", which has ended" : "");
  };
  const auto step_of = [&](const word_change& each) {
    return (word.size > 8 ? "by " : "from " + number(each.before) + " to " + number(each.value) + ", by ") + by(each);
  };
  std::vector<std::string> lines;
  if (word.is_last_known) {
    const bool is_one = here.count == 1;
    lines.push_back("last change: " + step_of(here.last) +
                    (!word.is_counted ? ""
                     : is_one         ? ": the only one in this launch"
                              : ": the last of " + std::to_string(here.count) + " in this launch, which began with " +
                                    number(here.first)));
    if (here.other.at != nullptr) lines.push_back("before that: " + step_of(here.other));
    const auto is_read = [&](const auto& each) { return each.second->at == here.idle.at; };
    if (here.idles != 0 && std::none_of(word.reads.begin(), word.reads.end(), is_read))
      lines.push_back(counted(here.idles, "operation", "operations") + " found what " +
                      (here.idles == 1 ? "it" : "they") + " would have set, the last one by " + by(here.idle));
    if (word.is_counted && earlier.count != 0 && earlier.last.value == here.first)
      lines.push_back(name_of_launch(earlier.launch) + " had changed it " + counted(earlier.count, "time", "times") +
                      ", to " + number(here.first));
  } else if (word.plain != nullptr) {
    const uint64_t mask = word.size == 1 ? 0xff : 0xffff;
    if (word.plain->key != word.key || (word.plain->value & mask) == (word.value & mask))
      lines.push_back("last change: by " + by({word.plain->at, word.plain->by, 0, 0}));
  } else if (word.is_unwritten) {
    const bool is_left = earlier.count != 0 && word.size <= 8 && earlier.last.value == word.value;
    lines.push_back("no thread of this launch has written it" +
                    (is_left ? "; " + name_of_launch(earlier.launch) + " left this value" : ""));
  }
  return lines;
}

// Of a word that changes all the time.
std::vector<std::string> grid::history_of_livelock(const waiting_word& word) const {
  std::vector<std::string> lines;
  const auto changes = [](const auto& each) { return each.second->is_changed; };
  const auto count = static_cast<uint64_t>(std::count_if(word.reads.begin(), word.reads.end(), changes));
  participant who = participant_of(*word.reads[0].first);
  who.at = places_of(*word.reads[0].second->at);
  if (count != 0)
    lines.push_back((count != word.threads() ? counted(count, "of them changes it", "of them change it")
                     : count == 1            ? "it changes it"
                                             : "all of them change it") +
                    std::string(" in the loop") + line_of(who) + ", and nothing else does");
  const word_change& failed = word.here.failed;
  if (failed.at == nullptr) return lines;
  who = participant_of(failed);
  lines.push_back("the last compare-exchange that failed: " + name_of(who) + line_of(who) + " expected " +
                  std::to_string(failed.value) + " and found " + std::to_string(failed.before));
  return lines;
}

// Blocks that ended without what most others did; or nothing.
std::string grid::blocks_without(const waiting_word& word) const {
  const instruction* const at = word.here.last.at;
  const auto did = [&](const auto& each) {
    return std::find(each->signals.begin(), each->signals.end(), at) != each->signals.end();
  };
  const auto is_read = [&](const auto& each) { return each.second->at == at; };
  const auto count = static_cast<size_t>(std::count_if(ended_.begin(), ended_.end(), did));
  const size_t without = ended_.size() - count;
  if (word.key >= shared_window || without == 0 || without * 2 >= ended_.size() ||
      std::any_of(word.reads.begin(), word.reads.end(), is_read))
    return "";
  const std::string first = "block " + triple((*std::find_if_not(ended_.begin(), ended_.end(), did))->index);
  return (without == 1 ? first + " has" : counted(without, "", "blocks, ") + first + " first, have") +
         " ended without the " + (opcode(at->opcode) == opcode::st ? "store" : "operation") +
         line_of(participant_of(word.here.last)) + ", unlike " + std::to_string(count) + " others";
}

// What they read, where it is not what is there.
std::string grid::old_value(const waiting_word& word) const {
  const auto is_old = [&](const auto& each) {
    const instruction& at = *each.second->at;
    const bool may_be_old = !each.second->is_update && (at.ordering == order::weak || at.reach == scope::cta);
    return may_be_old && each.second->value != word.value;
  };
  const auto found = std::find_if(word.reads.begin(), word.reads.end(), is_old);
  if (word.key >= shared_window || word.size > 8 || found == word.reads.end()) return "";
  return number_of(found->second->value, found->second);
}

void grid::explain_word(waiting_word& word, bool is_certain) {
  look_up(word);
  std::vector<std::string> lines = is_certain ? history_of(word) : history_of_livelock(word);
  if (const std::string old = is_certain ? old_value(word) : ""; !old.empty())
    lines.insert(lines.begin(), "the threads read " + old + ", which the L1 cache of their multiprocessor has kept");
  if (const std::string text = is_certain && word.is_last_known ? blocks_without(word) : ""; !text.empty())
    lines.push_back(text);
  const bool is_of_host = word.key < shared_window && word.memory.memory != "global";
  if (const std::string call = is_of_host && with_.call_of_host ? with_.call_of_host() : ""; !call.empty())
    lines.push_back("the host, which could write it, waits in " + call + " for the kernel");
  result_.error += "\n  " + sentence_of(word);
  for (const std::string& line : lines)
    result_.error += "\n    " + line;
  if (hang_.likely_cause.empty())
    hang_.likely_cause = is_certain ? cause_of_word(word, hang_.remedy) : cause_of_livelock(word, hang_.remedy);
  awaited_word made;
  made.memory = word.memory;
  made.value = word.size > 8 ? 0 : word.value;
  made.threads = word.threads();
  made.awaited = word.awaited;
  made.is_written = !word.is_unwritten;
  made.has_last = is_certain && word.is_last_known;
  if (made.has_last) {
    made.last = participant_of(word.here.last);
    made.last_before = word.here.last.before;
    made.last_value = word.here.last.value;
  }
  if (is_certain && word.is_counted) {
    made.changes = word.here.count;
    made.at_launch = word.here.first;
  }
  const uint64_t begins_with = word.is_counted ? word.here.first : word.value;
  if (is_certain && (word.is_counted || word.is_unwritten) && word.earlier.last.value == begins_with) {
    made.earlier_launch = word.earlier.launch;
    made.earlier_changes = word.earlier.count;
  }
  hang_.words.push_back(std::move(made));
}

// Whether a thread of the kernel may tell something to another one, or to the host.
bool grid::has_signals() const {
  for (const function* each : kernel_.reached)
    for (const instruction& at : each->code) {
      const opcode what = opcode(at.opcode);
      const bool is_signal = what == opcode::atom || what == opcode::red || what == opcode::multimem_st ||
                             what == opcode::cp_bulk || what == opcode::cp_reduce_bulk || what == opcode::surface_st ||
                             (what == opcode::st && at.ordering != order::weak);
      const bool is_inside = at.where == space::shared || at.where == space::local;
      if (is_signal && !is_inside && !is_of_records(at)) return true;
    }
  return false;
}

// Whether all read it by exchanges.
bool grid::are_exchanges(const waiting_word& word) {
  return std::all_of(word.reads.begin(), word.reads.end(), [](const auto& each) {
    return each.second->is_update && operation(each.second->at->operation) == operation::exch;
  });
}

// A sentence, and the remedy; nothing if it is not certain. Of a lock that the threads which wait for it overwrite.
std::string grid::cause_of_livelock(const waiting_word& word, std::string& remedy) const {
  const loop_read& read = *word.reads[0].second;
  const word_change& failed = word.here.failed;
  const auto is_of_lock = [&](const auto& each) {
    return is_free_value(*each.second) && each.second->other == read.other && each.second->written != read.other;
  };
  const auto has_written = [&](const auto& each) { return each.second->written == failed.before; };
  const auto is_read = [&](const auto& each) { return each.second->at == failed.at; };
  const auto& all = word.reads;
  if (failed.at == nullptr || !are_exchanges(word) || !std::all_of(all.begin(), all.end(), is_of_lock)) return "";
  if (std::none_of(all.begin(), all.end(), has_written) || std::any_of(all.begin(), all.end(), is_read)) return "";
  remedy = "wait with a compare-exchange, which writes only if the word is " + number_of(read.other, &read) +
           "; or let the thread that has the lock give it back with a store";
  participant waits = participant_of(*all[0].first);
  waits.at = places_of(*read.at);
  const participant who = participant_of(failed);
  return "the exchange" + line_of(waits) +
         " also writes the word while another thread has the lock: the compare-exchange of " + name_of(who) +
         line_of(who) + " expected " + number_of(failed.value, &read) + ", found " + number_of(failed.before, &read) +
         ", and did not give the lock back";
}

// Of a value that a thread has taken away from others; or nothing.
std::string grid::cause_of_exchange(const waiting_word& word, std::string& remedy) const {
  const launch_changes& here = word.here;
  const loop_read& read = *word.reads[0].second;
  const auto is_at = [](const instruction* at) { return [at](const auto& each) { return each.second->at == at; }; };
  const auto& all = word.reads;
  if (!word.is_counted || here.count != 2 || here.other.at == nullptr || !are_exchanges(word)) return "";
  if (std::none_of(all.begin(), all.end(), is_at(here.last.at)) ||
      std::any_of(all.begin(), all.end(), is_at(here.other.at)))
    return "";
  const auto changes_it = [&](const auto& each) { return each.second->written != word.value; };
  const auto took_it = [&](const auto& each) { return each.first->id == here.last.by; };
  if (std::any_of(all.begin(), all.end(), changes_it) || std::any_of(all.begin(), all.end(), took_it)) return "";
  const block* const home = home_of(here.other.by);  // a block that also takes it gives a lock back
  if (home == nullptr || std::find(home->signals.begin(), home->signals.end(), here.last.at) != home->signals.end())
    return "";
  remedy = "test the word with a load, which does not change it; or store it once for each thread that waits";
  const participant takes = participant_of(here.last);
  return name_of(takes) + " took the " + number_of(here.last.before, &read) + " away that " +
         name_of(participant_of(here.other)) + " had stored: the exchange" + line_of(takes) + " writes " +
         number_of(here.last.value, &read) + ", so no other thread sees it";
}

std::string grid::cause_of_word(const waiting_word& word, std::string& remedy) const {
  const launch_changes& here = word.here;
  const loop_read& read = *word.reads[0].second;
  participant reader = participant_of(*word.reads[0].first);
  reader.at = places_of(*read.at);
  if (const std::string old = old_value(word); !old.empty()) {
    remedy = "read the word with an atomic load of device scope, or through a pointer to volatile";
    return "the load" + line_of(reader) + " reads the L1 cache, which keeps " + old +
           ": a load that is not atomic, or of block scope, need not see what another multiprocessor writes";
  }
  if (const std::string exchange = cause_of_exchange(word, remedy); !exchange.empty()) return exchange;
  const bool is_one_value = word.awaited.size() == 1 && is_free_value(read);
  const bool is_left = here.first != 0 && word.earlier.last.value == here.first && word.earlier.last.at == here.last.at;
  const bool is_passed = word.is_counted && here.only_rises && word.value > read.other;
  if (is_one_value && is_passed && is_left && word.value - here.first == read.other) {
    remedy = "set the word to 0 before each launch, or wait for a value that goes on from launch to launch";
    return "the word was " + number_of(here.first, &read) + " when this launch began, as launch " +
           std::to_string(word.earlier.launch) + " of the program had left it, so that it has gone past " +
           number_of(read.other, &read);
  }
  if (word.memory.memory == "host" && word.is_unwritten && with_.call_of_host && !has_signals()) {
    const std::string call = with_.call_of_host();
    if (call.empty()) return "";
    remedy = "write the word before the call of " + call + ", or after the launch without a call that waits in between";
    return "the kernel waits for the host to write this word, and the host waits in " + call + " for the kernel to end";
  }
  return "";
}

// is_certain: not only the time is over.
void grid::end_hung(bool is_certain) {
  result_.how = outcome::end::hung;
  result_.error = describe_hang();
  const std::string rule = rule_of_hang();
  hang_.by = waiting_places();
  result_.how = outcome::end::finished;
  if (observe_loops(is_certain)) {
    std::vector<waiting_word> words = words_of_loops();
    for (size_t index = 0; index < std::min(words.size(), most_words); ++index)
      explain_word(words[index], is_certain);
    if (words.size() > most_words)
      result_.error +=
          "\n  " + counted(words.size() - most_words, "more word is", "more words are") + " read again and again";
  }
  result_.how = outcome::end::hung;
  report_end("hang", rule);
}

}  // namespace model
