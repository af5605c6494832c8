// Roles that share a block's registers: the consumers get theirs once the producers have given some back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compiled: alone
// needs: sm90
#include "../support/gpu_test.h"

#include <cudasync/register_budget.h>

using gpu_test::device_array;

using producer = cudasync::register_role<128, 24>;
using idle = cudasync::register_role<128, 128>;  // as many as at the launch
using consumer = cudasync::register_role<256, 160>;
using budget = cudasync::register_budget<cudasync::registers_at_launch(512), producer, idle, consumer>;
static_assert(budget::threads == 512 && budget::registers == 128);
static_assert(cudasync::registers_at_launch(384) == 168 && cudasync::registers_at_launch(1024) == 64);
static_assert(cudasync::registers_at_launch(128) == 248);

constexpr unsigned long long delay = 200000;  // ns

// More values than a consumer had registers for at the launch.
constexpr int values = 130;

__device__ float mix(const float* factors) {
  float mixed[values];
#pragma unroll
  for (int index = 0; index < values; ++index)
    mixed[index] = factors[index];
  for (int round = 0; round < 4; ++round) {
#pragma unroll
    for (int index = 0; index < values; ++index)
      mixed[index] = mixed[(index + 1) % values] * factors[round] + 1;
  }
  float sum = 0;
#pragma unroll
  for (int index = 0; index < values; ++index)
    sum += mixed[index];
  return sum;
}

// The same of factors of one. All are whole numbers, so that the sums are exact.
float mixed_ones() {
  std::vector<float> mixed(values, 1);
  for (int round = 0; round < 4; ++round)
    for (int index = 0; index < values; ++index)
      mixed[index] = mixed[(index + 1) % values] + 1;
  float sum = 0;
  for (const float value : mixed)
    sum += value;
  return sum;
}

__global__ void __launch_bounds__(budget::threads, 1)
    share_registers(const float* factors, float* sums, unsigned long long* waited) {
  if (threadIdx.x < producer::threads) {
    gpu_test::pause(delay);
    budget::enter<producer>();
    sums[threadIdx.x] = 1;
  } else if (threadIdx.x < producer::threads + idle::threads) {
    budget::enter<idle>();
    sums[threadIdx.x] = 2;
  } else {
    const unsigned long long start = gpu_test::nanoseconds();
    budget::enter<consumer>();
    if (threadIdx.x == budget::threads - 1) waited[blockIdx.x] = gpu_test::nanoseconds() - start;
    sums[threadIdx.x] = mix(factors);
  }
}
TEST(consumers_wait_for_the_registers_of_producers) {
  SKIP_IF(gpu_test::attribute(cudaDevAttrComputeCapabilityMajor) != 9, "compiled for sm_90a");
  const std::vector<float> ones(values, 1);
  const device_array<float> factors(ones), sums(budget::threads);
  const device_array<unsigned long long> waited(132);
  gpu_test::run(share_registers, {132, budget::threads}, factors.get(), sums.get(), waited.get());
  const std::vector<float> found = sums.values();
  for (unsigned rank = 0; rank < budget::threads; ++rank)
    CHECK(found[rank] == (rank < 128 ? 1 : rank < 256 ? 2 : mixed_ones()));
  for (const unsigned long long nanoseconds : waited.values())
    CHECK(nanoseconds > delay / 2);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
