// The token of a participant names the phase to wait for, too.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: ignoring return value from (routine|function)[^\n]*\"nodiscard\"
// OPTIONS: --diag-error=2809
#include <cudasync/grid_barrier.h>

__device__ void meet(cudasync::grid_barrier<>& bar, cudasync::participant self) {
  bar.arrive(self);                  // wrong
  bar.wait(bar.arrive(self), self);  // right
}
