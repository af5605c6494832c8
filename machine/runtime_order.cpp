// Which work of streams and graphs is ordered, and the races of work that is not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime_order.h"
#include "runtime_work.h"

#include <algorithm>
#include <set>

namespace model {

void work_order::join(clock& to, const clock& from) {
  for (const auto& each : from)
    to[each.first] = std::max(to[each.first], each.second);
}

bool work_order::knows(const clock& all, const work& which, work_number number) {
  const auto at = all.find(which.chain);
  return at != all.end() && at->second >= number;
}

// It goes on with the chain of a piece before it that is the last one there.
void work_order::add(work_number made, const std::vector<work_number>& after, const std::string& where) {
  work& one = all_[made];
  one.where = where;
  one.known = host_;
  one.chain = ~uint32_t{0};
  for (const work_number each : after) {
    const auto before = all_.find(each);
    if (before == all_.end()) continue;
    join(one.known, before->second.known);
    if (last_of_[before->second.chain] == each) one.chain = before->second.chain;
  }
  if (one.chain == ~uint32_t{0}) one.chain = chains_++;
  one.known[one.chain] = last_of_[one.chain] = made;
  ++open_;
}

void work_order::begin(work_number which, work_number last_added) {
  all_.at(which).added_at_begin = last_added;
}

void work_order::end(work_number which) {
  all_.at(which).is_open = false;
  --open_;
}

void work_order::tell_host(const std::vector<work_number>& all) {
  for (const work_number each : all) {
    const auto at = all_.find(each);
    if (at != all_.end()) join(host_, at->second.known);
  }
  forget();
}

void work_order::tell_host_all() {
  for (const auto& each : all_)
    join(host_, each.second.known);
  forget();
}

bool work_order::host_knows(work_number which) const {
  const auto at = all_.find(which);
  return at == all_.end() || knows(host_, at->second, which);
}

// All, once the host knows of all; and the accesses that nothing can race with any more.
void work_order::forget() {
  if (open_ == 0 && std::all_of(all_.begin(), all_.end(),
                                [this](const auto& each) { return knows(host_, each.second, each.first); })) {
    all_.clear();
    last_of_.clear();
    host_.clear();
    return;
  }
  for (auto& each : all_) {
    work& one = each.second;
    if (one.accesses.empty() || !knows(host_, one, each.first)) continue;
    const bool is_needed = std::any_of(all_.begin(), all_.end(), [&](const auto& other) {
      return other.second.is_open && !are_ordered(std::min(each.first, other.first), std::max(each.first, other.first));
    });
    if (!is_needed) one.accesses.clear();
  }
}

void work_order::forget_memory(uint64_t start, uint64_t bytes) {
  const auto is_there = [=](const footprint::range& one) { return one.start >= start && one.end <= start + bytes; };
  for (auto& each : all_)
    for (footprint& one : each.second.accesses)
      one.ranges.erase(std::remove_if(one.ranges.begin(), one.ranges.end(), is_there), one.ranges.end());
}

bool work_order::are_ordered(work_number early, work_number late) const {
  const work &first = all_.at(early), &second = all_.at(late);
  return early == late || knows(second.known, first, early) || (first.tells_host && late > first.added_at_begin);
}

void work_order::note(work_number which, footprint made, bool tells_host, bool asks_host) {
  work& here = all_.at(which);
  here.tells_host = here.tells_host || tells_host;
  if (asks_host) join(here.known, host_);
  for (auto each = all_.rbegin(); each != all_.rend(); ++each)
    if (!are_ordered(std::min(each->first, which), std::max(each->first, which)))
      for (const footprint& old : each->second.accesses)
        if (sticky_error() == cudaSuccess) compare(each->first, old, which, made);
  here.accesses.push_back(std::move(made));
  if (tells_host) join(host_, here.known);
  limit_memory(here);
}

// Forgets what this work has accessed if there would be too many ranges: 40 bytes each.
void work_order::limit_memory(work& last) {
  static const uint64_t most = from_environment("CUDASYNC_MACHINE_MOST_RANGES", 4 << 20);
  uint64_t ranges = 0;
  for (const auto& each : all_)
    for (const footprint& one : each.second.accesses)
      ranges += one.ranges.size();
  if (ranges <= most) return;
  last.accesses.clear();
  if (is_limited_) return;
  is_limited_ = true;
  finding limit;
  limit.kind = limit.rule = "limit";
  limit.message = "races between streams are not looked for: what was accessed before the host waits is in more than " +
                  std::to_string(most) + " places";
  limit.remedy = "let the host wait more often, or make the problem smaller";
  report(limit);
}

namespace {

std::string name_in_stream(const participant& who) {
  return (who.kernel.empty() ? who.instruction : "`" + who.kernel + "`") + " in " + who.stream;
}

}  // namespace

// The one that was added first is the first in the report, whichever ran first.
void work_order::compare(work_number kept, const footprint& old, work_number here, const footprint& made_now) {
  if (may_signal(old, made_now) || may_signal(made_now, old)) return;
  footprint_conflict found = find_conflict(old, made_now);
  const bool is_strict = from_environment("CUDASYNC_MACHINE_STRICT", 0) != 0;
  if (!found.is_found || (found.is_same_value && !is_strict)) return;
  found.one.stream = all_.at(kept).where;
  found.other.stream = all_.at(here).where;
  if (here < kept) std::swap(found.one, found.other);
  const participant &first = found.one, &second = found.other;

  finding made;
  made.kind = "race";
  made.rule = "unordered-streams";
  made.is = found.is_same_value ? finding::level::strict : finding::level::bug;
  made.kernel = second.kernel.empty() ? first.kernel : second.kernel;
  const auto line = [](const participant& who) { return who.at.empty() ? "" : line_of(who); };
  made.message = name_in_stream(second) + " " + verb_of(second, true) + " " + object_of(second) + line(second) + "; " +
                 name_in_stream(first) + " " + verb_of(first, false) + " it" + line(first) +
                 "; nothing orders the two" + (found.is_same_value ? ", but both write the same value" : "");
  if (first.stream == second.stream) {  // a graph's
    made.remedy =
        "add a dependency between the two nodes; in a capture, by an event of one stream that the other waits for";
  } else {
    made.remedy = "record an event in " + first.stream + " after the first (cudaEventRecord), and let " +
                  second.stream + " wait for it before the second (cudaStreamWaitEvent)";
    const std::string legacy = "the default stream";
    if (first.stream == legacy || second.stream == legacy)
      made.remedy += "; only streams without cudaStreamNonBlocking wait for the default stream";
  }
  if (shares_flag(old, made_now) || shares_flag(made_now, old))
    made.remedy +=
        "; or, if one kernel signals to the other, call __threadfence() (__threadfence_system() for memory of the "
        "host) before the signal and after the other has seen it";
  made.by = {first, second};
  static auto* const reported = new std::set<std::string>;
  if (!reported->insert(made.rule + line(first) + name_in_stream(first) + line(second) + name_in_stream(second)).second)
    return;
  report(made);
  if (!found.is_same_value) fail(cudaErrorUnknown);
}

}  // namespace model
