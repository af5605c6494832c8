// A block that arrives and does not wait knows nothing about the other hosts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: ignoring return value from (routine|function)[^\n]*\"nodiscard\"
// COMPILERS: nvrtc nvcc
// OPTIONS: --diag-error=2809
#include <cudasync/world_barrier.h>

struct no_rail {
  __device__ unsigned rank() const { return 0; }
  __device__ unsigned count() const { return 1; }
  __device__ unsigned radix() const { return 2; }
  __device__ void complete() const {}
  __device__ void raise(unsigned, unsigned long long, unsigned) const {}
  __device__ bool is_raised(unsigned, unsigned long long) const { return true; }
  __device__ void wait(unsigned, unsigned long long) const {}
};

__device__ void meet(cudasync::world_barrier<no_rail>& bar) {
  bar.arrive();            // wrong
  bar.wait(bar.arrive());  // right
}
