// A value that another block sends by st.async is read without a wait for its bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"
#include "ptx.h"

extern "C" __global__ void st_async_without_wait(int* data) {
  __shared__ mbarrier bar;
  __shared__ int value;
  init(&bar, 1);
  arrive_and_expect(&bar, sizeof value);
  fence_init();
  cluster_sync();
  if (block_rank() == 0) store_remotely(&value, 42, &bar, 1);  // reported
  if (block_rank() == 1) {
    // right: wait_for_cluster(&bar, 0);
    data[0] = value;  // reported
  }
  cluster_sync();
  if (block_rank() == 1) wait_for_cluster(&bar, 0);
}

int main() {
  return launch(st_async_without_wait, 2, 1, 2);
}
