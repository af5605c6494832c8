// Beside the groups of cudax, CCCL's experimental library, which synchronize with a cuda::barrier of the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: cudax
// Mirrors CCCL's cudax/test/group.
#include "ours_first.h"

// coop.cuh does not compile before group.cuh.
#include <cuda/experimental/group.cuh>

#include <cuda/experimental/coop.cuh>

#include <cuda/barrier>
