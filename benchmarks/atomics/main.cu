// Runs the benchmarks of atomic operations on GPU 0: atomics [--json FILE] [SUITE...], all suites by default.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness.h"

namespace bench {
void run_numbers(report& results);
void run_small(report& results);
void run_vectors(report& results);
void run_shared_additions(report& results);
void run_histogram(report& results);
void run_chain(report& results);
void run_wakeup(report& results);
}  // namespace bench

int main(int count, char** arguments) {
  return bench::run_suites(count, arguments,
                           {{"numbers", bench::run_numbers},
                            {"histogram", bench::run_histogram},
                            {"chain", bench::run_chain},
                            {"small", bench::run_small},
                            {"vectors", bench::run_vectors},
                            {"shared", bench::run_shared_additions},
                            {"wakeup", bench::run_wakeup}});
}
