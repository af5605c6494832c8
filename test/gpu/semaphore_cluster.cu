// Semaphores among the blocks of a cluster: in the shared memory of one of them, and in global memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: sm90
#include "../support/atomic_cluster.h"
#include "../support/gpu_test.h"
#include "../support/locked.h"

#include <cuda/semaphore>

using namespace cluster_memory;

using gpu_test::device_array;

// A lock of all threads of the cluster, in the shared memory of its block of rank owner, or in global memory. What it
// protects lies in global memory, where other multiprocessors' writes go past caches that only an acquire passes by.
template <class Semaphore>
__global__ void lock_in_cluster(Semaphore* global, locked_numbers* numbers, unsigned owner, unsigned lanes) {
  __shared__ Semaphore shared;
  const unsigned cluster = blockIdx.x / blocks;
  Semaphore& semaphore = global == nullptr ? of_block(shared, owner) : global[cluster];
  if (rank_in_cluster() == owner && threadIdx.x == 0) init(&semaphore, 1);
  sync_cluster();
  if (threadIdx.x % 32 < lanes) {
    for (int turn = 0; turn < 5; ++turn) {
      semaphore.acquire();
      count_inside(numbers[cluster]);
      semaphore.release();
    }
  }
  sync_cluster();
  if (rank_in_cluster() != 0 || threadIdx.x != 0) return;
  DEVICE_CHECK(numbers[cluster].counter == 5 * blocks * (threads / 32) * lanes);
}
template <class Semaphore>
void lock_in_clusters(unsigned lanes) {
  const device_array<Semaphore> semaphores(8);
  Semaphore* const none = nullptr;
  for (unsigned owner = 0; owner < blocks; ++owner)
    gpu_test::run(lock_in_cluster<Semaphore>, in_clusters(), none, device_array<locked_numbers>(8).get(), owner, lanes);
  gpu_test::run(lock_in_cluster<Semaphore>, in_clusters(), semaphores.get(), device_array<locked_numbers>(8).get(), 1u,
                lanes);
}
TEST(lock_of_single_threads) {
  lock_in_clusters<cuda::counting_semaphore<cluster_scope>>(1);
  lock_in_clusters<cuda::binary_semaphore<cluster_scope>>(1);
  lock_in_clusters<cuda::counting_semaphore<system_scope>>(1);
  lock_in_clusters<cuda::binary_semaphore<system_scope>>(1);
}
TEST(lock_of_whole_warps) {
  lock_in_clusters<cuda::counting_semaphore<cluster_scope>>(32);
  lock_in_clusters<cuda::binary_semaphore<cluster_scope>>(32);
}

// Each block hands numbers on to the next one of the ring: full and empty slots are counted in the reader's block.
template <class Semaphore, int Slots>
__global__ void pass_around(int* slots) {
  __shared__ Semaphore full, empty;
  if (threadIdx.x == 0) {
    init(&full, 0);
    init(&empty, Slots);
  }
  sync_cluster();
  const unsigned rank = rank_in_cluster();
  int* const slots_of_cluster = slots + blockIdx.x / blocks * blocks * Slots;
  if (threadIdx.x == 0) {  // writes
    const unsigned next = (rank + 1) % blocks;
    for (int number = 0; number < 300; ++number) {
      of_block(empty, next).acquire();
      slots_of_cluster[static_cast<int>(next) * Slots + number % Slots] = 7 * number;
      of_block(full, next).release();
    }
  } else if (threadIdx.x == 32) {  // reads
    for (int number = 0; number < 300; ++number) {
      full.acquire();
      DEVICE_CHECK(slots_of_cluster[static_cast<int>(rank) * Slots + number % Slots] == 7 * number);
      empty.release();
    }
  }
  sync_cluster();
}
TEST(hand_over_among_the_blocks_of_a_cluster) {
  const device_array<int> slots(8 * blocks * 4);
  gpu_test::run(pass_around<cuda::counting_semaphore<cluster_scope>, 4>, in_clusters(), slots.get());
  gpu_test::run(pass_around<cuda::counting_semaphore<cluster_scope>, 1>, in_clusters(), slots.get());
  gpu_test::run(pass_around<cuda::binary_semaphore<cluster_scope>, 1>, in_clusters(), slots.get());
  gpu_test::run(pass_around<cuda::binary_semaphore<system_scope>, 1>, in_clusters(), slots.get());
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
