// Calls of cuda::ptx that must compile with our functions alone, and where those of CCCL are found too.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__global__ void qualified_calls(int* data) {
  namespace ptx = cuda::ptx;
  __shared__ uint64_t bar;
  alignas(16) __shared__ int tile[32];
  if (ptx::get_sreg_tid_x() == 0) {
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::fence_proxy_async();
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, data, sizeof(tile), &bar);
    ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar, 0);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof(tile));
  }
  __syncthreads();
  while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
  }
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0)) {
  }
  ptx::fence(ptx::sem_sc, ptx::scope_gpu);
  ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, data, tile, sizeof(tile));
  ptx::cp_async_bulk_commit_group();
  ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
}

__global__ void unqualified_calls(int* data, const void* map) {
  using namespace cuda::ptx;
  __shared__ uint64_t bar;
  alignas(128) __shared__ int tile[32];
  if (get_sreg_tid_x() == 0) mbarrier_init(&bar, 1);
  barrier_cluster_arrive(sem_release);
  barrier_cluster_wait(sem_acquire);
  barrier_cluster_arrive();
  barrier_cluster_wait();
  if (elect_sync(0xffffffff)) {
    const int at[2] = {0, 0};
    cp_async_bulk(space_cluster, space_global, tile, data, sizeof(tile), &bar);
    cp_async_bulk(space_cluster, space_shared, tile, tile, sizeof(tile), &bar);
    cp_async_bulk_tensor(space_cluster, space_global, tile, map, at, &bar);
    mbarrier_arrive(sem_release, scope_cta, space_shared, &bar);
    mbarrier_arrive(sem_release, scope_cluster, space_cluster, &bar, 1);
    mbarrier_arrive_expect_tx(sem_release, scope_cluster, space_cluster, &bar, sizeof(tile));
  }
  uint64_t state = mbarrier_arrive(&bar);
  state = mbarrier_arrive(&bar, 1);
  state = mbarrier_arrive_no_complete(&bar, 1);
  while (!mbarrier_test_wait(&bar, state) || !mbarrier_try_wait(&bar, state) || !mbarrier_try_wait(&bar, state, 100)) {
  }
  while (!mbarrier_test_wait_parity(&bar, 0) || !mbarrier_try_wait_parity(&bar, 0, 100)) {
  }
  while (!mbarrier_try_wait(sem_acquire, scope_cta, &bar, state)) {
  }
  const int at[1] = {0};
  cp_async_bulk_tensor(space_global, space_shared, map, at, tile);
  cp_async_bulk_wait_group(n32_t<0>());
  data[threadIdx.x] = static_cast<int>(getctarank(space_cluster, &bar));
  fence(sem_acq_rel, scope_sys);
  fence_proxy_async(space_global);
}
