// Cooperative groups' reductions and scans that end in an atomic object: those take ours.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ours_first.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "ours_atomic.h"

namespace cg = cooperative_groups;

template <class Operation, class Atomic>
__device__ void reduce_into(Atomic& result, const int* data) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  cg::reduce_update_async(tile, result, data[threadIdx.x], Operation());
  cg::reduce_store_async(tile, result, data[threadIdx.x], Operation());
}

template <class Atomic>
__device__ void reduce_and_scan(Atomic& result, int* data) {
  reduce_into<cg::plus<int>>(result, data);
  reduce_into<cg::less<int>>(result, data);
  reduce_into<cg::greater<int>>(result, data);
  reduce_into<cg::bit_and<int>>(result, data);
  reduce_into<cg::bit_or<int>>(result, data);
  reduce_into<cg::bit_xor<int>>(result, data);
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  data[threadIdx.x] = cg::exclusive_scan_update(tile, result, data[threadIdx.x], cg::plus<int>()) +
                      cg::inclusive_scan_update(cg::coalesced_threads(), result, data[threadIdx.x]);
}

__global__ void update(device_atomic* sum, int* data) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> in_block;
  reduce_and_scan(*sum, data);
  reduce_and_scan(in_block, data);
  const cuda::atomic_ref<int, cuda::thread_scope_system> last(data[blockDim.x]);
  reduce_and_scan(last, data);
}
