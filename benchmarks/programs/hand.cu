// The programs with hand-written PTX and built-in functions, and with cooperative groups.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "../bandwidth/hand.h"
#include "../groups/hand.h"
#include "hash_table.h"
#include "matrix_product.h"
#include "reduction.h"
#include "stencil.h"

namespace bench { namespace {

namespace cg = cooperative_groups;

struct product_by_hand {
  struct shared {};

  __device__ __forceinline__ explicit product_by_hand(shared&) {}
  __device__ __forceinline__ void acquire() {}
  __device__ __forceinline__ void copy(float4* to, const float4* from) { ptx::copy<16>(ptx::shared(to), from); }
  __device__ __forceinline__ void commit() { ptx::commit(); }
  __device__ __forceinline__ void wait() {
    ptx::wait_group<product_stages - 2>();
    __syncthreads();
  }
  __device__ __forceinline__ void release() {}
};

struct stencil_two_lines : two_lines {
  __device__ __forceinline__ void init(unsigned) {}
};

struct stencil_of_group {
  unsigned unused;

  __device__ __forceinline__ void init(unsigned) {}
  __device__ __forceinline__ void arrive_and_wait() { cg::this_grid().sync(); }
};

struct table_by_hand {
  static __device__ __forceinline__ u32 load(u32* place) { return read_relaxed(place); }
  static __device__ __forceinline__ bool claim(u32* place, u32& expected, u32 desired) {
    const u32 before = atomicCAS(place, expected, desired);
    const bool is_done = before == expected;
    expected = before;
    return is_done;
  }
  static __device__ __forceinline__ void add_one(u32* place) { atomicAdd(place, 1u); }
};

struct reduction_by_hand {
  static __device__ __forceinline__ void add_in_block(u32* place, u32 value) {
    const u32 of_warp = __reduce_add_sync(0xffffffff, value);
    if (threadIdx.x % 32 == 0) atomicAdd_block(place, of_warp);
  }
  static __device__ __forceinline__ bool is_last(u32* ready, u32* place, u32 sum) {
    *place = sum;
    return add_acq_rel(ready, 1) == gridDim.x - 1;
  }
  static __device__ __forceinline__ u32 read(u32* place) { return *place; }
};

struct reduction_of_groups : reduction_by_hand {
  static __device__ __forceinline__ void add_in_block(u32* place, u32 value) {
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const u32 of_warp = cg::reduce(warp, value, cg::plus<u32>());
    if (warp.thread_rank() == 0) atomicAdd_block(place, of_warp);
  }
  static __device__ __forceinline__ bool is_last(u32* ready, u32* place, u32 sum) {
    *place = sum;
    __threadfence();
    const bool is_last = atomicAdd(ready, 1u) == gridDim.x - 1;
    __threadfence();
    return is_last;
  }
};

const bool is_enrolled = [] {
  enroll_matrix_product<product_by_hand>("cp.async, __syncthreads", hand);
  enroll_stencil<stencil_two_lines>("counter and phase in two lines", hand);
  enroll_stencil<stencil_of_group>("cooperative_groups, grid.sync()", "reference");
  enroll_hash_table<table_by_hand>("atomicCAS, atomicAdd", hand);
  enroll_reduction<reduction_by_hand>("redux, atom.acq_rel", hand);
  enroll_reduction<reduction_of_groups>("cooperative_groups, __threadfence", "reference");
  return true;
}();

}}  // namespace bench
