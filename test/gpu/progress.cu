// A lane that tries again and again lets the lane of its warp run which makes it succeed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/duck_time.h"
#include "../support/gpu_test.h"

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>

using cuda::thread_scope_block;
using cuda::thread_scope_device;
using gpu_test::device_array;

// Lane trying tries until the other of lanes 0 and 1 has helped it: which of them the hardware runs first is not for us to say.
template <class Case>
__device__ __forceinline__ void play(typename Case::object& it, unsigned trying, long limit) {
  if (threadIdx.x == trying) {
    while (!Case::attempt(it, limit)) {
    }
  } else if (threadIdx.x == 1 - trying) {
    Case::help(it);
  }
}

template <class Case, unsigned Trying>
__global__ void in_shared_memory(long limit) {
  __shared__ typename Case::object it;
  if (threadIdx.x == 0) Case::prepare(it);
  __syncthreads();
  play<Case>(it, Trying, limit);
}

template <class Case>
__global__ void prepare_in_global_memory(typename Case::object* it) {
  Case::prepare(*it);
}
template <class Case, unsigned Trying>
__global__ void in_global_memory(typename Case::object* it, long limit) {
  play<Case>(*it, Trying, limit);
}

// The kernel does not end if the helper never runs: then the watchdog ends the test.
template <class Case, unsigned Trying>
void check(long limit) {
  const device_array<typename Case::object> global(1);
  gpu_test::run(in_shared_memory<Case, Trying>, {1, 32}, limit);
  gpu_test::run(prepare_in_global_memory<Case>, {1, 1}, global.get());
  gpu_test::run(in_global_memory<Case, Trying>, {1, 32}, global.get(), limit);
}
template <class Case>
void check() {
  for (const long limit : {0l, 1l, 1000l}) {
    check<Case, 0>(limit);
    check<Case, 1>(limit);
  }
}

template <class Barrier>
struct of_barrier {
  using object = Barrier;
  static __device__ void prepare(Barrier& bar) { init(&bar, 1); }
  static __device__ void help(Barrier& bar) { static_cast<void>(bar.arrive()); }
};
template <class Barrier>
struct by_try_wait : of_barrier<Barrier> {
  static __device__ bool attempt(Barrier& bar, long) { return bar.try_wait_parity(false); }
};
template <class Barrier>
struct by_try_wait_for : of_barrier<Barrier> {
  static __device__ bool attempt(Barrier& bar, long limit) {
    return bar.try_wait_parity_for(false, nanoseconds{limit});
  }
};
template <class Barrier>
struct by_try_wait_for_0 : of_barrier<Barrier> {
  static __device__ bool attempt(Barrier& bar, long) { return bar.try_wait_parity_for(false, nanoseconds{0}); }
};
template <class Barrier>
struct by_try_wait_until : of_barrier<Barrier> {
  static __device__ bool attempt(Barrier& bar, long limit) {
    return bar.try_wait_parity_until(false, device_clock::in(limit));
  }
};
template <class Barrier>
void check_barrier() {
  check<by_try_wait<Barrier>>();
  check<by_try_wait_for<Barrier>>();
  check<by_try_wait_for_0<Barrier>>();
  check<by_try_wait_until<Barrier>>();
}
struct nothing {
  __device__ void operator()() {}
};
TEST(barriers) {
  check_barrier<cuda::barrier<thread_scope_block>>();
  check_barrier<cuda::barrier<thread_scope_device>>();
}
TEST(barriers_with_a_function) {
  check_barrier<cuda::barrier<thread_scope_block, nothing>>();
  check_barrier<cuda::barrier<thread_scope_device, nothing>>();
}

struct by_latch {
  using object = cuda::latch<thread_scope_device>;
  static __device__ void prepare(object& latch) { init(&latch, 1); }
  static __device__ void help(object& latch) { latch.count_down(); }
  static __device__ bool attempt(object& latch, long limit) {
    return limit == 1 ? latch.try_wait() : latch.try_wait_for(nanoseconds{limit});
  }
};
TEST(latches) {
  check<by_latch>();
}

template <class Semaphore>
struct by_semaphore {
  using object = Semaphore;
  static __device__ void prepare(object& permits) { init(&permits, 0); }
  static __device__ void help(object& permits) { permits.release(); }
  static __device__ bool attempt(object& permits, long limit) {
    return limit == 1 ? permits.try_acquire() : permits.try_acquire_for(nanoseconds{limit});
  }
};
TEST(semaphores) {
  check<by_semaphore<cuda::counting_semaphore<thread_scope_device>>>();
  check<by_semaphore<cuda::binary_semaphore<thread_scope_device>>>();
}

struct by_atomic {
  using object = cuda::atomic<int, thread_scope_device>;
  static __device__ void prepare(object& number) { number.store(0); }
  static __device__ void help(object& number) { number.store(1); }
  static __device__ bool attempt(object& number, long limit) {
    return limit == 1 ? number.load(cuda::memory_order_acquire) != 0 : number.wait_for(0, nanoseconds{limit});
  }
};
TEST(atomics) {
  check<by_atomic>();
}

template <cuda::thread_scope Scope>
struct by_pipeline {
  using object = cuda::pipeline_shared_state<Scope, 2>;
  static __device__ void prepare(object& state) { state.start(0, 1, 1); }
  static __device__ void help(object& state) {
    cuda::pipeline<Scope> pipe(state, true, false);
    pipe.producer_acquire();
    pipe.producer_commit();
  }
  static __device__ bool attempt(object& state, long limit) {
    return cuda::pipeline<Scope>(state, false, true).consumer_wait_for(nanoseconds{limit});
  }
};
TEST(pipelines) {
  check<by_pipeline<thread_scope_block>>();
  check<by_pipeline<thread_scope_device>>();
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
