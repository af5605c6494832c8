// Objects in the local memory of a thread, which are not shared: no instruction for atomics may reach them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.h"

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>

template <class Barrier>
__device__ void use_barrier(unsigned* failures, Barrier& bar) {
  for (int phase = 0; phase < 3; ++phase) {
    auto token = bar.arrive();
    EXPECT(!bar.try_wait(token));
    bar.arrive_and_wait();
    bar.wait(static_cast<decltype(token)&&>(token));
  }
  bar.arrive_and_drop();
  EXPECT(!bar.try_wait_parity_for(true, nanoseconds{100}));
  static_cast<void>(bar.arrive());
  bar.wait_parity(true);
}

// run: block=32 seeds=1
extern "C" __global__ void barriers(unsigned* failures, int*) {
  cuda::barrier<cuda::thread_scope_block> of_block(2);
  use_barrier(failures, of_block);
  cuda::barrier<cuda::thread_scope_device> of_device(2);
  use_barrier(failures, of_device);
}

// run: block=32 seeds=1
extern "C" __global__ void latches_and_semaphores(unsigned* failures, int*) {
  cuda::latch<cuda::thread_scope_device> gate(2);
  gate.count_down();
  EXPECT(!gate.try_wait());
  gate.arrive_and_wait();
  cuda::counting_semaphore<cuda::thread_scope_device> permits(1);
  permits.acquire();
  permits.release(2);
  permits.acquire();
  EXPECT(permits.try_acquire() && !permits.try_acquire_for(nanoseconds{100}));
  cuda::binary_semaphore<cuda::thread_scope_block> permit(1);
  permit.acquire();
  permit.release();
  EXPECT(permit.try_acquire() && !permit.try_acquire());
}

// run: block=32 seeds=1
extern "C" __global__ void atomics(unsigned* failures, int*) {
  cuda::atomic<int, cuda::thread_scope_device> number(1);
  number.fetch_add(2);
  number.wait(1);
  int expected = 7;
  EXPECT(number.exchange(7) == 3 && number.compare_exchange_strong(expected, 8) && number.load() == 8);
  cuda::atomic<float, cuda::thread_scope_block> real(1);
  real.fetch_add(2);
  real.fetch_max(9);
  EXPECT(real.load() == 9);
  cuda::atomic<unsigned char, cuda::thread_scope_device> byte(250);
  EXPECT(byte.fetch_add(10) == 250 && byte.load() == 4);
}
