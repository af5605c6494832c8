// cuda::pipeline of one thread on the host: copies are there after the wait, whichever wait it is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"
#include "threads.h"

#include <cuda/pipeline>
#include <cuda/std/barrier>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <type_traits>
#include <utility>

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using handle = cuda::pipeline<cuda::thread_scope_thread>;

static_assert(sizeof(handle) == 2);
static_assert(!std::is_default_constructible_v<handle> && !std::is_copy_constructible_v<handle>);
static_assert(!std::is_copy_assignable_v<handle> && std::is_move_constructible_v<handle>);
static_assert(std::is_same_v<decltype(cuda::make_pipeline()), handle>);

struct group_of_one {
  bool thread_rank() const { return false; }
  bool size() const { return true; }
  void sync() const {}
};

// Copies value to each of four destinations, by each way to say so.
void copy(int (&destination)[4], const int (&source)[4], handle& pipe) {
  using cuda::async_contract_fulfillment;
  CHECK(memcpy_async(&destination[0], &source[0], sizeof(int), pipe) == async_contract_fulfillment::none);
  CHECK(memcpy_async(static_cast<void*>(&destination[1]), &source[1], 4, pipe) == async_contract_fulfillment::none);
  CHECK(cuda::memcpy_async(group_of_one(), &destination[2], &source[2], cuda::aligned_size_t<4>(4), pipe) ==
        async_contract_fulfillment::none);
  CHECK(memcpy_async(group_of_one(), static_cast<void*>(&destination[3]), &source[3],
                     cudasync::zero_filled_size(4, source[3] % 4), pipe) == async_contract_fulfillment::none);
}

bool holds(const int (&destination)[4], const int (&source)[4]) {
  const int bits = source[3] % 4 * 8;
  return destination[0] == source[0] && destination[1] == source[1] && destination[2] == source[2] &&
         destination[3] == (source[3] & ((1 << bits) - 1));
}

// Any number of stages may be under way, in any number of rounds; the oldest is waited for.
TEST_CASE("stages are consumed in the order of their commits") {
  const int ahead = GENERATE(1, 2, 3, 8, 300);
  handle pipe = cuda::make_pipeline();
  struct stage {
    int source[4];
    int destination[4];
  };
  std::deque<stage> stages;  // its elements stay where they are
  for (int position = 0; position < 3 * ahead; ++position) {
    pipe.producer_acquire();
    stages.push_back({{position, ~position, position * 3, position * 7}, {-1, -1, -1, -1}});
    copy(stages.back().destination, stages.back().source, pipe);
    pipe.producer_commit();
    if (position < ahead - 1) continue;
    switch (position % 3) {
    case 0:
      pipe.consumer_wait();
      break;
    case 1:
      CHECK(pipe.consumer_wait_for(0s));
      break;
    case 2:
      CHECK(pipe.consumer_wait_until(steady_clock::now() - 1h));
      break;
    }
    CHECK(holds(stages.front().destination, stages.front().source));
    pipe.consumer_release();
    stages.pop_front();
  }
  CHECK(pipe.quit());
}

template <std::uint8_t Prior>
void check_wait_prior() {
  handle pipe = cuda::make_pipeline();
  const int source[4] = {1, 2, 3, 5};
  int destinations[12][4] = {};
  for (int (&each)[4] : destinations) {
    pipe.producer_acquire();
    copy(each, source, pipe);
    pipe.producer_commit();
  }
  cuda::pipeline_consumer_wait_prior<Prior>(pipe);
  for (int stage = 0; stage < 12 - Prior; ++stage)
    CHECK(holds(destinations[stage], source));
  for (int stage = 0; stage < 12; ++stage)
    pipe.consumer_release();
  pipe.consumer_wait();
  cuda::pipeline_consumer_wait_prior<0>(pipe);
  for (const int (&each)[4] : destinations)
    CHECK(holds(each, source));
  CHECK(pipe.quit());
}

TEST_CASE("all stages but the latest are waited for") {
  check_wait_prior<0>();
  check_wait_prior<1>();
  check_wait_prior<2>();
  check_wait_prior<11>();
  check_wait_prior<12>();
  check_wait_prior<255>();
}

TEST_CASE("nothing committed is nothing to wait for") {
  handle pipe = cuda::make_pipeline();
  pipe.consumer_wait();
  CHECK(pipe.consumer_wait_for(1h));
  CHECK(pipe.consumer_wait_until(steady_clock::now() + 1h));
  cuda::pipeline_consumer_wait_prior<3>(pipe);
  pipe.consumer_release();
  CHECK(pipe.quit());
}

TEST_CASE("a handle can be moved") {
  handle pipe = cuda::make_pipeline();
  const int source[4] = {1, 2, 3, 4};
  int destination[4] = {};
  copy(destination, source, pipe);
  handle moved = std::move(pipe);
  moved.producer_commit();
  pipe = std::move(moved);
  pipe.consumer_wait();
  CHECK(holds(destination, source));
}

// In place of a commit, a barrier's phase is held until the copies are complete; others wait for it, too.
TEMPLATE_TEST_CASE("a barrier waits for what a pipeline copied", "", cuda::barrier<cuda::thread_scope_thread>,
                   cuda::barrier<cuda::thread_scope_block>, cuda::barrier<cuda::thread_scope_device>,
                   cuda::barrier<cuda::thread_scope_system>, cuda::std::barrier<>) {
  constexpr int threads = TestType::scope == cuda::thread_scope_thread ? 1 : 4;
  TestType bar(threads);
  failure_count failures;
  int destinations[2][threads] = {};
  run_threads(threads, [&](int rank) {
    handle pipe = cuda::make_pipeline();
    for (int phase = 0; phase < 200; ++phase) {
      const int source = phase * threads + rank;
      cuda::memcpy_async(&destinations[phase % 2][rank], &source, sizeof source, pipe);
      pipeline_producer_commit(pipe, bar);
      bar.arrive_and_wait();
      for (int other = 0; other < threads; ++other)
        failures.expect(destinations[phase % 2][other] == phase * threads + other);
    }
  });
  CHECK(failures.value() == 0);
}

TEST_CASE("holding a phase is no arrival") {
  cuda::barrier<cuda::thread_scope_block> bar(1);
  handle pipe = cuda::make_pipeline();
  cuda::pipeline_producer_commit(pipe, bar);
  CHECK_FALSE(bar.try_wait_parity(false));
  static_cast<void>(bar.arrive());
  CHECK(bar.try_wait_parity(false));
}
