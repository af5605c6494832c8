// launch_queue::blocks_to_launch with a runtime of our own: what it asks, and what it makes of the answers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"

// CMake gives this program the toolkit's headers where there is a toolkit.
#if __has_include(<cuda_runtime_api.h>)

#include <cudasync/backend/grid/launch_host.h>

#include <string>
#include <vector>

using cudasync::backend::blocks_to_launch;

namespace {

// The code of a kernel on a device, and how many blocks or clusters it has room for.
struct device {
  int ptx_version, binary_version;
  int number, multiprocessors, blocks_of_each, clusters;
  std::string fails;  // the function of the runtime that reports an error
};
device now;
std::vector<std::string> asked;

const int kernel = 0;
constexpr unsigned threads = 96;
constexpr std::size_t shared_bytes = 12288;

// 7 multiprocessors for 3 blocks each, or 5 clusters.
unsigned blocks(int ptx_version, int binary_version, unsigned tiles, const std::string& fails = "") {
  asked.clear();
  now = {ptx_version, binary_version, 2, 7, 3, 5, fails};
  return blocks_to_launch<1>(&kernel, tiles, threads, shared_bytes);
}
unsigned blocks_in_clusters_of_4(int ptx_version, int binary_version, unsigned tiles, const std::string& fails = "") {
  asked.clear();
  now = {ptx_version, binary_version, 2, 7, 3, 5, fails};
  return blocks_to_launch<4>(&kernel, tiles, threads, shared_bytes);
}

cudaError_t answer(const char* name) {
  asked.push_back(name);
  return now.fails == name ? cudaErrorUnknown : cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t CUDARTAPI cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  CHECK(function == &kernel);
  *attributes = {};
  attributes->ptxVersion = now.ptx_version;
  attributes->binaryVersion = now.binary_version;
  return answer("cudaFuncGetAttributes");
}
cudaError_t CUDARTAPI cudaGetDevice(int* device) {
  *device = now.number;
  return answer("cudaGetDevice");
}
cudaError_t CUDARTAPI cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  CHECK(which == cudaDevAttrMultiProcessorCount);
  CHECK(device == now.number);
  *value = now.multiprocessors;
  return answer("cudaDeviceGetAttribute");
}
cudaError_t CUDARTAPI cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int block_size,
                                                                    std::size_t dynamic_bytes) {
  CHECK(function == &kernel);
  CHECK(block_size == static_cast<int>(threads));
  CHECK(dynamic_bytes == shared_bytes);
  *blocks = now.blocks_of_each;
  return answer("cudaOccupancyMaxActiveBlocksPerMultiprocessor");
}
cudaError_t CUDARTAPI cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                                     const cudaLaunchConfig_t* launch) {
  CHECK(function == &kernel);
  CHECK(launch->blockDim.x == threads);
  CHECK(launch->blockDim.y * launch->blockDim.z == 1);
  CHECK(launch->gridDim.x % 4 == 0);
  CHECK(launch->dynamicSmemBytes == shared_bytes);
  REQUIRE(launch->numAttrs == 1);
  CHECK(launch->attrs->id == cudaLaunchAttributeClusterDimension);
  CHECK(launch->attrs->val.clusterDim.x == 4);
  CHECK(launch->attrs->val.clusterDim.y == 1);
  CHECK(launch->attrs->val.clusterDim.z == 1);
  *clusters = now.clusters;
  return answer("cudaOccupancyMaxActiveClusters");
}

}  // extern "C"

TEST_CASE("code that cancels launches gets a block for each tile") {
  for (const int architecture : {100, 101, 103, 110, 120, 121}) {
    CAPTURE(architecture);
    CHECK(blocks(architecture, architecture, 1000) == 1000);
    CHECK(asked == std::vector<std::string>{"cudaFuncGetAttributes"});
    CHECK(blocks_in_clusters_of_4(architecture, architecture, 1000) == 1000);
  }
  // Compiled by the driver for a newer device.
  CHECK(blocks(100, 120, 1000) == 1000);
}

TEST_CASE("other code gets as many blocks as the device can hold") {
  for (const int architecture : {70, 75, 80, 86, 89, 90}) {
    CAPTURE(architecture);
    CHECK(blocks(architecture, architecture, 1000) == 21);
  }
  CHECK(blocks_in_clusters_of_4(90, 90, 1000) == 20);
  // The code for an older architecture cancels nothing, also where the driver has compiled it for a new device.
  CHECK(blocks(90, 100, 1000) == 21);
  CHECK(blocks(80, 120, 1000) == 21);
  CHECK(blocks_in_clusters_of_4(90, 100, 1000) == 20);
}

TEST_CASE("never more blocks than tiles") {
  CHECK(blocks(90, 90, 22) == 21);
  CHECK(blocks(90, 90, 21) == 21);
  CHECK(blocks(90, 90, 20) == 20);
  CHECK(blocks(90, 90, 1) == 1);
  CHECK(blocks_in_clusters_of_4(90, 90, 24) == 20);
  CHECK(blocks_in_clusters_of_4(90, 90, 16) == 16);
}

TEST_CASE("no blocks where the runtime reports an error") {
  for (const char* const function : {"cudaFuncGetAttributes", "cudaGetDevice", "cudaDeviceGetAttribute",
                                     "cudaOccupancyMaxActiveBlocksPerMultiprocessor"}) {
    CAPTURE(function);
    CHECK(blocks(90, 90, 1000, function) == 0);
    CHECK(asked.back() == function);
  }
  for (const char* const function : {"cudaFuncGetAttributes", "cudaOccupancyMaxActiveClusters"}) {
    CAPTURE(function);
    CHECK(blocks_in_clusters_of_4(90, 90, 1000, function) == 0);
    CHECK(asked.back() == function);
  }
}

#endif
