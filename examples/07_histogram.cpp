// The histogram of a file's bytes on host threads: with a data race, and with a barrier that removes it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algorithm of 07_histogram.cu: groups of threads stand for its blocks. A group counts its bytes in a histogram of
// its own and adds that to the total; its threads add what others have counted. Without the barrier between the two,
// some read too early and the total misses counts. How many bins are then wrong differs from run to run. It is not a
// failure of this program.
//
// 07_histogram.host [file, or how many bytes to generate] prints:
// expect: 16777216 bytes, 2 groups of 2 threads
// expect: with a data race, on purpose: [0-9]+ of 256 bins are wrong \(any number is possible\)
// expect: with a barrier: 0 of 256 bins are wrong
// PASS
#include <cuda/atomic>
#include <cuda/barrier>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

constexpr size_t bins = 256;
constexpr size_t groups = 2;
constexpr size_t group_threads = 2;
constexpr size_t max_bytes = 0x7fffffff;

using barrier = cuda::barrier<cuda::thread_scope_system>;

struct group {
  barrier bar{group_threads};
  int histogram[bins] = {};
};

template <bool HasBarrier>
void count_bytes(const std::vector<unsigned char>& bytes, group& mine, size_t thread, int* histogram) {
  const size_t threads = groups * group_threads;
  for (size_t cell = bytes.size() * thread / threads; cell < bytes.size() * (thread + 1) / threads; ++cell) {
    cuda::std::atomic_ref<int> count(mine.histogram[bytes[cell]]);
    count.fetch_add(1, cuda::memory_order_relaxed);  // the barrier orders the counts before the reads
  }

  if constexpr (HasBarrier) mine.bar.arrive_and_wait();

  for (size_t bin = thread % group_threads; bin < bins; bin += group_threads) {
    cuda::std::atomic_ref<int> total(histogram[bin]);
    total.fetch_add(mine.histogram[bin], cuda::memory_order_relaxed);
  }
}

// Returns the number of wrong bins.
template <bool HasBarrier>
int run(const char* name, const std::vector<unsigned char>& bytes, const std::vector<int>& expected) {
  group teams[groups];
  std::vector<int> histogram(bins);
  std::vector<std::thread> threads;
  for (size_t thread = 0; thread < groups * group_threads; ++thread)
    threads.emplace_back(
        [&, thread] { count_bytes<HasBarrier>(bytes, teams[thread / group_threads], thread, histogram.data()); });
  for (std::thread& thread : threads)
    thread.join();
  int wrong = 0;
  for (size_t bin = 0; bin < bins; ++bin)
    wrong += histogram[bin] != expected[bin];
  std::printf("%s %d of %zu bins are wrong%s\n", name, wrong, bins, HasBarrier ? "" : " (any number is possible)");
  return wrong;
}

// The bytes of the file, or as many as the argument says, in no order.
std::vector<unsigned char> read_or_generate(const char* argument) {
  std::vector<unsigned char> bytes;
  size_t size = 0;
  char rest;
  if (std::sscanf(argument, "%10zu%c", &size, &rest) == 1 && size >= 1 && size <= max_bytes) {
    for (size_t cell = 0; cell < size; ++cell)
      bytes.push_back(static_cast<unsigned char>(cell * 2654435761 >> 24));
    return bytes;
  }
  unsigned char part[4096];
  std::FILE* const file = std::fopen(argument, "rb");
  while (file != nullptr && bytes.size() <= max_bytes && (size = std::fread(part, 1, sizeof(part), file)) > 0)
    bytes.insert(bytes.end(), part, part + size);
  const char* const problem = file == nullptr || std::ferror(file) ? std::strerror(errno)
                              : bytes.empty()                      ? "the file is empty"
                              : bytes.size() > max_bytes           ? "the file has more than 2147483647 bytes"
                                                                   : nullptr;
  if (problem != nullptr) {
    std::fprintf(stderr, "error: %s: %s\n", argument, problem);
    std::exit(1);
  }
  std::fclose(file);
  return bytes;
}

int main(int argc, char** argv) {
  const std::vector<unsigned char> bytes = read_or_generate(argc > 1 ? argv[1] : "16777216");
  std::vector<int> expected(bins);
  for (const unsigned char byte : bytes)
    ++expected[byte];
  std::printf("%zu bytes, %zu groups of %zu threads\n", bytes.size(), groups, group_threads);
  run<false>("with a data race, on purpose:", bytes, expected);
  const int wrong = run<true>("with a barrier:", bytes, expected);
  std::puts(wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
