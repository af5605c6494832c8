// The barrier expects twice the bytes that are copied.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: hang
#include "launch.h"

#include <cuda/barrier>
#include <cudasync/init_barriers.h>
#include <cudasync/memcpy_async_tx.h>

extern "C" __global__ void wrong_expected_bytes(int* data) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ alignas(16) int tile[2][32];
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<1>(bar));
  if (threadIdx.x == 0) {
    cuda::device::memcpy_async_tx(tile[0], data, cuda::aligned_size_t<16>(sizeof tile[0]), bar);
    static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, sizeof tile));  // wrong
    // right: static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, sizeof tile[0]));
  }
  bar.wait_parity(false);  // reported
  data[64 + threadIdx.x] = tile[0][31 - threadIdx.x];
}

int main() {
  return launch(wrong_expected_bytes, 1, 32);
}
