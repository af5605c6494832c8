// Misuse with <cuda/barrier>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>

// misuse: too_many_array
// The count of an array of barriers is that of each.
// ERROR: expects<n>\(bar\): more arrivals than the barrier can count; a block's or a cluster's barrier counts to 2\^20 - 1, barriers of wider scopes to 2\^31 - 1
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void set_up(block_barrier (&bar)[4]) {
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<(1 << 20)>(bar));      // wrong
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<(1 << 20) - 1>(bar));  // right
}

// misuse: too_many_device
// A barrier of a wider scope counts to 2^31 - 1.
// ERROR: expects<n>\(bar\): more arrivals than the barrier can count; a block's or a cluster's barrier counts to 2\^20 - 1, barriers of wider scopes to 2\^31 - 1
using device_barrier = cuda::barrier<cuda::thread_scope_device>;

__device__ void set_up(device_barrier& bar) {
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<0x80000000>(bar));  // wrong
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<0x7fffffff>(bar));  // right
}

// common:
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void set_up(block_barrier& bar) {
  // misuse: negative
  // No phase expects a negative number of arrivals.
  // ERROR: expects<n>\(bar\): a barrier cannot expect a negative number of arrivals; give 0 to bar.max\(\)
  // COMPILERS: nvrtc nvcc
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<-1>(bar));  // wrong
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<1>(bar));   // right

  // misuse: too_many_block
  // A block's barrier counts to 2^20 - 1, as an mbarrier does.
  // ERROR: expects<n>\(bar\): more arrivals than the barrier can count; a block's or a cluster's barrier counts to 2\^20 - 1, barriers of wider scopes to 2\^31 - 1
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<(1 << 20)>(bar));      // wrong
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<(1 << 20) - 1>(bar));  // right
}
