// The contestants of both cudasync and CCCL: the objects of the included headers, between a host thread and a kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>

#if !defined(CUDASYNC_VERSION)
#include <cuda/version>

#include "../cccl_name.h"
#endif

#include "../host/ways.h"
#include "kernel.h"

namespace bench { namespace {

const bool is_enrolled = [] {
  for_each_way([](auto* way) {
    using type = std::remove_pointer_t<decltype(way)>;
    enroll_both<type>(type::name, library_name(), library_kind);
  });
  return true;
}();

}}  // namespace bench
