// Changes an array in place, tile by tile: bulk load, computation in shared memory, and bulk store, with two buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A few blocks process the whole array. Each block processes every gridDim-th tile, and one of its threads begins all
// copies. While the block works in one buffer, the copy engine copies the next tile to the other buffer, after the
// previous tile has been stored from there. Each buffer has a barrier. One phase of the barrier completes when a tile
// has arrived, and the parity of the phases alternates between 0 and 1.
//
// needs: sm_90
// 05_load_modify_store [elements, rounded up to 4: bulk copies move 16 bytes at a time] prints:
// expect: 4194304 elements: 0 are wrong
// PASS
#include <cuda/barrier>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr size_t tile_size = 2048;

__host__ __device__ float modified(float value) {
  return 2 * value + 1;
}

__global__ void load_modify_store(float* data, size_t size) {
  alignas(16) __shared__ float buffers[2][tile_size];
  __shared__ cuda::barrier<cuda::thread_scope_block> loaded[2];
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<1>(loaded));

  const bool leader = cudasync::elect_one();
  const size_t stride = gridDim.x * tile_size;
  const auto tile_end = [=](size_t first) { return first + tile_size < size ? first + tile_size : size; };
  const auto load = [&](size_t first, unsigned which) {
    const cuda::aligned_size_t<16> bytes((tile_end(first) - first) * sizeof(float));
    cuda::device::memcpy_async_tx(buffers[which], data + first, bytes, loaded[which]);
    static_cast<void>(cuda::device::barrier_arrive_tx(loaded[which], 1, bytes));
  };

  size_t first = blockIdx.x * tile_size;
  if (leader) load(first, 0);
  for (unsigned round = 0; first < size; first += stride, ++round) {
    const unsigned which = round % 2;
    float* const buffer = buffers[which];
    if (leader && first + stride < size) {
      cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());  // waits until the other buffer has been read
      load(first + stride, 1 - which);
    }

    loaded[which].wait_parity(round / 2 % 2);
    const size_t count = tile_end(first) - first;
    for (size_t index = threadIdx.x; index < count; index += blockDim.x)
      buffer[index] = modified(buffer[index]);

    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);  // makes the stores of this thread visible to the copy
    __syncthreads();                                        // waits until all threads have done so
    if (leader) {
      cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, data + first, buffer,
                               static_cast<unsigned>(count * sizeof(float)));
      cuda::ptx::cp_async_bulk_commit_group();
    }
  }
  if (leader) cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<0>());  // the block must not exit before the copies
}

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "error: %s\n", cudaGetErrorString(status));
  std::exit(status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver ? 77 : 1);  // 77: skipped, no GPU
}

int main(int argc, char** argv) {
  size_t size = 1 << 22;
  char rest;
  if (argc > 1 && (std::sscanf(argv[1], "%10zu%c", &size, &rest) != 1 || size < 1 || size > 0x7fffffff))
    return std::fputs("error: the argument must be an integer from 1 to 2147483647\n", stderr), 1;
  size = (size + 3) / 4 * 4;
  std::vector<float> before(size), after(size);
  for (size_t index = 0; index < size; ++index)
    before[index] = static_cast<float>(index % 10007);

  int processors = 0;
  float* data = nullptr;
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  check(cudaMalloc(&data, size * sizeof(float)));
  check(cudaMemcpy(data, before.data(), size * sizeof(float), cudaMemcpyHostToDevice));
  const unsigned blocks = static_cast<unsigned>(std::min((size + tile_size - 1) / tile_size, size_t(4) * processors));
  load_modify_store<<<blocks, 256>>>(data, size);
  check(cudaGetLastError());
  check(cudaMemcpy(after.data(), data, size * sizeof(float), cudaMemcpyDeviceToHost));
  check(cudaFree(data));

  size_t wrong = 0;
  for (size_t index = 0; index < size; ++index)
    wrong += after[index] != modified(before[index]);
  std::printf("%zu elements: %zu are wrong\n", size, wrong);
  std::puts(wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
