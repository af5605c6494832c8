// cuda::pipeline of a single thread: each wait brings the oldest stage, whatever else is in flight.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/copied_bytes.h"
#include "../support/duck_time.h"
#include "../support/gpu_test.h"

#include <cuda/pipeline>

#include <cuda_pipeline.h>

#include <type_traits>
#include <utility>

using gpu_test::device_array;
using thread_pipeline = cuda::pipeline<cuda::thread_scope_thread>;

static_assert(std::is_same_v<decltype(cuda::make_pipeline()), thread_pipeline>);
static_assert(!std::is_default_constructible_v<thread_pipeline> && !std::is_copy_constructible_v<thread_pipeline>);
static_assert(std::is_move_constructible_v<thread_pipeline>);

constexpr unsigned most_stages = 20, threads = 64, blocks = 16, slot = 32;  // bytes of a thread's stage
constexpr size_t source_size = 1 << 18;

// A thread's stage lies in shared memory, and its neighbours' beside it.
struct stages_of_a_thread {
  unsigned char* memory;
  unsigned count;

  __device__ unsigned char* operator()(unsigned stage) const {
    return memory + (stage % count * blockDim.x + threadIdx.x) * slot;
  }
  __device__ static size_t source_of(unsigned stage) {
    return stage * 64 + (threadIdx.x + blockIdx.x * blockDim.x) * size_t{48};
  }
  __device__ bool is_complete(unsigned stage, unsigned size) const {
    return is_right((*this)(stage), {0, size, source_of(stage), size, slot, stage}, {0, 1});
  }
  __device__ void clear() const {
    for (unsigned stage = 0; stage < count; ++stage)
      paint((*this)(stage), slot, {0, 1});
  }
};

template <class Pipeline>
__device__ void load(Pipeline& pipe, const stages_of_a_thread& stages, unsigned stage, const unsigned char* source,
                     unsigned size) {
  pipe.producer_acquire();
  const unsigned char* const from = source + stages_of_a_thread::source_of(stage);
  // Two copies, where they can be of whole words.
  const unsigned first = size % 8 == 0 ? size / 2 : size;
  static_cast<void>(cuda::memcpy_async(stages(stage), from, size_t{first}, pipe));
  if (first != size)
    static_cast<void>(cuda::memcpy_async(stages(stage) + first, from + first, size_t{size - first}, pipe));
  pipe.producer_commit();
}

enum class ends { drained, committed_empty };

// A number of stages is always in flight; at the end they are drained, or empty ones are committed.
__global__ void steady_loop(const unsigned char* source, unsigned count, unsigned size, unsigned rounds, ends end) {
  extern __shared__ __align__(128) unsigned char memory[];
  const stages_of_a_thread stages{memory, count};
  stages.clear();
  auto pipe = cuda::make_pipeline();
  for (unsigned stage = 0; stage < count && stage < rounds; ++stage)
    load(pipe, stages, stage, source, size);
  for (unsigned round = 0; round < rounds; ++round) {
    pipe.consumer_wait();
    DEVICE_CHECK(stages.is_complete(round, size));
    pipe.consumer_release();
    if (round + count < rounds) {
      load(pipe, stages, round + count, source, size);
    } else if (end == ends::committed_empty) {
      pipe.producer_acquire();
      pipe.producer_commit();
    }
  }
  DEVICE_CHECK(pipe.quit());
}
void run_steady(ends end) {
  const device_array<unsigned char> source(source_bytes(source_size));
  for (const unsigned size : {4u, 8u, 16u, 12u, 20u, 3u, 24u, 32u, 0u})
    for (const unsigned count : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 20u})
      gpu_test::run(steady_loop, {blocks, threads, count * threads * slot}, source.get(), count, size, 60u, end);
}
TEST(steady_loops_of_1_to_20_stages) {
  run_steady(ends::drained);
}
TEST(steady_loops_that_end_with_empty_stages) {
  run_steady(ends::committed_empty);
}

// How many stages are in flight differs from round to round, and from thread to thread.
__global__ void conditional_loop(const unsigned char* source, unsigned size, unsigned rounds) {
  extern __shared__ __align__(128) unsigned char memory[];
  const stages_of_a_thread stages{memory, most_stages};
  stages.clear();
  auto pipe = cuda::make_pipeline();
  unsigned next = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    const unsigned wanted = 1 + (round * 7 + threadIdx.x * 5 + round / 9) % most_stages;  // in flight
    for (; next < rounds && next < round + wanted; ++next)
      load(pipe, stages, next, source, size);
    pipe.consumer_wait();
    DEVICE_CHECK(stages.is_complete(round, size));
    pipe.consumer_release();
  }
}
TEST(loops_that_prefetch_now_and_then) {
  const device_array<unsigned char> source(source_bytes(source_size));
  for (const unsigned size : {4u, 8u, 16u, 12u, 20u, 3u})
    gpu_test::run(conditional_loop, {blocks, threads, most_stages * threads * slot}, source.get(), size, 200u);
}

// --- Waits for all but the latest stages ---

template <unsigned char Prior>
__device__ void wait_prior(const stages_of_a_thread& stages, const unsigned char* source, unsigned size,
                           unsigned committed) {
  stages.clear();
  auto pipe = cuda::make_pipeline();
  for (unsigned stage = 0; stage < committed; ++stage)
    load(pipe, stages, stage, source, size);
  cuda::pipeline_consumer_wait_prior<Prior>(pipe);
  const unsigned complete = committed > Prior ? committed - Prior : 0;
  for (unsigned stage = 0; stage < complete; ++stage)
    DEVICE_CHECK(stages.is_complete(stage, size));
  for (unsigned stage = complete; stage < committed; ++stage) {  // then each wait brings one more
    pipe.consumer_wait();
    DEVICE_CHECK(stages.is_complete(stage, size));
    pipe.consumer_release();
  }
}
__global__ void wait_prior_of_all(const unsigned char* source, unsigned size) {
  extern __shared__ __align__(128) unsigned char memory[];
  const stages_of_a_thread stages{memory, most_stages};
  for (unsigned committed = 0; committed <= most_stages; ++committed) {
    wait_prior<0>(stages, source, size, committed);
    wait_prior<1>(stages, source, size, committed);
    wait_prior<2>(stages, source, size, committed);
    wait_prior<7>(stages, source, size, committed);
    wait_prior<8>(stages, source, size, committed);
    wait_prior<12>(stages, source, size, committed);
  }
}
TEST(wait_prior_leaves_only_the_latest_stages) {
  const device_array<unsigned char> source(source_bytes(source_size));
  for (const unsigned size : {4u, 16u, 20u})
    gpu_test::run(wait_prior_of_all, {blocks, threads, most_stages * threads * slot}, source.get(), size);
}

// --- Timed waits ---

__global__ void timed_waits(const unsigned char* source) {
  alignas(16) __shared__ unsigned char memory[4 * threads * slot];
  const stages_of_a_thread stages{memory, 4};
  stages.clear();
  auto pipe = cuda::make_pipeline();
  for (unsigned stage = 0; stage < 4; ++stage)
    load(pipe, stages, stage, source, 16);
  DEVICE_CHECK(pipe.consumer_wait_for(seconds{1}));
  DEVICE_CHECK(stages.is_complete(0, 16));
  DEVICE_CHECK(pipe.consumer_wait_until(device_clock::in(1000000)));
  DEVICE_CHECK(stages.is_complete(1, 16));
  auto moved = std::move(pipe);
  moved.consumer_wait();
  DEVICE_CHECK(stages.is_complete(2, 16));
  moved.consumer_wait();
  DEVICE_CHECK(stages.is_complete(3, 16));
}
TEST(timed_waits_and_moved_handles) {
  const device_array<unsigned char> source(source_bytes(source_size));
  gpu_test::run(timed_waits, {blocks, threads}, source.get());
}

// --- Typed copies, other memories, groups ---

struct three_words {
  int word[3];
};

template <class Value>
__device__ void copy_typed(const unsigned char* source) {
  __shared__ Value values[2][threads];
  const Value* const from = reinterpret_cast<const Value*>(source);
  auto pipe = cuda::make_pipeline();
  for (unsigned round = 0; round < 20; ++round) {
    pipe.producer_acquire();
    static_cast<void>(
        cuda::memcpy_async(&values[round % 2][threadIdx.x], from + round * threads + threadIdx.x, sizeof(Value), pipe));
    pipe.producer_commit();
    pipe.consumer_wait();
    __syncthreads();
    const unsigned other = threads - 1 - threadIdx.x;
    const size_t first = (round * threads + other) * sizeof(Value);
    DEVICE_CHECK(is_right(reinterpret_cast<const unsigned char*>(&values[round % 2][other]),
                          {0, sizeof(Value), first, sizeof(Value), sizeof(Value), round}, {0, 1}));
    pipe.consumer_release();
  }
}
__global__ void copy_all_types(const unsigned char* source) {
  copy_typed<char>(source);
  copy_typed<short>(source);
  copy_typed<int>(source);
  copy_typed<double>(source);
  copy_typed<int4>(source);
  copy_typed<three_words>(source);
}
TEST(typed_copies_seen_by_others_after_a_barrier) {
  const device_array<unsigned char> source(source_bytes(source_size));
  gpu_test::run(copy_all_types, {blocks, threads}, source.get());
}

// All threads share a copy, each on its own pipeline; and each copies to its own local or to global memory.
__global__ void copy_in_groups_and_elsewhere(const unsigned char* source, unsigned char* global, unsigned size) {
  extern __shared__ __align__(128) unsigned char memory[];
  const thread_group block{threadIdx.x, blockDim.x};
  paint(memory, size + 2 * guard_bytes, block);
  __syncthreads();
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  static_cast<void>(
      cuda::memcpy_async(cudasync::this_thread_block(), memory + guard_bytes, source + 32, size_t{size}, pipe));
  pipe.producer_commit();

  unsigned char local[64];
  paint(local, sizeof local, {0, 1});
  pipe.producer_acquire();
  static_cast<void>(cuda::memcpy_async(local + 8, source + threadIdx.x * 16, 40, pipe));
  pipe.producer_commit();

  unsigned char* const mine = global + (blockIdx.x * blockDim.x + threadIdx.x) * 64;
  paint(mine, 64, {0, 1});
  pipe.producer_acquire();
  static_cast<void>(cuda::memcpy_async(mine + 16, source + threadIdx.x * 16, 41, pipe));
  pipe.producer_commit();

  pipe.consumer_wait();
  __syncthreads();
  DEVICE_CHECK(is_right(memory, {guard_bytes, size, 32, size, size + 2 * guard_bytes, 0},
                        {blockDim.x - 1 - threadIdx.x, blockDim.x}));
  pipe.consumer_wait();
  DEVICE_CHECK(is_right(local, {8, 40, threadIdx.x * size_t{16}, 40, sizeof local, 1}, {0, 1}));
  pipe.consumer_wait();
  DEVICE_CHECK(is_right(mine, {16, 41, threadIdx.x * size_t{16}, 41, 64, 2}, {0, 1}));
}
TEST(copies_in_groups_and_to_local_and_global_memory) {
  const device_array<unsigned char> source(source_bytes(source_size));
  const device_array<unsigned char> global(blocks * threads * 64);
  for (const unsigned size : {0u, 1u, 15u, 64u, 333u, 4096u, 5001u})
    gpu_test::run(copy_in_groups_and_elsewhere, {blocks, threads, size + 2 * guard_bytes}, source.get(), global.get(),
                  size);
}

// --- pipeline_producer_commit ---

// Each thread lets the barrier wait for its own copy; all see all copies after the phase.
template <class Barrier>
__global__ void commit_to_barrier(const unsigned char* source, Barrier* in_global, unsigned size) {
  alignas(16) __shared__ unsigned char memory[2][threads][slot];
  __shared__ Barrier in_shared;
  constexpr bool is_alone = Barrier::scope == cuda::thread_scope_thread;
  __shared__ Barrier of_threads[is_alone ? threads : 1];
  Barrier& bar = is_alone               ? of_threads[threadIdx.x % (is_alone ? threads : 1)]
                 : in_global != nullptr ? in_global[blockIdx.x]
                                        : in_shared;
  if (is_alone || threadIdx.x == 0) init(&bar, is_alone ? 1 : blockDim.x);
  __syncthreads();
  auto pipe = cuda::make_pipeline();
  for (unsigned round = 0; round < 60; ++round) {
    const auto place = [&](unsigned rank) { return (round * threads + rank) * size_t{32}; };
    pipe.producer_acquire();
    static_cast<void>(
        cuda::memcpy_async(memory[round % 2][threadIdx.x], source + place(threadIdx.x), size_t{size}, pipe));
    cuda::pipeline_producer_commit(pipe, bar);
    bar.arrive_and_wait();
    const unsigned other = is_alone ? threadIdx.x : (threadIdx.x + 1 + round * 3) % threads;
    DEVICE_CHECK(is_right(memory[round % 2][other], {0, size, place(other), size, size, round}, {0, 1}));
  }
}
template <class Barrier>
void commit_to_barriers() {
  const device_array<unsigned char> source(source_bytes(source_size));
  const device_array<Barrier> in_global(blocks);
  for (const unsigned size : {3u, 4u, 8u, 12u, 16u, 20u, 32u}) {
    gpu_test::run(commit_to_barrier<Barrier>, {blocks, threads}, source.get(), nullptr, size);
    gpu_test::run(commit_to_barrier<Barrier>, {blocks, threads}, source.get(), in_global.get(), size);
  }
}
TEST(commit_to_a_barrier_of_the_block) {
  commit_to_barriers<cuda::barrier<cuda::thread_scope_block>>();
}
TEST(commit_to_a_barrier_of_device_scope) {
  commit_to_barriers<cuda::barrier<cuda::thread_scope_device>>();
}
TEST(commit_to_a_barrier_of_system_scope) {
  commit_to_barriers<cuda::barrier<cuda::thread_scope_system>>();
}
TEST(commit_to_a_barrier_of_thread_scope) {
  commit_to_barriers<cuda::barrier<cuda::thread_scope_thread>>();
}

// --- With the functions of cuda_pipeline.h ---

// Groups are the same: one side may commit or wait for what the other has begun.
__global__ void mix_with_primitives(const unsigned char* source) {
  alignas(16) __shared__ unsigned char memory[4 * threads * slot];
  const stages_of_a_thread stages{memory, 4};
  stages.clear();
  auto pipe = cuda::make_pipeline();
  const auto from = [&](unsigned stage) { return source + stages_of_a_thread::source_of(stage); };
  load(pipe, stages, 0, source, 16);
  __pipeline_memcpy_async(stages(1), from(1), 16);
  __pipeline_commit();
  static_cast<void>(cuda::memcpy_async(stages(2), from(2), 16, pipe));
  __pipeline_commit();
  __pipeline_memcpy_async(stages(3), from(3), 16);
  pipe.producer_commit();
  __pipeline_wait_prior(3);
  DEVICE_CHECK(stages.is_complete(0, 16));
  __pipeline_wait_prior(1);
  DEVICE_CHECK(stages.is_complete(1, 16) && stages.is_complete(2, 16));
  cuda::pipeline_consumer_wait_prior<0>(pipe);
  DEVICE_CHECK(stages.is_complete(3, 16));
}
TEST(pipelines_beside_the_functions_of_cuda_pipeline_h) {
  const device_array<unsigned char> source(source_bytes(source_size));
  gpu_test::run(mix_with_primitives, {blocks, threads}, source.get());
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
