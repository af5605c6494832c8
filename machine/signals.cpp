// Signals between blocks without fences, for data that is volatile: no races, but what is read may be older than the signal.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grid.h"

namespace model {

// Before a strong read. A thread that has seen a write of another one expects what that one wrote before; nothing orders
// volatile accesses to several places. What is read again and again at one line is polled, and a signal itself.
void grid::note_signals(thread& who, const location& at, uint64_t size, const instruction& by) {
  if (!has_volatile_data_ || !with_.finds_races || !at.is_global || at.is_private) return;
  const bool reads_data = is_volatile(by);
  if (reads_data && order_.has_read(at.key, who.id, &by)) stale_[&by].second = true;
  access last{};
  order_.for_strong_writes(at.key, size, [&](const access& each) {
    if (each.from.block == who.home->serial) return;
    if (each.sequence > last.sequence) last = each;
    if (opcode(by.opcode) == opcode::ld) return;
    for (uint32_t left = each.lanes; left != 0; left &= left - 1)
      who.seen.change().signaled.set(each.who + static_cast<uint32_t>(__builtin_ctz(left)), each.sequence);
  });
  if (last.sequence == 0 || last.lanes != 1) return;
  if (opcode(by.opcode) == opcode::ld) who.seen.change().signaled.set(last.who, last.sequence);
  const bool is_known = who.seen.all.of(last.who) >= last.when || who.seen.special().flushed.of(last.who) >= last.when;
  if (!reads_data || !is_volatile(*last.at) || is_known || stale_.count(&by) != 0) return;
  if (who.seen.special().signaled.of(last.who) <= last.sequence) return;
  const access here{who.id, times_[who.id], place_of(who), 0, false, true, false, false, by.reach, &by};
  finding& made = stale_[&by].first;
  const participant reader = participant_of(here, at.key), writer = participant_of(last, at.key);
  made.kind = "race";
  made.rule = "missing-fence";
  made.message = name_of(reader) + " reads " + object_of(reader) + line_of(reader) + "; " + name_of(writer) +
                 " wrote it" + line_of(writer) +
                 " before a signal that the reader has seen, but no fences order the two: it may read an older value";
  made.remedy =
      "call __threadfence() between the write and the signal, and between the read of the signal and this read";
  made.by = {writer, reader};
}

void grid::report_stale() {
  decltype(stale_) all;
  all.swap(stale_);
  if (result_.has_bugs()) return;
  for (auto& [by, each] : all)
    if (!each.second && !each.first.message.empty() && !is_trusted(each.first)) {
      report(std::move(each.first));
      if (!with_.goes_on_after_races) return;
    }
}

}  // namespace model
