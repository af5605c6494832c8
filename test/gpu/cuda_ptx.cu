// Stores, atomics and copies of cuda::ptx to another block of the cluster, which complete on its mbarrier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: sm90
#include "../support/gpu_test.h"

#include <cuda/barrier>
#include <cudasync/compat/ptx_all.h>

// With nvcc, the names in cuda::ptx can be CCCL's.
namespace ptx = cudasync::compat::ptx_names;

using word = cudasync::uint64;

template <class Object>
__device__ Object* in_other_block(Object* object) {
  return static_cast<Object*>(__cluster_map_shared_rank(object, ptx::get_sreg_cluster_ctarank() ^ 1));
}

__device__ void begin(word* bar, unsigned bytes) {
  ptx::mbarrier_init(bar, 1);
  ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, bar, bytes);
}

__device__ void meet() {
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
}

__device__ void wait(word* bar) {
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, bar, 0)) {
  }
}

// Each of these kernels has clusters of two blocks of one thread.
__global__ void __cluster_dims__(2) stores() {
  __shared__ word bar;
  __shared__ int one;
  __shared__ double wide;
  alignas(16) __shared__ int four[4];
  alignas(16) __shared__ word two[2];
  begin(&bar, sizeof one + sizeof wide + sizeof four + sizeof two);
  meet();
  const int rank = static_cast<int>(ptx::get_sreg_cluster_ctarank());
  const int all[4] = {rank + 1, rank + 2, rank + 3, rank + 4};
  const word both[2] = {rank + 5ULL, rank + (6ULL << 40)};
  ptx::st_async(in_other_block(&one), rank + 7, in_other_block(&bar));
  ptx::st_async(in_other_block(&wide), rank + 0.5, in_other_block(&bar));
  ptx::st_async(in_other_block(four), all, in_other_block(&bar));
  ptx::st_async(in_other_block(two), both, in_other_block(&bar));
  wait(&bar);
  const int other = rank ^ 1;
  DEVICE_CHECK(one == other + 7);
  DEVICE_CHECK(wide == other + 0.5);
  for (int index = 0; index < 4; ++index)
    DEVICE_CHECK(four[index] == other + 1 + index);
  DEVICE_CHECK(two[0] == other + 5ULL && two[1] == other + (6ULL << 40));
  meet();
}

__global__ void __cluster_dims__(2) atomics() {
  __shared__ word bar;
  __shared__ int least, greatest;
  __shared__ unsigned sum, count, bits, down;
  __shared__ word wide;
  least = 5;
  greatest = -5;
  sum = 10;
  count = 3;
  down = 0;
  bits = 6;
  wide = 1;
  begin(&bar, 6 * sizeof sum + sizeof wide);
  meet();
  ptx::red_async(ptx::op_min, in_other_block(&least), -1, in_other_block(&bar));
  ptx::red_async(ptx::op_max, in_other_block(&greatest), -1, in_other_block(&bar));
  ptx::red_async(ptx::op_add, in_other_block(&sum), 7, in_other_block(&bar));
  ptx::red_async(ptx::op_inc, in_other_block(&count), 3, in_other_block(&bar));
  ptx::red_async(ptx::op_dec, in_other_block(&down), 9, in_other_block(&bar));
  ptx::red_async(ptx::op_xor_op, in_other_block(&bits), 3, in_other_block(&bar));
  ptx::red_async(ptx::op_add, in_other_block(&wide), 1ULL << 40, in_other_block(&bar));
  wait(&bar);
  DEVICE_CHECK(least == -1);
  DEVICE_CHECK(greatest == -1);
  DEVICE_CHECK(sum == 17);
  DEVICE_CHECK(count == 0);
  DEVICE_CHECK(down == 9);
  DEVICE_CHECK(bits == 5);
  DEVICE_CHECK(wide == (1ULL << 40) + 1);
  meet();
}

__global__ void __cluster_dims__(2) reductions(int* minima, float* sums) {
  __shared__ word bar;
  alignas(16) __shared__ unsigned mine[4], added[4];
  alignas(16) __shared__ int values[4];
  alignas(16) __shared__ float floats[4];
  const int rank = static_cast<int>(ptx::get_sreg_cluster_ctarank());
  for (int index = 0; index < 4; ++index) {
    mine[index] = index + 1;
    added[index] = 100 * (rank + 1);
    values[index] = rank == 0 ? index - 2 : 2 - index;
    floats[index] = rank + 0.25f;
  }
  begin(&bar, sizeof mine);
  ptx::fence_proxy_async(ptx::space_shared);
  meet();
  ptx::cp_reduce_async_bulk(ptx::space_cluster, ptx::space_shared, ptx::op_add, in_other_block(mine), added,
                            sizeof mine, in_other_block(&bar));
  ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_min, minima, values, sizeof values);
  ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sums, floats, sizeof floats);
  ptx::cp_async_bulk_commit_group();
  wait(&bar);
  for (unsigned index = 0; index < 4; ++index)
    DEVICE_CHECK(mine[index] == index + 1 + 100 * ((rank ^ 1) + 1));
  ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
  meet();
}

TEST(stores_to_another_block) {
  gpu_test::run(stores, {2, 1});
}

TEST(atomics_in_another_block) {
  gpu_test::run(atomics, {2, 1});
}

TEST(reductions_by_the_copy_engine) {
  int* minima = nullptr;
  CHECK(cudaMallocManaged(&minima, 8 * sizeof(int)) == cudaSuccess);
  float* const sums = reinterpret_cast<float*>(minima + 4);
  for (int index = 0; index < 4; ++index) {
    minima[index] = 1;
    sums[index] = 1.0f;
  }
  gpu_test::run(reductions, {2, 1}, minima, sums);
  for (int index = 0; index < 4; ++index) {
    CHECK(minima[index] == (index < 2 ? index - 2 : 2 - index));
    CHECK(sums[index] == 2.5f);
  }
  CHECK(cudaFree(minima) == cudaSuccess);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
