// grid_barrier with threads of the host as participants: layout, phases, changing participants, visibility of plain data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"
#include "threads.h"
#include "timing.h"

#include <cudasync/grid_barrier.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using cudasync::participant;
using cudasync::uint32;

using device_barrier = cudasync::grid_barrier<>;
using system_barrier = cudasync::grid_barrier<cudasync::thread_scope_system>;

template <class Barrier>
constexpr bool has_layout =
    sizeof(Barrier) == 8 && alignof(Barrier) == 8 && std::is_trivially_default_constructible_v<Barrier> &&
    std::is_trivially_destructible_v<Barrier> && !std::is_copy_constructible_v<Barrier> &&
    !std::is_copy_assignable_v<Barrier>;
static_assert(has_layout<device_barrier> && has_layout<system_barrier>);
static_assert(std::is_same_v<device_barrier, cudasync::grid_barrier<cudasync::thread_scope_device>>);
static_assert(device_barrier::scope == cudasync::thread_scope_device);
static_assert(system_barrier::scope == cudasync::thread_scope_system);
static_assert(
    std::is_same_v<decltype(std::declval<system_barrier&>().arrive(participant{0, 1})), system_barrier::arrival_token>);
static_assert(!std::is_constructible_v<system_barrier::arrival_token, uint32>);

participant take_part(int rank, int count) {
  return {static_cast<uint32>(rank), static_cast<uint32>(count)};
}

// With the types of cooperative_groups::grid_group.
struct group_of_blocks {
  int rank;
  int count;

  unsigned long long block_rank() const { return static_cast<unsigned long long>(rank); }
  unsigned long long num_blocks() const { return static_cast<unsigned long long>(count); }
};

// The first four bytes: the parity and how many have come.
template <class Barrier>
uint32& word_of(Barrier& bar) {
  return reinterpret_cast<uint32&>(bar);
}

// All arrive in the order of these ranks: the last one ends the phase, and none before.
template <class Barrier>
void check_phase(Barrier& bar, const std::vector<int>& ranks) {
  const int count = static_cast<int>(ranks.size());
  const uint32 parity = word_of(bar) >> 31;
  std::vector<typename Barrier::arrival_token> tokens;
  for (const int rank : ranks) {
    CHECK(word_of(bar) >> 31 == parity);
    tokens.push_back(bar.arrive(take_part(rank, count)));
  }
  CHECK(word_of(bar) >> 31 != parity);
  for (int at = 0; at < count; ++at)
    bar.wait(std::move(tokens[at]), take_part(ranks[at], count));
}

TEMPLATE_TEST_CASE("the last arrival ends a phase, whosever it is", "", device_barrier, system_barrier) {
  TestType bar;
  init(&bar);
  for (int count = 1; count <= 5; ++count) {
    std::vector<int> ranks(count);
    std::iota(ranks.begin(), ranks.end(), 0);
    do {
      check_phase(bar, ranks);
    } while (std::next_permutation(ranks.begin(), ranks.end()));
  }
}

system_barrier in_static_storage;

TEST_CASE("zero bytes are a barrier") {
  check_phase(in_static_storage, {1, 0});
  check_phase(in_static_storage, {0, 1, 2});
  device_barrier bar;
  std::memset(static_cast<void*>(&bar), 0, sizeof bar);
  check_phase(bar, {0});
  check_phase(bar, {2, 1, 0});
}

TEST_CASE("init begins with the first phase") {
  system_barrier bar;
  std::memset(static_cast<void*>(&bar), 0xb5, sizeof bar);
  for (int times = 0; times < 2; ++times) {
    init(&bar);
    CHECK(word_of(bar) == 0);
    check_phase(bar, {0, 1});
    static_cast<void>(bar.arrive(take_part(0, 3)));
  }
}

// The arrivals of those who are not here are put into the word.
TEMPLATE_TEST_CASE("a phase has up to 2^30 participants", "", device_barrier, system_barrier) {
  for (const uint32 count : {132u, 65536u, (1u << 30) - 1, 1u << 30}) {
    for (const uint32 parity : {0u, 1u}) {
      const auto at = [parity](uint32 arrivals) { return parity << 31 | arrivals; };
      TestType bar;
      init(&bar);
      word_of(bar) = at(count - 2);
      auto token = bar.arrive(participant{count - 1, count});
      CHECK(word_of(bar) == at(count - 1));
      bar.arrive_and_wait(participant{0, count});
      bar.wait(std::move(token), participant{count - 1, count});
      CHECK(word_of(bar) == (parity ^ 1) << 31);

      word_of(bar) = at(0);
      token = bar.arrive(participant{0, count});
      word_of(bar) += count - 2;
      CHECK(word_of(bar) >> 31 == parity);
      bar.arrive_and_wait(participant{1, count});
      bar.wait(std::move(token), participant{0, count});
      CHECK(word_of(bar) == (parity ^ 1) << 31);
    }
  }
}

TEMPLATE_TEST_CASE("what is written before arriving is read after waiting", "", device_barrier, system_barrier) {
  const int threads = GENERATE(1, 2, 3, 8);
  constexpr int phases = 500;
  TestType bar;
  init(&bar);
  failure_count failures;
  std::vector<int> slots[2] = {std::vector<int>(threads), std::vector<int>(threads)};  // not atomic
  run_threads(threads, [&](int rank) {
    for (int phase = 0; phase < phases; ++phase) {
      std::vector<int>& now = slots[phase % 2];
      now[rank] = phase + 1;
      if (phase % 3 == 0) {
        bar.arrive_and_wait(take_part(rank, threads));
      } else if (phase % 3 == 1) {
        bar.arrive_and_wait(group_of_blocks{(rank + phase) % threads, threads});
      } else {
        auto token = bar.arrive(take_part(rank, threads));
        if (phase % 20 == rank) std::this_thread::yield();
        bar.wait(std::move(token), take_part(rank, threads));
      }
      for (const int value : now)
        failures.expect(value == phase + 1);
    }
  });
  CHECK(failures.value() == 0);
}

// Who arrives early works on while others are late: nobody waits in arrive.
TEST_CASE("a thread arrives at two barriers before it waits at either") {
  constexpr int threads = 3;
  constexpr int phases = 300;
  system_barrier bars[2];
  init(&bars[0]);
  init(&bars[1]);
  failure_count failures;
  int slots[2][threads] = {};  // not atomic
  run_threads(threads, [&](int rank) {
    const participant self = take_part(rank, threads);
    for (int phase = 0; phase < phases; ++phase) {
      const int first = (rank + phase) % 2;  // not the same for all: if arrive waited, they would wait for each other
      slots[phase % 2][rank] = phase;
      auto token = bars[first].arrive(self);
      auto other = bars[1 - first].arrive(self);
      bars[1 - first].wait(std::move(other), self);
      for (const int slot : slots[phase % 2])
        failures.expect(slot == phase);
      bars[first].wait(std::move(token), self);
    }
  });
  CHECK(failures.value() == 0);
}

// In each phase some threads stay away, and the others have other ranks. A phase is begun when all have left the one before.
TEST_CASE("the participants of a phase are not those of the one before") {
  constexpr int threads = 5;
  constexpr int phases = 400;
  system_barrier bar;
  init(&bar);
  meeting everybody(threads);
  failure_count failures;
  std::atomic<int> arrivals[phases] = {};
  run_threads(threads, [&](int rank) {
    for (int phase = 0; phase < phases; ++phase) {
      const int count = 1 + phase % threads;
      const int place = (rank + 3 * phase) % threads;
      if (place < count) {
        const participant self = take_part(count - 1 - place, count);
        arrivals[phase].fetch_add(1, std::memory_order_relaxed);
        if (phase % 2 == 0) {
          bar.arrive_and_wait(self);
        } else {
          bar.wait(bar.arrive(self), self);
        }
        failures.expect(arrivals[phase].load(std::memory_order_relaxed) == count);
      }
      everybody.wait();
    }
  });
  CHECK(failures.value() == 0);
}

// The last arrival comes so late that the others sleep in the kernel; their waits end with it, and not before.
TEMPLATE_TEST_CASE("waits last until the last arrival and end with it", "", device_barrier, system_barrier) {
  constexpr int threads = 4;
  TestType bar;
  init(&bar);
  failure_count failures;
  std::chrono::steady_clock::time_point arrived[2];
  run_threads(threads, [&](int rank) {
    for (int phase = 0; phase < threads; ++phase) {
      if (rank == phase) {
        std::this_thread::sleep_for(30ms);
        arrived[phase % 2] = std::chrono::steady_clock::now();
      }
      bar.arrive_and_wait(take_part(rank, threads));
      failures.expect(std::chrono::steady_clock::now() >= arrived[phase % 2]);
      failures.expect(seconds_since(arrived[phase % 2]) < lateness);
    }
  });
  CHECK(failures.value() == 0);
}

TEMPLATE_TEST_CASE("the last arrival wakes a sleeping thread", "", device_barrier, system_barrier) {
  TestType bar;
  init(&bar);
  const auto wait = [&bar](int) { bar.arrive_and_wait(take_part(0, 2)); };
  const auto end = [&bar](int) { static_cast<void>(bar.arrive(take_part(1, 2))); };
  check_wakes(wait, end);
}
