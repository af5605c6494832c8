// Measures a histogram of 1 GiB of bytes: microseconds, with block-scope atomics on 256 bins in shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "histogram.h"

#include "updates.h"

namespace bench {
namespace {

constexpr int repetitions = 9;
constexpr unsigned vectors = 1u << 26;  // of 16 bytes

struct intrinsic {
  using counter = unsigned;
  static __device__ __forceinline__ void clear(counter& bin) { bin = 0; }
  static __device__ __forceinline__ void increment(counter& bin) { atomicAdd_block(&bin, 1u); }
  static __device__ __forceinline__ unsigned value(counter& bin) { return bin; }
};

struct red_shared : intrinsic {
  static __device__ __forceinline__ void increment(counter& bin) {
    asm volatile("red.relaxed.cta.shared.add.u32 [%0], 1;" ::"r"(static_cast<u32>(__cvta_generic_to_shared(&bin)))
                 : "memory");
  }
};

const bool is_enrolled = [] {
  enroll_histogram<intrinsic>("atomicAdd_block", hand);
  enroll_histogram<red_shared>("red", hand);
  return true;
}();

// Writes random bytes. The mask selects all values or some of them.
__global__ void fill(uint4* bytes, unsigned mask) {
  for (u32 index = blockIdx.x * blockDim.x + threadIdx.x; index < vectors; index += gridDim.x * blockDim.x)
    bytes[index] = {mixed(4 * index) & mask, mixed(4 * index + 1) & mask, mixed(4 * index + 2) & mask,
                    mixed(4 * index + 3) & mask};
}

struct outcome {
  double time;
  std::vector<unsigned> totals;
};

outcome run(const contestant& who, const device_array<uint4>& bytes) {
  const device_array<unsigned> totals(bins);
  uint4* in = bytes.data();
  unsigned count = vectors;
  unsigned* out = totals.data();
  void* arguments[] = {&in, &count, &out};
  const double time = microseconds(who.kernel, 2 * gpu::current().multiprocessors, 1024, arguments, who.name);
  return {time, totals.copy()};
}

}  // namespace

void run_histogram(report& results) {
  const device_array<uint4> random(vectors);
  const device_array<uint4> few(vectors);
  fill<<<4096, 256>>>(random.data(), 0xffffffff);
  fill<<<4096, 256>>>(few.data(), 0x0f0f0f0f);
  check(cudaDeviceSynchronize(), "fill");
  const device_array<uint4>* const inputs[] = {&random, &few};
  const std::vector<contestant> all = enrolled("histogram", histogram_name);
  std::vector<std::vector<unsigned>> expected;
  for (const device_array<uint4>* each : inputs)
    expected.push_back(run(first_by_hand(all), *each).totals);
  const auto sample = [&](const contestant& who, std::size_t index) {
    const outcome found = run(who, *inputs[index]);
    return checked(found.time, found.totals, expected[index], who);
  };
  results.add(measure(all, 2, repetitions, sample), {"random", "16 values"},
              std::string("histogram of 1 GiB: ") + histogram_name, "us");
}

}  // namespace bench
