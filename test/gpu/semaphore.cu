// cuda::counting_semaphore and cuda::binary_semaphore: as locks, to hand data over, with limits of time, with the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/common_memory.h"
#include "../support/exchange.h"
#include "../support/gpu_test.h"
#include "../support/locked.h"
#include "../support/time_limits.h"

#include <cuda/semaphore>

#include <thread>

using gpu_test::device_array;

template <class Semaphore>
__global__ void init_semaphores(Semaphore* semaphores, std::ptrdiff_t desired) {
  init(&semaphores[threadIdx.x], desired);
}

// Runs FUNCTION<semaphore>() for both kinds.
#define RUN_WITH_BOTH_KINDS(FUNCTION, SCOPE)     \
  do {                                           \
    FUNCTION<cuda::counting_semaphore<SCOPE>>(); \
    FUNCTION<cuda::binary_semaphore<SCOPE>>();   \
  } while (false)

// --- One thread alone ---

template <class Semaphore>
__device__ void use_alone(Semaphore& semaphore) {
  init(&semaphore, 1);
  semaphore.acquire();
  DEVICE_CHECK(!semaphore.try_acquire());
  DEVICE_CHECK(!semaphore.try_acquire_for(nanoseconds{0}));
  semaphore.release();
  DEVICE_CHECK(semaphore.try_acquire());
  DEVICE_CHECK(!semaphore.try_acquire());
  semaphore.release(1);
  semaphore.release(0);
  DEVICE_CHECK(semaphore.try_acquire_for(nanoseconds{0}));
  semaphore.release(0);
  DEVICE_CHECK(!semaphore.try_acquire_until(device_clock::in(-1)));
  for (int round = 0; round < 600; ++round) {  // a binary semaphore counts its turns modulo 256
    semaphore.release();
    semaphore.acquire();
  }
  DEVICE_CHECK(!semaphore.try_acquire());

  init(&semaphore, 0);
  DEVICE_CHECK(!semaphore.try_acquire());
  semaphore.release((Semaphore::max)());
  semaphore.acquire();
  if constexpr ((Semaphore::max)() > 1) {
    DEVICE_CHECK(semaphore.try_acquire());
    semaphore.release(2);
    init(&semaphore, 5);
    for (int permit = 0; permit < 5; ++permit)
      semaphore.acquire();
    DEVICE_CHECK(!semaphore.try_acquire());
    semaphore.release(3);
    semaphore.release(0);
    DEVICE_CHECK(semaphore.try_acquire() && semaphore.try_acquire() && semaphore.try_acquire());
  }
  DEVICE_CHECK(!semaphore.try_acquire());
}
template <class Semaphore>
__global__ void use_everywhere(Semaphore* semaphores) {
  __shared__ Semaphore in_shared_memory[32];
  Semaphore in_local_memory(1);
  DEVICE_CHECK(in_local_memory.try_acquire() && !in_local_memory.try_acquire());
  use_alone(semaphores[threadIdx.x]);
  use_alone(in_shared_memory[threadIdx.x]);
  use_alone(in_local_memory);
}
template <class Semaphore>
void run_alone() {
  gpu_test::run(use_everywhere<Semaphore>, {1, 32}, device_array<Semaphore>(32).get());
}
TEST(semaphores_of_single_threads) {
  RUN_WITH_BOTH_KINDS(run_alone, cuda::thread_scope_thread);
  RUN_WITH_BOTH_KINDS(run_alone, cuda::thread_scope_block);
  RUN_WITH_BOTH_KINDS(run_alone, cuda::thread_scope_cluster);
  RUN_WITH_BOTH_KINDS(run_alone, cuda::thread_scope_device);
  RUN_WITH_BOTH_KINDS(run_alone, cuda::thread_scope_system);
}

// --- One permit: a lock ---

struct by_acquire {
  template <class Semaphore>
  static __device__ bool acquire(Semaphore& semaphore) {
    semaphore.acquire();
    return true;
  }
};
struct by_try_acquire {
  template <class Semaphore>
  static __device__ bool acquire(Semaphore& semaphore) {
    return comes_true([&] { return semaphore.try_acquire(); });
  }
};
struct by_timed_acquire {
  template <class Semaphore>
  static __device__ bool acquire(Semaphore& semaphore) {
    return threadIdx.x % 2 == 0 ? semaphore.try_acquire_for(seconds{5})
                                : semaphore.try_acquire_until(device_clock::in(5000000000));
  }
};
struct in_any_way {
  template <class Semaphore>
  static __device__ bool acquire(Semaphore& semaphore) {
    return threadIdx.x % 3 == 0   ? by_acquire::acquire(semaphore)
           : threadIdx.x % 3 == 1 ? by_try_acquire::acquire(semaphore)
                                  : by_timed_acquire::acquire(semaphore);
  }
};

template <class How, class Semaphore>
__device__ void lock_and_count(Semaphore& semaphore, locked_numbers& numbers, int times) {
  for (int time = 0; time < times; ++time) {
    if (!How::acquire(semaphore)) return DEVICE_CHECK(false);
    count_inside(numbers);
    semaphore.release();
  }
}
template <class How, class Semaphore>
__global__ void __launch_bounds__(1024) lock_in_grid(Semaphore* semaphore, locked_numbers* numbers, int times) {
  lock_and_count<How>(*semaphore, *numbers, times);
}
template <class How, class Semaphore>
__global__ void lock_in_block(int times) {
  __shared__ Semaphore semaphore;
  __shared__ locked_numbers numbers;
  if (threadIdx.x == 0) {
    init(&semaphore, 1);
    memset(&numbers, 0, sizeof numbers);
  }
  __syncthreads();
  lock_and_count<How>(semaphore, numbers, times);
  __syncthreads();
  DEVICE_CHECK(numbers.counter == static_cast<unsigned>(times) * blockDim.x);
  if (threadIdx.x == 0) DEVICE_CHECK(semaphore.try_acquire() && !semaphore.try_acquire());
}
template <class Semaphore>
__global__ void check_lock(Semaphore* semaphore, const locked_numbers* numbers, unsigned counter) {
  DEVICE_CHECK(numbers->counter == counter);
  DEVICE_CHECK(semaphore->try_acquire() && !semaphore->try_acquire());
}
template <class How, class Semaphore>
void lock_among_blocks(unsigned blocks, unsigned threads, int times) {
  const device_array<Semaphore> semaphore(1);
  const device_array<locked_numbers> numbers(1);
  gpu_test::run(init_semaphores<Semaphore>, {1, 1}, semaphore.get(), 1);
  gpu_test::run(lock_in_grid<How, Semaphore>, {blocks, threads}, semaphore.get(), numbers.get(), times);
  const unsigned counter = blocks * threads * static_cast<unsigned>(times);
  gpu_test::run(check_lock<Semaphore>, {1, 1}, semaphore.get(), numbers.get(), counter);
}
// Of threads alone in their warps, and of lanes that contend with the others of their warp, too.
template <class Semaphore>
void lock_by_single_threads() {
  lock_among_blocks<by_acquire, Semaphore>(64, 1, 40);
  lock_among_blocks<in_any_way, Semaphore>(64, 1, 40);
}
template <class Semaphore>
void lock_by_acquiring() {
  lock_among_blocks<by_acquire, Semaphore>(16, 64, 3);
  lock_among_blocks<by_acquire, Semaphore>(1, 1024, 2);
}
template <class Semaphore>
void lock_by_trying() {
  lock_among_blocks<by_try_acquire, Semaphore>(8, 32, 2);
}
template <class Semaphore>
void lock_by_timed_acquiring() {
  lock_among_blocks<by_timed_acquire, Semaphore>(8, 32, 2);
}
template <class Semaphore>
void lock_in_different_ways() {
  lock_among_blocks<in_any_way, Semaphore>(8, 96, 2);
}
TEST(lock_of_single_threads) {
  RUN_WITH_BOTH_KINDS(lock_by_single_threads, cuda::thread_scope_device);
  RUN_WITH_BOTH_KINDS(lock_by_single_threads, cuda::thread_scope_system);
}
TEST(lock_by_acquire) {
  RUN_WITH_BOTH_KINDS(lock_by_acquiring, cuda::thread_scope_device);
  RUN_WITH_BOTH_KINDS(lock_by_acquiring, cuda::thread_scope_system);
}
TEST(lock_by_try_acquire) {
  RUN_WITH_BOTH_KINDS(lock_by_trying, cuda::thread_scope_device);
  RUN_WITH_BOTH_KINDS(lock_by_trying, cuda::thread_scope_system);
}
TEST(lock_by_try_acquire_for) {
  RUN_WITH_BOTH_KINDS(lock_by_timed_acquiring, cuda::thread_scope_device);
  RUN_WITH_BOTH_KINDS(lock_by_timed_acquiring, cuda::thread_scope_system);
}
TEST(lock_in_any_way) {
  RUN_WITH_BOTH_KINDS(lock_in_different_ways, cuda::thread_scope_device);
  RUN_WITH_BOTH_KINDS(lock_in_different_ways, cuda::thread_scope_system);
}

template <class Semaphore>
void lock_in_blocks() {
  gpu_test::run(lock_in_block<by_acquire, Semaphore>, {8, 128}, 5);
}
template <class Semaphore>
void lock_in_blocks_in_different_ways() {
  gpu_test::run(lock_in_block<in_any_way, Semaphore>, {8, 96}, 5);
}
TEST(lock_in_shared_memory) {
  RUN_WITH_BOTH_KINDS(lock_in_blocks, cuda::thread_scope_block);
  RUN_WITH_BOTH_KINDS(lock_in_blocks, cuda::thread_scope_cluster);
  RUN_WITH_BOTH_KINDS(lock_in_blocks, cuda::thread_scope_device);
  RUN_WITH_BOTH_KINDS(lock_in_blocks, cuda::thread_scope_system);
}
TEST(lock_in_shared_memory_in_any_way) {
  RUN_WITH_BOTH_KINDS(lock_in_blocks_in_different_ways, cuda::thread_scope_block);
}

// --- Several permits ---

// No more threads are inside than there are permits.
template <class Semaphore>
__global__ void crowd(Semaphore* semaphore, unsigned* inside, unsigned permits) {
  for (int round = 0; round < 4; ++round) {
    if (!in_any_way::acquire(*semaphore)) return DEVICE_CHECK(false);
    DEVICE_CHECK(atomicAdd(inside, 1u) < permits);
    if (threadIdx.x % 8 == 0) gpu_test::pause(500);
    atomicSub(inside, 1u);
    semaphore->release();
  }
}
// As many threads are inside at once as there are permits: those who are in stay until all of them are.
template <class Semaphore>
__global__ void fill(Semaphore* semaphore, unsigned* entered, unsigned permits) {
  semaphore->acquire();
  atomicAdd(entered, 1u);
  DEVICE_CHECK(comes_true([&] { return atomicAdd(entered, 0u) >= permits; }));
  semaphore->release();
}
template <class Semaphore>
__global__ void check_permits(Semaphore* semaphore, unsigned permits) {
  for (unsigned permit = 0; permit < permits; ++permit)
    DEVICE_CHECK(semaphore->try_acquire());
  DEVICE_CHECK(!semaphore->try_acquire());
}
template <class Semaphore>
void share_permits() {
  const device_array<Semaphore> semaphore(1);
  for (const unsigned permits : {2u, 3u, 7u}) {
    const device_array<unsigned> inside(1), entered(1);
    gpu_test::run(init_semaphores<Semaphore>, {1, 1}, semaphore.get(), permits);
    gpu_test::run(crowd<Semaphore>, {8, 64}, semaphore.get(), inside.get(), permits);
    CHECK(inside.values()[0] == 0);
    gpu_test::shape how{60, 1};
    how.cooperative = true;
    gpu_test::run(fill<Semaphore>, how, semaphore.get(), entered.get(), permits);
    CHECK(entered.values()[0] == 60);
    gpu_test::run(check_permits<Semaphore>, {1, 1}, semaphore.get(), permits);
  }
}
TEST(permits_limit_and_allow) {
  share_permits<cuda::counting_semaphore<cuda::thread_scope_device>>();
  share_permits<cuda::counting_semaphore<cuda::thread_scope_device, 7>>();
  share_permits<cuda::counting_semaphore<cuda::thread_scope_system>>();
}

// --- Data that is handed over ---

// One thread produces, and another consumes. The slots lie in a cache line that the consumer has read before.
template <class Semaphore, int Slots>
struct channel {
  Semaphore full, empty;
  alignas(128) int slots[Slots];
};
template <class Semaphore>
__device__ void acquire_in_turn(Semaphore& semaphore, int turn) {
  if (turn % 3 == 0) return semaphore.acquire();
  if (turn % 3 == 1) return DEVICE_CHECK(comes_true([&] { return semaphore.try_acquire(); }));
  while (!semaphore.try_acquire_for(microseconds{2})) {
  }
}
template <class Semaphore, int Slots>
__device__ void pass_on(channel<Semaphore, Slots>& shared, bool produces) {
  for (int message = 0; message < 100; ++message) {
    int& slot = shared.slots[message % Slots];
    if (produces) {
      acquire_in_turn(shared.empty, message);
      slot = 3 * message;
      shared.full.release();
    } else {
      acquire_in_turn(shared.full, message + 1);
      DEVICE_CHECK(slot == 3 * message);
      slot = -1;
      shared.empty.release();
    }
  }
}
template <class Semaphore, int Slots>
__device__ void open(channel<Semaphore, Slots>& shared) {
  init(&shared.full, 0);
  init(&shared.empty, Slots);
}
template <class Semaphore, int Slots>
__global__ void open_channels(channel<Semaphore, Slots>* channels) {
  open(channels[blockIdx.x * blockDim.x + threadIdx.x]);
}
// A channel for each lane of a pair of warps, in two blocks or in one.
template <class Semaphore, int Slots>
__global__ void pass_on_among_blocks(channel<Semaphore, Slots>* channels) {
  const unsigned half = gridDim.x / 2;
  pass_on(channels[blockIdx.x % half * blockDim.x + threadIdx.x], blockIdx.x < half);
}
template <class Semaphore, int Slots>
__global__ void pass_on_in_block() {
  __shared__ channel<Semaphore, Slots> channels[32];
  if (threadIdx.x < 32) open(channels[threadIdx.x]);
  __syncthreads();
  pass_on(channels[threadIdx.x % 32], threadIdx.x < 32);
}
template <class Semaphore, int Slots>
void use_channels() {
  constexpr unsigned pairs = 16;
  const device_array<channel<Semaphore, Slots>> channels(pairs * 32);
  gpu_test::run(open_channels<Semaphore, Slots>, {pairs, 32}, channels.get());
  gpu_test::shape how{2 * pairs, 32};
  how.cooperative = true;
  gpu_test::run(pass_on_among_blocks<Semaphore, Slots>, how, channels.get());
}
TEST(hand_over_among_blocks) {
  use_channels<cuda::counting_semaphore<cuda::thread_scope_device>, 4>();
  use_channels<cuda::counting_semaphore<cuda::thread_scope_device>, 1>();
  use_channels<cuda::binary_semaphore<cuda::thread_scope_device>, 1>();
  use_channels<cuda::counting_semaphore<cuda::thread_scope_system>, 4>();
  use_channels<cuda::binary_semaphore<cuda::thread_scope_system>, 1>();
}
TEST(hand_over_in_block) {
  gpu_test::run(pass_on_in_block<cuda::counting_semaphore<cuda::thread_scope_block>, 3>, {16, 64});
  gpu_test::run(pass_on_in_block<cuda::binary_semaphore<cuda::thread_scope_block>, 1>, {16, 64});
  gpu_test::run(pass_on_in_block<cuda::counting_semaphore<cuda::thread_scope_cluster>, 3>, {16, 64});
  gpu_test::run(pass_on_in_block<cuda::binary_semaphore<cuda::thread_scope_cluster>, 1>, {16, 64});
  gpu_test::run(pass_on_in_block<cuda::counting_semaphore<cuda::thread_scope_device>, 3>, {16, 64});
  gpu_test::run(pass_on_in_block<cuda::binary_semaphore<cuda::thread_scope_system>, 1>, {16, 64});
}

// --- Global semaphores, which a constant expression initializes ---

__device__ cuda::counting_semaphore<cuda::thread_scope_device> global_semaphore(2);
__device__ cuda::binary_semaphore<cuda::thread_scope_device> global_binary_semaphore(1);
__device__ cuda::std::counting_semaphore<5> standard_semaphores[2] = {cuda::std::counting_semaphore<5>(0),
                                                                      cuda::std::counting_semaphore<5>(3)};
__device__ cuda::std::binary_semaphore standard_binary_semaphore(0);

__global__ void use_global_semaphores() {
  DEVICE_CHECK(global_semaphore.try_acquire() && global_semaphore.try_acquire() && !global_semaphore.try_acquire());
  DEVICE_CHECK(global_binary_semaphore.try_acquire() && !global_binary_semaphore.try_acquire());
  DEVICE_CHECK(!standard_semaphores[0].try_acquire() && standard_semaphores[1].try_acquire());
  DEVICE_CHECK(!standard_binary_semaphore.try_acquire());
  standard_binary_semaphore.release();
  standard_binary_semaphore.acquire();
}
TEST(global_semaphores_need_no_initialization) {
  static_assert(sizeof global_semaphore == 8 && sizeof global_binary_semaphore == 4);
  gpu_test::run(use_global_semaphores, {1, 1});
}

// --- Limits of time ---

template <class Semaphore, memory Memory>
__global__ void timed_acquires(Semaphore* global) {
  Semaphore& semaphore = place<Memory>(global);
  init(&semaphore, 0);
  check_times_out(300000, [&] { return semaphore.try_acquire_for(microseconds{300}); });
  check_times_out(3000000, [&] { return semaphore.try_acquire_for(milliseconds{3}); });
  check_times_out(500000, [&] { return semaphore.try_acquire_for(seconds{0.0005}); });
  check_times_out(400000, [&] { return semaphore.try_acquire_until(device_clock::in(400000)); });
  check_times_out(0, [&] { return semaphore.try_acquire_for(microseconds{0}); });
  check_times_out(0, [&] { return semaphore.try_acquire_for(microseconds{-5}); });
  check_times_out(0, [&] { return semaphore.try_acquire_until(device_clock::in(-1000)); });
  check_times_out(0, [&] { return semaphore.try_acquire(); });
  semaphore.release();
  check_true_at_once([&] { return semaphore.try_acquire_for(seconds{10}); });
  check_times_out(100000, [&] { return semaphore.try_acquire_for(microseconds{100}); });
  semaphore.release();
  check_true_at_once([&] { return semaphore.try_acquire_for(microseconds{0}); });
  semaphore.release();
  check_true_at_once([&] { return semaphore.try_acquire_until(device_clock::in(10000000000)); });
  semaphore.release();
  check_true_at_once([&] { return semaphore.try_acquire_until(device_clock::in(-1)); });
  semaphore.release();
  check_true_at_once([&] { return semaphore.try_acquire(); });
  check_times_out(0, [&] { return semaphore.try_acquire(); });
}

// The last thread releases late. Each of the others then takes the permit and gives it back.
template <class Semaphore, memory Memory>
__global__ void late_release(Semaphore* global) {
  __shared__ int message;
  __shared__ unsigned long long released;
  Semaphore& semaphore = place<Memory>(global);
  if (threadIdx.x == 0) {
    init(&semaphore, 0);
    message = 0;
  }
  __syncthreads();
  if (threadIdx.x == blockDim.x - 1) {
    gpu_test::pause(2000000);
    message = 7;
    released = gpu_test::nanoseconds();
    semaphore.release();
    return;
  }
  const bool is_acquired = threadIdx.x % 3 == 0   ? semaphore.try_acquire_for(seconds{5})
                           : threadIdx.x % 3 == 1 ? semaphore.try_acquire_until(device_clock::in(5000000000))
                                                  : (semaphore.acquire(), true);
  const unsigned long long now = gpu_test::nanoseconds();
  DEVICE_CHECK(is_acquired);
  if (!is_acquired) return;
  DEVICE_CHECK(message == 7);
  DEVICE_CHECK(now + 1000000 > released);  // the multiprocessor's clock, within its step
  DEVICE_CHECK(now < released + latest_return);
  semaphore.release();
}
template <class Semaphore>
void run_timed() {
  const device_array<Semaphore> semaphore(1);
  gpu_test::run(timed_acquires<Semaphore, memory::shared>, {1, 1}, semaphore.get());
  gpu_test::run(timed_acquires<Semaphore, memory::global>, {1, 1}, semaphore.get());
  gpu_test::run(late_release<Semaphore, memory::shared>, {1, 96}, semaphore.get());
  gpu_test::run(late_release<Semaphore, memory::global>, {1, 96}, semaphore.get());
}
TEST(timed_acquires_end_at_their_time_or_with_a_permit) {
  RUN_WITH_BOTH_KINDS(run_timed, cuda::thread_scope_block);
  RUN_WITH_BOTH_KINDS(run_timed, cuda::thread_scope_device);
  RUN_WITH_BOTH_KINDS(run_timed, cuda::thread_scope_system);
}

// Each try of one thread ends, although all other blocks change the semaphore all the time.
enum class crowd_does { acquires_and_releases, releases };
template <class Semaphore, crowd_does What>
__global__ void try_in_a_crowd(Semaphore* semaphore, unsigned* is_over) {
  const unsigned long long start = gpu_test::nanoseconds();
  const auto has_passed = [&](unsigned long long time) { return gpu_test::nanoseconds() - start > time; };
  if (blockIdx.x != 0) {
    while (atomicAdd(is_over, 0u) == 0 && !has_passed(100000000)) {
      for (int time = 0; time < 16; ++time) {
        if (What == crowd_does::acquires_and_releases) semaphore->acquire();
        semaphore->release();
      }
    }
    return;
  }
  unsigned long long longest = 0;
  while (!has_passed(5000000)) {
    const unsigned long long begin = gpu_test::nanoseconds();
    if (semaphore->try_acquire()) semaphore->release();
    const unsigned long long taken = gpu_test::nanoseconds() - begin;
    if (taken > longest) longest = taken;
  }
  atomicExch(is_over, 1u);
  DEVICE_CHECK(longest < 20000000);
}
template <class Semaphore, crowd_does What>
void run_crowd(std::ptrdiff_t permits) {
  const device_array<Semaphore> semaphore(1);
  const device_array<unsigned> is_over(1);
  gpu_test::run(init_semaphores<Semaphore>, {1, 1}, semaphore.get(), permits);
  gpu_test::run(try_in_a_crowd<Semaphore, What>, {132, 1}, semaphore.get(), is_over.get());
}
TEST(tries_end_in_a_crowd) {
  using counting = cuda::counting_semaphore<cuda::thread_scope_device>;
  using binary = cuda::binary_semaphore<cuda::thread_scope_device>;
  run_crowd<counting, crowd_does::acquires_and_releases>(1000);
  run_crowd<counting, crowd_does::acquires_and_releases>(1);
  run_crowd<counting, crowd_does::releases>(0);
  run_crowd<binary, crowd_does::acquires_and_releases>(1);
  run_crowd<binary, crowd_does::releases>(0);
}

// --- Host and device ---

template <class Semaphore>
struct exchange_with_host {
  Semaphore full, empty;
  int slot;
};
template <class Semaphore>
__global__ void answer_host(exchange_with_host<Semaphore>* shared, int messages) {
  for (int message = 1; message <= messages; ++message) {
    shared->full.acquire();
    DEVICE_CHECK(shared->slot == message);
    shared->slot = -message;
    shared->empty.release();
  }
}
template <class Semaphore>
void talk_to_device() {
  const host_array<exchange_with_host<Semaphore>> memory_of_both(1);
  exchange_with_host<Semaphore>& shared = memory_of_both[0];
  const int messages = rounds_in_common_memory(1000);
  init(&shared.full, 0);
  init(&shared.empty, 0);
  gpu_test::start(answer_host<Semaphore>, {1, 1}, memory_of_both.get(), messages);
  for (int message = 1; message <= messages; ++message) {
    shared.slot = message;
    shared.full.release();
    const bool came = shared.empty.try_acquire_for(seconds{5});
    CHECK(came);
    if (!came) break;
    CHECK(shared.slot == -message);
  }
  gpu_test::finish();
}
TEST(host_and_device_hand_over) {
  SKIP_IF(!has_common_memory(), "no atomics between host and device");
  talk_to_device<cuda::std::counting_semaphore<>>();
  talk_to_device<cuda::std::binary_semaphore>();
}

// A lock of both.
__global__ void lock_on_device(cuda::std::binary_semaphore* semaphore, unsigned* counter, int times) {
  for (int time = 0; time < times; ++time) {
    semaphore->acquire();
    *counter = *counter + 1;
    semaphore->release();
  }
}
TEST(lock_of_host_and_device) {
  SKIP_IF(!has_common_memory(), "no atomics between host and device");
  const host_array<cuda::std::binary_semaphore> semaphore(1);
  const host_array<unsigned> counter(1);
  const int times = rounds_in_common_memory(400);
  init(semaphore.get(), 1);
  gpu_test::start(lock_on_device, {1, 2}, semaphore.get(), counter.get(), times);
  std::thread host([&] {
    for (int time = 0; time < times; ++time) {
      semaphore[0].acquire();
      ++counter[0];
      semaphore[0].release();
    }
  });
  gpu_test::finish();
  host.join();
  CHECK(counter[0] == 3 * static_cast<unsigned>(times));
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
