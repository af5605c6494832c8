// Hand-offs through two cuda::barrier objects of the included header, on the path BENCH_PATH of an architecture.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>

#if !defined(CUDASYNC_VERSION)
#include <cuda/version>

#include "../cccl_name.h"
#endif

#include "hand_off.h"

namespace bench { namespace {

// A type of this translation unit, because the barriers of two CCCL versions have the same name.
template <int>
struct two_barriers : barrier_channel<cuda::barrier<cuda::thread_scope_block>> {};

const bool is_enrolled = [] {
#if defined(CUDASYNC_VERSION)
  const std::string name = "cudasync";
  const std::string kind = "ours";
#else
  const std::string name = cccl_name();
  const std::string kind = "peer";
#endif
  enroll_hand_off<two_barriers>(name + ", two cuda::barrier", kind, BENCH_PATH);
  return true;
}();

}}  // namespace bench
