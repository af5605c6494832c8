// bulk_pipeline in clusters: blocks multicast slices at different speeds, and stay until all is released.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: sm90
#include "../support/copied_bytes.h"
#include "../support/gpu_test.h"
#include "../support/tensor_map.h"

#include <cuda/pipeline>

#include <cooperative_groups.h>

using cudasync::bulk_pipeline;
using cudasync::consumer_threads;
using cudasync::consumer_warps;
using gpu_test::device_array;

constexpr unsigned clusters = 12, consumers = 96;
constexpr size_t source_size = 1 << 20;

enum class share {
  slices,       // each block loads a slice, for all
  from_first,   // the first block loads the whole, for all
  next,         // each block loads a slice for itself and the block after it
  in_turn,      // a block loads the whole for all, another one each time
  each_its_own  // no multicast: each block loads another tile for itself, but all release together
};

struct stream {
  share how = share::slices;
  unsigned tiles = 300;
  unsigned slice = 512;         // bytes
  bool slow_consumers = false;  // of one block more than of the others
  bool slow_producers = false;
  bool groups = false;  // init takes the cluster of cooperative_groups
};

__device__ size_t place_of(unsigned tile, unsigned cluster) {
  return tile % 300 * size_t{2048} + cluster * 1024;
}

// Slice `slice` of the stage of the block of this rank: where it comes from; source_size if nobody writes it.
__device__ size_t origin_of(const stream& what, unsigned tile, unsigned cluster, unsigned blocks, unsigned rank,
                            unsigned slice) {
  const size_t first = place_of(tile, cluster);
  if (what.how == share::each_its_own) return first + rank * 128 + slice * what.slice;
  if (what.how == share::next && slice != rank && slice != (rank + blocks - 1) % blocks) return source_size;
  return first + slice * what.slice;
}

template <class Pipeline>
__device__ void load(Pipeline& pipe, typename Pipeline::producer_state at, const stream& what, unsigned tile,
                     unsigned cluster, unsigned blocks, unsigned rank, unsigned char* stage,
                     const unsigned char* source) {
  const unsigned char* const from = source + place_of(tile, cluster);
  const unsigned all = (1u << blocks) - 1;
  const cuda::aligned_size_t<16> one(what.slice), whole(blocks * what.slice);
  const unsigned begin = rank * what.slice;
  pipe.producer_acquire(at, what.how == share::next ? (blocks == 1 ? 1 : 2) * what.slice : blocks * what.slice);
  if (what.slow_producers && (tile + rank) % 3 == 0) __nanosleep(1000 + 1000 * rank);
  if (what.how == share::slices)
    pipe.copy_to_blocks(at, stage + begin, from + begin, one, static_cast<unsigned short>(all));
  if (what.how == share::next)
    pipe.copy_to_blocks(at, stage + begin, from + begin, one,
                        static_cast<unsigned short>(1u << rank | 1u << (rank + 1) % blocks));
  if ((what.how == share::from_first && rank == 0) || (what.how == share::in_turn && rank == tile % blocks))
    pipe.copy_to_blocks(at, stage, from, whole, static_cast<unsigned short>(all));
  if (what.how == share::each_its_own) pipe.copy(at, stage, from + rank * 128, whole);
}

template <unsigned Stages, unsigned Blocks, class Consumers>
__global__ void stream_in_clusters(stream what, const unsigned char* source) {
  using pipeline = bulk_pipeline<Stages, Consumers, Blocks>;
  extern __shared__ __align__(128) unsigned char memory[];
  __shared__ pipeline pipe;
  const unsigned space = Blocks * what.slice + 2 * guard_bytes;
  paint(memory, Stages * space, {threadIdx.x, blockDim.x});
  cudasync::device::fence_before_bulk_copy();
  if (what.groups)
    pipe.init(cooperative_groups::this_cluster());
  else
    pipe.init(cudasync::this_cluster());
  const unsigned rank = cudasync::this_cluster().block_rank(), cluster = blockIdx.x / Blocks;
  if (threadIdx.x < 32) {
    if (cudasync::elect_one_of_warp()) {
      typename pipeline::producer_state at;
      for (unsigned tile = 0; tile < what.tiles; ++tile, at.advance())
        load(pipe, at, what, tile, cluster, Blocks, rank, memory + at.index() * space + guard_bytes, source);
      pipe.producer_tail(at);
    }
    return;
  }
  typename pipeline::consumer_state at;
  for (unsigned tile = 0; tile < what.tiles; ++tile, at.advance()) {
    pipe.consumer_wait(at);
    const unsigned char* const stage = memory + at.index() * space;
    const unsigned times = what.slow_consumers && (tile + threadIdx.x / 32) % 4 == 0 ? 2 : 1;
    for (unsigned time = 0; time < times; ++time) {
      for (unsigned slice = 0; slice < Blocks; ++slice) {
        const size_t origin = origin_of(what, tile, cluster, Blocks, rank, slice);
        const copied wanted{0, what.slice, origin, what.slice, what.slice, tile};
        if (origin != source_size)
          DEVICE_CHECK(is_right(stage + guard_bytes + slice * what.slice, wanted, {threadIdx.x - 32, consumers}));
      }
      if (time + 1 < times) __nanosleep(500 + 2000 * (rank == tile / 8 % Blocks));
    }
    for (unsigned index = threadIdx.x - 32; index < guard_bytes; index += consumers)
      DEVICE_CHECK(stage[index] == guard_byte && stage[space - 1 - index] == guard_byte);
    pipe.consumer_release(at);
  }
}

template <unsigned Stages, unsigned Blocks, class Consumers = consumer_warps<consumers / 32>>
void run_stream(const stream& what) {
  static const device_array<unsigned char>* const source = new device_array<unsigned char>(source_bytes(source_size));
  gpu_test::shape how{clusters * Blocks, 32 + consumers, Stages * (Blocks * what.slice + 2 * guard_bytes)};
  how.cluster = Blocks;
  gpu_test::run(stream_in_clusters<Stages, Blocks, Consumers>, how, what, source->get());
}
void run_all(const stream& what) {
  run_stream<1, 2>(what);
  run_stream<3, 2>(what);
  run_stream<2, 4>(what);
  run_stream<4, 4>(what);
}

TEST(each_block_multicasts_a_slice) {
  run_all(stream{});
}
TEST(clusters_of_cooperative_groups) {
  stream what;
  what.groups = true;
  run_all(what);
}
TEST(one_block_multicasts_for_all) {
  for (const share how : {share::from_first, share::in_turn}) {
    stream what;
    what.how = how;
    run_all(what);
  }
}
TEST(multicast_to_some_of_the_blocks) {
  stream what;
  what.how = share::next;
  run_all(what);
}
TEST(blocks_that_copy_for_themselves_beside_others) {
  stream what;
  what.how = share::each_its_own;
  run_all(what);
}
TEST(consumers_that_each_release_in_every_block) {
  stream what;
  run_stream<1, 2, consumer_threads<consumers>>(what);
  run_stream<3, 4, consumer_threads<consumers>>(what);
}
TEST(blocks_with_slow_consumers) {
  for (const share how : {share::slices, share::from_first, share::next, share::in_turn, share::each_its_own}) {
    stream what;
    what.how = how;
    what.slow_consumers = true;
    run_all(what);
  }
}
TEST(blocks_with_slow_producers) {
  for (const share how : {share::slices, share::next, share::in_turn, share::each_its_own}) {
    stream what;
    what.how = how;
    what.slow_producers = true;
    run_all(what);
  }
}
TEST(many_rounds_of_small_slices) {
  stream what;
  what.tiles = 5000;
  what.slice = 32;
  run_all(what);
}
TEST(few_tiles_and_early_ends) {
  for (const unsigned tiles : {0u, 1u, 2u, 3u, 5u}) {
    stream what;
    what.tiles = tiles;
    what.slow_consumers = true;
    run_all(what);
  }
}

// --- Tensor maps ---

// A box of rows a block, of the same columns: together a tile of all rows, in each block.
template <unsigned Stages, unsigned Blocks>
__global__ void multicast_boxes(const __grid_constant__ CUtensorMap map, tensor_layout layout, unsigned tiles) {
  using pipeline = bulk_pipeline<Stages, consumer_warps<consumers / 32>, Blocks>;
  constexpr int elements = 32 * 4;  // of a box
  alignas(128) __shared__ int stage[Stages][Blocks][elements];
  __shared__ pipeline pipe;
  pipe.init(cudasync::this_cluster());
  const unsigned rank = cudasync::this_cluster().block_rank(), cluster = blockIdx.x / Blocks;
  const auto box_of = [&](unsigned tile, unsigned block, int (&at)[5]) {
    box_near(layout, tile * 64 + cluster, at);
    at[1] += static_cast<int>(block) * 4;
  };
  if (threadIdx.x < 32) {
    if (cudasync::elect_one_of_warp()) {
      typename pipeline::producer_state state;
      for (unsigned tile = 0; tile < tiles; ++tile, state.advance()) {
        pipe.producer_acquire(state, sizeof stage[0]);
        if ((tile + rank) % 5 == 0) __nanosleep(1000);
        int near[5];
        box_of(tile, rank, near);
        const int at[2] = {near[0], near[1]};
        pipe.copy_to_blocks(state, stage[state.index()][rank], &map, at,
                            static_cast<unsigned short>((1u << Blocks) - 1));
      }
      pipe.producer_tail(state);
    }
    return;
  }
  typename pipeline::consumer_state state;
  for (unsigned tile = 0; tile < tiles; ++tile, state.advance()) {
    pipe.consumer_wait(state);
    for (unsigned place = threadIdx.x - 32; place < Blocks * elements; place += consumers) {
      int at[5];
      box_of(tile, place / elements, at);
      const long long index = layout.index_of(at, static_cast<int>(place) % elements);
      DEVICE_CHECK((&stage[state.index()][0][0])[place] == (index < 0 ? 0 : static_cast<int>(index) + 1));
    }
    pipe.consumer_release(state);
  }
}
template <unsigned Stages, unsigned Blocks>
void run_boxes(const tensor_shape& shape, int* tensor) {
  gpu_test::shape how{clusters * Blocks, 32 + consumers};
  how.cluster = Blocks;
  gpu_test::run(multicast_boxes<Stages, Blocks>, how, tensor_map_of(tensor, shape), layout_of(shape), 300u);
}
TEST(boxes_of_a_tensor_map_by_multicast) {
  const tensor_shape shape{{200, 150}, {32, 4}};
  std::vector<int> numbers(elements_of(shape));
  for (size_t index = 0; index < numbers.size(); ++index)
    numbers[index] = static_cast<int>(index) + 1;
  const device_array<int> tensor(numbers);
  run_boxes<1, 2>(shape, tensor.get());
  run_boxes<3, 2>(shape, tensor.get());
  run_boxes<1, 4>(shape, tensor.get());
  run_boxes<4, 4>(shape, tensor.get());
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
