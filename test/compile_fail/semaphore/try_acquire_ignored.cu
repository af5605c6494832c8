// Who does not know whether it has a permit cannot give it back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: ignoring return value from (routine|function)[^\n]*\"nodiscard\"
// OPTIONS: --diag-error=2809
#include <cuda/semaphore>

__device__ void use(cuda::counting_semaphore<>& permits) {
  permits.try_acquire();  // wrong
  permits.acquire();      // right
}
