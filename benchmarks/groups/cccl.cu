// The contestant CCCL: the version that BENCH_ORIGIN names, with and without NDEBUG, on which its code depends.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/version>

#include "../cccl_name.h"
#include "library.h"

#if defined(CUDASYNC_VERSION)
#error "this file measures CCCL's <cuda/latch>: remove cudasync's include folder from the include path"
#endif

namespace bench { namespace {

const bool is_enrolled = [] {
#if defined(NDEBUG)
  const std::string name = cccl_name() + ", NDEBUG";
#else
  const std::string name = cccl_name();
#endif
  enroll_library(name, "peer");
  return true;
}();

}}  // namespace bench
