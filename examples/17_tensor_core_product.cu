// A matrix product on the tensor cores of Hopper: a persistent kernel with a ring of tiles, at the rate of cuBLAS.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program computes C = A B' for square matrices of bf16, all of them row-major, and adds in float. In each block, one
// thread fills a ring of stages with boxes of A and B, and two warpgroups multiply them with wgmma. A launch_queue gives
// each block one tile of C after another, so that blocks that run at the same time share rows of A and of B in the L2
// cache. The variants:
//
//   a  both warpgroups multiply the two halves of a tile of 128 x 256 elements
//   b  the same; two blocks of a cluster share each box of B, and each of them loads one half of it for both
//   c  each warpgroup has its own tiles, of 64 x 256 elements. They take turns: one multiplies while the other one
//      stores its tile. Two blocks share each box of B.
//
// If cuBLAS can be loaded, the program also times cuBLAS, and compares all elements with its result.
//
// needs: sm_90a
// 17_tensor_core_product [elements of a matrix] [--variant a|b|c|all] prints, with different rates:
// expect: 8192 x 8192 elements
// expect: variant b: [0-9]+ TFLOP/s
// expect: 0 of 4096 elements and 0 of 8192 sums of rows are wrong
// PASS
#include "cublas.h"
#include "wgmma.h"

#include <cuda/register_budget>
#include <cuda/tensor_cores>
#include <cuda/tensor_map>
#include <cuda/turns>
#include <cuda/work_stealing>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using element = __nv_bfloat16;

constexpr unsigned depth = 64;       // elements of a row in one stage: 128 bytes, the unit of the swizzle
constexpr unsigned columns = 256;    // of a tile of C
constexpr unsigned group_rows = 64;  // rows that a warpgroup multiplies
constexpr unsigned group_threads = 128;
constexpr unsigned consumers = 2;     // warpgroups
constexpr unsigned band_rows = 2048;  // Tiles are in the order of bands of so many rows, and of columns in a band.

using consumer = cudasync::register_role<consumers * group_threads, 232>;
using producer = cudasync::register_role<group_threads, 40>;
constexpr unsigned threads = consumer::threads + producer::threads;
using budget = cudasync::register_budget<cudasync::registers_at_launch(threads), consumer, producer>;

template <bool TakesTurns, unsigned Stages, unsigned Blocks>
struct design {
  static constexpr bool takes_turns = TakesTurns;
  static constexpr unsigned stages = Stages;
  static constexpr unsigned blocks = Blocks;                                           // of a cluster
  static constexpr unsigned rows = takes_turns ? group_rows : consumers * group_rows;  // of a tile of C
  static constexpr unsigned stores = takes_turns ? 1 : 2;                              // under way for each warpgroup
  static constexpr unsigned bytes_per_stage = (rows + columns) * depth * sizeof(element);

  using ring = cudasync::bulk_pipeline<stages, cudasync::consumer_warpgroups<takes_turns ? 1 : consumers>, blocks>;
  using queue = cudasync::launch_queue<1, cudasync::consumer_warps<threads / 32>, blocks>;
  using order = cudasync::turns<consumers, 2, group_threads>;  // stage 0: multiply; stage 1: store

  struct memory {
    alignas(1024) element a[stages][rows][depth];
    alignas(1024) element b[stages][columns][depth];
    alignas(1024) element c[consumers][stores][group_rows][depth];
    ring pipe;
    queue tiles;
    order in_turn;
  };
};

using variant_a = design<false, 4, 1>;
using variant_b = design<false, 4, 2>;
using variant_c = design<true, 5, 2>;

struct problem {
  CUtensorMap a, b, c;
  unsigned tiles_down, tiles_right, steps;
};

struct tile_corner {
  int row, column;
};

// The tiles of a cluster lie one below the other, because tiles_down is a multiple of the number of its blocks.
template <class Design>
__device__ tile_corner find_tile(const problem& what, unsigned index) {
  constexpr unsigned band = band_rows / Design::rows;
  const unsigned first = index / (band * what.tiles_right) * band;
  const unsigned height = what.tiles_down - first < band ? what.tiles_down - first : band;
  const unsigned within = index - first * what.tiles_right;
  return {static_cast<int>((first + within % height) * Design::rows), static_cast<int>(within / height * columns)};
}

template <class Design>
__device__ void produce(typename Design::memory& shared, const problem& what, unsigned tiles) {
  const bool is_producer = cudasync::elect_one_of_warp();
  const unsigned rank = Design::blocks == 1 ? 0 : cudasync::this_cluster().block_rank();
  typename Design::ring::producer_state at;
  typename Design::queue::consumer_state tile(tiles);
  for (; !tile.is_done(); shared.tiles.next(tile)) {
    if (!is_producer) continue;
    const tile_corner corner = find_tile<Design>(what, tile.index());
    for (unsigned step = 0; step < what.steps; ++step, at.advance()) {
      const int inner = static_cast<int>(step * depth);
      const unsigned stage = at.index();
      shared.pipe.producer_acquire(at, Design::bytes_per_stage);
      shared.pipe.copy(at, shared.a[stage], &what.a, {inner, corner.row});
      if constexpr (Design::blocks == 1) {
        shared.pipe.copy(at, shared.b[stage], &what.b, {inner, corner.column});
      } else {
        constexpr unsigned share = columns / Design::blocks;
        shared.pipe.copy_to_blocks(at, shared.b[stage][rank * share], &what.b,
                                   {inner, corner.column + static_cast<int>(rank * share)}, (1 << Design::blocks) - 1);
      }
    }
  }
  if (is_producer) shared.pipe.producer_tail(at);
}

// Adds the products of a tile's rows of A, from this row of the tile on, and of its rows of B.
template <class Design>
__device__ void multiply(typename Design::memory& shared, typename Design::ring::consumer_state& at, unsigned row,
                         unsigned steps, float (&sums)[128]) {
  for (unsigned step = 0; step < steps; ++step) {
    shared.pipe.consumer_wait(at);
    const unsigned long long a = describe_rows(shared.a[at.index()][row]);
    const unsigned long long b = describe_rows(shared.b[at.index()]);
    cudasync::ptx::wgmma_fence();
#pragma unroll
    for (unsigned slice = 0; slice < depth / 16; ++slice)
      multiply_64x256x16(sums, a + 2 * slice, b + 2 * slice);  // 16 elements are two units of 16 bytes
    shared.pipe.consumer_commit(at);
  }
  shared.pipe.consumer_finish(at);
  settle(sums);
}

__device__ void synchronize_warpgroup(unsigned group) {
  if (group == 0)
    cudasync::named_barrier<1, group_threads>::sync();
  else
    cudasync::named_barrier<2, group_threads>::sync();
}

// Stores the sums of a warpgroup in boxes of 64 x 64 elements, by way of shared memory.
template <class Design>
__device__ void store(typename Design::memory& shared, cudasync::bulk_store_ring<Design::stores>& stores,
                      unsigned group, const CUtensorMap* c, tile_corner corner, const float (&sums)[128]) {
  const unsigned thread = threadIdx.x % group_threads;
  const unsigned row = thread / 32 * 16 + thread % 16;  // of the matrix row that this thread locates
  const unsigned side = thread % 32 / 16;               // the left or the right one of two matrices
#pragma unroll
  for (unsigned box = 0; box < columns / depth; ++box) {
    if (thread == 0) stores.acquire();
    synchronize_warpgroup(group);
    auto& place = shared.c[group][stores.index()];
#pragma unroll
    for (unsigned pair = 0; pair < 4; ++pair) {  // 16 columns each
      const float* const four = sums + 32 * box + 8 * pair;
      const unsigned unit = (2 * pair + side) ^ row % 8;  // of 16 bytes; the copy undoes the swizzle
      store_matrices(&place[row][8 * unit], round_to_bf16(four[0], four[1]), round_to_bf16(four[2], four[3]),
                     round_to_bf16(four[4], four[5]), round_to_bf16(four[6], four[7]));
    }
    synchronize_warpgroup(group);
    if (thread == 0) {
      cuda::device::fence_before_bulk_copy();
      cudasync::device::bulk_store(c, {corner.column + static_cast<int>(box * depth), corner.row}, place);
      stores.commit();
    } else {
      stores.skip();
    }
  }
}

template <class Design>
__device__ void consume(typename Design::memory& shared, const problem& what, unsigned tiles) {
  const unsigned group = threadIdx.x / group_threads;
  typename Design::ring::consumer_state at;
  typename Design::queue::consumer_state tile(tiles);
  cudasync::bulk_store_ring<Design::stores> stores;
  if constexpr (Design::takes_turns) {
    typename Design::order::place mine(shared.in_turn, group);
    bool is_mine = group == 0;  // tiles are for one warpgroup and the other one alternately
    for (; !tile.is_done(); shared.tiles.next(tile), is_mine = !is_mine) {
      if (!is_mine) {
        at.skip(what.steps);
        continue;
      }
      float sums[128] = {};
      mine.wait();
      multiply<Design>(shared, at, 0, what.steps, sums);
      mine.pass();
      mine.wait();
      store<Design>(shared, stores, group, &what.c, find_tile<Design>(what, tile.index()), sums);
      mine.pass();
    }
  } else {
    const unsigned row = group * group_rows;
    for (; !tile.is_done(); shared.tiles.next(tile)) {
      float sums[128] = {};
      multiply<Design>(shared, at, row, what.steps, sums);
      tile_corner corner = find_tile<Design>(what, tile.index());
      corner.row += static_cast<int>(row);
      store<Design>(shared, stores, group, &what.c, corner, sums);
    }
  }
  if (threadIdx.x % group_threads == 0) stores.drain();
}

template <class Design>
__global__ void __launch_bounds__(threads, 1) compute(const __grid_constant__ problem what) {
  alignas(1024) extern __shared__ unsigned char bytes[];
  auto& shared = *reinterpret_cast<typename Design::memory*>(bytes);
  shared.in_turn.init(cudasync::this_thread_block());
  if constexpr (Design::blocks == 1) {
    shared.tiles.init(cudasync::this_thread_block());
    shared.pipe.init(cudasync::this_thread_block());
  } else {
    shared.tiles.init(cudasync::this_cluster());
    shared.pipe.init(cudasync::this_cluster());
  }
  const unsigned tiles = what.tiles_down * what.tiles_right;
  if (threadIdx.x < consumer::threads) {
    budget::enter<consumer>();
    consume<Design>(shared, what, tiles);
  } else {
    budget::enter<producer>();
    if (threadIdx.x < consumer::threads + 32) produce<Design>(shared, what, tiles);
  }
}

// --- Host ---

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "error: %s\n", cudaGetErrorString(status));
  std::exit(status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver ? 77 : 1);  // 77: skipped, no GPU
}

// The map of a square matrix and of boxes of its elements.
CUtensorMap make_map(const element* matrix, unsigned size, unsigned box_rows) {
  cudasync::tensor_map_options options;
  options.swizzle = cudasync::tma_swizzle::bytes128;
  options.l2_fetch_size = cudasync::tma_l2_fetch_size::bytes256;
  const auto map = cudasync::make_tensor_map(matrix, {size, size}, {box_rows, depth}, options);
  if (map) return map;
  std::fprintf(stderr, "error: %s\n", map.error());
  std::exit(1);
}

struct matrices {
  unsigned size;
  element* a;
  element* b;
  element* c;
};

template <class Design>
void launch(const matrices& all) {
  problem what;
  what.a = make_map(all.a, all.size, Design::rows);
  what.b = make_map(all.b, all.size, columns / Design::blocks);
  what.c = make_map(all.c, all.size, group_rows);
  what.tiles_down = all.size / Design::rows;
  what.tiles_right = all.size / columns;
  what.steps = all.size / depth;
  const unsigned tiles = what.tiles_down * what.tiles_right;
  constexpr unsigned bytes = sizeof(typename Design::memory);
  check(cudaFuncSetAttribute(compute<Design>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {Design::blocks, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = Design::queue::blocks_to_launch(compute<Design>, tiles, threads, bytes);
  config.blockDim = threads;
  config.dynamicSmemBytes = bytes;
  config.attrs = &cluster;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, compute<Design>, what));
}

// Waits for the kernels, but not forever.
void await_kernels(const char* what) {
  const auto start = std::chrono::steady_clock::now();
  cudaError_t status = cudaErrorNotReady;
  while ((status = cudaStreamQuery(nullptr)) == cudaErrorNotReady)
    if (std::chrono::steady_clock::now() - start > std::chrono::seconds(20)) {
      std::fprintf(stderr, "error: %s does not end\nFAIL\n", what);
      std::_Exit(1);
    }
  check(status);
}

// Integers that bf16 represents, and whose sums of products float represents.
int value_of(unsigned matrix, size_t index) {
  unsigned long long bits = (index * 2 + matrix) * 0x9e3779b97f4a7c15;
  bits = (bits ^ bits >> 32) * 0xd6e8feb86659fd93;
  return static_cast<int>((bits >> 40) % 255) - 127;
}

std::vector<float> read(const matrices& all) {
  const size_t count = static_cast<size_t>(all.size) * all.size;
  std::vector<unsigned short> bits(count);
  check(cudaMemcpy(bits.data(), all.c, count * sizeof(element), cudaMemcpyDeviceToHost));
  std::vector<float> values(count);
  for (size_t index = 0; index < count; ++index) {
    const unsigned wide = static_cast<unsigned>(bits[index]) << 16;
    std::memcpy(&values[index], &wide, sizeof wide);
  }
  return values;
}

// bf16 has eight significant bits, so rounding changes a number by at most 1/256 of it.
bool is_close(float value, double exact) {
  return std::fabs(value - exact) <= std::fabs(exact) / 128;  // false for NaN
}

struct expectation {
  static constexpr unsigned samples = 4096;
  std::vector<size_t> where;
  std::vector<double> elements;
  std::vector<double> sums_of_rows;
};

expectation expect(unsigned size) {
  expectation result;
  std::vector<double> sums_of_b(size);  // of each column of B
  for (size_t row = 0; row < size; ++row)
    for (size_t inner = 0; inner < size; ++inner)
      sums_of_b[inner] += value_of(1, row * size + inner);
  for (size_t row = 0; row < size; ++row) {
    double sum = 0;
    for (size_t inner = 0; inner < size; ++inner)
      sum += value_of(0, row * size + inner) * sums_of_b[inner];
    result.sums_of_rows.push_back(sum);
  }
  for (unsigned sample = 0; sample < expectation::samples; ++sample) {
    const unsigned long long random = (sample + 1) * 0x9e3779b97f4a7c15;
    const size_t row = (random >> 44) % size, column = (random >> 24 & 0xfffff) % size;
    double sum = 0;
    for (size_t inner = 0; inner < size; ++inner)
      sum += value_of(0, row * size + inner) * value_of(1, column * size + inner);
    result.where.push_back(row * size + column);
    result.elements.push_back(sum);
  }
  return result;
}

// Checks the result, and prints the first elements that are wrong. Returns whether there are none.
bool verify(const matrices& all, const expectation& expected, const std::vector<float>& of_cublas) {
  const std::vector<float> values = read(all);
  const size_t size = all.size;
  unsigned wrong = 0, wrong_rows = 0;
  for (unsigned sample = 0; sample < expectation::samples; ++sample) {
    const size_t place = expected.where[sample];
    if (is_close(values[place], expected.elements[sample])) continue;
    if (++wrong <= 8)
      std::printf("  row %zu, column %zu: %g instead of %g\n", place / size, place % size,
                  static_cast<double>(values[place]), expected.elements[sample]);
  }
  for (size_t row = 0; row < size; ++row) {
    double sum = 0, rounding = 0;  // the variance of an error that is uniform in +-1/512 to +-1/256 of the number
    for (size_t column = 0; column < size; ++column) {
      const double value = values[row * size + column];
      sum += value;
      rounding += value / 256 * value / 256 / 3;
    }
    if (std::fabs(sum - expected.sums_of_rows[row]) <= 8 * std::sqrt(rounding)) continue;
    if (++wrong_rows <= 8)
      std::printf("  row %zu: the sum is %g instead of %g\n", row, sum, expected.sums_of_rows[row]);
  }
  std::printf("%u of %u elements and %u of %zu sums of rows are wrong\n", wrong, expectation::samples, wrong_rows,
              size);
  size_t different = 0;
  for (size_t index = 0; index < of_cublas.size(); ++index) {
    if (is_close(values[index], of_cublas[index])) continue;
    if (++different <= 8)
      std::printf("  row %zu, column %zu: %g, with cuBLAS %g\n", index / size, index % size,
                  static_cast<double>(values[index]), static_cast<double>(of_cublas[index]));
  }
  if (!of_cublas.empty()) std::printf("%zu elements differ from those of cuBLAS\n", different);
  return wrong == 0 && wrong_rows == 0 && different == 0;
}

// The median of several times of one product, in seconds.
template <class Product>
double measure(const matrices& all, Product multiply) {
  constexpr int rounds = 7, products = 10;
  double seconds[rounds];
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&stop));
  multiply(all);  // The first one loads the kernel.
  for (double& result : seconds) {
    check(cudaEventRecord(start));
    for (int product = 0; product < products; ++product)
      multiply(all);
    check(cudaEventRecord(stop));
    await_kernels("a product");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start, stop));
    result = milliseconds / 1e3 / products;
  }
  check(cudaEventDestroy(start));
  check(cudaEventDestroy(stop));
  std::sort(seconds, seconds + rounds);
  return seconds[rounds / 2];
}

int main(int argc, char** argv) {
  size_t elements = size_t{8192} * 8192;
  const char* variant = "b";
  for (int index = 1; index < argc; ++index) {
    char rest;
    if (std::strcmp(argv[index], "--variant") == 0 && index + 1 < argc)
      variant = argv[++index];
    else if (std::sscanf(argv[index], "%10zu%c", &elements, &rest) != 1 || elements < 1 || elements > 0x7fffffff)
      return std::fputs("error: the argument must be an integer from 1 to 2147483647\n", stderr), 1;
  }
  int major = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  if (major != 9) return std::fputs("skipped: only sm_90 has wgmma\n", stderr), 77;

  matrices all;
  all.size = std::max(256u, static_cast<unsigned>(std::sqrt(static_cast<double>(elements))) / 256 * 256);
  elements = static_cast<size_t>(all.size) * all.size;
  for (element** matrix : {&all.a, &all.b, &all.c})
    check(cudaMalloc(matrix, elements * sizeof(element)));
  std::vector<element> values(elements);
  for (unsigned matrix = 0; matrix < 2; ++matrix) {
    for (size_t index = 0; index < elements; ++index)
      values[index] = __float2bfloat16(static_cast<float>(value_of(matrix, index)));
    check(cudaMemcpy(matrix == 0 ? all.a : all.b, values.data(), elements * sizeof(element), cudaMemcpyHostToDevice));
  }
  std::printf("%u x %u elements\n", all.size, all.size);
  const expectation expected = expect(all.size);
  const double operations = 2.0 * static_cast<double>(elements) * all.size;

  const cublas library;
  const auto with_cublas = [&](const matrices& these) {
    if (!library.multiply(these.size, these.a, these.b, these.c))
      std::fputs("error: cublasGemmEx failed\n", stderr), std::exit(1);
  };
  std::vector<float> of_cublas;
  double time_of_cublas = 0;
  if (library.is_loaded()) {
    with_cublas(all);
    check(cudaDeviceSynchronize());
    of_cublas = read(all);
    time_of_cublas = measure(all, with_cublas);
    std::printf("cuBLAS: %.0f TFLOP/s\n", operations / time_of_cublas / 1e12);
  } else {
    std::puts("cuBLAS cannot be loaded");
  }

  bool is_right = true;
  const auto run = [&](const char* name, void (*product)(const matrices&)) {
    if (std::strcmp(variant, "all") != 0 && std::strcmp(variant, name) != 0) return;
    const std::string title = std::string("variant ") + name;
    check(cudaMemset(all.c, 0xff, elements * sizeof(element)));  // NaN
    product(all);
    await_kernels(title.c_str());
    const double time = measure(all, product);
    std::printf("%s: %.0f TFLOP/s", title.c_str(), operations / time / 1e12);
    if (library.is_loaded()) std::printf(", %.0f %% of the rate of cuBLAS", 100 * time_of_cublas / time);
    std::printf("\n");
    is_right &= verify(all, expected, of_cublas);
  };
  run("a", launch<variant_a>);
  run("b", launch<variant_b>);
  run("c", launch<variant_c>);
  if (library.is_loaded())  // again, because the GPU may have changed its clocks
    std::printf("cuBLAS: %.0f TFLOP/s\n", operations / measure(all, with_cublas) / 1e12);
  for (element* matrix : {all.a, all.b, all.c})
    check(cudaFree(matrix));
  std::puts(is_right ? "PASS" : "FAIL");
  return is_right ? 0 : 1;
}
