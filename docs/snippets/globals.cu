// Barriers that are global variables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>

// [globals]
__device__ cuda::barrier<cuda::thread_scope_device> bar(256);  // for kernels
cuda::barrier<cuda::thread_scope_system> host_bar(4);          // for host threads
// [end globals]
