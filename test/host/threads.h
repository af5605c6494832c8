// Threads for host tests: started together, joined, and free to fail (assertions of Catch2 belong to the main thread).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_HOST_THREADS_H
#define CUDASYNC_TEST_HOST_THREADS_H

#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

// Counts what went wrong in any thread.
class failure_count {
 public:
  void expect(bool condition) {
    if (!condition) failures_.fetch_add(1, std::memory_order_relaxed);
  }
  int value() const { return failures_.load(); }

 private:
  std::atomic<int> failures_{0};
};

// Calls function(rank) in that many threads, and returns when all have.
template <class Function>
void run_threads(int threads, Function function) {
  std::vector<std::thread> all;
  for (int rank = 0; rank < threads; ++rank)
    all.emplace_back([&function, rank] { function(rank); });
  for (std::thread& each : all)
    each.join();
}

// Where threads meet again and again, lest each be done before the next begins. They spin, to leave at the same time.
class meeting {
 public:
  explicit meeting(int threads) : threads_(threads) {}
  void wait() {
    const int goal = (arrivals_.fetch_add(1) / threads_ + 1) * threads_;
    for (int polls = 0; arrivals_.load() < goal; ++polls)
      if (polls >= 1000) std::this_thread::yield();
  }

 private:
  const int threads_;
  std::atomic<int> arrivals_{0};
};

// A thread of run_threads as a member of the group of all: what make_pipeline and memcpy_async take.
class thread_group {
 public:
  thread_group(meeting& place, int rank, int threads) : place_(&place), rank_(rank), threads_(threads) {}
  int thread_rank() const { return rank_; }
  int size() const { return threads_; }
  void sync() const { place_->wait(); }

 private:
  meeting* place_;
  int rank_;
  int threads_;
};

// ThreadSanitizer does not see copies of a few bytes that the compiler, which knows their number, makes without memcpy.
inline std::size_t unknown(std::size_t size) {
  volatile std::size_t hidden = size;
  return hidden;
}

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

#endif
