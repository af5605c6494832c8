// Random operations of a cluster's threads on a word in a block's shared memory: some order explains what they saw.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: sm90
#include "../support/atomic_cluster.h"
#include "../support/atomic_random.h"
#include "../support/gpu_test.h"

#include <cuda/atomic>

using namespace cluster_memory;

using gpu_test::device_array;

constexpr unsigned each = 16, clusters = 8;

// The word belongs to the cluster's first block, whose threads reach it as their own shared memory, and all others as
// another block's: those are different instructions.
template <class Atomic>
__global__ void operate_on_first_block(typename Atomic::value_type* words, event* events) {
  __shared__ typename Atomic::value_type word;
  const unsigned rank = blockIdx.x * threads + threadIdx.x;
  if (threadIdx.x == 0) word = 0;
  sync_cluster();
  if (rank_in_cluster() == 0) {
    Atomic own(word);
    do_many(own, events + rank * each, each, rank);
  } else {
    Atomic remote(of_block(word, 0));
    do_many(remote, events + rank * each, each, rank);
  }
  sync_cluster();
  if (rank_in_cluster() == 0 && threadIdx.x == 0) words[blockIdx.x / blocks] = word;
}
template <class Value, cuda::thread_scope Scope>
void run_random_operations() {
  constexpr unsigned count = blocks * threads * each;
  const device_array<Value> words(clusters);
  const device_array<event> events(clusters * count);
  gpu_test::run(operate_on_first_block<cuda::atomic_ref<Value, Scope>>, in_clusters(clusters), words.get(),
                events.get());
  const std::vector<event> all = events.values();
  for (unsigned cluster = 0; cluster < clusters; ++cluster)
    check(all.data() + cluster * count, count, words.values()[cluster]);
}
TEST(random_operations_on_8_bits) {
  run_random_operations<unsigned char, cluster_scope>();
  run_random_operations<signed char, system_scope>();
}
TEST(random_operations_on_16_bits) {
  run_random_operations<unsigned short, cluster_scope>();
  run_random_operations<short, cluster_scope>();
}
TEST(random_operations_on_32_bits) {
  run_random_operations<unsigned, cluster_scope>();
  run_random_operations<int, system_scope>();
}
TEST(random_operations_on_64_bits) {
  run_random_operations<unsigned long, cluster_scope>();
  run_random_operations<long, system_scope>();
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
