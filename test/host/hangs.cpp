// Host threads that wait for ever: the checked build says who waits for what, why and where, and aborts. Slow ones go on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define CUDASYNC_CHECKED 1
#define CUDASYNC_HANG_TIMEOUT_MS 150
#include "aborts.h"
#include "catch.h"
#include "threads.h"

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cudasync/grid_barrier.h>
#include <cudasync/peer_barrier.h>

#include <chrono>
#include <fstream>
#include <initializer_list>
#include <string>
#include <thread>
#include <utility>

using namespace std::chrono_literals;
using barrier = cuda::barrier<cuda::thread_scope_system>;
using latch = cuda::latch<cuda::thread_scope_system>;
using counting = cuda::counting_semaphore<cuda::thread_scope_system>;
using binary = cuda::binary_semaphore<cuda::thread_scope_system>;
using number = cuda::atomic<int, cuda::thread_scope_system>;
using cudasync::participant;

namespace {

constexpr auto most_of_the_timeout = 100ms;

// "hangs.cpp:12": the line that ends with the comment // <mark>.
std::string place(const std::string& mark) {
  std::ifstream source(__FILE__);
  std::string line;
  for (int number = 1; std::getline(source, line); ++number)
    if (line.find("// <" + mark + ">") != std::string::npos) return "hangs.cpp:" + std::to_string(number);
  return "no line is marked " + mark;
}

template <class Function>
void check_hangs(std::initializer_list<std::string> texts, Function function) {
  const std::string words = last_words(function);
  CHECK_THAT(words, Catch::Contains("cudasync: hang: no progress for 150 ms"));
  for (const std::string& each : texts)
    CHECK_THAT(words, Catch::Contains(each));
}

}  // namespace

TEST_CASE("the longest time without progress is no short one") {
  CHECK(cudasync::checked::nanoseconds_of(150) == 150'000'000);
  CHECK(cudasync::checked::nanoseconds_of(18'446'744'073'710) ==
        ~cudasync::uint64{0});  // ms: 0.4 s more than 64 bits of ns hold
  CHECK(cudasync::checked::nanoseconds_of(~cudasync::uint64{0}) == ~cudasync::uint64{0});
}

// --- Broken programs ---

TEST_CASE("a GPU that does not arrive at the barrier of all GPUs") {
  check_hangs({"thread 1 waits for the peer_barrier", "at " + place("peers"),
               "likely cause: rank 1 has not arrived in phase 2", "remedy: let every rank launch the kernel"},
              [] {
                static cudasync::peer_part<> parts[2];
                cudasync::peer_part<>* const addresses[2] = {&parts[0], &parts[1]};
                cudasync::peer_barrier bar(addresses, 0, 2);
                cudasync::peer_barrier other(addresses, 1, 2);
                static_cast<void>(other.arrive(participant{0, 1}));
                bar.arrive_and_wait(participant{0, 1});
                bar.arrive_and_wait(participant{0, 1});  // <peers>
              });
}
TEST_CASE("a block of a GPU that does not arrive at the barrier of all GPUs") {
  check_hangs(
      {"waits for the peer_barrier", "likely cause: rank 0, this GPU, has blocks that have not arrived in phase 1"},
      [] {
        static cudasync::peer_part<> part;
        cudasync::peer_part<>* const address = &part;
        cudasync::peer_barrier bar(&address, 0, 1);
        bar.arrive_and_wait(participant{1, 2});
      });
}
TEST_CASE("a barrier for one thread more than there are") {
  check_hangs({"thread 1 waits for the barrier", "thread 2 waits for the barrier", "at " + place("count"),
               "likely cause: 1 arrival of the phase is missing",
               "remedy: compare the count given to the constructor with the number of threads"},
              [] {
                barrier bar(3);
                run_threads(2, [&](int) {
                  bar.arrive_and_wait();  // <count>
                });
              });
}

TEST_CASE("a thread that returns before it arrives") {
  check_hangs({"thread 2 waits for the barrier", "at " + place("return"),
               "likely cause: 1 arrival of the phase is missing",
               "remedy: compare the count given to the constructor with the number of threads"},
              [] {
                barrier bar(4);
                run_threads(4, [&](int rank) {
                  bar.arrive_and_wait();
                  if (rank == 3) return;
                  bar.arrive_and_wait();  // <return>
                });
              });
}

TEST_CASE("a parity that is not flipped") {
  check_hangs({"thread 1 waits for the barrier", "at " + place("parity"),
               "likely cause: 1 arrival of the phase is missing",
               "one that waits by parity must flip it after each wait"},
              [] {
                barrier bar(1);
                for (int round = 0; round < 2; ++round) {
                  static_cast<void>(bar.arrive());
                  bar.wait_parity(false);  // <parity>
                }
              });
}

TEST_CASE("barriers in opposite orders") {
  check_hangs({"waits for the barrier", "at " + place("first"), "at " + place("second"), "another object",
               "likely cause: 1 arrival of the phase is missing"},
              [] {
                barrier a(2);
                barrier b(2);
                run_threads(2, [&](int rank) {
                  barrier& one = rank == 0 ? a : b;
                  barrier& other = rank == 0 ? b : a;
                  if (rank == 0)
                    one.arrive_and_wait();  // <first>
                  else {
                    std::this_thread::sleep_for(20ms);
                    one.arrive_and_wait();  // <second>
                  }
                  other.arrive_and_wait();
                });
              });
}

TEST_CASE("a latch that expects more than comes") {
  check_hangs({"waits for the latch", "at " + place("latch"), "likely cause: the latch still expects 2 arrivals",
               "remedy: construct it with the number of arrivals that count_down and arrive_and_wait really make"},
              [] {
                latch done(5);
                run_threads(3, [&](int) {
                  done.count_down();
                  done.wait();  // <latch>
                });
              });
}

TEST_CASE("a permit that nobody releases") {
  check_hangs({"waits for the semaphore", "at " + place("permit"),
               "likely cause: no permit is left, and no thread releases one; 2 threads wait",
               "remedy: pair each acquire with a release, on every path"},
              [] {
                counting permits(1);
                run_threads(3, [&](int) {
                  permits.acquire();  // <permit>
                });
              });
}

TEST_CASE("a lock that its owner takes again") {
  check_hangs({"thread 1 waits for the semaphore", "at " + place("lock"),
               "likely cause: no permit is left, and no thread releases one; 1 thread waits",
               "A thread that holds the last permit must not acquire again"},
              [] {
                binary lock(1);
                lock.acquire();
                lock.acquire();  // <lock>
              });
}

TEST_CASE("a value that nobody stores") {
  check_hangs({"thread 1 waits for the atomic", "at " + place("value"),
               "likely cause: the value stays 7, and the wait is for another",
               "remedy: find the thread that should store another value", "Call notify_all after the store"},
              [] {
                number value(7);
                value.wait(7);  // <value>
              });
}

TEST_CASE("a participant of a grid barrier that does not come") {
  check_hangs({"waits for the grid_barrier", "at " + place("participant"),
               "likely cause: 1 participant has not arrived", "remedy: let every block arrive"},
              [] {
                cudasync::grid_barrier<cudasync::thread_scope_system> bar;
                init(&bar);
                run_threads(2, [&](int rank) {
                  bar.arrive_and_wait(participant{static_cast<unsigned>(rank), 3});  // <participant>
                });
              });
}

// --- Correct programs ---

TEST_CASE("slow arrivals are progress") {
  barrier bar(5);
  run_threads(2, [&](int rank) {
    if (rank == 0)
      bar.arrive_and_wait();
    else
      for (int part = 0; part < 4; ++part) {
        std::this_thread::sleep_for(most_of_the_timeout);
        static_cast<void>(bar.arrive());
      }
  });
}

TEST_CASE("a queue that moves slowly is not reported") {
  binary lock(1);
  int sum = 0;
  run_threads(5, [&](int) {
    lock.acquire();
    ++sum;
    std::this_thread::sleep_for(most_of_the_timeout);
    lock.release();
  });
  CHECK(sum == 5);
}

TEST_CASE("a value that changes slowly is progress") {
  number value(0);
  run_threads(2, [&](int rank) {
    if (rank == 0)
      static_cast<void>(value.wait([](int now) { return now == 4; }));
    else
      for (int step = 1; step <= 4; ++step) {
        std::this_thread::sleep_for(most_of_the_timeout);
        value = step;
        value.notify_all();
      }
  });
}

TEST_CASE("the time for which a debugger stops the process is not waited for") {
  const std::string words = last_words([] {
    const pid_t waiting = getpid();
    if (fork() == 0) {
      std::this_thread::sleep_for(20ms);
      kill(waiting, SIGSTOP);
      std::this_thread::sleep_for(400ms);
      kill(waiting, SIGCONT);
      _exit(0);
    }
    latch done(1);
    run_threads(2, [&](int rank) {
      if (rank == 0) return done.wait();
      for (int part = 0; part < 12; ++part)
        std::this_thread::sleep_for(5ms);
      done.count_down();
    });
  });
  CHECK(words.empty());
}
TEST_CASE("waits with a limit are never hangs") {
  barrier bar(2);
  latch done(1);
  binary lock(0);
  auto token = bar.arrive();
  CHECK_FALSE(bar.try_wait_for(token, 400ms));
  CHECK_FALSE(done.try_wait_for(200ms));
  CHECK_FALSE(lock.try_acquire_for(200ms));
  static_cast<void>(bar.arrive());
  bar.wait(std::move(token));
}

TEST_CASE("threads drop out of a barrier") {
  barrier bar(4);
  run_threads(4, [&](int rank) {
    for (int round = 0; round < rank; ++round)
      bar.arrive_and_wait();
    bar.arrive_and_drop();
  });
}
