// Every ordered pair of kinds of copies in one stage or phase, for kernels of test/gpu and test/model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_SUPPORT_MIXED_COPIES_H
#define CUDASYNC_TEST_SUPPORT_MIXED_COPIES_H

#include <cuda/barrier>
#include <cuda/pipeline>

// Whoever keeps count of copies that are in progress must not forget those of the first kind when the second one begins.
namespace mixed_copies {

// By one thread, and then the same by the group. What becomes of each depends on the target and on who keeps count.
enum kind : int {
  units_of_16,
  units_of_8,
  units_of_4,
  bytes,
  in_bulk,
  in_bulk_and_bytes,
  at_once,  // from shared memory
  zero_filled,
  zeros,
  by_one_thread,
  kinds = 2 * by_one_thread
};

// Where the bytes of a copy lie in its slot and in its source, both of which are aligned to 16 bytes.
struct shape {
  unsigned to, from, size, valid;
};
__device__ constexpr shape shape_of(int which) {
  switch (which % by_one_thread) {
  case units_of_16:
    return {0, 16, 112, 112};
  case units_of_8:
    return {8, 24, 72, 72};
  case units_of_4:
    return {4, 20, 52, 52};
  case bytes:
    return {1, 7, 29, 29};
  case in_bulk:
    return {16, 32, 272, 272};
  case in_bulk_and_bytes:
    return {0, 16, 267, 267};
  case at_once:
    return {16, 0, 80, 80};
  case zero_filled:
    return {16, 48, 96, 43};
  default:
    return {0, 0, 64, 0};
  }
}

constexpr unsigned slot_bytes = 288, source_bytes = 320, not_copied = 0xee;

// Of a source that is filled in words of 4 bytes.
__device__ inline unsigned word_at(unsigned index) {
  return (index + 1) * 2654435761u;
}
__device__ inline unsigned char byte_at(unsigned index) {
  return static_cast<unsigned char>(word_at(index / 4) >> index % 4 * 8);
}

// The threads of one role.
struct members {
  unsigned rank, threads;
  __device__ unsigned thread_rank() const { return rank; }
  __device__ unsigned size() const { return threads; }
  __device__ void sync() const {}
};

template <class Tracker, class Value, class Size>
__device__ void copy_shared_by(const members& all, bool is_alone, unsigned char* to, const unsigned char* from,
                               Size size, Tracker& tracker) {
  Value* const destination = reinterpret_cast<Value*>(to);
  const Value* const source = reinterpret_cast<const Value*>(from);
  if (!is_alone)
    cuda::memcpy_async(all, destination, source, size, tracker);
  else if (all.rank == 0)
    cuda::memcpy_async(destination, source, size, tracker);
}

// Begins a copy. here: a source in shared memory.
template <class Tracker>
__device__ void begin(int which, const members& all, unsigned char* slot, const unsigned char* source,
                      const unsigned char* here, Tracker& tracker) {
  const shape copy = shape_of(which);
  const bool is_alone = which < by_one_thread;
  unsigned char* const to = slot + copy.to;
  const unsigned char* const from = source + copy.from;
  const cuda::aligned_size_t<16> promised(copy.size & ~15u);
  switch (which % by_one_thread) {
  case units_of_16:
    return copy_shared_by<Tracker, unsigned char>(all, is_alone, to, from, promised, tracker);
  case units_of_8:
    return copy_shared_by<Tracker, unsigned long long>(all, is_alone, to, from, copy.size, tracker);
  case at_once:
    return copy_shared_by<Tracker, unsigned>(all, is_alone, to, here, copy.size, tracker);
  case zero_filled:
  case zeros:
    return copy_shared_by<Tracker, unsigned char>(all, is_alone, to, from,
                                                  cudasync::zero_filled_size(promised, copy.valid), tracker);
  case bytes:
    return copy_shared_by<Tracker, unsigned char>(all, is_alone, to, from, copy.size, tracker);
  default:  // if it is shared, without a promise: by the copy engine, into a stage too
    return copy_shared_by<Tracker, unsigned>(all, is_alone, to, from, copy.size, tracker);
  }
}

// Whether this thread's part of a copy is right. index: of the source's first byte.
__device__ inline bool is_right(int which, const members& all, const unsigned char* slot, unsigned index,
                                unsigned index_here) {
  const shape copy = shape_of(which);
  const unsigned first = which % by_one_thread == at_once ? index_here : index + copy.from;
  bool right = true;
  for (unsigned byte = all.threads - 1 - all.rank; byte < copy.size; byte += all.threads)
    right = right && slot[copy.to + byte] == (byte < copy.valid ? byte_at(first + byte) : 0);
  return right;
}

// What a block needs in shared memory.
struct memory {
  alignas(16) unsigned char slots[2][2][slot_bytes];  // of two stages
  alignas(16) unsigned char here[source_bytes];
};

// All pairs, in turn. The threads of a block are producers, the first ones, and consumers: the same threads, or the others.
// produce(copy): one round of a producer, which calls copy(tracker) to copy. consume(): until the copies are complete.
// release(): after the bytes have been checked.
template <class Produce, class Consume, class Release>
__device__ bool are_all_right(memory& own, const unsigned char* sources, unsigned count, const members& producers,
                              const members& consumers, Produce produce, Consume consume, Release release) {
  constexpr unsigned index_here = 1u << 20;
  for (unsigned word = threadIdx.x; word < source_bytes / 4; word += blockDim.x)
    reinterpret_cast<unsigned*>(own.here)[word] = word_at(index_here / 4 + word);
  bool right = true;
#pragma unroll 1
  for (unsigned pair = 0; pair < kinds * kinds; ++pair) {
    const int which[2] = {static_cast<int>(pair / kinds), static_cast<int>(pair % kinds)};
    unsigned char (&slots)[2][slot_bytes] = own.slots[pair % 2];
    for (unsigned word = threadIdx.x; word < 2 * slot_bytes / 4; word += blockDim.x)
      reinterpret_cast<unsigned*>(slots)[word] = not_copied * 0x01010101u;
    __syncthreads();
    const auto index_of = [=](unsigned copy) { return (2 * pair + copy) % count * source_bytes; };
    if (producers.rank < producers.threads)
      produce([&](auto& tracker) {
#pragma unroll 1
        for (unsigned copy = 0; copy < 2; ++copy)
          begin(copy == 0 ? which[0] : which[1], producers, slots[copy], sources + index_of(copy), own.here, tracker);
      });
    if (consumers.rank < consumers.threads) {
      consume();
      for (unsigned copy = 0; copy < 2; ++copy)
        right = is_right(which[copy], consumers, slots[copy], index_of(copy), index_here) && right;
      release();
    }
    __syncthreads();
  }
  return right;
}

// --- Who keeps count ---

struct nothing {
  __device__ void operator()() const {}
};

// Each thread of the block is a producer and a consumer; or the first half are producers.
template <class Pipe>
__device__ bool by_pipeline(Pipe& pipe, bool is_partitioned, memory& own, const unsigned char* sources,
                            unsigned count) {
  const unsigned half = is_partitioned ? blockDim.x / 2 : 0, threads = blockDim.x - half;
  const members producers{threadIdx.x, blockDim.x - threads + (is_partitioned ? 0 : threads)};
  const members consumers{threadIdx.x - half, threads};
  return are_all_right(
      own, sources, count, producers, consumers,
      [&](auto copy) {
        pipe.producer_acquire();
        copy(pipe);
        pipe.producer_commit();
      },
      [&] { pipe.consumer_wait(); }, [&] { pipe.consumer_release(); });
}

// Each thread waits for its own copies.
__device__ inline bool by_pipeline_of_thread(memory& own, const unsigned char* sources, unsigned count) {
  auto pipe = cuda::make_pipeline();
  const members all{threadIdx.x, blockDim.x};
  return are_all_right(
      own, sources, count, all, all,
      [&](auto copy) {
        copy(pipe);
        pipe.producer_commit();
      },
      [&] {
        pipe.consumer_wait();
        __syncthreads();
      },
      nothing{});
}

// The phase of a barrier waits for the copies of each thread's own pipeline.
template <class Barrier>
__device__ bool by_pipeline_for(Barrier& bar, memory& own, const unsigned char* sources, unsigned count) {
  auto pipe = cuda::make_pipeline();
  const members all{threadIdx.x, blockDim.x};
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  return are_all_right(
      own, sources, count, all, all,
      [&](auto copy) {
        copy(pipe);
        cuda::pipeline_producer_commit(pipe, bar);
      },
      [&] { bar.arrive_and_wait(); }, nothing{});
}

template <class Barrier>
__device__ bool by_barrier(Barrier& bar, memory& own, const unsigned char* sources, unsigned count) {
  const members all{threadIdx.x, blockDim.x};
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  return are_all_right(
      own, sources, count, all, all, [&](auto copy) { copy(bar); }, [&] { bar.arrive_and_wait(); }, nothing{});
}

}  // namespace mixed_copies

#endif
