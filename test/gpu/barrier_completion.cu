// Completion functions of cuda::barrier on the device: once a phase, after all arrivals, before anyone is released.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/exchange.h"
#include "../support/gpu_test.h"

#include <cuda/barrier>

#include <limits>
#include <type_traits>
#include <utility>

using gpu_test::device_array;

// What the completion function and the threads share.
struct phase_record {
  int completed;  // phases; not atomic
  int released;   // threads that have passed a wait
  int slots[2][256 * 64];
};

struct check_phase {
  phase_record* record;
  int threads;

  __device__ void operator()() {
    const int phase = record->completed;
    for (int index = 0; index < threads; index += 7)
      DEVICE_CHECK(record->slots[phase % 2][index] == phase);
    DEVICE_CHECK(atomicAdd(&record->released, 0) == phase * threads);
    record->completed = phase + 1;
  }
};

template <class Sync, class Barrier>
__device__ void run_phases(Barrier& bar, phase_record& record, int threads, int rank) {
  for (int phase = 0; phase < 50; ++phase) {
    record.slots[phase % 2][rank] = phase;
    if (rank == phase % threads) gpu_test::pause(1000);
    Sync::sync(bar, phase % 2 != 0);
    DEVICE_CHECK(record.completed == phase + 1);
    DEVICE_CHECK(record.slots[phase % 2][(rank + 1) % threads] == phase);
    atomicAdd(&record.released, 1);
  }
}

template <class Barrier, memory Memory, class Sync>
__global__ void phases_in_block(Barrier* global, phase_record* record) {
  Barrier& bar = place<Memory>(global);
  const int threads = static_cast<int>(blockDim.x);
  if (threadIdx.x == 0) init(&bar, threads, check_phase{record, threads});
  __syncthreads();
  run_phases<Sync>(bar, *record, threads, static_cast<int>(threadIdx.x));
}

template <cuda::thread_scope Scope, memory Memory, class... Syncs>
void complete_phases() {
  using barrier = cuda::barrier<Scope, check_phase>;
  static_assert(std::is_trivially_default_constructible_v<barrier> && std::is_trivially_destructible_v<barrier>);
  const device_array<barrier> bar(1);
  const auto run = [&](auto kernel, unsigned threads) {
    const device_array<phase_record> record(1);
    gpu_test::run(kernel, {1, threads}, bar.get(), record.get());
    CHECK(record.values()[0].completed == 50);
  };
  for (const unsigned threads : {1, 32, 33, 256})
    (run(phases_in_block<barrier, Memory, Syncs>, threads), ...);
}
template <cuda::thread_scope Scope>
void complete_phases_by_all() {
  complete_phases<Scope, memory::shared, by_arrive_and_wait, by_token, by_parity, by_warp_leader>();
  complete_phases<Scope, memory::global, by_arrive_and_wait, by_polling, by_reference>();
}
TEST(block_barrier_completes_once_before_release) {
  complete_phases_by_all<cuda::thread_scope_block>();
}
TEST(device_barrier_completes_once_before_release) {
  complete_phases_by_all<cuda::thread_scope_device>();
}
TEST(system_barrier_completes_once_before_release) {
  complete_phases_by_all<cuda::thread_scope_system>();
}

template <class Barrier>
__global__ void initialize(Barrier* bar, phase_record* record, int threads) {
  init(bar, threads, check_phase{record, threads});
}
template <class Barrier>
__global__ void phases_in_grid(Barrier* bar, phase_record* record) {
  const int threads = static_cast<int>(gridDim.x * blockDim.x);
  run_phases<by_arrive_and_wait>(*bar, *record, threads, static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x));
}
TEST(completion_sees_the_arrivals_of_all_blocks) {
  using barrier = cuda::barrier<cuda::thread_scope_device, check_phase>;
  const device_array<barrier> bar(1);
  const device_array<phase_record> record(1);
  unsigned blocks = gpu_test::resident_blocks(phases_in_grid<barrier>, 64);
  if (blocks > 256) blocks = 256;
  gpu_test::shape how{blocks, 64};
  how.cooperative = true;
  gpu_test::run(initialize<barrier>, {1, 1}, bar.get(), record.get(), blocks * 64);
  gpu_test::run(phases_in_grid<barrier>, how, bar.get(), record.get());
  CHECK(record.values()[0].completed == 50);
}

static_assert(cuda::barrier<cuda::thread_scope_block, check_phase>::max() == (1 << 20) - 1);
static_assert(cuda::barrier<cuda::thread_scope_device, check_phase>::max() ==
              std::numeric_limits<std::ptrdiff_t>::max());
static_assert(cuda::barrier<cuda::thread_scope_system, check_phase>::max() ==
              std::numeric_limits<std::ptrdiff_t>::max());

// In one thread: the constructor, a completion function with a state of its own, drops.
struct add_to {
  int* sum;
  int step;
  __device__ void operator()() { *sum += step++; }
};

template <cuda::thread_scope Scope>
__global__ void alone() {
  int sum = 0;
  cuda::barrier<Scope, add_to> bar(2, add_to{&sum, 1});
  auto token = bar.arrive();
  DEVICE_CHECK(sum == 0);
  DEVICE_CHECK(!bar.try_wait(token));
  bar.arrive_and_drop();
  DEVICE_CHECK(sum == 1);
  bar.wait(std::move(token));
  bar.arrive_and_wait();  // one is expected now
  DEVICE_CHECK(sum == 1 + 2);
  bar.arrive_and_drop();
  DEVICE_CHECK(sum == 1 + 2 + 3);
  bar.wait_parity(false);
}
TEST(completion_function_has_a_state) {
  gpu_test::run(alone<cuda::thread_scope_thread>, {1, 64});
  gpu_test::run(alone<cuda::thread_scope_block>, {1, 64});
  gpu_test::run(alone<cuda::thread_scope_device>, {1, 64});
  gpu_test::run(alone<cuda::thread_scope_system>, {1, 64});
}

// cuda::std::barrier deduces the type of a completion function.
__global__ void deduced(int* count) {
  const auto completion = [count] { ++*count; };
  cuda::std::barrier bar(1, completion);
  bar.arrive_and_wait();
  DEVICE_CHECK(*count == 1);
  bar.arrive_and_wait();
  DEVICE_CHECK(*count == 2);
}
TEST(standard_barrier_deduces_its_completion) {
  const device_array<int> count(1);
  gpu_test::run(deduced, {1, 1}, count.get());
  CHECK(count.values()[0] == 2);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
