// Clusters that have not started: when they start, and requests to cancel their launch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grid.h"

#include <algorithm>

namespace model {

// A response: the index of a block, and whether it has been canceled. Programs cannot decode it, because PTX does not say
// how: the bits are mixed with others.
struct launch_response {
  extent first;
  uint32_t kind;

  static constexpr uint32_t canceled = 0x5ca1ab1e, failed = 0x0ddba11;

  bits raw() const { return (bits{first.x} | bits{first.y} << 32 | bits{first.z} << 64 | bits{kind} << 96) ^ secret(); }
  static launch_response from(bits raw) {
    raw ^= secret();
    return {{static_cast<uint32_t>(raw), static_cast<uint32_t>(raw >> 32), static_cast<uint32_t>(raw >> 64)},
            static_cast<uint32_t>(raw >> 96)};
  }
  static bits secret() { return bits{0x9e3779b97f4a7c15} << 64 | bits{0xbf58476d1ce4e5b9}; }
};

// If the kernel can cancel launches, only some of its clusters run at a time, and they start at any time, in any order.
void grid::plan_launches() {
  const uint64_t blocks = how_.cluster.count();
  const uint64_t clusters = how_.grid.count() / blocks;
  for (uint64_t number = clusters; number > 0; --number)
    unstarted_.push_back(number - 1);
  most_resident_ = std::max<uint64_t>(with_.resident_blocks, blocks);
  for (const function* each : kernel_.reached)
    for (const instruction& one : each->code) {
      has_volatile_data_ = has_volatile_data_ || (opcode(one.opcode) == opcode::st && is_volatile(one));
      cancels_ = cancels_ || opcode(one.opcode) == opcode::launch_try_cancel;
    }
  if (!cancels_) return;
  std::shuffle(unstarted_.begin(), unstarted_.end(), random_);
  most_resident_ = std::min(most_resident_, blocks * (1 + random(clusters)));
}

bool grid::can_start_cluster() const {
  return !unstarted_.empty() && blocks_.size() + how_.cluster.count() <= most_resident_;
}

void grid::start_clusters() {
  while (can_start_cluster() && (!cancels_ || blocks_.empty() || random(400) == 0))
    start_cluster();
}

// The request is decided at some time after the instruction, and each block gets the response at some later time.
void grid::try_cancel(const instruction& at, thread& who) {
  block& home = *who.home;
  if (home.knows_of_failure)
    throw fault("a request to cancel a launch after one that failed is undefined behavior, in " + where_is(at));
  const bool multicast = at.has("multicast::cluster::all"_w);
  const uint64_t to_address = effective(who, at.operands[0]), bar_address = effective(who, at.operands[1]);
  static_cast<void>(locate(who, to_address, space::shared, 16, at));
  static_cast<void>(locate(who, bar_address, space::shared, 8, at));
  const view before = who.seen;
  const instruction* by = &at;
  thread* issuer = &who;
  struct answer {
    location to, bar;
    uint32_t id;
  };
  std::vector<answer> answers;
  for (uint32_t rank = 0; rank < (multicast ? home.cluster.size() : 1); ++rank) {
    const auto there = [&](uint64_t given) { return multicast ? address_in(rank, given) : given; };
    answers.push_back({locate(who, there(to_address), space::shared_cluster, 16, at),
                       locate(who, there(bar_address), space::shared_cluster, 8, at), new_copy(who)});
    check_known(answers.back().id, who, before, answers.back().bar, at);
    keep_copy(answers.back().id, who, answers.back().to, 16, true, at);
  }
  const uint64_t decided_at = now_ + random(3000) * nanosecond;
  copies_.push_back({decided_at, answers[0].id, {}, [=]() {
                       const launch_response response = cancel_some_cluster();
                       for (const answer& each : answers)
                         copies_.push_back({now_ + random(3000) * nanosecond, each.id, {}, [=]() {
                                              note_copy(each.id, *issuer, before, each.to, 16, true, *by);
                                              check_known(each.id, *issuer, before, each.bar, *by);
                                              const bits raw = response.raw();
                                              std::memcpy(each.to.bytes, &raw, 16);
                                              complete_copy(each.id, each.bar, 16, *by);
                                            }});
                     }});
}

// A request may fail although clusters have not started: these start later.
launch_response grid::cancel_some_cluster() {
  if (unstarted_.empty() || random(16) == 0) {
    const auto any = [&] { return static_cast<uint32_t>(random(1u << 31)); };
    return {{any(), any(), any()}, launch_response::failed};
  }
  const uint64_t number = unstarted_.back();
  unstarted_.pop_back();
  changed();
  return {first_block_of(number), launch_response::canceled};
}

void grid::query_cancel(const instruction& at, thread& who) {
  const type word{kind::bits, 4};
  const launch_response response = launch_response::from(read(who, at.operands[1], {kind::bits, 16}));
  const bool is_canceled = response.kind == launch_response::canceled;
  if (!is_canceled && response.kind != launch_response::failed)
    throw fault("16 bytes that are no response to a request to cancel a launch, in " + where_is(at));
  if (at.has("is_canceled"_w)) {
    if (!is_canceled) who.home->knows_of_failure = true;
    return write(who, at.operands[0], is_canceled, {kind::predicate, 1});
  }
  if (!is_canceled) throw fault("the index of a block that no request has canceled, in " + where_is(at));
  const uint32_t parts[4] = {response.first.x, response.first.y, response.first.z,
                             static_cast<uint32_t>(random(uint64_t{1} << 32))};
  if (at.operands[0].is == operand::form::list) {
    for (size_t part = 0; part < 4; ++part)
      write(who, at.operands[0].parts[part], parts[part], word);
    return;
  }
  write(who, at.operands[0], parts[at.has("get_first_ctaid::x"_w) ? 0 : at.has("get_first_ctaid::y"_w) ? 1 : 2], word);
}

}  // namespace model
