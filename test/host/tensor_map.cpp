// make_tensor_map: each limit from both sides with its sentence, and the arguments that reach the driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"
#include "tensor_maps.h"

#include <cudasync/backend/tensor/tensor_limits.h>
#include <cudasync/backend/tensor/tensor_source.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

using cudasync::tensor_element;
using cudasync::tma_interleave_layout;
using cudasync::tma_oob_fill;
using cudasync::tma_swizzle;
using cudasync::backend::tensor_description;

constexpr std::int64_t two_to_32 = 4294967296, two_to_40 = 1099511627776;

const void* address(std::uintptr_t bytes) {
  return reinterpret_cast<const void*>(bytes);
}

// A matrix of 64 x 64 floats with boxes of 8 x 32.
tensor_description matrix() {
  tensor_description what;
  what.element = tensor_element::f32;
  what.address = address(0x10000);
  what.extents = sizes({64, 64});
  what.box = sizes({8, 32});
  return what;
}

// 4 x 8 x 64 halves in slices of 16 or 32 bytes.
tensor_description interleaved(tma_interleave_layout layout) {
  tensor_description what = matrix();
  what.element = tensor_element::f16;
  what.extents = sizes({4, 8, 64});
  what.box = sizes({1, 8, 8});
  what.interleave = layout;
  what.swizzle = layout == tma_interleave_layout::bytes32 ? tma_swizzle::bytes32 : tma_swizzle::none;
  return what;
}

tensor_description packed(tensor_element element) {
  tensor_description what = matrix();
  what.element = element;
  what.extents = sizes({8, 256});
  what.box = sizes({8, 128});
  return what;
}

void check(const std::vector<limit_of<tensor_description>>& limits) {
  check_both_sides(limits);
}

#define WITH(...) [](tensor_description& what) { __VA_ARGS__; }

TEST_CASE("numbers of dimensions") {
  const tensor_description five = [] {
    tensor_description what = matrix();
    what.extents = sizes({2, 2, 2, 2, 64});
    what.box = sizes({1, 1, 1, 1, 4});
    return what;
  }();
  check({
      {five,
       {},
       WITH(what.extents = sizes({2, 2, 2, 2, 2, 64})),
       "the tensor has 6 dimensions, the most is 5: merge dimensions that are contiguous"},
      {matrix(), WITH(what.extents = sizes({64}); what.box = sizes({64})), WITH(what.extents = {}),
       "the tensor has 0 dimensions, the least is 1: give its extents"},
      {matrix(), WITH(what.box = sizes({8, 32})), WITH(what.box = sizes({32})),
       "box has 1 dimensions, the tensor has 2: give one size for each dimension of the tensor"},
      {matrix(), WITH(what.strides = sizes({64, 1})), WITH(what.strides = sizes({64})),
       "strides has 1 dimensions, the tensor has 2: give one stride for each dimension, or none"},
      {matrix(), WITH(what.steps = sizes({1, 1})), WITH(what.steps = sizes({1, 1, 1})),
       "element_strides has 3 dimensions, the tensor has 2: give one for each dimension, or none"},
      {interleaved(tma_interleave_layout::bytes16),
       {},
       WITH(what.extents = sizes({8, 64}); what.box = sizes({8, 8})),
       "the tensor has 2 dimensions, the least with an interleaved layout is 3: add outer dimensions of 1, or use "
       "tma_interleave_layout::none"},
  });
}

TEST_CASE("formats that exclude each other") {
  check({
      {packed(tensor_element::b6x16_p32),
       {},
       WITH(what.interleave = tma_interleave_layout::bytes16; what.extents = sizes({1, 8, 256});
            what.box = sizes({1, 8, 128})),
       "elements of type b6x16_p32 need tma_interleave_layout::none"},
      {interleaved(tma_interleave_layout::bytes32),
       {},
       WITH(what.swizzle = tma_swizzle::bytes64),
       "tma_interleave_layout::bytes32 needs tma_swizzle::bytes32, the swizzle is tma_swizzle::bytes64"},
      {interleaved(tma_interleave_layout::bytes32),
       {},
       WITH(what.swizzle = tma_swizzle::none),
       "tma_interleave_layout::bytes32 needs tma_swizzle::bytes32, the swizzle is tma_swizzle::none"},
      {packed(tensor_element::b4x16_p64), WITH(what.swizzle = tma_swizzle::bytes128),
       WITH(what.swizzle = tma_swizzle::bytes64),
       "tma_swizzle::bytes64 cannot be used with elements of type b4x16_p64: use bytes128, or none"},
      {packed(tensor_element::b4x16_p64), WITH(what.swizzle = tma_swizzle::bytes128_atom_32B),
       WITH(what.swizzle = tma_swizzle::bytes128_atom_64B),
       "tma_swizzle::bytes128_atom_64B cannot be used with elements of type b4x16_p64: use bytes128, or none"},
      {packed(tensor_element::b6x16_p32), WITH(what.swizzle = tma_swizzle::bytes128_atom_64B),
       WITH(what.swizzle = tma_swizzle::bytes128_atom_32B_flip_8B),
       "tma_swizzle::bytes128_atom_32B_flip_8B cannot be used with elements of type b6x16_p32: use bytes128, or none"},
      {packed(tensor_element::b6x16_p32), WITH(what.swizzle = tma_swizzle::none),
       WITH(what.swizzle = tma_swizzle::bytes32),
       "tma_swizzle::bytes32 cannot be used with elements of type b6x16_p32: use bytes128, or none"},
      {matrix(), WITH(what.fill = tma_oob_fill::nan),
       WITH(what.fill = tma_oob_fill::nan; what.element = tensor_element::s32),
       "tma_oob_fill::nan needs elements of a floating-point type, they are s32: use tma_oob_fill::none, which loads "
       "zeros"},
  });
}

TEST_CASE("NaN is for floating-point elements") {
  using element = tensor_element;
  for (const element floating :
       {element::f16, element::f32, element::f64, element::bf16, element::f32_ftz, element::tf32, element::tf32_ftz}) {
    CHECK(error_of(matrix(), [&](auto& what) { what.element = floating, what.fill = tma_oob_fill::nan; }) == "");
  }
  for (const element other : {element::u8, element::u16, element::u32, element::s32, element::u64, element::s64,
                              element::b4x16, element::b4x16_p64, element::b6x16_p32}) {
    CHECK(error_of(packed(other), [](auto& what) { what.fill = tma_oob_fill::nan; }).find("tma_oob_fill::nan needs") ==
          0);
  }
}

TEST_CASE("addresses") {
  check({
      {matrix(), WITH(what.address = address(0x10010)), WITH(what.address = address(0x10008)),
       "the address 0x10008 is not a multiple of 16 bytes: begin the tensor at an aligned element, and add the "
       "difference to the coordinates"},
      {interleaved(tma_interleave_layout::bytes16), WITH(what.address = address(0x10010)),
       WITH(what.address = address(0x10018)),
       "the address 0x10018 is not a multiple of 16 bytes: begin the tensor at an aligned element, and add the "
       "difference to the coordinates"},
      {interleaved(tma_interleave_layout::bytes32), WITH(what.address = address(0x10020)),
       WITH(what.address = address(0x10010)),
       "the address 0x10010 is not a multiple of 32 bytes: begin the tensor at an aligned element, and add the "
       "difference to the coordinates"},
      {packed(tensor_element::b4x16_p64), WITH(what.address = address(0x10020)), WITH(what.address = address(0x10010)),
       "the address 0x10010 is not a multiple of 32 bytes: begin the tensor at an aligned element, and add the "
       "difference to the coordinates"},
      {packed(tensor_element::b6x16_p32), WITH(what.address = nullptr), WITH(what.address = address(0x10030)),
       "the address 0x10030 is not a multiple of 32 bytes: begin the tensor at an aligned element, and add the "
       "difference to the coordinates"},
      {packed(tensor_element::b4x16), WITH(what.address = address(0x10010)), WITH(what.address = address(0x10011)),
       "the address 0x10011 is not a multiple of 16 bytes: begin the tensor at an aligned element, and add the "
       "difference to the coordinates"},
  });
}

TEST_CASE("extents") {
  check({
      {matrix(), WITH(what.extents = sizes({1, 64})), WITH(what.extents = sizes({0, 64})),
       "extents[0] is 0 elements, the least is 1: make no map of an empty tensor"},
      {matrix(), WITH(what.extents = sizes({64, 4})), WITH(what.extents = sizes({64, -4})),
       "extents[1] is -4 elements, the least is 1: make no map of an empty tensor"},
      {matrix(), WITH(what.extents = sizes({two_to_32, 64})), WITH(what.extents = sizes({two_to_32 + 1, 64})),
       "extents[0] is 4294967297 elements, the most is 4294967296: split the tensor"},
      {matrix(), WITH(what.extents = sizes({64, two_to_32})), WITH(what.extents = sizes({64, two_to_32 + 4})),
       "extents[1] is 4294967300 elements, the most is 4294967296: split the tensor"},
      {packed(tensor_element::b4x16_p64), WITH(what.extents = sizes({8, 128})), WITH(what.extents = sizes({8, 192})),
       "extents[1] is 192 elements, which of type b4x16_p64 must be a multiple of 128: pad the rows"},
      {packed(tensor_element::b6x16_p32), WITH(what.extents = sizes({8, 384})), WITH(what.extents = sizes({8, 320})),
       "extents[1] is 320 elements, which of type b6x16_p32 must be a multiple of 128: pad the rows"},
      {packed(tensor_element::b4x16), WITH(what.extents = sizes({8, 34}); what.strides = sizes({64, 1})),
       WITH(what.extents = sizes({8, 33}); what.strides = sizes({64, 1})),
       "extents[1] is 33 elements, which of type b4x16 must be a multiple of 2: pad the rows"},
  });
}

TEST_CASE("strides") {
  check({
      {matrix(), WITH(what.strides = sizes({64, 1})), WITH(what.strides = sizes({1, 64})),
       "strides[1] is 64 elements, the innermost stride must be 1: order the dimensions so that the contiguous one is "
       "last"},
      {matrix(), WITH(what.strides = sizes({0, 1})), WITH(what.strides = sizes({-64, 1})),
       "strides[0] is -64 elements, the least is 0: reverse the dimension"},
      {matrix(), WITH(what.strides = sizes({68, 1})), WITH(what.strides = sizes({66, 1})),
       "strides[0] is 66 elements (264 bytes), which must be a multiple of 16 bytes: pad the rows"},
      {matrix(), WITH(what.extents = sizes({64, 68})), WITH(what.extents = sizes({64, 65})),
       "strides[0], computed from the extents, is 65 elements (260 bytes), which must be a multiple of 16 bytes: pad "
       "the rows"},
      {matrix(), WITH(what.strides = sizes({two_to_40 / 4 - 4, 1})), WITH(what.strides = sizes({two_to_40 / 4, 1})),
       "strides[0] is 274877906944 elements (1099511627776 bytes), which must be less than 1099511627776 bytes: split "
       "the tensor"},
      {interleaved(tma_interleave_layout::none), WITH(what.extents = sizes({4, 64, two_to_32})),
       WITH(what.extents = sizes({4, 128, two_to_32})),
       "strides[0], computed from the extents, is 549755813888 elements (1099511627776 bytes), which must be less than "
       "1099511627776 bytes: split the tensor"},
      {interleaved(tma_interleave_layout::bytes16), WITH(what.extents = sizes({4, 8, 24})),
       WITH(what.extents = sizes({4, 8, 28})),
       "strides[1], computed from the extents, is 28 elements (56 bytes), which must be a multiple of 16 bytes: pad "
       "the rows"},
      {interleaved(tma_interleave_layout::bytes32), WITH(what.extents = sizes({4, 8, 16})),
       WITH(what.strides = sizes({512, 24, 1})),
       "strides[1] is 24 elements (48 bytes), which must be a multiple of 32 bytes: pad the rows"},
      {packed(tensor_element::b4x16_p64), WITH(what.strides = sizes({320, 1})), WITH(what.strides = sizes({288, 1})),
       "strides[0] is 288 elements (144 bytes), which must be a multiple of 32 bytes: pad the rows"},
      {packed(tensor_element::b6x16_p32), WITH(what.strides = sizes({384, 1})), WITH(what.strides = sizes({320, 1})),
       "strides[0] is 320 elements (240 bytes), which must be a multiple of 32 bytes: pad the rows"},
      {packed(tensor_element::b4x16), WITH(what.strides = sizes({288, 1})), WITH(what.strides = sizes({272, 1})),
       "strides[0] is 272 elements (136 bytes), which must be a multiple of 16 bytes: pad the rows"},
  });
}

TEST_CASE("strides that the driver takes although a dense tensor has others") {
  CHECK(error_of(matrix(), WITH(what.strides = sizes({32, 1}))) == "");  // rows overlap
  CHECK(error_of(interleaved(tma_interleave_layout::none), WITH(what.strides = sizes({64, 256, 1}))) == "");
  CHECK(error_of(matrix(), WITH(what.extents = sizes({7}); what.box = sizes({8}))) == "");  // one row of 28 bytes
}

TEST_CASE("strides of huge tensors do not overflow") {
  const std::string error = error_of(matrix(), [](auto& what) {
    what.extents = sizes({two_to_32, two_to_32, two_to_32, two_to_32, two_to_32});
    what.box = sizes({1, 1, 1, 1, 4});
  });
  CHECK(error.find("strides[0], computed from the extents, is ") == 0);
}

TEST_CASE("boxes") {
  check({
      {matrix(), WITH(what.box = sizes({256, 32})), WITH(what.box = sizes({512, 32})),
       "box[0] is 512 elements, the most is 256: split the tile"},
      {matrix(), WITH(what.box = sizes({8, 256})), WITH(what.box = sizes({8, 257})),
       "box[1] is 257 elements, the most is 256: split the tile"},
      {matrix(), WITH(what.box = sizes({1, 32})), WITH(what.box = sizes({0, 32})),
       "box[0] is 0 elements, the least is 1"},
      {matrix(), WITH(what.box = sizes({8, 4})), WITH(what.box = sizes({8, 3})),
       "box[1] is 3 elements (12 bytes), the innermost size must be a multiple of 16 bytes: use 4 elements"},
      {matrix(), WITH(what.box = sizes({8, 8})), WITH(what.box = sizes({8, 5})),
       "box[1] is 5 elements (20 bytes), the innermost size must be a multiple of 16 bytes: use 8 elements"},
      {packed(tensor_element::b4x16), WITH(what.box = sizes({8, 32})), WITH(what.box = sizes({8, 48})),
       "box[1] is 48 elements (24 bytes), the innermost size must be a multiple of 16 bytes: use 64 elements"},
      {packed(tensor_element::b4x16_p64),
       {},
       WITH(what.box = sizes({8, 64})),
       "box[1] is 64 elements, which of type b4x16_p64 must be 128"},
      {packed(tensor_element::b6x16_p32),
       {},
       WITH(what.box = sizes({8, 256})),
       "box[1] is 256 elements, which of type b6x16_p32 must be 128"},
      {matrix(), WITH(what.swizzle = tma_swizzle::bytes32; what.box = sizes({8, 8})),
       WITH(what.swizzle = tma_swizzle::bytes32; what.box = sizes({8, 12})),
       "box[1] is 12 elements (48 bytes), the most with tma_swizzle::bytes32 is 32 bytes: split the tile"},
      {matrix(), WITH(what.swizzle = tma_swizzle::bytes64; what.box = sizes({8, 16})),
       WITH(what.swizzle = tma_swizzle::bytes64; what.box = sizes({8, 20})),
       "box[1] is 20 elements (80 bytes), the most with tma_swizzle::bytes64 is 64 bytes: split the tile"},
      {matrix(), WITH(what.swizzle = tma_swizzle::bytes128; what.box = sizes({8, 32})),
       WITH(what.swizzle = tma_swizzle::bytes128; what.box = sizes({8, 36})),
       "box[1] is 36 elements (144 bytes), the most with tma_swizzle::bytes128 is 128 bytes: split the tile"},
      {matrix(), WITH(what.swizzle = tma_swizzle::bytes128_atom_64B; what.box = sizes({8, 32})),
       WITH(what.swizzle = tma_swizzle::bytes128_atom_64B; what.box = sizes({8, 64})),
       "box[1] is 64 elements (256 bytes), the most with tma_swizzle::bytes128_atom_64B is 128 bytes: split the tile"},
  });
  // Without a swizzle or with an interleaved layout, a row has no such limit.
  CHECK(error_of(matrix(), WITH(what.element = tensor_element::f64; what.box = sizes({8, 256}))) == "");
  CHECK(error_of(interleaved(tma_interleave_layout::bytes16), WITH(what.box = sizes({1, 8, 3}))) == "");
}

TEST_CASE("bytes of a box") {
  const auto volume = [](std::int64_t planes, std::int64_t rows, std::initializer_list<std::int64_t> steps) {
    tensor_description what = matrix();
    what.element = tensor_element::u8;
    what.extents = sizes({256, 256, 256});
    what.box = sizes({planes, rows, 16});
    what.steps = sizes(steps);
    return error_of(what);
  };
  CHECK(volume(127, 129, {1, 1, 1}) == "");  // 262128 bytes
  CHECK(volume(128, 128, {1, 1, 1}) ==
        "box has 262144 elements (262144 bytes), which must be less than 262144 bytes, and fit into shared memory: "
        "split the tile");
  // With element strides, the driver decides. It also divides by the innermost one, although copies ignore that one.
  CHECK(volume(256, 192, {1, 3, 1}) == "");
  CHECK(volume(128, 128, {1, 1, 7}) == "");
  check({
      {matrix(), WITH(what.box = sizes({255, 256})), WITH(what.box = sizes({256, 256})),
       "box has 65536 elements (262144 bytes), which must be less than 262144 bytes, and fit into shared memory: split "
       "the tile"},
      {matrix(), WITH(what.element = tensor_element::f64; what.box = sizes({127, 256})),
       WITH(what.element = tensor_element::f64; what.box = sizes({128, 256})),
       "box has 32768 elements (262144 bytes), which must be less than 262144 bytes, and fit into shared memory: split "
       "the tile"},
  });
}

TEST_CASE("element strides") {
  check({
      {matrix(), WITH(what.steps = sizes({8, 1})), WITH(what.steps = sizes({9, 1})),
       "element_strides[0] is 9 elements, the most is 8: use a larger stride of the tensor"},
      {matrix(), WITH(what.steps = sizes({1, 1})), WITH(what.steps = sizes({0, 1})),
       "element_strides[0] is 0 elements, the least is 1"},
      // The copy engine uses the innermost one only with an interleaved layout.
      {interleaved(tma_interleave_layout::bytes16), WITH(what.steps = sizes({1, 1, 8})),
       WITH(what.steps = sizes({1, 1, 9})),
       "element_strides[2] is 9 elements, the most is 8: use a larger stride of the tensor"},
      {matrix(), WITH(what.steps = sizes({1, 9})), WITH(what.steps = sizes({9, 9})),
       "element_strides[0] is 9 elements, the most is 8: use a larger stride of the tensor"},
  });
}

std::string error_on(int major, int minor, const tensor_description& what) {
  cudasync::backend::tensor_error error;
  static_cast<void>(cudasync::backend::is_within_limits_of_device(what, major, minor, error));
  return error.text;
}

TEST_CASE("limits of the device") {
  CHECK(error_on(9, 0, matrix()) == "");
  CHECK(error_on(8, 9, matrix()) == "the GPU has compute capability 8.9, the least for tensor maps is 9.0");
  tensor_description what = matrix();
  what.swizzle = tma_swizzle::bytes128;
  CHECK(error_on(9, 0, what) == "");
  what.swizzle = tma_swizzle::bytes128_atom_32B;
  CHECK(error_on(10, 0, what) == "");
  CHECK(error_on(9, 0, what) ==
        "the GPU has compute capability 9.0, the least for tma_swizzle::bytes128_atom_32B is 10.0: use bytes128");
}

// The driver's side needs <cuda.h>, which CMake gives this program where there is a toolkit.
#if __has_include(<cuda.h>) && __has_include(<cuda_runtime_api.h>)

struct __half {
  std::uint16_t bits;
};
struct __nv_bfloat16 {
  std::uint16_t bits;
};

#include <cuda/tma>
#include <cudasync/tensor_map.h>

#include <array>

using cudasync::make_tensor_map;

// A runtime and a driver of the test: the program does not link NVIDIA's.
namespace {

struct {
  int lookups = 0;
  cudaError_t status = cudaSuccess;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSuccess;
  int major = 9;
  CUresult result = CUDA_SUCCESS;
} fake;

struct {
  int calls = 0;
  CUtensorMapDataType type;
  std::vector<cuuint64_t> extents, strides;
  std::vector<cuuint32_t> box, steps;
  void* address;
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  CUtensorMapL2promotion promotion;
  CUtensorMapFloatOOBfill fill;
} seen;

CUresult encode(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address, const cuuint64_t* extents,
                const cuuint64_t* strides, const cuuint32_t* box, const cuuint32_t* steps,
                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                CUtensorMapFloatOOBfill fill) {
  seen = {seen.calls + 1,
          type,
          {extents, extents + rank},
          {strides, strides + rank - 1},
          {box, box + rank},
          {steps, steps + rank},
          address,
          interleave,
          swizzle,
          promotion,
          fill};
  std::memset(map, 0x5a, sizeof *map);
  return fake.result;
}

cudaError_t find(const char* symbol, void** function, cudaDriverEntryPointQueryResult* found) {
  ++fake.lookups;
  CHECK(std::string(symbol) == "cuTensorMapEncodeTiled");
  *function = fake.found == cudaDriverEntryPointSuccess ? reinterpret_cast<void*>(&encode) : nullptr;
  *found = fake.found;
  return fake.status;
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
  *device = 3;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  CHECK(device == 3);
  *value = attribute == cudaDevAttrComputeCapabilityMajor ? fake.major : 0;
  return cudaSuccess;
}
const char* CUDARTAPI cudaGetErrorString(cudaError_t status) {
  return status == cudaErrorInsufficientDriver ? "no driver" : "another error";
}
}

template <class Element>
Element* pointer() {
  return static_cast<Element*>(const_cast<void*>(address(0x20000)));
}

template <class... Numbers>
std::vector<cuuint64_t> wide(Numbers... numbers) {
  return {static_cast<cuuint64_t>(numbers)...};
}
template <class... Numbers>
std::vector<cuuint32_t> narrow(Numbers... numbers) {
  return {static_cast<cuuint32_t>(numbers)...};
}

TEST_CASE("the driver gets the innermost dimension first, and strides in bytes") {
  fake = {};
  const int rows = 48;
  const long columns = 64;
  const auto map = make_tensor_map(pointer<float>(), {5u, rows, columns}, {1, 16, 32});
  REQUIRE(map);
  CHECK(map.error() == std::string());
  CHECK(seen.type == CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
  CHECK(seen.address == pointer<float>());
  CHECK(seen.extents == wide(64, 48, 5));
  CHECK(seen.strides == wide(256, 12288));
  CHECK(seen.box == narrow(32, 16, 1));
  CHECK(seen.steps == narrow(1, 1, 1));
  CHECK(seen.interleave == CU_TENSOR_MAP_INTERLEAVE_NONE);
  CHECK(seen.swizzle == CU_TENSOR_MAP_SWIZZLE_NONE);
  CHECK(seen.promotion == CU_TENSOR_MAP_L2_PROMOTION_NONE);
  CHECK(seen.fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  const CUtensorMap copy = map;
  CHECK(copy.opaque[0] == 0x5a5a5a5a5a5a5a5a);
}

TEST_CASE("the driver gets all options") {
  fake = {};
  cudasync::tensor_map_options options;
  options.swizzle = tma_swizzle::bytes64;
  options.l2_fetch_size = cudasync::tma_l2_fetch_size::bytes256;
  options.fill = tma_oob_fill::nan;
  options.interleave = tma_interleave_layout::bytes16;
  options.strides = {4096, 72, 1};
  options.element_strides = {3, 2, 1};
  REQUIRE(make_tensor_map(pointer<__half>(), {8, 48, 64}, {2, 16, 32}, options));
  CHECK(seen.type == CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
  CHECK(seen.strides == wide(144, 8192));
  CHECK(seen.steps == narrow(1, 2, 3));
  CHECK(seen.interleave == CU_TENSOR_MAP_INTERLEAVE_16B);
  CHECK(seen.swizzle == CU_TENSOR_MAP_SWIZZLE_64B);
  CHECK(seen.promotion == CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
  CHECK(seen.fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
}

TEST_CASE("the enumerations have the values of the driver") {
  CHECK(static_cast<int>(tensor_element::u8) == CU_TENSOR_MAP_DATA_TYPE_UINT8);
  CHECK(static_cast<int>(tensor_element::s32) == CU_TENSOR_MAP_DATA_TYPE_INT32);
  CHECK(static_cast<int>(tensor_element::s64) == CU_TENSOR_MAP_DATA_TYPE_INT64);
  CHECK(static_cast<int>(tensor_element::f32_ftz) == CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ);
  CHECK(static_cast<int>(tensor_element::tf32) == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32);
  CHECK(static_cast<int>(tensor_element::tf32_ftz) == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ);
  CHECK(static_cast<int>(tma_interleave_layout::bytes32) == CU_TENSOR_MAP_INTERLEAVE_32B);
  CHECK(static_cast<int>(tma_swizzle::bytes128) == CU_TENSOR_MAP_SWIZZLE_128B);
#if CUDA_VERSION >= 12080
  CHECK(static_cast<int>(tensor_element::b4x16) == CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B);
  CHECK(static_cast<int>(tensor_element::b4x16_p64) == CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B);
  CHECK(static_cast<int>(tensor_element::b6x16_p32) == CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B);
  CHECK(static_cast<int>(tma_swizzle::bytes128_atom_32B) == CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B);
  CHECK(static_cast<int>(tma_swizzle::bytes128_atom_32B_flip_8B) == CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B);
  CHECK(static_cast<int>(tma_swizzle::bytes128_atom_64B) == CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B);
#endif
}

template <class Element>
CUtensorMapDataType type_of() {
  fake = {};
  CHECK(make_tensor_map<Element>(pointer<Element>(), {8, 64}, {8, 16}));
  return seen.type;
}

TEST_CASE("types of C++") {
  CHECK(type_of<signed char>() == CU_TENSOR_MAP_DATA_TYPE_UINT8);
  CHECK(type_of<bool>() == CU_TENSOR_MAP_DATA_TYPE_UINT8);
  CHECK(type_of<short>() == CU_TENSOR_MAP_DATA_TYPE_UINT16);
  CHECK(type_of<std::uint32_t>() == CU_TENSOR_MAP_DATA_TYPE_UINT32);
  CHECK(type_of<std::int32_t>() == CU_TENSOR_MAP_DATA_TYPE_INT32);
  CHECK(type_of<unsigned long long>() == CU_TENSOR_MAP_DATA_TYPE_UINT64);
  CHECK(type_of<std::int64_t>() == CU_TENSOR_MAP_DATA_TYPE_INT64);
  CHECK(type_of<__half>() == CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
  CHECK(type_of<__nv_bfloat16>() == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
  CHECK(type_of<float>() == CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
  CHECK(type_of<double>() == CU_TENSOR_MAP_DATA_TYPE_FLOAT64);
  REQUIRE(make_tensor_map(tensor_element::tf32, address(0x20000), {8, 64}, {8, 16}));
  CHECK(seen.type == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32);
}

TEST_CASE("packed elements are counted one by one") {
  fake = {};
  REQUIRE(make_tensor_map(tensor_element::b6x16_p32, address(0x20000), {8, 256}, {8, 128}));
  CHECK(seen.extents == wide(256, 8));
  CHECK(seen.strides == wide(192));
}

TEST_CASE("lists are integers, arrays and containers") {
  fake = {};
  const unsigned short extents[] = {8, 64};
  const std::array<int, 2> box = {4, 16};
  REQUIRE(make_tensor_map(pointer<float>(), extents, box));
  CHECK(seen.extents == wide(64, 8));
  CHECK(seen.box == narrow(16, 4));
  const std::vector<std::size_t> six(6, 8);
  CHECK(make_tensor_map(pointer<float>(), six, six).error() ==
        std::string("the tensor has 6 dimensions, the most is 5: merge dimensions that are contiguous"));
  CHECK(make_tensor_map(pointer<float>(), {~0ull}, {16}).error() ==
        std::string("extents[0] is 9223372036854775807 elements, the most is 4294967296: split the tensor"));
}

TEST_CASE("an error is a sentence first, and an exception when the map is used") {
  fake = {};
  const int calls = seen.calls;
  const auto none = make_tensor_map(pointer<float>(), {64, 64}, {512, 32});
  CHECK_FALSE(none);
  CHECK(none.error() == std::string("box[0] is 512 elements, the most is 256: split the tile"));
  CHECK_THROWS_AS(static_cast<void>(static_cast<CUtensorMap>(none)), std::invalid_argument);
  try {
    static_cast<void>(static_cast<CUtensorMap>(none));
  } catch (const std::invalid_argument& error) {
    CHECK(error.what() == std::string("box[0] is 512 elements, the most is 256: split the tile"));
  }
  CHECK(seen.calls == calls);
  CHECK(fake.lookups == 0);  // the description is wrong on every machine
}

TEST_CASE("without a driver, with an old one, or on an old GPU") {
  const auto error = [] { return std::string(make_tensor_map(pointer<float>(), {64, 64}, {8, 32}).error()); };
  fake = {};
  fake.status = cudaErrorInsufficientDriver;
  CHECK(error() == "the CUDA driver cannot be used: no driver: run the program on a machine with a GPU and its driver");
  CHECK_THROWS_AS(static_cast<void>(static_cast<CUtensorMap>(make_tensor_map(pointer<float>(), {64, 64}, {8, 32}))),
                  std::runtime_error);
  fake = {};
  fake.found = cudaDriverEntryPointSymbolNotFound;
  CHECK(error() == "the CUDA driver has no cuTensorMapEncodeTiled: update it to one for CUDA 12.0 or newer");
  fake = {};
  fake.major = 8;
  CHECK(error() == "the GPU has compute capability 8.0, the least for tensor maps is 9.0");
  fake = {};
  fake.result = CUDA_ERROR_INVALID_CONTEXT;
  CHECK(error() == "the driver has no context for this thread (CUresult 201): call cudaSetDevice first");
  fake = {};
  fake.result = CUDA_ERROR_INVALID_VALUE;
  CHECK(
      error() ==
      "the driver refused the tensor map (CUresult 1), although it is within the limits that CUDA 13.0 documents: the "
      "driver may be older, or the GPU may lack the format");
  fake = {};
  CHECK(error() == "");
}

// The members of std::mdspan that make_tensor_map uses.
template <class Element, std::size_t Rank>
struct mdspan {
  using element_type = Element;
  using rank_type = std::size_t;
  static constexpr rank_type rank() { return Rank; }
  Element* data_handle() const { return data; }
  int extent(rank_type dimension) const { return extents[dimension]; }
  int stride(rank_type dimension) const { return strides[dimension]; }
  Element* data;
  int extents[Rank], strides[Rank];
};

TEST_CASE("mdspan") {
  fake = {};
  const mdspan<const double, 3> tensor = {pointer<double>(), {4, 8, 16}, {256, 32, 1}};
  REQUIRE(make_tensor_map(tensor, {1, 4, 16}));
  CHECK(seen.type == CU_TENSOR_MAP_DATA_TYPE_FLOAT64);
  CHECK(seen.address == pointer<double>());
  CHECK(seen.extents == wide(16, 8, 4));
  CHECK(seen.strides == wide(256, 2048));
  CHECK(seen.box == narrow(16, 4, 1));
  const mdspan<float, 2> left = {pointer<float>(), {8, 16}, {1, 8}};
  CHECK(make_tensor_map(left, {4, 16}).error() == std::string("strides[1] is 8 elements, the innermost stride must be "
                                                              "1: order the dimensions so that the contiguous one is "
                                                              "last"));
  cudasync::tensor_map_options options;
  options.strides = {64, 1};
  CHECK(make_tensor_map(left, {4, 16}, options).error() ==
        std::string("options.strides has 2 dimensions, but the tensor has its own strides: leave it empty"));
}

// The members of DLPack's DLTensor, in their order.
struct dlpack_tensor {
  void* data;
  struct {
    int device_type;
    std::int32_t device_id;
  } device;
  std::int32_t ndim;
  struct {
    std::uint8_t code, bits;
    std::uint16_t lanes;
  } dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};

TEST_CASE("DLPack") {
  fake = {};
  std::int64_t shape[] = {8, 64}, strides[] = {128, 1};
  dlpack_tensor tensor = {pointer<char>(), {2, 0}, 2, {4, 16, 1}, shape, strides, 32};
  REQUIRE(make_tensor_map(tensor, {8, 32}));
  CHECK(seen.type == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
  CHECK(seen.address == pointer<char>() + 32);
  CHECK(seen.extents == wide(64, 8));
  CHECK(seen.strides == wide(256));
  tensor.strides = nullptr;  // dense
  REQUIRE(make_tensor_map(tensor, {8, 32}));
  CHECK(seen.strides == wide(128));
  struct {
    dlpack_tensor dl_tensor;
  } const managed = {tensor};
  REQUIRE(make_tensor_map(managed, {8, 32}));
  tensor.device.device_type = 1;
  CHECK(make_tensor_map(tensor, {8, 32}).error() ==
        std::string("the DLPack tensor is on a device of type 1, which must be 2 (CUDA): copy it to the GPU"));
  tensor.device.device_type = 13;
  tensor.dtype.lanes = 2;
  CHECK(make_tensor_map(tensor, {8, 32}).error() ==
        std::string("the DLPack tensor has elements of code 4, 16 bits and 2 lanes, which the copy engine does not "
                    "have: pass a tensor_element, the address and the extents instead"));
}

TEST_CASE("elements of DLPack") {
  struct {
    int code, bits;
    CUtensorMapDataType type;
  } const rows[] = {
      {0, 8, CU_TENSOR_MAP_DATA_TYPE_UINT8},    {0, 16, CU_TENSOR_MAP_DATA_TYPE_UINT16},
      {0, 32, CU_TENSOR_MAP_DATA_TYPE_INT32},   {0, 64, CU_TENSOR_MAP_DATA_TYPE_INT64},
      {1, 8, CU_TENSOR_MAP_DATA_TYPE_UINT8},    {1, 16, CU_TENSOR_MAP_DATA_TYPE_UINT16},
      {1, 32, CU_TENSOR_MAP_DATA_TYPE_UINT32},  {1, 64, CU_TENSOR_MAP_DATA_TYPE_UINT64},
      {2, 16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16}, {2, 32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32},
      {2, 64, CU_TENSOR_MAP_DATA_TYPE_FLOAT64}, {4, 16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16},
      {6, 8, CU_TENSOR_MAP_DATA_TYPE_UINT8},    {10, 8, CU_TENSOR_MAP_DATA_TYPE_UINT8},
  };
  std::int64_t shape[] = {8, 64};
  for (const auto& row : rows) {
    fake = {};
    const dlpack_tensor tensor = {
        pointer<char>(), {2, 0},  2, {static_cast<std::uint8_t>(row.code), static_cast<std::uint8_t>(row.bits), 1},
        shape,           nullptr, 0};
    REQUIRE(make_tensor_map(tensor, {8, 16}));
    CHECK(seen.type == row.type);
  }
  for (const int code : {2, 4, 5, 17}) {
    const dlpack_tensor tensor = {pointer<char>(), {2, 0},  2, {static_cast<std::uint8_t>(code), 4, 1},
                                  shape,           nullptr, 0};
    CHECK_FALSE(make_tensor_map(tensor, {8, 16}));
  }
}

TEST_CASE("make_tma_descriptor") {
  fake = {};
  std::int64_t shape[] = {4, 8, 64};
  const dlpack_tensor tensor = {pointer<char>(), {2, 0}, 3, {2, 16, 1}, shape, nullptr, 0};
  const int box[] = {1, 8, 16}, steps[] = {3, 2, 1};
  static_cast<void>(cuda::make_tma_descriptor(tensor, box, steps, cuda::tma_interleave_layout::bytes32,
                                              cuda::tma_swizzle::bytes32, cuda::tma_l2_fetch_size::bytes64,
                                              cuda::tma_oob_fill::nan));
  CHECK(seen.box == narrow(16, 8, 1));
  CHECK(seen.steps == narrow(1, 2, 3));
  CHECK(seen.interleave == CU_TENSOR_MAP_INTERLEAVE_32B);
  CHECK(seen.swizzle == CU_TENSOR_MAP_SWIZZLE_32B);
  CHECK(seen.promotion == CU_TENSOR_MAP_L2_PROMOTION_L2_64B);
  CHECK(seen.fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
  static_cast<void>(
      cuda::make_tma_descriptor(tensor, box, cuda::tma_interleave_layout::none, cuda::tma_swizzle::bytes64));
  CHECK(seen.swizzle == CU_TENSOR_MAP_SWIZZLE_64B);
  CHECK(seen.steps == narrow(1, 1, 1));
  CHECK_THROWS_AS(cuda::make_tma_descriptor(tensor, {1, 8, 65}), std::invalid_argument);
}

#endif
