// Functions of cudasync::ptx where those of the toolkit's own CCCL 3.0 with these names compile, but do not link.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CCCL: libcudacxx/test/libcudacxx/cuda/ptx/ptx.tcgen05.*, ptx.cp.async.bulk.*
// arch: 103a
// passes: all
#include <cuda/ptx>

#include <cudasync/ptx/clusterlaunchcontrol.h>
#include <cudasync/ptx/cp_async_bulk_tensor_group.h>
#include <cudasync/ptx/cp_async_bulk_tensor_rows.h>
#include <cudasync/ptx/tcgen05.h>

namespace ours = cudasync::ptx;
__device__ constexpr ours::cta_group_1_t group{};

__global__ void copies(const void* source, const void* map) {
  alignas(128) __shared__ char tile[1024];
  __shared__ uint64_t state;
  const ours::cluster_address to = ours::to_cluster(tile), bar = ours::to_cluster(&state);
  const int32_t box[2] = {0, 0};
  const uint16_t cta_mask = 3;
  const int32_t rows[5] = {0, 1, 2, 3, 4};
  ours::cp_async_bulk(to, source, 256, bar, cta_mask);
  ours::cp_async_bulk_tensor(to, map, box, bar, cta_mask);
  ours::cp_async_bulk_tensor(group, to, map, box, bar);
  ours::cp_async_bulk_tensor_tile_gather4(to, map, rows, bar, cta_mask);
  ours::cp_async_bulk_tensor_tile_scatter4(map, rows, ours::to_shared(tile));
}

__global__ void tensor_cores() {
  __shared__ uint64_t bar;
  ours::tcgen05_commit(group, ours::to_cluster(&bar));
  const uint16_t cta_mask = 3;
  ours::tcgen05_commit_multicast(group, ours::to_cluster(&bar), cta_mask);
  ours::tcgen05_fence_before_thread_sync();
  ours::tcgen05_fence_after_thread_sync();
  ours::tcgen05_wait_ld();
  ours::tcgen05_wait_st();
}

__global__ void steal() {
  alignas(16) __shared__ char response[16];
  __shared__ uint64_t bar;
  ours::clusterlaunchcontrol_try_cancel_multicast(ours::to_shared(response), ours::to_shared(&bar));
}
