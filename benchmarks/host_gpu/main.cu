// Runs the benchmarks of a host thread and a kernel: host_gpu [--json FILE] [--repetitions N] [SUITE...].
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.h"

namespace bench { namespace {

const bool is_enrolled = [] {
  for (const char* name : way_names)
    enroll_both<polling_loop>(name, "polling loop", hand);
  return true;
}();

void run(report& results, const char* benchmark, const char* memory) {
  for (const char* operation : way_names)
    add_waits(results, benchmark, operation, std::string(benchmark) + ", " + memory + " memory: " + operation, memory,
              benchmark == host_waits);
}

}}  // namespace bench

int main(int count, char** arguments) {
  using namespace bench;
  return run_suites(count, arguments,
                    {{"host_waits_managed", [](report& results) { run(results, host_waits, "managed"); }},
                     {"host_waits_pinned", [](report& results) { run(results, host_waits, "pinned"); }},
                     {"kernel_waits_managed", [](report& results) { run(results, kernel_waits, "managed"); }},
                     {"kernel_waits_pinned", [](report& results) { run(results, kernel_waits, "pinned"); }}});
}
