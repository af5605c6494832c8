// Tiles of an array flow through a cuda::pipeline, and consumers check every byte.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_SUPPORT_PIPELINE_STREAM_H
#define CUDASYNC_TEST_SUPPORT_PIPELINE_STREAM_H

#include "copied_bytes.h"
#include "gpu_test.h"

#include <cuda/pipeline>

constexpr size_t stream_source_size = 1 << 18;

// How producers fill a stage.
enum class fill_by {
  group_copy,         // all producers share one copy
  own_copies,         // each copies a slice
  one_thread,         // one of them, another each time, copies it all
  stores,             // no copy at all
  stores_and_copies,  // a copy by all, and stores by all
  stores_or_copies,   // odd ranks store their slice, even ranks copy it
};

struct stream {
  unsigned stages = 2;
  unsigned tiles = 40;
  fill_by how = fill_by::group_copy;
  unsigned size = 1024;           // of the largest tile
  unsigned step = 0;              // sizes differ by it; 0: all are the largest
  unsigned from = 0, to = 0;      // misalignment of source and destination
  unsigned producers = 0;         // 0: unified
  bool slow_consumers = false;    // some, at some tiles
  bool slow_producers = false;    //
  bool consumers_write = false;   // to what they have read, before they release it
  bool consumers_return = false;  // read each tile a second time, later

  __host__ __device__ unsigned space() const { return (2 * guard_bytes + size + 16 + 15) / 16 * 16; }  // of a stage
  __host__ __device__ unsigned bytes() const { return stages * space(); }
  __device__ unsigned size_of(unsigned tile) const { return step == 0 ? size : tile * step % (size + 1); }
  __device__ unsigned place_of(unsigned tile) const { return tile % stages * space() + guard_bytes + to; }
  __device__ size_t source_of(unsigned tile) const { return tile % 997 * 80 + from; }
};

// What a thread's part of a stream is made of.
struct tiles {
  stream what;
  thread_group producers, consumers;  // with this thread's rank in each
  unsigned char* buffers;             // of all stages
  const unsigned char* source;
};

// The slice of a tile of one rank; multiples of 4 bytes.
__device__ inline void slice_of(unsigned size, thread_group who, unsigned& begin, unsigned& end) {
  const unsigned slice = ((size + who.threads - 1) / who.threads + 3) / 4 * 4;
  begin = who.rank * slice < size ? who.rank * slice : size;
  end = begin + slice < size ? begin + slice : size;
}

// Writes a tile to the stage that this thread has acquired.
template <class Pipeline>
__device__ __noinline__ void fill_stage(Pipeline& pipe, const tiles& all, unsigned tile) {
  const thread_group who = all.producers;
  const unsigned size = all.what.size_of(tile);
  unsigned char* const to = all.buffers + all.what.place_of(tile);
  const unsigned char* const from = all.source + all.what.source_of(tile);
  const fill_by how = all.what.how;
  unsigned begin = 0, end = size;
  if (how == fill_by::group_copy || how == fill_by::stores_and_copies) {
    end = how == fill_by::group_copy ? size : size / 32 * 16;
    static_cast<void>(cuda::memcpy_async(who, to, from, size_t{end}, pipe));
  }
  if (how == fill_by::own_copies || how == fill_by::stores_or_copies) slice_of(size, who, begin, end);
  if (how == fill_by::own_copies || (how == fill_by::one_thread && who.rank == tile % who.threads) ||
      (how == fill_by::stores_or_copies && who.rank % 2 == 0))
    static_cast<void>(cuda::memcpy_async(to + begin, from + begin, size_t{end - begin}, pipe));
  if (how == fill_by::stores || how == fill_by::stores_and_copies) {
    for (unsigned index = (how == fill_by::stores ? 0 : end) + who.rank; index < size; index += who.threads)
      to[index] = from[index];
  }
  if (how == fill_by::stores_or_copies && who.rank % 2 != 0) {
    for (unsigned index = begin; index < end; ++index)
      to[index] = from[index];
  }
}

template <class Pipeline>
__device__ void produce(Pipeline& pipe, const tiles& all, unsigned tile) {
  pipe.producer_acquire();
  if (all.what.slow_producers && (tile + all.producers.rank / 32) % 3 == 0) __nanosleep(1500);
  fill_stage(pipe, all, tile);
  pipe.producer_commit();
}

// Checks a tile in the stage that this thread has waited for.
__device__ __noinline__ inline void check_stage(const tiles& all, unsigned tile) {
  const unsigned size = all.what.size_of(tile);
  unsigned char* const at = all.buffers + all.what.place_of(tile);
  const copied wanted{0, size, all.what.source_of(tile), size, size, tile};
  thread_group who = all.consumers;
  if (!all.what.consumers_write) who.rank = (who.rank + tile * 33) % who.threads;
  DEVICE_CHECK(is_right(at, wanted, who));
  if (all.what.slow_consumers && (tile + who.rank / 32) % 4 == 0) __nanosleep(2000);
  if (all.what.consumers_return) DEVICE_CHECK(is_right(at, wanted, who));
  if (all.what.consumers_write) {
    for (unsigned index = who.rank; index < size; index += who.threads)
      at[index] = static_cast<unsigned char>(~at[index]);
  }
}

template <class Pipeline>
__device__ void consume(Pipeline& pipe, const tiles& all, unsigned tile) {
  pipe.consumer_wait();
  check_stage(all, tile);
  pipe.consumer_release();
}

// Tiles first to last - 1, as many stages ahead as there are.
template <class Pipeline>
__device__ __noinline__ void stream_unified(Pipeline& pipe, const tiles& all, unsigned first, unsigned last) {
  unsigned next = first;
  for (unsigned tile = first; tile < last; ++tile) {
    for (; next < last && next < tile + all.what.stages; ++next)
      produce(pipe, all, next);
    consume(pipe, all, tile);
  }
}
template <class Pipeline>
__device__ __noinline__ void stream_partitioned(Pipeline& pipe, const tiles& all, bool is_producer, unsigned first,
                                                unsigned last) {
  for (unsigned tile = first; tile < last; ++tile)
    is_producer ? produce(pipe, all, tile) : consume(pipe, all, tile);
}

// The bytes before and after each stage.
__device__ inline void check_guards(const stream& what, const unsigned char* buffers, thread_group who) {
  for (unsigned index = who.rank; index < what.stages * guard_bytes; index += who.threads) {
    const unsigned char* const stage = buffers + index / guard_bytes * what.space();
    DEVICE_CHECK(stage[index % guard_bytes] == guard_byte);
    DEVICE_CHECK(stage[what.space() - 1 - index % guard_bytes] == guard_byte);
  }
}

// The whole of it in a block, whose first threads produce, with any state.
template <cuda::thread_scope Scope, unsigned char Stages>
__device__ void stream_in_block(const stream& what, const unsigned char* source, unsigned char* buffers,
                                cuda::pipeline_shared_state<Scope, Stages>* state) {
  const unsigned rank = threadIdx.x, threads = blockDim.x;
  const auto block = cudasync::this_thread_block();
  paint(buffers, what.bytes(), {rank, threads});
  if (what.producers == 0) {
    const tiles all{what, {rank, threads}, {rank, threads}, buffers, source};
    auto pipe = cuda::make_pipeline(block, state);
    stream_unified(pipe, all, 0, what.tiles);
  } else {
    const tiles all{what,
                    {rank, what.producers},
                    {rank - what.producers, threads - what.producers},  // the other of the two is not used
                    buffers,
                    source};
    auto pipe = cuda::make_pipeline(block, state, what.producers);
    stream_partitioned(pipe, all, rank < what.producers, 0, what.tiles);
  }
  __syncthreads();
  check_guards(what, buffers, {rank, threads});
}

#endif
