// Atomics among the blocks of a cluster: in global memory, and in the shared memory of another block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: sm90
#include "../support/atomic_cluster.h"
#include "../support/boxed.h"
#include "../support/gpu_test.h"

#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

using namespace cluster_memory;

using cuda::memory_order_acquire;
using cuda::memory_order_relaxed;
using cuda::memory_order_release;
using gpu_test::device_array;

// Every operation on an integer, by one thread.
template <class Value, class Atomic>
__device__ void do_every_operation(Atomic&& atom) {
  const auto one = static_cast<Value>(1);
  atom.store(static_cast<Value>(40), memory_order_release);
  DEVICE_CHECK(atom.load(memory_order_acquire) == Value(40));
  DEVICE_CHECK(atom.exchange(static_cast<Value>(10)) == Value(40));
  DEVICE_CHECK(atom.fetch_add(static_cast<Value>(3), memory_order_relaxed) == Value(10));
  DEVICE_CHECK(atom.fetch_sub(one) == Value(13));
  DEVICE_CHECK(atom.fetch_xor(static_cast<Value>(5)) == Value(12));
  DEVICE_CHECK(atom.fetch_or(static_cast<Value>(2), memory_order_relaxed) == Value(9));
  DEVICE_CHECK(atom.fetch_and(static_cast<Value>(14)) == Value(11));
  DEVICE_CHECK(atom.fetch_max(static_cast<Value>(20), memory_order_relaxed) == Value(10));
  DEVICE_CHECK(atom.fetch_min(static_cast<Value>(19)) == Value(20));
  Value expected = one;
  DEVICE_CHECK(!atom.compare_exchange_strong(expected, static_cast<Value>(7)) && expected == Value(19));
  DEVICE_CHECK(atom.compare_exchange_weak(expected, static_cast<Value>(7), memory_order_relaxed));
  atom.store_add(static_cast<Value>(9), memory_order_relaxed);
  atom.store_sub(one);
  atom.store_or(static_cast<Value>(16));
  atom.store_and(static_cast<Value>(30), memory_order_relaxed);
  atom.store_xor(static_cast<Value>(3));
  atom.store_max(static_cast<Value>(30));
  atom.store_min(static_cast<Value>(29), memory_order_release);
  DEVICE_CHECK(++atom == Value(30) && atom-- == Value(30));
  DEVICE_CHECK(atom.load() == Value(29));
  atom.wait(static_cast<Value>(28));
}

// In the words of the block that follows, each thread has one, and neighbours share 32 bits if they are small.
template <class Value, cuda::thread_scope Scope>
__global__ void operate_alone(Value* objects) {
  __shared__ Value shared_objects[threads];
  __shared__ cuda::atomic<Value, Scope> shared_atomics[threads];
  sync_cluster();
  do_every_operation<Value>(cuda::atomic_ref<Value, Scope>(objects[blockIdx.x * threads + threadIdx.x]));
  do_every_operation<Value>(
      cuda::atomic_ref<Value, Scope>(of_block(shared_objects[threadIdx.x], rank_in_cluster() + 1)));
  do_every_operation<Value>(of_block(shared_atomics[threadIdx.x], rank_in_cluster() + 1));
  sync_cluster();
  DEVICE_CHECK(shared_objects[threadIdx.x] == Value(29));
  DEVICE_CHECK(shared_atomics[threadIdx.x].load() == Value(29));
}
template <class Value, cuda::thread_scope Scope>
void run_alone() {
  gpu_test::run(operate_alone<Value, Scope>, in_clusters(), device_array<Value>(8 * blocks * threads).get());
}
TEST(operations_of_single_threads) {
  run_alone<signed char, cluster_scope>();
  run_alone<unsigned char, system_scope>();
  run_alone<short, cluster_scope>();
  run_alone<unsigned, cluster_scope>();
  run_alone<int, system_scope>();
  run_alone<long, cluster_scope>();
}

// All threads of the cluster change a number in each of its blocks, and one in global memory; sums are exact and
// small, for the sake of bfloat16.
template <class Value>
struct counters {
  Value added, exchanged, subtracted, greatest;
};
__host__ __device__ inline int addend(unsigned rank) {
  return rank % 3 == 0 ? -1 : 1;
}
template <class Value>
__device__ Value value_of(int number) {
  return static_cast<Value>(static_cast<float>(number));
}
template <class Value, cuda::thread_scope Scope>
__device__ void change(counters<Value>& all, unsigned rank) {
  using reference = cuda::atomic_ref<Value, Scope>;
  const auto operand = value_of<Value>(addend(rank));
  if (rank % 2 == 0)
    static_cast<void>(reference(all.added).fetch_add(operand, memory_order_relaxed));
  else
    reference(all.added).store_add(operand, memory_order_relaxed);
  Value expected = reference(all.exchanged).load(memory_order_relaxed);
  unsigned attempts = 0;
  while (!reference(all.exchanged)
              .compare_exchange_weak(expected, static_cast<Value>(expected + operand), memory_order_relaxed)) {
    if (++attempts == 1u << 22) return DEVICE_CHECK(false);
  }
  reference(all.subtracted).store_sub(operand, memory_order_release);
  if (rank % 2 == 0)
    static_cast<void>(
        reference(all.greatest).fetch_max(value_of<Value>(static_cast<int>(rank % 100)), memory_order_relaxed));
  else
    reference(all.greatest).store_max(value_of<Value>(static_cast<int>(rank % 100)), memory_order_relaxed);
}
template <class Value>
__device__ void check(const counters<Value>& all, int sum) {
  DEVICE_CHECK(static_cast<float>(all.added) == static_cast<float>(sum));
  DEVICE_CHECK(static_cast<float>(all.exchanged) == static_cast<float>(sum));
  DEVICE_CHECK(static_cast<float>(all.subtracted) == static_cast<float>(-sum));
  DEVICE_CHECK(static_cast<float>(all.greatest) == 99);
}
template <class Value, cuda::thread_scope Scope>
__global__ void contend(counters<Value>* of_clusters) {
  __shared__ counters<Value> of_this_block;
  counters<Value>& of_this_cluster = of_clusters[blockIdx.x / blocks];
  const auto zero = value_of<Value>(0);
  if (threadIdx.x == 0) of_this_block = {zero, zero, zero, zero};
  sync_cluster();
  const unsigned rank = rank_in_cluster() * threads + threadIdx.x;
  for (unsigned block = 0; block < blocks; ++block)
    change<Value, Scope>(of_block(of_this_block, rank_in_cluster() + block), rank);
  change<Value, Scope>(of_this_cluster, rank);
  sync_cluster();
  int sum = 0;
  for (unsigned index = 0; index < blocks * threads; ++index)
    sum += addend(index);
  check(of_this_block, sum);
  if (threadIdx.x == 0) check(of_this_cluster, sum);
}
template <class Value, cuda::thread_scope Scope>
void run_contention() {
  const device_array<counters<Value>> of_clusters(8);
  gpu_test::run(contend<Value, Scope>, in_clusters(), of_clusters.get());
}
TEST(integers_of_the_cluster) {
  run_contention<signed char, cluster_scope>();
  run_contention<short, system_scope>();
  run_contention<int, cluster_scope>();
  run_contention<long, cluster_scope>();
}
TEST(floating_point_numbers_of_the_cluster) {
  run_contention<float, cluster_scope>();
  run_contention<double, system_scope>();
  run_contention<__half, cluster_scope>();
  run_contention<__nv_bfloat16, cluster_scope>();
}

// Vectors in another block's shared memory.
__global__ void add_elements() {
  __shared__ float4 floats;
  __shared__ __half2 halves;
  if (threadIdx.x == 0) {
    floats = {};
    halves = __floats2half2_rn(0, 0);
  }
  sync_cluster();
  for (unsigned block = 0; block < blocks; ++block) {
    const unsigned rank = rank_in_cluster() + block;
    cudasync::device::store_add_elements<cluster_scope>(&of_block(floats, rank), float4{1, 2, 3, 4});
    cudasync::device::store_add_elements<cluster_scope>(&of_block(halves, rank), __floats2half2_rn(1, -2));
  }
  sync_cluster();
  constexpr float count = blocks * threads;
  DEVICE_CHECK(floats.x == count && floats.y == 2 * count && floats.z == 3 * count && floats.w == 4 * count);
  DEVICE_CHECK(__half2float(halves.x) == count && __half2float(halves.y) == -2 * count);
}
TEST(elements_of_the_cluster) {
  gpu_test::run(add_elements, in_clusters());
}

// All threads of a cluster count in an object of the first block, whose values are behind a lock or in a padded word.
template <class Value, cuda::thread_scope Scope>
__global__ void count_boxes() {
  constexpr unsigned each = 4;
  __shared__ cuda::atomic<Value, Scope> count;
  if (threadIdx.x == 0) cuda::atomic_init(&count, whole<Value>(0));
  sync_cluster();
  auto& of_first = of_block(count, 0);
  for (unsigned index = 0; index < each; ++index) {
    Value seen = of_first.load(memory_order_relaxed);
    do {
      DEVICE_CHECK(is_whole(seen));
    } while (!of_first.compare_exchange_weak(seen, whole<Value>(number_of(seen) + 1)));
  }
  sync_cluster();
  if (rank_in_cluster() == 0) DEVICE_CHECK(number_of(count.load()) == blocks * threads * each);
}
TEST(values_that_are_no_words) {
  gpu_test::run(count_boxes<boxed<24, 8>, cluster_scope>, in_clusters());
  gpu_test::run(count_boxes<boxed<12, 4>, system_scope>, in_clusters());
  gpu_test::run(count_boxes<boxed<7>, cluster_scope>, in_clusters());
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
