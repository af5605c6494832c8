// A stage is released for the next copy while wgmma may read it: the wait leaves one operation open, and the release is of its stage.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"
#include "ptx.h"

extern "C" __global__ void wgmma_released_too_early(float* data) {
  constexpr unsigned stages = 2, tiles = 5, bytes = 64 * 16 * 2;
  __shared__ alignas(128) unsigned short tile[stages][64 * 16];
  __shared__ mbarrier full[stages], empty[stages];
  if (threadIdx.x == 0) {
    for (unsigned stage = 0; stage < stages; ++stage) {
      init(full + stage, 1);
      init(empty + stage, 1);
    }
    fence_init();
  }
  __syncthreads();
  if (threadIdx.x >= 128) {
    for (unsigned step = 0; threadIdx.x == 128 && step < tiles; ++step) {
      wait(empty + step % stages, step / stages % 2 ^ 1);
      arrive_and_expect(full + step % stages, bytes);
      bulk_load(tile[step % stages], data + bytes / 4 * step, bytes, full + step % stages);  // reported
    }
    return;
  }
  float sum[4] = {};
  for (unsigned step = 0; step < tiles; ++step) {
    wait(full + step % stages, step / stages % 2);
    multiply_fence();
    multiply(sum, tile[step % stages], tile[step % stages]);  // reported
    multiply_wait<1>();
    if (threadIdx.x == 0) arrive(empty + step % stages);  // wrong
    // right: if (threadIdx.x == 0 && step > 0) arrive(empty + (step - 1) % stages);
  }
  multiply_wait<0>();
  data[8192 + threadIdx.x] = sum[0] + sum[1] + sum[2] + sum[3];
}

int main() {
  return launch(wgmma_released_too_early, 1, 160);
}
