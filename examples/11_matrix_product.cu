// A matrix product that loads and stores its tiles with tensor maps: the copy engine handles the rows and the edges.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program computes C = A B for square matrices of floats. Each block computes a tile of 64 x 64 elements of C. One
// thread of the last warp begins the copies of boxes of A and B to the stages of a ring. The other 256 threads multiply
// the boxes, and each of them computes 16 elements of C. Then they write their tile to shared memory, and one bulk
// store copies the tile to C. The copy engine loads elements beyond the edge of a matrix as zeros and does not store
// them, so the kernel does not test for edges.
//
// needs: sm_90
// 11_matrix_product [elements of a matrix, rounded down to a square of whole 16-byte units] prints:
// expect: 700 x 700 elements: 0 of 490000 are wrong
// PASS
#include <cuda/pipeline>
#include <cudasync/tensor_map.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int tile = 64;             // rows and columns of C per block
constexpr int depth = 16;            // columns of A and rows of B per stage
constexpr unsigned consumers = 256;  // 16 x 16 threads, each for every 16th row and column of the tile
constexpr unsigned stages = 3;

using ring = cudasync::bulk_pipeline<stages, cudasync::consumer_warps<consumers / 32>>;

struct stage {
  alignas(128) float a[tile][depth];
  alignas(128) float b[depth][tile];
};

__device__ void produce(ring& pipe, stage (&tiles)[stages], const CUtensorMap* a, const CUtensorMap* b, int size) {
  ring::producer_state at;
  for (int step = 0; step < size; step += depth) {
    stage& place = tiles[at.index()];
    pipe.producer_acquire(at, sizeof(stage));  // boxes count in full, also at the edges
    pipe.copy(at, place.a, a, {step, static_cast<int>(blockIdx.y) * tile});
    pipe.copy(at, place.b, b, {static_cast<int>(blockIdx.x) * tile, step});
    at.advance();
  }
}

__device__ void consume(ring& pipe, const stage (&tiles)[stages], float (&result)[tile][tile], int size) {
  const unsigned column = threadIdx.x % 16, row = threadIdx.x / 16;
  float sums[4][4] = {};
  ring::consumer_state at;
  for (int step = 0; step < size; step += depth) {
    const stage& place = tiles[at.index()];
    pipe.consumer_wait(at);
    for (int inner = 0; inner < depth; ++inner)
      for (int down = 0; down < 4; ++down)
        for (int right = 0; right < 4; ++right)
          sums[down][right] += place.a[row + 16 * down][inner] * place.b[inner][column + 16 * right];
    pipe.consumer_release(at);
    at.advance();
  }
  for (int down = 0; down < 4; ++down)
    for (int right = 0; right < 4; ++right)
      result[row + 16 * down][column + 16 * right] = sums[down][right];
}

__global__ void __launch_bounds__(consumers + 32)
    multiply(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
             const __grid_constant__ CUtensorMap c, int size) {
  __shared__ stage tiles[stages];
  alignas(128) __shared__ float result[tile][tile];
  __shared__ ring pipe;
  pipe.init(cudasync::this_thread_block());

  if (threadIdx.x < consumers)
    consume(pipe, tiles, result, size);
  else if (cudasync::elect_one_of_warp())
    produce(pipe, tiles, &a, &b, size);

  __syncthreads();
  if (cudasync::elect_one()) {
    cudasync::device::fence_before_bulk_copy();  // makes the result in shared memory visible to the bulk store
    cudasync::device::bulk_store(&c, {static_cast<int>(blockIdx.x) * tile, static_cast<int>(blockIdx.y) * tile},
                                 result);
    cudasync::device::bulk_commit();
    cudasync::device::bulk_wait_read();  // the block must not exit before the store has read shared memory
  }
}

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "error: %s\n", cudaGetErrorString(status));
  std::exit(status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver ? 77 : 1);  // 77: skipped, no GPU
}

// Creates the map of a square row-major matrix, and of boxes of its elements.
CUtensorMap make_map(const float* matrix, int size, int box_rows, int box_columns) {
  cudasync::tensor_map_options options;
  options.l2_fetch_size = cudasync::tma_l2_fetch_size::bytes128;
  const auto map = cudasync::make_tensor_map(matrix, {size, size}, {box_rows, box_columns}, options);
  if (!map) {
    std::fprintf(stderr, "error: %s\n", map.error());
    std::exit(1);
  }
  return map;
}

int main(int argc, char** argv) {
  size_t elements = 490000;
  char rest;
  if (argc > 1 && (std::sscanf(argv[1], "%10zu%c", &elements, &rest) != 1 || elements < 1 || elements > 0x7fffffff))
    return std::fputs("error: the argument must be an integer from 1 to 2147483647\n", stderr), 1;
  const int size = std::max(4, static_cast<int>(std::sqrt(static_cast<double>(elements))) / 4 * 4);
  elements = static_cast<size_t>(size) * size;
  std::vector<float> a(elements), b(elements), c(elements);
  for (size_t index = 0; index < elements; ++index) {  // small integers, whose sums are exact in any order
    a[index] = static_cast<float>(index % 11);
    b[index] = static_cast<float>(index % 13);
  }

  float* on_device[3];
  for (float*& matrix : on_device)
    check(cudaMalloc(&matrix, elements * sizeof(float)));
  check(cudaMemcpy(on_device[0], a.data(), elements * sizeof(float), cudaMemcpyHostToDevice));
  check(cudaMemcpy(on_device[1], b.data(), elements * sizeof(float), cudaMemcpyHostToDevice));
  const unsigned blocks = static_cast<unsigned>((size + tile - 1) / tile);
  multiply<<<dim3(blocks, blocks), consumers + 32>>>(make_map(on_device[0], size, tile, depth),
                                                     make_map(on_device[1], size, depth, tile),
                                                     make_map(on_device[2], size, tile, tile), size);
  check(cudaGetLastError());
  check(cudaMemcpy(c.data(), on_device[2], elements * sizeof(float), cudaMemcpyDeviceToHost));
  for (float* matrix : on_device)
    check(cudaFree(matrix));

  size_t wrong = 0;
  const int stride = 1 + size / 1024;  // for large matrices, the program checks only some rows
  size_t checked = 0;
  std::vector<float> expected(size);
  for (int row = 0; row < size; row += stride, checked += size) {
    std::fill(expected.begin(), expected.end(), 0.0f);
    for (int inner = 0; inner < size; ++inner)
      for (int column = 0; column < size; ++column)
        expected[column] += a[static_cast<size_t>(row) * size + inner] * b[static_cast<size_t>(inner) * size + column];
    for (int column = 0; column < size; ++column)
      wrong += c[static_cast<size_t>(row) * size + column] != expected[column];
  }
  std::printf("%d x %d elements: %zu of %zu are wrong\n", size, size, wrong, checked);
  std::puts(wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
