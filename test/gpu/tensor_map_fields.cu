// tensor_map_editor: for each number of dimensions, maps that differ from the original one in every size and stride.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compiled: alone
// needs: sm90
#include "../support/gpu_test.h"
#include "../support/replaced_maps.h"

using gpu_test::device_array;

namespace maps = replaced_maps;

constexpr int threads = 64;

template <int Rank>
__global__ void replace(const __grid_constant__ CUtensorMap origin, CUtensorMap* map, const int* address, int variant) {
  __shared__ cudasync::tensor_map_editor editor;
  maps::replace<Rank>(editor, map, &origin, address, variant);
}

template <int Rank>
__global__ void copy(const CUtensorMap* map, int variant) {
  alignas(128) __shared__ int tile[maps::box_elements];
  __shared__ maps::block_barrier bar;
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<1>(bar));
  if (threadIdx.x == 0) cudasync::device::acquire_tensor_map(map);
  DEVICE_CHECK(maps::are_boxes_right<Rank>(map, variant, tile, bar));
}

// As the driver encodes it.
template <int Rank>
CUtensorMap map_of(const int* address, const maps::tensor<Rank>& made) {
  constexpr maps::list boxes = maps::boxes();
  cudasync::tensor_map_options options;
  options.strides = made.strides;
  const std::vector<int> box(boxes.of + 5 - Rank, boxes.of + 5);
  const auto map = cudasync::make_tensor_map(address, made.extents, box, options);
  if (!map) gpu_test::give_up(map.error());
  return map;
}

template <int Rank>
void replace_and_copy() {
  SKIP_IF(gpu_test::attribute(cudaDevAttrComputeCapabilityMajor) != 9, "compiled for sm_90a");
  std::vector<int> elements(maps::elements);
  for (size_t index = 0; index < elements.size(); ++index)
    elements[index] = static_cast<int>(index + 1);
  const device_array<int> memory(elements), elsewhere(64);
  const device_array<CUtensorMap> map(1);
  const CUtensorMap origin = map_of<Rank>(elsewhere.get(), maps::original<Rank>());
  for (int variant = 0; variant < maps::variants; ++variant) {
    gpu_test::run(replace<Rank>, {1, 32}, origin, map.get(), memory.get(), variant);
    const CUtensorMap wanted = map_of<Rank>(memory.get(), maps::replacement<Rank>(variant));
    const CUtensorMap found = map.values()[0];
    CHECK(memcmp(&found, &wanted, sizeof found) == 0);
    CHECK(memcmp(&found, &origin, sizeof found) != 0);
    gpu_test::run(copy<Rank>, {1, threads}, map.get(), variant);
  }
}

TEST(one_dimension) {
  replace_and_copy<1>();
}
TEST(two_dimensions) {
  replace_and_copy<2>();
}
TEST(three_dimensions) {
  replace_and_copy<3>();
}
TEST(four_dimensions) {
  replace_and_copy<4>();
}
TEST(five_dimensions) {
  replace_and_copy<5>();
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
