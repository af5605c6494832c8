// Waiting for atomics on several host threads: until a value changes, until a predicate holds, for a time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"
#include "threads.h"
#include "timing.h"

#include <cuda/atomic>
#include <cuda/std/atomic>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <ratio>
#include <stdexcept>
#include <vector>

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using std::chrono::system_clock;

struct pair {
  int first, second;
  pair(int value) : first(value), second(-value) {}
};

#define WAITED_FOR                                                                                             \
  cuda::atomic<bool>, cuda::atomic<char>, (cuda::atomic<short, cuda::thread_scope_device>), cuda::atomic<int>, \
      volatile cuda::std::atomic<long>, cuda::atomic<float>, cuda::std::atomic<pair>

TEMPLATE_TEST_CASE("a timed wait for a change that does not come ends at its time", "", WAITED_FOR) {
  using value = typename TestType::value_type;
  TestType atom(value(1));
  const auto never = [](const value&) { return false; };
  check_times_out(0.01, [&] { return atom.wait_for(value(1), 10ms); });
  check_times_out(0.01, [&] { return atom.wait_for(never, 10000us, cuda::memory_order_relaxed); });
  check_times_out(0.0005, [&] { return atom.wait_for(value(1), std::chrono::duration<float, std::milli>(0.5f)); });
  check_times_out(0.002, [&] { return atom.wait_until(value(1), steady_clock::now() + 2ms); });
  check_times_out(0.002, [&] { return atom.wait_until(never, system_clock::now() + 2ms); });
  check_times_out(0, [&] { return atom.wait_for(value(1), 0s); });
  check_times_out(0, [&] { return atom.wait_for(value(1), -5s); });
  check_times_out(0, [&] { return atom.wait_until(value(1), steady_clock::now() - 1h); });
  check_times_out(0, [&] { return atom.wait_until(value(1), steady_clock::time_point::min()); });
  check_times_out(0, [&] { return atom.wait_until(never, system_clock::time_point::min()); });
}

TEMPLATE_TEST_CASE("a wait for what is so already returns at once, however short or long its time", "", WAITED_FOR) {
  using value = typename TestType::value_type;
  TestType atom(value(1));
  const auto always = [](const value&) { return true; };
  const auto start = steady_clock::now();
  CHECK(atom.wait_for(value(0), 0s));
  CHECK(atom.wait_for(value(0), -1s));
  CHECK(atom.wait_for(value(0), std::chrono::hours::max()));
  CHECK(atom.wait_for(always, std::chrono::duration<double>(1e30)));
  CHECK(atom.wait_until(value(0), steady_clock::now() - 1h));
  CHECK(atom.wait_until(always, system_clock::now() + 24h));
  CHECK(atom.wait_until(always, steady_clock::time_point::min()));
  CHECK(atom.wait_until(value(0), system_clock::time_point::max()));
  atom.wait(value(0));
  static_cast<void>(atom.wait(always));
  CHECK(seconds_since(start) < lateness);
}

// The change comes so late that the others sleep in the kernel; each kind of wait ends with it, and not before.
TEMPLATE_TEST_CASE("waits last until the value changes and end with it", "", WAITED_FOR) {
  using value = typename TestType::value_type;
  constexpr int threads = 7;
  TestType atom(value(0));
  steady_clock::time_point changed;
  failure_count failures;
  const auto is_changed = [initial = value(0)](const value& now) {
    return std::memcmp(&now, &initial, sizeof(now)) != 0;
  };
  run_threads(threads, [&](int rank) {
    switch (rank) {
    case 0:
      std::this_thread::sleep_for(40ms);
      changed = steady_clock::now();
      atom.store(value(1));
      atom.notify_all();
      return;
    case 1:
    case 2:
      atom.wait(value(0));
      break;
    case 3:
      failures.expect(is_changed(atom.wait(is_changed)));
      break;
    case 4:
      failures.expect(atom.wait_for(value(0), 1h));
      break;
    case 5:
      failures.expect(atom.wait_for(is_changed, 1h));
      break;
    case 6:
      failures.expect(atom.wait_until(value(0), system_clock::now() + 1h));
      break;
    }
    failures.expect(steady_clock::now() >= changed);
    failures.expect(seconds_since(changed) < lateness);
  });
  CHECK(failures.value() == 0);
}

TEST_CASE("threads wait through references to one object") {
  constexpr int threads = 4;
  alignas(2) std::uint16_t object = 0;
  failure_count failures;
  run_threads(threads, [&](int rank) {
    const cuda::atomic_ref atom(object);
    if (rank == 0) {
      std::this_thread::sleep_for(20ms);
      atom.store(3);
      cuda::std::atomic_ref(object).notify_all();
    } else if (rank == 1) {
      cuda::atomic_ref<const std::uint16_t>(object).wait(0);
    } else {
      atom.wait(0);
    }
    failures.expect(atom.load() == 3);
  });
  CHECK(failures.value() == 0);
}

// A device thread, for one, cannot wake anybody.
TEST_CASE("a change without notice ends a wait within milliseconds") {
  cuda::atomic<int> atom(0);
  std::vector<double> seconds;
  for (int round = 0; round < 5; ++round) {
    const int next = round + 1;
    steady_clock::time_point changed;
    run_threads(2, [&](int rank) {
      if (rank == 0) {
        atom.wait(round);
        seconds.push_back(seconds_since(changed));
      } else {
        std::this_thread::sleep_for(5ms);
        changed = steady_clock::now();
        atom.store(next);
      }
    });
  }
  CHECK(*std::min_element(seconds.begin(), seconds.end()) < 0.02);
}

TEST_CASE("a notice wakes a sleeping thread") {
  cuda::atomic<int> atom(0);
  const auto wait = [&atom](int round) { atom.wait(round); };
  const auto end = [&atom](int round) {
    atom.store(round + 1);
    atom.notify_one();
  };
  check_wakes(wait, end);
}

// Objects share the places that threads sleep at; these are a power of two apart, as any hash might have it.
TEST_CASE("threads that wait for different objects wake for their own") {
  constexpr int threads = 8;
  constexpr int distance = 4096;
  std::vector<int> objects(threads * distance);
  failure_count failures;
  run_threads(threads + 1, [&](int rank) {
    if (rank < threads) {
      const cuda::atomic_ref atom(objects[rank * distance]);
      atom.wait(0);
      failures.expect(atom.load() == rank + 1);
      return;
    }
    for (int each = threads - 1; each >= 0; --each) {
      std::this_thread::sleep_for(3ms);
      const cuda::atomic_ref atom(objects[each * distance]);
      atom.store(each + 1);
      atom.notify_one();
    }
  });
  CHECK(failures.value() == 0);
}

TEST_CASE("a wait may miss a value that does not last, and ends with one that does") {
  constexpr int threads = 4;
  cuda::atomic<int> atom(0);
  failure_count failures;
  run_threads(threads, [&](int rank) {
    if (rank == 0) {
      for (int flip = 0; flip < 300; ++flip) {
        atom.store(flip % 2);
        atom.notify_all();
      }
      std::this_thread::sleep_for(5ms);
      atom.store(2);
      atom.notify_all();
    } else if (rank == 1) {
      atom.wait(0);
    } else {
      failures.expect(atom.wait([](int value) { return value == 2; }) == 2);
    }
  });
  CHECK(failures.value() == 0);
}

// Turns go round; each thread sleeps or spins until its own comes.
TEMPLATE_TEST_CASE("no turn is lost", "", cuda::atomic<int>, cuda::std::atomic<unsigned char>) {
  using value = typename TestType::value_type;
  constexpr int threads = 4;
  constexpr int rounds = 300;
  TestType turn(0);
  int turns = 0;  // not atomic
  failure_count failures;
  run_threads(threads, [&](int rank) {
    for (int round = 0; round < rounds; ++round) {
      const value now = turn.wait([rank](value whose) { return whose == rank; }, cuda::memory_order_acquire);
      failures.expect(now == rank);
      ++turns;
      turn.store(static_cast<value>((rank + 1) % threads), cuda::memory_order_release);
      turn.notify_all();
    }
  });
  CHECK(failures.value() == 0);
  CHECK(turns == threads * rounds);
}

TEST_CASE("a predicate sees every value that wait returns, and its exception ends the wait") {
  cuda::atomic<int> atom(6);
  int seen = 0;
  const auto remember = [&seen](int value) {
    seen = value;
    return value % 2 == 0;
  };
  CHECK(atom.wait(remember) == 6);
  CHECK(seen == 6);
  int calls = 0;
  const auto fails = [&calls](int) -> bool {
    if (++calls == 100) throw std::runtime_error("enough");
    return false;
  };
  CHECK_THROWS_AS(atom.wait(fails), std::runtime_error);
  CHECK(calls == 100);
  CHECK(cudasync::backend::parking_lot_of(&atom).sleepers == 0);
  CHECK(atom.wait_for(6, 0s) == false);
}
