// Arrivals from one warp on the device: divergent lanes, several barriers, different counts, phases that pass at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/duck_time.h"
#include "../support/exchange.h"
#include "../support/gpu_test.h"

#include <cuda/barrier>

#include <type_traits>

using gpu_test::device_array;

// The four branches arrive each in a place of its own, at different times and in different ways.
template <class Barrier, memory Memory>
__global__ void lanes_diverge(Barrier* global) {
  __shared__ int slots[2][96];
  Barrier& bar = place<Memory>(global);
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (int round = 0; round < 100; ++round) {
    slots[round % 2][threadIdx.x] = round;
    if (threadIdx.x % 4 == 0) {
      gpu_test::pause(500);
      bar.arrive_and_wait();
    } else if (threadIdx.x % 4 == 1) {
      bar.wait(bar.arrive());
    } else if (threadIdx.x % 4 == 2) {
      static_cast<void>(bar.arrive());
      bar.wait_parity(round % 2 != 0);
    } else {
      const auto token = bar.arrive();
      while (!bar.try_wait_parity(round % 2 != 0)) {
      }
      DEVICE_CHECK(bar.try_wait(token));
    }
    DEVICE_CHECK(slots[round % 2][(threadIdx.x + 1) % blockDim.x] == round);
    DEVICE_CHECK(slots[round % 2][(threadIdx.x + 34) % blockDim.x] == round);
  }
}
TEST(lanes_may_diverge) {
  RUN_WITH_ALL_BARRIERS(lanes_diverge, 96);
}

// Only some lanes take part; the others have left the kernel, or do something else.
template <class Barrier, memory Memory>
__global__ void some_lanes(Barrier* global) {
  __shared__ int slots[2][48];
  Barrier& bar = place<Memory>(global);
  if (threadIdx.x == 0) init(&bar, 16);  // threads 2, 5, 8 ... 47
  __syncthreads();
  if (threadIdx.x % 3 == 0) return;
  if (threadIdx.x % 3 == 1) {
    gpu_test::pause(20000);
    return;
  }
  for (int round = 0; round < 100; ++round) {
    slots[round % 2][threadIdx.x] = round;
    bar.arrive_and_wait();
    DEVICE_CHECK(slots[round % 2][(threadIdx.x + 3) % 48] == round);
  }
}

TEST(some_lanes_may_be_elsewhere) {
  RUN_WITH_ALL_BARRIERS(some_lanes, 48);
}

// Each lane arrives on one of five barriers: every barrier must count its own lanes alone.
template <class Barrier>
__device__ void arrive_on_several(Barrier* bars) {
  if (threadIdx.x == 0) {
    for (unsigned index = 0; index < 5; ++index)
      init(bars + index, (blockDim.x + 4 - index) / 5);
  }
  __syncthreads();
  for (unsigned round = 0; round < 100; ++round) {
    Barrier& bar = bars[threadIdx.x % 5];
    const auto token = bar.arrive();
    bar.wait_parity(round % 2 != 0);
    DEVICE_CHECK(bar.try_wait(token));
    if (round % 20 != 0) continue;
    __syncthreads();
    for (unsigned index = 0; index < 5; ++index) {
      DEVICE_CHECK(bars[index].try_wait_parity(round % 2 != 0));
      DEVICE_CHECK(!bars[index].try_wait_parity(round % 2 == 0));
    }
    __syncthreads();
  }
}
template <class Barrier>
__global__ void several_barriers(Barrier* bars) {
  __shared__ Barrier shared_bars[5];
  arrive_on_several(shared_bars);
  __syncthreads();
  arrive_on_several(bars);
}
template <class Barrier>
void run_several_barriers() {
  const device_array<Barrier> bars(5);
  gpu_test::run(several_barriers<Barrier>, {1, 96}, bars.get());
}
TEST(lanes_of_a_warp_may_use_several_barriers) {
  run_several_barriers<cuda::barrier<cuda::thread_scope_block>>();
  run_several_barriers<cuda::barrier<cuda::thread_scope_device>>();
  run_several_barriers<cuda::barrier<cuda::thread_scope_system>>();
}

// Lanes arrive together with different counts, among them some that differ by powers of two alone.
template <class Barrier, memory Memory>
__global__ void different_counts(Barrier* global) {
  Barrier& bar = place<Memory>(global);
  constexpr int counts[4] = {1, 3, 0x10001, 2};
  if (threadIdx.x == 0) init(&bar, 8 * (1 + 3 + 0x10001 + 2) + 1);
  __syncthreads();
  for (int round = 0; round < 10; ++round) {
    const auto token = bar.arrive(counts[threadIdx.x % 4]);
    __syncthreads();
    DEVICE_CHECK(!bar.try_wait(token));
    __syncthreads();
    if (threadIdx.x == 5) static_cast<void>(bar.arrive());
    DEVICE_CHECK(bar.try_wait_for(token, seconds{1}));
    __syncthreads();
  }
}
TEST(lanes_may_arrive_with_different_counts) {
  RUN_WITH_ALL_BARRIERS(different_counts, 32);
}

// In one phase odd lanes drop out while even ones arrive.
template <class Barrier, memory Memory>
__global__ void some_drop(Barrier* global) {
  Barrier& bar = place<Memory>(global);
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  if (threadIdx.x % 2 != 0)
    bar.arrive_and_drop();
  else
    static_cast<void>(bar.arrive());
  bar.wait_parity(false);
  __syncthreads();
  if (threadIdx.x == 0) static_cast<void>(bar.arrive(blockDim.x / 2 - 1));
  __syncthreads();
  DEVICE_CHECK(!bar.try_wait_parity(true));
  __syncthreads();
  if (threadIdx.x == 1) static_cast<void>(bar.arrive());
  bar.wait_parity(true);
}
TEST(some_lanes_may_drop_while_others_arrive) {
  RUN_WITH_ALL_BARRIERS(some_drop, 96);
}

// More arrivals at once than a phase expects: they complete several phases. Afterwards the count must be right.
template <class Barrier, memory Memory>
__global__ void __launch_bounds__(1024) arrivals_cross_phases(Barrier* global) {
  Barrier& bar = place<Memory>(global);
  for (const unsigned expected : {1u, 2u, 3u, 7u, 31u, 1000u}) {
    if (threadIdx.x == 0) init(&bar, expected);
    __syncthreads();
    constexpr unsigned each = 11;
    for (unsigned arrival = 0; arrival < each; ++arrival)
      static_cast<void>(bar.arrive());
    __syncthreads();
    if (threadIdx.x == 0) {
      const unsigned arrivals = each * blockDim.x;
      const bool parity = arrivals / expected % 2 != 0;
      DEVICE_CHECK(bar.try_wait_parity(!parity));
      for (unsigned missing = expected - arrivals % expected; missing > 0; --missing) {
        if (missing == 1) DEVICE_CHECK(!bar.try_wait_parity(parity));
        static_cast<void>(bar.arrive());
      }
      DEVICE_CHECK(bar.try_wait_parity(parity));
    }
    __syncthreads();
  }
}
// A block's barrier does not promise this ([thread.barrier.class]: an arrival needs a positive expected count in the current
// phase); an mbarrier ends the kernel.
TEST(arrivals_may_complete_several_phases) {
  using device_barrier = cuda::barrier<cuda::thread_scope_device>;
  const device_array<device_barrier> bar(1);
  for (const unsigned threads : {32, 33, 1024}) {
    gpu_test::run(arrivals_cross_phases<device_barrier, memory::shared>, {1, threads}, bar.get());
    gpu_test::run(arrivals_cross_phases<device_barrier, memory::global>, {1, threads}, bar.get());
  }
}

// Two barriers 4 GiB apart, on which two lanes arrive at the same time with the counts 2 and 3.
__global__ void far_apart(unsigned char* bytes) {
  using barrier = cuda::barrier<cuda::thread_scope_device>;
  constexpr size_t distance = size_t{1} << 32;
  if ((reinterpret_cast<size_t>(bytes) & distance) != 0) bytes += distance;  // the addresses differ in one bit
  barrier& bar = *reinterpret_cast<barrier*>(bytes + threadIdx.x * distance);
  init(&bar, 2 + static_cast<int>(threadIdx.x));
  __syncwarp();
  const auto token = bar.arrive(2 + static_cast<int>(threadIdx.x));
  DEVICE_CHECK(bar.try_wait(token));
}
TEST(barriers_far_apart_are_not_confused) {
  unsigned char* bytes = nullptr;
  if (cudaMalloc(&bytes, (size_t{8} << 30) + 4096) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return gpu_test::skip("8 GiB of memory are needed");
  }
  gpu_test::run(far_apart, {1, 2}, bytes);
  cudaFree(bytes);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
