// The checked build after a report: a kernel that goes on, waits that are drained, and barriers without room for a record.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compiled: alone
// needs: sm90
#define CUDASYNC_CHECKED_OBJECTS 1024  // five for each multiprocessor
#include "../support/checked_build.h"
#include "../support/gpu_test.h"

#include <cuda/barrier>
#include <cudasync/hang_report.h>

#include <string>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;
using cuda::aligned_size_t;
using cuda::device::barrier_arrive_tx;
using cuda::device::memcpy_async_tx;

namespace {

__device__ alignas(16) unsigned char source[1024];

__device__ void wait_for_report() {
  while (cudasync::checked::shared_by_all(cudasync::checked::controls.host->is_complete) == 0)
    __nanosleep(1000);
}

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

// --- A kernel that goes on: the report must leave its barriers as they are ---

__global__ void late_arrival() {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (unsigned round = 0; round < 3; ++round) {
    if (threadIdx.x == 1 && round == 1) wait_for_report();
    bar.arrive_and_wait();
  }
}
TEST(kernel_goes_on_after_late_arrivals) {
  cudasync::hang_report report;
  report.set_action(cudasync::after_hang::go_on);
  gpu_test::run(late_arrival, {1, 2});
  CHECK(report.is_complete());
  CHECK(has(report.text(), " of 2"));
}

__global__ void late_bytes() {
  __shared__ block_barrier full;
  alignas(16) __shared__ unsigned char tile[1024];
  if (threadIdx.x == 0) init(&full, 1);
  __syncthreads();
  for (unsigned round = 0; round < 3; ++round) {
    if (threadIdx.x == 0) {
      static_cast<void>(barrier_arrive_tx(full, 1, 1024));
      if (round == 1) wait_for_report();
      memcpy_async_tx(tile, source, aligned_size_t<16>(1024), full);
    }
    full.wait_parity(round % 2 != 0);
    __syncthreads();
  }
}
TEST(kernel_goes_on_after_late_bytes) {
  cudasync::hang_report report;
  report.set_action(cudasync::after_hang::go_on);
  gpu_test::run(late_bytes, {1, 2});
  CHECK(report.is_complete());
  CHECK(has(report.text(), "since init, 2048 bytes were expected"));
}

__global__ void arrival_that_never_comes() {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x + 1);
  __syncthreads();
  for (unsigned round = 0; round < 3; ++round) {
    __syncwarp();  // once the waits return, both arrive together where one arrival is missing
    bar.arrive_and_wait();
  }
}
TEST(waits_are_drained) {
  cudasync::hang_report report;
  report.set_action(cudasync::after_hang::drain);
  gpu_test::run(arrival_that_never_comes, {1, 2});
  CHECK(report.is_complete());
  CHECK(has(report.text(), "init was given 3"));
}

// --- More barriers than records ---

constexpr unsigned many = 12;

__global__ void many_barriers() {
  __shared__ block_barrier bars[many];
  if (threadIdx.x < many) init(&bars[threadIdx.x], blockDim.x);
  __syncthreads();
  for (unsigned round = 0; round < 4; ++round)
    for (unsigned index = 0; index < many; ++index) {
      static_cast<void>(bars[index].arrive());
      bars[index].wait_parity(round % 2 != 0);
    }
}

// The blocks of the first kernel have ended, so this one has records.
TEST(records_are_free_again) {
  gpu_test::run(many_barriers, {2, 40});
  cudasync::hang_report report;
  report.set_action(cudasync::after_hang::go_on);
  gpu_test::run(late_arrival, {1, 2});
  CHECK(report.is_complete());
  CHECK(has(report.text(), "initialized at "));
  CHECK(!has(report.text(), "unknown"));
}

__global__ void hang_without_a_record() {
  __shared__ block_barrier bars[many];
  if (threadIdx.x == 0)
    for (block_barrier& each : bars)
      init(&each, blockDim.x);
  __syncthreads();
  if (threadIdx.x == 1) wait_for_report();
  for (block_barrier& each : bars)
    each.arrive_and_wait();
}
TEST(hang_without_a_record_is_reported) {
  cudasync::hang_report report;
  report.set_action(cudasync::after_hang::go_on);
  gpu_test::run(hang_without_a_record, {1, 2});
  CHECK(report.is_complete());
}

}  // namespace

int main(int argc, char** argv) {
  setenv("CUDASYNC_MACHINE_RACES", "0", 1);  // a report reads the records while the kernel runs
  return gpu_test::run_tests(argc, argv);
}
