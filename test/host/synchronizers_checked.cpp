// The checked build of latches, semaphores and grid_barrier on the host: broken rules end the program, kept ones do not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define CUDASYNC_CHECKED 1
#include "aborts.h"
#include "catch.h"
#include "threads.h"

#include <cuda/latch>
#include <cuda/semaphore>
#include <cudasync/grid_barrier.h>
#include <cudasync/peer_barrier.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

using namespace std::chrono_literals;
using cudasync::participant;
using latch = cuda::latch<cuda::thread_scope_block>;
using counting = cuda::counting_semaphore<cuda::thread_scope_device>;
using binary = cuda::binary_semaphore<cuda::thread_scope_system>;
using barrier = cudasync::grid_barrier<cudasync::thread_scope_system>;

// The compiler does not see them: else it warns of them itself.
template <class Type>
Type* nowhere() {
  Type* volatile hidden = nullptr;
  return hidden;
}

TEST_CASE("no more arrivals than a latch expects") {
  const char* const rule = "latch: more arrivals than expected";
  latch bar(3);
  check_aborts(rule, [&] { bar.count_down(4); });
  check_aborts(rule, [&] { bar.arrive_and_wait(latch::max()); });
  bar.count_down(2);
  check_aborts(rule, [&] { bar.count_down(2); });
  bar.arrive_and_wait();
  check_aborts(rule, [&] { bar.count_down(); });
  check_aborts(rule, [&] { bar.arrive_and_wait(); });
  bar.count_down(0);
}

TEST_CASE("a latch counts from 0 to max and downwards") {
  const char* const rule = "latch: expected must be 0 to max()";
  check_aborts(rule, [] { latch bar(-1); });
  check_aborts(rule, [] { latch bar(latch::max() + 1); });
  latch bar(latch::max());
  check_aborts("init: expected must be 0 to max()\n  compared at line 50: -1, ", [&] { init(&bar, -1); });
  check_aborts("init: expected must be 0 to max()", [&] { init(&bar, latch::max() + 1); });
  check_aborts("init: the latch is a null pointer", [] { init(nowhere<latch>(), 1); });
  const char* const update = "latch: update must be 0 to what is left of the count";
  check_aborts(update, [&] { bar.count_down(-1); });
  check_aborts(update, [&] { bar.count_down(latch::max() + 1); });
  check_aborts(update, [&] { bar.arrive_and_wait(std::ptrdiff_t{1} << 32); });
  bar.arrive_and_wait(latch::max());
}

TEST_CASE("no more permits than max") {
  const char* const rule = "semaphore: more permits than max()";
  counting full(counting::max());
  check_aborts(rule, [&] { full.release(); });
  full.acquire();
  check_aborts(rule, [&] { full.release(2); });
  check_aborts(rule, [&] { full.release(counting::max()); });
  full.release();
  full.release(0);
  const char* const update = "counting_semaphore::release: update must be 0 to max()";
  check_aborts(update, [&] { full.release(-1); });
  check_aborts(update, [&] { full.release(counting::max() + 1); });
  check_aborts("counting_semaphore: desired must be 0 to max()", [] { counting semaphore(-1); });
  check_aborts("counting_semaphore: desired must be 0 to max()", [] { counting semaphore(counting::max() + 1); });
  check_aborts("init: desired must be 0 to max()", [&] { init(&full, -1); });
  check_aborts("init: desired must be 0 to max()", [&] { init(&full, counting::max() + 1); });
  check_aborts("init: the semaphore is a null pointer", [] { init(nowhere<counting>(), 1); });
}

TEST_CASE("a binary semaphore has at most one permit, however often it is released") {
  binary semaphore(1);
  semaphore.release();  // an event that is set twice is set
  semaphore.release(0);
  CHECK(semaphore.try_acquire());
  CHECK_FALSE(semaphore.try_acquire());
  semaphore.release(1);
  check_aborts("counting_semaphore::release: update must be 0 to max()", [&] { semaphore.release(2); });
  check_aborts("counting_semaphore: desired must be 0 to max()", [] { binary other(2); });
  check_aborts("init: desired must be 0 to max()", [&] { init(&semaphore, 2); });
}

TEST_CASE("participants of a grid_barrier have ranks below their number") {
  const char* const rule = "grid_barrier: the rank must be less than the count, and the count 1 to 2^30";
  barrier bar;
  init(&bar);
  check_aborts(rule, [&] { static_cast<void>(bar.arrive(participant{2, 2})); });
  check_aborts(rule, [&] { bar.arrive_and_wait(participant{0, 0}); });
  check_aborts(rule, [&] { bar.arrive_and_wait(participant{7, 3}); });
  check_aborts(rule, [&] { static_cast<void>(bar.arrive(participant{0, (1u << 30) + 1})); });
  static_cast<void>(bar.arrive(participant{5, 1u << 30}));
  init(&bar);
  auto token = bar.arrive(participant{0, 1});
  check_aborts(rule, [&] { bar.wait(std::move(token), participant{1, 1}); });
  bar.wait(std::move(token), participant{0, 1});
  check_aborts("init: the barrier is a null pointer", [] { init(nowhere<barrier>()); });
}

// No assertion disturbs threads that keep the rules.
// in_flight: messages that have been put and not yet taken.
template <std::uint32_t Stages>
void pass_numbers_that_wrap_around(std::uint32_t in_flight) {
  CAPTURE(Stages, in_flight);
  static cudasync::peer_mailbox<int, 2, Stages> box;
  std::uint32_t taken = 0u - 10;
  for (std::uint32_t put = taken; put != 10; ++put) {
    box.put(put, 1, static_cast<int>(put) + 5);
    if (put - taken + 1 < in_flight) continue;
    CHECK(box.take(taken, 1) == static_cast<int>(taken) + 5);
    ++taken;
  }
}

TEST_CASE("message 0 of a mailbox comes after message 2^32 - 1") {
  pass_numbers_that_wrap_around<1>(1);
  pass_numbers_that_wrap_around<2>(2);
  pass_numbers_that_wrap_around<3>(1);
  pass_numbers_that_wrap_around<4>(4);
  static cudasync::peer_mailbox<int, 2> fresh;
  check_aborts("peer_mailbox: the first message has the number 1", [] { fresh.put(0, 1, 5); });
  check_aborts("peer_mailbox: the index must be below Size", [] { fresh.put(1, 2, 5); });
  check_aborts("peer_mailbox: the index must be below Size", [] { static_cast<void>(fresh.take(1, 2)); });
}

TEST_CASE("correct programs run in the checked build") {
  constexpr int threads = 4;
  constexpr int rounds = 200;
  barrier bar;
  counting permits(2);
  binary permit(0);
  latch first(threads);
  init(&bar);
  int sum = 0;  // not atomic
  failure_count failures;
  run_threads(threads, [&](int rank) {
    if (rank == 0) permit.release();
    first.arrive_and_wait();
    for (int round = 1; round <= rounds; ++round) {
      permits.acquire();
      if (!permit.try_acquire_for(std::chrono::microseconds(10 * rank))) permit.acquire();
      ++sum;
      permit.release();
      permits.release();
      bar.arrive_and_wait(participant{static_cast<unsigned>(rank), threads});
      failures.expect(sum == threads * round);
      const participant backwards{static_cast<unsigned>(threads - 1 - rank), threads};
      bar.wait(bar.arrive(backwards), backwards);
    }
    failures.expect(first.try_wait_for(0s));
  });
  CHECK(failures.value() == 0);
}
