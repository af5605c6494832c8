// cp.async.mbarrier.arrive without .noinc adds an arrival for the copy, and nobody makes those that the barrier was given.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: hang
#include "launch.h"
#include "ptx.h"

extern "C" __global__ void cp_async_arrival_not_counted(int* data) {
  __shared__ int tile[32];
  __shared__ mbarrier full;
  if (threadIdx.x == 0) init(&full, 32);
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&tile[threadIdx.x])),
               "l"(data + threadIdx.x));
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(shared_address(&full)) : "memory");  // wrong
  // right: asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(&full)) : "memory");
  wait(&full, 0);  // reported
  data[64 + threadIdx.x] = tile[31 - threadIdx.x];
}

int main() {
  return launch(cp_async_arrival_not_counted, 1, 32);
}
