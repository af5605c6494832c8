// make_im2col_map and copy_im2col: a copy loads the pixels that the corners and the offsets describe, in this order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: sm90
#include "../support/gpu_test.h"

#include <cuda/pipeline>
#include <cudasync/tensor_map.h>

using gpu_test::device_array;

constexpr int height = 8, width = 9, channels = 4, pixels = 40;

// The bounding box begins at row 1 and column 2, and has 5 rows of 4 pixels, which the column goes through row by row.
// Behind the last one it goes on in the next image. With the offsets, the pixels are still in the image: column 2 + 3 + 3
// and row 1 + 4 + 1.
constexpr int first_row = 1, first_column = 2, box_rows = 5, box_columns = 4;

constexpr int offset_right = 3, offset_down = 1;

__global__ void load(const __grid_constant__ CUtensorMap map) {
  using ring = cudasync::bulk_pipeline<2, cudasync::consumer_warps<2>>;
  alignas(128) __shared__ int columns[2][pixels][channels];
  __shared__ ring pipe;
  pipe.init(cudasync::this_thread_block());
  if (threadIdx.x == 0) {
    ring::producer_state at;
    pipe.producer_acquire(at, sizeof columns[0]);
    pipe.copy_im2col(at, columns[0], &map, {0, first_column, first_row, 0}, {0, 0});
    at.advance();
    pipe.producer_acquire(at, sizeof columns[1]);
    pipe.copy_im2col(at, columns[1], &map, {0, first_column, first_row, 0}, {offset_right, offset_down});
  }
  ring::consumer_state at;
  for (int copy = 0; copy < 2; ++copy, at.advance()) {
    pipe.consumer_wait(at);
    for (int index = static_cast<int>(threadIdx.x); index < pixels * channels; index += static_cast<int>(blockDim.x)) {
      const int pixel = index / channels, image = pixel / (box_rows * box_columns),
                place = pixel % (box_rows * box_columns);
      const int row = first_row + place / box_columns + copy * offset_down;
      const int column = first_column + place % box_columns + copy * offset_right;
      const int value = ((image * height + row) * width + column) * channels + index % channels;
      DEVICE_CHECK(columns[copy][pixel][index % channels] == value);
    }
    pipe.consumer_release(at);
  }
}
TEST(a_column_of_two_images) {
  std::vector<int> values(2 * height * width * channels);
  for (size_t index = 0; index < values.size(); ++index)
    values[index] = static_cast<int>(index);
  const device_array<int> memory(values);
  cudasync::im2col_box box;
  box.lower_corner = {first_row, first_column};
  box.upper_corner = {first_row + box_rows - height, first_column + box_columns - width};
  box.channels = channels;
  box.pixels = pixels;
  const auto map = cudasync::make_im2col_map(memory.get(), {2, height, width, channels}, box);
  if (!map) gpu_test::give_up(map.error());
  gpu_test::run(load, {1, 64}, static_cast<CUtensorMap>(map));
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
