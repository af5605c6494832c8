// Maps that tensor_map_editor has changed, field by field, and the boxes that are copied by them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/replaced_maps.h"
#include "kernel.h"
#include "machine/tensor_map.h"

// The map that the machine's form has for a tensor, written out field by field.
template <int Rank>
__device__ model::tensor_map map_of(const int* address, const replaced_maps::tensor<Rank>& made) {
  model::tensor_map map = {};
  map.address = reinterpret_cast<unsigned long long>(address);
  map.rank = Rank - 1;
  map.element_bytes = sizeof(int);
  for (int dimension = 0; dimension < Rank; ++dimension) {
    const int place = Rank - 1 - dimension;
    map.extents[place] = static_cast<unsigned>(made.extents[dimension]);
    map.box[place] = static_cast<unsigned>(replaced_maps::boxes().at<Rank>(dimension));
    map.steps[place] = 1;
    if (place > 0) map.strides[place - 1] = static_cast<unsigned long long>(made.strides[dimension]) * sizeof(int);
  }
  return map;
}

__device__ bool are_equal(const model::tensor_map& one, const model::tensor_map& other) {
  bool are_lists_equal = true;
  for (int place = 0; place < 5; ++place)
    are_lists_equal = are_lists_equal && one.extents[place] == other.extents[place] &&
                      one.box[place] == other.box[place] && one.steps[place] == other.steps[place] &&
                      (place == 4 || one.strides[place] == other.strides[place]);
  return are_lists_equal && one.address == other.address && one.rank == other.rank &&
         one.element_bytes == other.element_bytes && one.interleave == other.interleave &&
         one.swizzle == other.swizzle && one.fill == other.fill;
}

// A warp replaces the map of another tensor several times, in one editor, and then the block copies by the new maps.
template <int Rank>
__device__ void replace_and_copy(unsigned* failures, int* scratch) {
  __shared__ cudasync::tensor_map_editor editor;
  alignas(128) __shared__ int tile[replaced_maps::box_elements];
  __shared__ replaced_maps::block_barrier bar;
  model::tensor_map* const maps = reinterpret_cast<model::tensor_map*>(scratch);
  const model::tensor_map* const origin = maps + replaced_maps::variants;
  int* const elements = scratch + 256;
  for (int index = static_cast<int>(threadIdx.x); index < replaced_maps::elements;
       index += static_cast<int>(blockDim.x))
    elements[index] = index + 1;
  if (threadIdx.x == 0) {
    init(&bar, 1);
    maps[replaced_maps::variants] = map_of<Rank>(elements + 64, replaced_maps::original<Rank>());
  }
  __syncthreads();
  if (threadIdx.x < 32)
    for (int variant = 0; variant < replaced_maps::variants; ++variant)
      replaced_maps::replace<Rank>(editor, reinterpret_cast<CUtensorMap*>(maps + variant),
                                   reinterpret_cast<const CUtensorMap*>(origin), elements, variant);
  __syncthreads();
  for (int variant = 0; variant < replaced_maps::variants; ++variant) {
    const CUtensorMap* const map = reinterpret_cast<const CUtensorMap*>(maps + variant);
    EXPECT(are_equal(maps[variant], map_of<Rank>(elements, replaced_maps::replacement<Rank>(variant))));
    if (threadIdx.x == 0) cudasync::device::acquire_tensor_map(map);
    EXPECT(replaced_maps::are_boxes_right<Rank>(map, variant, tile, bar));
  }
}

// run: block=64 needs=90 seeds=2
extern "C" __global__ void replaced_maps_of_1_dimension(unsigned* failures, int* scratch) {
  replace_and_copy<1>(failures, scratch);
}
// run: block=64 needs=90 seeds=2
extern "C" __global__ void replaced_maps_of_2_dimensions(unsigned* failures, int* scratch) {
  replace_and_copy<2>(failures, scratch);
}
// run: block=64 needs=90 seeds=2
extern "C" __global__ void replaced_maps_of_3_dimensions(unsigned* failures, int* scratch) {
  replace_and_copy<3>(failures, scratch);
}
// run: block=64 needs=90 seeds=2
extern "C" __global__ void replaced_maps_of_4_dimensions(unsigned* failures, int* scratch) {
  replace_and_copy<4>(failures, scratch);
}
// run: block=64 needs=90 seeds=2
extern "C" __global__ void replaced_maps_of_5_dimensions(unsigned* failures, int* scratch) {
  replace_and_copy<5>(failures, scratch);
}
