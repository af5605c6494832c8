// Canceled launches: each block's or tile's work is done once, whatever clusters start and when.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.h"

#include <cuda/pipeline>
#include <cuda/work_stealing>

// A thread's work on a tile: at the end, each word is the number of threads that work.
__device__ void work_on(int* scratch, unsigned tile) {
  atomicAdd(&scratch[tile], 1);
}

// run: grid=7 block=64 seeds=8 words=7 each=64
extern "C" __global__ void canceled_blocks(unsigned* failures, int* scratch) {
  cuda::for_each_canceled_block<1>([&](dim3 index) {
    EXPECT(index.y == 0 && index.z == 0);
    work_on(scratch, index.x);
  });
}

// run: grid=2x3x2 block=32 seeds=8 words=12 each=32
extern "C" __global__ void canceled_blocks_of_volume(unsigned* failures, int* scratch) {
  cuda::device::for_each_canceled_block([&](dim3 index) {
    EXPECT(index.x < 2 && index.y < 3 && index.z < 2);
    work_on(scratch, index.x + 2 * (index.y + 3 * index.z));
  });
}

// What the block has in shared memory for a tile, its threads read before the next one.
// run: grid=6 block=64 seeds=8 words=6 each=64
extern "C" __global__ void canceled_blocks_with_memory(unsigned* failures, int* scratch) {
  __shared__ unsigned tile[64];
  cuda::for_each_canceled_block<2>([&](dim3 index) {
    tile[threadIdx.x] = index.x + threadIdx.x;
    __syncthreads();
    EXPECT(tile[63 - threadIdx.x] == index.x + 63 - threadIdx.x);
    __syncthreads();
    work_on(scratch, index.x);
  });
}

// A launch without clusters.
// run: grid=5 block=32 seeds=8 words=5 each=32
extern "C" __global__ void canceled_clusters_of_one(unsigned*, int* scratch) {
  cudasync::for_each_canceled_cluster([&](dim3 index) { work_on(scratch, index.x); });
}

// --- Tiles of persistent kernels ---

// The last warp schedules, the others work.
template <class Queue, class Group>
__device__ void work_in_warps(Queue& queue, const Group& group, int* scratch, unsigned tiles) {
  queue.init(group);
  if (threadIdx.x >= blockDim.x - 32) {
    if (threadIdx.x % 32 == 0) queue.run_scheduler();
    return;
  }
  typename Queue::consumer_state at(tiles);
  while (!at.is_done()) {
    if (at.index() < tiles) work_on(scratch, at.index());
    queue.next(at);
  }
}

// All threads work, and one of them asks for the next tile before it does.
template <class Queue, class Group>
__device__ void work_in_all(Queue& queue, const Group& group, int* scratch, unsigned tiles) {
  queue.init(group);
  typename Queue::scheduler_state scheduler;
  typename Queue::consumer_state at(tiles);
  while (!at.is_done()) {
    if (threadIdx.x == 0) queue.request(scheduler);
    if (at.index() < tiles) work_on(scratch, at.index());
    queue.next(at);
  }
  if (threadIdx.x == 0) queue.scheduler_tail(scheduler);
}

// run: grid=9 block=96 seeds=8 persistent=4 words=9 each=64
extern "C" __global__ void queue_of_two_stages(unsigned*, int* scratch) {
  __shared__ cudasync::launch_queue<2, cudasync::consumer_warps<2>> queue;
  work_in_warps(queue, cudasync::this_thread_block(), scratch, 9);
}

// run: grid=13 block=64 seeds=8 persistent=4 words=13 each=32
extern "C" __global__ void queue_of_one_stage(unsigned*, int* scratch) {
  __shared__ cudasync::launch_queue<1, cudasync::consumer_threads<32>> queue;
  work_in_warps(queue, cudasync::this_thread_block(), scratch, 13);
}

// run: grid=9 block=64 seeds=8 persistent=4 words=9 each=64
extern "C" __global__ void queue_without_scheduler_warp(unsigned*, int* scratch) {
  __shared__ cudasync::launch_queue<1, cudasync::consumer_warps<2>> queue;
  work_in_all(queue, cudasync::this_thread_block(), scratch, 9);
}

#if __CUDA_ARCH__ >= 900

// run: grid=8 block=32 cluster=2 seeds=8 needs=90 words=8 each=32
extern "C" __global__ void canceled_clusters(unsigned* failures, int* scratch) {
  const unsigned rank = cudasync::this_cluster().block_rank();
  cudasync::for_each_canceled_cluster<1>([&](dim3 index) {
    EXPECT(index.x % 2 == rank && index.y == 0 && index.z == 0);
    work_on(scratch, index.x);
  });
}

// run: grid=4x6 block=32 cluster=2x3 seeds=8 needs=90 words=24 each=32
extern "C" __global__ void canceled_clusters_of_area(unsigned*, int* scratch) {
  cudasync::for_each_canceled_cluster<2>([&](dim3 index) { work_on(scratch, index.x + 4 * index.y); });
}

// run: grid=2x2x6 block=8 cluster=1x2x3 seeds=4 needs=90 words=24 each=8
extern "C" __global__ void canceled_clusters_of_volume(unsigned*, int* scratch) {
  cudasync::for_each_canceled_cluster([&](dim3 index) { work_on(scratch, index.x + 2 * (index.y + 2 * index.z)); });
}

// The blocks of a cluster do not divide the tiles.
// run: grid=12 block=64 cluster=2 seeds=8 needs=90 persistent=4 words=11 each=32
extern "C" __global__ void queue_of_cluster(unsigned*, int* scratch) {
  __shared__ cudasync::launch_queue<3, cudasync::consumer_warps<1>, 2> queue;
  work_in_warps(queue, cudasync::this_cluster(), scratch, 11);
}

// The same, in as many rounds in all blocks of a cluster: a block without a tile must not end before the others.
// run: grid=12 block=8 cluster=3 seeds=8 needs=90 persistent=6 words=10 each=8
extern "C" __global__ void queue_whose_blocks_meet(unsigned* failures, int* scratch) {
  using tiles = cudasync::launch_queue<2, cudasync::consumer_threads<8>, 3>;
  __shared__ tiles queue;
  queue.init(cudasync::this_cluster());
  tiles::scheduler_state scheduler;
  tiles::consumer_state at(10);
  int rounds = 0;
  for (; !at.is_done(); ++rounds) {
    if (threadIdx.x == 0) queue.request(scheduler);
    if (at.index() < 10) work_on(scratch, at.index());
    queue.next(at);
  }
  if (threadIdx.x == 0) queue.scheduler_tail(scheduler);
  int* const rounds_of_blocks = scratch + 64;
  if (threadIdx.x == 0) rounds_of_blocks[blockIdx.x] = rounds;
  cudasync::this_cluster().sync();
  EXPECT(rounds == rounds_of_blocks[blockIdx.x - cudasync::this_cluster().block_rank()]);
}

// run: grid=12 block=64 cluster=4 seeds=8 needs=90 persistent=4 words=12 each=32
extern "C" __global__ void queue_of_large_cluster(unsigned*, int* scratch) {
  __shared__ cudasync::launch_queue<1, cudasync::consumer_warps<1>, 4> queue;
  work_in_warps(queue, cudasync::this_cluster(), scratch, 12);
}

// run: grid=10 block=32 cluster=2 seeds=8 needs=90 persistent=4 words=10 each=32
extern "C" __global__ void queue_of_cluster_without_scheduler_warp(unsigned*, int* scratch) {
  __shared__ cudasync::launch_queue<2, cudasync::consumer_threads<32>, 2> queue;
  work_in_all(queue, cudasync::this_cluster(), scratch, 10);
}

// One thread asks until no tile is left, and then asks for nothing any more.
// run: grid=9 block=64 seeds=8 needs=90 persistent=4 words=9 each=32
extern "C" __global__ void queue_asked_in_advance(unsigned* failures, int* scratch) {
  using queue_type = cudasync::launch_queue<3, cudasync::consumer_warps<1>>;
  __shared__ queue_type queue;
  queue.init(cudasync::this_thread_block());
  if (threadIdx.x >= 32) {
    if (threadIdx.x > 32) return;
    queue_type::scheduler_state scheduler;
    while (queue.request(scheduler)) {
      EXPECT(!scheduler.is_done());
    }
    EXPECT(!queue.request(scheduler));
    return queue.scheduler_tail(scheduler);
  }
  queue_type::consumer_state at(9);
  for (; !at.is_done(); queue.next(at))
    work_on(scratch, at.index());
}

// The producer of a ring and its consumers take the tiles, each for itself, as far ahead as their rings allow.
// run: grid=7 block=96 seeds=8 needs=90 persistent=3 words=7 each=32
extern "C" __global__ void queue_beside_ring(unsigned* failures, int* scratch) {
  using queue_type = cudasync::launch_queue<2, cudasync::consumer_warps<2>>;
  using ring_type = cudasync::bulk_pipeline<2, cudasync::consumer_warps<1>>;
  constexpr unsigned tiles = 7;
  __shared__ queue_type queue;
  __shared__ ring_type ring;
  alignas(16) __shared__ int stages[2][32];
  int* const source = scratch + 64;
  queue.init(cudasync::this_thread_block());
  ring.init(cudasync::this_thread_block());
  if (threadIdx.x == 64) return queue.run_scheduler();
  if (threadIdx.x > 64) return;
  queue_type::consumer_state tile(tiles);
  if (threadIdx.x < 32) {
    ring_type::producer_state at;
    for (; !tile.is_done(); queue.next(tile)) {
      if (threadIdx.x == 0)
        ring.acquire_and_copy(at, stages[at.index()], source + 32 * (1 + tile.index()), cuda::aligned_size_t<16>(128));
      __syncwarp();
      at.advance();
    }
  } else {
    ring_type::consumer_state at;
    for (; !tile.is_done(); queue.next(tile)) {
      ring.consumer_wait(at);
      EXPECT(stages[at.index()][threadIdx.x - 32] == 0);
      ring.consumer_release(at);
      at.advance();
      work_on(scratch, tile.index());
    }
  }
}

#endif

// init synchronizes the group, also where a queue has no memory.
// run: block=64
extern "C" __global__ void queue_that_begins(unsigned* failures, int* scratch) {
  __shared__ cudasync::launch_queue<1, cudasync::consumer_threads<64>> queue;
  scratch[threadIdx.x] = 1;
  queue.init(cudasync::this_thread_block());
  EXPECT(scratch[63 - threadIdx.x] == 1);
}
