// Bulk copies to shared memory, for which every thread waits by the parity of the barrier's phase.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This program is the same as 03_bulk_copy_token, but only the thread that begins the copies arrives. A single branch
// initializes the barrier, begins the copies and arrives. The other threads have no token. They wait by parity: the
// barrier is in its first phase, which has parity 0. This takes fewer instructions than a wait with a token.
//
// needs: sm_90
// 04_bulk_copy_parity [elements, rounded up to whole tiles] prints:
// expect: 1048576 elements in 1024 tiles: 0 products are wrong
// PASS
#include <cuda/barrier>

#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int tile_size = 1024;

__global__ void multiply(const int* gmem1, const double* gmem2, double* product) {
  alignas(16) __shared__ int smem1[tile_size];
  alignas(16) __shared__ double smem2[tile_size];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;

  const size_t first = static_cast<size_t>(blockIdx.x) * tile_size;
  if (cudasync::elect_one()) {
    init(&bar, 1);
    cuda::device::memcpy_async_tx(smem1, gmem1 + first, cuda::aligned_size_t<16>(sizeof smem1), bar);
    cuda::device::memcpy_async_tx(smem2, gmem2 + first, cuda::aligned_size_t<16>(sizeof smem2), bar);
    static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, sizeof smem1 + sizeof smem2));
  }
  __syncthreads();  // initializes the barrier before any thread waits
  bar.wait_parity(0);

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
