// Runs the benchmarks of copies on GPU 0: bandwidth [--json FILE] [ring] [thread_ring] [group_copy].
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness.h"

namespace bench {
void run_ring(report& results);
void run_thread_ring(report& results);
void run_group_copy(report& results);
}  // namespace bench

int main(int count, char** arguments) {
  return bench::run_suites(
      count, arguments,
      {{"ring", bench::run_ring}, {"thread_ring", bench::run_thread_ring}, {"group_copy", bench::run_group_copy}});
}
