// The checked build of memcpy_async and cuda::pipeline on the host: broken rules end the program, kept ones do not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define CUDASYNC_CHECKED 1
#include "aborts.h"
#include "catch.h"
#include "threads.h"

#include <cuda/barrier>
#include <cuda/pipeline>

#include <chrono>
#include <cstddef>
#include <cstdint>

using namespace std::chrono_literals;
using std::chrono::steady_clock;

struct nothing {
  void operator()() {}
};
using barrier = cuda::barrier<cuda::thread_scope_block>;
using handle = cuda::pipeline<cuda::thread_scope_block>;

// Nobody else is there to be synchronized with.
struct member {
  int rank;
  int members;

  int thread_rank() const { return rank; }
  int size() const { return members; }
  void sync() const {}
};

constexpr const char* misaligned =
    "memcpy_async: destination and source must be aligned as their type and aligned_size_t promise";
constexpr const char* overlapping = "memcpy_async: destination and source must not overlap";

alignas(64) char source[128];
alignas(64) char destination[128];

TEST_CASE("copies are aligned as their sizes promise") {
  barrier bar(1);
  const auto copy = [&](std::size_t to, std::size_t from, auto size) {
    return [&, to, from, size] { memcpy_async(destination + to, source + from, size, bar); };
  };
  check_aborts(misaligned, copy(8, 0, cuda::aligned_size_t<16>(16)));
  check_aborts(misaligned, copy(0, 8, cuda::aligned_size_t<16>(16)));
  check_aborts(misaligned, copy(1, 1, cuda::aligned_size_t<2>(0)));
  check_aborts(misaligned, copy(4, 4, cudasync::zero_filled_size(cuda::aligned_size_t<8>(8), 2)));
  check_aborts(misaligned, [&] {
    memcpy_async(member{1, 2}, static_cast<void*>(destination + 32), source + 16, cuda::aligned_size_t<32>(32), bar);
  });
  copy(16, 32, cuda::aligned_size_t<16>(16))();
  copy(1, 3, cuda::aligned_size_t<1>(5))();
  copy(3, 5, 7)();
  copy(8, 24, cudasync::zero_filled_size(cuda::aligned_size_t<8>(16), 1))();
}

TEST_CASE("copies are aligned as their types are") {
  barrier bar(1);
  const auto copy = [&](std::size_t to, std::size_t from) {
    return [&, to, from] {
      memcpy_async(reinterpret_cast<int*>(destination + to), reinterpret_cast<const int*>(source + from), 4, bar);
    };
  };
  check_aborts(misaligned, copy(2, 0));
  check_aborts(misaligned, copy(0, 1));
  copy(4, 8)();
}

// The compiler does not see where it points: else it warns of the overlap itself.
char* at(std::size_t offset) {
  volatile std::size_t hidden = offset;
  return source + hidden;
}

TEST_CASE("source and destination do not overlap") {
  barrier bar(1);
  cuda::barrier<cuda::thread_scope_system, nothing> other_bar(1);
  check_aborts(overlapping, [&] { memcpy_async(at(0), at(0), 1, bar); });
  check_aborts(overlapping, [&] { memcpy_async(at(8), at(0), 9, bar); });
  check_aborts(overlapping, [&] { memcpy_async(member{0, 1}, at(0), at(8), 9, other_bar); });
  check_aborts(overlapping, [&] { memcpy_async(at(0), at(8), cudasync::zero_filled_size(9, 1), bar); });
  memcpy_async(at(8), at(0), 8, bar);
  memcpy_async(at(0), at(8), 8, other_bar);
  memcpy_async(at(0), at(0), 0, bar);
}

TEST_CASE("sizes keep what they promise") {
  check_aborts("aligned_size_t: the size must be a multiple of the alignment\n  compared at line 91: 20, 16\n",
               [] { static_cast<void>(cuda::aligned_size_t<16>(20)); });
  check_aborts("zero_filled_size: there can be no more valid bytes than bytes",
               [] { static_cast<void>(cudasync::zero_filled_size(4, 5)); });
}

TEST_CASE("threads of a partitioned pipeline keep to their roles") {
  cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  handle producer = cuda::make_pipeline(member{0, 2}, &state, 1);
  handle consumer = cuda::make_pipeline(member{1, 2}, &state, 1);
  check_aborts("pipeline::producer_acquire: this thread is a consumer", [&] { consumer.producer_acquire(); });
  check_aborts("pipeline::producer_commit: this thread is a consumer", [&] { consumer.producer_commit(); });
  check_aborts("memcpy_async: this thread is a consumer of the pipeline",
               [&] { memcpy_async(destination, source, 4, consumer); });
  check_aborts("pipeline::consumer_wait: this thread is a producer", [&] { producer.consumer_wait(); });
  check_aborts("pipeline::consumer_wait_for: this thread is a producer",
               [&] { static_cast<void>(producer.consumer_wait_for(0s)); });
  check_aborts("pipeline::consumer_wait_for: this thread is a producer",
               [&] { static_cast<void>(producer.consumer_wait_until(steady_clock::now())); });
  check_aborts("pipeline::consumer_release: this thread is a producer", [&] { producer.consumer_release(); });
  check_aborts(misaligned, [&] { memcpy_async(destination + 2, source, cuda::aligned_size_t<4>(4), producer); });
  check_aborts(overlapping, [&] { memcpy_async(at(0), at(3), 4, producer); });
}

TEST_CASE("what a role allows is not forbidden") {
  cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  handle both = cuda::make_pipeline(member{0, 1}, &state);
  both.producer_acquire();
  memcpy_async(destination, source, 4, both);
  both.producer_commit();
  both.consumer_wait();
  CHECK(both.consumer_wait_for(0s));
  both.consumer_release();
  meeting place(2);
  run_threads(2, [&](int rank) {
    const auto role = rank == 0 ? cuda::pipeline_role::consumer : cuda::pipeline_role::producer;
    handle pipe = cuda::make_pipeline(thread_group(place, rank, 2), &state, role);
    if (rank == 0) {
      pipe.consumer_wait();
      pipe.consumer_release();
    } else {
      pipe.producer_acquire();
      memcpy_async(destination, source, 4, pipe);
      pipe.producer_commit();
    }
  });
}

TEST_CASE("no more producers than threads") {
  cuda::pipeline_shared_state<cuda::thread_scope_system, 1> state;
  const char* const rule = "make_pipeline: more producers than threads";
  check_aborts(rule, [&] { static_cast<void>(cuda::make_pipeline(member{0, 2}, &state, 3)); });
  check_aborts(rule, [&] { static_cast<void>(cuda::make_pipeline(member{1, 2}, &state, ~std::size_t{0})); });
  check_aborts(rule, [&] { static_cast<void>(cuda::make_pipeline(member{1, 2}, &state, std::size_t{1} << 32)); });
}

TEST_CASE("all threads may be producers, or consumers") {
  cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  for (const std::size_t producers : {std::size_t{0}, std::size_t{2}}) {
    handle pipes[] = {cuda::make_pipeline(member{0, 2}, &state, producers),
                      cuda::make_pipeline(member{1, 2}, &state, producers)};
    for (handle& pipe : pipes) {
      for (int stage = 0; stage < 2 && producers != 0; ++stage) {
        pipe.producer_acquire();
        memcpy_async(destination, source, 4, pipe);
        pipe.producer_commit();
      }
      if (producers == 0) CHECK_FALSE(pipe.consumer_wait_for(0s));
    }
  }
  for (const auto role : {cuda::pipeline_role::producer, cuda::pipeline_role::consumer}) {
    handle pipe = cuda::make_pipeline(member{0, 1}, &state, role);
    CHECK(pipe.quit());
  }
}

// No assertion disturbs threads that keep the rules.
TEST_CASE("a correct stream runs in the checked build") {
  constexpr int threads = 4;
  cuda::pipeline_shared_state<cuda::thread_scope_block, 3> state;
  for (int producers = 1; producers <= threads; ++producers) {
    meeting place(threads);
    failure_count failures;
    int slots[3][threads] = {};
    run_threads(threads, [&](int rank) {
      const thread_group group(place, rank, threads);
      const bool is_unified = producers == threads;
      handle pipe = is_unified ? cuda::make_pipeline(group, &state) : cuda::make_pipeline(group, &state, producers);
      for (int position = 0; position < 100; ++position) {
        if (rank < producers) {
          pipe.producer_acquire();
          memcpy_async(&slots[position % 3][rank], &position, sizeof position, pipe);
          pipe.producer_commit();
        }
        if (is_unified || rank >= producers) {
          pipe.consumer_wait();
          for (int producer = 0; producer < producers; ++producer)
            failures.expect(slots[position % 3][producer] == position);
          pipe.consumer_release();
        }
      }
    });
    CHECK(failures.value() == 0);
  }
}
