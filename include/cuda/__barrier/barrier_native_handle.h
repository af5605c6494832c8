// Stands in for CCCL's header of this name, which would define what <cuda/barrier> defines.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>
