// cuda::latch among the blocks of a cluster: in the shared memory of one of them, and in global memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: sm90
#include "../support/atomic_cluster.h"
#include "../support/exchange.h"
#include "../support/gpu_test.h"

#include <cuda/latch>

using namespace cluster_memory;

using gpu_test::device_array;

// A latch serves once: each round has its own.
constexpr int rounds = 100;

struct all_arrive_and_wait {
  template <class Latch>
  static __device__ __forceinline__ void sync(Latch*& next, bool) {
    (next++)->arrive_and_wait();
  }
};
struct warps_count_down {
  template <class Latch>
  static __device__ __forceinline__ void sync(Latch*& next, bool) {
    __syncwarp();
    if (threadIdx.x % 32 == 0) next->count_down(32);
    while (!next->try_wait()) {
    }
    ++next;
  }
};

// All threads of the cluster, over latches in the shared memory of its block of rank owner, or in global memory. The
// slots lie in global memory, where other multiprocessors' go through caches that only an acquire passes by.
template <class Sync, class Latch>
__global__ void exchange_in_cluster(Latch* global, int* slots, unsigned owner) {
  __shared__ Latch latches[rounds];
  const unsigned cluster = blockIdx.x / blocks;
  Latch* next = global == nullptr ? &of_block(latches[0], owner) : global + cluster * rounds;
  if (rank_in_cluster() == owner)
    for (unsigned index = threadIdx.x; index < rounds; index += threads)
      init(&next[index], blocks * threads);
  sync_cluster();
  exchange<Sync>(next, slots + cluster * 2 * blocks * threads, blocks * threads,
                 rank_in_cluster() * threads + threadIdx.x, rounds);
  sync_cluster();
}
template <class Sync, class Latch>
void exchange_in_clusters() {
  const device_array<Latch> latches(8 * rounds);
  const device_array<int> slots(8 * 2 * blocks * threads);
  Latch* const none = nullptr;
  gpu_test::run(exchange_in_cluster<Sync, Latch>, in_clusters(), none, slots.get(), 0u);
  gpu_test::run(exchange_in_cluster<Sync, Latch>, in_clusters(), none, slots.get(), blocks - 1);
  gpu_test::run(exchange_in_cluster<Sync, Latch>, in_clusters(), latches.get(), slots.get(), 1u);
}
TEST(latch_of_all_threads_of_a_cluster) {
  exchange_in_clusters<all_arrive_and_wait, cuda::latch<cluster_scope>>();
  exchange_in_clusters<warps_count_down, cuda::latch<cluster_scope>>();
  exchange_in_clusters<all_arrive_and_wait, cuda::latch<cuda::thread_scope_device>>();
  exchange_in_clusters<all_arrive_and_wait, cuda::latch<system_scope>>();
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
