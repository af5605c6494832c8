// A flag that the host polls in managed memory, released with the scope of the device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: nothing, because the machine does not see what the host reads
#include "launch.h"

#include <cuda/atomic>

extern "C" __global__ void device_scope_for_host(int* data) {
  data[0] = 42;
  cuda::atomic_ref<int, cuda::thread_scope_device> flag(data[64]);  // wrong
  // right: cuda::atomic_ref<int, cuda::thread_scope_system> flag(data[64]);
  flag.store(1, cuda::memory_order_release);
}

int main() {
  return launch(device_scope_for_host, 1, 1);
}
