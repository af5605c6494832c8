// The last steps of a pipeline begin no copies and commit no group, so that the number behind wait_group is too large.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"

extern "C" __global__ void cp_async_group_missing_at_end(int* data) {
  constexpr int stages = 3, steps = 5;
  __shared__ int tile[stages][32];
  const auto load = [&](int step) {
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&tile[step % stages][threadIdx.x]));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to),
                 "l"(data + 32 * step + threadIdx.x));  // reported
  };
  const auto commit = [] { asm volatile("cp.async.commit_group;"); };
  for (int step = 0; step < stages - 1; ++step) {
    load(step);  // reported
    commit();
  }
  int sum = 0;
  for (int step = 0; step < steps; ++step) {
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    sum += tile[step % stages][31 - threadIdx.x];  // reported
    if (step + stages - 1 < steps) {
      load(step + stages - 1);  // reported
      commit();                 // wrong
    }
    // right: commit();
  }
  data[512 + threadIdx.x] = sum;
}

int main() {
  return launch(cp_async_group_missing_at_end, 1, 32);
}
