// cuda::barrier among blocks, in one thread alone, and between the host and the device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/common_memory.h"
#include "../support/exchange.h"
#include "../support/gpu_test.h"

#include <cuda/atomic>
#include <cuda/barrier>

#include <atomic>
#include <chrono>
#include <new>
#include <thread>
#include <utility>
#include <vector>

using gpu_test::device_array;

// A barrier is initialized from the host: its constructor and its functions are there, too.
template <class Barrier>
class initialized_barrier {
 public:
  explicit initialized_barrier(std::ptrdiff_t expected) {
    alignas(Barrier) unsigned char bytes[sizeof(Barrier)];
    new (bytes) Barrier(expected);
    gpu_test::expect_success(cudaMemcpy(memory_.get(), bytes, sizeof bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  Barrier* get() const { return memory_.get(); }

 private:
  device_array<Barrier> memory_{1};
};

// All threads of all blocks arrive. Slots of other multiprocessors go through caches that only an acquire passes by.
template <class Sync, class Barrier>
__global__ void exchange_in_grid(Barrier* bar, int* slots, int rounds) {
  exchange<Sync>(*bar, slots, gridDim.x * blockDim.x, blockIdx.x * blockDim.x + threadIdx.x, rounds);
}

// One thread of each block arrives for it.
struct by_block_leader {
  template <class Barrier>
  static __device__ __forceinline__ void sync(Barrier& bar, bool) {
    __syncthreads();
    if (threadIdx.x == 0) bar.arrive_and_wait();
    __syncthreads();
  }
};

template <class Barrier, class Sync>
void exchange_with(unsigned threads, bool leader_only) {
  const auto kernel = exchange_in_grid<Sync, Barrier>;
  unsigned blocks = gpu_test::resident_blocks(kernel, static_cast<int>(threads));
  if (blocks > 264) blocks = 264;
  CHECK(blocks > 1);
  const initialized_barrier<Barrier> bar(leader_only ? blocks : blocks * threads);
  const device_array<int> slots(2 * blocks * threads);
  gpu_test::shape how{blocks, threads};
  how.cooperative = true;
  gpu_test::run(kernel, how, bar.get(), slots.get(), 100);
}

template <class Barrier>
void exchange_among_blocks() {
  for (const unsigned threads : {1, 33, 256, 1024}) {
    exchange_with<Barrier, by_arrive_and_wait>(threads, false);
    exchange_with<Barrier, by_token>(threads, false);
    exchange_with<Barrier, by_parity>(threads, false);
    exchange_with<Barrier, by_warp_leader>(threads, false);
    exchange_with<Barrier, by_block_leader>(threads, true);
  }
}
// Global barriers are initialized by a constant expression.
__device__ cuda::barrier<cuda::thread_scope_device> global_barrier(64);
__device__ cuda::barrier<cuda::thread_scope_system> global_barriers[2] = {1, 64};

__global__ void use_global_barriers() {
  global_barrier.arrive_and_wait();
  global_barriers[1].arrive_and_wait();
  if (threadIdx.x == 0) global_barriers[0].arrive_and_wait();
  DEVICE_CHECK(global_barrier.try_wait_parity(false) && global_barriers[1].try_wait_parity(false));
}
TEST(global_barriers_need_no_initialization) {
  gpu_test::run(use_global_barriers, {1, 64});
}

TEST(device_barrier_among_all_blocks) {
  exchange_among_blocks<cuda::barrier<cuda::thread_scope_device>>();
}
TEST(system_barrier_among_all_blocks) {
  exchange_among_blocks<cuda::barrier<cuda::thread_scope_system>>();
}
TEST(standard_barrier_among_all_blocks) {
  exchange_among_blocks<cuda::std::barrier<>>();
}

// Half of the blocks drop out after each power of two rounds; the others go on without them.
__global__ void blocks_drop_out(cuda::barrier<cuda::thread_scope_device>* bar, int* slots) {
  const unsigned rank = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned remaining = gridDim.x;
  for (int round = 0; remaining > 0; ++round) {
    int* const now = slots + (round % 2) * static_cast<int>(gridDim.x * blockDim.x);
    now[rank] = round + 1;
    const unsigned staying = remaining / 2;
    if (blockIdx.x >= staying) return bar->arrive_and_drop();
    bar->arrive_and_wait();
    for (unsigned block = 0; block < remaining; block += 3)
      DEVICE_CHECK(now[block * blockDim.x + threadIdx.x] == round + 1);
    remaining = staying;
  }
}
TEST(blocks_may_drop_out) {
  constexpr unsigned blocks = 100, threads = 96;
  const initialized_barrier<cuda::barrier<cuda::thread_scope_device>> bar(blocks * threads);
  const device_array<int> slots(2 * blocks * threads);
  gpu_test::shape how{blocks, threads};
  how.cooperative = true;
  gpu_test::run(blocks_drop_out, how, bar.get(), slots.get());
}

// Drops beside threads that wait for their phases.
__global__ void drop_in_a_crowd(cuda::barrier<cuda::thread_scope_device>* bar, unsigned drops, int rounds) {
  if (blockIdx.x != 0) {
    for (int round = 0; round < rounds; ++round)
      bar->arrive_and_wait();
    return;
  }
  if (threadIdx.x != 0) return;
  for (unsigned drop = 0; drop < drops; ++drop) {
    const unsigned long long begin = gpu_test::nanoseconds();
    bar->arrive_and_drop();
    DEVICE_CHECK(gpu_test::nanoseconds() - begin < 100000000);
    if (drop + 1 < drops) bar->wait(bar->arrive(drops - drop - 1));  // the rest of this phase
  }
}
TEST(drops_end_in_a_crowd) {
  constexpr unsigned drops = 10, blocks = 100, threads = 256;
  const initialized_barrier<cuda::barrier<cuda::thread_scope_device>> bar(drops + (blocks - 1) * threads);
  gpu_test::shape how{blocks, threads};
  how.cooperative = true;
  gpu_test::run(drop_in_a_crowd, how, bar.get(), drops, 100);
}

// The first thread of block 0 drops out; the others arrive until it has, and complete the phases without it.
__global__ void drop_beside_arrivals(cuda::barrier<cuda::thread_scope_device>* bar,
                                     cuda::atomic<int, cuda::thread_scope_device>* dropped) {
  if (blockIdx.x == 0) {
    if (threadIdx.x != 0) return;
    __nanosleep(100000);  // the others are in their loops
    const unsigned long long begin = gpu_test::nanoseconds();
    bar->arrive_and_drop();
    dropped->store(1, cuda::memory_order_relaxed);
    DEVICE_CHECK(gpu_test::nanoseconds() - begin < 100000000);
    return;
  }
  const unsigned long long begin = gpu_test::nanoseconds();
  while (dropped->load(cuda::memory_order_relaxed) == 0) {
    static_cast<void>(bar->arrive());
    if (gpu_test::nanoseconds() - begin > 2000000000) return;  // the drop then fails its check
  }
}
TEST(drops_end_beside_threads_that_never_wait) {
  constexpr unsigned threads = 131;
  for (const unsigned expected : {2u, 66u, threads + 1, 10 * threads}) {
    for (const unsigned threads_of_block : {1u, threads}) {
      const initialized_barrier<cuda::barrier<cuda::thread_scope_device>> bar(expected);
      const device_array<cuda::atomic<int, cuda::thread_scope_device>> dropped(1);
      gpu_test::shape how{1 + threads / threads_of_block, threads_of_block};
      how.cooperative = true;
      gpu_test::run(drop_beside_arrivals, how, bar.get(), dropped.get());
    }
  }
}

// Barriers in local memory: each thread has its own, though all lie at the same address.
template <class Barrier>
__global__ void alone_in_local_memory() {
  Barrier bar(1);
  Barrier pair(2);
  for (int phase = 0; phase < 10; ++phase) {
    const bool parity = phase % 2 != 0;
    bar.arrive_and_wait();
    DEVICE_CHECK(bar.try_wait_parity(false) && !bar.try_wait_parity(true));
    bar.wait(bar.arrive(1));
    DEVICE_CHECK(bar.try_wait_parity(true) && !bar.try_wait_parity(false));
    if (threadIdx.x % 2 == 0) {  // others are in the same phase, of another barrier
      auto token = pair.arrive();
      DEVICE_CHECK(!pair.try_wait(token));
      static_cast<void>(pair.arrive());
      DEVICE_CHECK(pair.try_wait_parity(parity));
      pair.wait(std::move(token));
    }
  }
  pair.arrive_and_drop();
  static_cast<void>(pair.arrive());
  pair.arrive_and_wait();
}
TEST(barriers_of_single_threads_in_local_memory) {
  gpu_test::run(alone_in_local_memory<cuda::barrier<cuda::thread_scope_thread>>, {4, 96});
  gpu_test::run(alone_in_local_memory<cuda::barrier<cuda::thread_scope_block>>, {4, 96});
  gpu_test::run(alone_in_local_memory<cuda::barrier<cuda::thread_scope_device>>, {4, 96});
  gpu_test::run(alone_in_local_memory<cuda::barrier<cuda::thread_scope_system>>, {4, 96});
}

// A thread's barrier in memory that others could reach.
__global__ void alone_elsewhere(cuda::barrier<cuda::thread_scope_thread>* bars) {
  __shared__ cuda::barrier<cuda::thread_scope_thread> shared_bars[96];
  for (auto* bar : {&shared_bars[threadIdx.x], &bars[threadIdx.x]}) {
    init(bar, 3);
    const auto token = bar->arrive(2);
    DEVICE_CHECK(!bar->try_wait(token));
    bar->arrive_and_wait();
    DEVICE_CHECK(bar->try_wait_parity(false));
  }
}
TEST(barriers_of_single_threads_in_shared_and_global_memory) {
  const device_array<cuda::barrier<cuda::thread_scope_thread>> bars(96);
  gpu_test::run(alone_elsewhere, {1, 96}, bars.get());
}

using system_barrier = cuda::barrier<cuda::thread_scope_system>;

__global__ void meet_the_host(system_barrier* bar, int* slots, int rounds) {
  exchange<by_arrive_and_wait>(*bar, slots, blockDim.x + 1, threadIdx.x, rounds);
}
TEST(system_barrier_between_host_and_device) {
  SKIP_IF(gpu_test::attribute(cudaDevAttrHostNativeAtomicSupported) == 0, "no atomics between host and device");
  constexpr unsigned threads = 32;
  constexpr int rounds = 1000;
  system_barrier* bar = nullptr;
  int* slots = nullptr;
  gpu_test::expect_success(cudaHostAlloc(&bar, sizeof *bar, cudaHostAllocMapped), "cudaHostAlloc");
  gpu_test::expect_success(cudaHostAlloc(&slots, 2 * (threads + 1) * sizeof *slots, cudaHostAllocMapped),
                           "cudaHostAlloc");
  init(bar, threads + 1);
  gpu_test::start(meet_the_host, {1, threads}, bar, slots, rounds);
  std::thread host([&] {
    for (int round = 0; round < rounds; ++round) {
      int* const now = slots + (round % 2) * static_cast<int>(threads + 1);
      now[threads] = round + 1;
      bar->arrive_and_wait();
      for (unsigned index = 0; index < threads; ++index)
        CHECK(now[index] == round + 1);
    }
  });
  gpu_test::finish();
  host.join();
  cudaFreeHost(bar);
  cudaFreeHost(slots);
}

// A host thread that only waits writes nothing. Without native atomics, what it wrote could undo arrivals of the GPU.
__global__ void arrive_often(system_barrier* bar, int times) {
  for (int time = 0; time < times; ++time)
    static_cast<void>(bar->arrive());
}
TEST(host_threads_wait_for_arrivals_of_the_device_in_pinned_memory) {
  constexpr unsigned blocks = 64;
  constexpr unsigned threads = 32;
  constexpr int times = 20000;
  const host_array<system_barrier, host_memory::pinned> bar(1);
  init(bar.get(), blocks * threads * times);
  gpu_test::start(arrive_often, {blocks, threads}, bar.get(), times);
  std::atomic<bool> have_all_arrived{false};
  std::atomic<int> missed{0};
  std::vector<std::thread> hosts;
  for (int host = 0; host < 8; ++host)
    hosts.emplace_back([&] {
      // Waits that sleep once. How long the arrivals take depends on what else uses the bus.
      for (int late = 0; !bar[0].try_wait_parity_for(false, std::chrono::microseconds(2100)); late += have_all_arrived)
        if (late == 100) return void(++missed);
    });
  gpu_test::finish();
  have_all_arrived = true;
  for (std::thread& host : hosts)
    host.join();
  CHECK(missed == 0);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
