// Runs the latency benchmarks on GPU 0: latency [--json FILE] [barrier] [device_barrier] [wakeup].
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness.h"

#include <chrono>

int main(int count, char** arguments) {
  std::string json;
  std::vector<std::string> wanted;
  for (int index = 1; index < count; ++index) {
    const std::string word = arguments[index];
    if (word == "--json" && index + 1 < count)
      json = arguments[++index];
    else if (word == "barrier" || word == "device_barrier" || word == "wakeup")
      wanted.push_back(word);
    else {
      std::fprintf(stderr, "usage: latency [--json FILE] [barrier] [device_barrier] [wakeup]\n");
      return 2;
    }
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("skipped: no GPU\n");
    return 77;
  }
  const bench::gpu& device = bench::gpu::current();
  std::printf("%s, sm_%d%d, %d multiprocessors\n", device.name.c_str(), device.major, device.minor,
              device.multiprocessors);

  bench::report results;
  const std::pair<const char*, void (*)(bench::report&)> suites[] = {
      {"barrier", bench::run_barrier}, {"device_barrier", bench::run_device_barrier}, {"wakeup", bench::run_wakeup}};
  for (const auto& [name, run] : suites) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), name) == wanted.end()) continue;
    const auto start = std::chrono::steady_clock::now();
    run(results);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::printf("(%s took %.1f s)\n", name, seconds.count());
    if (!json.empty()) results.write_json(json);
  }
}
