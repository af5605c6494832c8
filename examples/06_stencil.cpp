// Host threads iterate a stencil, and the barrier's completion function swaps the buffers and decides when to stop.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program computes the temperature of a square plate that is hot at its upper edge. Each step replaces each inner
// point by the mean of its four neighbors. Each thread has a strip of rows, and all threads arrive at a barrier once
// per step. The completion function of the barrier runs in one of the threads, after the last thread has arrived and
// before any thread continues. Use it for work that must be done once for all threads. It needs no lock and no atomics.
//
// 06_stencil.host [points of the plate, rounded down to a square] prints:
// expect: 256 x 256 points, 4 threads: residual 0.024 after 1000 steps
// expect: 0 points differ from one thread's result
// PASS
#include <cuda/std/barrier>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <thread>
#include <utility>
#include <vector>

struct plate {
  explicit plate(size_t points) : side(points), values(points * points) {
    std::fill_n(values.begin(), side, 100.0);  // the upper edge
  }

  size_t side;
  std::vector<double> values;
};

// Computes one step for the inner rows in [first, last). Returns the largest change.
double step(const plate& from, plate& to, size_t first, size_t last) {
  double change = 0;
  for (size_t row = first; row < last; ++row)
    for (size_t column = 1; column + 1 < from.side; ++column) {
      const double* const old = &from.values[row * from.side + column];
      const double mean = (old[-1] + old[1] + *(old - from.side) + old[from.side]) / 4;
      to.values[row * from.side + column] = mean;
      change = std::max(change, std::abs(mean - *old));
    }
  return change;
}

int main(int argc, char** argv) {
  size_t points = 1 << 16;
  char rest;
  if (argc > 1 && (std::sscanf(argv[1], "%10zu%c", &points, &rest) != 1 || points < 1 || points > 0x7fffffff))
    return std::fputs("error: the argument must be an integer from 1 to 2147483647\n", stderr), 1;
  const size_t side = static_cast<size_t>(std::sqrt(std::max(9.0, static_cast<double>(points))));
  constexpr size_t threads = 4;

  plate buffers[2] = {plate(side), plate(side)};
  plate *from = &buffers[0], *to = &buffers[1];
  double changes[threads];        // the largest change in each thread's strip in the current step
  std::vector<double> residuals;  // the largest change of each step so far
  bool done = false;

  cuda::std::barrier end_of_step(threads, [&] {
    std::swap(from, to);
    residuals.push_back(*std::max_element(changes, changes + threads));
    done = residuals.back() < 0.01 || residuals.size() == 1000;
  });
  std::vector<std::thread> team;
  for (size_t thread = 0; thread < threads; ++thread)
    team.emplace_back([&, thread] {
      const size_t first = 1 + (side - 2) * thread / threads;
      const size_t last = 1 + (side - 2) * (thread + 1) / threads;
      while (!done) {
        changes[thread] = step(*from, *to, first, last);
        end_of_step.arrive_and_wait();
      }
    });
  for (std::thread& member : team)
    member.join();

  plate alone(side), next(side);
  double residual = 0;
  for (size_t steps = 0; steps < residuals.size(); ++steps) {
    residual = step(alone, next, 1, side - 1);
    std::swap(alone, next);
  }
  size_t wrong = 0;
  for (size_t point = 0; point < side * side; ++point)
    wrong += from->values[point] != alone.values[point];
  std::printf("%zu x %zu points, %zu threads: residual %.3f after %zu steps\n", side, side, threads, residuals.back(),
              residuals.size());
  std::printf("%zu points differ from one thread's result\n", wrong);
  const bool good = wrong == 0 && residual == residuals.back();
  std::puts(good ? "PASS" : "FAIL");
  return good ? 0 : 1;
}
