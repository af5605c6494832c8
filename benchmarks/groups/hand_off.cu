// Measures hand-offs: two halves of a block of 256 threads pass values back and forth, in cycles per hand-off.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hand_off.h"

namespace bench {
namespace {

constexpr unsigned warm_up = 64;
constexpr unsigned measured = 2000;  // rounds of two hand-offs
constexpr int repetitions = 9;

// The half of the consumer arrives once more than it waits, and the half of the producer waits for this arrival.
struct raw_barriers {
  struct shared {};
  static __device__ __forceinline__ void init(shared&) {}

  struct producer {
    __device__ __forceinline__ explicit producer(shared&) {}
    __device__ __forceinline__ ~producer() { acquire(); }
    __device__ __forceinline__ void acquire() { asm volatile("bar.sync 2, 256;" ::: "memory"); }
    __device__ __forceinline__ void commit() { asm volatile("bar.arrive 1, 256;" ::: "memory"); }
  };

  struct consumer {
    __device__ __forceinline__ explicit consumer(shared&) { release(); }
    __device__ __forceinline__ void wait() { asm volatile("bar.sync 1, 256;" ::: "memory"); }
    __device__ __forceinline__ void release() { asm volatile("bar.arrive 2, 256;" ::: "memory"); }
  };
};

const bool is_enrolled = [] {
  enroll_hand_off<raw_barriers>("bar.arrive and bar.sync", hand);
  return true;
}();

}  // namespace

void run_hand_off(report& results) {
  const int blocks = gpu::current().multiprocessors;
  const std::size_t values = static_cast<std::size_t>(blocks) * half_of_block;
  const device_array<long long> cycles(static_cast<std::size_t>(blocks));
  const device_array<unsigned> sums(values);
  const std::vector<unsigned> expected(values, 2 * (warm_up + measured));
  const auto sample = [&](const contestant& who, std::size_t) {
    unsigned before = warm_up;
    unsigned count = measured;
    long long* out = cycles.data();
    unsigned* result = sums.data();
    void* arguments[] = {&before, &count, &out, &result};
    launch(who.kernel, blocks, 2 * half_of_block, arguments, bytes_that_limit_blocks_to(1), false,
           who.operation + ", " + who.name);
    return checked(median(cycles.copy()) / (2 * measured), sums.copy(), expected, who);
  };
  results.add(measure(enrolled("hand_off", hand_off_name), 1, repetitions, sample), {"2 x 128 threads"},
              std::string("hand-off: ") + hand_off_name, "cycles per hand-off");
}

}  // namespace bench
