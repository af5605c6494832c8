// Measures the cost of the checked build: the same kernels in both builds. The release build is the base of the ratios.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness.h"

#include <string>
#include <vector>

namespace bench { namespace {

struct shape {
  const char* operation;
  std::vector<std::pair<int, int>> launches;  // blocks, threads; 0 blocks: one for each multiprocessor
  int rounds;
};

const shape shapes[] = {
    {"block arrive_and_wait", {{1, 32}, {1, 128}, {1, 256}, {1, 1024}, {0, 256}, {0, 1024}}, 2000},
    {"block arrive, wait_parity", {{1, 32}, {1, 256}, {1, 1024}, {0, 256}}, 2000},
    {"bulk_pipeline 1 KiB", {{1, 160}, {0, 160}}, 2000},
    {"bulk_pipeline 8 KiB", {{1, 160}, {0, 160}}, 2000},
    {"cuda::pipeline 4 KiB", {{1, 256}, {0, 256}}, 1000},
    {"named_barrier 256", {{1, 256}, {0, 256}}, 2000},
    {"grid_barrier", {{0, 64}, {0, 256}}, 500},
    {"device barrier", {{0, 32}, {0, 256}}, 200},
    {"binary_semaphore", {{1, 1}, {0, 1}}, 200},
};

void run_all(report& results) {
  device_array<unsigned> total(1);
  device_array<unsigned> source(64 * 2048);
  for (const shape& each : shapes) {
    std::vector<std::string> names;
    for (const auto& [blocks, threads] : each.launches)
      names.push_back((blocks == 0 ? std::string("all SMs") : std::to_string(blocks)) + " x " +
                      std::to_string(threads));
    const auto sample = [&](const contestant& who, std::size_t index) {
      const int blocks = each.launches[index].first == 0 ? gpu::current().multiprocessors : each.launches[index].first;
      const int threads = each.launches[index].second;
      if (who.prepare != nullptr) {
        int expected = blocks * threads;
        void* arguments[] = {&expected};
        launch(who.prepare, 1, 1, arguments, 0, false, who.operation);
      }
      int rounds = each.rounds;
      unsigned* sum = total.data();
      const unsigned* words = source.data();
      void* arguments[] = {&rounds, &sum, &words};
      return microseconds(who.kernel, blocks, threads, arguments, who.operation) * 1000 / rounds;
    };
    results.add(measure(enrolled("checked", each.operation), names.size(), 7, sample), names, each.operation,
                "ns per round");
  }
}

}}  // namespace bench

int main(int count, char** words) {
  return bench::run_suites(count, words, {{"checked", bench::run_all}});
}
