// cuda::counting_semaphore and cuda::binary_semaphore: who is served first, and counters that wrap around.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/gpu_test.h"
#include "../support/locked.h"
#include "../support/time_limits.h"

#include <cuda/semaphore>

#include <type_traits>

using cudasync::uint32;
using cudasync::uint64;
using gpu_test::device_array;
using counting = cuda::counting_semaphore<cuda::thread_scope_device>;
using binary = cuda::binary_semaphore<cuda::thread_scope_device>;

// The same functions over a word of our choice.
template <class Permits>
struct raw_semaphore {
  Permits permits;

  __device__ void acquire() { cudasync::backend::acquire_permit(cudasync::target::here{}, permits); }
  __device__ bool try_acquire() { return cudasync::backend::try_acquire_permit(cudasync::target::here{}, permits); }
  __device__ void release(std::ptrdiff_t number = 1) {
    cudasync::backend::release_permits(cudasync::target::here{}, permits, number);
  }
};
using raw_counting = raw_semaphore<cudasync::backend::permit_queue<cuda::thread_scope_device>>;

// Permits that have been released so far, and those that are there, or less than none if threads wait.
__host__ __device__ constexpr uint64 word_with(uint32 released, int available) {
  return (static_cast<uint64>(released) << 32) + static_cast<uint64>(static_cast<long long>(available));
}
inline raw_counting counting_with(uint32 released, int available) {
  raw_counting result;
  result.permits.word = word_with(released, available);
  return result;
}

template <class Semaphore>
__device__ auto look_at(const Semaphore& semaphore) {
  using word = std::conditional_t<sizeof(Semaphore) == 8, uint64, uint32>;
  return *reinterpret_cast<const volatile word*>(&semaphore);
}

// How many threads wait: what no user can ask.
__device__ unsigned waiting_in(uint64 word) {
  const int available = cudasync::backend::available_permits(word);
  return available < 0 ? 0u - static_cast<unsigned>(available) : 0;
}
__device__ unsigned waiting_in(uint32 word) {
  return (word & cudasync::backend::waiting_bits) / cudasync::backend::one_waiting;
}
template <class Semaphore>
__device__ bool are_waiting(const Semaphore& semaphore, unsigned threads) {
  return comes_true([&] { return waiting_in(look_at(semaphore)) == threads; });
}

// A copy of a semaphore in global memory.
template <class Semaphore>
class copied {
 public:
  explicit copied(const Semaphore& first) : memory_(1) {
    gpu_test::expect_success(cudaMemcpy(memory_.get(), &first, sizeof first, cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  Semaphore* get() const { return memory_.get(); }

 private:
  device_array<Semaphore> memory_;
};

template <class Semaphore>
__global__ void check_one_permit(Semaphore* semaphore) {
  DEVICE_CHECK(waiting_in(look_at(*semaphore)) == 0);
  DEVICE_CHECK(semaphore->try_acquire() && !semaphore->try_acquire());
  semaphore->release();
}
__global__ void check_word(const raw_counting* semaphore, uint32 released, int available) {
  DEVICE_CHECK(semaphore->permits.word == word_with(released, available));
}

inline gpu_test::shape together(unsigned blocks, unsigned threads) {
  gpu_test::shape how{blocks, threads};
  how.cooperative = true;
  return how;
}

// --- try_acquire does not block, and fails only if there is no permit ---

template <class Semaphore>
__global__ void try_while_others_wait(Semaphore* semaphore, unsigned* served) {
  const unsigned waiters = (gridDim.x - 1) * blockDim.x;
  if (blockIdx.x > 0) {
    semaphore->acquire();
    atomicAdd(served, 1u);
    return;
  }
  if (threadIdx.x > 0) return;
  DEVICE_CHECK(!semaphore->try_acquire());
  DEVICE_CHECK(are_waiting(*semaphore, waiters));
  for (unsigned number = 0; number < waiters; ++number) {
    check_times_out(0, [&] { return semaphore->try_acquire(); });
    check_times_out(5000, [&] { return semaphore->try_acquire_for(microseconds{5}); });
    check_times_out(0, [&] { return semaphore->try_acquire_until(device_clock::in(-1)); });
    semaphore->release();
    // The permit of a counting semaphore belongs to one of those who wait. That of a binary one is there until it is taken.
    DEVICE_CHECK(comes_true([&] {
      if (semaphore->try_acquire()) {
        DEVICE_CHECK((Semaphore::max)() == 1);
        semaphore->release();
      }
      return atomicAdd(served, 0u) > number;
    }));
  }
  DEVICE_CHECK(!semaphore->try_acquire());
  semaphore->release();
  DEVICE_CHECK(semaphore->try_acquire());
  DEVICE_CHECK(atomicAdd(served, 0u) == waiters);
}
template <class Semaphore>
void try_in_vain() {
  for (const unsigned waiters : {1u, 5u, 400u}) {
    const copied<Semaphore> semaphore(Semaphore(0));
    const device_array<unsigned> served(1);
    gpu_test::run(try_while_others_wait<Semaphore>, together(1 + waiters, 1), semaphore.get(), served.get());
  }
}
TEST(try_acquire_while_others_wait) {
  try_in_vain<counting>();
  try_in_vain<binary>();
  try_in_vain<cuda::counting_semaphore<cuda::thread_scope_system>>();
  try_in_vain<cuda::binary_semaphore<cuda::thread_scope_system>>();
}

// An event, which is set again and again, also before a thread that has just taken it has returned. Each thread takes it
// once.
__global__ void set_again_and_again(binary* event, unsigned* served) {
  const unsigned waiters = (gridDim.x - 1) * blockDim.x;
  if (blockIdx.x > 0) {
    event->acquire();
    atomicAdd(served, 1u);
  } else if (threadIdx.x == 0) {
    DEVICE_CHECK(are_waiting(*event, waiters));
    DEVICE_CHECK(comes_true([&] {
      static_cast<void>(event->try_acquire());
      event->release();
      return atomicAdd(served, 0u) == waiters;
    }));
  }
}
// 256 have a ticket each; of 1,280, five have the same.
TEST(an_event_wakes_all_who_wait) {
  for (const unsigned blocks : {1u, 2u, 5u, 20u}) {
    const copied<binary> event(binary(0));
    const device_array<unsigned> served(1);
    gpu_test::run(set_again_and_again, together(1 + blocks, 256), event.get(), served.get());
    CHECK(served.values()[0] == 256 * blocks);
  }
}

// Without anybody who waits it never blocks either, while the permit comes and goes.
template <class Semaphore>
__global__ void try_while_others_take(Semaphore* semaphore, unsigned* inside) {
  for (int round = 0; round < 200; ++round) {
    const unsigned long long start = gpu_test::nanoseconds();
    const bool is_acquired = semaphore->try_acquire();
    DEVICE_CHECK(gpu_test::nanoseconds() - start < latest_return);
    if (!is_acquired) continue;
    DEVICE_CHECK(atomicAdd(inside, 1u) == 0);
    atomicSub(inside, 1u);
    semaphore->release();
  }
}
template <class Semaphore>
void try_in_crowd() {
  const device_array<unsigned> inside(1);
  const copied<Semaphore> semaphore(Semaphore(1));
  gpu_test::run(try_while_others_take<Semaphore>, together(16, 32), semaphore.get(), inside.get());
  gpu_test::run(check_one_permit<Semaphore>, {1, 1}, semaphore.get());
}
TEST(try_acquire_does_not_block) {
  try_in_crowd<counting>();
  try_in_crowd<binary>();
}

// --- release(n) serves n of those who wait, and nobody else ---

template <class Semaphore>
__global__ void release_several(Semaphore* semaphore, unsigned* served) {
  const unsigned waiters = (gridDim.x - 1) * blockDim.x;
  if (blockIdx.x > 0) {
    semaphore->acquire();
    atomicAdd(served, 1u);
    return;
  }
  if (threadIdx.x > 0) return;
  DEVICE_CHECK(are_waiting(*semaphore, waiters));
  unsigned released = 0;
  for (const unsigned number : {1u, 40u, 0u, waiters - 43, 2u}) {
    semaphore->release(number);
    released += number;
    DEVICE_CHECK(comes_true([&] { return atomicAdd(served, 0u) >= released; }));
    gpu_test::pause(100000);
    DEVICE_CHECK(atomicAdd(served, 0u) == released);
    DEVICE_CHECK(!semaphore->try_acquire());
  }
  semaphore->release(3);
  DEVICE_CHECK(semaphore->try_acquire() && semaphore->try_acquire() && semaphore->try_acquire());
  DEVICE_CHECK(!semaphore->try_acquire());
}
TEST(release_of_n_serves_n) {
  const copied<counting> semaphore(counting(0));
  const device_array<unsigned> served(1);
  gpu_test::run(release_several<counting>, together(97, 1), semaphore.get(), served.get());
  const copied<raw_counting> wrapping(counting_with(0u - 50, 0));
  const device_array<unsigned> served_of_wrapping(1);
  gpu_test::run(release_several<raw_counting>, together(97, 1), wrapping.get(), served_of_wrapping.get());
  gpu_test::run(check_word, {1, 1}, wrapping.get(), 0u - 50 + 96 + 3, 0);
}

// --- try_acquire acquires what release publishes: PTX does not say so, because the two have different sizes ---

// The consumer has the neighbor in its L1 cache before the data word changes.
struct alignas(64) handed_over {
  int data, neighbor;
  cudasync::backend::permit_queue<cuda::thread_scope_device> permits;
};
template <bool IsOrdered>
__device__ void publish(handed_over& slot) {
  constexpr cudasync::target::here here{};
  slot.data = 1;
  if constexpr (IsOrdered)
    release_permits(here, slot.permits, 1);
  else
    cudasync::backend::update<cuda::thread_scope_device, 8, cudasync::operation::add>(
        here, slot.permits.word, cudasync::backend::permits(1), cudasync::memory_order_relaxed_t{});
}
template <bool IsOrdered>
__device__ bool take(handed_over& slot) {
  constexpr cudasync::target::here here{};
  if constexpr (IsOrdered) return try_acquire_permit(here, slot.permits);
  uint32 found = 1;
  return cudasync::backend::compare_exchange<cuda::thread_scope_device, 4>(
      here, reinterpret_cast<uint32&>(slot.permits.word), found, uint32{0}, cudasync::memory_order_relaxed_t{});
}
template <bool IsOrdered>
__global__ void hand_over_by_tries(handed_over* slots, unsigned rounds, unsigned* missed) {
  const unsigned threads = gridDim.x / 2 * blockDim.x, thread = blockIdx.x / 2 * blockDim.x + threadIdx.x;
  for (unsigned round = 0; round < rounds; ++round) {
    handed_over& slot = slots[round * threads + thread];
    if (blockIdx.x % 2 == 0) {
      publish<IsOrdered>(slot);
      continue;
    }
    const int neighbor = slot.neighbor;
    DEVICE_CHECK(comes_true([&] { return take<IsOrdered>(slot); }));
    if (slot.data + neighbor != 1) atomicAdd(missed, 1u);
  }
}
template <bool IsOrdered>
unsigned count_missed(unsigned blocks, unsigned rounds) {
  const device_array<handed_over> slots(std::size_t{blocks} / 2 * 64 * rounds);
  const device_array<unsigned> missed(1);
  gpu_test::run(hand_over_by_tries<IsOrdered>, together(blocks, 64), slots.get(), rounds, missed.get());
  return missed.values()[0];
}
TEST(tries_acquire_what_releases_publish) {
  const unsigned blocks = 2 * static_cast<unsigned>(gpu_test::attribute(cudaDevAttrMultiProcessorCount)), rounds = 100;
  CHECK(count_missed<true>(blocks, rounds) == 0);
  printf("%u of %u messages missed without orders\n", count_missed<false>(blocks, rounds), blocks * 32 * rounds);
}

// --- Nobody starves ---

// A thread that finds no permit of a binary semaphore tries for a millisecond before it enters the queue.
template <class Semaphore>
inline constexpr bool has_queue_from_the_start = sizeof(Semaphore) == 8;
inline constexpr unsigned long long longest_service = 20000000;  // ns: that time, and then a turn of each hog

// All but the first belong to who holds the permit: plain numbers.
struct alignas(128) service {
  volatile unsigned wants;       // the victim does, or is about to
  alignas(128) unsigned served;  // turns of the victim
  unsigned hogged;               // turns of the hogs, since then, that saw the victim in the queue
  unsigned passed;               // the same, and those that saw it want
  unsigned late;                 // turns of the victim that came after far more than one of each hog
};

// A hog takes the permit again as soon as it has given it back, until the victim has been served often enough.
template <class Semaphore>
__device__ void hog(Semaphore& semaphore, service& data, unsigned hogs, unsigned services) {
  for (unsigned turn = 0; turn < 10000000; ++turn) {
    semaphore.acquire();
    if (waiting_in(look_at(semaphore)) >= hogs) ++data.hogged;  // the other hogs and the victim
    if (data.wants != 0) ++data.passed;
    const bool is_done = data.served == services;
    semaphore.release();
    if (is_done) return;
  }
  DEVICE_CHECK(false);
}
// A thread in the queue is served after those before it: each hog once. Before it enters the queue, a few turns or some time
// may pass.
template <class Semaphore>
__device__ void be_victim(Semaphore& semaphore, service& data, unsigned hogs, unsigned services) {
  for (unsigned number = 0; number < services; ++number) {
    gpu_test::pause(number % 4 * 1000);
    data.wants = 1;
    const unsigned long long start = gpu_test::nanoseconds();
    semaphore.acquire();
    data.wants = 0;
    DEVICE_CHECK(data.hogged <= hogs);
    if constexpr (has_queue_from_the_start<Semaphore>) {
      if (data.passed > 8 * hogs) ++data.late;
    } else {
      DEVICE_CHECK(gpu_test::nanoseconds() - start < longest_service);
    }
    data.hogged = data.passed = 0;
    if (++data.served == services) DEVICE_CHECK(data.late < services / 10);
    semaphore.release();
  }
}
template <class Semaphore>
__global__ void hog_among_blocks(Semaphore* semaphore, service* data, unsigned services) {
  if (blockIdx.x == 0)
    be_victim(*semaphore, *data, gridDim.x - 1, services);
  else
    hog(*semaphore, *data, gridDim.x - 1, services);
}
template <class Semaphore>
__global__ void hog_in_block(unsigned services) {
  __shared__ Semaphore semaphore;
  __shared__ service data;
  if (threadIdx.x == 0) {
    init(&semaphore, 1);
    data.wants = data.served = data.hogged = data.passed = data.late = 0;
  }
  __syncthreads();
  if (threadIdx.x == 0)
    be_victim(semaphore, data, blockDim.x / 32 - 1, services);
  else if (threadIdx.x % 32 == 0)
    hog(semaphore, data, blockDim.x / 32 - 1, services);
}
template <class Semaphore>
void hog_permit() {
  for (const unsigned hogs : {1u, 2u, 7u}) {
    const copied<Semaphore> semaphore(Semaphore(1));
    const device_array<service> data(1);
    gpu_test::run(hog_among_blocks<Semaphore>, together(1 + hogs, 1), semaphore.get(), data.get(), 300u);
  }
}
TEST(no_thread_starves_among_blocks) {
  hog_permit<counting>();
  hog_permit<binary>();
}
TEST(no_thread_starves_in_a_block) {
  for (const unsigned threads : {64u, 256u}) {
    gpu_test::run(hog_in_block<cuda::counting_semaphore<cuda::thread_scope_block>>, {4, threads}, 300u);
    gpu_test::run(hog_in_block<cuda::binary_semaphore<cuda::thread_scope_block>>, {4, threads}, 300u);
  }
}

// --- Who queues first is served first ---

// One thread of each warp, in the order of their ranks; neighbours in the queue are in different blocks. Who is served
// queues up again, at the end, before the next permit comes.
template <class Semaphore>
__global__ void queue_in_order(Semaphore* semaphore, unsigned* served, unsigned turns) {
  const unsigned waiters = (gridDim.x - 1) * (blockDim.x / 32);
  if (threadIdx.x % 32 != 0) return;
  if (blockIdx.x == 0) {
    if (threadIdx.x > 0) return;
    for (unsigned number = 0; number < turns * waiters; ++number) {
      const unsigned left = turns * waiters - number;
      DEVICE_CHECK(are_waiting(*semaphore, left < waiters ? left : waiters));
      semaphore->release();
      if (!comes_true([&] { return atomicAdd(served, 0u) > number; })) return DEVICE_CHECK(false);
    }
    return;
  }
  const unsigned rank = threadIdx.x / 32 * (gridDim.x - 1) + blockIdx.x - 1;
  if (!are_waiting(*semaphore, rank)) return DEVICE_CHECK(false);
  for (unsigned turn = 0; turn < turns; ++turn) {
    semaphore->acquire();
    DEVICE_CHECK(atomicAdd(served, 1u) == turn * waiters + rank);
  }
}
template <class Semaphore>
void queue_up(const Semaphore& first) {
  for (const unsigned blocks : {1u, 5u, 32u}) {
    const copied<Semaphore> semaphore(first);
    const device_array<unsigned> served(1);
    gpu_test::run(queue_in_order<Semaphore>, together(1 + blocks, 256), semaphore.get(), served.get(), 3u);
    CHECK(served.values()[0] == 3 * blocks * 8);
  }
}
TEST(first_come_first_served) {
  queue_up(counting(0));
  queue_up(cuda::counting_semaphore<cuda::thread_scope_system>(0));
  queue_up(counting_with(0u - 100, 0));
  queue_up(counting_with(0x7fffffffu - 100, 0));
  queue_up(binary(0));
  queue_up(cuda::binary_semaphore<cuda::thread_scope_system>(0));
}

// --- More threads wait than a binary semaphore has tickets ---

// The first so many lanes of each warp.
template <class Semaphore>
__global__ void wait_in_crowd(Semaphore* semaphore, locked_numbers* numbers, unsigned lanes) {
  const unsigned waiters = (gridDim.x - 1) * (blockDim.x / 32) * lanes;
  if (blockIdx.x == 0) {
    if (threadIdx.x > 0) return;
    DEVICE_CHECK(are_waiting(*semaphore, waiters));
    DEVICE_CHECK(!semaphore->try_acquire());
    semaphore->release();
    return;
  }
  if (threadIdx.x % 32 >= lanes) return;
  for (int turn = 0; turn < 2; ++turn) {
    semaphore->acquire();
    count_inside(*numbers);
    semaphore->release();
  }
}
template <class Semaphore>
void crowd(const Semaphore& first, unsigned warps, unsigned lanes) {
  const copied<Semaphore> semaphore(first);
  const device_array<locked_numbers> numbers(1);
  gpu_test::run(wait_in_crowd<Semaphore>, together(1 + warps / 8, 256), semaphore.get(), numbers.get(), lanes);
  CHECK(numbers.values()[0].counter == 2 * warps * lanes);
  gpu_test::run(check_one_permit<Semaphore>, {1, 1}, semaphore.get());
}
TEST(a_crowd_of_single_threads) {
  crowd(binary(0), 600, 1);
  crowd(counting(0), 600, 1);
  crowd(counting_with(0u - 900, 0), 600, 1);
}
TEST(a_crowd_of_warps) {
  crowd(binary(0), 64, 32);
  crowd(counting(0), 64, 32);
}

// --- Counters that wrap around ---

__device__ uint32 released_in(const raw_counting& semaphore) {
  return cudasync::backend::released_permits(look_at(semaphore));
}
__device__ int available_in(const raw_counting& semaphore) {
  return cudasync::backend::available_permits(look_at(semaphore));
}
__global__ void count_alone(raw_counting* semaphore) {
  for (const uint32 released : {0u, 1u, 0x7ffffffeu, 0x7fffffffu, 0x80000000u, 0xfffffffeu, 0xffffffffu}) {
    for (const int available : {-0x7fffffff, -3, -2, -1, 0, 1, 2, 0x7ffffffe}) {
      semaphore->permits.word = word_with(released, available);
      DEVICE_CHECK(released_in(*semaphore) == released && available_in(*semaphore) == available);
      DEVICE_CHECK(semaphore->try_acquire() == (available > 0));
      int left = available > 0 ? available - 1 : available;
      DEVICE_CHECK(released_in(*semaphore) == released && available_in(*semaphore) == left);
      semaphore->release();
      ++left;
      DEVICE_CHECK(released_in(*semaphore) == released + 1 && available_in(*semaphore) == left);
      semaphore->release(-left > 0 ? -left : 0);
      const uint32 more = released + 1 + (left < 0 ? 0u - static_cast<uint32>(left) : 0u);
      if (left < 0) left = 0;
      DEVICE_CHECK(released_in(*semaphore) == more && available_in(*semaphore) == left);
      if (left == 0) semaphore->release();
      semaphore->acquire();
    }
  }
}
TEST(words_of_counting_semaphores) {
  const copied<raw_counting> semaphore(counting_with(0, 0));
  gpu_test::run(count_alone, {1, 1}, semaphore.get());
}

// Others wait already, of whom nothing but the count is there: they are served first.
__global__ void wait_behind_others(raw_counting* semaphore, unsigned* served, int others) {
  if (blockIdx.x == 0) {
    semaphore->acquire();
    atomicAdd(served, 1u);
    return;
  }
  DEVICE_CHECK(are_waiting(*semaphore, static_cast<unsigned>(others) + 1));
  for (int number = 0; number < others; ++number) {
    semaphore->release();
    gpu_test::pause(20000);
    DEVICE_CHECK(atomicAdd(served, 0u) == 0);
  }
  semaphore->release();
  DEVICE_CHECK(comes_true([&] { return atomicAdd(served, 0u) == 1; }));
  DEVICE_CHECK(available_in(*semaphore) == 0);
}
TEST(queues_across_the_wrap_around) {
  for (const uint32 released : {0u, 0x7ffffffeu, 0x80000000u, 0xfffffffdu, 0xffffffffu}) {
    const copied<raw_counting> semaphore(counting_with(released, -3));
    const device_array<unsigned> served(1);
    gpu_test::run(wait_behind_others, together(2, 1), semaphore.get(), served.get(), 3);
    gpu_test::run(check_word, {1, 1}, semaphore.get(), released + 4, 0);
  }
}

template <class Semaphore>
__global__ void lock(Semaphore* semaphore, locked_numbers* numbers) {
  for (int turn = 0; turn < 10; ++turn) {
    semaphore->acquire();
    count_inside(*numbers);
    semaphore->release();
  }
}
TEST(locks_across_the_wrap_around) {
  for (const uint32 released : {0x7fffffffu - 500, 0u - 500, 0u - 1}) {
    const copied<raw_counting> semaphore(counting_with(released, 1));
    const device_array<locked_numbers> numbers(1);
    gpu_test::run(lock<raw_counting>, {100, 1}, semaphore.get(), numbers.get());
    CHECK(numbers.values()[0].counter == 1000);
    gpu_test::run(check_word, {1, 1}, semaphore.get(), released + 1000, 1);
  }
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
