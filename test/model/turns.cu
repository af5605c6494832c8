// Turns: what a group wrote in its turn, the next group sees in its turn, and nothing else orders the groups.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.h"

#include <cudasync/turns.h>

template <unsigned Groups, unsigned Stages, unsigned Threads>
using by_memory = cudasync::turns<Groups, Stages, Threads>;
template <unsigned Groups, unsigned Stages, unsigned Threads>
using by_hardware = cudasync::turns<Groups, Stages, Threads, cudasync::by_named_barriers<1>>;

// Each group writes its number and its round to a record of each stage, which it finds as the group before has left it.
// Threads read what other threads wrote.
template <class Turns>
__device__ void leave_records(Turns& in_turn, unsigned* failures, int* records, int rounds) {
  constexpr unsigned threads = Turns::threads;
  constexpr int groups = Turns::groups;
  in_turn.init(cudasync::this_thread_block());
  if (threadIdx.x >= groups * threads) return;
  const unsigned group = threadIdx.x / threads;
  const unsigned rank = threadIdx.x % threads;
  typename Turns::place mine(in_turn, group);
  EXPECT(mine.group() == group && mine.stage() == 0);
  for (int round = 0; round < rounds; ++round)
    for (unsigned stage = 0; stage < Turns::stages; ++stage) {
      EXPECT(mine.stage() == stage);
      int* const record = records + stage * threads;
      const int turn = round * groups + static_cast<int>(group) + 1;
      mine.wait();
      EXPECT(record[threads - 1 - rank] == (turn == 1 ? 0 : turn - 1));
      if constexpr (threads > 32) cudasync::dynamic_named_barrier(14 + group % 2, threads).sync();
      if constexpr (threads == 32) __syncwarp();
      record[rank] = turn;
      mine.pass();
    }
}

// run: block=96 seeds=8
extern "C" __global__ void two_groups(unsigned* failures, int* scratch) {
  __shared__ by_memory<2, 2, 32> in_turn;
  leave_records(in_turn, failures, scratch, 3);
}

// run: block=96 seeds=8
extern "C" __global__ void two_groups_by_named_barriers(unsigned* failures, int* scratch) {
  __shared__ by_hardware<2, 2, 32> in_turn;
  leave_records(in_turn, failures, scratch, 3);
}

// run: block=128
extern "C" __global__ void groups_of_two_warps(unsigned* failures, int* scratch) {
  __shared__ by_memory<2, 1, 64> in_turn;
  leave_records(in_turn, failures, scratch, 3);
}

// run: block=128
extern "C" __global__ void groups_of_two_warps_by_named_barriers(unsigned* failures, int* scratch) {
  __shared__ by_hardware<2, 1, 64> in_turn;
  leave_records(in_turn, failures, scratch, 3);
}

// run: block=96
extern "C" __global__ void three_groups(unsigned* failures, int* scratch) {
  __shared__ by_memory<3, 3, 32> in_turn;
  leave_records(in_turn, failures, scratch, 3);
}

// run: block=96
extern "C" __global__ void three_groups_by_named_barriers(unsigned* failures, int* scratch) {
  __shared__ by_hardware<3, 3, 32> in_turn;
  leave_records(in_turn, failures, scratch, 3);
}

// Groups of any number of threads, which share warps.
// run: block=35
extern "C" __global__ void groups_in_a_warp(unsigned* failures, int* scratch) {
  __shared__ by_memory<5, 2, 7> in_turn;
  in_turn.init(cudasync::this_thread_block());
  by_memory<5, 2, 7>::place mine(in_turn, threadIdx.x / 7);
  for (int turn = 0; turn < 4; ++turn) {
    int* const record = scratch + mine.stage();
    mine.wait();
    if (threadIdx.x % 7 == 3) EXPECT((*record)++ == turn / 2 * 5 + static_cast<int>(mine.group()));
    mine.pass();
  }
  EXPECT(mine.stage() == 0);
}

// While a group is in the second stage, the next one is in the first: a group that waits there for it sees it come.
template <class Turns>
__device__ void overlap(Turns& in_turn, unsigned* failures, int* scratch, int tiles) {
  in_turn.init(cudasync::this_thread_block());
  const unsigned group = threadIdx.x / 32;
  typename Turns::place mine(in_turn, group);
  for (int tile = static_cast<int>(group); tile < tiles; tile += 2) {  // group 0 has one tile more if tiles is odd
    mine.wait();
    if (threadIdx.x % 32 == 0) atomicExch(scratch, tile + 1);  // tiles that have begun
    mine.pass();
    mine.wait();
    while (atomicAdd(scratch, 0) < tile + 2 && tile + 1 < tiles) {
    }
    EXPECT(scratch[64 + threadIdx.x % 32] == tile);
    scratch[64 + threadIdx.x % 32] = tile + 1;
    mine.pass();
  }
}

// run: block=64 seeds=8
extern "C" __global__ void ping_pong(unsigned* failures, int* scratch) {
  __shared__ by_memory<2, 2, 32> in_turn;
  overlap(in_turn, failures, scratch, 5);
}

// run: block=64 seeds=8
extern "C" __global__ void ping_pong_by_named_barriers(unsigned* failures, int* scratch) {
  __shared__ by_hardware<2, 2, 32> in_turn;
  overlap(in_turn, failures, scratch, 5);
}
