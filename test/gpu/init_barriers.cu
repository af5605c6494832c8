// init_barriers: any number of barriers, by one thread of a block or of each block of a cluster.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/exchange.h"
#include "../support/gpu_test.h"

#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

// One phase: exactly the expected number of arrivals completes it.
template <class Barrier>
__device__ void check_expects(Barrier& bar, int expected) {
  if (expected > 1) static_cast<void>(bar.arrive(expected - 1));
  DEVICE_CHECK(!bar.try_wait_parity(false));
  static_cast<void>(bar.arrive());
  DEVICE_CHECK(bar.try_wait_parity(false));
}

template <class Group>
__device__ void init_some(const Group& group) {
  __shared__ block_barrier one, several[4], alike, alike_too[2];
  __shared__ cuda::barrier<cuda::thread_scope_device> of_device;
  cudasync::init_barriers(group, cudasync::expects<1>(one), cudasync::expects(several, 5),
                          cudasync::expects(of_device, 7), cudasync::expects<3>(alike, alike_too));
  if (gpu_test::thread_rank() == blockDim.x * blockDim.y - 1) {
    check_expects(one, 1);
    for (block_barrier& bar : several)
      check_expects(bar, 5);
    check_expects(of_device, 7);
    check_expects(alike, 3);
    for (block_barrier& bar : alike_too)
      check_expects(bar, 3);
  }
  __syncthreads();
}

// Without a bound, the checked build takes more than 64 registers.
__global__ void __launch_bounds__(1024) init_for_block() {
  init_some(cudasync::this_thread_block());
}
TEST(init_barriers_for_a_block) {
  for (const dim3 block : {dim3(1), dim3(32), dim3(8, 16), dim3(1024)})
    gpu_test::run(init_for_block, {4, block});
}

#if !defined(CUDASYNC_FORCE_TARGET)
// Of the shape of cooperative_groups::cluster_group: rank 0 is in one block, but each block has barriers of its own.
struct cluster_group {
  static __device__ void sync() {
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
  }
  static __device__ unsigned block_rank() {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
  }
  static __device__ unsigned thread_rank() { return block_rank() * blockDim.x + threadIdx.x; }
};

__global__ void init_for_cluster() {
  __shared__ block_barrier bar;
  __shared__ int slots[2 * 64];
  cudasync::init_barriers(cluster_group{}, cudasync::expects(bar, blockDim.x));
  exchange<by_parity>(bar, slots, blockDim.x, threadIdx.x, 50);
}
TEST(init_barriers_for_a_cluster) {
  gpu_test::shape how{8, 64};
  how.cluster = 4;
  gpu_test::run(init_for_cluster, how);
}
#endif

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
