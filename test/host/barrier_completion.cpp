// Completion functions of cuda::barrier on the host: once a phase, after all arrivals, before anyone is released.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "aborts.h"
#include "catch.h"
#include "threads.h"

#include <cuda/barrier>
#include <cuda/std/barrier>

#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

template <cuda::thread_scope Scope>
using scope_constant = std::integral_constant<cuda::thread_scope, Scope>;

TEMPLATE_TEST_CASE("completion runs once a phase, after all arrivals and before any release", "",
                   scope_constant<cuda::thread_scope_block>, scope_constant<cuda::thread_scope_device>,
                   scope_constant<cuda::thread_scope_system>) {
  const int threads = GENERATE(1, 2, 5);
  constexpr int phases = 500;
  failure_count failures;
  std::vector<int> slots(threads);  // none of these is atomic: ThreadSanitizer judges the barrier
  int completed = 0;
  std::atomic<int> released{0};
  const auto completion = [&] {
    for (const int value : slots)
      failures.expect(value == completed);
    failures.expect(released == completed * threads);
    ++completed;
  };
  cuda::barrier<TestType::value, decltype(completion)> bar(threads, completion);
  run_threads(threads, [&](int rank) {
    for (int phase = 0; phase < phases; ++phase) {
      slots[rank] = phase;
      if (phase % 3 == 0) {
        bar.arrive_and_wait();
      } else if (phase % 3 == 1) {
        bar.wait(bar.arrive());
      } else {
        static_cast<void>(bar.arrive());
        bar.wait_parity(phase % 2 != 0);
      }
      failures.expect(completed == phase + 1);
      ++released;
    }
  });
  CHECK(failures.value() == 0);
  CHECK(completed == phases);
}

TEST_CASE("cuda::std::barrier deduces its completion function") {
  int count = 0;
  cuda::std::barrier bar(3, [&count] { ++count; });
  static_cast<void>(bar.arrive(2));
  CHECK(count == 0);
  bar.arrive_and_wait();
  CHECK(count == 1);
  bar.arrive_and_drop();
  static_cast<void>(bar.arrive(2));
  CHECK(count == 2);
  static_cast<void>(bar.arrive(2));
  CHECK(count == 3);
}

TEST_CASE("a completion function may hold what can only be moved") {
  int count = 0;
  auto completion = [&count, owned = std::make_unique<int>(7)]() mutable { count += (*owned)++; };
  static_assert(!std::is_copy_constructible_v<decltype(completion)>);
  cuda::std::barrier bar(1, std::move(completion));
  bar.arrive_and_wait();
  bar.arrive_and_wait();
  CHECK(count == 7 + 8);
}

// Counts those that live, and those of them that a barrier has called.
struct counted {
  static inline int alive = 0;
  static inline int calls = 0;
  counted() { ++alive; }
  counted(const counted&) { ++alive; }
  counted(counted&&) noexcept { ++alive; }
  ~counted() { --alive; }
  void operator()() { ++calls; }
};

TEST_CASE("the completion function is destroyed with its barrier, once") {
  counted::alive = counted::calls = 0;
  {
    cuda::barrier<cuda::thread_scope_system, counted> bar(1);
    CHECK(counted::alive == 1);
    bar.arrive_and_wait();
    CHECK(counted::calls == 1);
  }
  CHECK(counted::alive == 0);
  {
    cuda::std::barrier bar(2, counted());
    CHECK(counted::alive == 1);
    bar.arrive_and_drop();
    bar.arrive_and_wait();
    CHECK(counted::calls == 2);
  }
  CHECK(counted::alive == 0);
}

TEST_CASE("init gives raw storage a completion function") {
  counted::alive = counted::calls = 0;
  using barrier = cuda::barrier<cuda::thread_scope_block, counted>;
  static_assert(std::is_default_constructible_v<barrier>);
  auto* const bar = new barrier;
  CHECK(counted::alive == 0);
  init(bar, 1, counted());
  CHECK(counted::alive == 1);
  bar->arrive_and_wait();
  CHECK(counted::calls == 1);
  delete bar;
  CHECK(counted::alive == 0);
}

TEST_CASE("a dropped thread's last arrival may complete the phase") {
  int count = 0;
  cuda::std::barrier bar(2, [&count] { ++count; });
  static_cast<void>(bar.arrive());
  bar.arrive_and_drop();
  CHECK(count == 1);
  bar.arrive_and_drop();
  CHECK(count == 2);
  CHECK(bar.try_wait_parity(true));
}

// The phase would never complete, and the other threads would wait forever.
TEST_CASE("an exception of a completion function ends the program") {
  const auto fails = [] { throw std::runtime_error("the completion function failed"); };
  const auto complete_a_phase = [&] {
    cuda::std::barrier bar(1, fails);
    try {
      static_cast<void>(bar.arrive());
    } catch (const std::runtime_error&) {
    }
  };
  CHECK_THAT(last_words(complete_a_phase), Catch::Contains("the completion function failed"));
}
