// A function that counts down a latch and waits for it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/latch>

void function(float& data, cuda::latch<cuda::thread_scope_system>& done) {
  data += 1;
  done.count_down();
  done.wait();
}
