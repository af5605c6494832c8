// A ring of two stages loads one tile more than it uses. The block ends while the copy engine may still write it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"
#include "ptx.h"

extern "C" __global__ void load_beyond_last_tile(int* data) {
  __shared__ alignas(16) int tile[2][32];
  __shared__ mbarrier full[2];
  constexpr int tiles = 3;
  if (threadIdx.x == 0) {
    init(&full[0], 1);
    init(&full[1], 1);
    fence_init();
    arrive_and_expect(&full[0], sizeof tile[0]);
    bulk_load(tile[0], data, sizeof tile[0], &full[0]);
  }
  __syncthreads();
  int sum = 0;
  for (int n = 0; n < tiles; ++n) {
    const int next = n + 1;
    bool is_last = false;
    // right: is_last = next == tiles;
    if (threadIdx.x == 0 && !is_last) {
      arrive_and_expect(&full[next % 2], sizeof tile[0]);
      bulk_load(tile[next % 2], data + 32 * next, sizeof tile[0], &full[next % 2]);  // reported
    }
    wait(&full[n % 2], n / 2 % 2);
    sum += tile[n % 2][threadIdx.x];
    fence_async();
    __syncthreads();
  }
  data[1024 + threadIdx.x] = sum;
}

int main() {
  return launch(load_beyond_last_tile, 1, 32);
}
