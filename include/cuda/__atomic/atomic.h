// Stands in for CCCL's header of this name, which would define cuda::atomic again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/atomic>
