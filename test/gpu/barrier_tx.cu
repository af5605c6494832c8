// Transactions on a block's barrier: bytes are counted as well as arrivals.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: sm90
#include "../support/duck_time.h"
#include "../support/gpu_test.h"

#include <cuda/barrier>

using barrier = cuda::barrier<cuda::thread_scope_block>;
using cuda::device::barrier_arrive_tx;
using cuda::device::barrier_expect_tx;
using cuda::device::barrier_native_handle;
using cudasync::device::barrier_arrive_and_drop_tx;
using cudasync::device::barrier_complete_tx;
using cudasync::device::barrier_pending_count;

constexpr int max_transactions = (1 << 20) - 1;

// The false answers of a barrier whose phase is open, by token and parity.
__device__ void check_open(const barrier& bar, barrier::arrival_token token, bool parity) {
  DEVICE_CHECK(!bar.try_wait(token));
  DEVICE_CHECK(!bar.try_wait_parity_for(parity, microseconds{50}));
}
__device__ void check_complete(const barrier& bar, barrier::arrival_token token, bool parity) {
  DEVICE_CHECK(bar.try_wait_for(token, seconds{1}));
  DEVICE_CHECK(bar.try_wait_parity_for(parity, seconds{1}));
  DEVICE_CHECK(!bar.try_wait_parity(!parity));
}

__global__ void arrive_tx() {
  __shared__ barrier bar;
  init(&bar, 1);
  auto token = barrier_arrive_tx(bar, 1, 0);
  check_complete(bar, token, false);

  token = barrier_arrive_tx(bar, 1, 4096);
  check_open(bar, token, true);
  barrier_complete_tx(bar, 4095);
  check_open(bar, token, true);
  barrier_complete_tx(bar, 1);
  check_complete(bar, token, true);

  token = barrier_arrive_tx(bar, 1, max_transactions);
  check_open(bar, token, false);
  barrier_complete_tx(bar, max_transactions);
  check_complete(bar, token, false);
}
TEST(arrive_tx_expects_bytes) {
  gpu_test::run(arrive_tx, {1, 1});
}

__global__ void arrive_tx_several_times() {
  __shared__ barrier bar;
  init(&bar, 5);
  auto token = barrier_arrive_tx(bar, 3, 32);
  barrier_complete_tx(bar, 32);
  check_open(bar, token, false);  // two arrivals are missing
  token = barrier_arrive_tx(bar, 2, 16);
  check_open(bar, token, false);  // 16 bytes are missing
  barrier_complete_tx(bar, 16);
  check_complete(bar, token, false);
}
TEST(arrive_tx_arrives_several_times) {
  gpu_test::run(arrive_tx_several_times, {1, 1});
}

__global__ void expect_tx() {
  __shared__ barrier bar;
  init(&bar, 2);
  barrier_expect_tx(bar, 100);  // before any arrival
  auto token = bar.arrive();
  barrier_expect_tx(bar, 28);  // after an arrival
  static_cast<void>(bar.arrive());
  check_open(bar, token, false);
  barrier_complete_tx(bar, 127);
  check_open(bar, token, false);
  barrier_complete_tx(bar, 1);
  check_complete(bar, token, false);

  barrier_complete_tx(bar, 64);  // bytes come before they are expected, while an arrival is pending
  token = bar.arrive();
  check_open(bar, token, true);
  static_cast<void>(barrier_arrive_tx(bar, 1, 64));
  check_complete(bar, token, true);
}
TEST(expect_tx_may_come_first_or_last) {
  gpu_test::run(expect_tx, {1, 1});
}

// Thread 0 leaves after the first phase, thread 1 stays.
__global__ void arrive_and_drop_tx() {
  __shared__ barrier bar;
  if (threadIdx.x == 0) init(&bar, 2);
  __syncthreads();
  auto token = threadIdx.x == 0 ? barrier_arrive_and_drop_tx(bar, 48) : bar.arrive();
  __syncthreads();
  check_open(bar, token, false);
  __syncthreads();
  if (threadIdx.x == 0) barrier_complete_tx(bar, 48);
  __syncthreads();
  check_complete(bar, token, false);
  __syncthreads();  // no token is of a phase before the last
  if (threadIdx.x == 0) return;
  token = bar.arrive();  // one is expected now
  check_complete(bar, token, true);
}
TEST(arrive_and_drop_tx_expects_bytes_and_leaves) {
  gpu_test::run(arrive_and_drop_tx, {1, 2});
}

__global__ void pending_count() {
  __shared__ barrier bar;
  init(&bar, 9);
  DEVICE_CHECK(barrier_pending_count(bar.arrive()) == 9);
  DEVICE_CHECK(barrier_pending_count(bar.arrive(3)) == 8);
  DEVICE_CHECK(barrier_pending_count(barrier_arrive_tx(bar, 1, 0)) == 5);
  DEVICE_CHECK(barrier_pending_count(bar.arrive(3)) == 4);
  DEVICE_CHECK(barrier_pending_count(barrier_arrive_and_drop_tx(bar, 0)) == 1);
  bar.wait_parity(false);
  DEVICE_CHECK(barrier_pending_count(bar.arrive()) == 8);  // of the next phase, less the drop
}
TEST(pending_count_of_a_token) {
  gpu_test::run(pending_count, {1, 1});
}

// The handle is the address of the mbarrier, for PTX.
__global__ void native_handle() {
  __shared__ barrier bar;
  init(&bar, 1);
  static_assert(sizeof *barrier_native_handle(bar) == 8);
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(barrier_native_handle(bar)));
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(address) : "memory");
  DEVICE_CHECK(bar.try_wait_parity_for(false, seconds{1}));
}
TEST(native_handle_serves_ptx) {
  gpu_test::run(native_handle, {1, 1});
}

// All threads expect their share, and another thread completes it.
__global__ void every_thread_expects(int rounds) {
  __shared__ barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
    const bool parity = round % 2 != 0;
    const auto token = barrier_arrive_tx(bar, 1, 16);
    __syncthreads();
    if (round % 10 == 0) DEVICE_CHECK(!bar.try_wait_parity(parity));
    __syncthreads();
    barrier_complete_tx(bar, 16);
    DEVICE_CHECK(bar.try_wait_for(token, seconds{1}));
  }
}
TEST(every_thread_may_expect_bytes) {
  gpu_test::run(every_thread_expects, {4, 256}, 50);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
