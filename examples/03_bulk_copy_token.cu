// Bulk copies to shared memory, for which every thread waits with the token of its own arrival.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each block copies one tile of each of two arrays to shared memory. One thread begins the two copies, and its arrival
// specifies the number of bytes that the phase expects. The other threads only arrive. The phase completes when all
// threads and all bytes have arrived. Then the block multiplies the tiles.
//
// needs: sm_90
// 03_bulk_copy_token [elements, rounded up to whole tiles] prints:
// expect: 1048576 elements in 1024 tiles: 0 products are wrong
// PASS
#include <cuda/barrier>

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

constexpr int tile_size = 1024;

__global__ void multiply(const int* gmem1, const double* gmem2, double* product) {
  alignas(16) __shared__ int smem1[tile_size];
  alignas(16) __shared__ double smem2[tile_size];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;

  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();  // initializes the barrier before any thread arrives

  const size_t first = static_cast<size_t>(blockIdx.x) * tile_size;
  const bool elected = cudasync::elect_one();
  if (elected) {
    cuda::device::memcpy_async_tx(smem1, gmem1 + first, cuda::aligned_size_t<16>(sizeof smem1), bar);
    cuda::device::memcpy_async_tx(smem2, gmem2 + first, cuda::aligned_size_t<16>(sizeof smem2), bar);
  }
  auto token = cuda::device::barrier_arrive_tx(bar, 1, elected ? sizeof smem1 + sizeof smem2 : 0);
  // Work that does not need the tiles can run here.
  bar.wait(std::move(token));

  for (int index = threadIdx.x; index < tile_size; index += blockDim.x)
    product[first + index] = smem1[index] * smem2[index];
}

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "error: %s\n", cudaGetErrorString(status));
  std::exit(status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver ? 77 : 1);  // 77: skipped, no GPU
}

template <class Value>
Value* copy_to_device(const std::vector<Value>& values) {
  Value* on_device = nullptr;
  check(cudaMalloc(&on_device, values.size() * sizeof(Value)));
  check(cudaMemcpy(on_device, values.data(), values.size() * sizeof(Value), cudaMemcpyHostToDevice));
  return on_device;
}

int main(int argc, char** argv) {
  size_t size = 1 << 20;
  char rest;
  if (argc > 1 && (std::sscanf(argv[1], "%10zu%c", &size, &rest) != 1 || size < 1 || size > 0x7fffffff))
    return std::fputs("error: the argument must be an integer from 1 to 2147483647\n", stderr), 1;
  const int tiles = static_cast<int>((size + tile_size - 1) / tile_size);
  size = static_cast<size_t>(tiles) * tile_size;
  std::vector<int> integers(size);
  std::vector<double> doubles(size), product(size);
  for (size_t index = 0; index < size; ++index) {
    integers[index] = static_cast<int>(index % 1009);
    doubles[index] = static_cast<double>(index) / 8;
  }

  int* const gmem1 = copy_to_device(integers);
  double* const gmem2 = copy_to_device(doubles);
  double* const on_device = copy_to_device(product);
  multiply<<<tiles, 256>>>(gmem1, gmem2, on_device);
  check(cudaGetLastError());
  check(cudaMemcpy(product.data(), on_device, size * sizeof(double), cudaMemcpyDeviceToHost));
  check(cudaFree(gmem1));
  check(cudaFree(gmem2));
  check(cudaFree(on_device));

  size_t wrong = 0;
  for (size_t index = 0; index < size; ++index)
    wrong += product[index] != integers[index] * doubles[index];
  std::printf("%zu elements in %d tiles: %zu products are wrong\n", size, tiles, wrong);
  std::puts(wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
