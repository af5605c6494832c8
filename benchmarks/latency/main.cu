// Runs the latency benchmarks on GPU 0: latency [--json FILE] [barrier] [device_barrier] [wakeup].
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness.h"

namespace bench {
void run_barrier(report& results);
void run_device_barrier(report& results);
void run_wakeup(report& results);
}  // namespace bench

int main(int count, char** arguments) {
  return bench::run_suites(
      count, arguments,
      {{"barrier", bench::run_barrier}, {"device_barrier", bench::run_device_barrier}, {"wakeup", bench::run_wakeup}});
}
