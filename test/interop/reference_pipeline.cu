// Pipelined copies, as published in the reference of cuda::pipeline; on a GPU, checked against a loop of the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clang-format off
#include <cuda/pipeline>
#include <cooperative_groups.h>

// Disables `pipeline_shared_state` initialization warning.
#pragma nv_diag_suppress static_var_with_dynamic_init

template <typename T>
__device__ void compute(T* ptr);

template <typename T>
__global__ void example_kernel(T* global0, T* global1, cuda::std::size_t subset_count) {
  extern __shared__ T s[];
  auto group = cooperative_groups::this_thread_block();
  T* shared[2] = { s, s + 2 * group.size() };

  // Create a pipeline.
  constexpr auto scope = cuda::thread_scope_block;
  constexpr auto stages_count = 2;
  __shared__ cuda::pipeline_shared_state<scope, stages_count> shared_state;
  auto pipeline = cuda::make_pipeline(group, &shared_state);

  // Prime the pipeline.
  pipeline.producer_acquire();
  cuda::memcpy_async(group, shared[0],
                     &global0[0], sizeof(T) * group.size(), pipeline);
  cuda::memcpy_async(group, shared[0] + group.size(),
                     &global1[0], sizeof(T) * group.size(), pipeline);
  pipeline.producer_commit();

  // Pipelined copy/compute.
  for (cuda::std::size_t subset = 1; subset < subset_count; ++subset) {
    pipeline.producer_acquire();
    cuda::memcpy_async(group, shared[subset % 2],
                       &global0[subset * group.size()],
                       sizeof(T) * group.size(), pipeline);
    cuda::memcpy_async(group, shared[subset % 2] + group.size(),
                       &global1[subset * group.size()],
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

template void __global__ example_kernel<int>(int*, int*, cuda::std::size_t);
// clang-format on

#include "../support/gpu_test.h"

constexpr unsigned most_threads = 256;
__device__ unsigned results[most_threads];

// Of what another thread copied, so that a subset too early or too late changes every later result.
__host__ __device__ unsigned next_result(unsigned result, const int* first, const int* second, unsigned other) {
  return result * 31 + static_cast<unsigned>(first[other]) * 7 + static_cast<unsigned>(second[other]);
}

template <typename T>
__device__ void compute(T* ptr) {
  const unsigned other = (threadIdx.x + 1) % blockDim.x;
  results[threadIdx.x] = next_result(results[threadIdx.x], ptr, ptr + blockDim.x, other);
}

static void check(unsigned threads, unsigned subsets) {
  std::vector<int> first(threads * subsets), second(threads * subsets);
  for (unsigned index = 0; index != first.size(); ++index) {
    first[index] = static_cast<int>(index);
    second[index] = static_cast<int>(index * index);
  }
  const gpu_test::device_array<int> global0(first), global1(second);
  unsigned found[most_threads] = {};
  gpu_test::expect_success(cudaMemcpyToSymbol(results, found, sizeof found), "cudaMemcpyToSymbol");
  gpu_test::run(example_kernel<int>, {1, threads, 4 * threads * sizeof(int)}, global0.get(), global1.get(), subsets);
  gpu_test::expect_success(cudaMemcpyFromSymbol(found, results, sizeof found), "cudaMemcpyFromSymbol");
  for (unsigned thread = 0; thread != threads; ++thread) {
    unsigned expected = 0;
    for (unsigned subset = 0; subset != subsets; ++subset)
      expected = next_result(expected, &first[subset * threads], &second[subset * threads], (thread + 1) % threads);
    CHECK(found[thread] == expected);
  }
}

TEST(full_blocks) {
  check(256, 1);
  check(256, 2);
  check(256, 1001);
}

// Subsets that begin at odd addresses, for which no copy is wider than four bytes.
TEST(odd_blocks) {
  check(1, 100);
  check(33, 1001);
  check(199, 1000);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
