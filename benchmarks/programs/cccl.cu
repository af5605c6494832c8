// The contestant CCCL: the version that BENCH_ORIGIN names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/version>

#include "library.h"

#if defined(CUDASYNC_VERSION)
#error "this file measures CCCL: remove cudasync's include folder from the include path"
#endif

namespace bench {
namespace {

const bool is_enrolled = [] {
  const std::string version = std::to_string(CCCL_MAJOR_VERSION) + "." + std::to_string(CCCL_MINOR_VERSION) + "." +
                              std::to_string(CCCL_PATCH_VERSION);
  enroll_library("CCCL " + version + " (" BENCH_ORIGIN ")", "peer");
  return true;
}();

}  // namespace
}  // namespace bench
