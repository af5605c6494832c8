// Where the compiler cannot see which memory a block's barrier is in, one test decides, and no function is called.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 80+
// NVCC: 80 90
// Fewer than in both CCCLs (3.0.1: 110 and 40 on sm_80, 121 and 43 on sm_90; 3.6: 158 and 54, 163 and 55):
// LIMIT: arrive_and_wait sm_80+ 80
// LIMIT: wait_parity sm_80 39
// LIMIT: wait_parity sm_90+ 42
// SASS: QSPC
// The counter has no accesses to shared memory. A loop with a call would yield in each iteration.
// SASS-NOT: {{ATOMS.ADD|STS|CALL}}
#include <cuda/barrier>

extern "C" __global__ void arrive_and_wait(cuda::barrier<cuda::thread_scope_block>** bars) {
  bars[blockIdx.x]->arrive_and_wait();
}

extern "C" __global__ void wait_parity(cuda::barrier<cuda::thread_scope_block>** bars) {
  bars[blockIdx.x]->wait_parity(false);
}
