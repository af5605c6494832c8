// The contestant CUTLASS: ClusterBarrier, which waits by parity and has no tokens.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cutlass/arch/barrier.h>
#include <cutlass/version.h>

#include "barrier.h"
#include "wakeup.h"

namespace bench { namespace {

struct cutlass_barrier {
  unsigned long long word;

  __device__ __forceinline__ cutlass::arch::ClusterBarrier& bar() {
    return reinterpret_cast<cutlass::arch::ClusterBarrier&>(word);
  }
  __device__ __forceinline__ void init(unsigned expected) { bar().init(expected); }
  __device__ __forceinline__ int arrive(unsigned) {
    bar().arrive();
    return 0;
  }
  __device__ __forceinline__ void arrive_only(unsigned = 0) { bar().arrive(); }
  __device__ __forceinline__ void wait(int, unsigned phase) { bar().wait(phase & 1); }
  __device__ __forceinline__ void wait_parity(unsigned phase) { bar().wait(phase & 1); }
  __device__ __forceinline__ void arrive_and_wait(unsigned phase) {
    bar().arrive();
    bar().wait(phase & 1);
  }
};

const bool is_enrolled = [] {
  const std::string name = "CUTLASS " + std::to_string(CUTLASS_MAJOR) + "." + std::to_string(CUTLASS_MINOR) + "." +
                           std::to_string(CUTLASS_PATCH);
  enroll_barrier<cutlass_barrier>(name, "peer", "sm90");
  enroll_block_wakeup<cutlass_barrier>(name, "peer", "sm90");
  return true;
}();

}}  // namespace bench
