// The name of the CCCL whose headers a translation unit includes, with its version and BENCH_ORIGIN. Include after them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_CCCL_NAME_H
#define CUDASYNC_BENCHMARKS_CCCL_NAME_H

#include <string>

namespace bench { namespace {  // the translation units of a program include different versions

std::string cccl_name() {
  return "CCCL " + std::to_string(CCCL_MAJOR_VERSION) + "." + std::to_string(CCCL_MINOR_VERSION) + "." +
         std::to_string(CCCL_PATCH_VERSION) + " (" BENCH_ORIGIN ")";
}

}}  // namespace bench

#endif
