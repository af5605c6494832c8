// Stands in for CCCL's header of this name, which would define cuda::memcpy_async again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/pipeline>
