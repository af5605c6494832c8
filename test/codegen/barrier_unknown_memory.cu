// Where the compiler cannot see which memory a block's barrier is in, one test decides, and the counter stays out of line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 80+
// NVCC: 80 90
// LIMIT: arrive_and_wait sm_80+ 25
// LIMIT: wait_parity sm_80+ 25
// SASS: QSPC
// The counter has no accesses to shared memory.
// SASS-NOT: {{ATOMS.ADD|STS}}
#include <cuda/barrier>

extern "C" __global__ void arrive_and_wait(cuda::barrier<cuda::thread_scope_block>** bars) {
  bars[blockIdx.x]->arrive_and_wait();
}

extern "C" __global__ void wait_parity(cuda::barrier<cuda::thread_scope_block>** bars) {
  bars[blockIdx.x]->wait_parity(false);
}
