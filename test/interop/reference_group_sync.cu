// A block synchronized by cooperative groups, as published in a tutorial about cuda::barrier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clang-format off
#include <cooperative_groups.h>

__global__
void simple_sync(int iter_count) {
    auto block = cooperative_groups::this_thread_block();

    for (int i = 0; i < iter_count; i++) {
        /* code before arrive */
        block.sync(); /* wait for all threads to arrive here */
        /* code after wait */
    }
}
