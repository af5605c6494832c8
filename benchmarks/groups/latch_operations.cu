// One kernel per operation on a latch in global memory, compiled with each library's <cuda/latch> for sass_counts.py.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/latch>

using latch = cuda::latch<cuda::thread_scope_device>;

extern "C" __global__ void op_latch_count_down(latch* object) {
  object->count_down();
}

extern "C" __global__ void op_latch_wait(const latch* object) {
  object->wait();
}

extern "C" __global__ void op_latch_arrive_and_wait(latch* object) {
  object->arrive_and_wait();
}
