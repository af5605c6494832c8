// The reference contestant of cooperative groups: grid.sync(), which all threads call.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cooperative_groups.h>

#include "device_barrier.h"

namespace bench { namespace {

struct grid_sync {
  unsigned unused;

  __device__ __forceinline__ void init(unsigned) {}
  __device__ __forceinline__ void arrive_and_wait(unsigned) { cooperative_groups::this_grid().sync(); }
};

const bool is_enrolled = [] {
  const void* const kernel = reinterpret_cast<const void*>(&device_phases<grid_sync, false>);
  const void* const prepare = reinterpret_cast<const void*>(&prepare_device_barrier<grid_sync>);
  contestants().push_back({"device_barrier", all_arrive, "grid.sync()", "reference", "sm70", kernel, prepare});
  return true;
}();

}}  // namespace bench
