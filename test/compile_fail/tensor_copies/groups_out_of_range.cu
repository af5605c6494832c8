// A number of groups is not negative; how many there are is for the program to know.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: cp_async_bulk_wait_group_read<n>: n is a number of groups, 0 or more
#include <cudasync/compat/tensor_copies.h>

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void finish() {
  cuda::device::experimental::cp_async_bulk_wait_group_read<-1>();
}
#else
__device__ void finish() {
  cuda::device::experimental::cp_async_bulk_wait_group_read<63>();
}
#endif
