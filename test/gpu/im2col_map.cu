// make_im2col_map: a copy loads the pixels of the bounding box that the corners describe, in the order of the library.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: sm90
#include "../support/gpu_test.h"

#include <cuda/barrier>
#include <cuda/tensor_map>

using gpu_test::device_array;

constexpr int height = 8, width = 9, channels = 4, pixels = 40;

// The library has no copies with im2col maps.
__device__ void copy_column(int* destination, const CUtensorMap* map, const void* bar, int x, int y) {
  const unsigned short no_offset = 0;
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], "
      "[%6], {%7, %8};" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(destination))),
      "l"(map), "r"(0), "r"(x), "r"(y), "r"(0), "r"(static_cast<unsigned>(__cvta_generic_to_shared(bar))),
      "h"(no_offset), "h"(no_offset)
      : "memory");
}

// The bounding box begins at row 1 and column 2, and has 5 rows of 4 pixels, which the column goes through row by row.
// Behind the last one it goes on in the next image.
constexpr int first_row = 1, first_column = 2, box_rows = 5, box_columns = 4;

__global__ void load(const __grid_constant__ CUtensorMap map) {
  alignas(128) __shared__ int column[pixels][channels];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<1>(bar));
  if (threadIdx.x == 0) {
    static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, sizeof column));
    copy_column(&column[0][0], &map, cuda::device::barrier_native_handle(bar), first_column, first_row);
  }
  bar.wait_parity(false);
  for (int index = static_cast<int>(threadIdx.x); index < pixels * channels; index += static_cast<int>(blockDim.x)) {
    const int pixel = index / channels, image = pixel / (box_rows * box_columns),
              place = pixel % (box_rows * box_columns);
    const int row = first_row + place / box_columns, at = first_column + place % box_columns;
    const int value = ((image * height + row) * width + at) * channels + index % channels;
    DEVICE_CHECK(column[pixel][index % channels] == value);
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
