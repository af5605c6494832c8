// The extras: set-up of several barriers, one thread of a block or a warp, and clusters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>

#include <cooperative_groups.h>

using barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void set_up(int producers) {
  // [init_barriers]
  __shared__ barrier full[4], empty[4], done;
  cudasync::init_barriers(cudasync::this_thread_block(),
                          cudasync::expects(full, producers),  // a number known at run time, for each of the four
                          cudasync::expects<128>(empty),       // a number that the compiler checks
                          cudasync::expects<1>(done));
  // [end init_barriers]
}

__device__ void set_up_with_group() {
  // [group]
  __shared__ barrier bar;
  const auto block = cooperative_groups::this_thread_block();
  cudasync::init_barriers(block, cudasync::expects(bar, block.size()));
  // [end group]
}

__device__ void copy(barrier& bar, float* tile, const float* source) {
  // [elect_one]
  if (cudasync::elect_one()) {
    cuda::device::memcpy_async_tx(tile, source, cuda::aligned_size_t<16>(4096), bar);
    cuda::device::barrier_arrive_tx(bar, 1, 4096);
  }
  // [end elect_one]
}

__device__ void produce();
__device__ void consume();

__device__ void specialize() {
  // [elect_one_of_warp]
  if (threadIdx.x / 32 == 0) {  // warp 0 produces, the others consume
    if (cudasync::elect_one_of_warp()) produce();
  } else {
    consume();
  }
  // [end elect_one_of_warp]
}

__device__ void set_up_cluster() {
  // [cluster]
  __shared__ barrier bar;  // one in each block of the cluster
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects(bar, 128));
  // now a block may arrive at another block's barrier
  // [end cluster]
}
