// A function that takes a permit and gives it back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/semaphore>

void function(float& data, cuda::counting_semaphore<cuda::thread_scope_system>& permits) {
  permits.acquire();
  data += 1;
  permits.release();
}
