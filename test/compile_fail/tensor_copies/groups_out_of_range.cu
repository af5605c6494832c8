// Only so many groups of copies can be told apart.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: cp_async_bulk_wait_group_read<n>: n must be 0 to 7
#include <cudasync/compat/tensor_copies.h>

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void finish() {
  cuda::device::experimental::cp_async_bulk_wait_group_read<8>();
}
#else
__device__ void finish() {
  cuda::device::experimental::cp_async_bulk_wait_group_read<0>();
}
#endif
