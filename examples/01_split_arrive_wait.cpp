// Split arrive and wait on host threads: between the two, a thread does work that does not depend on other threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algorithm is that of 01_split_arrive_wait.cu, with a single ring of cells. Each thread has a part of the ring. It
// publishes its cells and arrives. Then it computes the emission of its cells while other threads arrive. It waits only
// after that, because only the next step reads cells of other threads.
//
// 01_split_arrive_wait.host [cells] prints:
// expect: 262144 cells, 50 iterations, 4 threads: 0 differ from one thread's result
// PASS
#include <cuda/barrier>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <thread>
#include <utility>
#include <vector>

constexpr int threads = 4;
constexpr int iterations = 50;

using barrier = cuda::barrier<cuda::thread_scope_system>;
using cells = std::vector<float>;

// Computes exp(-value) with its power series.
float emission(float value) {
  float sum = 1;
  for (int term = 8; term > 0; --term)
    sum = 1 - sum * value / static_cast<float>(term);
  return sum;
}

float updated(const cells& old, size_t cell, float emitted) {
  const float left = old[cell == 0 ? old.size() - 1 : cell - 1];
  const float right = old[cell + 1 == old.size() ? 0 : cell + 1];
  return 0.45f * (left + right) + 0.1f * emitted;
}

// The work of one thread: the cells in [first, last). Only this thread accesses them in data. All threads may read them
// in published.
void split_arrive_wait(barrier& bar, cells& data, cells (&published)[2], size_t first, size_t last) {
  cells emitted(last - first);
  for (int iteration = 0; iteration < iterations; ++iteration) {
    cells& old = published[iteration % 2];  // two buffers: no thread overwrites cells that a neighbor still reads
    std::copy(data.begin() + first, data.begin() + last, old.begin() + first);
    barrier::arrival_token token = bar.arrive();  // does not block
    for (size_t cell = first; cell < last; ++cell)
      emitted[cell - first] = emission(data[cell]);  // runs while other threads arrive
    bar.wait(std::move(token));                      // after the wait, all cells are published
    for (size_t cell = first; cell < last; ++cell)
      data[cell] = updated(old, cell, emitted[cell - first]);
  }
}

void iterate_alone(cells& data) {
  for (int iteration = 0; iteration < iterations; ++iteration) {
    const cells old = data;
    for (size_t cell = 0; cell < data.size(); ++cell)
      data[cell] = updated(old, cell, emission(old[cell]));
  }
}

int main(int argc, char** argv) {
  size_t size = 1 << 18;
  char rest;
  if (argc > 1 && (std::sscanf(argv[1], "%10zu%c", &size, &rest) != 1 || size < 1 || size > 0x7fffffff))
    return std::fputs("error: the argument must be an integer from 1 to 2147483647\n", stderr), 1;
  cells data(size);
  for (size_t cell = 0; cell < data.size(); ++cell)
    data[cell] = static_cast<float>(cell * 7919 % 1000) / 1000;
  cells expected = data;
  iterate_alone(expected);

  barrier bar(threads);
  cells published[2] = {cells(data.size()), cells(data.size())};
  std::vector<std::thread> team;
  for (size_t rank = 0; rank < threads; ++rank)
    team.emplace_back([&, rank] {
      split_arrive_wait(bar, data, published, data.size() * rank / threads, data.size() * (rank + 1) / threads);
    });
  for (std::thread& member : team)
    member.join();

  size_t wrong = 0;
  for (size_t cell = 0; cell < data.size(); ++cell)
    wrong += !(std::abs(data[cell] - expected[cell]) <= 1e-5f);
  std::printf("%zu cells, %d iterations, %d threads: %zu differ from one thread's result\n", data.size(), iterations,
              threads, wrong);
  std::puts(wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
