// bulk_store, bulk_store_add and bulk_store_ring: shared memory to global memory, whole, and read before it is reused.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: sm90
#include "../support/copied_bytes.h"
#include "../support/gpu_test.h"
#include "../support/tensor_map.h"

#include <cuda/pipeline>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace device = cudasync::device;
using cudasync::l2_cache_hint;
using gpu_test::device_array;

// --- Copies ---

enum class hint { none, evict_first, evict_last };

// Each block writes bytes to shared memory, and stores them at its place of the destination.
__global__ void store_bytes(unsigned char* destination, unsigned size, unsigned space, hint with) {
  extern __shared__ __align__(128) unsigned char buffer[];
  const size_t first = blockIdx.x * size_t{4096};
  for (unsigned index = threadIdx.x; index < size; index += blockDim.x)
    buffer[index] = byte_at(first + index);
  device::fence_before_bulk_copy();
  __syncthreads();
  unsigned char* const to = destination + blockIdx.x * size_t{space} + guard_bytes;
  if (cudasync::elect_one()) {
    const cuda::aligned_size_t<16> bytes(size);
    if (with == hint::none) device::bulk_store(to, buffer, bytes);
    if (with == hint::evict_first) device::bulk_store(to, buffer, bytes, l2_cache_hint::evict_first());
    if (with == hint::evict_last) device::bulk_store(to, buffer, bytes, l2_cache_hint::evict_last());
    device::bulk_commit();
    device::bulk_wait();
  }
  __syncthreads();
  const copied wanted{guard_bytes, size, first, size, space, size};
  DEVICE_CHECK(is_right(destination + blockIdx.x * size_t{space}, wanted, {threadIdx.x, blockDim.x}));
}
void store_sizes(hint with) {
  for (const unsigned size : {16u, 32u, 48u, 112u, 128u, 1024u, 4112u, 16384u, 65536u}) {
    const unsigned grid = 40, space = size + 2 * guard_bytes;
    const device_array<unsigned char> destination(size_t{grid} * space, guard_byte);
    gpu_test::run(store_bytes, {grid, 128, size}, destination.get(), size, space, with);
    const std::vector<unsigned char> found = destination.values();
    unsigned differences = 0;
    for (unsigned block = 0; block < grid; ++block)
      for (unsigned index = 0; index < size; ++index)
        differences += found[size_t{block} * space + guard_bytes + index] != byte_at(block * size_t{4096} + index);
    CHECK(differences == 0);
  }
}
TEST(stores_of_all_sizes) {
  store_sizes(hint::none);
}
TEST(stores_that_leave_the_cache_first) {
  store_sizes(hint::evict_first);
}
TEST(stores_that_leave_the_cache_last) {
  store_sizes(hint::evict_last);
}

// The source is changed as soon as it has been read: what is stored is what it was.
__global__ void change_after_read(unsigned* destination, unsigned rounds) {
  constexpr unsigned words = 2048;
  alignas(128) __shared__ unsigned source[words];
  for (unsigned round = 0; round < rounds; ++round) {
    for (unsigned index = threadIdx.x; index < words; index += blockDim.x)
      source[index] = round * words + index;
    device::fence_before_bulk_copy();
    __syncthreads();
    if (threadIdx.x == 0) {
      device::bulk_store(destination + (blockIdx.x * rounds + round) * words, source,
                         cuda::aligned_size_t<16>(sizeof source));
      device::bulk_commit();
      device::bulk_wait_read();
    }
    __syncthreads();
  }
}
TEST(source_may_change_after_it_has_been_read) {
  constexpr unsigned rounds = 50, grid = 32, words = 2048;
  const device_array<unsigned> destination(grid * rounds * words, 0xff);
  gpu_test::run(change_after_read, {grid, 256}, destination.get(), rounds);
  const std::vector<unsigned> found = destination.values();
  unsigned differences = 0;
  for (unsigned index = 0; index < found.size(); ++index)
    differences += found[index] != index % (rounds * words);
  CHECK(differences == 0);
}

// Waits for all groups but the latest ones: those before are complete.
__global__ void wait_for_some(unsigned* destination) {
  constexpr unsigned groups = 6, words = 512;
  alignas(128) __shared__ unsigned source[groups][words];
  for (unsigned index = threadIdx.x; index < groups * words; index += blockDim.x)
    (&source[0][0])[index] = index + 1;
  device::fence_before_bulk_copy();
  __syncthreads();
  if (threadIdx.x != 0) return;
  unsigned* const mine = destination + blockIdx.x * groups * words;
  for (unsigned group = 0; group < groups; ++group) {
    for (unsigned half = 0; half < 2; ++half)  // two stores a group
      device::bulk_store(mine + group * words + half * words / 2, &source[group][half * words / 2],
                         cuda::aligned_size_t<16>(words * 2));
    device::bulk_commit();
  }
  const auto is_stored = [&](unsigned last) {
    bool right = true;
    for (unsigned index = 0; index < last * words; ++index)
      right = right && *static_cast<volatile unsigned*>(mine + index) == index + 1;
    return right;
  };
  device::bulk_wait<5>();
  DEVICE_CHECK(is_stored(1));
  device::bulk_wait<2>();
  DEVICE_CHECK(is_stored(4));
  device::bulk_wait<0>();
  DEVICE_CHECK(is_stored(6));
}
TEST(waits_for_all_groups_but_some) {
  const device_array<unsigned> destination(32 * 6 * 512);
  gpu_test::run(wait_for_some, {32, 128}, destination.get());
}

// --- Tensor maps ---

template <unsigned Rank>
__global__ void store_box(const __grid_constant__ CUtensorMap map, tensor_layout layout, unsigned number) {
  alignas(128) __shared__ int box[1024];
  int near[5], at[Rank];
  box_in(layout, number, near);
  for (unsigned dimension = 0; dimension < Rank; ++dimension)
    at[dimension] = near[dimension];
  for (int element = static_cast<int>(threadIdx.x); element < layout.elements; element += blockDim.x)
    box[element] = static_cast<int>(number) * 1024 + element;
  device::fence_before_bulk_copy();
  __syncthreads();
  if (cudasync::elect_one()) {
    device::bulk_store(&map, at, box);
    device::bulk_commit();
    device::bulk_wait();
  }
}
template <unsigned Rank>
void store_boxes(const tensor_shape& shape) {
  const device_array<int> tensor(elements_of(shape), 0xff);
  const tensor_layout layout = layout_of(shape);
  const CUtensorMap map = tensor_map_of(tensor.get(), shape);
  std::vector<int> wanted(elements_of(shape), -1);
  for (unsigned number = 0; number < 40; ++number) {
    gpu_test::start(store_box<Rank>, {1, 64}, map, layout, number);
    int at[5];
    box_in(layout, number, at);
    for (int element = 0; element < layout.elements; ++element) {
      const long long index = layout.index_of(at, element);
      if (index >= 0) wanted[static_cast<size_t>(index)] = static_cast<int>(number) * 1024 + element;
    }
  }
  gpu_test::finish();
  CHECK(tensor.values() == wanted);
}
TEST(boxes_of_tensor_maps) {
  store_boxes<1>({{1000}, {64}});
  store_boxes<2>({{100, 37}, {32, 5}});
  store_boxes<3>({{20, 17, 9}, {8, 4, 3}});
  store_boxes<4>({{20, 7, 9, 5}, {8, 3, 4, 2}});
  store_boxes<5>({{12, 7, 5, 4, 3}, {8, 3, 2, 2, 2}});
}

// --- Additions ---

template <class Value>
__host__ __device__ Value value_of(int number) {
  return static_cast<Value>(static_cast<float>(number));
}

// Whole numbers of which some are negative; sums of 64 of them are exact in bfloat16.
__host__ __device__ inline int addend(unsigned block, unsigned index) {
  return static_cast<int>((block * 5 + index * 3) % 4) - 1;
}

// All blocks add onto one array, some of them several times.
template <class Value>
__global__ void add_array(Value* sums, unsigned count, unsigned rounds) {
  extern __shared__ __align__(128) unsigned char memory[];
  Value* const values = reinterpret_cast<Value*>(memory);
  for (unsigned index = threadIdx.x; index < count; index += blockDim.x)
    values[index] = value_of<Value>(addend(blockIdx.x, index));
  device::fence_before_bulk_copy();
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned round = 0; round < rounds; ++round) {
      device::bulk_store_add(sums, values, cuda::aligned_size_t<16>(count * sizeof(Value)));
      device::bulk_commit();
    }
    device::bulk_wait();
  }
}
template <class Value>
void add_arrays() {
  constexpr unsigned count = 1024, grid = 32, rounds = 2;
  const device_array<Value> sums(count + 32);
  gpu_test::run(add_array<Value>, {grid, 128, count * sizeof(Value)}, sums.get() + 16, count, rounds);
  const std::vector<Value> found = sums.values();
  unsigned differences = 0;
  for (unsigned index = 0; index < count; ++index) {
    int wanted = 0;
    for (unsigned block = 0; block < grid; ++block)
      wanted += static_cast<int>(rounds) * addend(block, index);
    const bool is_right = sizeof(Value) == 4 || sizeof(Value) == 8
                              ? found[index + 16] == value_of<Value>(wanted)
                              : static_cast<float>(found[index + 16]) == static_cast<float>(wanted);
    differences += !is_right;
  }
  CHECK(differences == 0);
  for (unsigned index = 0; index < 16; ++index)
    CHECK(static_cast<float>(found[index]) == 0 && static_cast<float>(found[count + 16 + index]) == 0);
}
TEST(additions_of_int) {
  add_arrays<int>();
}
TEST(additions_of_long_long) {
  add_arrays<long long>();
}
TEST(additions_of_float) {
  add_arrays<float>();
}
TEST(additions_of_double) {
  add_arrays<double>();
}
TEST(additions_of_half) {
  add_arrays<__half>();
}
TEST(additions_of_bfloat16) {
  add_arrays<__nv_bfloat16>();
}

// Unsigned integers and the wide ones beyond 32 bits wrap around.
template <class Value>
__global__ void add_large_numbers(Value* sums) {
  alignas(16) __shared__ Value values[64];
  values[threadIdx.x] = static_cast<Value>(~Value{0} - threadIdx.x * 1000 - blockIdx.x);
  device::fence_before_bulk_copy();
  __syncthreads();
  if (threadIdx.x == 0) {
    device::bulk_store_add(sums, values, cuda::aligned_size_t<16>(sizeof values));
    device::bulk_commit();
    device::bulk_wait();
  }
}
template <class Value>
void wrap_around() {
  const device_array<Value> sums(64);
  gpu_test::run(add_large_numbers<Value>, {100, 64}, sums.get());
  const std::vector<Value> found = sums.values();
  for (unsigned index = 0; index < 64; ++index) {
    Value wanted = 0;
    for (unsigned block = 0; block < 100; ++block)
      wanted = static_cast<Value>(wanted + static_cast<Value>(~Value{0} - index * 1000 - block));
    CHECK(found[index] == wanted);
  }
}
TEST(additions_of_unsigned) {
  wrap_around<unsigned>();
}
TEST(additions_of_unsigned_long) {
  wrap_around<unsigned long>();
}
TEST(additions_of_unsigned_long_long) {
  wrap_around<unsigned long long>();
}

// --- The ring ---

// A persistent block makes tiles and stores them. Any thread may store, but always the same.
template <unsigned Stages>
__global__ void store_tiles(unsigned* destination, unsigned tiles, unsigned storing, bool adds) {
  constexpr unsigned words = 1024;
  alignas(128) __shared__ unsigned stage[Stages][words];
  cudasync::bulk_store_ring<Stages> ring;
  const bool stores = threadIdx.x == storing;
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    if (stores) ring.acquire();
    __syncthreads();
    for (unsigned index = threadIdx.x; index < words; index += blockDim.x)
      stage[ring.index()][index] = tile * words + index;
    device::fence_before_bulk_copy();
    __syncthreads();
    if (stores) {
      const cuda::aligned_size_t<16> bytes(sizeof stage[0]);
      if (adds)
        device::bulk_store_add(destination + size_t{tile} * words, stage[ring.index()], bytes);
      else
        device::bulk_store(destination + size_t{tile} * words, stage[ring.index()], bytes);
      ring.commit();
    } else {
      ring.skip();
    }
  }
  if (stores) ring.drain();
}
template <unsigned Stages>
void run_ring() {
  constexpr unsigned tiles = 1500;
  for (const bool adds : {false, true}) {
    const device_array<unsigned> destination(tiles * 1024, adds ? 0 : 0xff);
    gpu_test::run(store_tiles<Stages>, {20, 128}, destination.get(), tiles, Stages * 17, adds);
    const std::vector<unsigned> found = destination.values();
    unsigned differences = 0;
    for (unsigned index = 0; index < found.size(); ++index)
      differences += found[index] != index;
    CHECK(differences == 0);
  }
}
TEST(rings_of_1_stage) {
  run_ring<1>();
}
TEST(rings_of_2_stages) {
  run_ring<2>();
}
TEST(rings_of_3_stages) {
  run_ring<3>();
}
TEST(rings_of_4_stages) {
  run_ring<4>();
}

// --- A whole persistent kernel ---

// Loads through a bulk_pipeline, negates, and stores through a ring.
__global__ void negate_array(const int* from, int* to, unsigned tiles) {
  constexpr unsigned words = 1024, stages = 3;
  using pipeline = cudasync::bulk_pipeline<stages, cudasync::consumer_warps<4>>;
  alignas(128) __shared__ int loaded[stages][words], stored[2][words];
  __shared__ pipeline pipe;
  pipe.init(cudasync::this_thread_block());
  if (threadIdx.x >= 128) {
    if (cudasync::elect_one_of_warp()) {
      pipeline::producer_state at;
      for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x, at.advance()) {
        device::prefetch_to_l2(from + size_t{tile} * words, cuda::aligned_size_t<16>(sizeof loaded[0]));
        pipe.producer_acquire(at, sizeof loaded[0]);
        pipe.copy(at, loaded[at.index()], from + size_t{tile} * words, cuda::aligned_size_t<128>(sizeof loaded[0]));
      }
    }
    return;
  }
  const auto sync = [] { asm volatile("bar.sync 1, 128;" ::: "memory"); };
  pipeline::consumer_state at;
  cudasync::bulk_store_ring<2> ring;
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x, at.advance()) {
    if (threadIdx.x == 0) ring.acquire();
    sync();
    pipe.consumer_wait(at);
    for (unsigned index = threadIdx.x; index < words; index += 128)
      stored[ring.index()][index] = -loaded[at.index()][index];
    pipe.consumer_release(at);
    device::fence_before_bulk_copy();
    sync();
    if (threadIdx.x == 0) {
      device::bulk_store(to + size_t{tile} * words, stored[ring.index()], cuda::aligned_size_t<16>(sizeof stored[0]));
      ring.commit();
    } else {
      ring.skip();
    }
  }
  if (threadIdx.x == 0) ring.drain();
}
TEST(load_change_and_store_a_whole_array) {
  constexpr unsigned tiles = 2000, words = 1024;
  std::vector<int> values(tiles * words);
  for (unsigned index = 0; index < values.size(); ++index)
    values[index] = static_cast<int>(index);
  const device_array<int> from(values), to(values.size());
  gpu_test::run(negate_array, {132, 160}, from.get(), to.get(), tiles);
  const std::vector<int> found = to.values();
  unsigned differences = 0;
  for (unsigned index = 0; index < found.size(); ++index)
    differences += found[index] != -static_cast<int>(index);
  CHECK(differences == 0);
}

// --- Prefetch ---

// It changes nothing, whatever it is told to fetch.
__global__ void prefetch_array(const unsigned char* source, unsigned size) {
  const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index % 32 == 0 && index * 16 < size)
    device::prefetch_to_l2(source + index * 16, cuda::aligned_size_t<16>(16 * (1 + index / 32 % 8)));
  for (unsigned place = index; place < size; place += gridDim.x * blockDim.x)
    DEVICE_CHECK(source[place] == byte_at(place));
}
TEST(prefetch_to_l2) {
  const unsigned size = 1 << 20;
  const device_array<unsigned char> source(source_bytes(size + 4096));
  gpu_test::run(prefetch_array, {64, 256}, source.get(), size);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
