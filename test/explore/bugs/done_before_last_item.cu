// A queue whose producer says that it is done before it has pushed the last item: a consumer may find it empty and done.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: trap
#include "launch.h"

extern "C" __global__ void done_before_last_item(int* data) {
  int *const pushed = data, *const done = data + 64;
  constexpr int items = 3;
  if (blockIdx.x == 0) {
    for (int item = 0; item < items; ++item) {
      if (item == items - 1) atomicExch(done, 1);  // wrong
      atomicAdd(pushed, 1);
    }
    // right: atomicExch(done, 1);
  } else {
    int popped = 0;
    for (;;) {
      const int is_done = atomicAdd(done, 0);
      const int found = atomicAdd(pushed, 0);
      if (popped == found && is_done != 0) break;
      popped = found;
    }
    if (popped != items) __trap();  // reported
  }
}

int main() {
  return launch(done_before_last_item, 2, 1);
}
