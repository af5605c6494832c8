// pipeline::quit: the others go on, exactly one thread is the last, and then the state can be used again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/duck_time.h"
#include "../support/gpu_test.h"

#include <cuda/pipeline>

#include <string.h>

using cuda::pipeline_role;
using cuda::thread_scope;
using gpu_test::device_array;

constexpr unsigned blocks = 8, most_threads = 128, most_stages = 5;

enum class kind { unified, by_count, by_role };
enum class leave {
  together,         // all after the last tile
  one_by_one,       // each after another tile
  in_warps,         // the same, warp by warp
  unreleased,       // one by one, with stages that they have committed and not released; of unified pipelines
  before_any_tile,  // every second of them at once, the others at the end
};

struct plan {
  kind roles;
  leave when;
  unsigned producers;  // the first threads, if there are roles
  unsigned tiles;
  unsigned lives;  // pipelines, one after the other, on the same state
};

__device__ bool is_producer(const plan& what, unsigned rank) {
  return what.roles == kind::unified || rank < what.producers;
}

// The tiles that a thread takes part in. One producer and one consumer stay to the end.
__device__ unsigned tiles_of(const plan& what, unsigned rank, unsigned threads) {
  if (what.when == leave::together || rank == what.producers - 1 || rank == threads - 1) return what.tiles;
  if (what.when == leave::before_any_tile) return rank % 2 == 0 ? 0 : what.tiles;
  return (what.when == leave::in_warps ? rank / 32 * 29 : rank * 37) % (what.tiles + 1);
}

__device__ unsigned number_of(unsigned tile, unsigned rank) {
  return tile * 1024 + rank;
}

template <thread_scope Scope, unsigned char Stages>
using state_of = cuda::pipeline_shared_state<Scope, Stages>;

// What a producer writes to its word of a stage: by copy or by assignment.
template <class Pipeline>
__device__ void produce(Pipeline& pipe, unsigned* word, const unsigned* numbers, unsigned tile) {
  pipe.producer_acquire();
  if ((tile + threadIdx.x) % 3 != 0)
    static_cast<void>(cuda::memcpy_async(word, numbers + tile * most_threads + threadIdx.x, sizeof *word, pipe));
  else
    *word = number_of(tile, threadIdx.x);
  pipe.producer_commit();
}

// The words of all producers that took part in this tile.
template <class Pipeline>
__device__ void consume(Pipeline& pipe, const unsigned* words, const plan& what, unsigned tile) {
  pipe.consumer_wait();
  for (unsigned count = 0; count < 16; ++count) {
    const unsigned rank = (threadIdx.x * 5 + tile + count * 9) % blockDim.x;
    if (is_producer(what, rank) && tile < tiles_of(what, rank, blockDim.x))
      DEVICE_CHECK(words[rank] == number_of(tile, rank));
  }
  if ((tile + threadIdx.x) % 29 == 0) __nanosleep(500);
  pipe.consumer_release();
}

template <class Pipeline>
__device__ __noinline__ bool take_part(Pipeline& pipe, const plan& what, unsigned stages,
                                       unsigned (*words)[most_threads], const unsigned* numbers) {
  const unsigned rank = threadIdx.x, tiles = tiles_of(what, rank, blockDim.x);
  const auto word = [&](unsigned tile) { return &words[tile % stages][rank]; };
  if (what.roles == kind::unified) {
    const unsigned kept = what.when == leave::unreleased && tiles != what.tiles ? rank % (stages + 1) : 0;
    const unsigned used = kept < tiles ? tiles - kept : 0;
    unsigned next = 0;
    for (unsigned tile = 0; tile < used; ++tile) {
      for (; next < tiles && next < tile + stages; ++next)
        produce(pipe, word(next), numbers, next);
      consume(pipe, words[tile % stages], what, tile);
    }
    for (; next < tiles && next < used + stages; ++next)
      produce(pipe, word(next), numbers, next);
  } else if (is_producer(what, rank)) {
    for (unsigned tile = 0; tile < tiles; ++tile)
      produce(pipe, word(tile), numbers, tile);
  } else {
    for (unsigned tile = 0; tile < tiles; ++tile)
      consume(pipe, words[tile % stages], what, tile);
  }
  return pipe.quit();
}

template <thread_scope Scope, unsigned char Stages>
__global__ void leave_pipelines(plan what, const unsigned* numbers, state_of<Scope, Stages>* in_global) {
  __shared__ unsigned words[most_stages][most_threads], last_ones;
  __shared__ state_of<Scope, Stages> in_shared;
  auto* const state = in_global != nullptr ? in_global + blockIdx.x : &in_shared;
  const auto block = cudasync::this_thread_block();
  const bool produces = is_producer(what, threadIdx.x);
  for (unsigned life = 0; life < what.lives; ++life) {
    for (auto& of_stage : words)
      of_stage[threadIdx.x] = ~0u;
    if (threadIdx.x == 0) last_ones = 0;
    const pipeline_role role = produces ? pipeline_role::producer : pipeline_role::consumer;
    auto pipe = what.roles == kind::unified    ? cuda::make_pipeline(block, state)
                : what.roles == kind::by_count ? cuda::make_pipeline(block, state, size_t{what.producers})
                                               : cuda::make_pipeline(block, state, role);
    if (take_part(pipe, what, Stages, words, numbers)) {
      atomicAdd(&last_ones, 1u);
      memset(static_cast<void*>(state), life % 2 == 0 ? 0xff : 0, sizeof *state);  // it is free for other use
    }
    __syncthreads();
    DEVICE_CHECK(last_ones == 1);
    __syncthreads();
  }
}

template <thread_scope Scope, unsigned char Stages>
void run_plan(const plan& what, unsigned threads, bool in_global) {
  std::vector<unsigned> all;
  for (unsigned index = 0; index < (what.tiles + 1) * most_threads; ++index)
    all.push_back(index / most_threads * 1024 + index % most_threads);
  const device_array<unsigned> numbers(all);
  const device_array<state_of<Scope, Stages>> states(blocks, 0xff);
  gpu_test::run(leave_pipelines<Scope, Stages>, {blocks, threads}, what, numbers.get(),
                in_global ? states.get() : nullptr);
}
template <thread_scope Scope>
void run_with_stages(const plan& what, bool in_global) {
  for (const unsigned threads : {128u, 96u, 2u}) {
    plan with = what;
    if (with.producers >= threads) with.producers = threads / 2;
    run_plan<Scope, 1>(with, threads, in_global);
    run_plan<Scope, 2>(with, threads, in_global);
    run_plan<Scope, most_stages>(with, threads, in_global);
  }
}
void run_kinds(leave when, unsigned tiles, unsigned lives = 2) {
  for (const bool in_global : {false, true}) {
    run_with_stages<cuda::thread_scope_block>({kind::unified, when, 64, tiles, lives}, in_global);
    if (when == leave::unreleased) continue;
    run_with_stages<cuda::thread_scope_block>({kind::by_count, when, 64, tiles, lives}, in_global);
    run_with_stages<cuda::thread_scope_block>({kind::by_role, when, 32, tiles, lives}, in_global);
  }
}

TEST(all_quit_together_after_the_last_tile) {
  for (const unsigned tiles : {0u, 1u, 2u, 5u, 31u})
    run_kinds(leave::together, tiles);
}
TEST(threads_quit_one_by_one_in_the_middle) {
  for (const unsigned tiles : {3u, 40u, 101u})
    run_kinds(leave::one_by_one, tiles);
}
TEST(warps_quit_one_by_one_in_the_middle) {
  for (const unsigned tiles : {20u, 101u})
    run_kinds(leave::in_warps, tiles);
}
TEST(threads_quit_with_stages_that_they_have_not_released) {
  for (const unsigned tiles : {3u, 40u, 101u})
    run_kinds(leave::unreleased, tiles);
}
TEST(threads_quit_before_the_first_tile) {
  for (const unsigned tiles : {1u, 2u, 40u})
    run_kinds(leave::before_any_tile, tiles);
}
TEST(state_is_used_by_many_pipelines_one_after_the_other) {
  run_kinds(leave::one_by_one, 13, 50);
}
TEST(threads_quit_pipelines_of_wider_scopes) {
  for (const leave when : {leave::together, leave::one_by_one, leave::unreleased})
    for (const bool in_global : {false, true}) {
      run_with_stages<cuda::thread_scope_device>({kind::unified, when, 64, 40, 2}, in_global);
      run_with_stages<cuda::thread_scope_system>({kind::unified, when, 64, 40, 2}, in_global);
      if (when == leave::unreleased) continue;
      run_with_stages<cuda::thread_scope_device>({kind::by_role, when, 32, 40, 2}, in_global);
    }
}

// --- Copies that are on their way when the threads leave ---

constexpr unsigned in_flight_words = 10240;  // 40 KiB, from memory that no cache holds
constexpr unsigned in_flight_rounds = 100;
constexpr unsigned in_flight_threads = 64;

// The first stage's copy is small and soon over, that of the second is not. When all have left, the memory is free: what is
// written there stays.
__global__ void leave_with_copies_in_flight(const unsigned* source) {
  extern __shared__ __align__(128) unsigned stages[];
  __shared__ state_of<cuda::thread_scope_block, 2> state;
  const auto block = cudasync::this_thread_block();
  source += size_t{blockIdx.x} * in_flight_rounds * in_flight_words;
  for (unsigned round = 0; round < in_flight_rounds; ++round, source += in_flight_words) {
    auto pipe = cuda::make_pipeline(block, &state);
    pipe.producer_acquire();
    static_cast<void>(cuda::memcpy_async(block, stages, source, cuda::aligned_size_t<16>(64), pipe));
    pipe.producer_commit();
    pipe.producer_acquire();
    static_cast<void>(cuda::memcpy_async(block, stages + 16, source + 16,
                                         cuda::aligned_size_t<16>((in_flight_words - 16) * sizeof *source), pipe));
    pipe.producer_commit();
    pipe.quit();
    __syncthreads();
    for (unsigned index = threadIdx.x; index < in_flight_words; index += blockDim.x)
      stages[index] = round;
    gpu_test::pause(20000);
    for (unsigned index = threadIdx.x; index < in_flight_words; index += blockDim.x)
      DEVICE_CHECK(static_cast<volatile unsigned*>(stages)[index] == round);
    __syncthreads();
  }
}
TEST(memory_is_free_when_all_have_left) {
  constexpr unsigned grid = 132;
  const device_array<unsigned> source(size_t{grid} * in_flight_rounds * in_flight_words, 0xff);
  gpu_test::shape how{grid, in_flight_threads};
  how.shared_bytes = in_flight_words * sizeof(unsigned);
  gpu_test::run(leave_with_copies_in_flight, how, source.get());
}

// --- All producers leave, and the consumers stay ---

// The consumers take the tiles that all producers have committed, or those that stayed, and no other. Odd producers commit one
// tile less.
template <thread_scope Scope>
__global__ void leave_before_the_consumers(unsigned tiles) {
  __shared__ state_of<Scope, 3> state;
  const bool produces = threadIdx.x < 32;
  for (int life = 0; life < 20; ++life) {
    auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state,
                                    produces ? pipeline_role::producer : pipeline_role::consumer);
    if (produces) {
      for (unsigned tile = 0; tile < tiles - threadIdx.x % 2; ++tile) {
        pipe.producer_acquire();
        pipe.producer_commit();
      }
      DEVICE_CHECK(!pipe.quit());
    } else {
      for (unsigned tile = 0; tile < tiles; ++tile) {
        pipe.consumer_wait();
        pipe.consumer_release();
      }
      DEVICE_CHECK(!pipe.consumer_wait_for(nanoseconds{100000}));
    }
    __syncthreads();
    if (!produces) {
      DEVICE_CHECK(!pipe.consumer_wait_for(nanoseconds{100000}));
      pipe.quit();
    }
    __syncthreads();
  }
}
TEST(consumers_take_no_tile_that_nobody_has_committed) {
  for (const unsigned tiles : {1u, 2u, 3u, 4u, 7u}) {
    gpu_test::run(leave_before_the_consumers<cuda::thread_scope_block>, {blocks, 64}, tiles);
    gpu_test::run(leave_before_the_consumers<cuda::thread_scope_device>, {blocks, 64}, tiles);
  }
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
