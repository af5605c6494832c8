// Behind fence_before_bulk_copy in the thread that copies, bulk copies see and follow what the block has stored.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: sm90
#include "../support/stored_tiles.h"
#include "../support/tensor_map.h"

#include <cuda/barrier>
#include <cuda/pipeline>

using namespace stored_tiles;

using gpu_test::device_array;

__global__ void by_memcpy_async_tx(unsigned* global) {
  alignas(128) __shared__ unsigned tile[words];
  __shared__ block_barrier bar;
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<1>(bar));
  global += blockIdx.x * words;
  for (unsigned round = 0; round < rounds; ++round) {
    write(global, round);
    __syncthreads();
    if (threadIdx.x == 0) {
      cudasync::device::fence_before_bulk_copy();
      static_cast<void>(cuda::device::memcpy_async_tx(tile, global, tile_size(tile_bytes), bar));
      static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, tile_bytes));
    }
    bar.wait_parity(round % 2 != 0);
    check(tile, round);
    __syncthreads();
  }
}
TEST(loads) {
  run(by_memcpy_async_tx);
}

using ring = cudasync::bulk_pipeline<2, cudasync::consumer_threads<threads>>;

__global__ void by_bulk_pipeline(unsigned* global) {
  alignas(128) __shared__ unsigned stages[2][words];
  __shared__ ring pipe;
  pipe.init(cudasync::this_thread_block());
  global += blockIdx.x * words;
  ring::producer_state in;
  ring::consumer_state out;
  for (unsigned round = 0; round < rounds; ++round, out.advance()) {
    write(global, round);
    __syncthreads();
    if (threadIdx.x == 0) {
      pipe.producer_acquire(in, tile_bytes);
      cudasync::device::fence_before_bulk_copy();
      pipe.copy(in, stages[in.index()], global, tile_size(tile_bytes));
      in.advance();
    }
    pipe.consumer_wait(out);
    check(stages[out.index()], round);
    pipe.consumer_release(out);
    __syncthreads();
  }
}
TEST(loads_of_a_bulk_pipeline) {
  run(by_bulk_pipeline);
}

// A bulk addition to words that have just been stored, and a bulk store over them.
template <bool Adds>
__global__ void by_bulk_store(unsigned* global) {
  alignas(128) __shared__ unsigned ones[words];
  for (unsigned index = threadIdx.x; index < words; index += threads)
    ones[index] = 1;
  global += blockIdx.x * words;
  for (unsigned round = 0; round < rounds; ++round) {
    write(global, round);
    __syncthreads();
    if (threadIdx.x == 0) {
      cudasync::device::fence_before_bulk_copy();
      if constexpr (Adds)
        cudasync::device::bulk_store_add(global, ones, tile_size(tile_bytes));
      else
        cudasync::device::bulk_store(global, ones, tile_size(tile_bytes));
      cudasync::device::bulk_commit();
      cudasync::device::bulk_wait();
    }
    __syncthreads();
    for (unsigned index = threadIdx.x; index < words; index += threads)
      DEVICE_CHECK(__ldcg(global + place(index)) == (Adds ? round + index + 1 : 1));
    __syncthreads();
  }
}
TEST(additions) {
  run(by_bulk_store<true>);
}
TEST(stores) {
  run(by_bulk_store<false>);
}

// Stores of what was written to shared memory: the stores wait in a queue, since 32 lanes write to one bank.
__global__ void shared_words(unsigned* global) {
  alignas(128) __shared__ unsigned tile[words];
  global += blockIdx.x * words;
  const unsigned place = threadIdx.x * 32 % words + threadIdx.x / 64;
  for (unsigned round = 0; round < rounds; ++round) {
    for (unsigned index = 0; index < words / threads; ++index)
      static_cast<volatile unsigned*>(tile)[(place + 4 * index) % words] = round;
    __syncthreads();
    if (threadIdx.x == 0) {
      cudasync::device::fence_before_bulk_copy();
      cudasync::device::bulk_store(global, tile, tile_size(tile_bytes));
      cudasync::device::bulk_commit();
      cudasync::device::bulk_wait();
    }
    __syncthreads();
    for (unsigned index = threadIdx.x; index < words; index += threads)
      DEVICE_CHECK(__ldcg(global + index) == round);
    __syncthreads();
  }
}
TEST(stores_of_shared_words) {
  run(shared_words);
}

// --- Tensor maps that change on the device ---

// Two maps take turns at one place in global memory.
constexpr unsigned side = 32;

__global__ void by_changing_map(const CUtensorMap* maps, CUtensorMap* places) {
  alignas(128) __shared__ int tile[side * side];
  __shared__ block_barrier bar;
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<1>(bar));
  CUtensorMap* const map = places + blockIdx.x;
  for (unsigned round = 0; round < rounds; ++round) {
    if (threadIdx.x < 32) {
      reinterpret_cast<unsigned*>(map)[threadIdx.x] = reinterpret_cast<const unsigned*>(maps + round % 2)[threadIdx.x];
      cudasync::device::release_tensor_map();
    }
    __syncthreads();
    if (threadIdx.x == 64) {  // of another warp than those that wrote the map
      cudasync::device::acquire_tensor_map(map);
      static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, sizeof tile));
      cuda::device::experimental::cp_async_bulk_tensor_2d_global_to_shared(tile, map, 0, 0, bar);
    }
    bar.wait_parity(round % 2 != 0);
    for (unsigned index = threadIdx.x; index < side * side; index += threads)
      DEVICE_CHECK(tile[index] == static_cast<int>(round % 2));
    __syncthreads();
  }
}
TEST(loads_by_a_map_that_changes) {
  const device_array<int> zeros(side * side);
  const device_array<int> ones(std::vector<int>(side * side, 1));
  const tensor_shape shape{{side, side}, {side, side}};
  const device_array<CUtensorMap> maps(
      std::vector<CUtensorMap>{tensor_map_of(zeros.get(), shape), tensor_map_of(ones.get(), shape)});
  const device_array<CUtensorMap> places(132);
  gpu_test::run(by_changing_map, {132, threads}, maps.get(), places.get());
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
