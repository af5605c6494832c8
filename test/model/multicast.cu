// Barriers and signals of GPUs through a multicast address: the blocks of one grid play the blocks of several GPUs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.h"

#include <cuda/ptx>
#include <cudasync/peer_multicast.h>

using part = cudasync::peer_part<>;
using cudasync::participant;

// The object of each GPU, in the upper half of the zeros.
template <class Object>
__device__ Object* object_of(int* scratch, unsigned gpu) {
  return reinterpret_cast<Object*>(scratch + 8192 + 2048 * gpu);
}

__device__ cudasync::multicast_part<> part_of(int* scratch, unsigned rank, unsigned gpus) {
  return {object_of<part>(scratch, rank), everywhere(object_of<part>(scratch, 0), gpus)};
}

// Two GPUs, with one and with two blocks.
// run: grid=3 block=34 needs=90
extern "C" __global__ void all_blocks(unsigned* failures, int* scratch) {
  const unsigned gpu = blockIdx.x == 0 ? 0 : 1;
  const participant here{blockIdx.x == 2, gpu == 0 ? 1u : 2u};
  cudasync::peer_barrier bar(part_of(scratch, gpu, 2), gpu, 2);
  write_and_meet(failures, scratch, gridDim.x * blockDim.x, blockIdx.x * blockDim.x + threadIdx.x, 3, [&](int phase) {
    if (phase == 2) return bar.wait(bar.arrive(here));
    bar.arrive_and_wait(here);
  });
}

// The number of a phase has 16 bits, and begins again.
// run: grid=4 block=2 needs=90
extern "C" __global__ void phases_that_wrap(unsigned* failures, int* scratch) {
  const unsigned gpu = blockIdx.x / 2;
  start_together(scratch + 3000, [&] {
    for (unsigned each = 0; each < 2; ++each) {
      auto& memory = memory_of(*object_of<part>(scratch, each));
      memory.phases[0] = memory.phases[1] = memory.arrivals = 65534u << 16;
    }
    cuda::ptx::fence_proxy_alias();
  });
  cudasync::peer_barrier bar(part_of(scratch, gpu, 2), gpu, 2);
  write_and_meet(failures, scratch, 8, blockIdx.x * 2 + threadIdx.x, 4,
                 [&](int) { bar.arrive_and_wait(participant{blockIdx.x % 2, 2}); });
}

// Three GPUs with two blocks each, in two launches.
// run: grid=6 block=33 needs=90
extern "C" __global__ void namesakes(unsigned* failures, int* scratch) {
  const unsigned gpu = blockIdx.x / 2, block = blockIdx.x % 2;
  for (int launch = 0; launch < 2; ++launch) {
    cudasync::peer_block_barrier bar(part_of(scratch, gpu, 3), gpu, 3, block);
    write_and_meet(failures, scratch + 1024 * (launch * 2 + block), 3 * blockDim.x, gpu * blockDim.x + threadIdx.x, 2,
                   [&](int) { bar.arrive_and_wait(); });
  }
}

// One block tells those of two other GPUs, and itself.
// run: grid=3 block=40 needs=90
extern "C" __global__ void signals(unsigned* failures, int* scratch) {
  using cudasync::peer_signal;
  const cudasync::multicast_signal full(everywhere(object_of<peer_signal>(scratch, 0), 3));
  for (unsigned round = 1; round <= 3; ++round) {
    int* const stage = scratch + round * blockDim.x;
    if (blockIdx.x == 1) {
      stage[threadIdx.x] = static_cast<int>(round);
      full.signal(round);
    }
    object_of<peer_signal>(scratch, blockIdx.x)->wait(round);
    EXPECT(stage[blockDim.x - 1 - threadIdx.x] == static_cast<int>(round));
  }
}

// Data through the multicast address, too: each GPU stores a word for all, and reads the words of all in its own memory. One
// fence in a thread that is ordered after the stores is enough.
// run: grid=3 block=32 needs=90
extern "C" __global__ void data(unsigned* failures, int* scratch) {
  const unsigned gpu = blockIdx.x;
  cudasync::peer_barrier bar(part_of(scratch, gpu, 3), gpu, 3);
  int* const own = object_of<int>(scratch, gpu) + 1024;
  for (int phase = 1; phase <= 3; ++phase) {
    int* const words = everywhere(object_of<int>(scratch, 0) + 1024 + phase % 2 * 96, 3);
    cuda::ptx::multimem_st(cuda::ptx::sem_weak, words + 32 * gpu + threadIdx.x, phase);
    cuda::ptx::fence_proxy_alias();
    bar.arrive_and_wait(participant{0, 1});
    for (unsigned other = 0; other < 3; ++other)
      EXPECT(own[phase % 2 * 96 + 32 * other + threadIdx.x] == phase);
  }
}
