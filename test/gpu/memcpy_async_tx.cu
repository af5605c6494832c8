// memcpy_async_tx: the right bytes, all of them, no others, and visible after the wait.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: sm90
#include "../support/duck_time.h"
#include "../support/gpu_test.h"

#include <cuda/barrier>

#include <type_traits>
#include <utility>

using gpu_test::device_array;
using barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr unsigned guard_bytes = 256;
constexpr unsigned char guard_byte = 0xa5;

__device__ unsigned char byte_at(size_t index) {
  return static_cast<unsigned char>(index * 31 + index / 256 * 7);
}

__global__ void fill(unsigned char* bytes, size_t size) {
  for (size_t index = blockIdx.x * blockDim.x + threadIdx.x; index < size; index += gridDim.x * blockDim.x)
    bytes[index] = byte_at(index);
}

enum class wait_by { token, parity };
enum class hint { none, evict_first, evict_last };

template <hint Hint>
__device__ void copy(unsigned char* destination, const unsigned char* source, size_t size, barrier& bar) {
  const cuda::aligned_size_t<16> bytes(size);
  if constexpr (Hint == hint::none) {
    static_assert(std::is_same_v<decltype(cuda::device::memcpy_async_tx(destination, source, bytes, bar)),
                                 cuda::async_contract_fulfillment>);
    cuda::device::memcpy_async_tx(destination, source, bytes, bar);
  } else if constexpr (Hint == hint::evict_first) {
    cuda::device::memcpy_async_tx(destination, source, bytes, bar, cudasync::l2_cache_hint::evict_first());
  } else {
    cuda::device::memcpy_async_tx(destination, source, bytes, bar, cudasync::l2_cache_hint::evict_last());
  }
}

// The destination lies between two guard zones; the copy may begin before or after its bytes are expected.
template <wait_by Wait, hint Hint>
__global__ void copy_tile(const unsigned char* source, unsigned offset, unsigned size) {
  extern __shared__ __align__(128) unsigned char buffer[];
  __shared__ barrier bar;
  unsigned char* const tile = buffer + guard_bytes;
  for (unsigned index = threadIdx.x; index < size + 2 * guard_bytes; index += blockDim.x)
    buffer[index] = guard_byte;
  cudasync::init_barriers(cudasync::this_thread_block(),
                          cudasync::expects(bar, Wait == wait_by::token ? blockDim.x : 1));
  if (threadIdx.x == 0) cudasync::device::fence_before_bulk_copy();  // the guard's bytes were written before

  if (Wait == wait_by::token) {
    const bool copies = threadIdx.x == 0;
    if (copies) copy<Hint>(tile, source + offset, size, bar);
    auto token = cuda::device::barrier_arrive_tx(bar, 1, copies ? size : 0);
    bar.wait(std::move(token));
  } else {
    if (cudasync::elect_one()) {
      static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, size));
      copy<Hint>(tile, source + offset, size, bar);
    }
    bar.wait_parity(false);
  }
  for (unsigned index = threadIdx.x; index < size; index += blockDim.x)
    DEVICE_CHECK(tile[index] == byte_at(offset + index));
  for (unsigned index = threadIdx.x; index < guard_bytes; index += blockDim.x)
    DEVICE_CHECK(buffer[index] == guard_byte && tile[size + index] == guard_byte);
}

constexpr size_t source_size = 1 << 20;

template <wait_by Wait, hint Hint>
void copy_tiles() {
  const device_array<unsigned char> source(source_size);
  gpu_test::run(fill, {32, 256}, source.get(), source_size);
  for (const unsigned size : {16, 32, 48, 112, 128, 1024, 4096, 4112, 16384, 32768, 65536})
    for (const unsigned offset : {0, 16, 4080})
      gpu_test::run(copy_tile<Wait, Hint>, {4, 128, size + 2 * guard_bytes}, source.get(), offset, size);
}
TEST(copies_of_all_sizes_waited_for_by_token) {
  copy_tiles<wait_by::token, hint::none>();
}
TEST(copies_of_all_sizes_waited_for_by_parity) {
  copy_tiles<wait_by::parity, hint::none>();
}
TEST(copies_that_leave_the_cache_first) {
  copy_tiles<wait_by::token, hint::evict_first>();
}
TEST(copies_that_leave_the_cache_last) {
  copy_tiles<wait_by::parity, hint::evict_last>();
}

// Two buffers in turn over a whole array: each phase waits for its own bytes, and no buffer is overwritten too early.
__global__ void sum_of_array(const int* values, unsigned tiles, unsigned long long* sum) {
  constexpr unsigned tile_size = 1024;
  alignas(16) __shared__ int tile[2][tile_size];
  __shared__ barrier full[2];
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<1>(full));
  const auto load = [&](unsigned index) {
    static_cast<void>(cuda::device::barrier_arrive_tx(full[index % 2], 1, sizeof tile[0]));
    cuda::device::memcpy_async_tx(tile[index % 2], values + size_t{index} * tile_size,
                                  cuda::aligned_size_t<16>(sizeof tile[0]), full[index % 2]);
  };
  if (threadIdx.x == 0) load(0);
  unsigned long long mine = 0;
  for (unsigned index = 0; index < tiles; ++index) {
    if (threadIdx.x == 0 && index + 1 < tiles) {
      cudasync::device::fence_before_bulk_copy();  // all have read what this tile held
      load(index + 1);
    }
    full[index % 2].wait_parity(index / 2 % 2 != 0);
    for (unsigned place = threadIdx.x; place < tile_size; place += blockDim.x)
      mine += static_cast<unsigned long long>(tile[index % 2][place]);
    __syncthreads();  // the next load but one overwrites this tile
  }
  atomicAdd(sum, mine);
}
TEST(double_buffered_loads_of_a_whole_array) {
  constexpr unsigned tiles = 1000;
  std::vector<int> values(tiles * 1024);
  unsigned long long expected = 0;
  for (size_t index = 0; index < values.size(); ++index) {
    values[index] = static_cast<int>(index * 2654435761u % 1000);
    expected += static_cast<unsigned long long>(values[index]);
  }
  const device_array<int> on_device(values);
  const device_array<unsigned long long> sum(1);
  gpu_test::run(sum_of_array, {1, 256}, on_device.get(), tiles, sum.get());
  CHECK(sum.values()[0] == expected);
}

// The phase does not complete before the bytes have come: the other half of them is never copied.
__global__ void half_of_the_bytes(const unsigned char* source) {
  alignas(16) __shared__ unsigned char tile[2048];
  __shared__ barrier bar;
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<1>(bar));
  static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, 2048));
  cuda::device::memcpy_async_tx(tile, source, cuda::aligned_size_t<16>(1024), bar);
  DEVICE_CHECK(!bar.try_wait_parity_for(false, milliseconds{2}));
  cuda::device::memcpy_async_tx(tile + 1024, source, cuda::aligned_size_t<1024>(1024), bar);
  DEVICE_CHECK(bar.try_wait_parity_for(false, seconds{1}));
}
TEST(phase_lasts_until_all_bytes_have_come) {
  const device_array<unsigned char> source(2048);
  gpu_test::run(half_of_the_bytes, {1, 1}, source.get());
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
