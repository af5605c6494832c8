// Cluster barriers: each block of a cluster holds a part of the bins, and the threads of all blocks add to all bins.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The histogram has more bins than one block should hold. Each of the four blocks of a cluster holds a quarter of the
// bins in its shared memory. Every thread adds to the bin in the block that holds it. After its last value, the thread
// arrives at a barrier in each block. The threads of a block wait for the barrier of their own block. Then the bins of
// the block are complete. A guard keeps the blocks running until no thread accesses their shared memory.
//
// needs: sm_90
// 14_cluster_histogram [values] prints:
// expect: 1000000 values, 8192 bins: 0 counts differ from the host's
// PASS
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned blocks = 4;  // per cluster
constexpr unsigned bins = 8192;
constexpr unsigned own_bins = bins / blocks;
constexpr unsigned threads = 256;
constexpr unsigned clusters = 16;

__global__ void __cluster_dims__(blocks, 1, 1) count(const unsigned* values, size_t size, unsigned* counts) {
  __shared__ unsigned own[own_bins];
  __shared__ cuda::barrier<cuda::thread_scope_cluster> complete;
  const auto cluster = cudasync::this_cluster();
  const cudasync::cluster_exit_guard stay;

  for (unsigned bin = threadIdx.x; bin < own_bins; bin += threads)
    own[bin] = 0;
  cudasync::init_barriers(cluster, cudasync::expects<blocks * threads>(complete));  // also waits until all bins are 0

  for (size_t index = blockIdx.x * threads + threadIdx.x; index < size; index += size_t{clusters} * blocks * threads) {
    const unsigned bin = values[index];
    unsigned* const there = cooperative_groups::this_cluster().map_shared_rank(own, bin / own_bins);
    cuda::atomic_ref<unsigned, cuda::thread_scope_cluster>(there[bin % own_bins])
        .fetch_add(1, cuda::memory_order_relaxed);
  }
  for (unsigned block = 0; block < blocks; ++block)
    cudasync::remote_barrier(complete, block).arrive();

  complete.wait_parity(false);
  for (unsigned bin = threadIdx.x; bin < own_bins; bin += threads)
    atomicAdd(&counts[cluster.block_rank() * own_bins + bin], own[bin]);
}

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "error: %s\n", cudaGetErrorString(status));
  std::exit(status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver ? 77 : 1);  // 77: skipped, no GPU
}

int main(int argc, char** argv) {
  size_t size = 1000000;
  char rest;
  if (argc > 1 && (std::sscanf(argv[1], "%10zu%c", &size, &rest) != 1 || size < 1 || size > 0x7fffffff))
    return std::fputs("error: the argument must be an integer from 1 to 2147483647\n", stderr), 1;
  std::vector<unsigned> values(size), expected(bins), counts(bins);
  for (size_t index = 0; index < size; ++index) {
    values[index] = static_cast<unsigned>(index * index % 1000003 * 7919 % bins);
    ++expected[values[index]];
  }
  unsigned *values_on_device = nullptr, *counts_on_device = nullptr;
  check(cudaMalloc(&values_on_device, size * sizeof(unsigned)));
  check(cudaMalloc(&counts_on_device, bins * sizeof(unsigned)));
  check(cudaMemset(counts_on_device, 0, bins * sizeof(unsigned)));
  check(cudaMemcpy(values_on_device, values.data(), size * sizeof(unsigned), cudaMemcpyHostToDevice));
  count<<<clusters * blocks, threads>>>(values_on_device, size, counts_on_device);
  check(cudaGetLastError());
  check(cudaMemcpy(counts.data(), counts_on_device, bins * sizeof(unsigned), cudaMemcpyDeviceToHost));
  check(cudaFree(values_on_device));
  check(cudaFree(counts_on_device));

  size_t wrong = 0;
  for (unsigned bin = 0; bin < bins; ++bin)
    wrong += counts[bin] != expected[bin];
  std::printf("%zu values, %u bins: %zu counts differ from the host's\n", size, bins, wrong);
  std::puts(wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
