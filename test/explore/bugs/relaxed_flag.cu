// A flag with the right scope, but relaxed: it does not order the data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"

#include <cuda/atomic>

extern "C" __global__ void relaxed_flag(int* data) {
  cuda::atomic_ref<int, cuda::thread_scope_device> flag(data[64]);
  if (blockIdx.x == 0) {
    data[0] = 42;                               // reported
    flag.store(1, cuda::memory_order_relaxed);  // wrong
    // right: flag.store(1, cuda::memory_order_release);
  } else {
    while (flag.load(cuda::memory_order_acquire) == 0) {
    }
    data[1] = data[0];  // reported
  }
}

int main() {
  return launch(relaxed_flag, 2, 1);
}
