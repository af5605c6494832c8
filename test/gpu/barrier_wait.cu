// cuda::barrier on the device: parities, tokens, and waits that end after a time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/duck_time.h"
#include "../support/exchange.h"
#include "../support/gpu_test.h"
#include "../support/time_limits.h"

#include <cuda/barrier>

#include <utility>

template <class Barrier, memory Memory>
__global__ void parities_alternate(Barrier* global) {
  Barrier& bar = place<Memory>(global);
  init(&bar, 2);
  DEVICE_CHECK(bar.try_wait_parity(true));  // the phase before the first
  bar.wait_parity(true);
  for (int phase = 0; phase < 10; ++phase) {
    const bool parity = phase % 2 != 0;
    auto token = bar.arrive();
    DEVICE_CHECK(!bar.try_wait_parity(parity));
    DEVICE_CHECK(bar.try_wait_parity(!parity));
    DEVICE_CHECK(!bar.try_wait(token));
    static_cast<void>(bar.arrive());
    DEVICE_CHECK(bar.try_wait_parity(parity));
    DEVICE_CHECK(!bar.try_wait_parity(!parity));
    DEVICE_CHECK(bar.try_wait(token));
    bar.wait_parity(parity);
    bar.wait(std::move(token));  // of the phase before the current one
  }
}
TEST(parities_and_tokens_name_the_current_and_the_preceding_phase) {
  RUN_WITH_ALL_BARRIERS(parities_alternate, 1);
}

template <class Barrier, memory Memory>
__global__ void timed_waits(Barrier* global) {
  Barrier& bar = place<Memory>(global);
  init(&bar, 2);
  const auto token = bar.arrive();
  check_times_out(300000, [&] { return bar.try_wait_for(token, microseconds{300}); });
  check_times_out(3000000, [&] { return bar.try_wait_parity_for(false, milliseconds{3}); });
  check_times_out(500000, [&] { return bar.try_wait_for(token, seconds{0.0005}); });
  check_times_out(400000, [&] { return bar.try_wait_until(token, device_clock::in(400000)); });
  check_times_out(400000, [&] { return bar.try_wait_parity_until(false, device_clock::in(400000)); });
  check_times_out(0, [&] { return bar.try_wait_for(token, microseconds{0}); });
  check_times_out(0, [&] { return bar.try_wait_for(token, microseconds{-5}); });
  check_times_out(0, [&] { return bar.try_wait_parity_until(false, device_clock::in(-1000)); });
  static_cast<void>(bar.arrive());
  check_true_at_once([&] { return bar.try_wait_for(token, seconds{10}); });
  check_true_at_once([&] { return bar.try_wait_for(token, microseconds{0}); });
  check_true_at_once([&] { return bar.try_wait_parity_for(false, seconds{10}); });
  check_true_at_once([&] { return bar.try_wait_until(token, device_clock::in(10000000000)); });
  check_true_at_once([&] { return bar.try_wait_until(token, device_clock::in(-1)); });
  check_true_at_once([&] { return bar.try_wait_parity_until(false, device_clock::in(10000000000)); });
}
TEST(timed_waits_end_at_their_time_or_with_the_phase) {
  RUN_WITH_ALL_BARRIERS(timed_waits, 1);
}

// The last thread arrives late, and the others' waits, with a limit far beyond, end then.
template <class Barrier, memory Memory>
__global__ void late_arrival(Barrier* global) {
  __shared__ int message[2];
  __shared__ unsigned long long arrived[2];
  Barrier& bar = place<Memory>(global);
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (int phase = 0; phase < 6; ++phase) {
    if (threadIdx.x == blockDim.x - 1) {
      gpu_test::pause(2000000);
      message[phase % 2] = phase;
      arrived[phase % 2] = gpu_test::nanoseconds();
    }
    const auto token = bar.arrive();
    const bool parity = phase % 2 != 0;
    const bool completed = phase < 2   ? bar.try_wait_for(token, seconds{5})
                           : phase < 4 ? bar.try_wait_parity_for(parity, seconds{5})
                                       : bar.try_wait_until(token, device_clock::in(5000000000));
    const unsigned long long now = gpu_test::nanoseconds();
    DEVICE_CHECK(completed);
    DEVICE_CHECK(message[phase % 2] == phase);
    DEVICE_CHECK(now + 1000000 > arrived[phase % 2]);  // the multiprocessor's clock, within its step
    DEVICE_CHECK(now < arrived[phase % 2] + latest_return);
  }
}
TEST(waits_last_until_the_last_arrival) {
  RUN_WITH_ALL_BARRIERS(late_arrival, 96);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
