// Barriers: what each thread wrote before its arrival, all see after their wait; slots are reused in the next phase.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.h"

#include <cuda/barrier>
#include <cuda/cluster_barrier>
#include <cuda/grid_barrier>
#include <cuda/named_barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;
using device_barrier = cuda::barrier<cuda::thread_scope_device>;

struct count_phases {
  int* count;
  __device__ void operator()() { ++*count; }
};
using counting_barrier = cuda::barrier<cuda::thread_scope_block, count_phases>;
using counting_device_barrier = cuda::barrier<cuda::thread_scope_device, count_phases>;

// Threads write their slots, meet, and read those of two others.
template <class Meet>
__device__ void exchange(unsigned* failures, int* slots, unsigned threads, unsigned rank, int phases, Meet meet) {
  for (int phase = 1; phase <= phases; ++phase) {
    int* const now = slots + phase % 2 * threads;
    now[rank] = phase;
    meet(phase);
    EXPECT(now[(rank + 1) % threads] == phase);
    EXPECT(now[(rank + threads / 2) % threads] == phase);
  }
}

// run: block=48
extern "C" __global__ void shared_by_token(unsigned* failures, int* scratch) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  exchange(failures, scratch, blockDim.x, threadIdx.x, 3, [&](int) { bar.wait(bar.arrive()); });
}

// run: block=48
extern "C" __global__ void shared_by_parity(unsigned* failures, int* scratch) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  exchange(failures, scratch, blockDim.x, threadIdx.x, 3, [&](int phase) {
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
  exchange(failures, scratch, blockDim.x, threadIdx.x, 3, [&](int) { bar.arrive_and_wait(); });
}

// run: block=40
extern "C" __global__ void drops(unsigned* failures, int* scratch) {
  __shared__ block_barrier bar;
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

// run: block=36
extern "C" __global__ void global_memory(unsigned* failures, int* scratch) {
  block_barrier& bar = *reinterpret_cast<block_barrier*>(scratch + 512);
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  exchange(failures, scratch, blockDim.x, threadIdx.x, 3, [&](int) { bar.arrive_and_wait(); });
}

// run: block=36
extern "C" __global__ void completion(unsigned* failures, int* scratch) {
  __shared__ counting_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x, count_phases{scratch + 512});
  __syncthreads();
  exchange(failures, scratch, blockDim.x, threadIdx.x, 3, [&](int phase) {
    bar.wait(bar.arrive());
    EXPECT(scratch[512] == phase);
  });
}

// The blocks' barrier lies in global memory, zero at first: init is its first block's.
// run: grid=3 block=8
extern "C" __global__ void device_scope(unsigned* failures, int* scratch) {
  device_barrier& bar = *reinterpret_cast<device_barrier*>(scratch + 512);
  start_together(scratch + 600, [&] { init(&bar, gridDim.x * blockDim.x); });
  exchange(failures, scratch, gridDim.x * blockDim.x, blockIdx.x * blockDim.x + threadIdx.x, 3,
           [&](int) { bar.arrive_and_wait(); });
}

// run: grid=2 block=8
extern "C" __global__ void device_completion(unsigned* failures, int* scratch) {
  counting_device_barrier& bar = *reinterpret_cast<counting_device_barrier*>(scratch + 512);
  start_together(scratch + 600, [&] { init(&bar, gridDim.x * blockDim.x, count_phases{scratch + 580}); });
  exchange(failures, scratch, gridDim.x * blockDim.x, blockIdx.x * blockDim.x + threadIdx.x, 3, [&](int phase) {
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

// run: grid=4 block=33
extern "C" __global__ void grid(unsigned* failures, int* scratch) {
  auto& bar = *reinterpret_cast<cudasync::grid_barrier<>*>(scratch + 512);
  exchange(failures, scratch, gridDim.x * blockDim.x, blockIdx.x * blockDim.x + threadIdx.x, 3,
           [&](int) { bar.arrive_and_wait(); });
}

// run: block=96
extern "C" __global__ void named(unsigned* failures, int* scratch) {
  if (threadIdx.x >= 64) return;
  exchange(failures, scratch, 64, threadIdx.x, 3, [&](int) { cudasync::named_barrier<1, 64>::sync(); });
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
  exchange(failures, scratch, gridDim.x * blockDim.x, blockIdx.x * blockDim.x + threadIdx.x, 3,
           [&](int) { cudasync::cluster_barrier::arrive_and_wait(); });
#endif
}

// A barrier of device scope that lies in the shared memory of another block.
// run: grid=2 block=8 cluster=2 needs=90
extern "C" __global__ void device_scope_in_another_block(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  __shared__ unsigned char room[sizeof(device_barrier)] __attribute__((aligned(8)));
  auto& bar = *static_cast<device_barrier*>(__cluster_map_shared_rank(room, 0));
  if (blockIdx.x == 0 && threadIdx.x == 0) init(&bar, gridDim.x * blockDim.x);
  cudasync::cluster_barrier::arrive_and_wait();
  exchange(failures, scratch, gridDim.x * blockDim.x, blockIdx.x * blockDim.x + threadIdx.x, 3,
           [&](int) { bar.arrive_and_wait(); });
  cudasync::cluster_barrier::arrive_and_wait();
#endif
}

// Two warps write a buffer and two read it, in turn.
// run: block=128
extern "C" __global__ void channel(unsigned* failures, int* scratch) {
  using full = cudasync::named_barrier<4, 128>;
  using empty = cudasync::named_barrier<5, 128>;
  using channel = cudasync::named_channel<full, empty>;
  if (threadIdx.x < 64) {
    channel::producer out;
    for (int turn = 1; turn <= 3; ++turn) {
      out.acquire();
      scratch[threadIdx.x] = turn;
      out.commit();
    }
  } else {
    channel::consumer in;
    for (int turn = 1; turn <= 3; ++turn) {
      in.wait();
      EXPECT(scratch[127 - threadIdx.x] == turn);
      in.release();
    }
  }
}

// Every thread of the cluster arrives in block 0, whose threads alone wait.
// run: grid=2 block=24 cluster=2 needs=90
extern "C" __global__ void remote(unsigned* failures, int* scratch) {
#if __CUDA_ARCH__ >= 900
  __shared__ cuda::barrier<cuda::thread_scope_cluster> bar;
  const cudasync::cluster_exit_guard guard;
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects<48>(bar));
  scratch[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  cudasync::remote_barrier(bar, 0).arrive();
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
  cuda::device::fence_before_bulk_copy();
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
