// Atomics under many threads: no update is lost, of any type and by any operation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"
#include "threads.h"

#include <cuda/atomic>
#include <cuda/std/atomic>

#include <cstdint>

constexpr int threads = 4;
#if defined(__SANITIZE_THREAD__)
constexpr int rounds = CUDASYNC_THOROUGH ? 8000 : 2000;
#else
constexpr int rounds = CUDASYNC_THOROUGH ? 20000 : 5000;
#endif
constexpr int rounds_between_meetings = 20;
constexpr auto relaxed = cuda::memory_order_relaxed;

// Calls update(rank, round) in all threads for all rounds, at once.
template <class Update>
void in_all_threads(Update update) {
  meeting start(threads);
  run_threads(threads, [&](int rank) {
    for (int round = 0; round < rounds; ++round) {
      if (round % rounds_between_meetings == 0) start.wait();
      update(rank, round);
    }
  });
}

#define INTEGERS                                                                                              \
  char, signed char, unsigned char, short, unsigned short, int, unsigned int, long, unsigned long, long long, \
      unsigned long long, wchar_t, char16_t, char32_t

TEMPLATE_TEST_CASE("sums count every addition", "", INTEGERS) {
  cuda::atomic<TestType> atom(TestType{});
  in_all_threads([&](int, int round) {
    switch (round % 5) {
    case 0:
      atom.fetch_add(3, relaxed);
      break;
    case 1:
      atom.store_sub(1, relaxed);
      break;
    case 2:
      ++atom;
      break;
    case 3:
      atom += 2;
      break;
    case 4: {
      TestType seen = atom.load(relaxed);
      while (!atom.compare_exchange_weak(seen, static_cast<TestType>(seen + 5), relaxed)) {
      }
      break;
    }
    }
  });
  CHECK(atom.load() == static_cast<TestType>(threads * rounds / 5 * (3 - 1 + 1 + 2 + 5)));
}

// Several a round: a loop of compare-exchanges has but a short time in which to lose one.
TEMPLATE_TEST_CASE("floating-point sums count every addition", "", float, double) {
  constexpr int steps = 20;
  cuda::std::atomic<TestType> atom;
  in_all_threads([&](int, int) {
    for (int step = 0; step < steps; step += 2) {
      atom.fetch_add(TestType(1.5), relaxed);
      atom -= TestType(0.5);
    }
  });
  CHECK(atom.load() == TestType(threads * rounds * steps / 2));
}

TEST_CASE("pointers count every step") {
  struct three_bytes {
    char values[3];
  };
  auto* const origin = reinterpret_cast<three_bytes*>(std::uintptr_t{0x10000});
  cuda::atomic<three_bytes*> atom(origin);
  in_all_threads([&](int, int round) {
    if (round % 2 == 0)
      atom += 2;
    else
      atom--;
  });
  CHECK(atom.load() - origin == threads * rounds / 2);
}

TEMPLATE_TEST_CASE("maximum and minimum keep the extremes of all threads", "", INTEGERS, float, double) {
  cuda::atomic<TestType> greatest(TestType{});
  cuda::atomic<TestType, cuda::thread_scope_device> least(TestType{100});
  in_all_threads([&](int rank, int round) {
    const int value = round * 7 % 25 * threads + rank;
    greatest.fetch_max(static_cast<TestType>(value), relaxed);
    least.store_min(static_cast<TestType>(100 - value), relaxed);
  });
  CHECK(greatest.load() == TestType(99));
  CHECK(least.load() == TestType(1));
}

// Each thread has bits of its own in a common word, and finds them as it left them.
TEMPLATE_TEST_CASE("bitwise operations leave other threads' bits alone", "", INTEGERS) {
  cuda::atomic<TestType> atom(TestType{});
  failure_count failures;
  in_all_threads([&](int rank, int round) {
    const auto bits = static_cast<TestType>(1 << rank);
    switch (round % 4) {
    case 0:
      failures.expect((atom.fetch_or(bits, relaxed) & bits) == 0);
      break;
    case 1:
      failures.expect((atom.fetch_and(static_cast<TestType>(~bits), relaxed) & bits) == bits);
      break;
    case 2:
      failures.expect((atom.fetch_xor(bits, relaxed) & bits) == 0);
      break;
    case 3:
      atom.store_xor(bits, relaxed);
      break;
    }
  });
  CHECK(failures.value() == 0);
  CHECK(atom.load() == TestType{});
}

// What one thread puts in, exactly one takes out.
TEMPLATE_TEST_CASE("exchanges pass every value on once", "", unsigned char, short, int, long, double) {
  cuda::atomic<TestType> atom(TestType(0));
  long taken[threads] = {};
  long put[threads] = {};
  in_all_threads([&](int rank, int round) {
    const int value = (rank * 31 + round) % 100;
    put[rank] += value;
    taken[rank] += static_cast<long>(atom.exchange(static_cast<TestType>(value), relaxed));
  });
  long difference = -static_cast<long>(atom.load());
  for (int rank = 0; rank < threads; ++rank)
    difference += put[rank] - taken[rank];
  CHECK(difference == 0);
}

// Threads that update neighbours in one word; of the four bytes that hold a byte, all but it belong to others.
TEMPLATE_TEST_CASE("references to neighbours do not disturb each other", "", char, short, int) {
  alignas(16) TestType objects[threads] = {};
  in_all_threads([&](int rank, int round) {
    const cuda::atomic_ref atom(objects[rank]);
    if (round % 2 == 0)
      atom.fetch_add(5, relaxed);
    else
      atom.store(static_cast<TestType>(atom.load(relaxed) - 4), relaxed);
  });
  for (const TestType object : objects)
    CHECK(object == static_cast<TestType>(rounds / 2));
}

struct pair {
  int first, second;
};

TEST_CASE("structs are read and written as a whole") {
  cuda::atomic<pair> atom(pair{0, 0});
  failure_count failures;
  in_all_threads([&](int rank, int round) {
    const int value = rank * rounds + round;
    const pair seen = round % 2 == 0 ? atom.load(relaxed) : atom.exchange({value, -value}, relaxed);
    failures.expect(seen.first == -seen.second);
    if (round % 3 == 0) atom.store({value, -value}, relaxed);
  });
  CHECK(failures.value() == 0);
}
