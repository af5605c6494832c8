// Kernels in the checked build: with 40 registers per thread, a multiprocessor holds 1,536 threads, and with 48, 1,280.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90
// OPTIONS: -DCUDASYNC_CHECKED=1
#include <cuda/barrier>
#include <cuda/semaphore>
#include <cudasync/named_barrier.h>

// Others have files of their own, because ptxas compiles the functions of the reports for each kernel of a file.

// LIMIT: meet_by_name sm_90 40 registers
extern "C" __global__ void meet_by_name(int rounds) {
  for (int round = 0; round < rounds; ++round)
    cudasync::named_barrier<1, 1024>::sync();
}

// LIMIT: meet_in_device sm_90 40 registers
extern "C" __global__ void meet_in_device(cuda::barrier<cuda::thread_scope_device>* bar) {
  bar->arrive_and_wait();
}

// LIMIT: take_permit sm_90 40 registers
extern "C" __global__ void take_permit(cuda::binary_semaphore<cuda::thread_scope_device>* permit) {
  permit->acquire();
  permit->release();
}
