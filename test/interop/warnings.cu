// Where libcu++'s headers give no warning, ours give none: results that nobody uses, variables that nobody does, formats.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// passes: both
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/atomic>
#include <cuda/std/barrier>
#include <cuda/std/chrono>
#include <cuda/std/semaphore>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

#include <stdio.h>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;
using nanoseconds = cuda::std::chrono::nanoseconds;
using state = cuda::pipeline_shared_state<cuda::thread_scope_block, 2>;

__device__ void atomics(cuda::atomic<int>& number, const cuda::atomic<int>& same, cuda::std::atomic<float>& real,
                        cuda::std::atomic_flag& flag, int& object) {
  int expected = 0;
  number.load();
  same.load(cuda::memory_order_relaxed);
  number.is_lock_free();
  number.exchange(1);
  number.compare_exchange_strong(expected, 1);
  number.compare_exchange_weak(expected, 1);
  number.fetch_add(1);
  number.fetch_min(1);
  real.load();
  real.exchange(1.f);
  cuda::std::atomic_load(&real);
  cuda::std::atomic_load_explicit(&real, cuda::std::memory_order_relaxed);
  cuda::std::atomic_exchange(&real, 1.f);
  cuda::std::atomic_is_lock_free(&real);
  cuda::std::kill_dependency(1);
  cuda::atomic_ref<int> ref(object);
  ref.load();
  ref.exchange(1);
  ref.fetch_add(1);
  ref.is_lock_free();
  ref.compare_exchange_strong(expected, 1);
  flag.test();
  flag.test_and_set();
  cuda::std::atomic_flag_test(&flag);
  cuda::std::atomic_flag_test_and_set(&flag);
}

__device__ void synchronizers(cuda::latch<cuda::thread_scope_block>& latch, cuda::std::latch& system_latch,
                              cuda::pipeline<cuda::thread_scope_block>& pipe) {
  latch.try_wait();
  latch.max();
  system_latch.try_wait();
  pipe.consumer_wait_for(nanoseconds(1));
  pipe.quit();
}

__global__ void copies(const int4* source, block_barrier* outside) {
  __shared__ state shared;
  __shared__ block_barrier bar;
  __shared__ int4 tile[4];
  const auto block = cooperative_groups::this_thread_block();
  cuda::make_pipeline();
  cuda::make_pipeline(block, &shared, cuda::pipeline_role::producer);
  auto unused_pipeline = cuda::make_pipeline(block, &shared);
  auto unused_pipeline_of_thread = cuda::make_pipeline();
  cuda::memcpy_async(tile, source, cuda::aligned_size_t<16>(16), bar);
  cuda::memcpy_async(block, tile, source, 16, bar);
  cuda::device::barrier_native_handle(bar);
  auto unused_token = outside->arrive();
  auto unused_answer = outside->try_wait_for(outside->arrive(), nanoseconds(1));
}

static_assert(cuda::std::is_unsigned<cuda::std::underlying_type_t<cuda::memory_order>>::value);

void formats() {
  printf("%lld", nanoseconds(1).count());
  printf("%lld", cuda::std::chrono::duration_cast<cuda::std::chrono::seconds>(nanoseconds(1)).count());
  printf("%lld", cuda::std::chrono::system_clock::now().time_since_epoch().count());
  printf("%g", cuda::std::chrono::duration<double>(nanoseconds(1)).count());
}
