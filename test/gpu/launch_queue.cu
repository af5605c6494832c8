// Tiles of persistent kernels and canceled launches: every tile is worked on once, with the grid that the host helper gives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/gpu_test.h"

#include <cuda/work_stealing>

using gpu_test::device_array;

constexpr unsigned warps = 4;
using tile_queue = cudasync::launch_queue<2, cudasync::consumer_warps<warps>>;
using thread_queue = cudasync::launch_queue<1, cudasync::consumer_threads<32 * warps>>;

__global__ void work_in_warps(int* counts, unsigned tiles) {
  __shared__ tile_queue queue;
  queue.init(cudasync::this_thread_block());
  if (threadIdx.x >= 32 * warps) {
    if (threadIdx.x == 32 * warps) queue.run_scheduler();
    return;
  }
  tile_queue::consumer_state at(tiles);
  for (; !at.is_done(); queue.next(at))
    atomicAdd(&counts[at.index()], 1);
}

__global__ void work_in_all(int* counts, unsigned tiles) {
  __shared__ thread_queue queue;
  queue.init(cudasync::this_thread_block());
  thread_queue::scheduler_state scheduler;
  thread_queue::consumer_state at(tiles);
  while (!at.is_done()) {
    if (threadIdx.x == 0) queue.request(scheduler);
    atomicAdd(&counts[at.index()], 1);
    queue.next(at);
  }
  if (threadIdx.x == 0) queue.scheduler_tail(scheduler);
}

__global__ void work_on_canceled(int* counts) {
  cuda::for_each_canceled_block<1>([&](dim3 index) { atomicAdd(&counts[index.x], 1); });
}

void expect_each_once(const device_array<int>& counts) {
  for (const int count : counts.values())
    CHECK(count == 32 * static_cast<int>(warps));
}

TEST(tiles_with_a_scheduler_warp) {
  for (const unsigned tiles : {1u, 7u, 1000u, 20000u}) {
    const device_array<int> counts(tiles);
    const unsigned blocks = tile_queue::blocks_to_launch(work_in_warps, tiles, 32 * warps + 32);
    CHECK(blocks > 0 && blocks <= tiles);
    work_in_warps<<<blocks, 32 * warps + 32>>>(counts.get(), tiles);
    gpu_test::finish();
    expect_each_once(counts);
  }
}

TEST(tiles_without_a_scheduler_warp) {
  for (const unsigned tiles : {1u, 7u, 1000u, 20000u}) {
    const device_array<int> counts(tiles);
    const unsigned blocks = thread_queue::blocks_to_launch(work_in_all, tiles, 32 * warps);
    CHECK(blocks > 0 && blocks <= tiles);
    work_in_all<<<blocks, 32 * warps>>>(counts.get(), tiles);
    gpu_test::finish();
    expect_each_once(counts);
  }
}

TEST(canceled_blocks) {
  const device_array<int> counts(20000);
  work_on_canceled<<<20000, 32 * warps>>>(counts.get());
  gpu_test::finish();
  expect_each_once(counts);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
