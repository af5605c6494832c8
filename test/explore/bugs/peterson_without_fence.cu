// Two threads exclude each other by flags. Without a fence between its own flag and that of the other, each may still read 0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: nothing, because the machine's atomic operations are sequentially consistent
#include "launch.h"

#include <cuda/atomic>

extern "C" __global__ void peterson_without_fence(int* data) {
  using flag_type = cuda::atomic_ref<int, cuda::thread_scope_device>;
  flag_type mine(data[64 + 32 * blockIdx.x]), theirs(data[64 + 32 * (1 - blockIdx.x)]);
  mine.store(1, cuda::memory_order_release);
  // right: cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
  if (theirs.load(cuda::memory_order_acquire) == 0) ++data[0];
  mine.store(0, cuda::memory_order_release);
}

int main() {
  return launch(peterson_without_fence, 2, 1);
}
