// Runs the benchmarks of several GPUs: gpus [--json FILE] [SUITE...]. With one GPU, parts of it are the ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness.h"

namespace bench {
void run_meet(report& results);
void run_all_reduce(report& results);
}  // namespace bench

int main(int count, char** arguments) {
  return bench::run_suites(count, arguments, {{"meet", bench::run_meet}, {"all_reduce", bench::run_all_reduce}});
}
