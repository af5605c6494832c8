// The contestant CCCL: the version that BENCH_ORIGIN names, with and without NDEBUG, on which its code depends.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/atomic>
#include <cuda/version>

#include "../cccl_name.h"
#include "library.h"

#if defined(CUDASYNC_VERSION)
#error "the peer's <cuda/atomic> is to be measured here: leave cudasync's include folder out"
#endif

namespace bench { namespace {

struct fetching_elements {
  static __device__ __forceinline__ void add_elements(float2& place, float2 operand) {
    fetching::add(place.x, operand.x);
    fetching::add(place.y, operand.y);
  }
  static __device__ __forceinline__ void add_elements(float4& place, float4 operand) {
    fetching::add(place.x, operand.x);
    fetching::add(place.y, operand.y);
    fetching::add(place.z, operand.z);
    fetching::add(place.w, operand.w);
  }
};

const bool is_enrolled = [] {
#if defined(NDEBUG)
  const std::string name = cccl_name() + ", NDEBUG";
#else
  const std::string name = cccl_name();
#endif
  enroll_library(name, "peer");
  enroll_float_vectors<fetching_elements>(name, "peer");
#if CCCL_VERSION >= 3001000  // in older versions, a compare-exchange of 16 bytes does not compile
  enroll_wide_steps<stepping>(name, "peer");
#endif
  return true;
}();

}}  // namespace bench
