// make_im2col_map: each limit from both sides with its sentence, and the arguments that reach the driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"
#include "tensor_maps.h"

#include <cudasync/backend/tensor/im2col_limits.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

using cudasync::tensor_element;
using cudasync::tma_interleave_layout;
using cudasync::tma_oob_fill;
using cudasync::tma_swizzle;
using cudasync::backend::im2col_description;

// Images of 14 x 14 pixels with 64 channels of halves, and a filter of 3 x 3 pixels without padding.
im2col_description images() {
  im2col_description what;
  what.element = tensor_element::f16;
  what.address = reinterpret_cast<const void*>(0x10000);
  what.extents = sizes({8, 14, 14, 64});
  what.lower = sizes({0, 0});
  what.upper = sizes({-2, -2});
  what.channels = 64;
  what.pixels = 128;
  return what;
}

// rank: 3 or 5
im2col_description lines_or_volumes(int rank) {
  im2col_description what = images();
  what.extents = rank == 3 ? sizes({8, 70000, 64}) : sizes({8, 40, 40, 40, 64});
  what.lower = rank == 3 ? sizes({0}) : sizes({0, 0, 0});
  what.upper = what.lower;
  return what;
}

void check(const std::vector<limit_of<im2col_description>>& limits) {
  check_both_sides(limits);
}

#define WITH(...) [](im2col_description& what) { __VA_ARGS__; }

TEST_CASE("numbers of dimensions") {
  check({
      {images(),
       {},
       WITH(what.extents = sizes({14, 64})),
       "the tensor has 2 dimensions, the least of an im2col map is 3 (N, W and C): add dimensions of 1"},
      {images(),
       {},
       WITH(what.extents = sizes({1, 1, 1, 1, 1, 8})),
       "the tensor has 6 dimensions, the most is 5: merge dimensions that are contiguous"},
      {images(),
       {},
       WITH(what.lower = sizes({0})),
       "lower_corner has 1 dimensions, the tensor has 4: give one offset for each dimension between the first (N) and "
       "the last (C)"},
      {images(),
       {},
       WITH(what.upper = sizes({0, 0, 0})),
       "upper_corner has 3 dimensions, the tensor has 4: give one offset for each dimension between the first (N) and "
       "the last (C)"},
      {images(), WITH(what.steps = sizes({1, 2, 2, 1})), WITH(what.steps = sizes({2, 2})),
       "element_strides has 2 dimensions, the tensor has 4: give one for each dimension, or none"},
  });
}

TEST_CASE("corners") {
  check({
      {lines_or_volumes(3), WITH(what.lower = sizes({-32768})), WITH(what.lower = sizes({-32769})),
       "lower_corner[0] is -32769, a tensor of 3 dimensions has offsets from -32768 to 32767"},
      {lines_or_volumes(3), WITH(what.upper = sizes({32767})), WITH(what.upper = sizes({32768})),
       "upper_corner[0] is 32768, a tensor of 3 dimensions has offsets from -32768 to 32767"},
      {images(), WITH(what.lower = sizes({0, -128})), WITH(what.lower = sizes({0, -129})),
       "lower_corner[1] is -129, a tensor of 4 dimensions has offsets from -128 to 127"},
      {images(), WITH(what.upper = sizes({127, 0})), WITH(what.upper = sizes({128, 0})),
       "upper_corner[0] is 128, a tensor of 4 dimensions has offsets from -128 to 127"},
      {lines_or_volumes(5), WITH(what.upper = sizes({0, 0, -16})), WITH(what.upper = sizes({0, 0, -17})),
       "upper_corner[2] is -17, a tensor of 5 dimensions has offsets from -16 to 15"},
      {lines_or_volumes(5), WITH(what.lower = sizes({15, 0, 0})), WITH(what.lower = sizes({16, 0, 0})),
       "lower_corner[0] is 16, a tensor of 5 dimensions has offsets from -16 to 15"},
  });
}

TEST_CASE("the bounding box has a pixel in each dimension") {
  check({
      {images(), WITH(what.upper = sizes({-13, -2})), WITH(what.upper = sizes({-14, -2})),
       "the bounding box has 0 pixels in dimension 1, the least is 1: lower lower_corner[0], or raise upper_corner[0]"},
      {images(), WITH(what.lower = sizes({0, 11})), WITH(what.lower = sizes({0, 13})),
       "the bounding box has -1 pixels in dimension 2, the least is 1: lower lower_corner[1], or raise "
       "upper_corner[1]"},
  });
}

TEST_CASE("columns") {
  check({
      {images(), WITH(what.channels = 256), WITH(what.channels = 257),
       "channels is 257, the most is 256: split the tile"},
      {images(), WITH(what.channels = 1), WITH(what.channels = 0), "channels is 0, the least is 1"},
      {images(), WITH(what.pixels = 1024), WITH(what.pixels = 1025),
       "pixels is 1025, the most is 1024: split the tile"},
      {images(), WITH(what.pixels = 1), WITH(what.pixels = 0), "pixels is 0, the least is 1"},
      {images(), WITH(what.swizzle = tma_swizzle::bytes128), WITH(what.swizzle = tma_swizzle::bytes64),
       "channels is 64 (128 bytes), the most with tma_swizzle::bytes64 is 64 bytes: split the tile"},
      {images(),
       WITH(what.element = tensor_element::b4x16_p64; what.extents = sizes({8, 14, 14, 128}); what.channels = 128),
       WITH(what.element = tensor_element::b4x16_p64; what.extents = sizes({8, 14, 14, 128})),
       "channels is 64, which of type b4x16_p64 must be 128"},
  });
}

TEST_CASE("limits that tiles have, too") {
  check({
      {images(), WITH(what.address = reinterpret_cast<const void*>(0x10010)),
       WITH(what.address = reinterpret_cast<const void*>(0x10008)),
       "the address 0x10008 is not a multiple of 16 bytes: begin the tensor at an aligned element, and add the "
       "difference to the coordinates"},
      {images(), WITH(what.extents = sizes({1, 14, 14, 64})), WITH(what.extents = sizes({0, 14, 14, 64})),
       "extents[0] is 0 elements, the least is 1: make no map of an empty tensor"},
      {images(), WITH(what.extents = sizes({8, 14, 14, 72})), WITH(what.extents = sizes({8, 14, 14, 68})),
       "strides[2], computed from the extents, is 68 elements (136 bytes), which must be a multiple of 16 bytes: pad the "
       "rows"},
      {images(), WITH(what.steps = sizes({1, 8, 8, 9})), WITH(what.steps = sizes({1, 9, 8, 1})),
       "element_strides[1] is 9 elements, the most is 8: use a larger stride of the tensor"},
      {images(), WITH(what.interleave = tma_interleave_layout::bytes32; what.swizzle = tma_swizzle::bytes32),
       WITH(what.interleave = tma_interleave_layout::bytes32),
       "tma_interleave_layout::bytes32 needs tma_swizzle::bytes32, the swizzle is tma_swizzle::none"},
      {images(), WITH(what.fill = tma_oob_fill::nan),
       WITH(what.fill = tma_oob_fill::nan; what.element = tensor_element::u16),
       "tma_oob_fill::nan needs elements of a floating-point type, they are u16: use tma_oob_fill::none, which loads "
       "zeros"},
  });
}

// The driver's side needs <cuda.h>, which CMake gives this program where there is a toolkit.
#if __has_include(<cuda.h>) && __has_include(<cuda_runtime_api.h>)

#include <cudasync/tensor_map.h>

// A runtime and a driver of the test: the program does not link NVIDIA's.
namespace {

std::string symbol_asked;

struct {
  cuuint32_t rank, channels, pixels;
  CUtensorMapDataType type;
  void* address;
  std::vector<cuuint64_t> extents, strides;
  std::vector<int> lower, upper;
  std::vector<cuuint32_t> steps;
  CUtensorMapSwizzle swizzle;
} seen;

CUresult encode(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address, const cuuint64_t* extents,
                const cuuint64_t* strides, const int* lower, const int* upper, cuuint32_t channels, cuuint32_t pixels,
                const cuuint32_t* steps, CUtensorMapInterleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                CUtensorMapFloatOOBfill) {
  seen = {rank,
          channels,
          pixels,
          type,
          address,
          {extents, extents + rank},
          {strides, strides + rank - 1},
          {lower, lower + rank - 2},
          {upper, upper + rank - 2},
          {steps, steps + rank},
          swizzle};
  std::memset(map, 0x5a, sizeof *map);
  return CUDA_SUCCESS;
}

cudaError_t find(const char* symbol, void** function, cudaDriverEntryPointQueryResult* found) {
  symbol_asked = symbol;
  *function = reinterpret_cast<void*>(&encode);
  *found = cudaDriverEntryPointSuccess;
  return cudaSuccess;
}

}  // namespace

extern "C" {
#if CUDART_VERSION >= 12050
cudaError_t CUDARTAPI cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version,
                                                       unsigned long long, cudaDriverEntryPointQueryResult* found) {
  CHECK(version == 12000);
  return find(symbol, function, found);
}
#else
cudaError_t CUDARTAPI cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long,
                                              cudaDriverEntryPointQueryResult* found) {
  return find(symbol, function, found);
}
#endif
cudaError_t CUDARTAPI cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  *value = attribute == cudaDevAttrComputeCapabilityMajor ? 9 : 0;
  return cudaSuccess;
}
const char* CUDARTAPI cudaGetErrorString(cudaError_t) {
  return "an error";
}
}

TEST_CASE("the driver gets the innermost dimension first") {
  float* const volume = reinterpret_cast<float*>(std::uintptr_t{0x20000});
  cudasync::im2col_box box;
  box.lower_corner = {-1, -2, -3};
  box.upper_corner = {1, 2, 3};
  box.channels = 32;
  box.pixels = 64;
  cudasync::tensor_map_options options;
  options.swizzle = tma_swizzle::bytes128;
  options.element_strides = {1, 2, 3, 4, 1};
  const auto map = cudasync::make_im2col_map(volume, {8, 10, 12, 14, 32}, box, options);
  REQUIRE(map);
  CHECK(symbol_asked == "cuTensorMapEncodeIm2col");
  CHECK(seen.rank == 5);
  CHECK(seen.type == CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
  CHECK(seen.address == volume);
  CHECK(seen.extents == std::vector<cuuint64_t>{32, 14, 12, 10, 8});
  CHECK(seen.strides == std::vector<cuuint64_t>{128, 1792, 21504, 215040});
  CHECK(seen.lower == std::vector<int>{-3, -2, -1});
  CHECK(seen.upper == std::vector<int>{3, 2, 1});
  CHECK(seen.channels == 32);
  CHECK(seen.pixels == 64);
  CHECK(seen.steps == std::vector<cuuint32_t>{1, 4, 3, 2, 1});
  CHECK(seen.swizzle == CU_TENSOR_MAP_SWIZZLE_128B);
  const CUtensorMap copy = map;
  CHECK(copy.opaque[0] == 0x5a5a5a5a5a5a5a5a);
}

TEST_CASE("an error is a sentence, and the driver is not asked") {
  symbol_asked = "";
  float* const lines = reinterpret_cast<float*>(std::uintptr_t{0x20000});
  const auto none = cudasync::make_im2col_map(lines, {8, 100, 32}, {{0}, {-2}, 32, 2000});
  CHECK_FALSE(none);
  CHECK(none.error() == std::string("pixels is 2000, the most is 1024: split the tile"));
  CHECK(symbol_asked == "");
  CHECK_THROWS_AS(static_cast<void>(static_cast<CUtensorMap>(none)), std::invalid_argument);
}

#endif
