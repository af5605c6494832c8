// Stands in for CCCL's header of this name, which would declare cuda::barrier again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>
