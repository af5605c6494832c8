// Timed waits of cuda::barrier with the durations and the clock of cuda::std::chrono.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compiled: alone
#include "../support/gpu_test.h"

#include <cuda/barrier>

#include <cuda/std/chrono>

namespace chrono = cuda::std::chrono;

template <cuda::thread_scope Scope>
__global__ void timed_waits() {
  __shared__ cuda::barrier<Scope> bar;
  init(&bar, 2);
  const auto token = bar.arrive();
  const unsigned long long start = gpu_test::nanoseconds();
  DEVICE_CHECK(!bar.try_wait_for(token, chrono::microseconds(300)));
  DEVICE_CHECK(gpu_test::nanoseconds() - start >= 300000);
  DEVICE_CHECK(!bar.try_wait_parity_for(false, chrono::duration<double, cuda::std::milli>(0.2)));
  DEVICE_CHECK(gpu_test::nanoseconds() - start >= 500000);
  DEVICE_CHECK(!bar.try_wait_until(token, chrono::system_clock::now() + chrono::microseconds(200)));
  DEVICE_CHECK(gpu_test::nanoseconds() - start >= 690000);  // a clock in microseconds rounds
  DEVICE_CHECK(!bar.try_wait_parity_until(false, chrono::high_resolution_clock::now()));
  DEVICE_CHECK(!bar.try_wait_until(token, chrono::system_clock::time_point::min()));
  DEVICE_CHECK(!bar.try_wait_parity_until(false, chrono::time_point<chrono::system_clock, chrono::hours>::min()));
  static_cast<void>(bar.arrive());
  DEVICE_CHECK(bar.try_wait_until(token, chrono::system_clock::time_point::max()));
  DEVICE_CHECK(bar.try_wait_for(token, chrono::seconds(10)));
  DEVICE_CHECK(bar.try_wait_parity_for(false, chrono::hours(1)));
  DEVICE_CHECK(bar.try_wait_until(token, chrono::system_clock::now() + chrono::seconds(10)));
  DEVICE_CHECK(bar.try_wait_parity_until(false, chrono::high_resolution_clock::now() - chrono::seconds(1)));
}
TEST(timed_waits_with_cuda_std_chrono) {
  gpu_test::run(timed_waits<cuda::thread_scope_block>, {1, 1});
  gpu_test::run(timed_waits<cuda::thread_scope_device>, {1, 1});
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
