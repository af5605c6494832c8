// cuda::barrier on host threads: layout, phases, visibility of plain data, counts, drops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"
#include "threads.h"

#include <cuda/barrier>
#include <cuda/std/barrier>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

using thread_barrier = cuda::barrier<cuda::thread_scope_thread>;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;
using cluster_barrier = cuda::barrier<cuda::thread_scope_cluster>;  // on the host as a block's
using device_barrier = cuda::barrier<cuda::thread_scope_device>;
using system_barrier = cuda::barrier<cuda::thread_scope_system>;
using standard_barrier = cuda::std::barrier<>;

struct nothing {
  void operator()() {}
};

template <class Barrier>
constexpr bool has_layout_of_mbarrier =
    sizeof(Barrier) == 8 && alignof(Barrier) == 8 && std::is_trivially_default_constructible_v<Barrier> &&
    std::is_trivially_destructible_v<Barrier> && !std::is_copy_constructible_v<Barrier> &&
    !std::is_copy_assignable_v<Barrier>;
// Constant expressions initialize barriers of other scopes than the block's.
static_assert((system_barrier(3), device_barrier(3), standard_barrier(3), true));

static_assert(has_layout_of_mbarrier<thread_barrier> && has_layout_of_mbarrier<block_barrier>);
static_assert(has_layout_of_mbarrier<cluster_barrier>);
static_assert(has_layout_of_mbarrier<device_barrier> && has_layout_of_mbarrier<system_barrier>);
static_assert(has_layout_of_mbarrier<standard_barrier>);

constexpr std::ptrdiff_t counted = (1 << 30) - 1;
constexpr std::ptrdiff_t largest = std::numeric_limits<std::ptrdiff_t>::max();
static_assert(thread_barrier::max() == counted && device_barrier::max() == counted && system_barrier::max() == counted);
static_assert(standard_barrier::max() == counted);
static_assert(block_barrier::max() == (1 << 20) - 1 && cluster_barrier::max() == (1 << 20) - 1);
static_assert(cuda::barrier<cuda::thread_scope_block, nothing>::max() == (1 << 20) - 1);
static_assert(cuda::barrier<cuda::thread_scope_thread, nothing>::max() == largest);
static_assert(cuda::barrier<cuda::thread_scope_device, nothing>::max() == largest);
static_assert(cuda::std::barrier<nothing>::max() == largest);
static_assert(block_barrier::scope == cuda::thread_scope_block && standard_barrier::scope == cuda::thread_scope_system);
static_assert(cluster_barrier::scope == cuda::thread_scope_cluster);
static_assert(std::is_same_v<decltype(std::declval<block_barrier&>().arrive()), block_barrier::arrival_token>);
static_assert(std::is_same_v<decltype(cuda::std::barrier(1)), standard_barrier>);

// With a completion function other code is behind the same interface.
#define BARRIERS_OF_SEVERAL_THREADS                                                                            \
  block_barrier, cluster_barrier, device_barrier, system_barrier, standard_barrier,                            \
      (cuda::barrier<cuda::thread_scope_block, nothing>), (cuda::barrier<cuda::thread_scope_device, nothing>), \
      cuda::std::barrier<nothing>

TEMPLATE_TEST_CASE("what is written before arriving is read after waiting", "", BARRIERS_OF_SEVERAL_THREADS) {
  const int threads = GENERATE(1, 2, 3, 8);
  constexpr int phases = 500;
  TestType bar(threads);
  failure_count failures;
  std::vector<int> slots[2] = {std::vector<int>(threads), std::vector<int>(threads)};  // not atomic
  run_threads(threads, [&](int rank) {
    for (int phase = 0; phase < phases; ++phase) {
      std::vector<int>& now = slots[phase % 2];
      now[rank] = phase + 1;
      if (phase % 4 == 0) {
        bar.arrive_and_wait();
      } else if (phase % 4 == 1) {
        bar.wait(bar.arrive());
      } else if (phase % 4 == 2) {
        static_cast<void>(bar.arrive());
        bar.wait_parity(false);
      } else {
        const auto token = bar.arrive();
        while (!bar.try_wait(token))
          std::this_thread::yield();
        failures.expect(bar.try_wait_parity(true));
      }
      for (const int value : now)
        failures.expect(value == phase + 1);
    }
  });
  CHECK(failures.value() == 0);
}

TEMPLATE_TEST_CASE("a phase completes at the expected count", "", BARRIERS_OF_SEVERAL_THREADS, thread_barrier) {
  TestType bar(10);
  auto token = bar.arrive(3);
  CHECK_FALSE(bar.try_wait(token));
  static_cast<void>(bar.arrive(6));
  CHECK_FALSE(bar.try_wait(token));
  CHECK_FALSE(bar.try_wait_parity(false));
  CHECK(bar.try_wait_parity(true));
  static_cast<void>(bar.arrive());
  CHECK(bar.try_wait(token));
  CHECK(bar.try_wait_parity(false));
  CHECK_FALSE(bar.try_wait_parity(true));
  token = bar.arrive(10);
  bar.wait(std::move(token));

  init(&bar, TestType::max());  // of a live barrier
  token = bar.arrive(TestType::max() - 1);
  CHECK_FALSE(bar.try_wait(token));
  static_cast<void>(bar.arrive());
  CHECK(bar.try_wait(token));
}

TEMPLATE_TEST_CASE("parities alternate from false", "", BARRIERS_OF_SEVERAL_THREADS, thread_barrier) {
  TestType bar(1);
  bar.wait_parity(true);  // the phase before the first
  for (int phase = 0; phase < 100; ++phase) {
    const bool parity = phase % 2 != 0;
    CHECK_FALSE(bar.try_wait_parity(parity));
    auto token = bar.arrive();
    CHECK(bar.try_wait_parity(parity));
    CHECK_FALSE(bar.try_wait_parity(!parity));
    bar.wait_parity(parity);
    bar.wait(std::move(token));
  }
}

TEMPLATE_TEST_CASE("a barrier that expects nothing completes no phase", "", BARRIERS_OF_SEVERAL_THREADS,
                   thread_barrier) {
  TestType bar(0);
  CHECK(bar.try_wait_parity(true));  // the phase before the first
  CHECK_FALSE(bar.try_wait_parity(false));
}

TEMPLATE_TEST_CASE("threads that dropped are not expected again", "", BARRIERS_OF_SEVERAL_THREADS) {
  constexpr int threads = 8;
  TestType bar(threads);
  failure_count failures;
  int slots[2][threads] = {};
  run_threads(threads, [&](int rank) {
    for (int phase = 0; phase < rank; ++phase) {
      slots[phase % 2][rank] = phase + 1;
      bar.arrive_and_wait();
      for (int other = phase; other < threads; ++other)
        failures.expect(slots[phase % 2][other] == phase + 1);
    }
    slots[rank % 2][rank] = rank + 1;
    bar.arrive_and_drop();
  });
  CHECK(failures.value() == 0);
  bar.wait_parity((threads - 1) % 2 != 0);
  init(&bar, 1);
  bar.arrive_and_wait();
}

TEMPLATE_TEST_CASE("a drop counts from the next phase on", "", BARRIERS_OF_SEVERAL_THREADS, thread_barrier) {
  TestType bar(3);
  bar.arrive_and_drop();
  CHECK_FALSE(bar.try_wait_parity(false));
  static_cast<void>(bar.arrive());
  CHECK_FALSE(bar.try_wait_parity(false));
  bar.arrive_and_drop();
  CHECK(bar.try_wait_parity(false));
  static_cast<void>(bar.arrive());
  CHECK(bar.try_wait_parity(true));
  invalidate(&bar);
}

// Nobody waits, so arrivals of a phase overtake the end of the phase before.
TEMPLATE_TEST_CASE("a barrier counts to max(), also with a drop", "", BARRIERS_OF_SEVERAL_THREADS, thread_barrier) {
  constexpr std::ptrdiff_t most = TestType::max();
  TestType bar(most);
  auto token = bar.arrive(most - 1);
  CHECK_FALSE(bar.try_wait(token));
  bar.arrive_and_drop();
  CHECK(bar.try_wait(token));
  token = bar.arrive(most - 2);
  CHECK_FALSE(bar.try_wait(token));
  static_cast<void>(bar.arrive());
  CHECK(bar.try_wait(token));
  CHECK_FALSE(bar.try_wait_parity(false));
}

TEMPLATE_TEST_CASE("arrivals may cross phases", "", device_barrier, system_barrier, standard_barrier) {
  const int expected = GENERATE(1, 2, 3, 7);
  constexpr int threads = 4;
  constexpr int arrivals_of_each = 20001;
  TestType bar(expected);
  run_threads(threads, [&](int) {
    for (int arrival = 0; arrival < arrivals_of_each; ++arrival)
      static_cast<void>(bar.arrive());
  });
  constexpr int arrivals = threads * arrivals_of_each;
  const bool parity = arrivals / expected % 2 != 0;
  for (int missing = expected - arrivals % expected; missing > 0; --missing) {
    CHECK(bar.try_wait_parity(!parity));
    CHECK_FALSE(bar.try_wait_parity(parity));
    static_cast<void>(bar.arrive());
  }
  CHECK(bar.try_wait_parity(parity));
}

// A producer and a consumer hand over plain data by two barriers on which the other side alone arrives.
TEMPLATE_TEST_CASE("barriers with one arrival pass messages", "", BARRIERS_OF_SEVERAL_THREADS) {
  TestType full(1);
  TestType empty(1);
  failure_count failures;
  int message = -1;
  run_threads(2, [&](int rank) {
    for (int round = 0; round < 2000; ++round) {
      const bool parity = round % 2 != 0;
      if (rank == 0) {
        empty.wait_parity(!parity);
        message = round;
        static_cast<void>(full.arrive());
      } else {
        full.wait_parity(parity);
        failures.expect(message == round);
        static_cast<void>(empty.arrive());
      }
    }
  });
  CHECK(failures.value() == 0);
}

// The refills of the phases that an arrival completes, compared with a division in 64 bits. Sums of counts near the largest
// one do not fit in 32 bits.
TEST_CASE("a counter's refills are those of a division, for small counts and the largest") {
  namespace backend = cudasync::backend;
  for (const std::uint32_t expected : {0u, 1u, 2u, 3u, 7u, 0x40000000u, 0x59291188u, 0x7ffffffeu, 0x7fffffffu})
    for (const std::uint32_t base : {0u, 0x3ffffffau, 0x7ffffff0u})
      for (std::uint32_t low = 0; low < 16; ++low)
        for (const std::uint32_t arrivals : {1u, 2u, 5u, 31u, 0x7ffffff0u, 0x7fffffffu}) {
          if (expected < 8 && (base != 0 || arrivals > 31)) continue;  // a loop over all phases takes long
          const std::uint64_t before = static_cast<std::uint64_t>(base + low) << 32 | expected;
          const std::uint64_t after = before + (static_cast<std::uint64_t>(arrivals) << 32);
          if (expected < 8 && backend::has_flipped(before, after)) continue;
          std::uint64_t phases = 0;
          if (expected != 0 && backend::has_flipped(before, after))
            phases = 1 + backend::current_count(after) / expected;
          else if (expected != 0)
            phases = (backend::current_count(before) % expected + std::uint64_t{arrivals}) / expected;
          REQUIRE(backend::missing_refills(expected, backend::current_count(after), arrivals) ==
                  static_cast<std::uint32_t>(phases * backend::refilled_count(expected)));
        }
}
