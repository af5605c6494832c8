// Completion functions of cuda::barrier that use other synchronizers: they wait for other blocks, or let other warps go on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/exchange.h"
#include "../support/gpu_test.h"

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/semaphore>

#include <new>

using gpu_test::device_array;

// A barrier of the grid in two levels: the last thread of each block waits for the other blocks in the completion function.
using barrier_of_blocks = cuda::barrier<cuda::thread_scope_device>;
struct meet_other_blocks {
  barrier_of_blocks* all;

  __device__ void operator()() { all->arrive_and_wait(); }
};

template <class Sync>
__global__ void meet_in_two_levels(barrier_of_blocks* all, int* slots) {
  __shared__ cuda::barrier<cuda::thread_scope_block, meet_other_blocks> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x, meet_other_blocks{all});
  __syncthreads();
  const unsigned threads = gridDim.x * blockDim.x;
  const unsigned rank = blockIdx.x * blockDim.x + threadIdx.x;
  for (int phase = 0; phase < 50; ++phase) {
    int* const now = slots + phase % 2 * threads;
    now[rank] = phase;
    if (rank == phase * 7 % threads) gpu_test::pause(1000);
    Sync::sync(bar, phase % 2 != 0);
    DEVICE_CHECK(now[(rank + blockDim.x + 5) % threads] == phase);
  }
}
__global__ void initialize_for(barrier_of_blocks* all, int blocks) {
  init(all, blocks);
}
template <class... Syncs>
void meet_in_two_levels_by() {
  const auto run = [](auto kernel, unsigned threads) {
    const device_array<barrier_of_blocks> all(1);
    const device_array<int> slots(2 * 4 * threads);
    gpu_test::run(initialize_for, {1, 1}, all.get(), 4);
    gpu_test::run(kernel, {4, threads}, all.get(), slots.get());
  };
  for (const unsigned threads : {1, 33, 256})
    (run(meet_in_two_levels<Syncs>, threads), ...);
}
TEST(completion_waits_for_other_blocks) {
  meet_in_two_levels_by<by_arrive_and_wait, by_token, by_parity>();
}

// The completion function arrives at another barrier, releases a permit, and changes a number, for which other warps wait.
using permit_count = cuda::counting_semaphore<cuda::thread_scope_block>;
using phase_count = cuda::atomic<int, cuda::thread_scope_block>;
struct tell_others {
  cuda::barrier<cuda::thread_scope_block>* others;
  permit_count* permits;
  phase_count* completed;

  __device__ void operator()() {
    static_cast<void>(others->arrive());
    permits->release();
    completed->fetch_add(1);
    completed->notify_all();
  }
};

__global__ void tell() {
  __shared__ cuda::barrier<cuda::thread_scope_block> others;
  __shared__ alignas(permit_count) char permits_memory[sizeof(permit_count)];
  permit_count& permits = *reinterpret_cast<permit_count*>(permits_memory);
  __shared__ phase_count completed;
  __shared__ cuda::barrier<cuda::thread_scope_block, tell_others> bar;
  if (threadIdx.x == 0) {
    init(&others, 1);
    new (&permits) permit_count(0);
    completed.store(0);
    init(&bar, 64, tell_others{&others, &permits, &completed});
  }
  __syncthreads();
  for (int phase = 0; phase < 50; ++phase) {
    if (threadIdx.x < 64) {
      if (static_cast<int>(threadIdx.x) == phase) gpu_test::pause(500);
      bar.arrive_and_wait();
    } else if (threadIdx.x < 96) {
      others.wait_parity(phase % 2 != 0);
    } else if (threadIdx.x == 96) {
      permits.acquire();
    } else {
      completed.wait(phase);
    }
    __syncthreads();
    DEVICE_CHECK(completed.load() > phase);
  }
}
TEST(completion_tells_others) {
  gpu_test::run(tell, {1, 128});
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
