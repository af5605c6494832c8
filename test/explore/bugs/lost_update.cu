// An increment by a load and a store, each of them atomic: the increment of another thread between the two is lost.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: trap
#include "launch.h"

#include <cuda/atomic>

extern "C" __global__ void lost_update(int* data) {
  cuda::atomic_ref<int, cuda::thread_scope_device> sum(data[0]), done(data[64]);
  sum.store(sum.load() + 1);  // wrong
  // right: sum.fetch_add(1);
  if (done.fetch_add(1) == 3 && sum.load() != 4) __trap();  // reported
}

int main() {
  return launch(lost_update, 4, 1);
}
