// Misuse with <cuda/work_stealing>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/work_stealing>

// misuse: init_by_one_block
// The blocks of a cluster begin together.
// ERROR: launch_queue::init needs a group of the whole cluster, because its blocks arrive in each other's memory; pass this_cluster
// COMPILERS: nvrtc nvcc
using queue = cudasync::launch_queue<2, cudasync::consumer_warps<2>, 2>;

__device__ void misuse(queue& tiles) {
  tiles.init(cudasync::this_thread_block());  // wrong
  tiles.init(cudasync::this_cluster());       // right
}

// misuse: init_of_cluster_below_sm90
// Older architectures have no clusters.
// ERROR: launch_queue for the blocks of a cluster needs sm_90: older architectures have no clusters; use one block there, or compile with -arch=sm_90
// ARCHS: 80
#if defined(CUDASYNC_EXPECT_ERROR)
using queue = cudasync::launch_queue<2, cudasync::consumer_warps<2>, 2>;

__device__ void use(queue& tiles) {
  tiles.init(cudasync::this_cluster());
}
#else
using queue = cudasync::launch_queue<2, cudasync::consumer_warps<2>>;

__device__ void use(queue& tiles) {
  tiles.init(cudasync::this_thread_block());
}
#endif

// misuse: next_of_cluster_below_sm90
// Older architectures have no clusters.
// ERROR: launch_queue for the blocks of a cluster needs sm_90: older architectures have no clusters; use one block there, or compile with -arch=sm_90
// ARCHS: 80
using queue = cudasync::launch_queue<2, cudasync::consumer_warps<2>, 2>;  // wrong
using queue = cudasync::launch_queue<2, cudasync::consumer_warps<2>>;     // right

__device__ void use(queue& tiles, queue::consumer_state& at) {
  tiles.next(at);
}

// misuse: no_blocks
// A cluster has a block.
// ERROR: launch_queue<n, consumers, blocks>: a cluster has 1 to 16 blocks
// COMPILERS: nvrtc nvcc
using queue = cudasync::launch_queue<2, cudasync::consumer_warps<2>, 0>;  // wrong
using queue = cudasync::launch_queue<2, cudasync::consumer_warps<2>, 1>;  // right

static_assert(sizeof(queue) != 0);

// misuse: no_consumers
// Somebody takes the tiles.
// ERROR: launch_queue<n, consumers>: no consumers; give consumer_warps<1> or more
// COMPILERS: nvrtc nvcc
using queue = cudasync::launch_queue<2, cudasync::consumer_warps<0>>;  // wrong
using queue = cudasync::launch_queue<2, cudasync::consumer_warps<1>>;  // right

static_assert(sizeof(queue) != 0);

// misuse: no_stages
// A ring has a stage.
// ERROR: launch_queue<n, consumers>: a ring has at least one stage
// COMPILERS: nvrtc nvcc
using queue = cudasync::launch_queue<0, cudasync::consumer_warps<2>>;  // wrong
using queue = cudasync::launch_queue<1, cudasync::consumer_warps<2>>;  // right

static_assert(sizeof(queue) != 0);

// misuse: request_of_cluster_below_sm90
// Older architectures have no clusters.
// ERROR: launch_queue for the blocks of a cluster needs sm_90: older architectures have no clusters; use one block there, or compile with -arch=sm_90
// ARCHS: 80
using queue = cudasync::launch_queue<2, cudasync::consumer_warps<2>, 2>;  // wrong
using queue = cudasync::launch_queue<2, cudasync::consumer_warps<2>>;     // right

__device__ void use(queue& tiles, queue::scheduler_state& at) {
  static_cast<void>(tiles.request(at));
}

// misuse: run_scheduler_of_cluster_below_sm90
// Older architectures have no clusters.
// ERROR: launch_queue for the blocks of a cluster needs sm_90: older architectures have no clusters; use one block there, or compile with -arch=sm_90
// ARCHS: 80
using queue = cudasync::launch_queue<2, cudasync::consumer_warps<2>, 2>;  // wrong
using queue = cudasync::launch_queue<2, cudasync::consumer_warps<2>>;     // right

__device__ void use(queue& tiles) {
  tiles.run_scheduler();
}

// misuse: scheduler_tail_of_cluster_below_sm90
// Older architectures have no clusters.
// ERROR: launch_queue for the blocks of a cluster needs sm_90: older architectures have no clusters; use one block there, or compile with -arch=sm_90
// ARCHS: 80
using queue = cudasync::launch_queue<2, cudasync::consumer_warps<2>, 2>;  // wrong
using queue = cudasync::launch_queue<2, cudasync::consumer_warps<2>>;     // right

__device__ void use(queue& tiles, queue::scheduler_state& at) {
  tiles.scheduler_tail(at);
}

// misuse: too_many_blocks
// A cluster has at most 16 blocks.
// ERROR: launch_queue<n, consumers, blocks>: a cluster has 1 to 16 blocks
// COMPILERS: nvrtc nvcc
using queue = cudasync::launch_queue<2, cudasync::consumer_warps<2>, 17>;  // wrong
using queue = cudasync::launch_queue<2, cudasync::consumer_warps<2>, 16>;  // right

static_assert(sizeof(queue) != 0);

// common:
using queue = cudasync::launch_queue<2, cudasync::consumer_warps<2>>;

// misuse: consumer_state_copied
// A copy would take an answer a second time.
// ERROR: consumer_state
// COMPILERS: nvrtc nvcc
__device__ void misuse(queue& tiles, queue::consumer_state& at) {
  queue::consumer_state copy = at;  // wrong
  tiles.next(copy);                 // wrong
  tiles.next(at);                   // right
}

// misuse: consumer_state_for_request
// Each side has its own state.
// ERROR: consumer_state
// COMPILERS: nvrtc nvcc
__device__ void misuse(queue& tiles) {
  queue::consumer_state at(7);  // wrong
  queue::scheduler_state at;    // right
  static_cast<void>(tiles.request(at));
}

// misuse: scheduler_state_copied
// A copy would not know that a request has failed.
// ERROR: scheduler_state
// COMPILERS: nvrtc nvcc
__device__ void misuse(queue::scheduler_state& at) {
  queue::scheduler_state copy = at;   // wrong
  static_cast<void>(copy.is_done());  // wrong
  queue::scheduler_state& same = at;  // right
  static_cast<void>(same.is_done());  // right
}

// misuse: scheduler_state_for_next
// Each side has its own state.
// ERROR: scheduler_state
// COMPILERS: nvrtc nvcc
__device__ void misuse(queue& tiles) {
  queue::scheduler_state at;    // wrong
  queue::consumer_state at(7);  // right
  tiles.next(at);
}
