// Uses the four forms of make_pipeline: each adds two vectors, tile by tile, with two buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a pipeline of one thread, each thread copies its own data and waits only for its own copies. In a unified
// pipeline, all threads of the block share the copies of a tile, and each thread waits for all of them. In a
// partitioned pipeline, some threads only copy and the other threads only compute. Either a number or a role for each
// thread selects the threads that copy: the first 32 threads in the third kernel, and the last 32 threads in the fourth
// kernel.
//
// needs: sm_70
// 09_pipeline_forms [elements] prints:
// expect: one thread:           0 of 4194304 sums are wrong
// expect: unified:              0 of 4194304 sums are wrong
// expect: partitioned by count: 0 of 4194304 sums are wrong
// expect: partitioned by role:  0 of 4194304 sums are wrong
// PASS
#include <cuda/pipeline>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned threads = 256;
using state_of_two_stages = cuda::pipeline_shared_state<cuda::thread_scope_block, 2>;

struct vectors {
  const float* x;
  const float* y;
  float* sum;
  size_t size;
};

template <size_t Size>
struct buffer {
  alignas(16) float x[Size];
  alignas(16) float y[Size];
};

// A group of some of the block's threads, for memcpy_async.
struct members {
  unsigned rank, count;
  __device__ unsigned thread_rank() const { return rank; }
  __device__ unsigned size() const { return count; }
};

template <size_t Size>
__device__ size_t elements_of(const vectors& all, size_t tile) {
  return all.size - tile * Size < Size ? all.size - tile * Size : Size;
}

template <class Group, size_t Size, class Pipeline>
__device__ void produce(const Group& group, buffer<Size>& place, const vectors& all, size_t tile, Pipeline& pipe) {
  const size_t bytes = elements_of<Size>(all, tile) * sizeof(float);
  pipe.producer_acquire();
  cuda::memcpy_async(group, place.x, all.x + tile * Size, bytes, pipe);
  cuda::memcpy_async(group, place.y, all.y + tile * Size, bytes, pipe);
  pipe.producer_commit();
}

template <class Group, size_t Size, class Pipeline>
__device__ void consume(const Group& group, buffer<Size>& place, const vectors& all, size_t tile, Pipeline& pipe) {
  pipe.consumer_wait();
  for (size_t cell = group.thread_rank(); cell < elements_of<Size>(all, tile); cell += group.size())
    all.sum[tile * Size + cell] = place.x[cell] + place.y[cell];
  pipe.consumer_release();
}

// Copies the next tile while the threads add the current tile.
template <class Group, size_t Size, class Pipeline>
__device__ void produce_and_consume(const Group& group, buffer<Size>& even, buffer<Size>& odd, const vectors& all,
                                    size_t tile, size_t stride, Pipeline& pipe) {
  const size_t tiles = (all.size + Size - 1) / Size;
  if (tile < tiles) produce(group, even, all, tile, pipe);
  for (bool is_odd = false; tile < tiles; tile += stride, is_odd = !is_odd) {
    if (tile + stride < tiles) produce(group, is_odd ? even : odd, all, tile + stride, pipe);
    consume(group, is_odd ? odd : even, all, tile, pipe);
  }
}

__global__ void one_thread(vectors all) {
  __shared__ buffer<4> places[2][threads];
  auto pipe = cuda::make_pipeline();
  const unsigned thread = threadIdx.x;
  produce_and_consume(members{0, 1}, places[0][thread], places[1][thread], all, blockIdx.x * threads + thread,
                      gridDim.x * threads, pipe);
}

__global__ void unified(vectors all) {
  __shared__ buffer<1024> places[2];
  __shared__ state_of_two_stages state;
  const auto block = cudasync::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  produce_and_consume(block, places[0], places[1], all, blockIdx.x, gridDim.x, pipe);
}

template <class Pipeline>
__device__ void produce_or_consume(bool is_producer, const members& group, const vectors& all, Pipeline& pipe) {
  __shared__ buffer<1024> places[2];
  bool is_odd = false;
  for (size_t tile = blockIdx.x; tile * 1024 < all.size; tile += gridDim.x, is_odd = !is_odd)
    if (is_producer)
      produce(group, places[is_odd], all, tile, pipe);
    else
      consume(group, places[is_odd], all, tile, pipe);
}

__global__ void partitioned_by_count(vectors all) {
  __shared__ state_of_two_stages state;
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state, 32);
  const bool is_producer = threadIdx.x < 32;
  const members group = is_producer ? members{threadIdx.x, 32} : members{threadIdx.x - 32, threads - 32};
  produce_or_consume(is_producer, group, all, pipe);
}

__global__ void partitioned_by_role(vectors all) {
  __shared__ state_of_two_stages state;
  const bool is_producer = threadIdx.x >= threads - 32;
  const auto role = is_producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state, role);
  const members group = is_producer ? members{threadIdx.x % 32, 32} : members{threadIdx.x, threads - 32};
  produce_or_consume(is_producer, group, all, pipe);
}

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "error: %s\n", cudaGetErrorString(status));
  std::exit(status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver ? 77 : 1);  // 77: skipped, no GPU
}

// Runs a kernel and returns the number of wrong sums.
template <class Kernel>
size_t run(const char* name, Kernel kernel, const vectors& all) {
  std::vector<float> sum(all.size);
  check(cudaMemset(all.sum, 0xff, all.size * sizeof(float)));
  const size_t blocks = std::min<size_t>(256, (all.size + 1023) / 1024);
  kernel<<<static_cast<unsigned>(blocks), threads>>>(all);
  check(cudaGetLastError());
  check(cudaMemcpy(sum.data(), all.sum, all.size * sizeof(float), cudaMemcpyDeviceToHost));
  size_t wrong = 0;
  for (size_t index = 0; index < all.size; ++index)
    wrong += sum[index] != static_cast<float>(index % 1009 + index % 1013);
  std::printf("%-21s %zu of %zu sums are wrong\n", name, wrong, all.size);
  return wrong;
}

int main(int argc, char** argv) {
  size_t size = 1 << 22;
  char rest;
  if (argc > 1 && (std::sscanf(argv[1], "%10zu%c", &size, &rest) != 1 || size < 1 || size > 0x7fffffff))
    return std::fputs("error: the argument must be an integer from 1 to 2147483647\n", stderr), 1;
  std::vector<float> x(size), y(size);
  for (size_t index = 0; index < size; ++index) {
    x[index] = static_cast<float>(index % 1009);
    y[index] = static_cast<float>(index % 1013);
  }
  const size_t bytes = size * sizeof(float);
  float* on_device[3];
  for (float*& vector : on_device)
    check(cudaMalloc(&vector, bytes));
  check(cudaMemcpy(on_device[0], x.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(on_device[1], y.data(), bytes, cudaMemcpyHostToDevice));

  const vectors all{on_device[0], on_device[1], on_device[2], size};
  const size_t wrong = run("one thread:", one_thread, all) + run("unified:", unified, all) +
                       run("partitioned by count:", partitioned_by_count, all) +
                       run("partitioned by role:", partitioned_by_role, all);
  for (float* vector : on_device)
    check(cudaFree(vector));
  std::puts(wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
