// cuda::pipeline in a block: every tile comes whole to every consumer, and no stage is overwritten before its release.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/duck_time.h"
#include "../support/gpu_test.h"
#include "../support/pipeline_stream.h"

#include <cuda/pipeline>

#include <type_traits>
#include <utility>

using cuda::thread_scope_block;
using gpu_test::device_array;

static_assert(!std::is_default_constructible_v<cuda::pipeline<thread_scope_block>>);
static_assert(!std::is_copy_constructible_v<cuda::pipeline<thread_scope_block>>);
static_assert(!std::is_copy_assignable_v<cuda::pipeline<thread_scope_block>>);
static_assert(std::is_move_constructible_v<cuda::pipeline<thread_scope_block>>);
static_assert(!std::is_copy_constructible_v<cuda::pipeline_shared_state<thread_scope_block, 2>>);
static_assert(std::is_trivially_default_constructible_v<cuda::pipeline_shared_state<thread_scope_block, 2>>);
static_assert(alignof(cuda::pipeline_shared_state<thread_scope_block, 1>) == 8);

constexpr unsigned blocks = 8;

// --- Streams ---

// The state is the block's of an array in global memory if there is one, else in shared memory.
template <unsigned char Stages>
__global__ void stream_kernel(stream what, const unsigned char* source,
                              cuda::pipeline_shared_state<thread_scope_block, Stages>* in_global) {
  extern __shared__ __align__(128) unsigned char buffers[];
  __shared__ cuda::pipeline_shared_state<thread_scope_block, Stages> in_shared;
  stream_in_block(what, source, buffers, in_global != nullptr ? in_global + blockIdx.x : &in_shared);
}

const unsigned char* source() {
  static const device_array<unsigned char>* const bytes =
      new device_array<unsigned char>(source_bytes(stream_source_size));
  return bytes->get();
}

template <unsigned char Stages>
void run_stages(const stream& what, unsigned threads, bool in_global) {
  const device_array<cuda::pipeline_shared_state<thread_scope_block, Stages>> states(blocks, 0xff);
  gpu_test::run(stream_kernel<Stages>, {blocks, threads, what.bytes()}, what, source(),
                in_global ? states.get() : nullptr);
}

void run_stream(stream what, unsigned threads, bool in_global = false) {
  switch (what.stages) {
  case 1:
    return run_stages<1>(what, threads, in_global);
  case 2:
    return run_stages<2>(what, threads, in_global);
  case 3:
    return run_stages<3>(what, threads, in_global);
  case 4:
    return run_stages<4>(what, threads, in_global);
  case 5:
    return run_stages<5>(what, threads, in_global);
  case 6:
    return run_stages<6>(what, threads, in_global);
  case 7:
    return run_stages<7>(what, threads, in_global);
  default:
    return run_stages<8>(what, threads, in_global);
  }
}

// With 1 to 8 stages, for unified pipelines and those with these numbers of producers among 128 threads.
void run_with_all_stages(stream what, std::initializer_list<unsigned> producers = {0, 32, 1, 127, 50},
                         bool in_global = false) {
  for (what.stages = 1; what.stages <= 8; ++what.stages)
    for (const unsigned count : producers) {
      what.producers = count;
      run_stream(what, 128, in_global);
    }
}

TEST(unified_pipelines_of_1_to_8_stages) {
  run_with_all_stages(stream{}, {0});
}
TEST(pipelines_partitioned_by_count_of_1_to_8_stages) {
  run_with_all_stages(stream{}, {32, 64, 1, 127, 50});
}
TEST(one_producer_and_255_consumers_or_the_reverse) {
  stream what;
  for (what.how = fill_by::group_copy; what.how <= fill_by::stores_or_copies;
       what.how = static_cast<fill_by>(static_cast<int>(what.how) + 1))
    for (what.producers = 1; what.producers <= 255; what.producers += 254)
      run_stream(what, 256);
}
TEST(pipelines_of_one_thread_or_odd_numbers_of_threads) {
  stream what;
  what.size = 300;
  for (const unsigned threads : {1u, 2u, 31u, 33u, 95u}) {
    what.producers = 0;
    run_stream(what, threads);
    what.producers = (threads + 1) / 2;
    if (threads > 1) run_stream(what, threads);
  }
}
TEST(tiles_of_uneven_sizes) {
  for (const unsigned step : {1u, 16u, 37u, 113u}) {
    stream what;
    what.size = 700;
    what.step = step;
    what.tiles = 120;
    run_with_all_stages(what, {0, 64});
  }
}
TEST(large_tiles) {
  for (const unsigned size : {8192u, 16385u, 24000u}) {
    stream what;
    what.size = size;
    run_with_all_stages(what, {0, 32});
  }
}
TEST(misaligned_tiles) {
  for (const unsigned from : {0u, 1u, 4u, 8u, 12u})
    for (const unsigned to : {0u, 2u, 4u, 8u, 12u}) {
      stream what;
      what.size = 640;
      what.step = 21;
      what.from = from;
      what.to = to;
      for (const unsigned producers : {0u, 64u}) {
        what.producers = producers;
        run_stream(what, 96);
      }
    }
}
TEST(state_in_global_memory) {
  run_with_all_stages(stream{}, {0, 32, 50}, true);
}

// --- What producers write ---

void run_filled_by(fill_by how, bool in_global = false) {
  stream what;
  what.how = how;
  what.step = 51;
  what.tiles = 100;
  run_with_all_stages(what, {0, 32, 50}, in_global);
}
TEST(every_producer_copies_its_own_slice) {
  run_filled_by(fill_by::own_copies);
}
TEST(one_thread_alone_copies) {
  run_filled_by(fill_by::one_thread);
}
TEST(stores_before_a_commit_are_seen_after_the_wait) {
  run_filled_by(fill_by::stores);
}
TEST(stores_and_copies_of_the_same_thread_are_seen_after_the_wait) {
  run_filled_by(fill_by::stores_and_copies);
}
TEST(stores_of_some_threads_and_copies_of_others_are_seen_after_the_wait) {
  run_filled_by(fill_by::stores_or_copies);
}
TEST(stores_and_copies_with_the_state_in_global_memory) {
  run_filled_by(fill_by::stores_and_copies, true);
  run_filled_by(fill_by::stores_or_copies, true);
}

// Each producer copies a word by cp.async, and stores a word to shared and one to global memory, before one commit.
__global__ void publish_words(const unsigned* source, unsigned* in_global, unsigned rounds) {
  constexpr unsigned words = 128, stages = 2;
  alignas(16) __shared__ unsigned copied_words[stages][words], stored_words[stages][words];
  __shared__ cuda::pipeline_shared_state<thread_scope_block, stages> state;
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state, size_t{words});
  unsigned* const global_words = in_global + blockIdx.x * stages * words;
  for (unsigned round = 0; round < rounds; ++round) {
    const unsigned stage = round % stages;
    if (threadIdx.x < words) {
      const unsigned rank = threadIdx.x;
      pipe.producer_acquire();
      const bool stores_last = (round + rank) % 2 == 0;
      if (stores_last)
        static_cast<void>(
            cuda::memcpy_async(&copied_words[stage][rank], source + round * words + rank, sizeof(unsigned), pipe));
      stored_words[stage][rank] = round * words + rank;
      global_words[stage * words + rank] = round + rank;
      if (!stores_last)
        static_cast<void>(
            cuda::memcpy_async(&copied_words[stage][rank], source + round * words + rank, sizeof(unsigned), pipe));
      pipe.producer_commit();
    } else {
      const unsigned rank = threadIdx.x - words;
      pipe.consumer_wait();
      for (unsigned index = rank; index < words; index += 7) {
        DEVICE_CHECK(global_words[stage * words + index] == round + index);
        DEVICE_CHECK(stored_words[stage][index] == round * words + index);
        DEVICE_CHECK(copied_words[stage][index] == (round * words + index) * 3);
      }
      pipe.consumer_release();
    }
  }
}
TEST(commit_releases_stores_beside_copies_in_flight) {
  constexpr unsigned rounds = 500;
  std::vector<unsigned> words(rounds * 128);
  for (unsigned index = 0; index < words.size(); ++index)
    words[index] = index * 3;
  const device_array<unsigned> on_device(words);
  const device_array<unsigned> in_global(132 * 2 * 128);
  gpu_test::run(publish_words, {132, 192}, on_device.get(), in_global.get(), rounds);
}

// All overloads, and all kinds of sizes, in one stage.
__global__ void copy_in_all_forms(const unsigned char* source, unsigned rounds) {
  constexpr unsigned size = 320, valid = 201, pieces = 6, space = size + 2 * guard_bytes;
  alignas(16) __shared__ unsigned char buffer[pieces][space];
  __shared__ cuda::pipeline_shared_state<thread_scope_block, 1> state;
  const thread_group block{threadIdx.x, blockDim.x};
  const auto group = cudasync::this_thread_block();
  paint(&buffer[0][0], sizeof buffer, block);
  auto pipe = cuda::make_pipeline(group, &state);
  for (unsigned round = 0; round < rounds; ++round) {
    const unsigned char* const from = source + round * 48;
    const auto to = [&](unsigned piece) { return buffer[piece] + guard_bytes; };
    const bool is_first = threadIdx.x == round % blockDim.x;
    const auto* const words = reinterpret_cast<const int4*>(from);
    pipe.producer_acquire();
    static_cast<void>(cuda::memcpy_async(group, reinterpret_cast<int4*>(to(0)), words, size, pipe));
    static_cast<void>(
        cuda::memcpy_async(group, static_cast<void*>(to(1)), words, cuda::aligned_size_t<16>(size), pipe));
    static_cast<void>(cuda::memcpy_async(group, to(2), from, cudasync::zero_filled_size(size_t{size}, valid), pipe));
    if (is_first) {
      static_cast<void>(cuda::memcpy_async(reinterpret_cast<int4*>(to(3)), words, size_t{size}, pipe));
      static_cast<void>(cuda::memcpy_async(static_cast<void*>(to(4)), words, cuda::aligned_size_t<4>(size), pipe));
      static_cast<void>(cuda::memcpy_async(
          to(5), from, cudasync::zero_filled_size(cuda::aligned_size_t<16>(size), size_t{valid}), pipe));
    }
    pipe.producer_commit();
    pipe.consumer_wait();
    for (unsigned piece = 0; piece < pieces; ++piece)
      DEVICE_CHECK(is_right(buffer[piece],
                            {guard_bytes, size, round * size_t{48}, piece % 3 == 2 ? valid : size, space, piece},
                            {blockDim.x - 1 - threadIdx.x, blockDim.x}));
    pipe.consumer_release();
  }
}
TEST(all_forms_of_memcpy_async) {
  for (const unsigned threads : {1u, 32u, 100u})
    gpu_test::run(copy_in_all_forms, {blocks, threads}, source(), 100u);
}

// --- What consumers do ---

TEST(copies_replace_what_consumers_wrote_to_a_stage) {
  for (const fill_by how : {fill_by::group_copy, fill_by::own_copies, fill_by::stores_and_copies}) {
    stream what;
    what.how = how;
    what.tiles = 200;
    what.consumers_write = true;
    run_with_all_stages(what, {0, 32});
  }
}
TEST(producers_wait_for_slow_consumers) {
  for (const fill_by how : {fill_by::group_copy, fill_by::stores}) {
    stream what;
    what.how = how;
    what.slow_consumers = what.consumers_return = true;
    run_with_all_stages(what, {0, 32, 1});
  }
}
TEST(consumers_wait_for_slow_producers) {
  for (const fill_by how : {fill_by::group_copy, fill_by::stores_or_copies}) {
    stream what;
    what.how = how;
    what.slow_producers = true;
    run_with_all_stages(what, {0, 96, 1});
  }
}

// --- As in the documentation of cuda::pipeline ---

// The compiler sees where everything lies.
template <class Value>
__global__ void sum_subsets(const Value* first, const Value* second, unsigned subsets, Value* sums) {
  extern __shared__ __align__(128) unsigned char memory[];
  Value* const values = reinterpret_cast<Value*>(memory);
  const auto group = cudasync::this_thread_block();
  Value* const shared[2] = {values, values + 2 * group.size()};
  __shared__ cuda::pipeline_shared_state<thread_scope_block, 2> state;
  auto pipe = cuda::make_pipeline(group, &state);
  const auto load = [&](unsigned subset) {
    pipe.producer_acquire();
    static_cast<void>(cuda::memcpy_async(group, shared[subset % 2], first + subset * group.size(),
                                         sizeof(Value) * group.size(), pipe));
    static_cast<void>(cuda::memcpy_async(group, shared[subset % 2] + group.size(), second + subset * group.size(),
                                         sizeof(Value) * group.size(), pipe));
    pipe.producer_commit();
  };
  const auto add = [&](unsigned subset) {
    const unsigned other = group.size() - 1 - group.thread_rank();
    sums[subset * group.size() + other] = shared[subset % 2][other] + shared[subset % 2][group.size() + other];
  };
  load(0);
  for (unsigned subset = 1; subset < subsets; ++subset) {
    load(subset);
    pipe.consumer_wait();
    add(subset - 1);
    pipe.consumer_release();
  }
  pipe.consumer_wait();
  add(subsets - 1);
  pipe.consumer_release();
}
template <class Value>
void sum_pairs(unsigned threads) {
  constexpr unsigned subsets = 50;
  std::vector<Value> first, second;
  for (unsigned index = 0; index < subsets * threads; ++index) {
    first.push_back(static_cast<Value>(index % 1000));
    second.push_back(static_cast<Value>(index % 77 * 2));
  }
  const device_array<Value> first_on_device(first), second_on_device(second), sums(first.size(), 0xff);
  gpu_test::run(sum_subsets<Value>, {1, threads, 4 * threads * sizeof(Value)}, first_on_device.get(),
                second_on_device.get(), subsets, sums.get());
  const std::vector<Value> found = sums.values();
  unsigned differences = 0;
  for (size_t index = 0; index < found.size(); ++index)
    differences += found[index] != first[index] + second[index];
  CHECK(differences == 0);
}
TEST(example_of_the_documentation) {
  for (const unsigned threads : {1u, 5u, 32u, 96u, 256u}) {
    sum_pairs<int>(threads);
    sum_pairs<double>(threads);
  }
}

// --- Waits with a limit ---

// Nothing is committed before the first two barriers of the block.
__global__ void wait_with_limit(const unsigned* source, cuda::pipeline_shared_state<thread_scope_block, 2>* in_global) {
  __shared__ cuda::pipeline_shared_state<thread_scope_block, 2> in_shared;
  __shared__ unsigned word;
  auto* const state = in_global != nullptr ? in_global : &in_shared;
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), state, size_t{32});
  const bool is_consumer = threadIdx.x >= 32;
  for (unsigned round = 0; round < 4; ++round) {
    if (is_consumer) {
      const unsigned long long start = gpu_test::nanoseconds();
      DEVICE_CHECK(!pipe.consumer_wait_for(microseconds{100}));
      const unsigned long long waited = gpu_test::nanoseconds() - start;
      DEVICE_CHECK(waited >= 90000 && waited < 1000000000);
      DEVICE_CHECK(!pipe.consumer_wait_for(nanoseconds{0}));
      DEVICE_CHECK(!pipe.consumer_wait_until(device_clock::in(50000)));
      DEVICE_CHECK(!pipe.consumer_wait_until(device_clock::in(-50000)));
    }
    __syncthreads();
    if (is_consumer) {
      DEVICE_CHECK(round % 2 == 0 ? pipe.consumer_wait_for(seconds{5})
                                  : pipe.consumer_wait_until(device_clock::in(5000000000)));
      DEVICE_CHECK(pipe.consumer_wait_for(nanoseconds{0}));
      pipe.consumer_wait();
      DEVICE_CHECK(word == source[round]);
      pipe.consumer_release();
    } else {
      if (round % 2 == 0) gpu_test::pause(20000);
      pipe.producer_acquire();
      if (threadIdx.x == 0) static_cast<void>(cuda::memcpy_async(&word, source + round, sizeof word, pipe));
      pipe.producer_commit();
    }
    __syncthreads();
  }
}
TEST(waits_with_a_limit) {
  const device_array<unsigned> words(std::vector<unsigned>{11, 22, 33, 44});
  const device_array<cuda::pipeline_shared_state<thread_scope_block, 2>> state(1);
  gpu_test::run(wait_with_limit, {1, 96}, words.get(), nullptr);
  gpu_test::run(wait_with_limit, {1, 96}, words.get(), state.get());
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
