// Uses of pipelines: streams of a thread, rows of a warp, tiles of a block, warps that produce, and a matrix product.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elements.h"
#include "library.h"

namespace bench { namespace {

// Each of these functions calls begin(round, pipeline), which starts the copies of a round, and use(round) when they are
// complete. The first is the loop of programs with a pipeline for each thread.
template <int Stages, class Begin, class Use>
__device__ __forceinline__ void stream_of_thread(int rounds, const Begin& begin, const Use& use) {
  auto pipe = make_pipeline();
  const auto fetch = [&](int round) {
    pipe.producer_acquire();
    if (round < rounds) begin(round, pipe);
    pipe.producer_commit();
  };
  for (int round = 0; round < Stages - 1; ++round)
    fetch(round);
  for (int round = 0; round < rounds; ++round) {
    fetch(round + Stages - 1);
    pipeline_consumer_wait_prior<Stages - 1>(pipe);
    use(round);
    pipe.consumer_release();
  }
}

#if defined(BENCH_BY_HAND)

// By hand, a block has commit groups and __syncthreads.
template <int Stages, class Begin, class Use>
__device__ __forceinline__ void stream_of_block(int rounds, const Begin& begin, const Use& use) {
  auto pipe = make_pipeline();
  const auto fetch = [&](int round) {
    if (round < rounds) begin(round, pipe);
    pipe.producer_commit();
  };
  for (int round = 0; round < Stages - 1; ++round)
    fetch(round);
  for (int round = 0; round < rounds; ++round) {
    pipeline_consumer_wait_prior<Stages - 2>(pipe);
    __syncthreads();
    fetch(round + Stages - 1);
    use(round);
  }
}

template <int Stages, class Begin, class Use>
__device__ __forceinline__ void stream_that_ends(int rounds, const Begin& begin, const Use& use) {
  stream_of_block<Stages>(rounds, begin, use);
  __syncthreads();
}

// By hand, a ring between warps has two mbarriers for each stage.
template <int Stages, int Producers, bool, bool, class Begin, class Use>
__device__ __forceinline__ void stream_between_warps(int rounds, const Begin& begin, const Use& use) {
  __shared__ block_barrier full[Stages], empty[Stages];
  if (threadIdx.x < Stages) {
    init(&full[threadIdx.x], Producers);
    init(&empty[threadIdx.x], static_cast<int>(blockDim.x) - Producers);
  }
  __syncthreads();
  auto pipe = make_pipeline();
  for (int round = 0; round < rounds; ++round) {
    const int stage = round % Stages;
    const bool parity = (round / Stages & 1) != 0;
    if (threadIdx.x < Producers) {
      if (round >= Stages) empty[stage].wait_parity(!parity);
      begin(round, pipe);
      full[stage].arrive_after_copies();
    } else {
      full[stage].wait_parity(parity);
      use(round);
      (void)empty[stage].arrive();
    }
  }
}

#else

template <int Stages, bool Quits = false, class Begin, class Use>
__device__ __forceinline__ void stream_of_block(int rounds, const Begin& begin, const Use& use) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, Stages> state;
  auto pipe = make_pipeline(groups::this_thread_block(), &state);
  int next = 0;
  for (int round = 0; round < rounds; ++round) {
    for (; next < rounds && next < round + Stages; ++next) {
      pipe.producer_acquire();
      begin(next, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    use(round);
    pipe.consumer_release();
  }
  if (Quits) pipe.quit();
}

// The next stream may have the same shared state.
template <int Stages, class Begin, class Use>
__device__ __forceinline__ void stream_that_ends(int rounds, const Begin& begin, const Use& use) {
  stream_of_block<Stages, true>(rounds, begin, use);
  __syncthreads();
}

template <class Pipeline, class Use>
__device__ __forceinline__ void consume(Pipeline& pipe, int round, const Use& use) {
  pipe.consumer_wait();
  use(round);
  pipe.consumer_release();
}
template <class Pipeline, class Use>
__device__ __noinline__ void consume_in_function(Pipeline& pipe, int round, const Use& use) {
  consume(pipe, round, use);
}
template <int Stages, int Producers, bool IsByRole, bool IsInlined, class Begin, class Use>
__device__ __forceinline__ void stream_between_warps(int rounds, const Begin& begin, const Use& use) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, Stages> state;
  const bool is_producer = threadIdx.x < Producers;
  const auto block = groups::this_thread_block();
  auto pipe = [&] {
    if constexpr (IsByRole)
      return make_pipeline(block, &state, is_producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    else
      return make_pipeline(block, &state, std::size_t{Producers});
  }();
  for (int round = 0; round < rounds; ++round) {
    if (is_producer) {
      pipe.producer_acquire();
      begin(round, pipe);
      pipe.producer_commit();
    } else if constexpr (IsInlined) {
      consume(pipe, round, use);
    } else {
      consume_in_function(pipe, round, use);
    }
  }
}

#endif

// Each thread copies its own elements.
template <class Element, int Stages, int Threads>
__global__ void elements_of_thread(const memory* of, int rounds) {
  __shared__ alignas(16) Element slots[Stages][Threads];
  const u32 first = thread_of_grid<Threads>(), step = gridDim.x * Threads, mask = of->given.mask;
  const Element* const in = of->data_as<Element>();
  u32 sum = 0;
  stream_of_thread<Stages>(
      rounds,
      [&](int round, auto& pipe) {
        copy<alignof(Element)>(&slots[round % Stages][threadIdx.x], &in[(first + round * step) & mask], pipe);
      },
      [&](int round) { sum = work(sum) + slots[round % Stages][threadIdx.x].folded(); });
  of->results_as<u32>()[first] = sum;
}

// Each warp gathers rows of given.pitch words. Its lanes have a pipeline each, and synchronize with __syncwarp.
template <class Value, int Words, int Threads>
__global__ void rows_of_warp(const memory* of, int rounds) {
  __shared__ alignas(16) u32 rows[2][Threads / 32][Words];
  const auto warp = groups::tiled_partition<32>(groups::this_thread_block());
  const int number = threadIdx.x / 32, lane = threadIdx.x % 32;
  const u32 first = blockIdx.x * (Threads / 32) + number, step = gridDim.x * (Threads / 32), pitch = of->given.pitch;
  u32 sum = 0;
  stream_of_thread<2>(
      rounds,
      [&](int round, auto& pipe) {
        const std::size_t row = of->indices[(first + round * step) & 0xffff] & 0xfff;
        const Value* const from = reinterpret_cast<const Value*>(of->data_as<u32>() + row * pitch);
        Value* const to = reinterpret_cast<Value*>(rows[round % 2][number]);
        copy<sizeof(Value)>(warp, to, from, std::size_t{Words * 4}, pipe);
      },
      [&](int round) {
        __syncwarp();
        for (int word = lane; word < Words; word += 32)
          sum = sum * 3 + rows[round % 2][number][Words - 1 - word];
        __syncwarp();
      });
  of->results_as<u32>()[thread_of_grid<Threads>()] = sum;
}

// The block copies tiles, from a source that is given.pitch bytes behind the start.
template <class Value, int Bytes, int Stages, int Threads>
__global__ void tiles_of_block(const memory* of, int rounds) {
  extern __shared__ uint4 dynamic[];
  const auto block = groups::this_thread_block();
  const auto tile = [&](int round) { return dynamic + round % Stages * ((Bytes + 15) / 16); };
  u32 sum = 0;
  stream_of_block<Stages>(
      rounds,
      [&](int round, auto& pipe) {
        const std::size_t number = (blockIdx.x + round * gridDim.x) % 1500;
        const Value* const from = reinterpret_cast<const Value*>(of->data + of->given.pitch + number * Bytes);
        copy<sizeof(Value)>(block, reinterpret_cast<Value*>(tile(round)), from, std::size_t{Bytes}, pipe);
      },
      [&](int round) {
        for (int word = threadIdx.x; word < Bytes / 4; word += Threads)
          sum = sum * 3 + reinterpret_cast<const u32*>(tile(round))[Bytes / 4 - 1 - word];
      });
  of->results_as<u32>()[thread_of_grid<Threads>()] = sum;
}

// Each thread gathers an element, and uses that of its neighbor.
template <class Element, int Threads>
__global__ void elements_of_block(const memory* of, int rounds) {
  __shared__ alignas(16) Element slots[2][Threads];
  const int thread = threadIdx.x;
  u32 sum = 0;
  stream_of_block<2>(
      rounds,
      [&](int round, auto& pipe) {
        const u32 index = of->indices[(thread_of_grid<Threads>() + round * gridDim.x * Threads) & 0xffff] & 0xffff;
        copy<alignof(Element)>(&slots[round % 2][thread], &of->data_as<Element>()[index], pipe);
      },
      [&](int round) { sum = work(sum) + slots[round % 2][(thread + 1) % Threads].folded(); });
  of->results_as<u32>()[thread_of_grid<Threads>()] = sum;
}

// A list of tiles in each round, with a pipeline for each list.
template <class Element, int Tiles, int Stages, int Threads>
__global__ void lists_of_block(const memory* of, int rounds) {
  __shared__ alignas(16) Element slots[Stages][Threads];
  const int thread = threadIdx.x;
  u32 sum = 0;
  for (int round = 0; round < rounds; ++round) {
    const Element* const list =
        of->data_as<Element>() + (of->indices[(blockIdx.x + round * gridDim.x) & 0xffff] & 0xff);
    stream_that_ends<Stages>(
        Tiles,
        [&](int tile, auto& pipe) {
          copy<alignof(Element)>(&slots[tile % Stages][thread], &list[tile * Threads + thread], pipe);
        },
        [&](int tile) { sum = work(sum) + slots[tile % Stages][(thread + 1) % Threads].folded(); });
  }
  of->results_as<u32>()[thread_of_grid<Threads>()] = sum;
}

// Some warps gather rows of given.pitch words, and the others use them.
template <class Value, int Words, int Rows, int Stages, int Producers, int Threads, bool IsByRole, bool IsInlined>
__global__ void rows_between_warps(const memory* of, int rounds) {
  extern __shared__ uint4 dynamic[];
  constexpr int words = Words * Rows, consumers = Threads - Producers * 32;
  const auto tile = [&](int round) { return reinterpret_cast<u32*>(dynamic) + round % Stages * words; };
  const auto warp = groups::tiled_partition<32>(groups::this_thread_block());
  const u32 pitch = of->given.pitch;
  u32 sum = 0;
  stream_between_warps<Stages, Producers * 32, IsByRole, IsInlined>(
      rounds,
      [&](int round, auto& pipe) {
        for (int row = threadIdx.x / 32; row < Rows; row += Producers) {
          const u32 number = (blockIdx.x + round * gridDim.x) * Rows + row;
          const u32* const from = of->data_as<u32>() + std::size_t{of->indices[number & 0xffff] & 0xfff} * pitch;
          Value* const to = reinterpret_cast<Value*>(tile(round) + row * Words);
          copy<sizeof(Value)>(warp, to, reinterpret_cast<const Value*>(from), std::size_t{Words * 4}, pipe);
        }
      },
      [&](int round) {
        for (int word = threadIdx.x - Producers * 32; word < words; word += consumers)
          sum = sum * 3 + tile(round)[words - 1 - word];
      });
  of->results_as<u32>()[thread_of_grid<Threads>()] = sum;
}

// A product of matrices of 512 x 512 numbers in tiles of 16 x 16, which threads copy number by number.
constexpr int product_tile = 16;
constexpr int product_size = 512;

struct product_tiles {
  u32 left[2][product_tile][product_tile], right[2][product_tile][product_tile + 1];

  template <class Pipeline>
  __device__ __forceinline__ void begin(const memory* of, int step, Pipeline& pipe) {
    constexpr int tiles = product_size / product_tile;
    const int x = threadIdx.x % product_tile, y = threadIdx.x / product_tile, at = step % tiles * product_tile;
    const int column = blockIdx.x % tiles * product_tile, row = blockIdx.x / tiles * product_tile;
    copy<4>(&left[step % 2][y][x], of->data_as<u32>() + (row + y) * product_size + at + x, pipe);
    copy<4>(&right[step % 2][y][x], of->indices + (at + y) * product_size + column + x, pipe);
  }
  __device__ __forceinline__ u32 product(int step) const {
    const int x = threadIdx.x % product_tile, y = threadIdx.x / product_tile;
    u32 sum = 0;
#pragma unroll
    for (int index = 0; index < product_tile; ++index)
      sum += left[step % 2][y][index] * right[step % 2][index][x];
    return sum;
  }
};
__global__ void product_by_threads(const memory* of, int rounds) {
  __shared__ product_tiles tiles;
  auto pipe = make_pipeline();
  const auto fetch = [&](int step) {
    pipe.producer_acquire();
    if (step < 2 * rounds) tiles.begin(of, step, pipe);
    pipe.producer_commit();
  };
  u32 sum = 0;
  fetch(0);
  for (int step = 0; step < 2 * rounds; ++step) {
    pipeline_consumer_wait_prior<0>(pipe);
    __syncthreads();
    fetch(step + 1);
    sum += tiles.product(step);
    pipe.consumer_release();
  }
  of->results_as<u32>()[thread_of_grid<256>()] = sum;
}
__global__ void product_by_block(const memory* of, int rounds) {
  __shared__ product_tiles tiles;
  u32 sum = 0;
  stream_of_block<2>(
      2 * rounds, [&](int step, auto& pipe) { tiles.begin(of, step, pipe); },
      [&](int step) { sum += tiles.product(step); });
  of->results_as<u32>()[thread_of_grid<256>()] = sum;
}

void enroll_threads_and_warps() {
  const numbers in_l1{0, 0xffff, 0}, in_l2{0, 0xfffff, 0};
  enroll("pipelines: 4 bytes of a thread, 4 stages", {{elements_of_thread<words_of<1>, 4, 256>, 132, 256, 0, in_l1}});
  enroll("pipelines: 8 bytes of a thread, 3 stages",
         {{elements_of_thread<aligned_words_of<8, 2>, 3, 128>, 528, 128, 0, in_l2}});
  enroll("pipelines: 12 bytes of a thread, 4 stages", {{elements_of_thread<words_of<3>, 4, 256>, 132, 256, 0, in_l2}});
  enroll("pipelines: 16 bytes of a thread, 2 stages",
         {{elements_of_thread<aligned_words_of<16, 4>, 2, 1024>, 132, 1024, 0, in_l2}});
  enroll("pipelines: 16 bytes of a thread, 8 stages",
         {{elements_of_thread<aligned_words_of<16, 4>, 8, 64>, 132, 64, 0, in_l2}});
  enroll("pipelines: 20 bytes of a thread, 2 stages", {{elements_of_thread<words_of<5>, 2, 256>, 132, 256, 0, in_l2}});
  const numbers pitch_64{0, 0, 64}, pitch_101{0, 0, 101}, pitch_128{0, 0, 128};
  enroll("pipelines: rows of a warp, 128 bytes, float", {{rows_of_warp<float, 32, 256>, 132, 256, 0, pitch_64}});
  enroll("pipelines: rows of a warp, 256 bytes, float2", {{rows_of_warp<float2, 64, 128>, 528, 128, 0, pitch_64}});
  enroll("pipelines: rows of a warp, 404 bytes, float", {{rows_of_warp<float, 101, 128>, 132, 128, 0, pitch_101}});
  enroll("pipelines: rows of a warp, 512 bytes, float4", {{rows_of_warp<float4, 128, 512>, 132, 512, 0, pitch_128}});
  enroll("pipelines: product, a pipeline for each thread", {{product_by_threads, 132, 256}});
  enroll("pipelines: product, a pipeline of the block", {{product_by_block, 528, 256}});
}

void enroll_blocks() {
  constexpr int most = 32768;
  const numbers aligned{}, offset{0, 0, 4};
  enroll("pipelines: 512 bytes of a block, 2 stages",
         {{tiles_of_block<float, 512, 2, 128>, 132, 128, 0, aligned, most}});
  enroll("pipelines: 1024 bytes of a block, 3 stages, float4",
         {{tiles_of_block<float4, 1024, 3, 64>, 528, 64, 0, aligned, 8192}});
  enroll("pipelines: 2048 bytes of a block, 2 stages, offset 4",
         {{tiles_of_block<float, 2048, 2, 256>, 132, 256, 0, offset, most}});
  enroll("pipelines: 4000 bytes of a block, 3 stages",
         {{tiles_of_block<float, 4000, 3, 256>, 132, 256, 0, aligned, most}});
  enroll("pipelines: 4096 bytes of a block, 4 stages, float4",
         {{tiles_of_block<float4, 4096, 4, 1024>, 132, 1024, 0, aligned, most}});
  enroll("pipelines: 8192 bytes of a block, 3 stages, float4",
         {{tiles_of_block<float4, 8192, 3, 512>, 132, 512, 0, aligned, most}});
  enroll("pipelines: gather of 12 bytes", {{elements_of_block<words_of<3>, 128>, 132, 128}});
  enroll("pipelines: gather of 16 bytes", {{elements_of_block<aligned_words_of<16, 4>, 256>, 528, 256}});
  enroll("pipelines: gather of 20 bytes", {{elements_of_block<words_of<5>, 512>, 132, 512}});
  enroll("pipelines: a pipeline for each list of 2 tiles", {{lists_of_block<words_of<1>, 2, 2, 128>, 132, 128}});
  enroll("pipelines: a pipeline for each list of 8 tiles", {{lists_of_block<words_of<1>, 8, 3, 512>, 132, 512}});
  enroll("pipelines: a pipeline for each list of 8 tiles, 1,024 threads",
         {{lists_of_block<words_of<1>, 8, 2, 1024>, 132, 1024}});
  const numbers pitch_64{0, 0, 64}, pitch_101{0, 0, 101}, pitch_128{0, 0, 128};
  enroll("pipelines: 1 of 4 warps copies 8 rows of 256 bytes",
         {{rows_between_warps<float, 64, 8, 4, 1, 128, false, true>, 132, 128, 0, pitch_64, most}});
  enroll("pipelines: 2 of 8 warps copy 8 rows of 256 bytes, float4",
         {{rows_between_warps<float4, 64, 8, 4, 2, 256, false, true>, 132, 256, 0, pitch_64, most}});
  enroll("pipelines: 1 of 8 warps by role copies 4 rows of 512 bytes, float4",
         {{rows_between_warps<float4, 128, 4, 3, 1, 256, true, true>, 132, 256, 0, pitch_128, most}});
  enroll("pipelines: 1 of 3 warps copies 4 rows of 256 bytes, used in a function, float2",
         {{rows_between_warps<float2, 64, 4, 2, 1, 96, false, false>, 528, 96, 0, pitch_64, 2048}});
  enroll("pipelines: 4 of 16 warps copy 16 rows of 400 bytes",
         {{rows_between_warps<float, 100, 16, 4, 4, 512, false, true>, 132, 512, 0, pitch_101, most}});
}

const bool is_enrolled = [] {
  enroll_threads_and_warps();
  enroll_blocks();
  return true;
}();

}}  // namespace bench
