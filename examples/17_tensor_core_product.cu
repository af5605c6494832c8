// A matrix product on the tensor cores of Hopper or Blackwell: a persistent kernel with a ring of tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program computes C = A B' for square matrices of bf16, all of them row-major, and adds in float. In each block, one
// thread fills a ring of stages with boxes of A and B. A launch_queue gives each block one tile of C after another, so
// that blocks that run at the same time share rows of A and of B in the L2 cache. The kernels are in
// tensor_core_product.h.
//
// Hopper (sm_90a): two warpgroups multiply with wgmma. The variants:
//
//   a  both warpgroups multiply the two halves of a tile of 128 x 256 elements
//   b  the same; two blocks of a cluster share each box of B, and each of them loads one half of it for both
//   c  each warpgroup has its own tiles, of 64 x 256 elements. They take turns: one multiplies while the other one
//      stores its tile. Two blocks share each box of B.
//
// Blackwell (sm_100a): one thread multiplies with tcgen05.mma, and eight warps store the tile before meanwhile. Variants
// a and b load the same boxes as on Hopper. This code has been compiled, but it has never run on a GPU.
//
// If cuBLAS can be loaded, the program also times cuBLAS, and compares all elements with its result.
//
// needs: sm_90a or sm_100a
// 17_tensor_core_product [elements of a matrix] [--variant a|b|c|all] prints, with different rates:
// expect: 8192 x 8192 elements
// expect: variant b: [0-9]+ TFLOP/s
// expect: 0 of 4096 elements and 0 of 8192 sums of rows are wrong
// PASS
#include "cublas.h"
#include "tensor_core_product.h"

#include <cuda_bf16.h>
#include <cudasync/tensor_map.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using hopper_a = hopper_design<false, 4, 1>;
using hopper_b = hopper_design<false, 4, 2>;
using hopper_c = hopper_design<true, 5, 2>;
using blackwell_a = blackwell_design<1>;
using blackwell_b = blackwell_design<2>;

template <class Design>
__global__ void __launch_bounds__(threads, 1) compute(const __grid_constant__ problem what) {
  compute_tiles<Design>(what);
}

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "error: %s\n", cudaGetErrorString(status));
  std::exit(status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver ? 77 : 1);  // 77: skipped, no GPU
}

// The map of a square matrix and of boxes of its elements.
CUtensorMap make_map(const __nv_bfloat16* matrix, unsigned size, unsigned box_rows) {
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
  __nv_bfloat16* a;
  __nv_bfloat16* b;
  __nv_bfloat16* c;
};

template <class Design>
void launch(const matrices& all) {
  problem what;
  what.a = make_map(all.a, all.size, Design::rows);
  what.b = make_map(all.b, all.size, columns / Design::blocks);
  what.c = make_map(all.c, all.size, Design::store_rows);
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
  if (major != 9 && major != 10)
    return std::fputs("skipped: only sm_90 has wgmma, and only sm_100 tcgen05\n", stderr), 77;

  matrices all;
  all.size = std::max(256u, static_cast<unsigned>(std::sqrt(static_cast<double>(elements))) / 256 * 256);
  elements = static_cast<size_t>(all.size) * all.size;
  for (__nv_bfloat16** matrix : {&all.a, &all.b, &all.c})
    check(cudaMalloc(matrix, elements * sizeof(element)));
  std::vector<__nv_bfloat16> values(elements);
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
  run("a", major == 9 ? launch<hopper_a> : launch<blackwell_a>);
  run("b", major == 9 ? launch<hopper_b> : launch<blackwell_b>);
  if (major == 9) run("c", launch<hopper_c>);
  if (library.is_loaded())  // again, because the GPU may have changed its clocks
    std::printf("cuBLAS: %.0f TFLOP/s\n", operations / measure(all, with_cublas) / 1e12);
  for (__nv_bfloat16* matrix : {all.a, all.b, all.c})
    check(cudaFree(matrix));
  std::puts(is_right ? "PASS" : "FAIL");
  return is_right ? 0 : 1;
}
