// Named barriers: half of a block loads while the other half computes, and the computing half has its own barrier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program computes the sum of squares of an array. In each block, 128 threads load tiles of 1,024 values to one of
// two buffers, and 128 threads add the values in the other buffer. This is the producer-consumer pattern of the PTX
// manual, with a channel for each buffer. At the end, only the consumers synchronize, at a separate barrier, and one of
// them adds their sums. The ids come from a list, so no two barriers have the same id.
//
// needs: sm_70
// 12_named_barriers [values] prints:
// expect: 1000000 values: the sum of squares is right
// PASS
#include <cudasync/named_barrier.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned side = 128;  // the number of producers, and of consumers
constexpr unsigned tile = 1024;
constexpr unsigned blocks = 64;

struct full_0;
struct empty_0;
struct full_1;
struct empty_1;
struct summed;
using ids = cudasync::named_barrier_ids<full_0, empty_0, full_1, empty_1, summed>;
using channel_0 = cudasync::named_channel<ids::barrier<full_0, 2 * side>, ids::barrier<empty_0, 2 * side>>;
using channel_1 = cudasync::named_channel<ids::barrier<full_1, 2 * side>, ids::barrier<empty_1, 2 * side>>;
using consumers_meet = ids::barrier<summed, side>;

template <class Producer>
__device__ void load(Producer& out, float (&buffer)[tile], const float* values, size_t first, size_t size) {
  out.acquire();  // waits until the consumers have released the buffer
  for (unsigned cell = threadIdx.x; cell < tile; cell += side)
    buffer[cell] = first + cell < size ? values[first + cell] : 0;
  out.commit();  // does not block: the thread continues with the other buffer
}

template <class Consumer>
__device__ double add_up(Consumer& in, const float (&buffer)[tile]) {
  double sum = 0;
  in.wait();
  for (unsigned cell = threadIdx.x - side; cell < tile; cell += side)
    sum += static_cast<double>(buffer[cell]) * buffer[cell];
  in.release();
  return sum;
}

__global__ void sum_of_squares(const float* values, size_t size, double* sums) {
  __shared__ float buffers[2][tile];
  __shared__ double parts[side];
  const size_t step = size_t{2} * tile * gridDim.x;
  const size_t begin = size_t{2} * tile * blockIdx.x;
  if (threadIdx.x < side) {
    channel_0::producer out_0;
    channel_1::producer out_1;
    for (size_t first = begin; first < size; first += step) {
      load(out_0, buffers[0], values, first, size);
      load(out_1, buffers[1], values, first + tile, size);
    }
  } else {
    const unsigned rank = threadIdx.x - side;
    channel_0::consumer in_0;
    channel_1::consumer in_1;
    double sum = 0;
    for (size_t first = begin; first < size; first += step) {
      sum += add_up(in_0, buffers[0]);
      sum += add_up(in_1, buffers[1]);
    }
    parts[rank] = sum;
    consumers_meet::sync();  // without the producers, which may be waiting in the destructors of their channels
    if (rank == 0)
      for (const double part : parts)
        sums[blockIdx.x] += part;
  }
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
  std::vector<float> values(size);
  double expected = 0;
  for (size_t index = 0; index < size; ++index) {
    values[index] = static_cast<float>(index * 7919 % 1000);  // a double represents the sum of the squares exactly
    expected += static_cast<double>(values[index]) * values[index];
  }
  float* on_device = nullptr;
  double* sums_on_device = nullptr;
  check(cudaMalloc(&on_device, size * sizeof(float)));
  check(cudaMalloc(&sums_on_device, blocks * sizeof(double)));
  check(cudaMemset(sums_on_device, 0, blocks * sizeof(double)));
  check(cudaMemcpy(on_device, values.data(), size * sizeof(float), cudaMemcpyHostToDevice));
  sum_of_squares<<<blocks, 2 * side>>>(on_device, size, sums_on_device);
  check(cudaGetLastError());
  std::vector<double> sums(blocks);
  check(cudaMemcpy(sums.data(), sums_on_device, blocks * sizeof(double), cudaMemcpyDeviceToHost));
  check(cudaFree(on_device));
  check(cudaFree(sums_on_device));

  double sum = 0;
  for (const double of_block : sums)
    sum += of_block;
  const bool is_right = sum == expected;
  std::printf("%zu values: the sum of squares is %s\n", size, is_right ? "right" : "wrong");
  std::puts(is_right ? "PASS" : "FAIL");
  return is_right ? 0 : 1;
}
