// The contestant CCCL: the version that BENCH_ORIGIN names. It is compiled once for each part of library.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/version>

#include "../cccl_name.h"
#include "library.h"

#if defined(CUDASYNC_VERSION)
#error "the peer's <cuda/pipeline> is to be measured here: leave cudasync's include folder out"
#endif

namespace bench { namespace {

struct wait_for {
  template <class Barrier>
  static __device__ __forceinline__ void wait(const Barrier& bar, bool parity) {
    bar.wait_parity(parity);
  }
};

const bool is_enrolled = [] {
  enroll_library<wait_for>(cccl_name(), "peer");
  return true;
}();

}}  // namespace bench
