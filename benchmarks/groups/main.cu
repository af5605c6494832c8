// Runs the benchmarks of barriers of groups on GPU 0: groups [--json FILE] [SUITE...], all suites by default.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness.h"

namespace bench {
void run_named_barrier(report& results);
void run_hand_off(report& results);
void run_cluster(report& results);
void run_grid_barrier(report& results);
void run_latch(report& results);
void run_wakeup(report& results);
void run_semaphore(report& results);
void run_semaphore_warps(report& results);
}  // namespace bench

int main(int count, char** arguments) {
  return bench::run_suites(count, arguments,
                           {{"named_barrier", bench::run_named_barrier},
                            {"hand_off", bench::run_hand_off},
                            {"cluster", bench::run_cluster},
                            {"grid_barrier", bench::run_grid_barrier},
                            {"latch", bench::run_latch},
                            {"wakeup", bench::run_wakeup},
                            {"semaphore", bench::run_semaphore},
                            {"semaphore_warps", bench::run_semaphore_warps}});
}
