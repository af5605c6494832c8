// Random operations of several threads on few objects: whether some order of all of them explains what each returned.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"
#include "threads.h"

#include <cuda/atomic>
#include <cuda/std/atomic>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <unordered_map>
#include <utility>
#include <vector>

constexpr int threads = 4;
constexpr int objects = 3;
constexpr int operations = CUDASYNC_THOROUGH ? 20000 : 5000;
constexpr int operations_between_meetings = 50;
constexpr auto relaxed = cuda::memory_order_relaxed;

// What one thread saw of one object: the value before, and the value that it stored, if any.
template <class Value>
struct event {
  Value before;
  Value after;
  bool is_update;
};
template <class Value>
using history = std::vector<event<Value>>;

// One random operation. What it stores follows from the operand and what it returned.
template <class Value, class Atom>
event<Value> operate(Atom&& atom, std::mt19937_64& random, Value& last_seen) {
  const Value operand = static_cast<Value>(random());
  switch (random() % 8) {
  case 0: {
    const Value before = atom.fetch_add(operand, relaxed);
    return {before, static_cast<Value>(before + operand), true};
  }
  case 1: {
    const Value before = atom.fetch_sub(operand, cuda::memory_order_acquire);
    return {before, static_cast<Value>(before - operand), true};
  }
  case 2: {
    const Value before = atom.fetch_xor(operand, cuda::memory_order_acq_rel);
    return {before, static_cast<Value>(before ^ operand), true};
  }
  case 3:
    return {atom.exchange(operand, cuda::memory_order_release), operand, true};
  case 4: {
    const Value after = (atom += operand);
    return {static_cast<Value>(after - operand), after, true};
  }
  case 5:
    return {atom.load(relaxed), {}, false};
  default: {
    Value expected = last_seen;
    const bool is_update = atom.compare_exchange_weak(expected, operand, cuda::memory_order_acq_rel, relaxed);
    return {expected, operand, is_update};
  }
  }
}

// The events of each thread, in its order, for each object.
template <class Value>
struct record {
  std::array<std::array<history<Value>, threads>, objects> histories;
  std::array<Value, objects> last;
};

template <class Value, class Objects>
record<Value> run(Objects atom_of) {
  record<Value> result;
  meeting start(threads);
  run_threads(threads, [&](int rank) {
    std::mt19937_64 random(static_cast<unsigned>(rank));
    std::array<history<Value>, objects> mine;
    std::array<Value, objects> last_seen{};
    for (int round = 0; round < operations; ++round) {
      if (round % operations_between_meetings == 0) start.wait();
      const auto index = random() % objects;
      const event<Value> now = operate<Value>(atom_of(index), random, last_seen[index]);
      last_seen[index] = now.is_update ? now.after : now.before;
      mine[index].push_back(now);
    }
    for (int index = 0; index < objects; ++index)
      result.histories[index][rank] = std::move(mine[index]);
  });
  for (int index = 0; index < objects; ++index)
    result.last[index] = atom_of(index).load();
  return result;
}

// Values of 64 random bits do not repeat: the updates form one chain from zero to the last value, along which each
// thread's events only advance.
template <class Value>
void check_chain(const std::array<history<Value>, threads>& histories, Value last) {
  std::unordered_map<Value, Value> next;
  std::size_t updates = 0;
  for (const history<Value>& each : histories)
    for (const event<Value>& now : each)
      if (now.is_update) {
        next[now.before] = now.after;
        ++updates;
      }
  REQUIRE(next.size() == updates);  // no value was replaced twice

  std::unordered_map<Value, std::size_t> position{{Value{}, 0}};
  Value value{};
  for (auto found = next.find(value); found != next.end() && position.size() <= updates; found = next.find(value)) {
    value = found->second;
    position.emplace(value, position.size());
  }
  CHECK(position.size() == updates + 1);
  CHECK(value == last);

  int wrong = 0;
  for (const history<Value>& each : histories) {
    std::size_t reached = 0;
    for (const event<Value>& now : each) {
      const auto before = position.find(now.before);
      wrong += before == position.end() || before->second < reached;
      reached = position[now.is_update ? now.after : now.before];
    }
  }
  CHECK(wrong == 0);
}

// Values of few bits repeat: the updates are edges from value to value, and an order of all of them is a trail that uses
// each edge once. It exists if the edges are connected and every value is entered as often as it is left, but for the first
// and the last.
template <class Value>
class values_in_groups {
 public:
  Value group_of(Value value) {
    const auto found = parent_.emplace(value, value).first;
    if (found->second == value) return value;
    return found->second = group_of(found->second);
  }
  void join(Value left, Value right) { parent_[group_of(left)] = group_of(right); }

 private:
  std::unordered_map<Value, Value> parent_;
};

template <class Value>
void check_trail(const std::array<history<Value>, threads>& histories, Value last) {
  std::unordered_map<Value, int> excess;
  values_in_groups<Value> groups;
  ++excess[last];
  --excess[Value{}];
  groups.group_of(last);
  for (const history<Value>& each : histories)
    for (const event<Value>& now : each)
      if (now.is_update) {
        ++excess[now.before];
        --excess[now.after];
        groups.join(now.before, now.after);
      }
  int unbalanced = 0;
  int unconnected = 0;
  for (const auto& [value, count] : excess) {
    unbalanced += count != 0;
    unconnected += groups.group_of(value) != groups.group_of(last);
  }
  CHECK(unbalanced == 0);
  CHECK(unconnected == 0);

  int unknown = 0;
  for (const history<Value>& each : histories)
    for (const event<Value>& now : each)
      unknown += !now.is_update && excess.count(now.before) == 0;
  CHECK(unknown == 0);
}

template <class Value>
void check_histories(const record<Value>& result) {
  for (int index = 0; index < objects; ++index) {
    if constexpr (sizeof(Value) == 8)
      check_chain(result.histories[index], result.last[index]);
    else
      check_trail(result.histories[index], result.last[index]);
  }
}

TEMPLATE_TEST_CASE("some order explains what operations on objects returned", "", std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t) {
  std::array<cuda::std::atomic<TestType>, objects> atoms;
  check_histories(run<TestType>([&](std::size_t index) -> auto& { return atoms[index]; }));
}

TEMPLATE_TEST_CASE("some order explains what operations through references returned", "", std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t) {
  alignas(8) std::array<TestType, objects> values{};  // neighbours
  check_histories(run<TestType>(
      [&](std::size_t index) { return cuda::atomic_ref<TestType, cuda::thread_scope_device>(values[index]); }));
}
