// Measures a matrix product on the tensor cores of Hopper with different rings: tensor_cores [--json FILE] [product].
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../examples/cublas.h"
#include "product.h"

#include <cudasync/tensor_map.h>

#include <algorithm>
#include <memory>

namespace bench { namespace {

constexpr int repetitions = 11;
constexpr int products = 10;  // in one sample
constexpr u32 sizes[] = {4096, 8192};

// Integers from -31 to 31: all sums of their products are exact in float, in any order.
__global__ void fill(element* matrix, u64 count, u64 seed) {
  const u64 step = u64{gridDim.x} * blockDim.x;
  for (u64 index = u64{blockIdx.x} * blockDim.x + threadIdx.x; index < count; index += step) {
    u64 bits = (index + seed) * 0x9e3779b97f4a7c15;
    bits = (bits ^ bits >> 32) * 0xd6e8feb86659fd93;
    matrix[index] = __float2bfloat16(static_cast<float>(static_cast<int>((bits >> 40) % 63) - 31));
  }
}

constexpr u32 side = 32;

// The expected product, without tensor cores.
__global__ void multiply_plainly(const element* a, const element* b, element* c, u32 size) {
  __shared__ float left[side][side + 1];
  __shared__ float right[side][side + 1];
  const u32 row = blockIdx.y * side + threadIdx.y;
  const u32 column = blockIdx.x * side + threadIdx.y;  // of C, whose elements are a row of B
  float sum = 0;
  for (u32 first = 0; first < size; first += side) {
    left[threadIdx.y][threadIdx.x] = __bfloat162float(a[u64{row} * size + first + threadIdx.x]);
    right[threadIdx.y][threadIdx.x] = __bfloat162float(b[u64{column} * size + first + threadIdx.x]);
    __syncthreads();
    for (u32 inner = 0; inner < side; ++inner)
      sum += left[threadIdx.y][inner] * right[threadIdx.x][inner];
    __syncthreads();
  }
  c[u64{row} * size + blockIdx.x * side + threadIdx.x] = __float2bfloat16(sum);
}

__global__ void count_differences(const element* values, const element* expected, u64 count, u32* differences) {
  const unsigned short* const bits = reinterpret_cast<const unsigned short*>(values);
  const unsigned short* const right = reinterpret_cast<const unsigned short*>(expected);
  const u64 step = u64{gridDim.x} * blockDim.x;
  for (u64 index = u64{blockIdx.x} * blockDim.x + threadIdx.x; index < count; index += step)
    if (bits[index] != right[index]) atomicAdd(differences, 1);
}

CUtensorMap make_map(const element* matrix, u32 size, u32 box_rows) {
  cudasync::tensor_map_options options;
  options.swizzle = cudasync::tma_swizzle::bytes128;
  options.l2_fetch_size = cudasync::tma_l2_fetch_size::bytes256;
  const auto map = cudasync::make_tensor_map(matrix, {size, size}, {box_rows, product_depth}, options);
  if (!map) check(cudaErrorInvalidValue, map.error());
  return map;
}

struct matrices {
  u32 size;
  u64 count = u64{size} * size;
  device_array<element> a{count}, b{count}, c{count}, expected{count};

  explicit matrices(u32 of_side) : size(of_side) {
    fill<<<1024, 256>>>(a.data(), count, 0);
    fill<<<1024, 256>>>(b.data(), count, count);
    multiply_plainly<<<dim3(size / side, size / side), dim3(side, side)>>>(a.data(), b.data(), expected.data(), size);
    check(cudaDeviceSynchronize(), "the expected product");
  }

  product_task task() const {
    return {make_map(a.data(), size, product_rows),
            make_map(b.data(), size, product_columns / product_blocks),
            make_map(c.data(), size, group_rows),
            size / product_rows,
            size / product_columns,
            size / product_depth};
  }
};

// As many clusters as fit on the GPU.
u32 blocks_to_launch(const void* kernel, u32 tiles) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, product_shared_bytes),
        "shared memory");
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {product_blocks, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = tiles;
  config.blockDim = product_threads;
  config.dynamicSmemBytes = product_shared_bytes;
  config.attrs = &cluster;
  config.numAttrs = 1;
  int clusters = 0;
  check(cudaOccupancyMaxActiveClusters(&clusters, kernel, &config), "clusters");
  return std::min(tiles, static_cast<u32>(clusters) * product_blocks);
}

// Returns the time of one product, from several one after the other.
template <class Product>
double time_of(const std::string& what, Product multiply) {
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start), what);
  check(cudaEventCreate(&stop), what);
  check(cudaEventRecord(start, nullptr), what);
  for (int product = 0; product < products; ++product)
    multiply();
  check(cudaEventRecord(stop, nullptr), what);
  check(cudaDeviceSynchronize(), what);
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start, stop), what);
  check(cudaEventDestroy(start), what);
  check(cudaEventDestroy(stop), what);
  return static_cast<double>(milliseconds) * 1000 / products;
}

void run_product(report& results) {
  if (gpu::current().major != 9) {
    std::printf("skipped: only sm_90 has wgmma\n");
    return;
  }
  const cublas library;
  if (library.is_loaded())
    contestants().push_back({"product", product_name, "cuBLAS", "reference", "sm90", nullptr, nullptr});
  else
    std::printf("cuBLAS cannot be loaded\n");

  std::vector<std::unique_ptr<matrices>> problems;
  std::vector<std::string> names;
  for (const u32 size : sizes) {
    problems.push_back(std::make_unique<matrices>(size));
    names.push_back(std::to_string(size) + " x " + std::to_string(size));
  }
  device_array<u32> differences(1);
  const auto sample = [&](const contestant& who, std::size_t index) {
    const matrices& all = *problems[index];
    check(cudaMemset(all.c.data(), 0xff, all.count * sizeof(element)), who.name);  // NaN
    check(cudaMemset(differences.data(), 0, sizeof(u32)), who.name);
    double spent = 0;
    if (who.kernel == nullptr) {
      spent = time_of(who.name, [&] {
        if (!library.multiply(all.size, all.a.data(), all.b.data(), all.c.data()))
          check(cudaErrorUnknown, "cublasGemmEx");
      });
    } else {
      product_task task = all.task();
      void* arguments[] = {&task};
      const u32 blocks = blocks_to_launch(who.kernel, task.tiles_down * task.tiles_right);
      spent = time_of(who.name, [&] {
        check(cudaLaunchKernel(who.kernel, blocks, product_threads, arguments, product_shared_bytes, nullptr),
              who.name);
      });
    }
    count_differences<<<1024, 256>>>(all.c.data(), all.expected.data(), all.count, differences.data());
    return checked(spent, differences.copy()[0], u32{0}, who);
  };
  results.add(measure(enrolled("product", product_name), names.size(), repetitions, sample), names, product_name,
              "us per product");
}

}}  // namespace bench

int main(int count, char** words) {
  return bench::run_suites(count, words, {{"product", bench::run_product}});
}
