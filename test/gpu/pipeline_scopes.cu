// cuda::pipeline of device and system scope: in a block, and across the blocks of a grid.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/duck_time.h"
#include "../support/gpu_test.h"
#include "../support/pipeline_stream.h"

#include <cuda/pipeline>

#include <cooperative_groups.h>

using cuda::pipeline_role;
using cuda::thread_scope;
using gpu_test::device_array;
template <thread_scope Scope, unsigned char Stages>
using state_of = cuda::pipeline_shared_state<Scope, Stages>;

const unsigned char* source() {
  static const device_array<unsigned char>* const bytes =
      new device_array<unsigned char>(source_bytes(stream_source_size));
  return bytes->get();
}

// --- In a block ---

template <thread_scope Scope, unsigned char Stages>
__global__ void stream_kernel(stream what, const unsigned char* source, state_of<Scope, Stages>* in_global) {
  extern __shared__ __align__(128) unsigned char buffers[];
  __shared__ state_of<Scope, Stages> in_shared;
  stream_in_block(what, source, buffers, in_global != nullptr ? in_global + blockIdx.x : &in_shared);
}

constexpr unsigned blocks = 8;

template <thread_scope Scope, unsigned char Stages>
void run_stages(stream what, bool in_global) {
  const device_array<state_of<Scope, Stages>> states(blocks, 0xff);
  what.stages = Stages;
  for (const unsigned producers : {0u, 32u, 1u, 95u}) {
    what.producers = producers;
    gpu_test::run(stream_kernel<Scope, Stages>, {blocks, 96, what.bytes()}, what, source(),
                  in_global ? states.get() : nullptr);
  }
}
template <thread_scope Scope>
void run_streams(bool in_global) {
  for (const fill_by how : {fill_by::group_copy, fill_by::own_copies, fill_by::one_thread, fill_by::stores,
                            fill_by::stores_and_copies, fill_by::stores_or_copies}) {
    stream what;
    what.how = how;
    what.size = 900;
    what.step = 35;
    what.consumers_write = how == fill_by::group_copy;
    what.slow_consumers = what.consumers_return = how == fill_by::own_copies;
    run_stages<Scope, 1>(what, in_global);
    run_stages<Scope, 2>(what, in_global);
    run_stages<Scope, 5>(what, in_global);
  }
}
TEST(device_scope_with_state_in_shared_memory) {
  run_streams<cuda::thread_scope_device>(false);
}
TEST(device_scope_with_state_in_global_memory) {
  run_streams<cuda::thread_scope_device>(true);
}
TEST(system_scope_with_state_in_shared_memory) {
  run_streams<cuda::thread_scope_system>(false);
}
TEST(system_scope_with_state_in_global_memory) {
  run_streams<cuda::thread_scope_system>(true);
}

// --- Across blocks ---

enum class roles { unified, by_count, even_blocks, first_threads };

// All blocks share a pipeline; stages are in global memory, or each block has shared ones of its own, which its own
// producers fill.
template <thread_scope Scope, unsigned char Stages>
__global__ void stream_across_blocks(stream what, roles who, const unsigned char* source, unsigned char* buffers,
                                     state_of<Scope, Stages>* state, unsigned* last_ones) {
  const auto grid = cooperative_groups::this_grid();
  const unsigned rank = static_cast<unsigned>(grid.thread_rank()), threads = static_cast<unsigned>(grid.size());
  paint(buffers, what.bytes(), {rank, threads});
  bool has_left = false;
  if (who == roles::unified) {
    const tiles all{what, {rank, threads}, {rank, threads}, buffers, source};
    auto pipe = cuda::make_pipeline(grid, state);
    stream_unified(pipe, all, 0, what.tiles);
    has_left = pipe.quit();
  } else if (who == roles::by_count) {
    const unsigned producers = threads / 2 + 5;
    const tiles all{what, {rank, producers}, {rank - producers, threads - producers}, buffers, source};
    auto pipe = cuda::make_pipeline(grid, state, producers);
    stream_partitioned(pipe, all, rank < producers, 0, what.tiles);
    has_left = pipe.quit();
  } else {
    const bool is_producer = who == roles::even_blocks ? blockIdx.x % 2 == 0 : threadIdx.x < 16;
    const unsigned size = who == roles::even_blocks ? blockDim.x : is_producer ? 16 : blockDim.x - 16;
    const unsigned groups = who == roles::even_blocks ? (gridDim.x + is_producer) / 2 : gridDim.x;
    const unsigned group = who == roles::even_blocks ? blockIdx.x / 2 : blockIdx.x;
    const unsigned within = who == roles::even_blocks || is_producer ? threadIdx.x : threadIdx.x - 16;
    const thread_group same{group * size + within, groups * size};
    const tiles all{what, same, same, buffers, source};
    auto pipe = cuda::make_pipeline(grid, state, is_producer ? pipeline_role::producer : pipeline_role::consumer);
    stream_partitioned(pipe, all, is_producer, 0, what.tiles);
    has_left = pipe.quit();
  }
  if (has_left) atomicAdd(last_ones, 1u);
  grid.sync();
  check_guards(what, buffers, {rank, threads});
}

template <thread_scope Scope, unsigned char Stages>
void run_across_blocks(stream what, roles who) {
  what.stages = Stages;
  const device_array<unsigned char> buffers(what.bytes());
  const device_array<state_of<Scope, Stages>> state(1, 0xff);
  unsigned launches = 0;
  const device_array<unsigned> last_ones(1);
  for (const unsigned grid : {2u, 9u, 40u}) {
    gpu_test::shape how{grid, 64};
    how.cooperative = true;
    gpu_test::run(stream_across_blocks<Scope, Stages>, how, what, who, source(), buffers.get(), state.get(),
                  last_ones.get());
    ++launches;
  }
  CHECK(last_ones.values()[0] == launches);
}
void run_all_across_blocks(roles who) {
  for (const fill_by how : {fill_by::group_copy, fill_by::own_copies, fill_by::stores, fill_by::stores_or_copies}) {
    stream what;
    what.how = how;
    what.size = 20000;
    what.step = 777;
    what.tiles = 60;
    what.slow_consumers = what.consumers_return = how == fill_by::stores;
    what.consumers_write = how == fill_by::group_copy;
    run_across_blocks<cuda::thread_scope_device, 1>(what, who);
    run_across_blocks<cuda::thread_scope_device, 3>(what, who);
    run_across_blocks<cuda::thread_scope_system, 2>(what, who);
  }
}
TEST(unified_pipelines_of_a_grid) {
  run_all_across_blocks(roles::unified);
}
TEST(pipelines_of_a_grid_partitioned_by_count) {
  run_all_across_blocks(roles::by_count);
}
TEST(even_blocks_produce_for_odd_blocks) {
  run_all_across_blocks(roles::even_blocks);
}
TEST(first_threads_of_each_block_produce_for_the_others) {
  run_all_across_blocks(roles::first_threads);
}

// A stage of the block's own shared memory in a pipeline of the whole grid.
template <unsigned char Stages>
__global__ void stages_in_shared_memory(const unsigned char* source, state_of<cuda::thread_scope_device, Stages>* state,
                                        unsigned tiles) {
  alignas(16) __shared__ unsigned char stage[Stages][512];
  const auto grid = cooperative_groups::this_grid();
  auto pipe = cuda::make_pipeline(grid, state);
  unsigned next = 0;
  const auto place = [](unsigned tile) { return tile * 48 + blockIdx.x * 16; };
  for (unsigned tile = 0; tile < tiles; ++tile) {
    for (; next < tiles && next < tile + Stages; ++next) {
      pipe.producer_acquire();
      static_cast<void>(cuda::memcpy_async(cooperative_groups::this_thread_block(), stage[next % Stages],
                                           source + place(next), cuda::aligned_size_t<16>(512), pipe));
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    const thread_group other{blockDim.x - 1 - threadIdx.x, blockDim.x};
    DEVICE_CHECK(is_right(stage[tile % Stages], {0, 512, place(tile), 512, 512, tile}, other));
    pipe.consumer_release();
  }
}
TEST(blocks_copy_to_their_shared_memory_in_a_pipeline_of_the_grid) {
  const device_array<state_of<cuda::thread_scope_device, 3>> state(1, 0xff);
  gpu_test::shape how{20, 96};
  how.cooperative = true;
  gpu_test::run(stages_in_shared_memory<3>, how, source(), state.get(), 100u);
}

// --- Waits with a limit ---

template <thread_scope Scope>
__global__ void wait_with_limit(state_of<Scope, 2>* in_global) {
  __shared__ state_of<Scope, 2> in_shared;
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), in_global != nullptr ? in_global : &in_shared,
                                  threadIdx.x % 2 == 0 ? pipeline_role::producer : pipeline_role::consumer);
  for (unsigned round = 0; round < 4; ++round) {
    if (threadIdx.x % 2 != 0) {
      DEVICE_CHECK(!pipe.consumer_wait_for(microseconds{50}));
      DEVICE_CHECK(!pipe.consumer_wait_until(device_clock::in(50000)));
    }
    __syncthreads();
    if (threadIdx.x % 2 != 0) {
      DEVICE_CHECK(pipe.consumer_wait_for(seconds{5}));
      DEVICE_CHECK(pipe.consumer_wait_until(device_clock::in(1000)));
      pipe.consumer_release();
    } else {
      pipe.producer_acquire();
      pipe.producer_commit();
    }
    __syncthreads();
  }
}
TEST(waits_with_a_limit_at_wider_scopes) {
  const device_array<state_of<cuda::thread_scope_device, 2>> of_device(1);
  const device_array<state_of<cuda::thread_scope_system, 2>> of_system(1);
  gpu_test::run(wait_with_limit<cuda::thread_scope_device>, {1, 64}, nullptr);
  gpu_test::run(wait_with_limit<cuda::thread_scope_device>, {1, 64}, of_device.get());
  gpu_test::run(wait_with_limit<cuda::thread_scope_system>, {1, 64}, nullptr);
  gpu_test::run(wait_with_limit<cuda::thread_scope_system>, {1, 64}, of_system.get());
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
