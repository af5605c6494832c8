// Measures wake-up latency after waits of 0.1, 1 and 10 ms: the time from the last arrival or the store to the wake-up.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wakeup.h"

namespace bench {
namespace {

constexpr unsigned iterations = wakeup_iterations;
constexpr int repetitions = 3;
constexpr unsigned block_samples = 16;  // blocks, each on its own multiprocessor
constexpr unsigned pairs = 8;           // pairs of blocks

struct delay {
  const char* name;
  unsigned nanoseconds;
};
constexpr delay delays[] = {{"after 0.1 ms", 100000}, {"after 1 ms", 1000000}, {"after 10 ms", 10000000}};

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

double sample_block(const contestant& who, unsigned nanoseconds) {
  const device_array<long long> cycles(block_samples * iterations);
  unsigned count = iterations;
  long long* out = cycles.data();
  void* arguments[] = {&count, &nanoseconds, &out};
  launch(who.kernel, static_cast<int>(block_samples), 64, arguments, bytes_that_limit_blocks_to(1), false,
         who.operation + ", " + who.name);
  return median(cycles.copy());
}

double sample_device(const contestant& who, unsigned nanoseconds) {
  const device_array<char> storage(512 * pairs);
  const device_array<device_wakeup_times> times(pairs * iterations);
  void* bars = storage.data();
  unsigned all = pairs;
  void* prepare_arguments[] = {&bars, &all};
  launch(who.prepare, 1, 1, prepare_arguments, 0, false, "init of " + who.name);
  unsigned count = iterations;
  device_wakeup_times* out = times.data();
  void* arguments[] = {&bars, &count, &nanoseconds, &out};
  launch(who.kernel, static_cast<int>(2 * pairs), 32, arguments, bytes_that_limit_blocks_to(1), true,
         who.operation + ", " + who.name);
  // The timer advances in steps of about 32 ns. The mean of many samples has a higher resolution.
  double nanoseconds_in_all = 0;
  std::vector<long long> round_trips;
  for (const device_wakeup_times& each : times.copy()) {
    nanoseconds_in_all += static_cast<double>(static_cast<long long>(each.woken - each.arrived));
    round_trips.push_back(each.round_trip);
  }
  return ends_with(who.operation, device_wakeup_name) ? nanoseconds_in_all / (pairs * iterations) : median(round_trips);
}

// Returns the operations for which contestants are enrolled.
std::vector<std::string> operations() {
  std::vector<std::string> found;
  for (const contestant& each : contestants())
    if (each.benchmark == "wakeup" && std::find(found.begin(), found.end(), each.operation) == found.end())
      found.push_back(each.operation);
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

void run_wakeup(report& results) {
  std::vector<std::string> names;
  for (const delay& each : delays)
    names.push_back(each.name);
  for (const std::string& operation : operations()) {
    const bool is_block = operation == block_wakeup_name;
    const char* const unit = ends_with(operation, device_wakeup_name) ? "ns" : "cycles";
    const auto sample = [&](const contestant& who, std::size_t index) {
      return is_block ? sample_block(who, delays[index].nanoseconds) : sample_device(who, delays[index].nanoseconds);
    };
    results.add(measure(enrolled("wakeup", operation), names.size(), repetitions, sample), names,
                "wake-up, " + operation, unit);
  }
}

}  // namespace bench
