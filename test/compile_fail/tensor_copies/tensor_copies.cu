// Misuse with <cudasync/compat/tensor_copies.h>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cudasync/compat/tensor_copies.h>

// misuse: below_sm90
// Before sm_90 there is no bulk copy.
// ERROR: bulk copies need sm_90: compile with -arch=sm_90 or newer
// ARCHS: 75 80
__device__ void store(int* destination, const int* source) {
  cuda::device::experimental::cp_async_bulk_shared_to_global(destination, source, 1024);  // wrong
  destination[threadIdx.x] = source[threadIdx.x];                                         // right
}

// misuse: groups_out_of_range
// A number of groups is not negative; how many there are is for the program to know.
// ERROR: cp_async_bulk_wait_group_read<n>: n is a number of groups, 0 or more
__device__ void finish() {
  cuda::device::experimental::cp_async_bulk_wait_group_read<-1>();  // wrong
  cuda::device::experimental::cp_async_bulk_wait_group_read<63>();  // right
}
