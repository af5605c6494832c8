// Runs the benchmarks of host threads: host [--json FILE] [--repetitions N]. They need no GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "contest.h"
#include "hand_over.h"
#include "other_process.h"

namespace bench { namespace {

constexpr int repetitions = 11;

void run_contests(report& results) {
  const int processors = std::max(2, static_cast<int>(std::thread::hardware_concurrency()));
  std::vector<int> threads{1, 2};
  for (const int number : {4, processors, 2 * processors})
    if (number > threads.back()) threads.push_back(number);
  std::vector<std::string> names;
  for (const int number : threads)
    names.push_back(std::to_string(number) + (number == 1 ? " thread" : " threads"));
  for (const char* operation : {semaphore_name, binary_name, spinlock_name}) {
    const auto sample = [&](const contestant& who, std::size_t index) {
      const auto run = reinterpret_cast<contest_function>(const_cast<void*>(who.kernel));
      const int permits = operation == semaphore_name ? std::max(1, threads[index] / 2) : 1;
      const double value = bounded_contest(run, threads[index], permits);
      if (value == did_not_end) {
        std::fprintf(stderr, "error: did not end: %s, %s, %d threads\n", operation, who.name.c_str(), threads[index]);
        if (who.kind == "ours") ++wrong_results;
      }
      return value;
    };
    results.add(measure(enrolled("host", operation), names.size(), repetitions, sample), names,
                std::string("host: ") + operation, "ns per round");
  }
}

void run_hand_overs(report& results) {
  for (const char* operation : way_names) {
    const auto sample = [](const contestant& who, std::size_t) {
      return reinterpret_cast<hand_over_function>(const_cast<void*>(who.kernel))();
    };
    results.add(measure(enrolled(hand_over, operation), 1, repetitions, sample), {"2 threads"},
                std::string("host, hand-over between threads: ") + operation, "ns");
  }
}

void run_waits(report& results) {
  for (const char* operation : way_names)
    add_waits(results, other_process, operation, std::string("host waits for another process: ") + operation, "", true);
}

}}  // namespace bench

int main(int count, char** arguments) {
  return bench::run_suites(
      count, arguments,
      {{"contests", bench::run_contests}, {"hand_overs", bench::run_hand_overs}, {"waits", bench::run_waits}}, false);
}
