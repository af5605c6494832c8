// The same as synchronizers_order.cu where the object lies in the shared memory of another block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: sm90
#include "../support/atomic_cluster.h"
#include "../support/gpu_test.h"
#include "../support/synchronizers.h"

using namespace cluster_memory;

using cuda::thread_scope_device;
using cuda::thread_scope_system;
using gpu_test::device_array;

// All threads of the cluster, by an object in the block of rank owner.
template <class Way>
__global__ void exchange_in_cluster(unsigned* data, unsigned owner) {
  __shared__ Way own;
  constexpr unsigned members = blocks * threads;
  if (rank_in_cluster() == owner && threadIdx.x == 0) own.init_for(members);
  sync_cluster();
  exchange(of_block(own, owner), data + blockIdx.x / blocks * 2 * members, rank_in_cluster() * threads + threadIdx.x,
           members);
  sync_cluster();
}
template <class Way>
void check() {
  constexpr unsigned clusters = 64;
  const device_array<unsigned> data(clusters * 2 * blocks * threads, 0xff);
  gpu_test::run(exchange_in_cluster<Way>, in_clusters(clusters), data.get(), 0u);
  gpu_test::run(exchange_in_cluster<Way>, in_clusters(clusters), data.get(), blocks - 1);
}

template <class Barrier>
void check_barriers() {
  check<barrier_of<Barrier, form::together>>();
  check<barrier_of<Barrier, form::by_token>>();
  check<barrier_of<Barrier, form::by_parity>>();
}
TEST(barriers) {
  check_barriers<cuda::barrier<thread_scope_device>>();
  check_barriers<cuda::barrier<thread_scope_system>>();
  check_barriers<cuda::std::barrier<>>();
}
TEST(barriers_with_a_function) {
  check_barriers<cuda::barrier<thread_scope_device, nothing>>();
  check_barriers<cuda::std::barrier<nothing>>();
}
TEST(latches) {
  check<latches_of<thread_scope_device, form::together>>();
  check<latches_of<cuda::thread_scope_cluster, form::by_token>>();
}
TEST(semaphores) {
  check<semaphores_of<thread_scope_device>>();
  check<semaphores_of<cuda::thread_scope_cluster>>();
}
TEST(pipelines) {
  check<pipeline_of<thread_scope_device>>();
  check<pipeline_of<thread_scope_system>>();
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
