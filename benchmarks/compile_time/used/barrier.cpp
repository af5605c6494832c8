// A function that arrives at a barrier and waits for it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>

void function(float& data, cuda::barrier<cuda::thread_scope_system>& bar) {
  auto token = bar.arrive();
  data += 1;
  bar.wait(static_cast<decltype(token)&&>(token));
  bar.arrive_and_wait();
}
