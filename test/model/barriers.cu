// Barriers: what each thread wrote before its arrival, all see after their wait; slots are reused in the next phase.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.h"

#include <cuda/atomic>
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>
#include <cudasync/grid_barrier.h>
#include <cudasync/named_barrier.h>
#include <cudasync/ptx/special_registers.h>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;
using device_barrier = cuda::barrier<cuda::thread_scope_device>;

struct count_phases {
  int* count;
  __device__ void operator()() { ++*count; }
};
using counting_barrier = cuda::barrier<cuda::thread_scope_block, count_phases>;
using counting_device_barrier = cuda::barrier<cuda::thread_scope_device, count_phases>;

struct kept_token {
  block_barrier::arrival_token token;
  __device__ operator block_barrier::arrival_token() const { return token; }
};

// run: block=48
extern "C" __global__ void shared_by_token(unsigned* failures, int* scratch) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  write_and_meet(failures, scratch, blockDim.x, threadIdx.x, 3, [&](int phase) {
    if (phase % 2 == 0)
      bar.wait(bar.arrive());
    else
      bar.wait(kept_token{bar.arrive()});
  });
}

// run: block=48
extern "C" __global__ void shared_by_parity(unsigned* failures, int* scratch) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  write_and_meet(failures, scratch, blockDim.x, threadIdx.x, 3, [&](int phase) {
    static_cast<void>(bar.arrive());
    while (!bar.try_wait_parity_for(phase % 2 == 0, nanoseconds{100})) {
    }
  });
}

// run: block=48
extern "C" __global__ void shared_together(unsigned* failures, int* scratch) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  write_and_meet(failures, scratch, blockDim.x, threadIdx.x, 3, [&](int) { bar.arrive_and_wait(); });
}

__device__ void drop_out_and_meet(block_barrier& bar, unsigned* failures, int* scratch) {
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  scratch[threadIdx.x] = 1;
  if (threadIdx.x % 4 == 3) return bar.arrive_and_drop();
  bar.arrive_and_wait();
  EXPECT(scratch[threadIdx.x + 1] == 1);
  scratch[64 + threadIdx.x] = 2;
  bar.arrive_and_wait();
  EXPECT(scratch[64 + (threadIdx.x == 0 ? 38 : threadIdx.x - threadIdx.x % 4)] == 2);
}

// run: block=40
extern "C" __global__ void drops(unsigned* failures, int* scratch) {
  __shared__ block_barrier bar;
  drop_out_and_meet(bar, failures, scratch);
}

// run: block=40
extern "C" __global__ void drops_in_global_memory(unsigned* failures, int* scratch) {
  drop_out_and_meet(*reinterpret_cast<block_barrier*>(scratch + 512), failures, scratch);
}

// run: block=36
extern "C" __global__ void global_memory(unsigned* failures, int* scratch) {
  block_barrier& bar = *reinterpret_cast<block_barrier*>(scratch + 512);
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  write_and_meet(failures, scratch, blockDim.x, threadIdx.x, 3, [&](int) { bar.arrive_and_wait(); });
}

// run: block=36
extern "C" __global__ void completion(unsigned* failures, int* scratch) {
  __shared__ counting_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x, count_phases{scratch + 512});
  __syncthreads();
  write_and_meet(failures, scratch, blockDim.x, threadIdx.x, 3, [&](int phase) {
    bar.wait(bar.arrive());
    EXPECT(scratch[512] == phase);
  });
}

// The blocks' barrier lies in global memory, zero at first: init is its first block's.
// run: grid=3 block=8
extern "C" __global__ void device_scope(unsigned* failures, int* scratch) {
  device_barrier& bar = *reinterpret_cast<device_barrier*>(scratch + 512);
  start_together(scratch + 600, [&] { init(&bar, gridDim.x * blockDim.x); });
  write_and_meet(failures, scratch, gridDim.x * blockDim.x, blockIdx.x * blockDim.x + threadIdx.x, 3,
                 [&](int) { bar.arrive_and_wait(); });
}

// run: grid=2 block=8
extern "C" __global__ void device_completion(unsigned* failures, int* scratch) {
  counting_device_barrier& bar = *reinterpret_cast<counting_device_barrier*>(scratch + 512);
  start_together(scratch + 600, [&] { init(&bar, gridDim.x * blockDim.x, count_phases{scratch + 580}); });
  write_and_meet(failures, scratch, gridDim.x * blockDim.x, blockIdx.x * blockDim.x + threadIdx.x, 3, [&](int phase) {
    bar.wait(bar.arrive());
    EXPECT(scratch[580] == phase);
  });
}

// run: grid=2 block=8
extern "C" __global__ void device_drops(unsigned* failures, int* scratch) {
  device_barrier& bar = *reinterpret_cast<device_barrier*>(scratch + 512);
  start_together(scratch + 600, [&] { init(&bar, gridDim.x * blockDim.x); });
  scratch[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  if (threadIdx.x % 2 == 1) return bar.arrive_and_drop();
  bar.arrive_and_wait();
  EXPECT(scratch[15 - blockIdx.x * blockDim.x - threadIdx.x] == 1);
  bar.arrive_and_wait();
}

// run: grid=2 block=8
extern "C" __global__ void drops_with_completion(unsigned* failures, int* scratch) {
  counting_device_barrier& bar = *reinterpret_cast<counting_device_barrier*>(scratch + 512);
  start_together(scratch + 600, [&] { init(&bar, gridDim.x * blockDim.x, count_phases{scratch + 580}); });
  scratch[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  if (threadIdx.x % 2 == 1) return bar.arrive_and_drop();
  bar.arrive_and_wait();
  EXPECT(scratch[15 - blockIdx.x * blockDim.x - threadIdx.x] == 1);
  bar.arrive_and_wait();
}

// run: grid=4 block=33
extern "C" __global__ void grid(unsigned* failures, int* scratch) {
  auto& bar = *reinterpret_cast<cudasync::grid_barrier<>*>(scratch + 512);
  write_and_meet(failures, scratch, gridDim.x * blockDim.x, blockIdx.x * blockDim.x + threadIdx.x, 3, [&](int phase) {
    if (phase == 2) __nanosleep(1000 * blockIdx.x);  // so that some blocks poll for long
    bar.arrive_and_wait();
  });
}

// run: block=96
extern "C" __global__ void named(unsigned* failures, int* scratch) {
  if (threadIdx.x >= 64) return;
  write_and_meet(failures, scratch, 64, threadIdx.x, 3, [&](int) { cudasync::named_barrier<1, 64>::sync(); });
}

// run: block=64
extern "C" __global__ void named_one_way(unsigned* failures, int* scratch) {
  for (int phase = 1; phase <= 3; ++phase) {
    if (threadIdx.x < 32) {
      scratch[threadIdx.x] = phase;
      cudasync::named_barrier<2, 64>::arrive();
      cudasync::named_barrier<3, 64>::sync();
    } else {
      cudasync::named_barrier<2, 64>::sync();
      EXPECT(scratch[threadIdx.x - 32] == phase);
      cudasync::named_barrier<3, 64>::arrive();
    }
  }
}

// run: grid=4 block=20 cluster=4 needs=90
extern "C" __global__ void cluster(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  write_and_meet(failures, scratch, gridDim.x * blockDim.x, blockIdx.x * blockDim.x + threadIdx.x, 3,
                 [&](int) { cudasync::cluster_barrier::arrive_and_wait(); });
#endif
}

// A barrier of device scope that lies in the shared memory of another block.
// run: grid=2 block=8 cluster=2 needs=90
extern "C" __global__ void device_scope_in_another_block(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  __shared__ unsigned char room[sizeof(device_barrier)] __attribute__((aligned(8)));
  auto& bar = *(blockIdx.x == 0 ? reinterpret_cast<device_barrier*>(room)
                                : static_cast<device_barrier*>(__cluster_map_shared_rank(room, 0)));
  if (blockIdx.x == 0 && threadIdx.x == 0) init(&bar, gridDim.x * blockDim.x);
  cudasync::cluster_barrier::arrive_and_wait();
  write_and_meet(failures, scratch, gridDim.x * blockDim.x, blockIdx.x * blockDim.x + threadIdx.x, 3,
                 [&](int) { bar.arrive_and_wait(); });
  cudasync::cluster_barrier::arrive_and_wait();
#endif
}

// Half of the lanes of each warp have ended.
// run: block=96 seeds=12
extern "C" __global__ void named_after_exits(unsigned* failures, int* scratch) {
  if (threadIdx.x % 32 >= 16) return;
  const unsigned rank = threadIdx.x / 32 * 16 + threadIdx.x % 32;
  write_and_meet(failures, scratch, 48, rank, 4, [&](int) { cudasync::named_barrier<1, 96>::sync(); });
}

// Two warps write a buffer and two read it, in turn. Other channels use the same barriers afterwards.
// run: block=128
extern "C" __global__ void channel(unsigned* failures, int* scratch) {
  using full = cudasync::named_barrier<4, 128>;
  using empty = cudasync::named_barrier<5, 128>;
  using channel = cudasync::named_channel<full, empty>;
  for (unsigned use = 0; use < 4; ++use) {
    if (use == 2) __syncthreads();  // the sides change
    int* const buffer = scratch + 64 * use;
    const unsigned rank = threadIdx.x % 64;
    if (threadIdx.x / 64 == use / 2) {
      channel::producer out;
      for (int turn = 1; turn <= 3; ++turn) {
        out.acquire();
        buffer[rank] = turn;
        out.commit();
      }
    } else {
      channel::consumer in;
      for (int turn = 1; turn <= 3; ++turn) {
        in.wait();
        EXPECT(buffer[63 - rank] == turn);
        in.release();
      }
    }
  }
}

// Every thread of the cluster arrives in block 0, once, twice or three times. The threads of block 0 alone wait.
// run: grid=2 block=24 cluster=2 needs=90
extern "C" __global__ void remote(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  __shared__ cuda::barrier<cuda::thread_scope_cluster> bar;
  const cudasync::cluster_exit_guard guard;
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects<96>(bar));
  scratch[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  const cudasync::remote_barrier there(bar, 0);
  if (threadIdx.x % 3 == 0)
    there.arrive();
  else
    there.arrive(1 + threadIdx.x % 3);
  if (blockIdx.x == 0) {
    bar.wait_parity(false);
    EXPECT(scratch[blockDim.x + threadIdx.x] == 1);
  }
#endif
}

// The other block's shared memory, filled by the copy engine.
// run: grid=2 block=32 cluster=2 needs=90
extern "C" __global__ void remote_bytes(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  __shared__ cuda::barrier<cuda::thread_scope_cluster> bar;
  alignas(16) __shared__ int mine[32];
  alignas(16) __shared__ int theirs[32];
  const cudasync::cluster_exit_guard guard;
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects<1>(bar));
  mine[threadIdx.x] = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
  cudasync::device::fence_before_bulk_copy();
  __syncthreads();
  if (threadIdx.x == 0) {
    const cudasync::remote_barrier there(bar, blockIdx.x ^ 1);
    there.arrive_tx(sizeof mine);
    there.memcpy_async_tx(theirs, mine, cuda::aligned_size_t<16>(sizeof mine));
  }
  bar.wait_parity(false);
  EXPECT(theirs[threadIdx.x] == static_cast<int>((blockIdx.x ^ 1) * 32 + threadIdx.x));
#endif
}

// All ways to arrive and to wait, one after the other; phase is the number of phases before. At last, thread 0 arrives for thread
// 1 as well.
template <class Barrier>
__device__ void meet_in_all_ways(Barrier& bar, unsigned* failures, int* slots, unsigned threads, unsigned rank) {
  int phase = 0;
  const auto meet = [&](auto way) {
    slots[rank] = phase;
    way(phase % 2 == 1);
    EXPECT(slots[(rank + 1) % threads] == phase);
    bar.arrive_and_wait();
    phase += 2;
  };
  const auto meet_once = [&](auto way) {  // an odd number of phases, for the other parity
    slots[rank] = phase;
    way(phase % 2 == 1);
    EXPECT(slots[(rank + threads / 2) % threads] == phase);
    ++phase;
    slots += threads;
  };
  const auto all = [&] {
    meet([&](bool) { bar.wait(bar.arrive()); });
    meet([&](bool parity) {
      static_cast<void>(bar.arrive());
      bar.wait_parity(parity);
    });
    meet([&](bool) {
      const auto token = bar.arrive();
      while (!bar.try_wait(token)) {
      }
    });
    meet([&](bool parity) {
      static_cast<void>(bar.arrive());
      while (!bar.try_wait_parity(parity)) {
      }
    });
    for (const long long limit : {100, 0}) {
      meet([&](bool) {
        const auto token = bar.arrive();
        while (!bar.try_wait_for(token, nanoseconds{limit})) {
        }
      });
      meet([&](bool parity) {
        static_cast<void>(bar.arrive());
        while (!bar.try_wait_parity_for(parity, nanoseconds{limit})) {
        }
      });
    }
  };
  all();
  meet_once([&](bool) { bar.arrive_and_wait(); });
  all();
  // The last phase completes without the second thread, which must have left its wait for the phase before.
  const cuda::atomic_ref<int, cuda::thread_scope_device> has_left(slots[threads]);
  if (rank == 1) return has_left.store(1, cuda::memory_order_relaxed);
  slots[rank] = phase;
  if (rank == 0) {
    has_left.wait(0, cuda::memory_order_relaxed);
    slots[1] = phase;
  }
  static_cast<void>(bar.arrive(rank == 0 ? 2 : 1));
  bar.wait_parity(phase % 2 == 1);
  EXPECT(slots[(rank + threads - 1) % threads] == phase && slots[1] == phase);
}

// run: block=9
extern "C" __global__ void all_ways_in_shared_memory(unsigned* failures, int* scratch) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  meet_in_all_ways(bar, failures, scratch, blockDim.x, threadIdx.x);
}

// run: block=9
extern "C" __global__ void all_ways_in_global_memory(unsigned* failures, int* scratch) {
  block_barrier& bar = *reinterpret_cast<block_barrier*>(scratch + 512);
  if (threadIdx.x == 0) new (&bar) block_barrier(blockDim.x);
  __syncthreads();
  meet_in_all_ways(bar, failures, scratch, blockDim.x, threadIdx.x);
}

// run: grid=2 block=4
extern "C" __global__ void all_ways_at_device_scope(unsigned* failures, int* scratch) {
  device_barrier& bar = *reinterpret_cast<device_barrier*>(scratch + 512);
  start_together(scratch + 600, [&] { init(&bar, gridDim.x * blockDim.x); });
  meet_in_all_ways(bar, failures, scratch, gridDim.x * blockDim.x, blockIdx.x * blockDim.x + threadIdx.x);
}

// run: grid=2 block=4
extern "C" __global__ void all_ways_with_completion(unsigned* failures, int* scratch) {
  counting_device_barrier& bar = *reinterpret_cast<counting_device_barrier*>(scratch + 512);
  start_together(scratch + 600, [&] { init(&bar, gridDim.x * blockDim.x, count_phases{scratch + 580}); });
  meet_in_all_ways(bar, failures, scratch, gridDim.x * blockDim.x, blockIdx.x * blockDim.x + threadIdx.x);
}

#if __CUDA_ARCH__ >= 900
// Both blocks wait at their own barriers, at which all threads of both arrive, when both have completed the phase before.
struct barrier_of_both {
  cuda::barrier<cuda::thread_scope_cluster>& bar;

  __device__ auto arrive(int update = 1) {
    cudasync::remote_barrier(bar, blockIdx.x ^ 1).arrive(update);
    return bar.arrive(update);
  }
  __device__ void wait(unsigned long long token) { bar.wait(static_cast<unsigned long long&&>(token)); }
  __device__ void wait_parity(bool parity) { bar.wait_parity(parity); }
  __device__ bool try_wait(unsigned long long token) { return bar.try_wait(token); }
  __device__ bool try_wait_parity(bool parity) { return bar.try_wait_parity(parity); }
  __device__ bool try_wait_for(unsigned long long token, nanoseconds time) { return bar.try_wait_for(token, time); }
  __device__ bool try_wait_parity_for(bool parity, nanoseconds time) { return bar.try_wait_parity_for(parity, time); }
  __device__ void arrive_and_wait() {
    cudasync::cluster_barrier::arrive_and_wait(cudasync::unaligned);
    cudasync::remote_barrier(bar, blockIdx.x ^ 1).arrive();
    bar.arrive_and_wait();
    cudasync::cluster_barrier::arrive_and_wait(cudasync::unaligned);
  }
};
#endif

// run: grid=2 block=4 cluster=2 needs=90
extern "C" __global__ void all_ways_in_a_cluster(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  __shared__ cuda::barrier<cuda::thread_scope_cluster> bar;
  const cudasync::cluster_exit_guard guard;
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects<8>(bar));
  barrier_of_both both{bar};
  meet_in_all_ways(both, failures, scratch, gridDim.x * blockDim.x, blockIdx.x * blockDim.x + threadIdx.x);
#endif
}

// Of the threads of both blocks that arrive in block 0, every second one drops out.
// run: grid=2 block=8 cluster=2 needs=90
extern "C" __global__ void drops_in_a_cluster(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  __shared__ cuda::barrier<cuda::thread_scope_cluster> bar;
  const cudasync::cluster_exit_guard guard;
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects<16>(bar));
  const bool drops = threadIdx.x % 2 == 1;
  scratch[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  if (blockIdx.x == 1) {
    const cudasync::remote_barrier there(bar, 0);
    return drops ? there.arrive_and_drop() : there.arrive();
  }
  if (drops) return bar.arrive_and_drop();
  bar.arrive_and_wait();
  for (unsigned index = 0; index < 16; ++index)
    EXPECT(scratch[index] == 1);
  static_cast<void>(bar.arrive(threadIdx.x == 0 ? 5 : 1));
  bar.wait_parity(true);
#endif
}

// Bytes that count for a barrier without a copy: a phase ends when they are complete.
template <class Barrier>
__device__ void count_bytes(Barrier& bar, unsigned* failures, int* slots) {
  const auto meet = [&](int round, auto arrive) {
    __syncwarp();  // so that an arrival for the other thread does not overtake its wait for the phase before
    if (threadIdx.x == 0) slots[0] = round;
    arrive();
    if (threadIdx.x == 0) cudasync::device::barrier_complete_tx(bar, 16);
    bar.wait_parity(false);
    EXPECT(slots[0] == round);
    bar.arrive_and_wait();
  };
  meet(1, [&] { static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, 8)); });
  meet(2, [&] {
    if (threadIdx.x == 0) static_cast<void>(cuda::device::barrier_arrive_tx(bar, 2, 16));
  });
  meet(3, [&] {
    if (threadIdx.x == 1) cuda::device::barrier_expect_tx(bar, 16);
    static_cast<void>(bar.arrive());
  });
  if (threadIdx.x == 1) {
    slots[1] = 6;
    static_cast<void>(cudasync::device::barrier_arrive_and_drop_tx(bar, 0));
    return;
  }
  static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, 0));
  bar.wait_parity(false);
  EXPECT(slots[1] == 6);
  bar.arrive_and_wait();
}

// run: block=2 needs=90
extern "C" __global__ void bytes_of_a_block(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  __shared__ block_barrier bar;
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<2>(bar));
  count_bytes(bar, failures, scratch);
#endif
}

// run: grid=2 block=2 cluster=2 needs=90
extern "C" __global__ void bytes_of_a_cluster(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  __shared__ cuda::barrier<cuda::thread_scope_cluster> bar;
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects<2>(bar));
  count_bytes(bar, failures, scratch + 64 * blockIdx.x);
#endif
}

// Barriers in memory that the compiler does not know: what it concludes from the check of one must hold for the others.
template <class Barrier>
__device__ void use_two(Barrier (&own)[3], unsigned* failures, int* slots) {
  Barrier* bars = own;
  asm volatile("" : "+l"(bars));
  if (threadIdx.x == 1) {
    slots[0] = 1;
    static_cast<void>(cuda::device::barrier_arrive_tx(bars[2], 1, 0));
    if (slots[1] == 0) static_cast<void>(bars[0].arrive());
  } else {
    bars[2].wait_parity(false);
    EXPECT(slots[0] == 1);
    if (slots[1] == 0) bars[0].wait_parity(false);
  }
}

// run: block=2 needs=90
extern "C" __global__ void two_of_a_block(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  __shared__ block_barrier bars[3];
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<1>(bars));
  use_two(bars, failures, scratch);
#endif
}

// run: grid=2 block=2 cluster=2 needs=90
extern "C" __global__ void two_of_a_cluster(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  __shared__ cuda::barrier<cuda::thread_scope_cluster> bars[3];
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects<1>(bars));
  use_two(bars, failures, scratch + 64 * blockIdx.x);
#endif
}

// Arrivals with bytes that release to threads of the other block, which see nothing else of them.
// run: grid=2 block=1 cluster=2 needs=90
extern "C" __global__ void bytes_that_release_to_a_cluster(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  __shared__ cuda::barrier<cuda::thread_scope_cluster> bars[5];
  const cudasync::cluster_exit_guard guard;
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects<2>(bars));
  const auto send = [&](int index, auto arrive) {
    if (blockIdx.x == 0) {
      scratch[index] = 1;
      arrive(cudasync::remote_barrier(bars[index], 1));
    } else {
      bars[index].wait_parity(false);
      EXPECT(scratch[index] == 1);
    }
  };
  using remote = cudasync::remote_barrier;
  send(0, [](remote there) { there.arrive(2); });
  send(1, [](remote there) {
    there.arrive_tx(0);
    there.arrive_tx(0);
  });
  send(2, [](remote there) {
    there.expect_tx(0);
    there.arrive_and_drop();
    there.arrive_and_drop();
  });
#endif
}

// Both parts of a grid's phase.
// run: grid=3 block=33
extern "C" __global__ void grid_in_two_steps(unsigned* failures, int* scratch) {
  auto& bar = *reinterpret_cast<cudasync::grid_barrier<>*>(scratch + 512);
  write_and_meet(failures, scratch, gridDim.x * blockDim.x, blockIdx.x * blockDim.x + threadIdx.x, 3, [&](int) {
    auto token = bar.arrive();
    bar.wait(static_cast<decltype(token)&&>(token));
  });
}

// run: grid=2 block=33 cluster=2 needs=90
extern "C" __global__ void cluster_as_a_group(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  write_and_meet(failures, scratch, gridDim.x * blockDim.x, blockIdx.x * blockDim.x + threadIdx.x, 3,
                 [&](int) { cudasync::this_cluster().sync(); });
#endif
}

// run: grid=2 block=33 cluster=2 needs=90
extern "C" __global__ void cluster_in_two_steps(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  using cudasync::cluster_barrier;
  const unsigned threads = gridDim.x * blockDim.x;
  const unsigned rank = blockIdx.x * blockDim.x + threadIdx.x;
  write_and_meet(failures, scratch, threads, rank, 2, [&](int) { cluster_barrier::wait(cluster_barrier::arrive()); });
  write_and_meet(failures, scratch + 256, threads, rank, 2, [&](int) {
    cluster_barrier::wait(cluster_barrier::arrive(cudasync::unaligned), cudasync::unaligned);
  });
  write_and_meet(failures, scratch + 512, threads, rank, 2,
                 [&](int) { cluster_barrier::arrive_and_wait(cudasync::unaligned); });
#endif
}

// Not in the checked build, where the first arrivals at a barrier without init race for its record.
// run: grid=2 block=8 cluster=2 needs=90
extern "C" __global__ void cluster_barrier_by_constructor(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900 && !CUDASYNC_CHECKED
  using barrier = cuda::barrier<cuda::thread_scope_cluster>;
  __shared__ unsigned char room[sizeof(barrier)] __attribute__((aligned(8)));
  auto& bar = *reinterpret_cast<barrier*>(room);
  if (threadIdx.x == 0) new (&bar) barrier(blockDim.x);
  __syncthreads();
  write_and_meet(failures, scratch + 64 * blockIdx.x, blockDim.x, threadIdx.x, 3, [&](int) { bar.arrive_and_wait(); });
#endif
}

// After each phase, block 0 completes the next one alone, at a time when the refill of block 1 may still be pending.
__device__ void arrive_early(unsigned* failures, int* scratch, int expected) {
  device_barrier& bar = *reinterpret_cast<device_barrier*>(scratch + 512);
  start_together(scratch + 600, [&] { init(&bar, expected); });
  for (int round = 1; round <= 6; ++round) {
    if (blockIdx.x == 1) {
      scratch[0] = round;
      static_cast<void>(bar.arrive());
      while (atomicAdd(scratch + 700, 0) != round) {
      }
      __threadfence();
    } else {
      bar.wait(bar.arrive(expected - 1));
      EXPECT(scratch[0] == round);
      static_cast<void>(bar.arrive(expected));
      bar.wait_parity(true);
      __threadfence();
      atomicExch(scratch + 700, round);
    }
  }
}

// The same with threads that wait immediately: blocks 0 and 2 complete every other phase.
// run: grid=3 block=1 seeds=20
extern "C" __global__ void early_arrivals_that_wait(unsigned* failures, int* scratch) {
  device_barrier& bar = *reinterpret_cast<device_barrier*>(scratch + 512);
  start_together(scratch + 600, [&] { init(&bar, 2); });
  for (int round = 1; round <= 6; ++round) {
    if (blockIdx.x == 1) {
      scratch[0] = round;
      static_cast<void>(bar.arrive());
      while (atomicAdd(scratch + 700, 0) != 2 * round) {
      }
      __threadfence();
    } else {
      if (blockIdx.x == 0) static_cast<void>(bar.arrive());
      bar.wait_parity(false);
      EXPECT(scratch[0] == round);
      bar.arrive_and_wait();
      __threadfence();
      atomicAdd(scratch + 700, 1);
    }
  }
}

// run: grid=2 block=1 seeds=20
extern "C" __global__ void early_arrivals(unsigned* failures, int* scratch) {
  arrive_early(failures, scratch, 2);
}

// run: grid=2 block=1 seeds=20
extern "C" __global__ void many_early_arrivals(unsigned* failures, int* scratch) {
  arrive_early(failures, scratch, 100000000);
}

struct alignas(16) four_words {
  unsigned words[4];
};
struct alignas(8) two_floats {
  float first, second;
};

// Every thread sends values of 4, 8 and 16 bytes to the other block, which expects them. The cells are read and sent
// again: the next values come only after an arrival that says that the first were read.
// run: grid=2 block=32 cluster=2 needs=90 seeds=8
extern "C" __global__ void remote_values(unsigned* failures, int*) {
#if __CUDA_ARCH__ >= 900
  __shared__ cuda::barrier<cuda::thread_scope_cluster> full;
  __shared__ cuda::barrier<cuda::thread_scope_cluster> empty;
  __shared__ int small[32];
  __shared__ two_floats middle[32];
  __shared__ four_words large[32];
  const unsigned lane = threadIdx.x;
  const cudasync::cluster_exit_guard guard;
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects<1>(full), cudasync::expects<32>(empty));
  const cudasync::remote_barrier there(full, blockIdx.x ^ 1);
  for (unsigned round = 0; round < 3; ++round) {
    if (lane == 0)
      static_cast<void>(cuda::device::barrier_arrive_tx(full, 1, sizeof small + sizeof middle + sizeof large));
    if (round != 0) empty.wait_parity(round % 2 == 0);
    const unsigned mine = blockIdx.x * 1000 + round * 100 + lane;
    there.store_async(&small[lane], static_cast<int>(mine));
    there.store_async(&middle[lane], two_floats{static_cast<float>(mine), -1});
    there.store_async(&large[lane], four_words{{mine, mine + 1, mine + 2, mine + 3}});
    full.wait_parity(round % 2 != 0);
    const unsigned from = (blockIdx.x ^ 1) * 1000 + round * 100 + 31 - lane;
    EXPECT(small[31 - lane] == static_cast<int>(from));
    EXPECT(middle[31 - lane].first == static_cast<float>(from) && middle[31 - lane].second == -1);
    for (unsigned word = 0; word < 4; ++word)
      EXPECT(large[31 - lane].words[word] == from + word);
    cudasync::remote_barrier(empty, blockIdx.x ^ 1).arrive();
  }
#endif
}

// Two blocks reduce into block 0.
// run: grid=3 block=8 cluster=3 needs=90 seeds=8
extern "C" __global__ void remote_reductions(unsigned* failures, int*) {
#if __CUDA_ARCH__ >= 900
  __shared__ cuda::barrier<cuda::thread_scope_cluster> bar;
  __shared__ unsigned sum, turns, left, bits[3];
  __shared__ unsigned long long wide;
  __shared__ long long negative;
  __shared__ int least;
  __shared__ unsigned most;
  const unsigned rank = (blockIdx.x - 1) * 8 + threadIdx.x;  // among the threads of these two blocks
  const cudasync::cluster_exit_guard guard;
  if (threadIdx.x == 0) {
    sum = turns = left = bits[1] = bits[2] = most = 0;
    bits[0] = ~0u;
    wide = 1ull << 40;
    negative = 0;
    least = 5;
  }
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects<1>(bar));
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, 16 * (8 * 4 + 2 * 8)));
    bar.wait_parity(false);
    EXPECT(sum == 15 * 16 / 2 && wide == (1ull << 40) + 16 * (1ull << 36) && negative == -15 * 16 / 2);
    EXPECT(least == -15 && most == 0x80000000u + 15);
    EXPECT(bits[0] == 0xffff0000u && bits[1] == 0x0000ffffu && bits[2] == 0x00010001u);
    EXPECT(turns == 16 % 5 && left == 7 - 16 % 7);
    return;
  }
  const cudasync::remote_barrier there(bar, 0);
  there.add_async(&sum, rank);
  there.add_async(&wide, 1ull << 36);
  there.add_async(&negative, -static_cast<long long>(rank));
  there.min_async(&least, -static_cast<int>(rank));
  there.max_async(&most, 0x80000000u + rank);
  there.and_async(&bits[0], ~(1u << rank));
  there.or_async(&bits[1], 1u << rank);
  there.xor_async(&bits[2], 3u << rank);
  there.increment_async(&turns, 4);
  there.decrement_async(&left, 6);
#endif
}

// Tries return at once, waits with a time limit not much later than it, and as soon as the phase completes.
template <class Barrier>
__device__ void wait_for_a_time(Barrier& bar, unsigned* failures) {
  const auto now = [] {
    unsigned long long time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory");
    return time;
  };
  constexpr long long limit = 10000000;
  if (threadIdx.x == 0) {
    const auto token = bar.arrive();
    const unsigned long long start = now();
    EXPECT(!bar.try_wait(token) && !bar.try_wait_parity(false));
    EXPECT(!bar.try_wait_for(token, nanoseconds{0}) && !bar.try_wait_parity_for(false, shortest));
    EXPECT(!bar.try_wait_for(token, nanoseconds{limit}) && !bar.try_wait_parity_for(false, nanoseconds{limit}));
    EXPECT(now() - start >= 2 * limit);
    EXPECT(now() - start < 3 * limit);
    __syncwarp();
    EXPECT(bar.try_wait_for(token, longest));
  } else {
    __syncwarp();
    for (int pause = 0; pause < 20; ++pause)
      __nanosleep(100000);
    static_cast<void>(bar.arrive());
  }
}

// run: block=2
extern "C" __global__ void times_in_shared_memory(unsigned* failures, int*) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, 2);
  __syncthreads();
  wait_for_a_time(bar, failures);
}

// run: block=2
extern "C" __global__ void times_in_global_memory(unsigned* failures, int* scratch) {
  auto& bar = *reinterpret_cast<block_barrier*>(scratch);
  auto& wide = *reinterpret_cast<device_barrier*>(scratch + 64);
  if (threadIdx.x == 0) init(&bar, 2), init(&wide, 2);
  __syncthreads();
  wait_for_a_time(bar, failures);
  wait_for_a_time(wide, failures);
}

// run: grid=2 block=2 cluster=2 needs=90
extern "C" __global__ void times_in_a_cluster(unsigned* failures, int*) {
#if __CUDA_ARCH__ >= 900
  __shared__ cuda::barrier<cuda::thread_scope_cluster> bar;
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects<2>(bar));
  wait_for_a_time(bar, failures);
#endif
}

// Without another synchronization beside it.
// run: grid=2 block=4 cluster=2 needs=90
extern "C" __global__ void arrivals_and_waits_in_a_cluster(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  __shared__ cuda::barrier<cuda::thread_scope_cluster> bar;
  const cudasync::cluster_exit_guard guard;
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects<8>(bar));
  const unsigned rank = blockIdx.x * blockDim.x + threadIdx.x;
  scratch[rank] = 1;
  cudasync::remote_barrier(bar, blockIdx.x ^ 1).arrive();
  bar.arrive_and_wait();
  EXPECT(scratch[7 - rank] == 1);
#endif
}

// Who has waited drops out at once, perhaps before the phase that has completed is refilled.
// run: grid=4 block=1 seeds=40
extern "C" __global__ void drops_after_a_phase(unsigned* failures, int* scratch) {
  auto& bar = *reinterpret_cast<device_barrier*>(scratch + 512);
  start_together(scratch + 600, [&] { init(&bar, gridDim.x); });
  for (unsigned phase = 0; phase < gridDim.x; ++phase) {
    scratch[4 * phase + blockIdx.x] = 1;
    bar.arrive_and_wait();
    for (unsigned block = phase; block < gridDim.x; ++block)
      EXPECT(scratch[4 * phase + block] == 1);
    if (phase == blockIdx.x) return bar.arrive_and_drop();
  }
}

// run: block=33
extern "C" __global__ void grid_of_one_block(unsigned* failures, int* scratch) {
  auto& bar = *reinterpret_cast<cudasync::grid_barrier<>*>(scratch + 512);
  write_and_meet(failures, scratch, blockDim.x, threadIdx.x, 3, [&](int) { bar.arrive_and_wait(); });
  write_and_meet(failures, scratch + 256, blockDim.x, threadIdx.x, 2, [&](int) { bar.wait(bar.arrive()); });
}

// run: grid=2 block=2x16x3
extern "C" __global__ void grid_of_volumes(unsigned* failures, int* scratch) {
  auto& bar = *reinterpret_cast<cudasync::grid_barrier<>*>(scratch + 512);
  const unsigned rank = threadIdx.x + 2 * (threadIdx.y + 16 * threadIdx.z);
  EXPECT(cudasync::this_thread_block().thread_rank() == rank);
  write_and_meet(failures, scratch, 192, blockIdx.x * 96 + rank, 3, [&](int) { bar.arrive_and_wait(); });
}

// Each number that a group has, where no two dimensions are equal. scratch: how many threads have each rank.
// run: grid=3x2x4 block=2x5x3 seeds=1 words=30 each=24
extern "C" __global__ void ranks_in_volumes(unsigned* failures, int* scratch) {
  const auto block = cudasync::this_thread_block();
  EXPECT(block.size() == 30);
  EXPECT(block.thread_rank() == threadIdx.x + 2 * threadIdx.y + 10 * threadIdx.z);
  atomicAdd(scratch + block.thread_rank(), 1);
  EXPECT(cudasync::this_grid().num_blocks() == 24);
  EXPECT(cudasync::this_grid().block_rank() == blockIdx.x + 3 * blockIdx.y + 6 * blockIdx.z);
}

// run: grid=4x3x2 block=3x2x2 cluster=2x3x1 seeds=1 needs=90
extern "C" __global__ void ranks_in_clusters_of_volume(unsigned* failures, int*) {
#if __CUDA_ARCH__ >= 900
  const auto cluster = cudasync::this_cluster();
  const unsigned block = blockIdx.x % 2 + 2 * blockIdx.y, thread = threadIdx.x + 3 * threadIdx.y + 6 * threadIdx.z;
  EXPECT(cluster.num_blocks() == 6 && cluster.block_rank() == block);
  EXPECT(cluster.size() == 72 && cluster.thread_rank() == 12 * block + thread);
#endif
}

// run: block=96 seeds=2
extern "C" __global__ void elected_threads(unsigned* failures, int* scratch) {
  if (threadIdx.x < 32) {
    if (cudasync::elect_one()) atomicAdd(scratch, 1);
  } else if (cudasync::elect_one()) {
    atomicAdd(scratch, 100);
  }
  if (cudasync::elect_one_of_warp()) atomicAdd(scratch + 1, 1);
  __syncthreads();
  EXPECT(scratch[0] == 1 && scratch[1] == 3);
}

// All forms, with votes that differ: of some threads, of all, and of none.
template <class Barrier, class... Form>
__device__ void vote(const Barrier& bar, unsigned* failures, Form... form) {
  const bool is_even = threadIdx.x % 2 == 0;
  EXPECT(bar.sync_count(is_even, form...) == 32 && bar.sync_count(true, form...) == 64);
  EXPECT(bar.sync_or(is_even, form...) && !bar.sync_or(false, form...));
  EXPECT(!bar.sync_and(is_even, form...) && bar.sync_and(true, form...));
}
template <class Barrier, class... Form>
__device__ void send_one_way(const Barrier& bar, unsigned* failures, int* scratch, Form... form) {
  bar.sync(form...);  // the first arrival has fences of its own in the checked build: it makes a record
  if (threadIdx.x < 32) {
    scratch[threadIdx.x] = 1;
    bar.arrive(form...);
  } else {
    bar.sync(form...);
    EXPECT(scratch[threadIdx.x - 32] == 1);
  }
}

// run: block=64
extern "C" __global__ void named_votes(unsigned* failures, int* scratch) {
  using cudasync::unaligned;
  vote(cudasync::named_barrier<1, 64>(), failures);
  vote(cudasync::named_barrier<2, 64>(), failures, unaligned);
  vote(cudasync::named_barrier<3>(), failures);
  vote(cudasync::named_barrier<4>(), failures, unaligned);
  vote(cudasync::dynamic_named_barrier(5 + scratch[10000], 64), failures);
  vote(cudasync::dynamic_named_barrier(6 + scratch[10000], 64), failures, unaligned);
  send_one_way(cudasync::named_barrier<7, 64>(), failures, scratch);
  send_one_way(cudasync::named_barrier<8, 64>(), failures, scratch + 64, unaligned);
  send_one_way(cudasync::dynamic_named_barrier(9 + scratch[10000], 64), failures, scratch + 128);
  send_one_way(cudasync::dynamic_named_barrier(10 + scratch[10000], 64), failures, scratch + 192, unaligned);
}

// Only the barriers that it is given.
// run: block=1 needs=80 seeds=1
extern "C" __global__ void memory_beside_a_barrier(unsigned* failures, int*) {
  __shared__ struct {
    block_barrier bar;
    unsigned long long beside;
  } both;
  both.beside = 7;
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects(both.bar, 1));
  both.bar.arrive_and_wait();
  EXPECT(both.beside == 7);
}

// --- What is not an mbarrier ---

// A barrier in global memory may end there, too.
// run: block=2
extern "C" __global__ void end_of_a_barrier_in_global_memory(unsigned* failures, int* scratch) {
  auto& bar = *reinterpret_cast<block_barrier*>(scratch);
  if (threadIdx.x == 0) init(&bar, 2);
  __syncthreads();
  bar.arrive_and_wait();
  __syncthreads();
  if (threadIdx.x != 0) return;
  invalidate(&bar);
  scratch[0] = 7;
  EXPECT(scratch[0] == 7);
}

// Where only an mbarrier will do, the kernel ends, also in the release build.
// run: needs=90 traps=1
extern "C" __global__ void transaction_in_global_memory(unsigned*, int* scratch) {
#if __CUDA_ARCH__ >= 900
  auto& bar = *reinterpret_cast<block_barrier*>(scratch);
  init(&bar, 1);
  static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, 16));
#endif
}

// run: needs=90 traps=1
extern "C" __global__ void cluster_scope_in_global_memory(unsigned*, int* scratch) {
#if __CUDA_ARCH__ >= 900
  auto& bar = *reinterpret_cast<cuda::barrier<cuda::thread_scope_cluster>*>(scratch);
  static_cast<void>(bar.try_wait_parity(true));
#endif
}

// run: grid=2 cluster=2 needs=90 traps=1
extern "C" __global__ void block_scope_in_another_block(unsigned*, int*) {
#if __CUDA_ARCH__ >= 900
  __shared__ block_barrier bar;
  init(&bar, 2);
  cudasync::this_cluster().sync();
  auto& there = *static_cast<block_barrier*>(__cluster_map_shared_rank(&bar, blockIdx.x ^ 1));
  static_cast<void>(there.arrive());
  cudasync::this_cluster().sync();
#endif
}

// Vectors whose elements all differ, each stored by one instruction into the other block.
// run: grid=2 block=1 cluster=2 needs=90
extern "C" __global__ void remote_vectors(unsigned* failures, int*) {
#if __CUDA_ARCH__ >= 900
  namespace ptx = cudasync::ptx;
  __shared__ cuda::barrier<cuda::thread_scope_cluster> full;
  __shared__ alignas(16) unsigned two[2], four[4];
  const cudasync::cluster_exit_guard guard;
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects<1>(full));
  static_cast<void>(cuda::device::barrier_arrive_tx(full, 1, sizeof two + sizeof four));
  const auto there = [](const void* place) { return ptx::mapa(ptx::to_shared(place), blockIdx.x ^ 1); };
  const cudasync::uint32 words[] = {1, 2, 3, 4, 5, 6};
  ptx::st_async(there(two), {words[0], words[1]}, there(&full));
  ptx::st_async(there(four), {words[2], words[3], words[4], words[5]}, there(&full));
  full.wait_parity(false);
  EXPECT(two[0] == 1 && two[1] == 2);
  for (unsigned word = 0; word < 4; ++word)
    EXPECT(four[word] == 3 + word);
#endif
}

// A multiprocessor holds 64 warps. A block has nine here, and its first row of threads is a part of one.
// run: block=8x4x9 seeds=1
extern "C" __global__ void blocks_that_fit(unsigned* failures, int*) {
  const unsigned most = 64 * cudasync::ptx::get_sreg_nsmid() / 9;
  EXPECT(cudasync::backend::may_be_resident(most));
  EXPECT(!cudasync::backend::may_be_resident(most + 1));
}
