// Barriers of several hosts: the blocks of one grid play the blocks of their GPUs, and signals in memory play the network.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.h"

#include <cuda/atomic>
#include <cudasync/world_barrier.h>

using part = cudasync::world_part<>;
using cudasync::participant;
using word = unsigned long long;

struct rail_in_memory {
  word* const* signals;  // by host
  unsigned host;
  unsigned hosts;
  unsigned most_in_round;
  int* completions;
  int* own;  // of this GPU, not atomic: the last completion of even phases and of odd ones, and their number

  __device__ unsigned rank() const { return host; }
  __device__ unsigned count() const { return hosts; }
  __device__ unsigned radix() const { return most_in_round; }
  __device__ void complete() const {
    atomicAdd(completions, 1);
    const int phase = ++own[2];
    own[phase % 2] = phase;
  }
  __device__ void raise(unsigned signal, word, unsigned other) const {
    cuda::atomic_ref<word, cuda::thread_scope_system>(signals[other][signal]).fetch_add(1, cuda::memory_order_release);
  }
  // Relaxed: the wait after it acquires.
  __device__ bool is_raised(unsigned signal, word number) const {
    return word_of(signal).load(cuda::memory_order_relaxed) >= number;
  }
  __device__ void wait(unsigned signal, word number) const {
    while (word_of(signal).load(cuda::memory_order_acquire) < number)
      __nanosleep(20);
  }
  __device__ cuda::atomic_ref<word, cuda::thread_scope_system> word_of(unsigned signal) const {
    return cuda::atomic_ref<word, cuda::thread_scope_system>(signals[host][signal]);
  }
};

struct shape {
  unsigned hosts, gpus, blocks, radix;
  unsigned before = 0;  // phases that are over
  word meetings = 0;    // of the hosts that are over
};

// As after these phases.
__device__ void begin_after(int* scratch, shape all) {
  const unsigned last = all.before << 16;
  part* const parts = reinterpret_cast<part*>(scratch + 8192);
  for (unsigned each = 0; each < all.hosts * all.gpus; ++each) {
    auto& peers = memory_of(parts[each]);
    for (unsigned gpu = 0; gpu < all.gpus; ++gpu)
      peers.phases[gpu] = last;
    peers.arrivals = last;
    rail_memory_of(parts[each]).released = last;
    rail_memory_of(parts[each]).meetings = all.meetings;
  }
  const unsigned signals = cudasync::backend::signals_of_rail(all.hosts, all.radix) * all.hosts * all.gpus;
  for (unsigned each = 0; each < signals; ++each)
    reinterpret_cast<word*>(scratch + 12288)[each] = all.meetings;
}

// Threads write their slots, meet, and read those of three others.
__device__ void exchange(unsigned* failures, int* scratch, shape all, int phases) {
  const unsigned block = blockIdx.x % all.blocks, gpu = blockIdx.x / all.blocks % all.gpus;
  const unsigned host = blockIdx.x / all.blocks / all.gpus;
  // What each block has for itself, then the parts of each host, and the signals of each GPU.
  char* const own = reinterpret_cast<char*>(scratch + 4096) + 256 * blockIdx.x;
  part** const parts = reinterpret_cast<part**>(own);
  word** const signals = reinterpret_cast<word**>(own + 128);
  const unsigned signals_of_each = cudasync::backend::signals_of_rail(all.hosts, all.radix);  // no word between them
  if (threadIdx.x == 0) {
    for (unsigned other = 0; other < all.gpus; ++other)
      parts[other] = reinterpret_cast<part*>(scratch + 8192) + host * all.gpus + other;
    for (unsigned other = 0; other < all.hosts; ++other)
      signals[other] = reinterpret_cast<word*>(scratch + 12288) + signals_of_each * (other * all.gpus + gpu);
  }
  start_together(scratch + 4000, [&] { begin_after(scratch, all); });
  int* const completed = scratch + 3000;
  const unsigned gpus = all.hosts * all.gpus, own_gpu = blockIdx.x / all.blocks;
  cudasync::world_barrier bar(
      rail_in_memory{signals, host, all.hosts, all.radix, scratch + 4095, completed + 4 * own_gpu}, parts, gpu,
      all.gpus);
  const participant self{block, all.blocks};
  const unsigned threads = gridDim.x * blockDim.x, rank = blockIdx.x * blockDim.x + threadIdx.x;
  for (int phase = 1; phase <= phases; ++phase) {
    int* const now = scratch + phase % 2 * threads;
    now[rank] = phase;
    if (phase % 2 == 0)
      bar.arrive_and_wait(self);
    else
      bar.wait(bar.arrive(self));
    EXPECT(now[(rank + 1) % threads] == phase);
    EXPECT(now[(rank + threads / 2) % threads] == phase);
    EXPECT(now[threads - 1 - rank] == phase);
    EXPECT(completed[4 * ((own_gpu + 1) % gpus) + phase % 2] == phase);
  }
  EXPECT(atomicAdd(scratch + 4095, 0) ==
         static_cast<int>(all.hosts * all.gpus) * phases);  // once for each GPU and phase
}

// Two hosts with two GPUs, which have two blocks each.
// run: grid=8 block=34
extern "C" __global__ void two_hosts(unsigned* failures, int* scratch) {
  exchange(failures, scratch, {2, 2, 2, 8}, 3);
}

// Two rounds: what a host hears in the first, it tells in the second.
// run: grid=4 block=33
extern "C" __global__ void two_rounds(unsigned* failures, int* scratch) {
  exchange(failures, scratch, {4, 1, 1, 2}, 3);
}

// Two rounds in each of which two threads tell and hear: what one has heard in the first, the other tells in the second.
// run: grid=7 block=33 seeds=8
extern "C" __global__ void two_rounds_of_three(unsigned* failures, int* scratch) {
  exchange(failures, scratch, {7, 1, 1, 3}, 4);
}

// The number of a phase has 16 bits, and begins again; that of a meeting has 64.
// run: grid=8 block=2
extern "C" __global__ void phases_that_wrap(unsigned* failures, int* scratch) {
  exchange(failures, scratch, {2, 2, 2, 8, 65534, 0xfffffffe}, 5);
}
// run: grid=4 block=2
extern "C" __global__ void phases_in_the_middle(unsigned* failures, int* scratch) {
  exchange(failures, scratch, {2, 1, 2, 2, 32766, 0x7ffffffe}, 4);
}

// One round with more hosts than threads.
// run: grid=5 block=2
extern "C" __global__ void one_round(unsigned* failures, int* scratch) {
  exchange(failures, scratch, {5, 1, 1, 5}, 3);
}

// The whole grid is one GPU.
// run: grid=2 block=8
extern "C" __global__ void one_host(unsigned* failures, int* scratch) {
  part** const parts = reinterpret_cast<part**>(scratch + 4096 + 64 * blockIdx.x);
  if (threadIdx.x == 0) parts[0] = reinterpret_cast<part*>(scratch + 8192);
  __syncthreads();
  cudasync::world_barrier bar(rail_in_memory{nullptr, 0, 1, 2, scratch + 4095, scratch + 3000}, parts, 0, 1);
  for (int phase = 1; phase <= 3; ++phase) {
    int* const now = scratch + phase % 2 * 16;
    now[blockIdx.x * 8 + threadIdx.x] = phase;
    if (phase == 2)
      bar.arrive_and_wait();
    else
      bar.wait(bar.arrive());
    EXPECT(now[(1 - blockIdx.x) * 8 + threadIdx.x] == phase);
  }
  EXPECT(atomicAdd(scratch + 4095, 0) == 3);
}
