// cuda::pipeline whose threads say what they are, or are out of step with their warp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/gpu_test.h"
#include "../support/pipeline_stream.h"

#include <cuda/pipeline>

#include <cooperative_groups.h>

#include <utility>

using cuda::pipeline_role;
using cuda::thread_scope_block;
using gpu_test::device_array;
template <unsigned char Stages>
using block_state = cuda::pipeline_shared_state<thread_scope_block, Stages>;

constexpr unsigned blocks = 8;

const unsigned char* source() {
  static const device_array<unsigned char>* const bytes =
      new device_array<unsigned char>(source_bytes(stream_source_size));
  return bytes->get();
}

// --- Who produces ---

enum class producers {
  even_ranks,
  odd_ranks,
  first_warp,
  last_warp,
  middle_warp,
  first_thread,
  last_thread,
  all_but_first,
  all_but_last,
  every_third
};

__device__ bool produces(producers which, unsigned rank, unsigned threads) {
  switch (which) {
  case producers::even_ranks:
    return rank % 2 == 0;
  case producers::odd_ranks:
    return rank % 2 != 0;
  case producers::first_warp:
    return rank < 32;
  case producers::last_warp:
    return rank / 32 == (threads - 1) / 32;
  case producers::middle_warp:
    return rank / 32 == 1;
  case producers::first_thread:
    return rank == 0;
  case producers::last_thread:
    return rank == threads - 1;
  case producers::all_but_first:
    return rank != 0;
  case producers::all_but_last:
    return rank != threads - 1;
  default:
    return rank % 3 == 0;
  }
}

// The rank among those of the same role, and their number.
__device__ thread_group of_the_same_role(producers which, unsigned rank, unsigned threads) {
  thread_group result{0, 0};
  for (unsigned other = 0; other < threads; ++other)
    if (produces(which, other, threads) == produces(which, rank, threads)) {
      result.rank += other < rank;
      ++result.threads;
    }
  return result;
}

template <unsigned char Stages>
__global__ void stream_by_roles(stream what, producers which, const unsigned char* source,
                                block_state<Stages>* in_global) {
  extern __shared__ __align__(128) unsigned char buffers[];
  __shared__ block_state<Stages> in_shared;
  const auto block = cooperative_groups::this_thread_block();
  const unsigned rank = block.thread_rank(), threads = block.size();
  paint(buffers, what.bytes(), {rank, threads});
  const bool is_producer = produces(which, rank, threads);
  const thread_group same = of_the_same_role(which, rank, threads);
  const tiles all{what, same, same, buffers, source};
  auto pipe = cuda::make_pipeline(block, in_global != nullptr ? in_global + blockIdx.x : &in_shared,
                                  is_producer ? pipeline_role::producer : pipeline_role::consumer);
  stream_partitioned(pipe, all, is_producer, 0, what.tiles);
  block.sync();
  check_guards(what, buffers, {rank, threads});
}

void run_roles(producers which, dim3 block, bool in_global = false) {
  const device_array<block_state<1>> states_1(blocks, 0xff);
  const device_array<block_state<4>> states_4(blocks, 0xff);
  for (const fill_by how : {fill_by::group_copy, fill_by::own_copies, fill_by::one_thread, fill_by::stores,
                            fill_by::stores_and_copies, fill_by::stores_or_copies}) {
    stream what;
    what.how = how;
    what.step = 33;
    what.slow_consumers = what.consumers_return = how == fill_by::one_thread;
    what.stages = 1;
    gpu_test::run(stream_by_roles<1>, {blocks, block, what.bytes()}, what, which, source(),
                  in_global ? states_1.get() : nullptr);
    what.stages = 4;
    what.tiles = 101;
    gpu_test::run(stream_by_roles<4>, {blocks, block, what.bytes()}, what, which, source(),
                  in_global ? states_4.get() : nullptr);
  }
}

TEST(even_ranks_produce_for_odd_ranks) {
  run_roles(producers::even_ranks, 128);
}
TEST(odd_ranks_produce_for_even_ranks) {
  run_roles(producers::odd_ranks, dim3(8, 4, 4));
}
TEST(first_warp_produces) {
  run_roles(producers::first_warp, 160);
}
TEST(last_warp_produces) {
  run_roles(producers::last_warp, 160);
}
TEST(middle_warp_produces) {
  run_roles(producers::middle_warp, dim3(32, 4));
}
TEST(first_thread_produces_for_255) {
  run_roles(producers::first_thread, 256);
}
TEST(last_thread_produces_for_255) {
  run_roles(producers::last_thread, 256);
}
TEST(threads_but_the_first_produce_for_it) {
  run_roles(producers::all_but_first, 256);
}
TEST(threads_but_the_last_produce_for_it) {
  run_roles(producers::all_but_last, 256);
}
TEST(every_third_thread_produces) {
  run_roles(producers::every_third, 101);
}
TEST(even_ranks_produce_with_the_state_in_global_memory) {
  run_roles(producers::even_ranks, 128, true);
}
TEST(last_warp_produces_with_the_state_in_global_memory) {
  run_roles(producers::last_warp, 128, true);
}

// --- Groups smaller than a block ---

// Each tile of 32 threads, or of 8, has a pipeline of its own.
template <unsigned Threads>
__global__ void stream_in_groups(stream what, const unsigned char* source) {
  constexpr unsigned groups = 128 / Threads;
  extern __shared__ __align__(128) unsigned char memory[];
  __shared__ block_state<3> states[3 * groups];
  const auto group = cooperative_groups::tiled_partition<Threads>(cooperative_groups::this_thread_block());
  const unsigned index = group.meta_group_rank(), rank = group.thread_rank();
  unsigned char* const buffers = memory + index * what.bytes();
  paint(buffers, what.bytes(), {rank, Threads});
  {
    const tiles all{what, {rank, Threads}, {rank, Threads}, buffers, source};
    auto pipe = cuda::make_pipeline(group, &states[index]);
    stream_unified(pipe, all, 0, what.tiles);
  }
  group.sync();
  {
    const unsigned half = Threads / 2;
    const tiles all{what, {rank, half}, {rank - half, half}, buffers, source};
    auto pipe = cuda::make_pipeline(group, &states[groups + index], half);
    stream_partitioned(pipe, all, rank < half, 0, what.tiles);
  }
  group.sync();
  {
    const tiles all{what, {rank, 1}, {rank - 1, Threads - 1}, buffers, source};
    auto pipe = cuda::make_pipeline(group, &states[2 * groups + index],
                                    rank == 0 ? pipeline_role::producer : pipeline_role::consumer);
    stream_partitioned(pipe, all, rank == 0, 0, what.tiles);
  }
  group.sync();
  check_guards(what, buffers, {rank, Threads});
}
TEST(pipelines_of_single_warps_and_of_parts_of_them) {
  stream what;
  what.stages = 3;
  what.size = 512;
  what.step = 32;
  gpu_test::run(stream_in_groups<32>, {blocks, 128, 4 * what.bytes()}, what, source());
  gpu_test::run(stream_in_groups<8>, {blocks, 128, 16 * what.bytes()}, what, source());
}

// --- Threads of a warp in different rounds ---

// Odd and even lanes run loops of their own, and some sleep: a warp's threads are several stages apart.
template <unsigned char Stages>
__global__ void stream_out_of_step(stream what, const unsigned char* source) {
  extern __shared__ __align__(128) unsigned char buffers[];
  __shared__ block_state<Stages> state;
  const thread_group block{threadIdx.x, blockDim.x};
  paint(buffers, what.bytes(), block);
  const tiles all{what, block, block, buffers, source};
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state);
  unsigned next = 0;
  for (unsigned tile = 0; tile < what.tiles; ++tile) {
    if (threadIdx.x % 2 == 0) {
      for (; next < what.tiles && next < tile + what.stages; ++next) {
        if ((next + threadIdx.x) % 13 == 0) __nanosleep(500);
        produce(pipe, all, next);
      }
      consume(pipe, all, tile);
    } else {
      // One stage ahead at most.
      for (; next <= tile; ++next)
        produce(pipe, all, next);
      if ((tile + threadIdx.x) % 11 == 0) __nanosleep(700);
      consume(pipe, all, tile);
    }
  }
}
TEST(threads_of_a_warp_in_different_rounds) {
  for (const fill_by how : {fill_by::own_copies, fill_by::stores_or_copies, fill_by::one_thread}) {
    stream what;
    what.how = how;
    what.stages = 4;
    gpu_test::run(stream_out_of_step<4>, {blocks, 96, what.bytes()}, what, source());
    what.stages = 2;
    gpu_test::run(stream_out_of_step<2>, {blocks, 96, what.bytes()}, what, source());
  }
}

// --- One thread alone ---

// Thread 0 copies inside a branch, the others commit what they have not copied. Everything is known to the compiler.
__global__ void copy_in_one_thread(const int* values, int* sums, unsigned rounds) {
  alignas(16) __shared__ int tile[2][64];
  __shared__ block_state<2> state;
  const auto block = cooperative_groups::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  const auto load = [&](unsigned round) {
    pipe.producer_acquire();
    if (threadIdx.x == 0)
      static_cast<void>(cuda::memcpy_async(tile[round % 2], values + round * 64, cuda::aligned_size_t<16>(256), pipe));
    pipe.producer_commit();
  };
  load(0);
  int sum = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    if (round + 1 < rounds) load(round + 1);
    pipe.consumer_wait();
    sum += tile[round % 2][63 - threadIdx.x];
    pipe.consumer_release();
  }
  sums[threadIdx.x] = sum;
}
TEST(one_thread_alone_copies_in_a_unified_pipeline) {
  constexpr unsigned rounds = 60;
  std::vector<int> values(rounds * 64), wanted(64);
  for (unsigned index = 0; index < values.size(); ++index) {
    values[index] = static_cast<int>(index * 7 % 1001);
    wanted[63 - index % 64] += values[index];
  }
  const device_array<int> on_device(values), sums(64);
  gpu_test::run(copy_in_one_thread, {1, 64}, on_device.get(), sums.get(), rounds);
  CHECK(sums.values() == wanted);
}

// --- Pipelines that lack a role ---

__global__ void only_one_role(bool produces, unsigned* words) {
  __shared__ block_state<3> state, state_by_count;
  alignas(16) __shared__ unsigned tiles[3][32];
  const auto block = cudasync::this_thread_block();
  auto by_role = cuda::make_pipeline(block, &state, produces ? pipeline_role::producer : pipeline_role::consumer);
  auto by_count = cuda::make_pipeline(block, &state_by_count, produces ? blockDim.x : 0u);
  if (produces) {
    for (unsigned stage = 0; stage < 3; ++stage) {
      by_role.producer_acquire();
      by_count.producer_acquire();
      static_cast<void>(cuda::memcpy_async(block, tiles[stage], words, 128, by_count));
      by_role.producer_commit();
      by_count.producer_commit();
    }
  }
  const bool is_last = by_role.quit();
  atomicAdd(words, by_count.quit() ? 1 : 0);
  atomicAdd(words + 1, is_last ? 1 : 0);
}
TEST(all_threads_are_producers_or_all_are_consumers) {
  const device_array<unsigned> words(32);
  gpu_test::run(only_one_role, {1, 64}, true, words.get());
  gpu_test::run(only_one_role, {1, 64}, false, words.get());
  CHECK(words.values()[0] == 2 && words.values()[1] == 2);
}

// --- Moves ---

// A handle that has been moved, in the middle of a stream.
__global__ void stream_by_a_moved_handle(stream what, const unsigned char* source) {
  extern __shared__ __align__(128) unsigned char buffers[];
  __shared__ block_state<2> state, state_of_another;
  const thread_group block{threadIdx.x, blockDim.x};
  paint(buffers, what.bytes(), block);
  const tiles all{what, block, block, buffers, source};
  auto first = cuda::make_pipeline(cudasync::this_thread_block(), &state);
  stream_unified(first, all, 0, 7);
  auto second = std::move(first);
  stream_unified(second, all, 7, 16);
  auto third = cuda::make_pipeline(cudasync::this_thread_block(), &state_of_another);
  third = std::move(second);
  stream_unified(third, all, 16, what.tiles);
}
TEST(handles_that_are_moved) {
  const stream what;
  gpu_test::run(stream_by_a_moved_handle, {blocks, 64, what.bytes()}, what, source());
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
