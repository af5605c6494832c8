// cuda::latch in a block, among blocks, and between the host and the device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/common_memory.h"
#include "../support/exchange.h"
#include "../support/gpu_test.h"
#include "../support/time_limits.h"

#include <cuda/atomic>
#include <cuda/latch>

#include <new>
#include <thread>

using gpu_test::device_array;
using block_latch = cuda::latch<cuda::thread_scope_block>;
using cluster_latch = cuda::latch<cuda::thread_scope_cluster>;
using device_latch = cuda::latch<cuda::thread_scope_device>;
using system_latch = cuda::latch<>;

// A latch serves once: each round has its own.
constexpr int rounds = 60;

// The constructor and init are there on the host, too.
template <class Latch>
class initialized_latches {
 public:
  initialized_latches(size_t count, std::ptrdiff_t expected) : memory_(count) {
    std::vector<unsigned char> bytes(count * sizeof(Latch));
    for (size_t index = 0; index < count; ++index)
      new (&bytes[index * sizeof(Latch)]) Latch(expected);
    gpu_test::expect_success(cudaMemcpy(memory_.get(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice),
                             "cudaMemcpy");
  }
  Latch* get() const { return memory_.get(); }

 private:
  device_array<Latch> memory_;
};

// --- One thread alone ---

template <class Latch>
__device__ void count_down_alone(Latch& latch) {
  init(&latch, 5);
  DEVICE_CHECK(!latch.try_wait());
  latch.count_down();
  latch.count_down(0);
  latch.count_down(3);
  DEVICE_CHECK(!latch.try_wait() && !latch.try_wait_for(nanoseconds{0}));
  latch.arrive_and_wait();
  DEVICE_CHECK(latch.try_wait() && latch.try_wait_for(nanoseconds{0}));
  latch.wait();
  latch.count_down(0);
  latch.arrive_and_wait(0);

  init(&latch, 0);
  DEVICE_CHECK(latch.try_wait());
  latch.wait();

  init(&latch, (Latch::max)());
  latch.count_down((Latch::max)() - 1);
  DEVICE_CHECK(!latch.try_wait());
  latch.arrive_and_wait(1);
  DEVICE_CHECK(latch.try_wait());

  init(&latch, 2);
  latch.arrive_and_wait(2);
}
template <class Latch>
__global__ void count_down_everywhere(Latch* latches) {
  __shared__ Latch in_shared_memory[32];
  Latch in_local_memory(7);
  DEVICE_CHECK(!in_local_memory.try_wait());
  in_local_memory.arrive_and_wait(7);
  count_down_alone(latches[threadIdx.x]);
  count_down_alone(in_shared_memory[threadIdx.x]);
  count_down_alone(in_local_memory);
}
template <class Latch>
void run_alone() {
  gpu_test::run(count_down_everywhere<Latch>, {1, 32}, device_array<Latch>(32).get());
}
TEST(latches_of_single_threads) {
  run_alone<cuda::latch<cuda::thread_scope_thread>>();
  run_alone<block_latch>();
  run_alone<cluster_latch>();
  run_alone<device_latch>();
  run_alone<system_latch>();
}

// --- All threads of a block or of a grid arrive and wait ---

struct all_arrive_and_wait {
  template <class Latch>
  static __device__ __forceinline__ void sync(Latch*& next, bool) {
    (next++)->arrive_and_wait();
  }
};
struct all_count_down {
  template <class Latch>
  static __device__ __forceinline__ void sync(Latch*& next, bool) {
    next->count_down();
    (next++)->wait();
  }
};
struct all_poll {
  template <class Latch>
  static __device__ __forceinline__ void sync(Latch*& next, bool) {
    next->count_down();
    while (!next->try_wait()) {
    }
    ++next;
  }
};
struct all_wait_for_a_while {
  template <class Latch>
  static __device__ __forceinline__ void sync(Latch*& next, bool) {
    next->count_down();
    while (!next->try_wait_for(microseconds{2})) {
    }
    DEVICE_CHECK(next->try_wait_until(device_clock::in(-1)));
    ++next;
  }
};
struct warps_count_down {
  template <class Latch>
  static __device__ __forceinline__ void sync(Latch*& next, bool) {
    __syncwarp();
    if (threadIdx.x % 32 == 0) next->count_down(blockDim.x - threadIdx.x < 32 ? blockDim.x - threadIdx.x : 32);
    (next++)->wait();
  }
};

template <memory Memory, class Latch>
__device__ __forceinline__ Latch* latches_of_block(Latch* global) {
  if constexpr (Memory == memory::shared) {
    __shared__ Latch latches[rounds];
    return latches;
  } else {
    return global + blockIdx.x * rounds;
  }
}
template <class Sync, memory Memory, class Latch>
__global__ void __launch_bounds__(1024) exchange_in_block(Latch* global, int* slots) {
  Latch* next = latches_of_block<Memory>(global);
  for (unsigned index = threadIdx.x; index < rounds; index += blockDim.x)
    init(&next[index], blockDim.x);
  __syncthreads();
  exchange<Sync>(next, slots + blockIdx.x * 2 * blockDim.x, blockDim.x, threadIdx.x, rounds);
}
template <class Sync, class Latch>
void exchange_in_blocks() {
  constexpr unsigned blocks = 4;
  const device_array<Latch> latches(blocks * rounds);
  const device_array<int> slots(blocks * 2 * 1024);
  for (const unsigned threads : {1, 31, 32, 33, 96, 256, 1024}) {
    gpu_test::run(exchange_in_block<Sync, memory::shared, Latch>, {blocks, threads}, latches.get(), slots.get());
    gpu_test::run(exchange_in_block<Sync, memory::global, Latch>, {blocks, threads}, latches.get(), slots.get());
  }
}
TEST(block_latch_of_all_threads_of_a_block) {
  exchange_in_blocks<all_arrive_and_wait, block_latch>();
  exchange_in_blocks<all_count_down, block_latch>();
  exchange_in_blocks<all_poll, block_latch>();
  exchange_in_blocks<all_wait_for_a_while, block_latch>();
  exchange_in_blocks<warps_count_down, block_latch>();
}
TEST(latches_of_wider_scopes_in_a_block) {
  exchange_in_blocks<all_arrive_and_wait, cluster_latch>();
  exchange_in_blocks<all_arrive_and_wait, device_latch>();
  exchange_in_blocks<warps_count_down, device_latch>();
  exchange_in_blocks<all_arrive_and_wait, system_latch>();
}

// Slots of other multiprocessors go through caches that only an acquire passes by.
template <class Sync, class Latch>
__global__ void __launch_bounds__(1024) exchange_in_grid(Latch* next, int* slots) {
  exchange<Sync>(next, slots, gridDim.x * blockDim.x, blockIdx.x * blockDim.x + threadIdx.x, rounds);
}
template <class Sync, class Latch>
void exchange_among_blocks() {
  for (const unsigned threads : {1, 33, 256, 1024}) {
    unsigned blocks = gpu_test::resident_blocks(exchange_in_grid<Sync, Latch>, static_cast<int>(threads));
    if (blocks > 132) blocks = 132;
    CHECK(blocks > 1);
    const initialized_latches<Latch> latches(rounds, blocks * threads);
    const device_array<int> slots(2 * blocks * threads);
    gpu_test::shape how{blocks, threads};
    how.cooperative = true;
    gpu_test::run(exchange_in_grid<Sync, Latch>, how, latches.get(), slots.get());
  }
}
TEST(device_latch_of_all_threads_of_a_grid) {
  exchange_among_blocks<all_arrive_and_wait, device_latch>();
  exchange_among_blocks<all_count_down, device_latch>();
  exchange_among_blocks<all_poll, device_latch>();
  exchange_among_blocks<all_wait_for_a_while, device_latch>();
  exchange_among_blocks<warps_count_down, device_latch>();
}
TEST(system_latch_of_all_threads_of_a_grid) {
  exchange_among_blocks<all_arrive_and_wait, system_latch>();
  exchange_among_blocks<warps_count_down, system_latch>();
}

// --- Some count down and others wait: messages ---

// Those who lead write and count down; the others wait, read, and answer in the same way. The numbers of both sides lie
// in cache lines that the readers have read in the round before.
template <class Latch>
struct dialogue {
  Latch forth[rounds], back[rounds];
  alignas(128) int questions[64];
  alignas(128) int answers[64];
};
template <class Latch>
__device__ void init_dialogue(dialogue<Latch>& shared, unsigned rank) {
  for (unsigned round = rank; round < rounds; round += 64) {
    init(&shared.forth[round], 64);
    init(&shared.back[round], 64);
  }
  shared.questions[rank] = shared.answers[rank] = 0;
}
template <class Latch>
__device__ void talk(dialogue<Latch>& shared, bool leads, unsigned rank) {
  const unsigned other = (rank + 33) % 64;
  for (int round = 0; round < rounds; ++round) {
    if (leads) {
      DEVICE_CHECK(shared.answers[other] == -round);
      shared.questions[rank] = round + 1;
      shared.forth[round].count_down();
      shared.back[round].wait();
      DEVICE_CHECK(shared.answers[other] == -round - 1);
    } else {
      shared.forth[round].wait();
      DEVICE_CHECK(shared.questions[other] == round + 1);
      shared.answers[rank] = -round - 1;
      shared.back[round].count_down();
    }
  }
}
template <class Latch>
__global__ void init_dialogues(dialogue<Latch>* dialogues) {
  init_dialogue(dialogues[blockIdx.x], threadIdx.x);
}
template <class Latch>
__global__ void talk_among_blocks(dialogue<Latch>* dialogues) {
  const unsigned half = gridDim.x / 2;
  talk(dialogues[blockIdx.x % half], blockIdx.x < half, threadIdx.x);
}
template <class Latch>
__global__ void talk_in_block() {
  __shared__ dialogue<Latch> shared;
  if (threadIdx.x < 64) init_dialogue(shared, threadIdx.x);
  __syncthreads();
  talk(shared, threadIdx.x < 64, threadIdx.x % 64);
}
template <class Latch>
void talk_in_pairs_of_blocks() {
  constexpr unsigned pairs = 32;
  const device_array<dialogue<Latch>> dialogues(pairs);
  gpu_test::shape how{2 * pairs, 64};
  how.cooperative = true;
  for (int repetition = 0; repetition < 20; ++repetition) {
    gpu_test::run(init_dialogues<Latch>, {pairs, 64}, dialogues.get());
    gpu_test::run(talk_among_blocks<Latch>, how, dialogues.get());
  }
}
TEST(messages_within_blocks) {
  gpu_test::run(talk_in_block<block_latch>, {200, 128});
  gpu_test::run(talk_in_block<cluster_latch>, {200, 128});
  gpu_test::run(talk_in_block<device_latch>, {200, 128});
  gpu_test::run(talk_in_block<system_latch>, {200, 128});
}
TEST(messages_between_blocks) {
  talk_in_pairs_of_blocks<device_latch>();
  talk_in_pairs_of_blocks<system_latch>();
}

// --- Global latches, which a constant expression initializes ---

__device__ device_latch global_latch(64);
__device__ cuda::std::latch global_latches[2] = {cuda::std::latch(1), cuda::std::latch(70)};

__global__ void use_global_latches() {
  DEVICE_CHECK(!global_latch.try_wait());
  global_latch.arrive_and_wait();
  DEVICE_CHECK(global_latch.try_wait());
  if (threadIdx.x == 5) global_latches[1].count_down(6);
  global_latches[1].arrive_and_wait();
  if (threadIdx.x == 63) global_latches[0].count_down();
  global_latches[0].wait();
}
TEST(global_latches_need_no_initialization) {
  gpu_test::run(use_global_latches, {1, 64});
}

// --- Limits of time ---

template <class Latch, memory Memory>
__global__ void timed_waits(Latch* global) {
  Latch& latch = place<Memory>(global);
  init(&latch, 2);
  latch.count_down();
  check_times_out(300000, [&] { return latch.try_wait_for(microseconds{300}); });
  check_times_out(3000000, [&] { return latch.try_wait_for(milliseconds{3}); });
  check_times_out(500000, [&] { return latch.try_wait_for(seconds{0.0005}); });
  check_times_out(400000, [&] { return latch.try_wait_until(device_clock::in(400000)); });
  check_times_out(0, [&] { return latch.try_wait_for(microseconds{0}); });
  check_times_out(0, [&] { return latch.try_wait_for(microseconds{-5}); });
  check_times_out(0, [&] { return latch.try_wait_until(device_clock::in(-1000)); });
  check_times_out(0, [&] { return latch.try_wait(); });
  latch.count_down();
  check_true_at_once([&] { return latch.try_wait_for(seconds{10}); });
  check_true_at_once([&] { return latch.try_wait_for(microseconds{0}); });
  check_true_at_once([&] { return latch.try_wait_until(device_clock::in(10000000000)); });
  check_true_at_once([&] { return latch.try_wait_until(device_clock::in(-1)); });
  check_true_at_once([&] { return latch.try_wait(); });
}

// The last thread counts down late, and the others' waits end then.
template <class Latch, memory Memory>
__global__ void late_count_down(Latch* global) {
  __shared__ int message;
  __shared__ unsigned long long counted_down;
  Latch& latch = place<Memory>(global);
  if (threadIdx.x == 0) {
    init(&latch, 1);
    message = 0;
  }
  __syncthreads();
  if (threadIdx.x == blockDim.x - 1) {
    gpu_test::pause(2000000);
    message = 7;
    counted_down = gpu_test::nanoseconds();
    latch.count_down();
  }
  const bool is_down = threadIdx.x % 3 == 0   ? latch.try_wait_for(seconds{5})
                       : threadIdx.x % 3 == 1 ? latch.try_wait_until(device_clock::in(5000000000))
                                              : (latch.wait(), true);
  const unsigned long long now = gpu_test::nanoseconds();
  DEVICE_CHECK(is_down);
  DEVICE_CHECK(message == 7);
  DEVICE_CHECK(now + 1000000 > counted_down);  // the multiprocessor's clock, within its step
  DEVICE_CHECK(now < counted_down + latest_return);
}
template <class Latch>
void run_timed() {
  const device_array<Latch> latch(1);
  gpu_test::run(timed_waits<Latch, memory::shared>, {1, 1}, latch.get());
  gpu_test::run(timed_waits<Latch, memory::global>, {1, 1}, latch.get());
  gpu_test::run(late_count_down<Latch, memory::shared>, {1, 96}, latch.get());
  gpu_test::run(late_count_down<Latch, memory::global>, {1, 96}, latch.get());
}
TEST(timed_waits_end_at_their_time_or_at_zero) {
  run_timed<block_latch>();
  run_timed<cluster_latch>();
  run_timed<device_latch>();
  run_timed<system_latch>();
}

// --- Host and device ---

// The host counts down, and the device only looks: for that, loads and stores of mapped memory are enough.
__global__ void wait_for_host(const system_latch* latches, const int* data, cuda::atomic<int>* answer, int count) {
  for (int round = 0; round < count; ++round) {
    latches[round].wait();
    DEVICE_CHECK(data[round] == round + 1);
    __syncwarp();
    if (threadIdx.x == 0) answer->store(round + 1, cuda::memory_order_release);
  }
}
TEST(device_waits_for_host) {
  SKIP_IF(gpu_test::attribute(cudaDevAttrCanMapHostMemory) == 0, "no mapped memory");
  constexpr int count = 300;
  const host_array<system_latch, host_memory::pinned> latches(count);
  const host_array<int, host_memory::pinned> data(count);
  const host_array<cuda::atomic<int>, host_memory::pinned> answer(1);
  for (int round = 0; round < count; ++round)
    init(&latches[static_cast<size_t>(round)], 3);
  gpu_test::start(wait_for_host, {1, 32}, latches.get(), data.get(), answer.get(), count);
  for (int round = 0; round < count; ++round) {
    system_latch& latch = latches[static_cast<size_t>(round)];
    latch.count_down(2);
    data[static_cast<size_t>(round)] = round + 1;
    CHECK(!latch.try_wait());
    latch.count_down();
    const bool came = answer[0].wait_for([=](int now) { return now > round; }, seconds{5});
    CHECK(came);
    if (!came) break;
  }
  gpu_test::finish();
}

__global__ void meet_the_host(system_latch* latches, int* slots, int count) {
  exchange<all_arrive_and_wait>(latches, slots, blockDim.x + 1, threadIdx.x, count);
}
TEST(latch_of_host_and_device) {
  SKIP_IF(!has_common_memory(), "no atomics between host and device");
  constexpr unsigned threads = 32;
  const int count = rounds_in_common_memory(1000);
  const host_array<system_latch> latches(static_cast<size_t>(count));
  const host_array<int> slots(2 * (threads + 1));
  for (int round = 0; round < count; ++round)
    init(&latches[static_cast<size_t>(round)], threads + 1);
  gpu_test::start(meet_the_host, {1, threads}, latches.get(), slots.get(), count);
  std::thread host([&] {
    for (int round = 0; round < count; ++round) {
      int* const now = slots.get() + (round % 2) * static_cast<int>(threads + 1);
      now[threads] = round + 1;
      latches[static_cast<size_t>(round)].arrive_and_wait();
      for (unsigned index = 0; index < threads; ++index)
        CHECK(now[index] == round + 1);
    }
  });
  gpu_test::finish();
  host.join();
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
