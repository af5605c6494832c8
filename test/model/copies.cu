// Copies and pipelines: the copy engine runs late and in any order, and only fences order it with ordinary accesses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.h"

#include <cuda/atomic>
#include <cuda/pipeline>
#include <cudasync/cluster_barrier.h>
#include <cudasync/grid_barrier.h>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

// A tile that the block has just written, copied by the group.
// run: block=32
extern "C" __global__ void copy_after_stores(unsigned* failures, int* scratch) {
  __shared__ block_barrier bar;
  alignas(16) __shared__ int tile[64];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  for (int round = 0; round < 3; ++round) {
    for (unsigned cell = threadIdx.x; cell < 64; cell += blockDim.x)
      scratch[cell] = static_cast<int>(cell) + round;
    __syncthreads();
    const auto how =
        cuda::memcpy_async(cudasync::this_thread_block(), tile, scratch, cuda::aligned_size_t<16>(sizeof tile), bar);
#if __CUDA_ARCH__ >= 800
    EXPECT(how == cuda::async_contract_fulfillment::async);
#else
    EXPECT(how == cuda::async_contract_fulfillment::none);
#endif
    bar.arrive_and_wait();
    EXPECT(tile[threadIdx.x] == static_cast<int>(threadIdx.x) + round);
    EXPECT(tile[63 - threadIdx.x] == static_cast<int>(63 - threadIdx.x) + round);
    __syncthreads();
  }
}

// Of a size that the copy engine cannot copy as a whole.
// run: block=32
extern "C" __global__ void copy_of_odd_size(unsigned* failures, int* scratch) {
  __shared__ block_barrier bar;
  alignas(32) __shared__ int tile[64];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  for (unsigned cell = threadIdx.x; cell < 64; cell += blockDim.x)
    scratch[cell] = static_cast<int>(cell);
  __syncthreads();
  cuda::memcpy_async(cudasync::this_thread_block(), tile, scratch, 43 * sizeof(int), bar);
  bar.arrive_and_wait();
  EXPECT(tile[threadIdx.x] == static_cast<int>(threadIdx.x));
  EXPECT(tile[42 - threadIdx.x] == 42 - static_cast<int>(threadIdx.x));
}

enum class way { group, thread, zero_filled, ways };

// Each pointer has an alignment of its own, and each size ends elsewhere: by the group, by one thread, and with zeros at
// the end. size_of: makes a size of a number of bytes.
template <class Value, class Size, class Group = cudasync::thread_block>
__device__ void copy_at_all_offsets(unsigned* failures, char* source, Size size_of,
                                    const Group& group = cudasync::this_thread_block()) {
  constexpr int step = alignof(Value), space = 320;
  __shared__ block_barrier bar;
  alignas(16) __shared__ char tile[space];
  const int rank = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  if (rank == 0) init(&bar, blockDim.x);
  for (int cell = rank; cell < space; cell += threads)
    source[cell] = static_cast<char>(cell % 120 + 1);
  for (int to : {0, 1, 3, 4, 8, 12}) {
    for (int distance : {0, 1, 2, 4, 8, 12}) {
      if ((to | distance) % step != 0) continue;
      const int from = (to + distance) % 16;
      for (int bytes : {1, 15, 67, 280}) {
        bytes = (bytes + Size::unit - 1) / Size::unit * Size::unit;
        for (int which = 0; which < static_cast<int>(way::ways); ++which) {
          const int valid = static_cast<way>(which) == way::zero_filled ? bytes / 3 : bytes;
          for (int cell = rank; cell < space; cell += threads)
            tile[cell] = -1;
          __syncthreads();
          Value* const destination = reinterpret_cast<Value*>(tile + to);
          const Value* const first = reinterpret_cast<const Value*>(source + from);
          const auto size = size_of(static_cast<unsigned>(bytes));
          if (static_cast<way>(which) == way::group)
            cuda::memcpy_async(group, destination, first, size, bar);
          else if (static_cast<way>(which) == way::zero_filled)
            cuda::memcpy_async(group, destination, first, cudasync::zero_filled_size(size, valid), bar);
          else if (rank == 1)
            cuda::memcpy_async(destination, first, size, bar);
          bar.arrive_and_wait();
          for (int cell = rank; cell < space; cell += threads)
            EXPECT(tile[cell] == (cell < to || cell >= to + bytes ? -1
                                  : cell < to + valid             ? source[from + cell - to]
                                                                  : 0));
          __syncthreads();
        }
      }
    }
  }
}
struct as_integer {
  enum : int { unit = 1 };
  __device__ unsigned operator()(unsigned bytes) const { return bytes; }
};
template <unsigned Alignment>
struct as_aligned {
  enum : int { unit = Alignment };
  __device__ cuda::aligned_size_t<Alignment> operator()(unsigned bytes) const {
    return cuda::aligned_size_t<Alignment>(bytes);
  }
};

// run: block=8 seeds=1
extern "C" __global__ void bytes_at_all_offsets(unsigned* failures, int* scratch) {
  copy_at_all_offsets<char>(failures, reinterpret_cast<char*>(scratch), as_integer{});
}
// run: block=8 seeds=1
extern "C" __global__ void halves_of_words_at_all_offsets(unsigned* failures, int* scratch) {
  copy_at_all_offsets<short>(failures, reinterpret_cast<char*>(scratch), as_integer{});
}
// run: block=8 seeds=1
extern "C" __global__ void words_at_all_offsets(unsigned* failures, int* scratch) {
  copy_at_all_offsets<int>(failures, reinterpret_cast<char*>(scratch), as_integer{});
  copy_at_all_offsets<int>(failures, reinterpret_cast<char*>(scratch), as_aligned<4>{});
}
// run: block=8 seeds=1
extern "C" __global__ void wide_words_at_all_offsets(unsigned* failures, int* scratch) {
  copy_at_all_offsets<long long>(failures, reinterpret_cast<char*>(scratch), as_integer{});
  copy_at_all_offsets<long long>(failures, reinterpret_cast<char*>(scratch), as_aligned<8>{});
  copy_at_all_offsets<int4>(failures, reinterpret_cast<char*>(scratch), as_integer{});
  copy_at_all_offsets<int4>(failures, reinterpret_cast<char*>(scratch), as_aligned<16>{});
}

// The block as a group whose type says how small it is.
template <unsigned Size>
struct threads_of_a_warp {
  __device__ static unsigned thread_rank() { return threadIdx.x; }
  __device__ static constexpr unsigned size() { return Size; }
  __device__ static void sync() { __syncthreads(); }
};
// run: block=32 seeds=1
extern "C" __global__ void copies_of_a_warp_at_all_offsets(unsigned* failures, int* scratch) {
  char* const source = reinterpret_cast<char*>(scratch);
  copy_at_all_offsets<char>(failures, source, as_integer{}, threads_of_a_warp<32>{});
  copy_at_all_offsets<int>(failures, source, as_integer{}, threads_of_a_warp<32>{});
  copy_at_all_offsets<int>(failures, source, as_aligned<4>{}, threads_of_a_warp<32>{});
  copy_at_all_offsets<int4>(failures, source, as_aligned<16>{}, threads_of_a_warp<32>{});
}
// run: block=16 seeds=1
extern "C" __global__ void copies_of_a_half_warp_at_all_offsets(unsigned* failures, int* scratch) {
  char* const source = reinterpret_cast<char*>(scratch);
  copy_at_all_offsets<int>(failures, source, as_aligned<4>{}, threads_of_a_warp<16>{});
  copy_at_all_offsets<long long>(failures, source, as_integer{}, threads_of_a_warp<16>{});
  copy_at_all_offsets<int4>(failures, source, as_integer{}, threads_of_a_warp<16>{});
}

// Only copies from global to shared memory are asynchronous.
// run: block=8
extern "C" __global__ void copies_within_a_memory(unsigned* failures, int* scratch) {
  __shared__ block_barrier bar;
  alignas(16) __shared__ int tile[2][40];
  const int rank = static_cast<int>(threadIdx.x);
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  for (int cell = rank; cell < 40; cell += 8) {
    tile[0][cell] = cell;
    scratch[cell] = 100 + cell;
  }
  __syncthreads();
  const cuda::aligned_size_t<16> size(sizeof tile[0]);
  const auto in_shared = cuda::memcpy_async(cudasync::this_thread_block(), tile[1], tile[0], size, bar);
  const auto in_global = cuda::memcpy_async(cudasync::this_thread_block(), scratch + 64, scratch, size, bar);
  EXPECT(in_shared == cuda::async_contract_fulfillment::none && in_global == in_shared);
  bar.arrive_and_wait();
  EXPECT(tile[1][rank] == rank && tile[1][39] == 39);
  EXPECT(scratch[64 + rank] == 100 + rank && scratch[64 + 39] == 139);
  cuda::memcpy_async(cudasync::this_thread_block(), scratch + 128, tile[1], sizeof tile[1] - 4, bar);
  bar.arrive_and_wait();
  EXPECT(scratch[128 + rank] == rank && scratch[128 + 38] == 38 && scratch[128 + 39] == 0);
}

// Of sizes and alignments that only single threads' copies can do.
// run: block=32
extern "C" __global__ void copy_unaligned(unsigned* failures, int* scratch) {
  __shared__ block_barrier bar;
  __shared__ char tile[200];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  char* const source = reinterpret_cast<char*>(scratch);
  for (unsigned cell = threadIdx.x; cell < 200; cell += blockDim.x)
    source[cell] = static_cast<char>(cell);
  __syncthreads();
  cuda::memcpy_async(cudasync::this_thread_block(), tile + 1, source + 3, 190, bar);
  bar.arrive_and_wait();
  for (unsigned cell = threadIdx.x; cell < 190; cell += blockDim.x)
    EXPECT(tile[cell + 1] == static_cast<char>(cell + 3));
}

template <class Pipe>
__device__ void stream(Pipe& pipe, unsigned* failures, int* scratch, int (*stages)[32], int count) {
  const auto block = cudasync::this_thread_block();
  for (unsigned cell = threadIdx.x; cell < 32u * 6; cell += blockDim.x)
    scratch[cell] = static_cast<int>(cell);
  __syncthreads();
  int begun = 0;
  for (int tile = 0; tile < 6; ++tile) {
    for (; begun < 6 && begun < tile + count; ++begun) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, stages[begun % count], scratch + begun * 32, cuda::aligned_size_t<16>(128), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    EXPECT(stages[tile % count][31 - threadIdx.x] == tile * 32 + 31 - static_cast<int>(threadIdx.x));
    pipe.consumer_release();
  }
}

// The threads make some copies with cp.async. Others have one unit more, and the copy engine makes them.
// run: block=4
extern "C" __global__ void group_copies_to_stages(unsigned* failures, int* scratch) {
  constexpr int most = 132;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  alignas(16) __shared__ int stages[2][most];
  const auto block = cudasync::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  for (int tile = 0; tile < 5; ++tile) {
    const int count = tile % 3 == 0 ? most : most - 4;
    for (unsigned cell = threadIdx.x; cell < most; cell += blockDim.x)
      scratch[cell] = static_cast<int>(cell) + tile;
    block.sync();
    pipe.producer_acquire();
    cuda::memcpy_async(block, stages[tile % 2], scratch, cuda::aligned_size_t<16>(count * sizeof(int)), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    for (int cell = static_cast<int>(threadIdx.x); cell < count; cell += 4)
      EXPECT(stages[tile % 2][count - 1 - cell] == count - 1 - cell + tile);
    pipe.consumer_release();
    block.sync();
  }
}

// Of 16-byte elements, with a size that the compiler does not know: what remains of it are bytes.
// run: block=4
extern "C" __global__ void group_copies_of_odd_sizes_to_stages(unsigned* failures, int* scratch) {
  constexpr int most = 544;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  alignas(16) __shared__ char stages[2][most];
  char* const source = reinterpret_cast<char*>(scratch);
  const auto block = cudasync::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int tile = 0;
  for (const int size : {512, 517, 5, 528, 543, 64, 0}) {
    char* const stage = stages[tile++ % 2];
    for (int cell = static_cast<int>(threadIdx.x); cell < most; cell += 4) {
      source[cell] = static_cast<char>(cell % 100 + tile);
      stage[cell] = -1;
    }
    block.sync();
    pipe.producer_acquire();
    cuda::memcpy_async(block, reinterpret_cast<int4*>(stage), reinterpret_cast<const int4*>(source), size, pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    for (int cell = static_cast<int>(threadIdx.x); cell < most; cell += 4)
      EXPECT(stage[cell] == (cell < size ? cell % 100 + tile : -1));
    pipe.consumer_release();
    block.sync();
  }
}

// run: block=32
extern "C" __global__ void unified_pipeline(unsigned* failures, int* scratch) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  alignas(16) __shared__ int stages[2][32];
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state);
  stream(pipe, failures, scratch, stages, 2);
}

template <cuda::thread_scope Scope>
__device__ void stream_in(cuda::pipeline_shared_state<Scope, 2>& state, unsigned* failures, int* scratch) {
  alignas(16) __shared__ int stages[2][32];
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state);
  stream(pipe, failures, scratch, stages, 2);
  __syncthreads();
}
// The same at all scopes and in all memories.
// run: block=32
extern "C" __global__ void unified_pipelines(unsigned* failures, int* scratch) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_device, 2> of_device;
  stream_in(of_device, failures, scratch);
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_system, 2> of_system;
  stream_in(of_system, failures, scratch);
  int* const place = scratch + 1024;
  stream_in(*reinterpret_cast<cuda::pipeline_shared_state<cuda::thread_scope_block, 2>*>(place), failures, scratch);
  stream_in(*reinterpret_cast<cuda::pipeline_shared_state<cuda::thread_scope_device, 2>*>(place + 64), failures,
            scratch);
  stream_in(*reinterpret_cast<cuda::pipeline_shared_state<cuda::thread_scope_system, 2>*>(place + 128), failures,
            scratch);
}

// One warp produces, the other consumes.
// run: block=64
extern "C" __global__ void partitioned_pipeline(unsigned* failures, int* scratch) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int stages[2][32];
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state,
                                  threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  const unsigned lane = threadIdx.x % 32;
  for (int tile = 0; tile < 5; ++tile) {
    if (threadIdx.x < 32) {
      pipe.producer_acquire();
      scratch[tile * 32 + lane] = tile;
      cuda::memcpy_async(&stages[tile % 2][lane], scratch + tile * 32 + lane, sizeof(int), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      EXPECT(stages[tile % 2][31 - lane] == tile);
      pipe.consumer_release();
    }
  }
}

// Producers write their slots of two stages in turn, and consumers read those from the other end.
template <class Pipe>
__device__ void hand_over(Pipe& pipe, bool produces, unsigned slots, unsigned* failures, int* scratch) {
  for (int tile = 0; tile < 4; ++tile) {
    int* const stage = scratch + tile % 2 * slots;
    if (produces) {
      pipe.producer_acquire();
      stage[threadIdx.x] = tile;
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      EXPECT(stage[slots - 1 - threadIdx.x] == tile);
      pipe.consumer_release();
    }
  }
}

// In global memory, for two blocks.
// run: grid=2 block=8
extern "C" __global__ void device_pipeline(unsigned* failures, int* scratch) {
  using state_type = cuda::pipeline_shared_state<cuda::thread_scope_device, 2>;
  auto& state = *reinterpret_cast<state_type*>(scratch + 512);
  start_together(scratch + 800, [&] { state.start(0, 8, 8); });
  cuda::pipeline<cuda::thread_scope_device> pipe(state, blockIdx.x == 0, blockIdx.x == 1);
  hand_over(pipe, blockIdx.x == 0, 8, failures, scratch);
}

// Lanes of one warp: the even ones produce for the odd ones.
// run: block=32
extern "C" __global__ void roles_in_a_warp(unsigned* failures, int* scratch) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const bool produces = threadIdx.x % 2 == 0;
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state,
                                  produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  hand_over(pipe, produces, 32, failures, scratch);
}

// run: block=32
extern "C" __global__ void thread_pipeline(unsigned* failures, int* scratch) {
  __shared__ int stages[3][32];
  auto pipe = cuda::make_pipeline();
  for (int tile = 0; tile < 2; ++tile) {
    pipe.producer_acquire();
    cuda::memcpy_async(&stages[tile][threadIdx.x], scratch + tile * 32 + threadIdx.x, sizeof(int), pipe);
    pipe.producer_commit();
  }
  for (int tile = 0; tile < 2; ++tile) {
    pipe.consumer_wait();
    EXPECT(stages[tile][threadIdx.x] == 0);
    pipe.consumer_release();
  }
}

// A wait for all stages but the latest ones: for each number of these, the stage before them is there.
template <unsigned char Prior = 0>
__device__ void wait_for_all_but(cuda::pipeline<cuda::thread_scope_thread>& pipe, unsigned* failures, int* source) {
  constexpr int count = 4;
  __shared__ int stages[count][32];
  for (int tile = 0; tile < count; ++tile) {
    stages[tile][threadIdx.x] = -1;
    cuda::memcpy_async(&stages[tile][threadIdx.x], source + tile * 32 + threadIdx.x, sizeof(int), pipe);
    pipe.producer_commit();
  }
  cuda::pipeline_consumer_wait_prior<Prior>(pipe);
  for (int tile = 0; tile < count - Prior; ++tile)
    EXPECT(stages[tile][threadIdx.x] == tile);
  for (int tile = count - Prior; tile < count; ++tile) {
    pipe.consumer_wait();
    EXPECT(stages[tile][threadIdx.x] == tile);
  }
  if constexpr (Prior + 1 < count) wait_for_all_but<Prior + 1>(pipe, failures, source);
}

// run: block=32
extern "C" __global__ void waits_for_all_but_the_latest(unsigned* failures, int* scratch) {
  for (int tile = 0; tile < 4; ++tile)
    scratch[tile * 32 + threadIdx.x] = tile;
  auto pipe = cuda::make_pipeline();
  wait_for_all_but(pipe, failures, scratch);
}

// Barriers of all kinds and in all memories wait for copies: for those of the block, and for the last ones of each thread.
template <class Barrier>
__device__ void hold_copies(unsigned* failures, int* source, Barrier& bar) {
  alignas(16) __shared__ int tiles[2][64];
  const unsigned rank = threadIdx.x;
  if (rank == 0) init(&bar, blockDim.x);
  tiles[0][rank] = tiles[1][rank] = 0;
  source[rank] = static_cast<int>(rank) + 1;
  __syncthreads();
  cuda::memcpy_async(cudasync::this_thread_block(), tiles[0], source, cuda::aligned_size_t<16>(sizeof tiles[0]), bar);
  bar.arrive_and_wait();
  EXPECT(tiles[0][63 - rank] == 64 - static_cast<int>(rank));
  if (rank == 3) cuda::memcpy_async(tiles[1], source, cuda::aligned_size_t<16>(sizeof tiles[1]), bar);
  bar.arrive_and_wait();
  EXPECT(tiles[1][63 - rank] == 64 - static_cast<int>(rank));
  __syncthreads();
  cuda::memcpy_async(cudasync::this_thread_block(), tiles[1] + 1, source + 3, sizeof(int) * 50, bar);
  bar.arrive_and_wait();
  EXPECT(tiles[1][1 + rank % 50] == static_cast<int>(rank % 50) + 4);
  bar.arrive_and_wait();
  auto pipe = cuda::make_pipeline();
  cuda::memcpy_async(&tiles[0][63 - rank], source + rank, sizeof(int), pipe);
  cuda::pipeline_producer_commit(pipe, bar);
  bar.arrive_and_wait();
  EXPECT(tiles[0][rank] == 64 - static_cast<int>(rank));
  __syncthreads();
}

// run: block=64
extern "C" __global__ void copies_held_by_barriers(unsigned* failures, int* scratch) {
  int* const source = scratch + 1024;
  __shared__ block_barrier in_shared;
  hold_copies(failures, source, in_shared);
  hold_copies(failures, source, *reinterpret_cast<block_barrier*>(scratch));
  __shared__ cuda::barrier<cuda::thread_scope_device> wide_in_shared;
  hold_copies(failures, source, wide_in_shared);
  hold_copies(failures, source, *reinterpret_cast<cuda::barrier<cuda::thread_scope_device>*>(scratch + 16));
  hold_copies(failures, source, *reinterpret_cast<cuda::barrier<cuda::thread_scope_system>*>(scratch + 32));
#if __CUDA_ARCH__ >= 900
  __shared__ cuda::barrier<cuda::thread_scope_cluster> of_cluster;
  hold_copies(failures, source, of_cluster);
#endif
}

template <int Stages>
__device__ void quit_after_a_copy(unsigned* failures, const int* scratch) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, Stages> state;
  __shared__ int stages[Stages][64];
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state);
  pipe.producer_acquire();
  cuda::memcpy_async(&stages[0][threadIdx.x], scratch + threadIdx.x, sizeof(int), pipe);
  pipe.producer_commit();
  if (pipe.quit()) {  // the last to leave may use the memory for something else
    for (int cell = 0; cell < 64; ++cell)
      stages[0][cell] = cell;
    EXPECT(stages[0][63] == 63);
  }
}
// run: block=64 seeds=40
extern "C" __global__ void quit(unsigned* failures, int* scratch) {
  quit_after_a_copy<2>(failures, scratch);
}
// run: block=64 seeds=40
extern "C" __global__ void quit_with_a_full_ring(unsigned* failures, int* scratch) {
  quit_after_a_copy<1>(failures, scratch);
}

// A copy with a hint about the cache moves the same bytes.
// run: block=32 needs=90
extern "C" __global__ void copies_with_hints(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  using ring = cudasync::bulk_pipeline<2, cudasync::consumer_warps<1>>;
  __shared__ ring pipe;
  __shared__ block_barrier bar;
  alignas(16) __shared__ int stages[2][32], tile[32];
  const cuda::aligned_size_t<16> size(sizeof tile);
  for (int cell = static_cast<int>(threadIdx.x); cell < 4 * 32; cell += 32)
    scratch[cell] = cell;
  tile[threadIdx.x] = 7;
  pipe.init(cudasync::this_thread_block());
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<1>(bar));
  ring::producer_state to;
  ring::consumer_state from;
  for (int step = 0; step < 4; ++step, to.advance(), from.advance()) {
    const auto hint = cudasync::l2_cache_hint::evict_last();
    if (threadIdx.x == 0 && step % 2 == 0)
      pipe.acquire_and_copy(to, stages[to.index()], scratch + 32 * step, size, hint);
    if (threadIdx.x == 0 && step % 2 != 0) {
      pipe.producer_acquire(to, sizeof tile);
      pipe.copy(to, stages[to.index()], scratch + 32 * step, size, hint);
    }
    pipe.consumer_wait(from);
    EXPECT(stages[from.index()][threadIdx.x] == 32 * step + static_cast<int>(threadIdx.x));
    pipe.consumer_release(from);
  }
  if (threadIdx.x == 0) {
    cudasync::device::fence_before_bulk_copy();
    cudasync::device::memcpy_async_tx(tile, scratch + 96, size, bar, cudasync::l2_cache_hint::evict_first());
    static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, sizeof tile));
  }
  bar.wait_parity(false);
  EXPECT(tile[threadIdx.x] == 96 + static_cast<int>(threadIdx.x));
  if (threadIdx.x != 0) return;
  cudasync::device::fence_before_bulk_copy();
  cudasync::device::bulk_store(scratch, tile, size, cudasync::l2_cache_hint::evict_first());
  cudasync::device::bulk_commit();
  cudasync::device::bulk_wait();
  EXPECT(scratch[0] == 96 && scratch[31] == 127 && scratch[32] == 32);
#endif
}

// A transaction on a barrier that init_barriers has made known to the copy engine, without any other fence.
// run: block=32 needs=90
extern "C" __global__ void transaction(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  __shared__ block_barrier bar;
  alignas(16) __shared__ int tile[32];
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<1>(bar));
  if (threadIdx.x == 0) {
    cuda::device::memcpy_async_tx(tile, scratch, cuda::aligned_size_t<16>(sizeof tile), bar);
    static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, sizeof tile));
  }
  bar.wait_parity(false);
  EXPECT(tile[31 - threadIdx.x] == 0);
#endif
}

// A ring in two blocks: each copies a half of every tile into both. One warp of each consumes.
template <class Ring>
__device__ void stream_in_cluster(unsigned* failures, int* scratch, Ring& pipe, int (*stages)[64]) {
  const int rank = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);  // the tiles are written by both blocks
  for (int cell = rank; cell < 4 * 64; cell += 128)
    scratch[cell] = cell % 64 < 32 ? cell % 64 : cell % 64 - 63;
  pipe.init(cudasync::this_cluster());
  if (threadIdx.x >= 32) {
    if (threadIdx.x != 32) return;
    typename Ring::producer_state at;
    for (int tile = 0; tile < 4; ++tile, at.advance()) {
      if (tile % 2 == 0)
        pipe.producer_acquire(at, sizeof stages[0]);
      else
        while (!pipe.try_producer_acquire(at, sizeof stages[0])) {
        }
      int* const half = stages[at.index()] + 32 * blockIdx.x;
      const int* const source = scratch + tile * 64 + 32 * blockIdx.x;
      if (tile < 2)
        pipe.copy_to_blocks(at, half, source, cuda::aligned_size_t<16>(128), 3);
      else
        pipe.copy_to_blocks(at, half, source, cuda::aligned_size_t<16>(128), 3, cudasync::l2_cache_hint::evict_first());
    }
    pipe.producer_tail(at);
  } else {
    typename Ring::consumer_state at;
    for (int tile = 0; tile < 4; ++tile, at.advance()) {
      pipe.consumer_wait(at);
      EXPECT(stages[at.index()][threadIdx.x] + stages[at.index()][63 - threadIdx.x] == 0);
      pipe.consumer_release(at);
    }
  }
}

// run: grid=2 block=64 cluster=2 needs=90
extern "C" __global__ void bulk_pipeline_of_a_cluster(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  using ring = cudasync::bulk_pipeline<2, cudasync::consumer_warps<1>, 2>;
  __shared__ ring pipe;
  alignas(16) __shared__ int stages[2][64];
  stream_in_cluster(failures, scratch, pipe, stages);
#endif
}

// run: grid=2 block=64 cluster=2 needs=90
extern "C" __global__ void threads_that_release_to_a_cluster(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  using ring = cudasync::bulk_pipeline<2, cudasync::consumer_threads<32>, 2>;
  __shared__ ring pipe;
  alignas(16) __shared__ int stages[2][64];
  stream_in_cluster(failures, scratch, pipe, stages);
#endif
}

#if __CUDA_ARCH__ >= 900
using ring = cudasync::bulk_pipeline<2, cudasync::consumer_warps<2>>;
using ring_of_threads = cudasync::bulk_pipeline<2, cudasync::consumer_threads<64>>;

template <bool Tries, class Ring>
__device__ void stream_bulk(Ring& pipe, unsigned* failures, int* scratch, int (*stages)[64]) {
  for (unsigned cell = threadIdx.x; cell < 64 * 5; cell += blockDim.x)
    scratch[cell] = static_cast<int>(cell);
  cudasync::device::fence_before_bulk_copy();
  pipe.init(cudasync::this_thread_block());
  if (threadIdx.x >= 64) {
    if (threadIdx.x != 64) return;
    typename Ring::producer_state at;
    for (int tile = 0; tile < 5; ++tile, at.advance()) {
      if constexpr (!Tries) pipe.producer_acquire(at, sizeof stages[0]);
      while (Tries && !pipe.try_producer_acquire(at, sizeof stages[0])) {
      }
      pipe.copy(at, stages[at.index()], scratch + tile * 64, cuda::aligned_size_t<16>(sizeof stages[0]));
    }
  } else {
    typename Ring::consumer_state at;
    for (int tile = 0; tile < 5; ++tile, at.advance()) {
      if constexpr (!Tries) pipe.consumer_wait(at);
      while (Tries && !pipe.try_consumer_wait(at)) {
      }
      EXPECT(stages[at.index()][threadIdx.x] == tile * 64 + static_cast<int>(threadIdx.x));
      EXPECT(stages[at.index()][63 - threadIdx.x] == tile * 64 + 63 - static_cast<int>(threadIdx.x));
      pipe.consumer_release(at);
    }
  }
}
#endif

// run: block=96 needs=90
extern "C" __global__ void bulk_pipeline(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  __shared__ ring pipe;
  alignas(16) __shared__ int stages[2][64];
  stream_bulk<false>(pipe, failures, scratch, stages);
#endif
}

// run: block=96 needs=90
extern "C" __global__ void bulk_pipeline_by_tries(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  __shared__ ring pipe;
  alignas(16) __shared__ int stages[2][64];
  stream_bulk<true>(pipe, failures, scratch, stages);
#endif
}

// run: block=96 needs=90
extern "C" __global__ void bulk_pipeline_of_threads(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  __shared__ ring_of_threads pipe;
  alignas(16) __shared__ int stages[2][64];
  stream_bulk<false>(pipe, failures, scratch, stages);
#endif
}

// The tile is written again as soon as the copy engine has read it.
// run: block=32 needs=90
extern "C" __global__ void bulk_store_ring(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  alignas(16) __shared__ int tile[32];
  for (int round = 0; round < 3; ++round) {
    tile[threadIdx.x] = round;
    __syncthreads();
    if (threadIdx.x == 0) {
      cudasync::device::fence_before_bulk_copy();
      cudasync::device::bulk_store(scratch + 32 * round, tile, cuda::aligned_size_t<16>(sizeof tile));
      cudasync::device::bulk_commit();
      cudasync::device::bulk_wait_read();
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) cudasync::device::bulk_wait();
  __syncthreads();
  for (int round = 0; round < 3; ++round)
    EXPECT(scratch[32 * round + threadIdx.x] == round);
#endif
}

// The class for such rings, with two stages.
// run: block=32 needs=90
extern "C" __global__ void store_ring(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  alignas(16) __shared__ int stages[2][32];
  cudasync::bulk_store_ring<2> ring;
  for (int tile = 0; tile < 5; ++tile) {
    if (threadIdx.x == 0) ring.acquire();
    __syncthreads();
    stages[ring.index()][threadIdx.x] = tile;
    __syncthreads();
    if (threadIdx.x == 0) {
      cudasync::device::fence_before_bulk_copy();
      cudasync::device::bulk_store(scratch + 32 * tile, stages[ring.index()], cuda::aligned_size_t<16>(128));
      ring.commit();
    } else {
      ring.skip();
    }
  }
  if (threadIdx.x == 0) ring.drain();
  __syncthreads();
  for (int tile = 0; tile < 5; ++tile)
    EXPECT(scratch[32 * tile + threadIdx.x] == tile);
#endif
}

// Written to shared memory, stored by the copy engine, read by another block.
// run: grid=2 block=32 needs=90
extern "C" __global__ void bulk_store(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  alignas(16) __shared__ int tile[32];
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(scratch[512]);
  if (blockIdx.x == 0) {
    tile[threadIdx.x] = static_cast<int>(threadIdx.x);
    cudasync::device::fence_before_bulk_copy();
    __syncthreads();
    if (threadIdx.x != 0) return;
    cudasync::device::bulk_store(scratch, tile, cuda::aligned_size_t<16>(sizeof tile));
    cudasync::device::bulk_commit();
    cudasync::device::bulk_wait();
    ready.store(1, cuda::memory_order_release);
  } else {
    while (ready.load(cuda::memory_order_acquire) == 0) {
    }
    EXPECT(scratch[threadIdx.x] == static_cast<int>(threadIdx.x));
  }
#endif
}

// Every thread leaves, at device scope.
// run: grid=2 block=4 seeds=20
extern "C" __global__ void quit_at_device_scope(unsigned* failures, int* scratch) {
  using state_type = cuda::pipeline_shared_state<cuda::thread_scope_device, 2>;
  auto& state = *reinterpret_cast<state_type*>(scratch + 512);
  constexpr unsigned long long eight_of_each = 8 * ((1ull << 42) + (1ull << 21) + 1);
  start_together(scratch + 800, [&] { state.start(eight_of_each, 8, 8); });
  cuda::pipeline<cuda::thread_scope_device> pipe(state, true, true);
  const unsigned rank = blockIdx.x * blockDim.x + threadIdx.x;
  pipe.producer_acquire();
  scratch[rank] = 1;
  pipe.producer_commit();
  pipe.consumer_wait();
  EXPECT(scratch[7 - rank] == 1);
  pipe.consumer_release();
  if (pipe.quit()) {  // the last to leave may use the memory for something else
    for (int cell = 0; cell < 8; ++cell)
      scratch[cell] = 2;
    for (unsigned word = 0; word < sizeof state / sizeof(int); ++word)
      scratch[512 + word] = 2;
  }
}

// The threads of two blocks, which meet at a barrier of the grid.
struct two_blocks {
  cudasync::grid_barrier<>* bar;
  __device__ unsigned thread_rank() const { return blockIdx.x * blockDim.x + threadIdx.x; }
  __device__ unsigned size() const { return 2 * blockDim.x; }
  __device__ void sync() const { bar->arrive_and_wait(); }
};

// run: grid=2 block=4
extern "C" __global__ void roles_in_two_blocks(unsigned* failures, int* scratch) {
  using state_type = cuda::pipeline_shared_state<cuda::thread_scope_device, 2>;
  auto& state = *reinterpret_cast<state_type*>(scratch + 512);
  const two_blocks both{reinterpret_cast<cudasync::grid_barrier<>*>(scratch + 600)};
  const bool produces = threadIdx.x % 2 == 0;
  const int place = static_cast<int>(blockIdx.x * 2 + threadIdx.x / 2);
  auto pipe =
      cuda::make_pipeline(both, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  for (int tile = 0; tile < 4; ++tile) {
    int* const stage = scratch + tile % 2 * 4;
    if (produces) {
      pipe.producer_acquire();
      stage[place] = tile;
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      EXPECT(stage[3 - place] == tile);
      pipe.consumer_release();
    }
  }
}

// Of a state that takes its memory back: the last to leave initializes it again.
// run: block=8 seeds=24
extern "C" __global__ void counted_roles(unsigned* failures, int* scratch) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 3> state;
  const auto block = cudasync::this_thread_block();
  for (int round = 0; round < 2; ++round) {
    const bool produces = threadIdx.x < 5;
    auto pipe = round == 0
                    ? cuda::make_pipeline(block, &state, 5)
                    : cuda::make_pipeline(block, &state,
                                          produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    for (int tile = 0; tile < 5; ++tile) {
      int* const stage = scratch + tile % 3 * 8;
      if (produces) {
        pipe.producer_acquire();
        stage[threadIdx.x] = tile;
        pipe.producer_commit();
      } else {
        while (!pipe.consumer_wait_for(nanoseconds{100})) {
        }
        for (int cell = 0; cell < 5; ++cell)
          EXPECT(stage[cell] == tile);
        pipe.consumer_release();
      }
    }
    const bool is_last = pipe.quit();
    if (is_last) scratch[64] += 1;
    __syncthreads();
  }
  EXPECT(scratch[64] == 2);
}

// The bytes after the valid ones become zeros, up to this size. size: from a number of valid bytes.
template <int Bytes, class Size, unsigned Count>
__device__ void copy_and_fill_to(unsigned* failures, int* scratch, const int (&numbers)[Count], Size size) {
  __shared__ block_barrier bar;
  alignas(16) __shared__ char tile[256];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  for (unsigned cell = threadIdx.x; cell < 256; cell += blockDim.x) {
    reinterpret_cast<char*>(scratch)[cell] = 1;
    tile[cell] = 2;
  }
  __syncthreads();
  for (int valid : numbers) {
    cuda::memcpy_async(cudasync::this_thread_block(), tile, reinterpret_cast<char*>(scratch),
                       size(static_cast<unsigned>(valid)), bar);
    bar.arrive_and_wait();
    for (int cell = static_cast<int>(threadIdx.x); cell < 256; cell += 8)
      EXPECT(tile[cell] == (cell < valid ? 1 : cell < Bytes ? 0 : 2));
    __syncthreads();
  }
}

// Of a size that is partly invalid, which becomes zeros.
// run: block=8
extern "C" __global__ void copy_and_fill(unsigned* failures, int* scratch) {
  copy_and_fill_to<200>(failures, scratch, {0, 37, 112, 197, 200},
                        [](unsigned valid) { return cudasync::zero_filled_size<>(200, valid); });
}

// The whole size is aligned, and the valid bytes end anywhere.
// run: block=8
extern "C" __global__ void copy_and_fill_aligned(unsigned* failures, int* scratch) {
  copy_and_fill_to<208>(failures, scratch, {0, 1, 37, 112, 207, 208}, [](unsigned valid) {
    return cudasync::zero_filled_size<16>(cuda::aligned_size_t<16>(208), valid);
  });
}

// One thread copies to both blocks of the cluster, where each block expects the bytes.
// run: grid=2 block=2 cluster=2 needs=90
extern "C" __global__ void copies_to_blocks(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  __shared__ cuda::barrier<cuda::thread_scope_cluster> bar;
  alignas(16) __shared__ int tile[8];
  const cudasync::cluster_exit_guard guard;
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects<2>(bar));
  for (int round = 1; round <= 3; ++round) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      for (int cell = 0; cell < 8; ++cell)
        scratch[cell] = round + cell;
      cudasync::device::fence_before_bulk_copy();
      cudasync::device::memcpy_async_tx_to_blocks(tile, scratch, cuda::aligned_size_t<16>(sizeof tile), bar, 3);
    }
    if (threadIdx.x == 0)
      bar.wait(cuda::device::barrier_arrive_tx(bar, 1, sizeof tile));
    else
      bar.arrive_and_wait();
    EXPECT(tile[0] == round && tile[7] == round + 7);
    cudasync::device::fence_before_bulk_copy();
    cudasync::cluster_barrier::arrive_and_wait();
  }
#endif
}

// The barriers of the stages are in global memory, so that they cannot track copies.
// run: block=8
extern "C" __global__ void pipeline_in_global_memory(unsigned* failures, int* scratch) {
  using state_type = cuda::pipeline_shared_state<cuda::thread_scope_block, 2>;
  auto* const state = reinterpret_cast<state_type*>(scratch + 512);
  __shared__ int stages[2][8];
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), state);
  for (int tile = 0; tile < 4; ++tile) {
    pipe.producer_acquire();
    scratch[tile * 8 + threadIdx.x] = tile;
    cuda::memcpy_async(&stages[tile % 2][threadIdx.x], scratch + tile * 8 + threadIdx.x, sizeof(int), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    EXPECT(stages[tile % 2][7 - threadIdx.x] == tile);
    pipe.consumer_release();
  }
}

// One thread alone copies what is large enough for the copy engine.
// run: block=2
extern "C" __global__ void copy_by_one_thread(unsigned* failures, int* scratch) {
  alignas(16) __shared__ int tile[128];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) {
    init(&bar, 1);
    for (int index = 0; index < 128; ++index)
      scratch[index] = index;
    cuda::memcpy_async(tile, scratch, cuda::aligned_size_t<16>(sizeof tile), bar);
    bar.arrive_and_wait();
    for (int index = 0; index < 128; ++index)
      EXPECT(tile[index] == index);
    for (int index = 0; index < 127; ++index)
      scratch[index] = -index;
    cuda::memcpy_async(tile, scratch, sizeof tile - sizeof(int), bar);
    bar.arrive_and_wait();
    for (int index = 0; index < 127; ++index)
      EXPECT(tile[index] == -index);
  }
}

// One of two consumers leaves before the tile that it does not take is there. The other one takes the rest.
// run: block=4 seeds=8
extern "C" __global__ void consumer_that_leaves(unsigned* failures, int* scratch) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int stages[2];
  const auto role = threadIdx.x < 2 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state, role);
  for (int tile = 0; tile < 6; ++tile) {
    if (threadIdx.x < 2) {
      if (tile == 1)
        while (atomicAdd(scratch, 0) == 0) {  // until the consumer has left
        }
      pipe.producer_acquire();
      if (threadIdx.x == 0) stages[tile % 2] = tile;
      pipe.producer_commit();
    } else {
      if (threadIdx.x == 2 && tile == 1) {
        static_cast<void>(pipe.quit());
        atomicExch(scratch, 1);
        return;
      }
      pipe.consumer_wait();
      EXPECT(stages[tile % 2] == tile);
      pipe.consumer_release();
    }
  }
}

// The last consumer leaves before any tile is there, and, at another ring, when one tile is there that it does not release. The
// producer goes on for as many tiles as there are stages. The consumer waits for the tile, since commits may complete late.
// run: block=2 seeds=16
extern "C" __global__ void last_consumer_that_leaves(unsigned* failures, int* scratch) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> states[2];
  const auto role = threadIdx.x == 0 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  const auto wait_for = [&](int step) {
    while (atomicAdd(scratch, 0) != step) {
    }
  };
  for (int tiles = 0; tiles < 2; ++tiles) {
    auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &states[tiles], role);
    const auto produce = [&](int count) {
      for (int tile = 0; tile < count; ++tile) {
        pipe.producer_acquire();
        pipe.producer_commit();
      }
    };
    if (threadIdx.x == 0) {
      produce(2 * tiles);
      atomicExch(scratch, 2 * tiles + 1);
      wait_for(2 * tiles + 2);
      produce(2);
      EXPECT(pipe.quit());
    } else {
      wait_for(2 * tiles + 1);
      if (tiles == 1) {
        pipe.consumer_wait();
        pipe.consumer_release();
        pipe.consumer_wait();
      }
      EXPECT(!pipe.quit());
      atomicExch(scratch, 2 * tiles + 2);
    }
  }
}

// Both producers leave after so many tiles, one of them after one less. The consumer takes these tiles, and waits for the next
// one, which nobody commits.
// run: block=3 seeds=1
extern "C" __global__ void producers_that_leave(unsigned* failures, int* scratch) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> states[2];
  const auto role = threadIdx.x < 2 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  for (int tiles = 1; tiles < 3; ++tiles) {
    auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &states[tiles - 1], role);
    for (int tile = 0; tile < tiles - (threadIdx.x == 1 ? 1 : 0); ++tile) {
      if (threadIdx.x < 2) {
        pipe.producer_acquire();
        pipe.producer_commit();
      } else {
        pipe.consumer_wait();
        pipe.consumer_release();
      }
    }
    if (threadIdx.x < 2) {
      EXPECT(!pipe.quit());
      atomicAdd(scratch, 1);
    } else {
      while (atomicAdd(scratch, 0) != 2 * tiles) {
      }
      EXPECT(!pipe.consumer_wait_for(nanoseconds{100}));
      EXPECT(pipe.quit());
    }
  }
}
