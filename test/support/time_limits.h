// Waits that have a limit end neither before it nor much later; and what a kernel waits for comes, or the test fails.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_SUPPORT_TIME_LIMITS_H
#define CUDASYNC_TEST_SUPPORT_TIME_LIMITS_H

#include "duck_time.h"
#include "gpu_test.h"

// How late a wait may return, in nanoseconds: other threads of the multiprocessor want to run, too, and the hardware
// suspends a thread for a time of its own.
constexpr unsigned long long latest_return = 100000000;

template <class Wait>
__device__ void check_times_out(unsigned long long limit, Wait wait) {
  const unsigned long long start = gpu_test::nanoseconds();
  DEVICE_CHECK(!wait());
  const unsigned long long waited = gpu_test::nanoseconds() - start;
  DEVICE_CHECK(waited >= limit);
  DEVICE_CHECK(waited <= limit + latest_return);
}

template <class Wait>
__device__ void check_true_at_once(Wait wait) {
  const unsigned long long start = gpu_test::nanoseconds();
  DEVICE_CHECK(wait());
  DEVICE_CHECK(gpu_test::nanoseconds() - start < latest_return);
}

// Asks until it is so, for a second or two.
template <class Condition>
__device__ bool comes_true(Condition condition) {
  const unsigned long long start = gpu_test::nanoseconds();
  while (!condition())
    if (gpu_test::nanoseconds() - start > 2000000000) return false;
  return true;
}

#endif
