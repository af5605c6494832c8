// bulk_pipeline: boxes of tensor maps of 1 to 5 dimensions, with zeros for what lies beyond the tensor.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: sm90
#include "../support/gpu_test.h"
#include "../support/tensor_map.h"

#include <cuda/pipeline>

using cudasync::l2_cache_hint;
using gpu_test::device_array;

constexpr unsigned stages = 3, most_elements = 1024, boxes_of_a_block = 200;

template <unsigned Rank>
__global__ void load_boxes(const __grid_constant__ CUtensorMap map, tensor_layout layout, bool with_hint,
                           bool two_boxes) {
  using pipeline = cudasync::bulk_pipeline<stages, cudasync::consumer_warps<3>>;
  alignas(128) __shared__ int stage[stages][2][most_elements];
  __shared__ pipeline pipe;
  for (unsigned index = threadIdx.x; index < stages * 2 * most_elements; index += blockDim.x)
    (&stage[0][0][0])[index] = -7;
  pipe.init(cudasync::this_thread_block());
  const unsigned copies = two_boxes ? 2 : 1;
  const auto number = [](unsigned box, unsigned copy) { return (blockIdx.x * boxes_of_a_block + box) * 2 + copy; };
  if (threadIdx.x < 32) {
    if (cudasync::elect_one_of_warp()) {
      pipeline::producer_state state;
      for (unsigned box = 0; box < boxes_of_a_block; ++box, state.advance()) {
        pipe.producer_acquire(state, copies * static_cast<unsigned>(layout.elements) * 4);
        for (unsigned copy = 0; copy < copies; ++copy) {
          int near[5], at[Rank];
          box_near(layout, number(box, copy), near);
          for (unsigned dimension = 0; dimension < Rank; ++dimension)
            at[dimension] = near[dimension];
          if (with_hint)
            pipe.copy(state, stage[state.index()][copy], &map, at,
                      copy == 0 ? l2_cache_hint::evict_first() : l2_cache_hint::evict_last());
          else
            pipe.copy(state, stage[state.index()][copy], &map, at);
        }
      }
      pipe.producer_tail(state);
    }
  } else {
    pipeline::consumer_state state;
    for (unsigned box = 0; box < boxes_of_a_block; ++box, state.advance()) {
      pipe.consumer_wait(state);
      for (unsigned copy = 0; copy < copies; ++copy) {
        int at[5];
        box_near(layout, number(box, copy), at);
        for (int element = static_cast<int>(threadIdx.x) - 32; element < layout.elements; element += 96) {
          const long long index = layout.index_of(at, element);
          DEVICE_CHECK(stage[state.index()][copy][element] == (index < 0 ? 0 : static_cast<int>(index) + 1));
        }
      }
      pipe.consumer_release(state);
    }
  }
  __syncthreads();
  for (unsigned index = threadIdx.x; index < stages * 2 * most_elements; index += blockDim.x) {
    const bool is_copied =
        index % most_elements < static_cast<unsigned>(layout.elements) && (two_boxes || index / most_elements % 2 == 0);
    if (!is_copied) DEVICE_CHECK((&stage[0][0][0])[index] == -7);
  }
}

template <unsigned Rank>
void load_tensor(const tensor_shape& shape) {
  std::vector<int> numbers(elements_of(shape));
  for (size_t index = 0; index < numbers.size(); ++index)
    numbers[index] = static_cast<int>(index) + 1;
  const device_array<int> tensor(numbers);
  for (const bool with_hint : {false, true})
    for (const bool two_boxes : {false, true})
      gpu_test::run(load_boxes<Rank>, {16, 128}, tensor_map_of(tensor.get(), shape), layout_of(shape), with_hint,
                    two_boxes);
}
TEST(boxes_of_1_dimension) {
  load_tensor<1>({{1000}, {64}});
  load_tensor<1>({{300}, {256}});
}
TEST(boxes_of_2_dimensions) {
  load_tensor<2>({{100, 37}, {32, 5}});
  load_tensor<2>({{8, 300}, {4, 64}});
}
TEST(boxes_of_3_dimensions) {
  load_tensor<3>({{20, 17, 9}, {8, 4, 3}});
}
TEST(boxes_of_4_dimensions) {
  load_tensor<4>({{20, 7, 9, 5}, {8, 3, 4, 2}});
}
TEST(boxes_of_5_dimensions) {
  load_tensor<5>({{12, 7, 5, 4, 3}, {8, 3, 2, 2, 2}});
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
