// tensor_map_editor: each block makes a map of its own tensor, and another block or kernel copies by it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compiled: alone
// needs: sm90
#include "../support/tensor_map.h"

#include <cuda/barrier>

using gpu_test::device_array;

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int groups = 64, threads = 128;
constexpr int box_rows = 8, box_columns = 32, box_elements = box_rows * box_columns;

// The tensors of the groups differ in address and extents, and the rows of every other one are padded by 4 elements.
__host__ __device__ int rows_of(int group) {
  return 1 + group * 5 % 23;
}
__host__ __device__ int columns_of(int group) {
  return 4 * (1 + group * 7 % 19);
}
__host__ __device__ int pitch_of(int group) {
  return columns_of(group) + (group % 2 == 0 ? 0 : 4);
}
constexpr int most_elements = 23 * 80;

__host__ __device__ int value_of(int group, int row, int column) {
  return (group + 1) * 100000 + row * 100 + column;
}

__device__ void make_map(cudasync::tensor_map_editor& editor, CUtensorMap* map, const CUtensorMap* origin,
                         const int* tensor, int group) {
  const int rows = rows_of(group), columns = columns_of(group);
  if (group % 2 == 0)
    editor.replace(map, origin, tensor, {rows, columns});
  else
    editor.replace(map, origin, tensor, {rows, columns}, {pitch_of(group), 1});
}

// Copies the tensor box by box, and checks all elements: those of the tensor, and zeros beyond it.
__device__ void check_tensor(const CUtensorMap* map, int group, int (&tile)[box_elements], block_barrier& bar,
                             bool& parity) {
  const int rows = rows_of(group), columns = columns_of(group);
  for (int row = 0; row < rows; row += box_rows) {
    for (int column = 0; column < columns; column += box_columns) {
      if (threadIdx.x == 0) {
        cudasync::device::fence_before_bulk_copy();
        static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, sizeof tile));
        cuda::device::experimental::cp_async_bulk_tensor_2d_global_to_shared(tile, map, column, row, bar);
      }
      bar.wait_parity(parity);
      parity = !parity;
      for (int index = static_cast<int>(threadIdx.x); index < box_elements; index += threads) {
        const int at_row = row + index / box_columns, at_column = column + index % box_columns;
        const bool is_inside = at_row < rows && at_column < columns;
        DEVICE_CHECK(tile[index] == (is_inside ? value_of(group, at_row, at_column) : 0));
      }
      __syncthreads();
    }
  }
}

// Two rounds, so that the second map replaces one that has been used. In each, block b edits map b, and another block
// copies by it after it has seen the flag.
__global__ void edit_and_copy(const __grid_constant__ CUtensorMap origin, CUtensorMap* maps, const int* tensors,
                              unsigned* flags, unsigned* done) {
  __shared__ cudasync::tensor_map_editor editor;
  alignas(128) __shared__ int tile[box_elements];
  __shared__ block_barrier bar;
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<1>(bar));
  const int own = static_cast<int>(blockIdx.x), other = (own + 17) % groups;
  bool parity = false;
  for (unsigned round = 0; round < 2; ++round) {
    const int shift = static_cast<int>(round) * 13;
    const int edited = (own + shift) % groups, copied = (other + shift) % groups;
    if (threadIdx.x < 32) {
      if (round != 0) {  // the block that copied by the map of the first round
        if (threadIdx.x == 0) {
          const unsigned long long start = gpu_test::nanoseconds();
          while (atomicAdd(done + own, 0u) != round && gpu_test::nanoseconds() - start < 5000000000ull) {
          }
          __threadfence();
        }
        __syncwarp();
      }
      make_map(editor, maps + own, &origin, tensors + edited * most_elements, edited);
      __syncwarp();
      if (threadIdx.x == 0) {
        __threadfence();
        atomicExch(flags + own, round + 1);
      }
    }
    if (threadIdx.x == 0) {
      const unsigned long long start = gpu_test::nanoseconds();
      unsigned seen = 0;
      while ((seen = atomicAdd(flags + other, 0u)) != round + 1 && gpu_test::nanoseconds() - start < 5000000000ull) {
      }
      DEVICE_CHECK(seen == round + 1);
      __threadfence();
      cudasync::device::acquire_tensor_map(maps + other);
    }
    __syncthreads();
    check_tensor(maps + other, copied, tile, bar, parity);
    if (threadIdx.x == 0) {
      __threadfence();
      atomicExch(done + other, round + 1);
    }
  }
}

__global__ void edit(const __grid_constant__ CUtensorMap origin, CUtensorMap* maps, const int* tensors) {
  __shared__ cudasync::tensor_map_editor editor;
  const int group = static_cast<int>(blockIdx.x);
  make_map(editor, maps + group, &origin, tensors + group * most_elements, group);
}
__global__ void copy(const CUtensorMap* maps) {
  alignas(128) __shared__ int tile[box_elements];
  __shared__ block_barrier bar;
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<1>(bar));
  bool parity = false;
  if (threadIdx.x == 0) cudasync::device::acquire_tensor_map(maps + blockIdx.x);
  check_tensor(maps + blockIdx.x, static_cast<int>(blockIdx.x), tile, bar, parity);
}

// One warp edits all maps, one after the other, in the same words of shared memory.
__global__ void edit_in_turn(const __grid_constant__ CUtensorMap origin, CUtensorMap* maps, const int* tensors) {
  __shared__ cudasync::tensor_map_editor editor;
  for (int group = 0; group < groups; ++group)
    make_map(editor, maps + group, &origin, tensors + group * most_elements, group);
}

std::vector<int> tensors() {
  std::vector<int> all(groups * most_elements, -1);
  for (int group = 0; group < groups; ++group)
    for (int row = 0; row < rows_of(group); ++row)
      for (int column = 0; column < columns_of(group); ++column)
        all[static_cast<size_t>(group * most_elements + row * pitch_of(group) + column)] = value_of(group, row, column);
  return all;
}

bool has_replace() {
  return gpu_test::attribute(cudaDevAttrComputeCapabilityMajor) == 9;
}

CUtensorMap origin_of(const int* memory) {
  return tensor_map_of(memory, {{8, 8}, {box_columns, box_rows}});
}

TEST(another_block_copies) {
  SKIP_IF(!has_replace(), "compiled for sm_90a");
  const device_array<int> memory(tensors());
  const device_array<CUtensorMap> maps(groups);
  const device_array<unsigned> flags(groups), done(groups);
  gpu_test::run(edit_and_copy, {groups, threads}, origin_of(memory.get()), maps.get(), memory.get(), flags.get(),
                done.get());
}

TEST(another_kernel_copies) {
  SKIP_IF(!has_replace(), "compiled for sm_90a");
  const device_array<int> memory(tensors());
  const device_array<CUtensorMap> maps(groups);
  gpu_test::run(edit, {groups, 32}, origin_of(memory.get()), maps.get(), memory.get());
  gpu_test::run(copy, {groups, threads}, maps.get());
}

TEST(one_warp_edits_several_maps) {
  SKIP_IF(!has_replace(), "compiled for sm_90a");
  const device_array<int> memory(tensors());
  const device_array<CUtensorMap> maps(groups);
  gpu_test::run(edit_in_turn, {1, 32}, origin_of(memory.get()), maps.get(), memory.get());
  gpu_test::run(copy, {groups, threads}, maps.get());
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
