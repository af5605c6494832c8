// A device's barrier is one atomic an arrival, added up for a warp, one fence before it, and a refill nobody waits for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 75+
// NVCC: 80 90
// LIMIT: arrive_and_wait sm_90 128
// LIMIT: wait sm_90 26
// SASS-LABEL: arrive_and_wait:
// SASS: MEMBAR.ALL.GPU
// SASS: ATOMG.E.ADD.64.STRONG.GPU
// SASS: RED{{G?}}.E.ADD.64.STRONG.GPU
// SASS-NOT: MEMBAR
// SASS: CCTL.IVALL
// SASS: NANOSLEEP
#include <cuda/barrier>

extern "C" __global__ void arrive_and_wait(cuda::barrier<cuda::thread_scope_device>* bar) {
  bar->arrive_and_wait();
}

extern "C" __global__ void wait(cuda::barrier<cuda::thread_scope_device>* bar, bool parity) {
  bar->wait_parity(parity);
}
