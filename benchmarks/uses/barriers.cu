// Uses of barriers: teams of a block, rings, polls, sums of a block, and meetings of blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <new>

#include "library.h"

namespace bench { namespace {

// Each group of a block has a barrier in an array. The thread works between its arrival and the wait, or does not.
template <int Group, bool IsSplit, int Threads>
__global__ void barrier_of_group(const memory* of, int rounds) {
  __shared__ u32 cells[2][Threads];
  __shared__ block_barrier bars[Threads / Group];
  const int thread = threadIdx.x, group = thread / Group, next = group * Group + (thread + 1) % Group;
  if (thread % Group == 0) init(&bars[group], Group);
  __syncthreads();
  u32 sum = 0;
  for (int round = 0; round < rounds; ++round) {
    cells[round % 2][thread] = message(round, thread);
    if constexpr (IsSplit) {
      auto token = bars[group].arrive();
      sum = work<12>(sum);
      bars[group].wait(std::move(token));
    } else {
      bars[group].arrive_and_wait();
    }
    sum = sum * 3 + cells[round % 2][next];
  }
  of->results_as<u32>()[thread_of_grid<Threads>()] = sum;
}

// A barrier in a structure behind a pointer that is loaded from memory, in a function that is not inlined or is.
struct team {
  block_barrier bar;
  u32* cells;
};
__device__ __noinline__ void meet_in_function(team* with) {
  auto token = with->bar.arrive();
  with->bar.wait(std::move(token));
}
template <bool IsInlined, int Threads>
__global__ void barrier_behind_pointer(const memory* of, int rounds) {
  extern __shared__ uint4 dynamic[];
  __shared__ team* teams[2];
  constexpr int half = Threads / 2;
  const int thread = threadIdx.x, next = thread / half * half + (thread + 1) % half;
  if (thread < 2) {
    teams[thread] = reinterpret_cast<team*>(dynamic) + thread;
    init(&teams[thread]->bar, half);
    teams[thread]->cells = reinterpret_cast<u32*>(reinterpret_cast<team*>(dynamic) + 2);
  }
  __syncthreads();
  team* const mine = teams[thread / half];
  u32 sum = 0;
  for (int round = 0; round < rounds; ++round) {
    mine->cells[round % 2 * Threads + thread] = message(round, thread);
    if constexpr (IsInlined)
      mine->bar.arrive_and_wait();
    else
      meet_in_function(mine);
    sum = sum * 3 + mine->cells[round % 2 * Threads + next];
  }
  of->results_as<u32>()[thread_of_grid<Threads>()] = sum;
}

// Two places between two halves of a block, with tokens: the loop of the CUDA programming guide.
template <int Threads>
__global__ void halves(const memory* of, int rounds) {
  constexpr int half = Threads / 2;
  __shared__ u32 places[2][half];
  __shared__ block_barrier empty[2], full[2];
  if (threadIdx.x < 2) {
    init(&empty[threadIdx.x], Threads);
    init(&full[threadIdx.x], Threads);
  }
  __syncthreads();
  const int thread = threadIdx.x % half;
  u32 sum = 0;
  if (threadIdx.x < half) {
    for (int round = 0; round < rounds; ++round) {
      empty[round % 2].arrive_and_wait();
      places[round % 2][thread] = message(round, thread);
      (void)full[round % 2].arrive();
    }
  } else {
    (void)empty[0].arrive();
    (void)empty[1].arrive();
    for (int round = 0; round < rounds; ++round) {
      full[round % 2].arrive_and_wait();
      sum = work(sum) * 3 + places[round % 2][(thread + 1) % half];
      (void)empty[round % 2].arrive();
    }
  }
  of->results_as<u32>()[thread_of_grid<Threads>()] = sum;
}

// A ring with parities: one warp fills places, and the others use them.
template <int Places, int Threads>
__global__ void parity_ring(const memory* of, int rounds) {
  __shared__ u32 places[Places][32];
  __shared__ block_barrier full[Places], empty[Places];
  const int thread = threadIdx.x;
  if (thread < Places) {
    init(&full[thread], 32);
    init(&empty[thread], Threads - 32);
  }
  __syncthreads();
  u32 sum = 0;
  int place = 0;
  bool parity = false;
  for (int round = 0; round < rounds; ++round) {
    if (thread < 32) {
      empty[place].wait_parity(!parity);
      places[place][thread] = message(round, thread);
      (void)full[place].arrive();
    } else {
      full[place].wait_parity(parity);
      sum = work(sum) * 3 + places[place][thread % 31];
      (void)empty[place].arrive();
    }
    if (++place == Places) {
      place = 0;
      parity = !parity;
    }
  }
  of->results_as<u32>()[thread_of_grid<Threads>()] = sum;
}

// One lane arrives for its warp, and all threads wait by parity.
template <int Threads>
__global__ void arrive_for_warp(const memory* of, int rounds) {
  __shared__ u32 cells[2][Threads];
  __shared__ block_barrier bar;
  const int thread = threadIdx.x;
  if (thread == 0) init(&bar, Threads);
  __syncthreads();
  u32 sum = 0;
  for (int round = 0; round < rounds; ++round) {
    cells[round % 2][thread] = message(round, thread);
    __syncwarp();
    if (thread % 32 == 0) (void)bar.arrive(32);
    sum = work(sum);
    bar.wait_parity(round % 2 != 0);
    sum = sum * 3 + cells[round % 2][(thread + 33) % Threads];
  }
  of->results_as<u32>()[thread_of_grid<Threads>()] = sum;
}

// Threads test the phase and work in between, until a late warp has arrived.
template <int Threads>
__global__ void poll_and_work(const memory* of, int rounds) {
  __shared__ u32 cells[2][Threads];
  __shared__ block_barrier bar;
  const int thread = threadIdx.x;
  if (thread == 0) init(&bar, Threads);
  __syncthreads();
  u32 sum = 0, other = 0;
  for (int round = 0; round < rounds; ++round) {
    cells[round % 2][thread] = message(round, thread);
    if (thread < 32) other = work<64>(other);
    const auto token = bar.arrive();
    while (!is_complete(bar, token))
      other = work(other);
    sum = sum * 3 + cells[round % 2][(thread + 33) % Threads];
  }
  of->results_as<u32>()[thread_of_grid<Threads>()] = sum + (other == 12345 && rounds < 0);
}

// The sum of a block: of each warp, and then of the warps by the first one.
template <int Threads>
__global__ void sum_of_block(const memory* of, int rounds) {
  __shared__ u32 of_warps[Threads / 32];
  __shared__ u32 total;
  __shared__ block_barrier bar;
  const int thread = threadIdx.x;
  if (thread == 0) init(&bar, Threads);
  __syncthreads();
  u32 value = thread + blockIdx.x;
  for (int round = 0; round < rounds; ++round) {
    const u32 of_warp = __reduce_add_sync(~0u, value);
    if (thread % 32 == 0) of_warps[thread / 32] = of_warp;
    bar.arrive_and_wait();
    if (thread < 32) {
      const u32 sum = __reduce_add_sync(~0u, thread < Threads / 32 ? of_warps[thread] : 0);
      if (thread == 0) total = sum;
    }
    bar.arrive_and_wait();
    value = value * 3 + total;
  }
  of->results_as<u32>()[thread_of_grid<Threads>()] = value;
}

// The blocks of a grid meet: one thread of each block arrives, or all threads do.
template <class Barrier>
__global__ void prepare_barrier(const memory* of, int) {
  if (threadIdx.x == 0) new (of->state_as<Barrier>()) Barrier(static_cast<int>(of->given.mask));
}
template <class Barrier, bool IsAllThreads, bool IsSplit, int Threads>
__global__ void meet_of_blocks(const memory* of, int rounds) {
  Barrier* const bar = of->state_as<Barrier>();
  volatile u32* const cells = of->state_as<u32>(1024);
  u32 sum = 0;
  for (int round = 0; round < rounds; ++round) {
    volatile u32* const of_round = cells + round % 2 * gridDim.x;
    if (threadIdx.x == 0) of_round[blockIdx.x] = message(round, blockIdx.x);
    if (!IsAllThreads) __syncthreads();
    if (IsAllThreads || threadIdx.x == 0) {
      if constexpr (IsSplit) {
        auto token = bar->arrive();
        sum = work<40>(sum);
        bar->wait(std::move(token));
      } else {
        bar->arrive_and_wait();
      }
    }
    if (!IsAllThreads) __syncthreads();
    sum = sum * 3 + of_round[(blockIdx.x + 1) % gridDim.x];
  }
  of->results_as<u32>()[thread_of_grid<Threads>()] = sum;
}
template <class Barrier, bool IsAllThreads, bool IsSplit, int Threads>
shape meeting(int blocks) {
  const u32 expected = static_cast<u32>(IsAllThreads ? blocks * Threads : blocks);
  const kernel_of_use kernel = meet_of_blocks<Barrier, IsAllThreads, IsSplit, Threads>;
  return {kernel, blocks, Threads, 0, {0, expected, 0}, 0, prepare_barrier<Barrier>};
}

const bool is_enrolled = [] {
  enroll("barriers: of each warp",
         {{barrier_of_group<32, false, 32>, 1, 32}, {barrier_of_group<32, false, 256>, 132, 256}});
  enroll("barriers: of each warp, work",
         {{barrier_of_group<32, true, 512>, 132, 512}, {barrier_of_group<32, true, 1024>, 132, 1024}});
  enroll("barriers: of each 8 threads, work", {{barrier_of_group<8, true, 128>, 132, 128}});
  enroll("barriers: of each 64 threads", {{barrier_of_group<64, false, 256>, 528, 256}});
  enroll("barriers: of each 128 threads, work", {{barrier_of_group<128, true, 512>, 132, 512}});
  enroll("barriers: behind a pointer", {{barrier_behind_pointer<true, 256>, 132, 256, 0, {}, 8256}});
  enroll("barriers: behind a pointer, in a function", {{barrier_behind_pointer<false, 128>, 132, 128, 0, {}, 8256},
                                                       {barrier_behind_pointer<false, 1024>, 132, 1024, 0, {}, 8256}});
  enroll("barriers: two halves", {{halves<64>, 132, 64}, {halves<512>, 132, 512}, {halves<256>, 528, 256}});
  enroll("barriers: ring with parities, 2 places", {{parity_ring<2, 128>, 132, 128}});
  enroll("barriers: ring with parities, 3 places", {{parity_ring<3, 1024>, 132, 1024}});
  enroll("barriers: ring with parities, 4 places", {{parity_ring<4, 256>, 528, 256}});
  enroll("barriers: one lane for its warp", {{arrive_for_warp<128>, 132, 128}, {arrive_for_warp<1024>, 132, 1024}});
  enroll("barriers: poll and work", {{poll_and_work<128>, 132, 128}, {poll_and_work<512>, 132, 512}});
  enroll("barriers: sum of a block", {{sum_of_block<256>, 132, 256}, {sum_of_block<1024>, 132, 1024}});
  enroll("barriers: blocks meet",
         {meeting<device_barrier, false, false, 32>(8), meeting<device_barrier, false, false, 128>(132),
          meeting<device_barrier, false, false, 128>(528)});
  enroll("barriers: blocks meet, work", {meeting<device_barrier, false, true, 256>(132)});
  enroll("barriers: blocks meet, all threads", {meeting<device_barrier, true, false, 64>(132)});
  enroll("barriers: blocks meet, system scope", {meeting<system_barrier, false, false, 128>(132)});
  return true;
}();

}}  // namespace bench
