// Normalizes two vectors by the square root of their dot product, on host threads with barriers for groups and for all.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algorithm is that of 02_normalize_vectors.cu, with groups of threads instead of blocks. Each thread sums a part
// of the products. After the barrier of its group, one thread of the group adds the sums of the group's threads. The
// first group adds the sums of the groups. A barrier of all threads separates these steps, instead of grid.sync().
//
// 02_normalize_vectors.host [elements] prints:
// expect: 2 vectors of 1048576, 2 groups of 2 threads: 0 elements are wrong
// PASS
#include <cuda/barrier>

#include <cmath>
#include <cstdio>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

constexpr size_t groups = 2;
constexpr size_t group_threads = 2;
constexpr size_t all_threads = groups * group_threads;

using barrier = cuda::barrier<cuda::thread_scope_system>;

struct group {
  barrier bar{group_threads};
  double thread_sums[group_threads] = {};
};

// Thread 0 of the group stores the sum, or its square root.
template <bool WriteSquareRoot>
void reduce_group_data(group& mine, size_t rank, double thread_sum, double* result) {
  mine.thread_sums[rank] = thread_sum;

  auto token = mine.bar.arrive();
  mine.bar.wait(std::move(token));  // after the wait, the sums of all threads are stored

  if (rank != 0) return;
  const double sum = std::accumulate(mine.thread_sums, mine.thread_sums + group_threads, 0.0);
  *result = WriteSquareRoot ? std::sqrt(sum) : sum;
}

void normalize(float* a, float* b, double* sums, size_t size, group* teams, barrier& everybody, size_t thread) {
  const size_t team = thread / group_threads;
  const size_t rank = thread % group_threads;

  double sum = 0;
  for (size_t index = thread; index < size; index += all_threads)
    sum += static_cast<double>(a[index]) * b[index];
  reduce_group_data<false>(teams[team], rank, sum, &sums[team]);
  everybody.arrive_and_wait();

  if (team == 0) {
    sum = 0;
    for (size_t index = rank; index < groups; index += group_threads)
      sum += sums[index];
    reduce_group_data<true>(teams[team], rank, sum, &sums[0]);
  }
  everybody.arrive_and_wait();

  for (size_t index = thread; index < size; index += all_threads) {
    a[index] = static_cast<float>(a[index] / sums[0]);
    b[index] = static_cast<float>(b[index] / sums[0]);
  }
}

int main(int argc, char** argv) {
  size_t size = 1 << 20;
  char rest;
  if (argc > 1 && (std::sscanf(argv[1], "%10zu%c", &size, &rest) != 1 || size < 1 || size > 0x7fffffff))
    return std::fputs("error: the argument must be an integer from 1 to 2147483647\n", stderr), 1;
  std::vector<float> vectors(2 * size);  // a, then b
  for (size_t index = 0; index < vectors.size(); ++index)
    vectors[index] = 1 + static_cast<float>(index * 7919 % 1000) / 1000;

  std::vector<float> normalized = vectors;
  group teams[groups];
  barrier everybody(all_threads);
  double sums[groups];
  std::vector<std::thread> threads;
  for (size_t thread = 0; thread < all_threads; ++thread)
    threads.emplace_back(
        [&, thread] { normalize(normalized.data(), normalized.data() + size, sums, size, teams, everybody, thread); });
  for (std::thread& thread : threads)
    thread.join();

  const double dot = std::inner_product(vectors.begin(), vectors.begin() + size, vectors.begin() + size, 0.0);
  size_t wrong = 0;
  for (size_t index = 0; index < vectors.size(); ++index)
    wrong += !(std::abs(normalized[index] * std::sqrt(dot) / vectors[index] - 1) <= 1e-6);
  std::printf("2 vectors of %zu, %zu groups of %zu threads: %zu elements are wrong\n", size, groups, group_threads,
              wrong);
  std::puts(wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
