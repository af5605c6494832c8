// The contestant CCCL: the version that BENCH_ORIGIN names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/version>

#include "../cccl_name.h"
#include "library.h"

#if defined(CUDASYNC_VERSION)
#error "this file measures CCCL: remove cudasync's include folder from the include path"
#endif

namespace bench { namespace {

const bool is_enrolled = [] {
  enroll_library(cccl_name(), "peer");
  return true;
}();

}}  // namespace bench
