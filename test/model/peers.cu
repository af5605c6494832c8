// Barriers, signals and mailboxes of GPUs: the blocks of one grid play the blocks of several GPUs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.h"

#include <cudasync/peer_barrier.h>

using part = cudasync::peer_part<>;
using cudasync::participant;

// The addresses of the parts, which each GPU has in its own memory.
__device__ part** addresses(int* scratch, unsigned rank, unsigned gpus, unsigned parts_of_each, unsigned room) {
  part** const own = reinterpret_cast<part**>(scratch + room + 64 * rank);
  if (threadIdx.x == 0)
    for (unsigned gpu = 0; gpu < gpus; ++gpu)
      own[gpu] = reinterpret_cast<part*>(scratch + 8192) + gpu * parts_of_each;
  __syncthreads();
  return own;
}

// Two GPUs, with one and with two blocks.
// run: grid=3 block=34
extern "C" __global__ void all_blocks(unsigned* failures, int* scratch) {
  const unsigned gpu = blockIdx.x == 0 ? 0 : 1;
  const participant own{blockIdx.x - gpu, 1 + gpu};
  part** const parts = addresses(scratch, blockIdx.x, 2, 1, 4096);
  cudasync::peer_barrier bar(parts, gpu, 2);
  write_and_meet(failures, scratch, gridDim.x * blockDim.x, blockIdx.x * blockDim.x + threadIdx.x, 3, [&](int phase) {
    if (phase == 2) __nanosleep(1000 * blockIdx.x);  // so that some blocks poll for long
    bar.arrive_and_wait(own);
  });
}

// As after this number of phases.
__device__ void begin_after(part* parts, unsigned number, unsigned gpus, unsigned phases) {
  for (unsigned each = 0; each < number; ++each) {
    auto& memory = memory_of(parts[each]);
    for (unsigned gpu = 0; gpu < gpus; ++gpu)
      memory.phases[gpu] = phases << 16;
    memory.arrivals = phases << 16;
  }
}

// The number of a phase has 16 bits, and begins again. Two GPUs with two blocks, which all meet, and then each its namesake.
// run: grid=4 block=2
extern "C" __global__ void phases_that_wrap(unsigned* failures, int* scratch) {
  const unsigned gpu = blockIdx.x / 2, block = blockIdx.x % 2;
  part** const all = addresses(scratch, blockIdx.x, 2, 1, 4096);
  part** const each = addresses(scratch + 512, blockIdx.x, 2, 2, 4096 + 512);  // other parts
  start_together(scratch + 3000, [&] {
    begin_after(all[0], 2, 2, 65534);
    begin_after(each[0], 4, 2, 32766);
  });
  cudasync::peer_barrier bar(all, gpu, 2);
  cudasync::peer_block_barrier namesake(each, gpu, 2, block);
  const unsigned rank = blockIdx.x * 2 + threadIdx.x;
  write_and_meet(failures, scratch, 8, rank, 4, [&](int) { bar.arrive_and_wait(participant{block, 2}); });
  write_and_meet(failures, scratch + 100 + 100 * block, 4, gpu * 2 + threadIdx.x, 4,
                 [&](int) { namesake.arrive_and_wait(); });
}

// Two steps, and fewer threads in a block than GPUs.
// run: grid=6 block=2
extern "C" __global__ void all_blocks_in_two_steps(unsigned* failures, int* scratch) {
  const unsigned gpu = blockIdx.x / 2;
  const participant own{blockIdx.x % 2, 2};
  part** const parts = addresses(scratch, blockIdx.x, 3, 1, 4096);
  cudasync::peer_barrier bar(parts, gpu, 3);
  write_and_meet(failures, scratch, gridDim.x * blockDim.x, blockIdx.x * blockDim.x + threadIdx.x, 3,
                 [&](int) { bar.wait(bar.arrive(own)); });
}

// The whole grid is one GPU.
// run: grid=3 block=8
extern "C" __global__ void one_gpu(unsigned* failures, int* scratch) {
  part** const parts = addresses(scratch, blockIdx.x, 1, 1, 4096);
  cudasync::peer_barrier bar(parts, 0, 1);
  write_and_meet(failures, scratch, gridDim.x * blockDim.x, blockIdx.x * blockDim.x + threadIdx.x, 3, [&](int phase) {
    if (phase == 2)
      bar.wait(bar.arrive());
    else
      bar.arrive_and_wait();
  });
}

// Three GPUs with two blocks each: every block meets its two namesakes, in two launches.
__device__ void meet_namesakes(unsigned* failures, int* scratch) {
  const unsigned gpu = blockIdx.x / 2, block = blockIdx.x % 2;
  part** const parts = addresses(scratch, blockIdx.x, 3, 2, 4096);
  for (int launch = 0; launch < 2; ++launch) {
    cudasync::peer_block_barrier bar(parts, gpu, 3, block);
    write_and_meet(failures, scratch + 1024 * (launch * 2 + block), 3 * blockDim.x, gpu * blockDim.x + threadIdx.x, 2,
                   [&](int phase) {
                     if (phase == 1)
                       bar.wait(bar.arrive());
                     else
                       bar.arrive_and_wait();
                   });
  }
}

// run: grid=6 block=33
extern "C" __global__ void namesakes(unsigned* failures, int* scratch) {
  meet_namesakes(failures, scratch);
}
// With fewer threads than GPUs: a thread tells, and waits for, several.
// run: grid=6 block=2
extern "C" __global__ void namesakes_of_few_threads(unsigned* failures, int* scratch) {
  meet_namesakes(failures, scratch);
}

// A ring of two stages between two blocks.
// run: grid=2 block=40
extern "C" __global__ void signals(unsigned* failures, int* scratch) {
  auto& full = *reinterpret_cast<cudasync::peer_signal*>(scratch + 512);
  auto& empty = *reinterpret_cast<cudasync::peer_signal*>(scratch + 640);
  for (unsigned round = 1; round <= 5; ++round) {
    int* const stage = scratch + round % 2 * blockDim.x;
    if (blockIdx.x == 0) {
      if (round > 2) empty.wait(round - 2);
      stage[threadIdx.x] = static_cast<int>(round);
      full.signal(round);
    } else {
      full.wait(round);
      EXPECT(stage[blockDim.x - 1 - threadIdx.x] == static_cast<int>(round));
      empty.signal(round);
    }
  }
}

// Threads of two blocks exchange values of 4 and of 8 bytes.
// run: grid=2 block=33
extern "C" __global__ void mailboxes(unsigned* failures, int* scratch) {
  using small = cudasync::peer_mailbox<int, 33>;
  using large = cudasync::peer_mailbox<long long, 33>;
  small* const of_ints = reinterpret_cast<small*>(scratch);
  large* const of_longs = reinterpret_cast<large*>(scratch + 4096);
  const unsigned own = blockIdx.x, other = 1 - own;
  for (unsigned round = 0u - 2; round != 3; ++round) {  // message 0 is the third
    const int value = static_cast<int>(round * 1000 + threadIdx.x);
    of_ints[other].put(round, threadIdx.x, 2 * value + static_cast<int>(own));
    EXPECT(of_ints[own].take(round, threadIdx.x) == 2 * value + static_cast<int>(other));
    of_longs[other].put(round, threadIdx.x, (static_cast<long long>(value) << 33) + own);
    EXPECT(of_longs[own].take(round, threadIdx.x) == (static_cast<long long>(value) << 33) + other);
  }
}
