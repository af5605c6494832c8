// Threads write a number each, synchronize by a barrier and read each other's: what every barrier must get right.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_SUPPORT_EXCHANGE_H
#define CUDASYNC_TEST_SUPPORT_EXCHANGE_H

#include "gpu_test.h"

#include <cuda/barrier>

// Where the barrier and the data lie. The compiler sees which it is.
enum class memory { shared, global };

template <memory Memory, class Barrier>
__device__ __forceinline__ Barrier& place(Barrier* global) {
  if constexpr (Memory == memory::shared) {
    __shared__ Barrier bar;
    return bar;
  } else {
    return *global;
  }
}

// Runs KERNEL<Barrier, memory>(pointer to a barrier in global memory) with one block, for the barriers of all scopes
// that several threads can share, in both memories.
#define RUN_WITH_ALL_BARRIERS(KERNEL, THREADS)                                            \
  do {                                                                                    \
    using block_barrier = cuda::barrier<cuda::thread_scope_block>;                        \
    using device_barrier = cuda::barrier<cuda::thread_scope_device>;                      \
    using system_barrier = cuda::barrier<cuda::thread_scope_system>;                      \
    const gpu_test::device_array<block_barrier> of_block(1);                              \
    const gpu_test::device_array<device_barrier> of_device(1);                            \
    const gpu_test::device_array<system_barrier> of_system(1);                            \
    gpu_test::run(KERNEL<block_barrier, memory::shared>, {1, THREADS}, of_block.get());   \
    gpu_test::run(KERNEL<block_barrier, memory::global>, {1, THREADS}, of_block.get());   \
    gpu_test::run(KERNEL<device_barrier, memory::shared>, {1, THREADS}, of_device.get()); \
    gpu_test::run(KERNEL<device_barrier, memory::global>, {1, THREADS}, of_device.get()); \
    gpu_test::run(KERNEL<system_barrier, memory::shared>, {1, THREADS}, of_system.get()); \
    gpu_test::run(KERNEL<system_barrier, memory::global>, {1, THREADS}, of_system.get()); \
  } while (false)

// The ways to synchronize; parity is that of the phase.
struct by_arrive_and_wait {
  template <class Barrier>
  static __device__ __forceinline__ void sync(Barrier& bar, bool) {
    bar.arrive_and_wait();
  }
};
struct by_token {
  template <class Barrier>
  static __device__ __forceinline__ void sync(Barrier& bar, bool) {
    bar.wait(bar.arrive());
  }
};
struct by_parity {
  template <class Barrier>
  static __device__ __forceinline__ void sync(Barrier& bar, bool parity) {
    static_cast<void>(bar.arrive());
    bar.wait_parity(parity);
  }
};
struct by_polling {
  template <class Barrier>
  static __device__ __forceinline__ void sync(Barrier& bar, bool parity) {
    const typename Barrier::arrival_token token = bar.arrive();
    while (!bar.try_wait(token)) {
    }
    DEVICE_CHECK(bar.try_wait_parity(parity));
  }
};

// One arrival for a whole warp.
struct by_warp_leader {
  template <class Barrier>
  static __device__ __forceinline__ void sync(Barrier& bar, bool parity) {
    __syncwarp();
    if (threadIdx.x % 32 == 0)
      static_cast<void>(bar.arrive(blockDim.x - threadIdx.x < 32 ? blockDim.x - threadIdx.x : 32));
    bar.wait_parity(parity);
  }
};

// The compiler does not see which memory the barrier lies in.
template <class Barrier>
__device__ __noinline__ void arrive_and_wait_out_of_line(Barrier& bar) {
  bar.arrive_and_wait();
}
template <class Barrier>
__device__ __noinline__ void arrive_then_wait_out_of_line(Barrier& bar) {
  bar.wait(bar.arrive());
}
struct by_reference {
  template <class Barrier>
  static __device__ __forceinline__ void sync(Barrier& bar, bool parity) {
    parity ? arrive_and_wait_out_of_line(bar) : arrive_then_wait_out_of_line(bar);
  }
};

// Slots are plain memory, two for each thread: a stale read, or a wait that does not wait for the thread that is late,
// shows as a number of an earlier round.
template <class Sync, class Barrier>
__device__ __forceinline__ void exchange(Barrier& bar, int* slots, unsigned threads, unsigned rank, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    int* const now = slots + (round % 2) * threads;
    const unsigned late = (static_cast<unsigned>(round) * 7) % threads;
    if (rank == late) gpu_test::pause(1000);
    now[rank] = round + 1;
    Sync::sync(bar, round % 2 != 0);
    DEVICE_CHECK(now[late] == round + 1);
    DEVICE_CHECK(now[(rank + 1) % threads] == round + 1);
    DEVICE_CHECK(now[(rank + threads / 2) % threads] == round + 1);
  }
}

#endif
