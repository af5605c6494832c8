// Each function of ptx/warpgroup.h for the tensor cores is exactly its instruction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90a
// NVCC: 90a
// The SASS of the kernels, in the order of their names:
// SASS-LABEL: multiply:
// SASS: WARPGROUP.ARRIVE
// SASS: HGMMA.64x8x16.F32.BF16 {{.*}}, gsb0
// SASS: WARPGROUP.ARRIVE
// SASS: HGMMA.64x8x16.F32.BF16 {{.*}}, gsb0
// SASS: WARPGROUP.DEPBAR.LE gsb0, 0x1
// SASS: WARPGROUP.DEPBAR.LE gsb0, 0x0
#include <cudasync/ptx/warpgroup.h>

using namespace cudasync::ptx;

__device__ void hand_multiply(float (&sums)[4], unsigned long long a, unsigned long long b) {
  asm volatile("{ .reg .pred add; setp.eq.u32 add, 0, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, add, 1, 1, 0, 0; }"
               : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
               : "l"(a), "l"(b)
               : "memory");
}

// PTX-LABEL: .entry multiply(
// PTX: wgmma.fence.sync.aligned;
// PTX: wgmma.mma_async
// PTX: wgmma.commit_group.sync.aligned;
// PTX: wgmma.fence.sync.aligned;
// PTX: wgmma.mma_async
// PTX: wgmma.commit_group.sync.aligned;
// PTX: wgmma.wait_group.sync.aligned 1;
// PTX: wgmma.wait_group.sync.aligned 0;
// PTX-NOT: wgmma
extern "C" __global__ void multiply(float* out, unsigned long long a, unsigned long long b) {
  float first[4] = {};
  float second[4] = {};
  wgmma_fence();
  hand_multiply(first, a, b);
  wgmma_commit_group();
  wgmma_fence();
  hand_multiply(second, a, b);
  wgmma_commit_group();
  wgmma_wait_group<1>();
  wgmma_wait_group<0>();
  for (int index = 0; index < 4; ++index)
    out[threadIdx.x * 4 + index] = first[index] + second[index];
}
