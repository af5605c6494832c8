// Beside the groups of cudax, CCCL's experimental library, which synchronize with a cuda::barrier of the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CCCL: cudax/test/group and cudax/test/coop
// needs: cudax
// passes: device
#include "ours_first.h"

// coop.cuh does not compile before group.cuh, and neither compiles in the host pass of nvcc 13.0.
#include <cuda/experimental/group.cuh>

#include <cuda/experimental/coop.cuh>

#include <cuda/barrier>
