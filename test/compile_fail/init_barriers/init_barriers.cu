// Misuse with <cuda/barrier>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>

// misuse: too_many_array
// The count of an array of barriers is that of each.
// ERROR: expects<n>\(bar\): more arrivals than the barrier can count; a block's or a cluster's barrier counts to 2\^20 - 1, barriers of wider scopes to 2\^30 - 1
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void set_up(block_barrier (&bar)[4]) {
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<(1 << 20)>(bar));      // wrong
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<(1 << 20) - 1>(bar));  // right
}

// misuse: too_many_device
// A barrier of a wider scope counts to 2^30 - 1.
// ERROR: expects<n>\(bar\): more arrivals than the barrier can count; a block's or a cluster's barrier counts to 2\^20 - 1, barriers of wider scopes to 2\^30 - 1
using device_barrier = cuda::barrier<cuda::thread_scope_device>;

__device__ void set_up(device_barrier& bar) {
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<(1 << 30)>(bar));      // wrong
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<(1 << 30) - 1>(bar));  // right
}

// misuse: of_two_scopes
// Those that are named together are of one type.
// ERROR: expects<n>\(a, b\): the barriers must have the same scope; write expects<n>\(a\), expects<n>\(b\)
using block_barrier = cuda::barrier<cuda::thread_scope_block>;
using device_barrier = cuda::barrier<cuda::thread_scope_device>;

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void set_up(block_barrier& own, device_barrier& all) {
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<2>(own, all));
#else
__device__ void set_up(block_barrier& own, block_barrier (&all)[4]) {
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<2>(own, all));
#endif
}

// misuse: expects_of_pointer
// The barrier itself is named, and not its address.
// ERROR: expects<n>\(bar\) takes the barrier or the array itself, not its address
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void set_up(block_barrier& bar) {
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<2>(&bar));  // wrong
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<2>(bar));   // right
}

// misuse: no_group
// Who synchronizes is the first argument.
// ERROR: init_barriers needs the group first, which has thread_rank\(\) and sync\(\): init_barriers\(this_thread_block\(\), expects<256>\(bar\)\)
// COMPILERS: nvrtc nvcc
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void set_up(block_barrier& bar) {
  cudasync::init_barriers(cudasync::expects<2>(bar));                                 // wrong
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<2>(bar));  // right
}

// misuse: group_not_called
// this_thread_block is a function.
// ERROR: init_barriers needs the group first, which has thread_rank\(\) and sync\(\): init_barriers\(this_thread_block\(\), expects<256>\(bar\)\)
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void set_up(block_barrier& bar) {
  cudasync::init_barriers(cudasync::this_thread_block, cudasync::expects<2>(bar));    // wrong
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<2>(bar));  // right
}

// common:
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void set_up(block_barrier& bar) {
  // misuse: negative
  // No phase expects a negative number of arrivals.
  // ERROR: expects<n>\(bar\): a phase needs at least one arrival; give 1 to bar.max\(\)
  // COMPILERS: nvrtc nvcc
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<-1>(bar));  // wrong
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<1>(bar));   // right

  // misuse: none
  // A phase of no arrivals would never complete.
  // ERROR: expects<n>\(bar\): a phase needs at least one arrival; give 1 to bar.max\(\)
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<0>(bar));  // wrong
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<1>(bar));  // right

  // misuse: without_group
  // One thread initializes, and those that wait for it are the group.
  // ERROR: init_barriers needs the group and what each barrier expects: init_barriers\(this_thread_block\(\), expects<256>\(bar\)\)
  // COMPILERS: nvrtc nvcc
  cudasync::init_barriers(bar, 256);                                                    // wrong
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<256>(bar));  // right

  // misuse: too_many_block
  // A block's barrier counts to 2^20 - 1, as an mbarrier does.
  // ERROR: expects<n>\(bar\): more arrivals than the barrier can count; a block's or a cluster's barrier counts to 2\^20 - 1, barriers of wider scopes to 2\^30 - 1
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<(1 << 20)>(bar));      // wrong
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<(1 << 20) - 1>(bar));  // right
}
