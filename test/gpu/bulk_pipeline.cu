// bulk_pipeline: one thread's bulk copies through a ring of stages come whole, in order, and never too early.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: sm90
#include "../support/copied_bytes.h"
#include "../support/gpu_test.h"

#include <cuda/pipeline>

#include <type_traits>

using cudasync::bulk_pipeline;
using cudasync::consumer_threads;
using cudasync::consumer_warps;
using cudasync::l2_cache_hint;
using gpu_test::device_array;

static_assert(std::is_trivially_default_constructible_v<bulk_pipeline<3, consumer_warps<2>>>);
static_assert(sizeof(bulk_pipeline<3, consumer_warps<2>>) == 48);
static_assert(bulk_pipeline<3, consumer_warps<2>>::stages == 3);
static_assert(!std::is_convertible_v<bulk_pipeline<3, consumer_warps<2>>::producer_state,
                                     bulk_pipeline<3, consumer_warps<2>>::consumer_state>);

constexpr unsigned consumers = 128;
constexpr unsigned blocks = 32;
constexpr size_t source_size = 1 << 20;

enum class hint { none, evict_first, evict_last };

struct stream {
  unsigned tiles = 200;          // of all blocks, which take turns
  unsigned size = 2048;          // bytes of the largest tile
  unsigned step = 0;             // sizes differ by it, a multiple of 16; 0: all are the largest
  unsigned copies = 1;           // that make a tile
  hint with = hint::none;        //
  bool tries = false;            // polls in place of waits
  bool slow_consumers = false;   // some, at some tiles
  bool slow_producer = false;    // at some tiles
  bool consumers_write = false;  // to what they have read, before they release it

  __host__ __device__ unsigned space() const { return (size + 2 * guard_bytes + 127) / 128 * 128; }
  __device__ unsigned size_of(unsigned tile) const { return step == 0 ? size : tile * step % (size + 16); }
  __device__ size_t source_of(unsigned tile) const { return tile % 5000 * size_t{112}; }
};

template <class Pipeline>
__device__ void load_tile(Pipeline& pipe, typename Pipeline::producer_state at, const stream& what, unsigned tile,
                          unsigned char* stage, const unsigned char* source) {
  const unsigned size = what.size_of(tile);
  if (what.tries) {
    while (!pipe.try_producer_acquire(at, size)) {
    }
  } else {
    pipe.producer_acquire(at, size);
  }
  if (what.slow_producer && tile % 3 == 0) __nanosleep(2000);
  const unsigned part = (size / what.copies + 15) / 16 * 16;
  for (unsigned begin = 0; begin < size; begin += part) {
    const cuda::aligned_size_t<16> bytes(part < size - begin ? part : size - begin);
    const unsigned char* const from = source + what.source_of(tile) + begin;
    if (what.with == hint::none) pipe.copy(at, stage + begin, from, bytes);
    if (what.with == hint::evict_first) pipe.copy(at, stage + begin, from, bytes, l2_cache_hint::evict_first());
    if (what.with == hint::evict_last) pipe.copy(at, stage + begin, from, bytes, l2_cache_hint::evict_last());
  }
}

template <class Pipeline>
__device__ void use_tile(Pipeline& pipe, typename Pipeline::consumer_state at, const stream& what, unsigned tile,
                         unsigned char* stage, thread_group who) {
  const unsigned size = what.size_of(tile);
  if (what.tries) {
    while (!pipe.try_consumer_wait(at)) {
    }
  } else {
    pipe.consumer_wait(at);
  }
  const copied wanted{0, size, what.source_of(tile), size, size, tile};
  DEVICE_CHECK(is_right(stage, wanted, who));
  if (what.slow_consumers && (tile + who.rank / 32) % 4 == 0) {
    __nanosleep(3000);
    DEVICE_CHECK(is_right(stage, wanted, who));
  }
  if (what.consumers_write) {
    for (unsigned index = who.rank; index < size; index += who.threads)
      stage[index] = static_cast<unsigned char>(~stage[index]);
  }
  pipe.consumer_release(at);
}

// The first warp produces, the others consume: each thread checks and releases for itself, or warps do.
template <unsigned Stages, class Consumers>
__global__ void __launch_bounds__(1024) stream_tiles(stream what, const unsigned char* source) {
  using pipeline = bulk_pipeline<Stages, Consumers>;
  extern __shared__ __align__(128) unsigned char memory[];
  __shared__ pipeline pipe;
  paint(memory, Stages * what.space(), {threadIdx.x, blockDim.x});
  pipe.init(cudasync::this_thread_block());
  const auto stage = [&](unsigned index) { return memory + index * what.space() + guard_bytes; };
  if (threadIdx.x < 32) {
    if (cudasync::elect_one_of_warp()) {
      typename pipeline::producer_state at;
      for (unsigned tile = blockIdx.x; tile < what.tiles; tile += gridDim.x, at.advance())
        load_tile(pipe, at, what, tile, stage(at.index()), source);
      pipe.producer_tail(at);
    }
  } else {
    typename pipeline::consumer_state at;
    for (unsigned tile = blockIdx.x; tile < what.tiles; tile += gridDim.x, at.advance())
      use_tile(pipe, at, what, tile, stage(at.index()), {threadIdx.x - 32, blockDim.x - 32});
  }
  __syncthreads();
  for (unsigned index = threadIdx.x; index < Stages * guard_bytes; index += blockDim.x) {
    const unsigned char* const first = memory + index / guard_bytes * what.space();
    DEVICE_CHECK(first[index % guard_bytes] == guard_byte);
    DEVICE_CHECK(first[what.space() - 1 - index % guard_bytes] == guard_byte);
  }
}

template <unsigned Stages, class Consumers = consumer_warps<consumers / 32>>
void run_stream(const stream& what, unsigned threads = consumers, unsigned grid = blocks) {
  static const device_array<unsigned char>* const source = new device_array<unsigned char>(source_bytes(source_size));
  gpu_test::run(stream_tiles<Stages, Consumers>, {grid, 32 + threads, Stages * what.space()}, what, source->get());
}
void run_with_all_stages(const stream& what) {
  run_stream<1>(what);
  run_stream<2>(what);
  run_stream<3>(what);
  run_stream<4>(what);
  run_stream<5>(what);
  run_stream<6>(what);
  run_stream<7>(what);
  run_stream<8>(what);
}

TEST(rings_of_1_to_8_stages) {
  run_with_all_stages(stream{});
}
TEST(persistent_loop_over_many_tiles) {
  stream what;
  what.tiles = blocks * 1000;
  what.size = 1024;
  run_with_all_stages(what);
}
TEST(consumers_that_each_release) {
  stream what;
  what.tiles = 4000;
  run_stream<1, consumer_threads<consumers>>(what);
  run_stream<4, consumer_threads<consumers>>(what);
  run_stream<3, consumer_threads<37>>(what, 37);
  run_stream<2, consumer_threads<1>>(what, 1);
}
TEST(consumers_of_one_warp_or_of_31) {
  stream what;
  what.tiles = 4000;
  run_stream<1, consumer_warps<1>>(what, 32);
  run_stream<3, consumer_warps<1>>(what, 32);
  run_stream<3, consumer_warps<31>>(what, 31 * 32);
}
TEST(several_copies_and_uneven_sizes_in_a_stage) {
  for (const unsigned copies : {1u, 3u, 10u}) {
    stream what;
    what.tiles = 4000;
    what.step = 16 * 7;
    what.copies = copies;
    run_with_all_stages(what);
  }
}
TEST(large_stages) {
  stream what;
  what.tiles = 2000;
  what.size = 48 * 1024;
  run_stream<1>(what);
  run_stream<2>(what);
  what.copies = 3;
  run_stream<4>(what);
}
TEST(slow_consumers_are_waited_for) {
  stream what;
  what.tiles = 2000;
  what.slow_consumers = true;
  run_with_all_stages(what);
  run_stream<3, consumer_threads<consumers>>(what);
}
TEST(slow_producer_is_waited_for) {
  stream what;
  what.tiles = 2000;
  what.slow_producer = true;
  run_with_all_stages(what);
}
TEST(try_functions_in_place_of_waits) {
  stream what;
  what.tiles = 2000;
  what.tries = what.slow_consumers = what.slow_producer = true;
  run_with_all_stages(what);
}
TEST(cache_hints) {
  for (const hint with : {hint::evict_first, hint::evict_last}) {
    stream what;
    what.tiles = 2000;
    what.with = with;
    run_stream<3>(what);
  }
}
TEST(copies_replace_what_consumers_wrote_to_a_stage) {
  stream what;
  what.tiles = 8000;
  what.consumers_write = true;
  run_with_all_stages(what);
}

// --- What the try functions answer ---

__global__ void try_step_by_step(const unsigned char* source) {
  using pipeline = bulk_pipeline<2, consumer_threads<1>>;
  alignas(16) __shared__ unsigned char stage[2][64];
  __shared__ pipeline pipe;
  pipe.init(cudasync::this_thread_block());
  const auto has_come = [&](pipeline::consumer_state at, unsigned first) {
    pipe.consumer_wait(at);
    bool right = true;
    for (unsigned index = 0; index < 64; ++index)
      right = right && stage[at.index()][index] == byte_at(first + index);
    return right;
  };
  const auto copy = [&](pipeline::producer_state at, unsigned first, unsigned size, unsigned begin) {
    pipe.copy(at, stage[at.index()] + begin, source + first + begin, cuda::aligned_size_t<16>(size));
  };
  pipeline::producer_state in;
  pipeline::consumer_state out;
  DEVICE_CHECK(in.index() == 0 && in.parity() == 0);
  for (unsigned round = 0; round < 20; ++round) {
    const unsigned first = round * 128;
    DEVICE_CHECK(!pipe.try_consumer_wait(out));
    DEVICE_CHECK(pipe.try_producer_acquire(in, 64));
    copy(in, first, 32, 0);
    gpu_test::pause(5000);
    DEVICE_CHECK(!pipe.try_consumer_wait(out));  // half of the bytes are missing
    copy(in, first, 32, 32);
    in.advance();
    DEVICE_CHECK(in.index() == 1 && in.parity() == round % 2);
    pipe.producer_acquire(in, 64);
    copy(in, first + 64, 64, 0);
    in.advance();
    DEVICE_CHECK(in.index() == 0 && in.parity() == (round + 1) % 2);
    DEVICE_CHECK(!pipe.try_producer_acquire(in, 64));  // and nothing is expected
    DEVICE_CHECK(has_come(out, first));
    DEVICE_CHECK(pipe.try_consumer_wait(out));
    DEVICE_CHECK(!pipe.try_producer_acquire(in, 64));
    pipe.consumer_release(out);
    out.advance();
    DEVICE_CHECK(has_come(out, first + 64));
    pipe.consumer_release(out);
    out.advance();
  }
  pipe.producer_tail(in);
}
TEST(try_functions_say_what_is_so) {
  const device_array<unsigned char> source(source_bytes(4096));
  gpu_test::run(try_step_by_step, {1, 1}, source.get());
}

// The tail waits for the slowest consumer.
__global__ void tail_after_slow_consumers(const unsigned char* source) {
  using pipeline = bulk_pipeline<4, consumer_warps<2>>;
  alignas(16) __shared__ unsigned char stage[4][64];
  __shared__ pipeline pipe;
  __shared__ unsigned released;
  if (threadIdx.x == 0) released = 0;
  pipe.init(cudasync::this_thread_block());
  const unsigned tiles = blockIdx.x + 1;
  if (threadIdx.x < 32) {
    if (cudasync::elect_one_of_warp()) {
      pipeline::producer_state at;
      for (unsigned tile = 0; tile < tiles; ++tile, at.advance()) {
        pipe.producer_acquire(at, 64);
        pipe.copy(at, stage[at.index()], source + tile * 64, cuda::aligned_size_t<64>(64));
      }
      pipe.producer_tail(at);
      DEVICE_CHECK(*static_cast<volatile unsigned*>(&released) == 2 * tiles);
    }
  } else {
    pipeline::consumer_state at;
    for (unsigned tile = 0; tile < tiles; ++tile, at.advance()) {
      pipe.consumer_wait(at);
      DEVICE_CHECK(stage[at.index()][threadIdx.x - 32] == byte_at(tile * 64 + threadIdx.x - 32));
      gpu_test::pause(threadIdx.x < 64 ? 3000 : 10);
      __syncwarp();
      if (threadIdx.x % 32 == 0) atomicAdd(&released, 1u);
      pipe.consumer_release(at);
    }
  }
}
TEST(producer_tail_waits_until_all_is_released) {
  const device_array<unsigned char> source(source_bytes(4096));
  gpu_test::run(tail_after_slow_consumers, {16, 96}, source.get());
}

// --- Two pipelines in a kernel ---

// Of different sizes and speeds: one thread produces for both, or each has a producer of its own.
__global__ void two_pipelines(const unsigned char* source, unsigned tiles, bool one_producer) {
  using pipeline_a = bulk_pipeline<2, consumer_warps<4>>;
  using pipeline_b = bulk_pipeline<3, consumer_threads<128>>;
  alignas(128) __shared__ unsigned char stage_a[2][2048], stage_b[3][512];
  __shared__ pipeline_a a;
  __shared__ pipeline_b b;
  a.init(cudasync::this_thread_block());
  b.init(cudasync::this_thread_block());
  const auto place_a = [](unsigned tile) { return tile % 1000 * 256; };
  const auto place_b = [](unsigned tile) { return tile % 2000 * 176; };
  const unsigned warp = threadIdx.x / 32;
  if (warp < 2) {
    const bool for_a = warp == 0, for_b = one_producer ? warp == 0 : warp == 1;
    if ((for_a || for_b) && cudasync::elect_one_of_warp()) {
      pipeline_a::producer_state at_a;
      pipeline_b::producer_state at_b;
      for (unsigned tile = 0; tile < tiles; ++tile) {
        if (for_a) {
          a.producer_acquire(at_a, sizeof stage_a[0]);
          a.copy(at_a, stage_a[at_a.index()], source + place_a(tile), cuda::aligned_size_t<128>(sizeof stage_a[0]));
          at_a.advance();
        }
        for (unsigned half = 0; for_b && half < 2; ++half) {
          b.producer_acquire(at_b, sizeof stage_b[0]);
          b.copy(at_b, stage_b[at_b.index()], source + place_b(2 * tile + half),
                 cuda::aligned_size_t<16>(sizeof stage_b[0]));
          at_b.advance();
        }
      }
    }
  } else {
    const thread_group who{threadIdx.x - 64, 128};
    pipeline_a::consumer_state at_a;
    pipeline_b::consumer_state at_b;
    for (unsigned tile = 0; tile < tiles; ++tile) {
      if ((tile + warp) % 7 == 0) __nanosleep(1000);
      a.consumer_wait(at_a);
      DEVICE_CHECK(is_right(stage_a[at_a.index()], {0, 2048, place_a(tile), 2048, 2048, tile}, who));
      a.consumer_release(at_a);
      at_a.advance();
      for (unsigned half = 0; half < 2; ++half) {
        b.consumer_wait(at_b);
        DEVICE_CHECK(
            is_right(stage_b[at_b.index()], {0, 512, place_b(2 * tile + half), 512, 512, 2 * tile + half}, who));
        b.consumer_release(at_b);
        at_b.advance();
      }
    }
  }
}
TEST(two_pipelines_in_a_kernel) {
  const device_array<unsigned char> source(source_bytes(source_size));
  gpu_test::run(two_pipelines, {blocks, 192}, source.get(), 500u, true);
  gpu_test::run(two_pipelines, {blocks, 192}, source.get(), 500u, false);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
