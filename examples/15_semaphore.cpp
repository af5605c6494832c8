// Semaphores and a latch on host threads: a bounded queue between producers and consumers, and a common start.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two counting semaphores count the free places and the filled places of a ring. A thread that takes a permit may use
// the next place. On each side, a binary semaphore protects the index of the next place. A latch lets all threads begin
// at the same time.
//
// 15_semaphore.host [values] prints:
// expect: 100000 values, 2 producers, 2 consumers: sum 5000050000, at most 8 places in use
// PASS
#include <cuda/latch>
#include <cuda/semaphore>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

constexpr size_t places = 8;
constexpr size_t producers = 2, consumers = 2;

// A queue for several producers and several consumers. Values leave the queue in the order in which they entered it.
class bounded_queue {
 public:
  void push(size_t value) {
    free_.acquire();
    push_.acquire();
    ring_[pushed_++ % places] = value;
    push_.release();
    most_used_ = std::max(most_used_.load(), ++used_);
    filled_.release();
  }
  size_t pop() {
    filled_.acquire();
    pop_.acquire();
    const size_t value = ring_[popped_++ % places];
    pop_.release();
    --used_;
    free_.release();
    return value;
  }
  size_t most_used() const { return most_used_; }

 private:
  std::array<size_t, places> ring_;
  size_t pushed_ = 0, popped_ = 0;
  std::atomic<size_t> used_{0}, most_used_{0};
  cuda::counting_semaphore<cuda::thread_scope_system, places> free_{places}, filled_{0};
  cuda::binary_semaphore<cuda::thread_scope_system> push_{1}, pop_{1};
};

int main(int argc, char** argv) {
  size_t size = 100000;
  char rest;
  if (argc > 1 && (std::sscanf(argv[1], "%10zu%c", &size, &rest) != 1 || size < 1 || size > 0x7fffffff))
    return std::fputs("error: the argument must be an integer from 1 to 2147483647\n", stderr), 1;
  bounded_queue queue;
  cuda::latch<cuda::thread_scope_system> start(producers + consumers);
  std::array<size_t, consumers> sums{};
  std::vector<std::thread> team;
  for (size_t rank = 0; rank < producers; ++rank)
    team.emplace_back([&, rank] {
      start.arrive_and_wait();
      for (size_t value = rank + 1; value <= size; value += producers)
        queue.push(value);
    });
  for (size_t rank = 0; rank < consumers; ++rank)
    team.emplace_back([&, rank] {
      start.arrive_and_wait();
      for (size_t turn = rank; turn < size; turn += consumers)
        sums[rank] += queue.pop();
    });
  for (std::thread& member : team)
    member.join();

  const size_t sum = sums[0] + sums[1];
  const bool is_right = sum == size * (size + 1) / 2 && queue.most_used() <= places;
  std::printf("%zu values, %zu producers, %zu consumers: sum %zu, at most %zu places in use\n", size, producers,
              consumers, sum, places);
  std::puts(is_right ? "PASS" : "FAIL");
  return is_right ? 0 : 1;
}
