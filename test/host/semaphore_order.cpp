// The order in which semaphores serve threads on the host: first come, first served, whatever the counters have come to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"
#include "threads.h"

#include <cuda/semaphore>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <numeric>
#include <vector>

using namespace std::chrono_literals;
namespace backend = cudasync::backend;
using cudasync::int32;
using cudasync::uint32;
using cudasync::uint64;

using block_semaphore = cuda::counting_semaphore<cuda::thread_scope_block>;
using system_semaphore = cuda::counting_semaphore<cuda::thread_scope_system>;
using block_flag = cuda::binary_semaphore<cuda::thread_scope_block>;
using system_flag = cuda::binary_semaphore<cuda::thread_scope_system>;

#define COUNTING_SEMAPHORES block_semaphore, system_semaphore
#define ALL_SEMAPHORES COUNTING_SEMAPHORES, block_flag, system_flag

// The word of a counting semaphore: releases so far, and permits less waiting threads.
constexpr uint64 queue_word(uint32 released, int32 available) {
  return (uint64{released} << 32) + static_cast<uint64>(available);
}
// That of a binary one: which ticket is next, and how many threads wait.
constexpr uint32 flag_word(uint32 next, uint32 waiting, uint32 permit) {
  return next % 256 << 24 | waiting << 2 | permit;
}

// --- The words ---

constexpr uint32 edges[] = {0, 1, 2, 5, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};

// The two numbers of a word do not disturb each other, at whatever they stand.
constexpr bool are_separate() {
  for (const uint32 released : edges) {
    for (const uint32 other : edges) {
      const int32 available = static_cast<int32>(other);
      const uint64 word = queue_word(released, available);
      if (backend::released_permits(word) != released || backend::available_permits(word) != available) return false;
      if (other == 0x80000000) continue;  // the fewest
      const uint64 taken = word - 1;
      if (backend::released_permits(taken) != released || backend::available_permits(taken) != available - 1)
        return false;
      for (const uint32 count : {uint32{0}, uint32{1}, uint32{7}, uint32{0x7fffffff}}) {
        if (available > 0 && count > 0x7fffffff - other) continue;  // more than max
        const uint64 added = word + backend::permits(count);
        if (backend::released_permits(added) != released + count) return false;
        if (backend::available_permits(added) != static_cast<int32>(other + count)) return false;
      }
    }
  }
  return true;
}
static_assert(are_separate());

TEST_CASE("a ticket is served by the release after those of all earlier tickets") {
  for (const uint32 ticket : edges) {
    backend::ticket_is_served is_served{ticket, 0};
    for (const uint32 distance : {0u, 1u, 300u, 1u << 20}) {
      CHECK_FALSE(is_served(queue_word(ticket - distance, -1)));
      CHECK_FALSE(is_served(queue_word(ticket - distance, -300)));
      CHECK(is_served(queue_word(ticket + 1 + distance, 0)));
      CHECK(is_served(queue_word(ticket + 1 + distance, -5)));
      CHECK(is_served(queue_word(ticket + 1 + distance, 5)));
    }
    for (const uint32 distance : {0x7fffffffu, 0x80000000u, 0xc0000000u})  // a thread may look late
      CHECK(is_served(queue_word(ticket + distance, 5)));
  }
}

// --- Threads whose order is known ---

template <class Semaphore>
auto& word_of(Semaphore& semaphore) {
  if constexpr (sizeof(Semaphore) == 8) {
    return reinterpret_cast<uint64&>(semaphore);
  } else {
    return reinterpret_cast<uint32&>(semaphore);
  }
}

// No permits, and nobody waits; so many have come before. (A binary semaphore forgets them when nobody waits.)
template <class Semaphore>
void begin_after(Semaphore& semaphore, uint32 served) {
  init(&semaphore, 0);
  if constexpr (sizeof(Semaphore) == 8) word_of(semaphore) = queue_word(served, 0);
}
template <class Semaphore>
std::vector<uint32> beginnings() {
  if (sizeof(Semaphore) == 8) return {0, 0x7ffffffd, 0xfffffffd};
  return {0};
}

template <class Semaphore>
int waiting(Semaphore& semaphore) {
  const auto word = __atomic_load_n(&word_of(semaphore), __ATOMIC_RELAXED);
  if constexpr (sizeof(Semaphore) == 8) {
    return -backend::available_permits(word);
  } else {
    return static_cast<int>(word >> 2 & 0x3fffff);
  }
}

template <class Condition>
void yield_until(Condition condition) {
  while (!condition())
    std::this_thread::yield();
}

// Threads that acquire and then call function(rank); each starts when those before it wait.
template <class Semaphore, class Function>
std::vector<std::thread> queue_up(Semaphore& semaphore, int threads, Function function) {
  const int before = waiting(semaphore);
  std::vector<std::thread> queue;
  for (int rank = 0; rank < threads; ++rank) {
    queue.emplace_back([&semaphore, function, rank] {
      semaphore.acquire();
      function(rank);
    });
    yield_until([&] { return waiting(semaphore) == before + rank + 1; });
  }
  return queue;
}

void join(std::vector<std::thread>& threads) {
  for (std::thread& each : threads)
    each.join();
}

std::vector<int> first_numbers(int count) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEMPLATE_TEST_CASE("threads are served in the order in which they came", "", ALL_SEMAPHORES) {
  constexpr int threads = 8;
  for (const uint32 beginning : beginnings<TestType>()) {
    for (int round = 0; round < 6; ++round) {
      TestType semaphore;
      begin_after(semaphore, beginning);
      std::vector<int> served;  // not atomic
      auto queue = queue_up(semaphore, threads, [&](int rank) {
        served.push_back(rank);
        semaphore.release();
      });
      if (round % 2 != 0) std::this_thread::sleep_for(1ms);
      semaphore.release();
      join(queue);
      CHECK(served == first_numbers(threads));
      CHECK(semaphore.try_acquire());
      CHECK(waiting(semaphore) == 0);
    }
  }
}

TEMPLATE_TEST_CASE("each release serves the thread that has waited longest", "", ALL_SEMAPHORES) {
  constexpr int threads = 6;
  for (const uint32 beginning : beginnings<TestType>()) {
    TestType semaphore;
    begin_after(semaphore, beginning);
    std::atomic<int> served{0};
    failure_count failures;
    auto queue = queue_up(semaphore, threads, [&](int rank) { failures.expect(served.fetch_add(1) == rank); });
    for (int releases = 1; releases <= threads; ++releases) {
      CHECK(served == releases - 1);
      semaphore.release();
      yield_until([&] { return served >= releases; });
    }
    join(queue);
    CHECK(failures.value() == 0);
    CHECK_FALSE(semaphore.try_acquire());
  }
}

TEMPLATE_TEST_CASE("one release serves as many as it has permits", "", block_semaphore, system_semaphore) {
  constexpr int threads = 9;
  for (const uint32 beginning : beginnings<TestType>()) {
    TestType semaphore;
    begin_after(semaphore, beginning);
    std::atomic<int> served{0};
    failure_count failures;
    int permits = 0;  // not atomic
    auto queue = queue_up(semaphore, threads, [&](int rank) {
      failures.expect(rank < permits);
      ++served;
    });
    for (const int count : {2, 3, 4}) {
      permits += count;
      semaphore.release(count);
      yield_until([&] { return served >= permits; });
      std::this_thread::sleep_for(1ms);
      CHECK(served == permits);
    }
    join(queue);
    CHECK(failures.value() == 0);
    CHECK_FALSE(semaphore.try_acquire());
    semaphore.release(2);
    CHECK(semaphore.try_acquire());
  }
}

// A release of a counting semaphore hands the permit to the thread that has waited longest, so that none is left to try for.
TEMPLATE_TEST_CASE("nobody overtakes the queue of a counting semaphore by trying", "", COUNTING_SEMAPHORES) {
  constexpr int threads = 20;
  TestType semaphore(0);
  std::atomic<int> served{0};
  auto queue = queue_up(semaphore, threads, [&](int) { ++served; });
  CHECK_FALSE(semaphore.try_acquire());
  for (int releases = 1; releases <= threads; ++releases) {
    semaphore.release();
    CHECK_FALSE(semaphore.try_acquire());
    CHECK_FALSE(semaphore.try_acquire_for(releases % 5 == 0 ? 1ms : 0ms));
    yield_until([&] { return served == releases; });
  }
  join(queue);
  semaphore.release();
  CHECK(semaphore.try_acquire());
}

// Then the permit is for that thread: neither those that wait nor those that try starve.
TEST_CASE("a try takes the permit of a binary semaphore once before the turn of a thread in the queue") {
  system_flag semaphore(0);
  std::atomic<bool> is_served{false};
  auto queue = queue_up(semaphore, 1, [&](int) { is_served = true; });
  __atomic_fetch_add(&word_of(semaphore), flag_word(1, 0, 0), __ATOMIC_RELAXED);  // as if another thread were next
  CHECK_FALSE(semaphore.try_acquire());
  CHECK_FALSE(semaphore.try_acquire_for(1ms));
  for (int round = 0; round < 20; ++round) {
    semaphore.release();
    semaphore.release();  // has no effect
    if (round % 5 == 0) std::this_thread::sleep_for(1ms);
    CHECK((round % 2 == 0 ? semaphore.try_acquire() : semaphore.try_acquire_for(1h)));
    CHECK_FALSE(semaphore.try_acquire());
    semaphore.release();
    CHECK_FALSE((round % 2 == 0 ? semaphore.try_acquire() : semaphore.try_acquire_for(1us)));
    __atomic_fetch_and(&word_of(semaphore), ~uint32{3}, __ATOMIC_RELAXED);  // the other thread has had its turn
  }
  CHECK_FALSE(is_served);
  __atomic_fetch_sub(&word_of(semaphore), flag_word(1, 0, 0), __ATOMIC_RELAXED);
  semaphore.release();
  join(queue);
}

// It holds the permit, gives it back, and wants it again at once: it has to queue behind those who wait already.
TEMPLATE_TEST_CASE("a thread that acquires again and again starves nobody", "", ALL_SEMAPHORES) {
  const int waiters = GENERATE(1, 3);
  constexpr int most_turns = 20000;
  for (int round = 0; round < 20; ++round) {
    TestType semaphore(1);
    semaphore.acquire();
    int served = 0;  // not atomic
    auto queue = queue_up(semaphore, waiters, [&](int) {
      ++served;
      semaphore.release();
    });
    int turns = 0;
    do {
      semaphore.release();
      semaphore.acquire();
      ++turns;
    } while (served < waiters && turns < most_turns);
    CHECK(turns == 1);
    semaphore.release();
    join(queue);
  }
}

// Everybody is greedy, and gives the permit back when all others wait for it again.
TEMPLATE_TEST_CASE("turns go round among greedy threads", "", ALL_SEMAPHORES) {
  constexpr int threads = 4;
  constexpr int turns = 120;
  TestType semaphore(0);
  std::vector<int> history;  // not atomic, and neither is this
  int others = threads - 1;
  auto queue = queue_up(semaphore, threads, [&](int rank) {
    for (int turn = 1;; ++turn) {
      history.push_back(rank);
      yield_until([&] { return waiting(semaphore) >= others; });
      if (turn == turns) --others;
      semaphore.release();
      if (turn == turns) return;
      semaphore.acquire();
    }
  });
  semaphore.release();
  join(queue);
  REQUIRE(history.size() == threads * turns);
  int out_of_turn = 0;
  for (std::size_t at = 0; at < history.size(); ++at)
    out_of_turn += history[at] != static_cast<int>(at % threads);
  CHECK(out_of_turn == 0);
}

// --- Words as they are after some time ---

// Waiters that are no threads hold the tickets before; each release is for one of them.
TEST_CASE("a thread takes the ticket behind those who wait, across the wrap of both counters") {
  for (const uint32 released : edges) {
    for (const int32 before : {0, 1, 2, 40}) {
      backend::permit_queue<cudasync::thread_scope_system> queue(0);
      queue.word = queue_word(released - static_cast<uint32>(before), -before);
      std::atomic<int> releases{0};
      failure_count failures;
      std::thread last([&] {
        acquire_permit(cudasync::target::host{}, queue);
        failures.expect(releases == before + 1);
      });
      yield_until(
          [&] { return __atomic_load_n(&queue.word, __ATOMIC_RELAXED) == queue_word(released - before, -before - 1); });
      for (int32 each = 0; each <= before; ++each) {
        ++releases;
        release_permits(cudasync::target::host{}, queue, 1);
      }
      last.join();
      CHECK(failures.value() == 0);
      CHECK(queue.word == queue_word(released + 1, 0));
    }
  }
}

TEST_CASE("a ticket of a binary semaphore is served when its number is next, modulo 256") {
  for (const uint32 next : {0u, 1u, 100u, 254u, 255u}) {
    for (const uint32 before : {1u, 2u, 3u, 200u, 255u}) {
      backend::permit_flag<cudasync::thread_scope_system> flag(0);
      flag.word = flag_word(next, before, 0);
      std::atomic<bool> is_served{false};
      std::thread last([&] {
        acquire_permit(cudasync::target::host{}, flag);
        is_served = true;
      });
      yield_until([&] { return __atomic_load_n(&flag.word, __ATOMIC_RELAXED) == flag_word(next, before + 1, 0); });
      for (uint32 each = 0; each < before; ++each) {  // a permit comes, and whose ticket is next takes it
        release_permits(cudasync::target::host{}, flag, 1);
        if (each % 64 == 0) std::this_thread::sleep_for(1ms);
        __atomic_fetch_add(&flag.word, flag_word(1, 0, 0) - flag_word(0, 1, 1), __ATOMIC_RELAXED);
      }
      CHECK_FALSE(is_served);
      release_permits(cudasync::target::host{}, flag, 1);
      last.join();
      CHECK(flag.word == 0);  // as it began: nobody waits
    }
  }
}

// As many as no GPU can hold: their number does not reach the tickets.
TEST_CASE("2^22 - 1 threads wait for a binary semaphore") {
  backend::permit_flag<cudasync::thread_scope_system> flag(0);
  constexpr uint32 most = (uint32{1} << 22) - 1;
  flag.word = flag_word(5, most - 1, 0);
  std::thread last([&] { acquire_permit(cudasync::target::host{}, flag); });
  yield_until([&] { return __atomic_load_n(&flag.word, __ATOMIC_RELAXED) == flag_word(5, most, 0); });
  __atomic_store_n(&flag.word, flag_word(5 + most - 1, 1, 0), __ATOMIC_RELAXED);  // all others have had their turns
  release_permits(cudasync::target::host{}, flag, 1);
  last.join();
  CHECK(flag.word == 0);
}

// Then several have the same ticket. All have their turn.
TEMPLATE_TEST_CASE("more than 256 threads wait for a semaphore", "", system_semaphore, system_flag) {
  constexpr int threads = 260;
  TestType semaphore(0);
  int served = 0;  // not atomic
  auto queue = queue_up(semaphore, threads, [&](int) {
    ++served;
    semaphore.release();
  });
  CHECK(waiting(semaphore) == threads);
  semaphore.release();
  join(queue);
  CHECK(served == threads);
  CHECK(semaphore.try_acquire());
  CHECK(waiting(semaphore) == 0);
}
