// A bulk copy overwrites a tile only when those who released it have read it, though their loads are slow.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: sm90
#include "../support/gpu_test.h"

#include <cuda/barrier>
#include <cuda/pipeline>

using gpu_test::device_array;

constexpr unsigned warps = 8;
constexpr unsigned consumers = 32 * warps;
constexpr unsigned words = 2048;  // of a tile
constexpr unsigned different_tiles = 64;
constexpr unsigned loads = 16;
constexpr unsigned tiles = 2000;
using tile_size = cuda::aligned_size_t<16>;
constexpr unsigned tile_bytes = words * sizeof(unsigned);

// All words of a tile are its number.
const unsigned* source() {
  static const device_array<unsigned>* const numbers = [] {
    std::vector<unsigned> values(different_tiles * words);
    for (unsigned index = 0; index < values.size(); ++index)
      values[index] = index / words;
    return new device_array<unsigned>(values);
  }();
  return numbers->get();
}

// 32 lanes load from one bank each time, so that loads wait in a queue, and nothing waits for what they load before the
// tile is released: the words are looked at afterwards.
struct slow_reader {
  unsigned loaded[loads];

  __device__ void read(const unsigned* tile) {
    for (unsigned index = 0; index < loads; ++index)
      loaded[index] = tile[(threadIdx.x * 32 + index) % words];
  }
  __device__ void check(unsigned tile) const {
    for (unsigned word : loaded)
      DEVICE_CHECK(word == tile % different_tiles);
  }
};

__device__ const unsigned* source_of(const unsigned* source, unsigned tile) {
  return source + tile % different_tiles * words;
}

// --- The pipelines ---

template <class Consumers>
__global__ void bulk_ring(const unsigned* source) {
  using ring = cudasync::bulk_pipeline<2, Consumers>;
  alignas(128) __shared__ unsigned stages[2][words];
  __shared__ ring pipe;
  pipe.init(cudasync::this_thread_block());
  if (threadIdx.x == consumers) {
    typename ring::producer_state at;
    for (unsigned tile = 0; tile < tiles; ++tile, at.advance()) {
      pipe.producer_acquire(at, tile_bytes);
      pipe.copy(at, stages[at.index()], source_of(source, tile), tile_size(tile_bytes));
    }
  } else if (threadIdx.x < consumers) {
    typename ring::consumer_state at;
    slow_reader reader;
    for (unsigned tile = 0; tile < tiles; ++tile, at.advance()) {
      pipe.consumer_wait(at);
      reader.read(stages[at.index()]);
      pipe.consumer_release(at);
      reader.check(tile);
    }
  }
}
TEST(tiles_of_a_bulk_pipeline) {
  gpu_test::run(bulk_ring<cudasync::consumer_warps<warps>>, {32, consumers + 32}, source());
  gpu_test::run(bulk_ring<cudasync::consumer_threads<consumers>>, {32, consumers + 32}, source());
}

__global__ void block_pipeline(const unsigned* source) {
  alignas(128) __shared__ unsigned stages[2][words];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const bool is_producer = threadIdx.x >= consumers;
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state,
                                  is_producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  slow_reader reader;
  for (unsigned tile = 0; tile < tiles; ++tile) {
    if (is_producer) {
      pipe.producer_acquire();
      if (threadIdx.x == consumers)
        static_cast<void>(cuda::memcpy_async(stages[tile % 2], source_of(source, tile), tile_size(tile_bytes), pipe));
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      reader.read(stages[tile % 2]);
      pipe.consumer_release();
      reader.check(tile);
    }
  }
}
TEST(tiles_of_a_pipeline) {
  gpu_test::run(block_pipeline, {32, consumers + 32}, source());
}

// --- With the fence, rings of one's own ---

__global__ void own_barriers(const unsigned* source) {
  alignas(128) __shared__ unsigned stages[2][words];
  __shared__ cuda::barrier<cuda::thread_scope_block> full[2], empty[2];
  if (threadIdx.x == 0) {
    for (unsigned stage = 0; stage < 2; ++stage) {
      init(&full[stage], 1);
      init(&empty[stage], consumers);
    }
  }
  __syncthreads();
  if (threadIdx.x == consumers) {
    for (unsigned tile = 0; tile < tiles; ++tile) {
      const unsigned stage = tile % 2;
      empty[stage].wait_parity(tile / 2 % 2 == 0);
      cudasync::device::fence_before_bulk_copy();
      cuda::device::memcpy_async_tx(stages[stage], source_of(source, tile), tile_size(tile_bytes), full[stage]);
      static_cast<void>(cuda::device::barrier_arrive_tx(full[stage], 1, tile_bytes));
    }
  } else if (threadIdx.x < consumers) {
    slow_reader reader;
    for (unsigned tile = 0; tile < tiles; ++tile) {
      const unsigned stage = tile % 2;
      full[stage].wait_parity(tile / 2 % 2 != 0);
      reader.read(stages[stage]);
      static_cast<void>(empty[stage].arrive());
      reader.check(tile);
    }
  }
}
TEST(tiles_between_barriers_and_fences) {
  gpu_test::run(own_barriers, {32, consumers + 32}, source());
}

__global__ void block_synchronized(const unsigned* source) {
  alignas(128) __shared__ unsigned stage[words];
  __shared__ cuda::barrier<cuda::thread_scope_block> full;
  if (threadIdx.x == 0) init(&full, 1);
  __syncthreads();
  slow_reader reader;
  for (unsigned tile = 0; tile < tiles; ++tile) {
    if (threadIdx.x == 0) {
      cudasync::device::fence_before_bulk_copy();
      cuda::device::memcpy_async_tx(stage, source_of(source, tile), tile_size(tile_bytes), full);
      static_cast<void>(cuda::device::barrier_arrive_tx(full, 1, tile_bytes));
    }
    full.wait_parity(tile % 2 != 0);
    reader.read(stage);
    __syncthreads();
    reader.check(tile);
  }
}
TEST(tiles_between_block_barriers_and_fences) {
  gpu_test::run(block_synchronized, {32, consumers}, source());
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
