// Registers of a warp-specialized kernel: producers give some back, consumers take them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// arch: sm_90a
#include <cuda/register_budget>

// [budget]
using producer = cudasync::register_role<128, 40>;  // threads, registers of each
using consumer = cudasync::register_role<256, 232>;
using budget = cudasync::register_budget<cudasync::registers_at_launch(384), producer, consumer>;

__global__ void __launch_bounds__(budget::threads, 1) kernel(const float* in, float* out) {
  if (threadIdx.x < producer::threads) {
    budget::enter<producer>();  // from 168 registers down to 40
    out[threadIdx.x] = in[threadIdx.x] + 1;
  } else {
    budget::enter<consumer>();  // up to 232
    out[threadIdx.x] = in[threadIdx.x] * 2;
  }
}
// [end budget]
