// Measures hand-offs: two halves of a block of 256 or 1,024 threads pass values back and forth, in cycles per hand-off.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hand_off.h"

#include "../latency/hand.h"

namespace bench {
namespace {

constexpr unsigned warm_up = 64;
constexpr unsigned measured = 2000;  // rounds of two hand-offs
constexpr int repetitions = 9;

// The half of the consumer arrives once more than it waits, and the half of the producer waits for this arrival.
template <int Threads>
struct raw_barriers {
  struct shared {};
  static __device__ __forceinline__ void init(shared&) {}

  struct producer {
    __device__ __forceinline__ explicit producer(shared&) {}
    __device__ __forceinline__ ~producer() { acquire(); }
    __device__ __forceinline__ void acquire() { asm volatile("bar.sync 2, %0;" ::"n"(Threads) : "memory"); }
    __device__ __forceinline__ void commit() { asm volatile("bar.arrive 1, %0;" ::"n"(Threads) : "memory"); }
  };

  struct consumer {
    __device__ __forceinline__ explicit consumer(shared&) { release(); }
    __device__ __forceinline__ void wait() { asm volatile("bar.sync 1, %0;" ::"n"(Threads) : "memory"); }
    __device__ __forceinline__ void release() { asm volatile("bar.arrive 2, %0;" ::"n"(Threads) : "memory"); }
  };
};

// The arrivals and waits of barrier_channel by hand.
template <class Wait>
struct raw_mbarrier : hand_mbarrier<Wait> {
  using hand_mbarrier<Wait>::arrive;
  __device__ __forceinline__ void wait_parity(bool parity) { Wait::wait(this->address(), unsigned{parity}); }
};
template <class Wait>
__device__ __forceinline__ void init(raw_mbarrier<Wait>* bar, std::ptrdiff_t expected) {
  bar->hand_mbarrier<Wait>::init(static_cast<unsigned>(expected));
}
template <int>
struct try_wait_channel : barrier_channel<raw_mbarrier<block_through_try_wait>> {};
template <int>
struct test_wait_channel : barrier_channel<raw_mbarrier<loop_test_wait>> {};

const bool is_enrolled = [] {
  enroll_hand_off<raw_barriers>("bar.arrive and bar.sync", hand, "sm90");
  enroll_hand_off<raw_barriers>("bar.arrive and bar.sync", "reference", "sm80");
  enroll_hand_off<try_wait_channel>("two mbarriers, try_wait", "reference", "sm90");
  enroll_hand_off<test_wait_channel>("two mbarriers, test_wait", hand, "sm80");
  return true;
}();

}  // namespace

void run_hand_off(report& results) {
  struct configuration {
    std::size_t kernel;
    int blocks;  // per multiprocessor
  };
  constexpr configuration configurations[] = {{0, 1}, {0, 4}, {1, 1}};
  const auto sample = [&](const contestant& who, std::size_t index) {
    const configuration& chosen = configurations[index];
    const int threads = hand_off_threads[chosen.kernel];
    const int blocks = chosen.blocks * gpu::current().multiprocessors;
    const std::size_t values = static_cast<std::size_t>(blocks * threads / 2);
    const device_array<long long> cycles(static_cast<std::size_t>(blocks));
    const device_array<unsigned> sums(values);
    const std::vector<unsigned> expected(values, 2 * (warm_up + measured));
    unsigned before = warm_up;
    unsigned count = measured;
    long long* out = cycles.data();
    unsigned* result = sums.data();
    void* arguments[] = {&before, &count, &out, &result};
    launch(who.kernels[chosen.kernel], blocks, threads, arguments, bytes_that_limit_blocks_to(chosen.blocks), false,
           who.operation + ", " + who.name);
    return checked(median(cycles.copy()) / (2 * measured), sums.copy(), expected, who);
  };
  const std::vector<std::string> names{"2 x 128 threads", "4 x (2 x 128)", "2 x 512 threads"};
  results.add(measure(enrolled("hand_off", hand_off_name), names.size(), repetitions, sample), names,
              std::string("hand-off: ") + hand_off_name, "cycles per hand-off");
}

}  // namespace bench
