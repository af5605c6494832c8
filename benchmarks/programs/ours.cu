// The contestant cudasync: the classes that libcu++ also has, grid_barrier, and updates without a result.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cudasync/grid_barrier.h>

#include "library.h"

#if !defined(CUDASYNC_VERSION)
#error "cudasync is to be measured here: its include folder comes first"
#endif

namespace bench { namespace {

struct stencil_grid {
  cudasync::grid_barrier<> bar;

  __device__ __forceinline__ void init(unsigned) {}
  __device__ __forceinline__ void arrive_and_wait() { bar.arrive_and_wait(); }
};

struct table_updates : table_atomics {
  static __device__ __forceinline__ void add_one(u32* place) { word(*place).store_add(1, cuda::memory_order_relaxed); }
};

const bool is_enrolled = [] {
  enroll_library("cudasync", "ours");
  enroll_stencil<stencil_grid>("cudasync, grid_barrier", "ours");
  enroll_hash_table<table_updates>("cudasync, atomic_ref, store_add", "ours");
  return true;
}();

}}  // namespace bench
