// One block tells another that its data is there, by an atomic object whose scope is a block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"

#include <cuda/atomic>

extern "C" __global__ void block_scoped_flag(int* data) {
  using flag_type = cuda::atomic_ref<int, cuda::thread_scope_block>;  // wrong
  // right: using flag_type = cuda::atomic_ref<int, cuda::thread_scope_device>;
  flag_type flag(data[64]);
  if (blockIdx.x == 0) {
    data[0] = 42;                               // reported
    flag.store(1, cuda::memory_order_release);  // reported
  } else {
    while (flag.load(cuda::memory_order_acquire) == 0) {  // reported
    }
    data[1] = data[0];  // reported
  }
}

int main() {
  return launch(block_scoped_flag, 2, 1);
}
