// Loops around and in functions that lanes call alone let the other lanes run: tools/cudasync_tools/progress_audit.py.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 75 80 86 89 90 100 103 110 120 121
// MATRIX: progress
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>

#if defined(__CUDA_ARCH__)
using nanoseconds = cuda::std::chrono::nanoseconds;
using clock_type = cuda::std::chrono::steady_clock;
#endif

// TRIES(name, type, what a thread tries with `it`) makes three kernels: the object lies in global or shared memory, or where
// the compiler cannot see. One lane tries until it succeeds. The branch that the others take makes the compiler know that the
// warp has diverged; nothing there loops.
#define TRIES_AT(NAME, PLACE, TYPE, WHERE, ...)                                                                        \
  extern "C" __global__ void NAME##__##PLACE(void* place, void** places, bool flag, long long limit, unsigned* done) { \
    TYPE& it = *reinterpret_cast<TYPE*>(WHERE);                                                                        \
    if (threadIdx.x == 0) {                                                                                            \
      __VA_ARGS__                                                                                                      \
    } else {                                                                                                           \
      done[threadIdx.x] = 1;                                                                                           \
    }                                                                                                                  \
  }
#define TRIES(NAME, TYPE, ...)                                   \
  TRIES_AT(NAME, global, TYPE, place, while (!(__VA_ARGS__)){})  \
  TRIES_AT(NAME, shared, TYPE, memory, while (!(__VA_ARGS__)){}) \
  TRIES_AT(NAME, unknown, TYPE, places[blockIdx.x], while (!(__VA_ARGS__)){})
// The same for what waits by itself.
#define WAITS(NAME, TYPE, ...)                       \
  TRIES_AT(NAME, global, TYPE, place, __VA_ARGS__;)  \
  TRIES_AT(NAME, shared, TYPE, memory, __VA_ARGS__;) \
  TRIES_AT(NAME, unknown, TYPE, places[blockIdx.x], __VA_ARGS__;)

extern __shared__ __align__(16) unsigned char memory[];

struct nothing {
  __device__ void operator()() {}
};
using block_barrier = cuda::barrier<cuda::thread_scope_block>;
using device_barrier = cuda::barrier<cuda::thread_scope_device>;
using device_barrier_with_function = cuda::barrier<cuda::thread_scope_device, nothing>;
using latch = cuda::latch<cuda::thread_scope_device>;
using semaphore = cuda::counting_semaphore<cuda::thread_scope_device>;
using binary_semaphore = cuda::binary_semaphore<cuda::thread_scope_device>;
using device_atomic = cuda::atomic<int, cuda::thread_scope_device>;

#define BARRIER(NAME, TYPE)                                                                 \
  TRIES(NAME##_try_wait, TYPE, it.try_wait(7ull))                                           \
  TRIES(NAME##_try_wait_parity, TYPE, it.try_wait_parity(flag))                             \
  TRIES(NAME##_try_wait_for, TYPE, it.try_wait_for(7, nanoseconds(limit)))                  \
  TRIES(NAME##_try_wait_for_0, TYPE, it.try_wait_for(7, nanoseconds(0)))                    \
  TRIES(NAME##_try_wait_parity_for, TYPE, it.try_wait_parity_for(flag, nanoseconds(limit))) \
  TRIES(NAME##_try_wait_parity_for_0, TYPE, it.try_wait_parity_for(flag, nanoseconds(0)))   \
  WAITS(NAME##_wait, TYPE, it.wait_parity(flag))                                            \
  WAITS(NAME##_arrive, TYPE, done[0] = static_cast<unsigned>(it.arrive()))                  \
  WAITS(NAME##_arrive_and_drop, TYPE, it.arrive_and_drop())                                 \
  WAITS(NAME##_arrive_and_wait, TYPE, it.arrive_and_wait())

BARRIER(block, block_barrier)
BARRIER(device, device_barrier)
BARRIER(device_function, device_barrier_with_function)
TRIES(device_try_wait_until, device_barrier, it.try_wait_until(7, clock_type::now() + nanoseconds(limit)))
TRIES(device_try_wait_parity_until, device_barrier,
      it.try_wait_parity_until(flag, clock_type::now() + nanoseconds(limit)))

TRIES(latch_try_wait, latch, it.try_wait())
TRIES(latch_try_wait_for, latch, it.try_wait_for(nanoseconds(limit)))
TRIES(latch_try_wait_for_0, latch, it.try_wait_for(nanoseconds(0)))
TRIES(latch_try_wait_until, latch, it.try_wait_until(clock_type::now() + nanoseconds(limit)))
WAITS(latch_wait, latch, it.wait())
WAITS(latch_arrive_and_wait, latch, it.arrive_and_wait())

#define SEMAPHORE(NAME, TYPE)                                                                         \
  TRIES(NAME##_try_acquire, TYPE, it.try_acquire())                                                   \
  TRIES(NAME##_try_acquire_for, TYPE, it.try_acquire_for(nanoseconds(limit)))                         \
  TRIES(NAME##_try_acquire_for_0, TYPE, it.try_acquire_for(nanoseconds(0)))                           \
  TRIES(NAME##_try_acquire_until, TYPE, it.try_acquire_until(clock_type::now() + nanoseconds(limit))) \
  WAITS(NAME##_release, TYPE, it.release())                                                           \
  WAITS(NAME##_acquire, TYPE, it.acquire())

SEMAPHORE(semaphore, semaphore)
SEMAPHORE(binary_semaphore, binary_semaphore)

TRIES(atomic_load, device_atomic, it.load(cuda::memory_order_acquire) == 0)
TRIES(atomic_wait_for, device_atomic, it.wait_for(0, nanoseconds(limit)))
TRIES(atomic_wait_for_0, device_atomic, it.wait_for(0, nanoseconds(0)))
TRIES(atomic_wait_until, device_atomic, it.wait_until(0, clock_type::now() + nanoseconds(limit)))
WAITS(atomic_wait, device_atomic, it.wait(0))
struct large {
  long long parts[3];
};
using locked = cuda::atomic<large, cuda::thread_scope_device>;
WAITS(locked_store, locked, it.store(large{}))
TRIES(locked_load, locked, it.load().parts[0] != 0)
TRIES(locked_wait_for_0, locked, it.wait_for(large{}, nanoseconds(0)))
TRIES(flag_test_and_set, cuda::atomic_flag, !it.test_and_set())
WAITS(flag_wait, cuda::atomic_flag, it.wait(flag))

// quit: of one stage, because the loop over the stages, which ends by itself, need not yield.
#define PIPELINE(NAME, SCOPE)                                                                              \
  using NAME##_state = cuda::pipeline_shared_state<SCOPE, 2>;                                              \
  using NAME##_stage = cuda::pipeline_shared_state<SCOPE, 1>;                                              \
  TRIES(NAME##_consumer_wait_for, NAME##_state,                                                            \
        cuda::pipeline<SCOPE>(it, true, true).consumer_wait_for(nanoseconds(limit)))                       \
  TRIES(NAME##_consumer_wait_for_0, NAME##_state,                                                          \
        cuda::pipeline<SCOPE>(it, true, true).consumer_wait_for(nanoseconds(0)))                           \
  TRIES(NAME##_consumer_wait_until, NAME##_state,                                                          \
        cuda::pipeline<SCOPE>(it, true, true).consumer_wait_until(clock_type::now() + nanoseconds(limit))) \
  WAITS(NAME##_consumer_wait, NAME##_state, cuda::pipeline<SCOPE>(it, true, true).consumer_wait())         \
  WAITS(NAME##_consumer_release, NAME##_state, cuda::pipeline<SCOPE>(it, true, true).consumer_release())   \
  WAITS(NAME##_producer_acquire, NAME##_state, cuda::pipeline<SCOPE>(it, true, true).producer_acquire())   \
  WAITS(NAME##_producer_commit, NAME##_state, cuda::pipeline<SCOPE>(it, true, true).producer_commit())     \
  WAITS(NAME##_quit, NAME##_stage, cuda::pipeline<SCOPE>(it, true, true).quit())

PIPELINE(block_pipeline, cuda::thread_scope_block)
PIPELINE(device_pipeline, cuda::thread_scope_device)

#if __CUDA_ARCH__ >= 900
using ring = cudasync::bulk_pipeline<2, cudasync::consumer_warps<4>>;
using cluster_ring = cudasync::bulk_pipeline<2, cudasync::consumer_warps<4>, 2>;
using cluster_barrier = cuda::barrier<cuda::thread_scope_cluster>;
TRIES_AT(ring_try_acquire, shared, ring, memory, ring::producer_state at; while (!it.try_producer_acquire(at, 16)){})
TRIES_AT(ring_try_wait, shared, ring, memory, ring::consumer_state at; while (!it.try_consumer_wait(at)){})
TRIES_AT(ring_wait, shared, ring, memory, ring::consumer_state at; it.consumer_wait(at);)
TRIES_AT(cluster_ring_try_acquire, shared, cluster_ring, memory, cluster_ring::producer_state at;
         while (!it.try_producer_acquire(at, 16)){})
TRIES_AT(cluster_ring_acquire, shared, cluster_ring, memory, cluster_ring::producer_state at;
         it.producer_acquire(at, 16);)
TRIES_AT(cluster_try_wait, shared, cluster_barrier, memory, while (!it.try_wait_parity(flag)){})
TRIES_AT(cluster_try_wait_for_0, shared, cluster_barrier, memory,
         while (!it.try_wait_parity_for(flag, nanoseconds(0))){})
TRIES_AT(cluster_wait, shared, cluster_barrier, memory, it.wait_parity(flag);)
#endif
