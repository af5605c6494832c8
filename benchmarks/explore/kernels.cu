// Six kernels that explore.py times on the machine: kernels NAME. Prints the processor time in seconds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <ctime>

namespace {

constexpr int bytes = 4 << 20;
constexpr unsigned threads = 256, bins = 64, tile = 16;

__global__ void hash(unsigned* to, int rounds) {
  const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = index;
  for (int round = 0; round < rounds; ++round)
    value = (value ^ value >> 13) * 1664525u + 1013904223u;
  to[index] = value;
}

__global__ void saxpy(float* y, const float* x, float a, int count) {
  for (int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); at < count;
       at += static_cast<int>(gridDim.x * blockDim.x))
    y[at] = a * x[at] + y[at];
}

__global__ void reduce(const float* from, float* to, int count) {
  __shared__ float sums[threads];
  float sum = 0;
  for (int at = static_cast<int>(blockIdx.x * threads + threadIdx.x); at < count;
       at += static_cast<int>(gridDim.x * threads))
    sum += from[at];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned left = threads / 2; left != 0; left /= 2) {
    if (threadIdx.x < left) sums[threadIdx.x] += sums[threadIdx.x + left];
    __syncthreads();
  }
  if (threadIdx.x == 0) to[blockIdx.x] = sums[0];
}

__global__ void product(const float* a, const float* b, float* c, int size) {
  __shared__ float rows[tile][tile], columns[tile][tile];
  const int row = static_cast<int>(blockIdx.y * tile + threadIdx.y),
            column = static_cast<int>(blockIdx.x * tile + threadIdx.x);
  float sum = 0;
  for (int first = 0; first < size; first += tile) {
    rows[threadIdx.y][threadIdx.x] = a[row * size + first + static_cast<int>(threadIdx.x)];
    columns[threadIdx.y][threadIdx.x] = b[(first + static_cast<int>(threadIdx.y)) * size + column];
    __syncthreads();
    for (unsigned depth = 0; depth < tile; ++depth)
      sum += rows[threadIdx.y][depth] * columns[depth][threadIdx.x];
    __syncthreads();
  }
  c[row * size + column] = sum;
}

__global__ void histogram(const unsigned* from, unsigned* to, int count) {
  __shared__ unsigned counts[bins];
  if (threadIdx.x < bins) counts[threadIdx.x] = 0;
  __syncthreads();
  for (int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); at < count;
       at += static_cast<int>(gridDim.x * blockDim.x))
    atomicAdd(&counts[from[at] % bins], 1u);
  __syncthreads();
  if (threadIdx.x < bins) atomicAdd(&to[threadIdx.x], counts[threadIdx.x]);
}

__global__ void stencil(const float* from, float* to, int size) {
  const int column = static_cast<int>(blockIdx.x * 32 + threadIdx.x),
            row = static_cast<int>(blockIdx.y * 8 + threadIdx.y), at = row * size + column;
  if (column > 0 && row > 0 && column < size - 1 && row < size - 1)
    to[at] = 0.25f * (from[at - 1] + from[at + 1] + from[at - size] + from[at + size]);
}

double seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

int main(int, char** arguments) {
  float* all[3];
  for (float*& each : all)
    if (cudaMalloc(&each, bytes) != cudaSuccess || cudaMemset(each, 0, bytes) != cudaSuccess) return 1;
  const auto is = [&](const char* name) { return std::strcmp(arguments[1], name) == 0; };
  const double start = seconds();
  if (is("hash")) hash<<<8, threads>>>(reinterpret_cast<unsigned*>(all[2]), 4000);
  if (is("saxpy")) saxpy<<<8, threads>>>(all[2], all[0], 2, 1 << 19);
  for (int round = 0; is("reduce") && round < 16; ++round)
    reduce<<<8, threads>>>(all[0], all[1] + 8 * round, 1 << 16);
  if (is("product")) product<<<dim3(8, 8), dim3(tile, tile)>>>(all[0], all[1], all[2], 128);
  if (is("histogram"))
    histogram<<<8, threads>>>(reinterpret_cast<unsigned*>(all[0]), reinterpret_cast<unsigned*>(all[2]), 1 << 19);
  for (int round = 0; is("stencil") && round < 4; ++round)
    stencil<<<dim3(16, 64), dim3(32, 8)>>>(all[0], all[1], 512);
  const cudaError_t status = cudaDeviceSynchronize();
  std::printf("%.9f\n", seconds() - start);
  return status == cudaSuccess ? 0 : 1;
}
