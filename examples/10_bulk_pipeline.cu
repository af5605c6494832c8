// A warp-specialized sum of an array that is larger than the L2 cache: one warp begins bulk copies, and the others add.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A few blocks process the whole array. Each block processes every gridDim-th tile. One thread of the last warp of the
// block acquires a stage of the ring and begins the copy of a tile to it. It can be up to four tiles ahead of the eight
// warps that add. No other thread computes an address in global memory or waits for global memory. Both sides use the
// same loop over the tiles, because one more tile on one side would be a hang.
//
// needs: sm_90
// 10_bulk_pipeline [elements, rounded up to 4: bulk copies move 16 bytes at a time] prints, with a different rate:
// expect: 67108864 elements: the sum is [0-9]+, the host's is [0-9]+, [0-9.]+ GB/s
// PASS
#include <cuda/atomic>
#include <cuda/pipeline>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned consumers = 256;  // threads that add; the block has one more warp
constexpr unsigned stages = 4;
constexpr size_t tile = 2048;  // elements

using ring = cudasync::bulk_pipeline<stages, cudasync::consumer_warps<consumers / 32>>;
using total_ref = cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>;

// Calls work(first, count) for each tile of this block.
template <class Work>
__device__ void for_each_tile(size_t size, Work work) {
  for (size_t first = blockIdx.x * tile; first < size; first += gridDim.x * tile)
    work(first, first + tile < size ? tile : size - first);
}

__device__ void produce(ring& pipe, unsigned (&stage)[stages][tile], const unsigned* data, size_t size) {
  const auto hint = cudasync::l2_cache_hint::evict_first();  // no block reads the data again
  ring::producer_state at;
  for_each_tile(size, [&](size_t first, size_t count) {
    const cuda::aligned_size_t<16> bytes(count * sizeof(unsigned));
    pipe.producer_acquire(at, static_cast<unsigned>(bytes));
    pipe.copy(at, stage[at.index()], data + first, bytes, hint);
    at.advance();
  });
}

__device__ void consume(ring& pipe, const unsigned (&stage)[stages][tile], unsigned long long* total, size_t size) {
  unsigned long long sum = 0;
  ring::consumer_state at;
  for_each_tile(size, [&](size_t, size_t count) {
    pipe.consumer_wait(at);
    for (size_t cell = threadIdx.x; cell < count; cell += consumers)
      sum += stage[at.index()][cell];
    pipe.consumer_release(at);
    at.advance();
  });
  for (unsigned offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (threadIdx.x % 32 == 0) total_ref(*total).store_add(sum, cuda::memory_order_relaxed);
}

__global__ void __launch_bounds__(consumers + 32) sum_up(const unsigned* data, size_t size, unsigned long long* total) {
  alignas(16) __shared__ unsigned stage[stages][tile];
  __shared__ ring pipe;
  pipe.init(cudasync::this_thread_block());

  if (threadIdx.x < consumers)
    consume(pipe, stage, total, size);
  else if (cudasync::elect_one_of_warp())
    produce(pipe, stage, data, size);
}

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "error: %s\n", cudaGetErrorString(status));
  std::exit(status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver ? 77 : 1);  // 77: skipped, no GPU
}

int main(int argc, char** argv) {
  size_t size = 1 << 26;
  char rest;
  if (argc > 1 && (std::sscanf(argv[1], "%10zu%c", &size, &rest) != 1 || size < 1 || size > 0x7fffffff))
    return std::fputs("error: the argument must be an integer from 1 to 2147483647\n", stderr), 1;
  size = (size + 3) / 4 * 4;
  int processors = 0, resident = 0;
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, sum_up, consumers + 32, 0));
  std::vector<unsigned> values(size);
  unsigned long long expected = 0, result = 0;
  for (size_t index = 0; index < size; ++index)
    expected += values[index] = static_cast<unsigned>(index * 2654435761);

  unsigned* data = nullptr;
  unsigned long long* total = nullptr;
  cudaEvent_t start, stop;
  check(cudaMalloc(&data, size * sizeof(unsigned)));
  check(cudaMalloc(&total, sizeof result));
  check(cudaMemcpy(data, values.data(), size * sizeof(unsigned), cudaMemcpyHostToDevice));
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&stop));
  const size_t blocks = std::min((size + tile - 1) / tile, static_cast<size_t>(processors) * resident);
  for (int round = 0; round < 2; ++round) {  // the first round loads the kernel
    check(cudaMemset(total, 0, sizeof result));
    check(cudaEventRecord(start));
    sum_up<<<static_cast<unsigned>(blocks), consumers + 32>>>(data, size, total);
    check(cudaGetLastError());
    check(cudaEventRecord(stop));
  }
  check(cudaMemcpy(&result, total, sizeof result, cudaMemcpyDeviceToHost));
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start, stop));
  check(cudaEventDestroy(start));
  check(cudaEventDestroy(stop));
  check(cudaFree(data));
  check(cudaFree(total));

  std::printf("%zu elements: the sum is %llu, the host's is %llu, %.0f GB/s\n", size, result, expected,
              size * sizeof(unsigned) / (milliseconds * 1e6));
  std::puts(result == expected ? "PASS" : "FAIL");
  return result == expected ? 0 : 1;
}
