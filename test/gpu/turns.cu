// Turns, with mbarriers and named barriers: the order of the groups, visibility of earlier turns, overlap of stages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/gpu_test.h"

#include <cuda/barrier>
#include <cudasync/turns.h>

using cudasync::by_mbarriers;
using cudasync::by_named_barriers;

struct loaded;
using ids = cudasync::named_barrier_ids<loaded>;
using some_turns = cudasync::turns<3, 2, 64, by_named_barriers<ids::end>>;
static_assert(some_turns::groups == 3 && some_turns::stages == 2 && some_turns::threads == 64);
static_assert(some_turns::end == 8, "ids 2 to 7");
static_assert(cudasync::turns<3, 2, 64>::end == 1, "no ids");
static_assert(sizeof(cudasync::turns<3, 2, 64>) == 6 * 8);

// The threads of a group meet at an mbarrier of their own.
using meeting = cuda::barrier<cuda::thread_scope_block>;

// In each turn, each thread of the group finds what any thread of the group before wrote in that stage, and replaces it.
template <class Turns>
__global__ void __launch_bounds__(1024) take_turns(int rounds) {
  constexpr unsigned threads = Turns::threads;
  constexpr unsigned groups = Turns::groups;
  __shared__ Turns in_turn;
  __shared__ meeting meet[groups];
  __shared__ int records[Turns::stages][threads];
  for (unsigned cell = threadIdx.x; cell < Turns::stages * threads; cell += blockDim.x)
    records[cell / threads][cell % threads] = 0;
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects(meet, threads));
  in_turn.init(cudasync::this_thread_block());
  __syncthreads();
  const unsigned group = threadIdx.x / threads;
  const unsigned rank = threadIdx.x % threads;
  if (group >= groups) return;
  typename Turns::place mine(in_turn, group);
  DEVICE_CHECK(mine.group() == group);
  for (int round = 0; round < rounds; ++round)
    for (unsigned stage = 0; stage < Turns::stages; ++stage) {
      DEVICE_CHECK(mine.stage() == stage);
      const int turn = round * static_cast<int>(groups) + static_cast<int>(group);
      mine.wait();
      DEVICE_CHECK(records[stage][(rank + static_cast<unsigned>(round)) % threads] == turn);
      meet[group].arrive_and_wait();
      records[stage][rank] = turn + 1;
      mine.pass();
    }
}

template <unsigned Groups, unsigned Stages, unsigned Threads>
void take_turns_both_ways(unsigned threads_of_block, int rounds, unsigned blocks = 132) {
  gpu_test::run(take_turns<cudasync::turns<Groups, Stages, Threads>>, {blocks, threads_of_block}, rounds);
  gpu_test::run(take_turns<cudasync::turns<Groups, Stages, Threads, by_named_barriers<ids::end>>>,
                {blocks, threads_of_block}, rounds);
}

TEST(groups_take_turns_in_each_stage) {
  take_turns_both_ways<2, 1, 32>(64, 200);
  take_turns_both_ways<2, 2, 128>(256, 200);
  take_turns_both_ways<2, 2, 128>(384, 200);
  take_turns_both_ways<3, 4, 64>(192, 100);
  take_turns_both_ways<14, 1, 32>(448, 50,
                                  32);  // more blocks have too many barriers for the records of the checked build
}

TEST(groups_of_any_number_of_threads) {
  gpu_test::run(take_turns<cudasync::turns<2, 2, 1>>, {8, 2}, 200);
  gpu_test::run(take_turns<cudasync::turns<5, 3, 7>>, {8, 35}, 100);
  gpu_test::run(take_turns<cudasync::turns<32, 3, 32>>, {8, 1024}, 20);
}

// A group begins its second stage, and waits there until the next group has begun its first stage. Group 0 may have one
// tile more.
template <class Turns>
__global__ void overlap(int tiles) {
  __shared__ Turns in_turn;
  __shared__ int begun;
  __shared__ int stored[32];
  if (threadIdx.x == 0) begun = 0;
  if (threadIdx.x < 32) stored[threadIdx.x] = 0;
  in_turn.init(cudasync::this_thread_block());
  __syncthreads();
  const unsigned group = threadIdx.x / 32;
  typename Turns::place mine(in_turn, group);
  for (int tile = static_cast<int>(group); tile < tiles; tile += 2) {
    mine.wait();
    if (threadIdx.x % 32 == 0) atomicExch(&begun, tile + 1);
    mine.pass();
    mine.wait();
    if (threadIdx.x % 32 == 0)
      while (tile + 1 < tiles && atomicAdd(&begun, 0) < tile + 2) {
      }
    __syncwarp();
    DEVICE_CHECK(stored[31 - threadIdx.x % 32] == tile);
    __syncwarp();
    stored[threadIdx.x % 32] = tile + 1;
    mine.pass();
  }
}
TEST(groups_are_in_different_stages_at_once) {
  for (const int tiles : {0, 1, 2, 5, 100}) {
    gpu_test::run(overlap<cudasync::turns<2, 2, 32>>, {8, 64}, tiles);
    gpu_test::run(overlap<cudasync::turns<2, 2, 32, by_named_barriers<1>>>, {8, 64}, tiles);
  }
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
