// Who arrives and does not wait knows nothing about the others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: ignoring return value from (routine|function)[^\n]*\"nodiscard\"
// COMPILERS: nvrtc nvcc
// OPTIONS: --diag-error=2809
#include <cudasync/grid_barrier.h>

__device__ void meet(cudasync::grid_barrier<>& bar) {
  bar.arrive();            // wrong
  bar.wait(bar.arrive());  // right
}
