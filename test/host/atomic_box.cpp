// Atomics of sizes that no instruction takes: padded to a word, or behind a lock.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/boxed.h"
#include "../support/padded.h"
#include "catch.h"
#include "threads.h"

#include <cuda/atomic>
#include <cuda/std/atomic>

#include <chrono>
#include <type_traits>

// Up to 8 bytes a word; above, the value and a lock of 4 bytes behind it.
static_assert(sizeof(cuda::atomic<boxed<3>>) == 4 && alignof(cuda::atomic<boxed<3>>) == 4);
static_assert(sizeof(cuda::atomic<boxed<5>>) == 8 && alignof(cuda::atomic<boxed<7>>) == 8);
static_assert(sizeof(cuda::atomic<boxed<9>>) == 16 && alignof(cuda::atomic<boxed<9>>) == 4);
static_assert(sizeof(cuda::atomic<boxed<12, 4>>) == 16 && alignof(cuda::atomic<boxed<12, 4>>) == 4);
static_assert(sizeof(cuda::atomic<boxed<24, 8>>) == 32 && alignof(cuda::atomic<boxed<24, 8>>) == 8);
static_assert(sizeof(cuda::std::atomic<boxed<64, 16>>) == 80 && alignof(cuda::std::atomic<boxed<64, 16>>) == 16);

static_assert(cuda::atomic<boxed<3>>::is_always_lock_free && cuda::atomic<boxed<7>>::is_always_lock_free);
static_assert(!cuda::atomic<boxed<12>>::is_always_lock_free && !cuda::atomic<boxed<32>>::is_always_lock_free);

// Such objects can be initialized before the program runs.
constexpr bool is_constant = (cuda::atomic<boxed<6>>(boxed<6>{}), cuda::atomic<boxed<33>>(boxed<33>{}), true);
static_assert(is_constant && std::is_trivially_default_constructible_v<cuda::atomic<boxed<33>>>);

template <class Value, class Atomic>
void check_accesses(Atomic& atom) {
  CHECK(number_of(atom.load()) == 1);
  atom.store(whole<Value>(300), cuda::memory_order_relaxed);
  CHECK(number_of(atom.load(cuda::memory_order_acquire)) == 300);
  CHECK(number_of(atom.exchange(whole<Value>(3), cuda::memory_order_acq_rel)) == 300);
  Value expected = whole<Value>(4);
  CHECK_FALSE(atom.compare_exchange_strong(expected, whole<Value>(5)));
  CHECK(is_whole(expected));
  CHECK(number_of(expected) == 3);
  CHECK(atom.compare_exchange_weak(expected, whole<Value>(5), cuda::memory_order_release, cuda::memory_order_relaxed));
  const cuda::memory_order order = cuda::memory_order_acquire;
  CHECK(number_of(atom.load(order)) == 5);
  atom = whole<Value>(6);
  CHECK(number_of(static_cast<Value>(atom)) == 6);
  atom.wait(whole<Value>(5));
  CHECK(is_whole(atom.wait([](const Value& value) { return number_of(value) == 6; })));
  CHECK_FALSE(atom.wait_for(whole<Value>(6), std::chrono::milliseconds(1)));
  CHECK_FALSE(atom.wait_for([](const Value& value) { return number_of(value) == 7; }, std::chrono::milliseconds(1)));
}
template <class Value>
void check_objects() {
  cuda::atomic<Value> system(whole<Value>(1));
  check_accesses<Value>(system);
  cuda::atomic<Value, cuda::thread_scope_thread> own(whole<Value>(1));
  check_accesses<Value>(own);
  volatile cuda::std::atomic<Value> standard(whole<Value>(1));
  check_accesses<Value>(standard);
  alignas(64) unsigned char garbage[sizeof(system)];
  for (unsigned char& byte : garbage)
    byte = 0xee;
  auto& initialized = *reinterpret_cast<cuda::atomic<Value>*>(garbage);
  cuda::atomic_init(&initialized, whole<Value>(1));
  check_accesses<Value>(initialized);
}

// By the numbers.
template <unsigned Size, unsigned Alignment = 1>
struct ordered : boxed<Size, Alignment> {
  friend bool operator<(const ordered& left, const ordered& right) { return number_of(left) < number_of(right); }
};
template <class Value>
void check_extremes() {
  cuda::atomic<Value> atom(whole<Value>(300));
  CHECK(number_of(atom.fetch_min(whole<Value>(400))) == 300);
  CHECK(number_of(atom.load()) == 300);
  CHECK(number_of(atom.fetch_min(whole<Value>(257))) == 300);
  CHECK(number_of(atom.fetch_max(whole<Value>(2))) == 257);
  CHECK(number_of(atom.fetch_max(whole<Value>(258), cuda::memory_order_relaxed)) == 257);
  CHECK(is_whole(atom.load()));
  atom.store_max(whole<Value>(600));
  atom.store_min(whole<Value>(700), cuda::memory_order_release);
  CHECK(number_of(atom.load()) == 600);
}
TEST_CASE("the smaller and the larger object, by the program's operator<") {
  check_extremes<ordered<2>>();
  check_extremes<ordered<3>>();
  check_extremes<ordered<8, 8>>();
  check_extremes<ordered<12, 4>>();
  check_extremes<ordered<40, 8>>();
}

TEST_CASE("objects of odd sizes") {
  check_objects<boxed<3>>();
  check_objects<boxed<5>>();
  check_objects<boxed<6, 2>>();
  check_objects<boxed<7>>();
  check_objects<boxed<9>>();
  check_objects<boxed<12, 4>>();
  check_objects<boxed<15>>();
}
TEST_CASE("objects of more than sixteen bytes") {
  check_objects<boxed<17>>();
  check_objects<boxed<24, 8>>();
  check_objects<boxed<32, 16>>();
  check_objects<boxed<100, 4>>();
}

struct without_default {
  explicit without_default(int number) : parts{number, number, number} {}
  int parts[3];
};
TEST_CASE("values without a default constructor") {
  cuda::atomic<without_default> atom(without_default(1));
  CHECK(atom.exchange(without_default(2)).parts[2] == 1);
  CHECK(atom.load().parts[1] == 2);
}

TEST_CASE("compare-exchange loops over padding end") {
  CHECK(wrong_loops_in_atomic<shorts_around_char>() == 0);
  CHECK(wrong_loops_in_atomic<doubles_behind_ints>() == 0);
  CHECK(wrong_comparisons() == 0);
}

struct color {
  unsigned char red = 1, green = 2, blue = 3;
};
struct long_color {
  color of[4];
};
TEST_CASE("values with initializers of their own") {
  const cuda::atomic<color> padded;
  CHECK(padded.load().blue == 3);
  const cuda::atomic<long_color> locked;
  CHECK(locked.load().of[3].green == 2);
}

template <class Value>
void count_in_threads() {
  constexpr int threads = 4, rounds = 2000;
  cuda::atomic<Value> atom(whole<Value>(0));
  failure_count failures;
  run_threads(threads, [&](int) {
    for (int round = 0; round < rounds; ++round) {
      Value seen = atom.load(cuda::memory_order_relaxed);
      failures.expect(is_whole(seen));
      while (!atom.compare_exchange_weak(seen, whole<Value>(number_of(seen) + 1)))
        failures.expect(is_whole(seen));
    }
  });
  CHECK(failures.value() == 0);
  CHECK(number_of(atom.load()) == threads * rounds);
}
TEST_CASE("no count of threads is lost, and no value is seen in parts") {
  count_in_threads<boxed<3>>();
  count_in_threads<boxed<7>>();
  count_in_threads<boxed<12, 4>>();
  count_in_threads<boxed<40, 8>>();
}

TEST_CASE("a large value carries what was written before it") {
  constexpr unsigned rounds = 2000;
  cuda::atomic<boxed<24>> there(whole<boxed<24>>(0)), back(whole<boxed<24>>(0));
  unsigned data = 0;
  failure_count failures;
  run_threads(2, [&](int rank) {
    for (unsigned round = 1; round <= rounds; ++round) {
      if (rank == 0) {
        data = round;
        there.store(whole<boxed<24>>(round), cuda::memory_order_release);
        there.notify_one();
        back.wait(whole<boxed<24>>(round - 1), cuda::memory_order_acquire);
        failures.expect(data == round + rounds);
      } else {
        there.wait(whole<boxed<24>>(round - 1), cuda::memory_order_acquire);
        failures.expect(data == round);
        data = round + rounds;
        back.store(whole<boxed<24>>(round), cuda::memory_order_release);
        back.notify_one();
      }
    }
  });
  CHECK(failures.value() == 0);
}
