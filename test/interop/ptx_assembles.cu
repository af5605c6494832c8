// Every row of the tables of instructions that cuda::ptx offers is accepted by ptxas.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CCCL: libcudacxx/test/libcudacxx/cuda/ptx
// passes: all
// arch: 90a
#include <cuda/barrier>

namespace ptx = cuda::ptx;

template <class Sem, class Scope>
__device__ void arrive_and_expect(Sem sem, Scope scope, uint64_t* bar) {
  ptx::mbarrier_arrive(sem, scope, ptx::space_shared, bar);
  ptx::mbarrier_arrive(sem, scope, ptx::space_shared, bar, 2);
  ptx::mbarrier_arrive_expect_tx(sem, scope, ptx::space_shared, bar, 16);
  ptx::mbarrier_expect_tx(ptx::sem_relaxed, scope, ptx::space_shared, bar, 16);
  ptx::mbarrier_expect_tx(ptx::sem_relaxed, scope, ptx::space_cluster, bar, 16);
}

template <class Sem>
__device__ void arrive_remotely(Sem sem, uint64_t* bar) {
  ptx::mbarrier_arrive(sem, ptx::scope_cluster, ptx::space_cluster, bar);
  ptx::mbarrier_arrive_expect_tx(sem, ptx::scope_cluster, ptx::space_cluster, bar, 16);
}

template <class Sem, class Scope>
__device__ bool wait(Sem sem, Scope scope, uint64_t* bar, uint64_t state) {
  return ptx::mbarrier_test_wait(sem, scope, bar, state) && ptx::mbarrier_test_wait_parity(sem, scope, bar, 0) &&
         ptx::mbarrier_try_wait(sem, scope, bar, state) && ptx::mbarrier_try_wait(sem, scope, bar, state, 100) &&
         ptx::mbarrier_try_wait_parity(sem, scope, bar, 0) && ptx::mbarrier_try_wait_parity(sem, scope, bar, 0, 100);
}

template <class Sem>
__device__ void fences(Sem sem) {
  ptx::fence(sem, ptx::scope_cta);
  ptx::fence(sem, ptx::scope_cluster);
  ptx::fence(sem, ptx::scope_gpu);
  ptx::fence(sem, ptx::scope_sys);
}

template <size_t Rank>
__device__ void copy_box(const int (&at)[Rank], const void* map, void* tile, uint64_t* bar) {
  const uint16_t cta_mask = 3;
  ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, map, at, bar);
  ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, map, at, bar, cta_mask);
  ptx::cp_async_bulk_tensor(ptx::space_shared, ptx::space_global, tile, map, at, bar);
  ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, at, tile);
}

__global__ void barriers(uint64_t* state) {
  __shared__ uint64_t bar;
  arrive_and_expect(ptx::sem_release, ptx::scope_cta, &bar);
  arrive_and_expect(ptx::sem_release, ptx::scope_cluster, &bar);
  arrive_and_expect(ptx::sem_relaxed, ptx::scope_cta, &bar);
  arrive_and_expect(ptx::sem_relaxed, ptx::scope_cluster, &bar);
  arrive_remotely(ptx::sem_release, &bar);
  arrive_remotely(ptx::sem_relaxed, &bar);
  *state =
      wait(ptx::sem_acquire, ptx::scope_cta, &bar, *state) + wait(ptx::sem_acquire, ptx::scope_cluster, &bar, *state) +
      wait(ptx::sem_relaxed, ptx::scope_cta, &bar, *state) + wait(ptx::sem_relaxed, ptx::scope_cluster, &bar, *state);
  ptx::mbarrier_inval(&bar);
}

__global__ void orders() {
  fences(ptx::sem_sc);
  fences(ptx::sem_acq_rel);
  fences(ptx::sem_acquire);
  fences(ptx::sem_release);
  ptx::fence_proxy_async();
  ptx::fence_proxy_async(ptx::space_global);
  ptx::fence_proxy_async(ptx::space_cluster);
  ptx::fence_proxy_async(ptx::space_shared);
  ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  ptx::barrier_cluster_arrive(ptx::sem_relaxed);
  ptx::barrier_cluster_wait();
}

__global__ void copies(const void* map, int* data) {
  __shared__ uint64_t bar;
  alignas(128) __shared__ int tile[32];
  copy_box({0}, map, tile, &bar);
  copy_box({0, 1}, map, tile, &bar);
  copy_box({0, 1, 2}, map, tile, &bar);
  copy_box({0, 1, 2, 3}, map, tile, &bar);
  copy_box({0, 1, 2, 3, 4}, map, tile, &bar);
  const uint16_t cta_mask = 3;
  ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, data, sizeof(tile), &bar);
  ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, data, sizeof(tile), &bar, cta_mask);
  ptx::cp_async_bulk(ptx::space_shared, ptx::space_global, tile, data, sizeof(tile), &bar);
  ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, tile, tile, sizeof(tile), &bar);
  ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, data, tile, sizeof(tile));
  ptx::cp_async_bulk_commit_group();
  ptx::cp_async_bulk_wait_group(ptx::n32_t<1>());
  ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
}

__global__ void special_registers(uint64_t* sum) {
  *sum = ptx::get_sreg_tid_x() + ptx::get_sreg_tid_y() + ptx::get_sreg_tid_z() + ptx::get_sreg_ntid_x() +
         ptx::get_sreg_ntid_y() + ptx::get_sreg_ntid_z() + ptx::get_sreg_ctaid_x() + ptx::get_sreg_ctaid_y() +
         ptx::get_sreg_ctaid_z() + ptx::get_sreg_nctaid_x() + ptx::get_sreg_nctaid_y() + ptx::get_sreg_nctaid_z() +
         ptx::get_sreg_laneid() + ptx::get_sreg_lanemask_eq() + ptx::get_sreg_lanemask_le() +
         ptx::get_sreg_lanemask_lt() + ptx::get_sreg_lanemask_ge() + ptx::get_sreg_lanemask_gt() +
         ptx::get_sreg_warpid() + ptx::get_sreg_nwarpid() + ptx::get_sreg_smid() + ptx::get_sreg_nsmid() +
         ptx::get_sreg_clock() + ptx::get_sreg_clock_hi() + ptx::get_sreg_clock64() +
         ptx::get_sreg_current_graph_exec() + ptx::get_sreg_aggr_smem_size() +
         static_cast<uint64_t>(ptx::get_sreg_is_explicit_cluster()) + ptx::get_sreg_gridid() +
         ptx::get_sreg_globaltimer() + ptx::get_sreg_globaltimer_lo() + ptx::get_sreg_globaltimer_hi() +
         ptx::get_sreg_total_smem_size() + ptx::get_sreg_dynamic_smem_size() + ptx::get_sreg_clusterid_x() +
         ptx::get_sreg_clusterid_y() + ptx::get_sreg_clusterid_z() + ptx::get_sreg_nclusterid_x() +
         ptx::get_sreg_nclusterid_y() + ptx::get_sreg_nclusterid_z() + ptx::get_sreg_cluster_ctaid_x() +
         ptx::get_sreg_cluster_ctaid_y() + ptx::get_sreg_cluster_ctaid_z() + ptx::get_sreg_cluster_nctaid_x() +
         ptx::get_sreg_cluster_nctaid_y() + ptx::get_sreg_cluster_nctaid_z() + ptx::get_sreg_cluster_ctarank() +
         ptx::get_sreg_cluster_nctarank();
}
