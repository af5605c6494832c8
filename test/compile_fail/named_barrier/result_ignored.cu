// Who does not want the result does not pay for a reduction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: ignoring return value from (routine|function)[^\n]*\"nodiscard\"
// OPTIONS: --diag-error=2809
#include <cudasync/named_barrier.h>

__device__ void meet(bool found) {
  cudasync::named_barrier<1, 64>::sync_or(found);                // wrong
  if (cudasync::named_barrier<1, 64>::sync_or(found)) __trap();  // right
}
