// Uses of semaphores and latches: rings with permits, sections with a limit, mutexes, and latches that are used once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <new>

#include "library.h"

namespace bench { namespace {

// One warp fills the places of a ring, and one uses them. Semaphores count free and filled places.
template <class Semaphore, int Places, int Work>
__global__ void permits_of_ring(const memory* of, int rounds) {
  __shared__ u32 places[Places][32];
  __shared__ alignas(8) char semaphores[2][sizeof(Semaphore)];
  Semaphore* const free = reinterpret_cast<Semaphore*>(semaphores[0]);
  Semaphore* const filled = reinterpret_cast<Semaphore*>(semaphores[1]);
  if (threadIdx.x == 0) {
    new (free) Semaphore(Places);
    new (filled) Semaphore(0);
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  u32 sum = 0;
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x < 32) {
      if (lane == 0) free->acquire();
      __syncwarp();
      places[round % Places][lane] = message(round, lane);
      __syncwarp();
      if (lane == 0) filled->release();
    } else {
      if (lane == 0) filled->acquire();
      __syncwarp();
      sum = sum * 3 + places[round % Places][lane ^ 1];
      __syncwarp();
      if (lane == 0) free->release();
      sum = work<Work>(sum);
    }
  }
  of->results_as<u32>()[thread_of_grid<64>()] = sum;
}

// --- Semaphores of a grid, with as many permits as given.mask ---

template <class Semaphore>
__global__ void prepare_semaphore(const memory* of, int) {
  if (threadIdx.x == 0) new (of->state_as<Semaphore>()) Semaphore(static_cast<int>(of->given.mask));
}

// A limited number of blocks is in a section.
template <int Inside, int Outside, int Threads>
__global__ void limited_section(const memory* of, int rounds) {
  device_semaphore* const permits = of->state_as<device_semaphore>();
  u32 value = threadIdx.x;
  for (int round = 0; round < rounds; ++round) {
    value = work<Outside>(value);
    if (threadIdx.x == 0) permits->acquire();
    __syncthreads();
    value = work<Inside>(value);
    __syncthreads();
    if (threadIdx.x == 0) permits->release();
  }
  of->results_as<u32>()[thread_of_grid<Threads>()] = value;
}

// One thread of each block adds to a number behind a mutex.
template <class Semaphore, bool IsTry>
__global__ void mutex_of_grid(const memory* of, int rounds) {
  Semaphore* const mutex = of->state_as<Semaphore>();
  volatile u32* const count = of->results_as<u32>();
  u32 value = 1;
  for (int round = 0; round < rounds && threadIdx.x == 0; ++round) {
    if constexpr (IsTry) {
      while (!mutex->try_acquire())
        value = work<8>(value);
    } else {
      mutex->acquire();
    }
    *count = *count + 1;
    mutex->release();
    value = work<32>(value);
  }
  if (value == 12345 && rounds < 0) *count = 0;
}

template <class Semaphore>
shape with_permits(kernel_of_use kernel, int blocks, int threads, u32 permits, int result_words) {
  return {kernel, blocks, threads, result_words, {0, permits, 0}, 0, prepare_semaphore<Semaphore>};
}

// One lane of each warp adds to a number behind a mutex of the block.
template <class Semaphore, int Threads>
__global__ void mutex_of_block(const memory* of, int rounds) {
  __shared__ alignas(8) char semaphore[sizeof(Semaphore)];
  __shared__ u32 count_of_block;
  volatile u32& count = count_of_block;
  Semaphore* const mutex = reinterpret_cast<Semaphore*>(semaphore);
  if (threadIdx.x == 0) {
    new (mutex) Semaphore(1);
    count = 0;
  }
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x % 32 == 0) {
      mutex->acquire();
      count = count + 1;
      mutex->release();
    }
    __syncwarp();
  }
  __syncthreads();
  of->results_as<u32>()[thread_of_grid<Threads>()] = count;
}

// --- Latches ---

// One warp fills cells. Its lanes count down, or one of them does, and all threads wait.
template <int Lanes, int Threads>
__global__ void latch_of_block(const memory* of, int rounds) {
  __shared__ u32 cells[2][32];
  __shared__ alignas(8) char latches[2][sizeof(block_latch)];
  const int thread = threadIdx.x;
  u32 sum = 0;
  for (int round = 0; round < rounds; ++round) {
    block_latch* const latch = reinterpret_cast<block_latch*>(latches[round % 2]);
    if (thread == 0) new (latch) block_latch(Lanes);
    __syncthreads();
    if (thread < 32) {
      cells[round % 2][thread] = message(round, thread);
      if (Lanes == 1) __syncwarp();
      if (thread < Lanes) latch->count_down();
    }
    sum = work<8>(sum);
    latch->wait();
    sum = sum * 3 + cells[round % 2][thread % 32 ^ 1];
  }
  of->results_as<u32>()[thread_of_grid<Threads>()] = sum;
}

// All blocks meet at a latch for each round.
constexpr int most_latches = 4096;
constexpr std::size_t bytes_of_latch = 64;

__global__ void prepare_latches(const memory* of, int) {
  for (u32 number = threadIdx.x; number < most_latches; number += blockDim.x)
    new (of->state_as<device_latch>(number * bytes_of_latch)) device_latch(static_cast<int>(of->given.mask));
}
template <bool IsAllThreads, int Threads>
__global__ void latches_of_grid(const memory* of, int rounds) {
  u32 sum = 0;
  for (int round = 0; round < rounds && round < most_latches; ++round) {
    device_latch* const latch = of->state_as<device_latch>(round * bytes_of_latch);
    volatile u32* const cells = of->state_as<u32>(most_latches * bytes_of_latch) + round % 2 * 1024;
    if (threadIdx.x == 0) cells[blockIdx.x] = message(round, blockIdx.x);
    if constexpr (IsAllThreads) {
      __syncthreads();
      latch->count_down();
      if (threadIdx.x == 0) latch->wait();
    } else if (threadIdx.x == 0) {
      latch->arrive_and_wait();
    }
    __syncthreads();
    sum = sum * 3 + cells[(blockIdx.x + 1) % gridDim.x];
  }
  of->results_as<u32>()[thread_of_grid<Threads>()] = sum;
}
template <bool IsAllThreads, int Threads>
shape with_latches(int blocks) {
  const u32 expected = static_cast<u32>(IsAllThreads ? blocks * Threads : blocks);
  return {latches_of_grid<IsAllThreads, Threads>, blocks, Threads, 0, {0, expected, 0}, 0, prepare_latches};
}

const bool is_enrolled = [] {
  using counting = device_semaphore;
  using binary = device_binary_semaphore;
  enroll("permits: ring, 4 places", {{permits_of_ring<block_semaphore, 4, 0>, 132, 64}});
  enroll("permits: ring, 8 places, work", {{permits_of_ring<block_semaphore, 8, 64>, 132, 64}});
  enroll("permits: ring, 1 place, binary", {{permits_of_ring<block_binary_semaphore, 1, 0>, 132, 64}});
  enroll("permits: section for 16", {with_permits<counting>(limited_section<200, 200, 128>, 132, 128, 16, 0)});
  enroll("permits: section for 100", {with_permits<counting>(limited_section<200, 50, 64>, 132, 64, 100, 0)});
  enroll("permits: section for 1000", {with_permits<counting>(limited_section<20, 20, 128>, 132, 128, 1000, 0)});
  enroll("permits: mutex, binary", {with_permits<binary>(mutex_of_grid<binary, false>, 1, 32, 1, 1),
                                    with_permits<binary>(mutex_of_grid<binary, false>, 4, 32, 1, 1),
                                    with_permits<binary>(mutex_of_grid<binary, false>, 132, 32, 1, 1)});
  enroll("permits: mutex, counting", {with_permits<counting>(mutex_of_grid<counting, false>, 1, 32, 1, 1),
                                      with_permits<counting>(mutex_of_grid<counting, false>, 132, 32, 1, 1)});
  enroll("permits: mutex, binary, try_acquire", {with_permits<binary>(mutex_of_grid<binary, true>, 16, 32, 1, 1)});
  enroll("permits: mutex, counting, try_acquire",
         {with_permits<counting>(mutex_of_grid<counting, true>, 16, 32, 1, 1)});
  enroll("permits: mutex of a block, binary", {{mutex_of_block<block_binary_semaphore, 256>, 132, 256},
                                               {mutex_of_block<block_binary_semaphore, 1024>, 132, 1024}});
  enroll("permits: mutex of a block, counting", {{mutex_of_block<block_semaphore, 128>, 132, 128}});
  enroll("permits: latch, 32 lanes count down", {{latch_of_block<32, 256>, 132, 256}});
  enroll("permits: latch, 1 lane counts down",
         {{latch_of_block<1, 128>, 132, 128}, {latch_of_block<1, 1024>, 132, 1024}});
  enroll("permits: latches of a grid", {with_latches<false, 128>(132), with_latches<false, 64>(528)});
  enroll("permits: latches of a grid, all threads count down", {with_latches<true, 128>(132)});
  return true;
}();

}}  // namespace bench
