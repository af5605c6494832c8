// A pipeline of two stages: while the threads multiply one subset of two vectors, the next subset is being copied.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel is from the documentation of libcu++. The only change is the line that assigns a part of the vectors to
// each block. Every thread of the block is a producer and a consumer. As a producer, it copies its share of a subset.
// As a consumer, it waits until all shares have arrived. The result is the dot product. Zeros fill the last subset of
// the vectors.
//
// needs: sm_70
// 08_pipeline [elements] prints:
// expect: 4194304 elements in 128 blocks: the dot product is [0-9]+, the host's is [0-9]+
// PASS
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/pipeline>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned threads = 256;
constexpr size_t max_blocks = 128;

__device__ unsigned dot_product;  // modulo 2^32

template <typename T>
__device__ void compute(T* ptr) {
  const auto group = cooperative_groups::this_thread_block();
  cuda::atomic_ref<T, cuda::thread_scope_device> sum(dot_product);
  sum.store_add(ptr[group.thread_rank()] * ptr[group.size() + group.thread_rank()], cuda::memory_order_relaxed);
}

template <typename T>
__global__ void example_kernel(T* global0, T* global1, cuda::std::size_t subset_count) {
  extern __shared__ T s[];
  auto group = cooperative_groups::this_thread_block();
  T* shared[2] = {s, s + 2 * group.size()};
  global0 += blockIdx.x * subset_count * group.size(), global1 += blockIdx.x * subset_count * group.size();

  // Create a pipeline.
  constexpr auto scope = cuda::thread_scope_block;
  constexpr auto stages_count = 2;
  __shared__ cuda::pipeline_shared_state<scope, stages_count> shared_state;
  auto pipeline = cuda::make_pipeline(group, &shared_state);

  // Prime the pipeline.
  pipeline.producer_acquire();
  cuda::memcpy_async(group, shared[0], &global0[0], sizeof(T) * group.size(), pipeline);
  cuda::memcpy_async(group, shared[0] + group.size(), &global1[0], sizeof(T) * group.size(), pipeline);
  pipeline.producer_commit();

  // Pipelined copy/compute.
  for (cuda::std::size_t subset = 1; subset < subset_count; ++subset) {
    pipeline.producer_acquire();
    cuda::memcpy_async(group, shared[subset % 2], &global0[subset * group.size()], sizeof(T) * group.size(), pipeline);
    cuda::memcpy_async(group, shared[subset % 2] + group.size(), &global1[subset * group.size()],
                       sizeof(T) * group.size(), pipeline);
    pipeline.producer_commit();
    pipeline.consumer_wait();
    compute(shared[(subset - 1) % 2]);
    pipeline.consumer_release();
  }

  // Drain the pipeline.
  pipeline.consumer_wait();
  compute(shared[(subset_count - 1) % 2]);
  pipeline.consumer_release();
}

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "error: %s\n", cudaGetErrorString(status));
  std::exit(status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver ? 77 : 1);  // 77: skipped, no GPU
}

unsigned* copy_to_device(const std::vector<unsigned>& values) {
  unsigned* on_device = nullptr;
  check(cudaMalloc(&on_device, values.size() * sizeof(unsigned)));
  check(cudaMemcpy(on_device, values.data(), values.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
  return on_device;
}

int main(int argc, char** argv) {
  size_t size = 1 << 22;
  char rest;
  if (argc > 1 && (std::sscanf(argv[1], "%10zu%c", &size, &rest) != 1 || size < 1 || size > 0x7fffffff))
    return std::fputs("error: the argument must be an integer from 1 to 2147483647\n", stderr), 1;
  const size_t blocks = std::min(max_blocks, (size + threads - 1) / threads);
  const size_t subsets = (size + blocks * threads - 1) / (blocks * threads);  // per block
  std::vector<unsigned> first(blocks * subsets * threads), second(first.size());
  unsigned expected = 0;
  for (size_t index = 0; index < size; ++index) {
    first[index] = static_cast<unsigned>(index * 2654435761 >> 24) % 1009;
    second[index] = static_cast<unsigned>(index % 1013);
    expected += first[index] * second[index];
  }

  unsigned* const global0 = copy_to_device(first);
  unsigned* const global1 = copy_to_device(second);
  const size_t shared_bytes = 2 * 2 * threads * sizeof(unsigned);
  example_kernel<<<static_cast<unsigned>(blocks), threads, shared_bytes>>>(global0, global1, subsets);
  check(cudaGetLastError());
  unsigned result = 0;
  check(cudaMemcpyFromSymbol(&result, dot_product, sizeof result));
  check(cudaFree(global0));
  check(cudaFree(global1));

  std::printf("%zu elements in %zu blocks: the dot product is %u, the host's is %u\n", size, blocks, result, expected);
  std::puts(result == expected ? "PASS" : "FAIL");
  return result == expected ? 0 : 1;
}
