// Calls at two places of kernels whose roles change their registers: ptxas refuses a call that is not inlined (C7600).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cudasync/memcpy_async.h>
#include <cudasync/register_budget.h>

namespace {

using producer = cudasync::register_role<128, 40>;
using consumer = cudasync::register_role<256, 232>;
using budget = cudasync::register_budget<cudasync::registers_at_launch(384), producer, consumer>;

// Both roles make all the calls, in branches, and at two places each.
template <class Calls>
__device__ __forceinline__ void call_at_two_places(const Calls& calls) {
  if (threadIdx.x >= consumer::threads) {
    budget::enter<producer>();
    if (threadIdx.x % 3 == 1) calls(threadIdx.x);
    calls(1);
  } else {
    budget::enter<consumer>();
    if (threadIdx.x % 5 == 1) calls(2 * threadIdx.x);
    calls(2);
  }
}

}  // namespace

template <cuda::thread_scope Scope>
__global__ void __launch_bounds__(budget::threads, 1) arrive(cuda::barrier<Scope>* bars) {
  call_at_two_places([=](unsigned index) {
    static_cast<void>(bars[index].arrive());
    static_cast<void>(bars[index].arrive(3));
    bars[index + 1].arrive_and_wait();
    bars[index + 2].arrive_and_drop();
  });
}
template __global__ void arrive(cuda::barrier<cuda::thread_scope_block>*);
template __global__ void arrive(cuda::barrier<cuda::thread_scope_device>*);
template __global__ void arrive(cuda::barrier<cuda::thread_scope_system>*);

__global__ void __launch_bounds__(budget::threads, 1)
    count(cuda::latch<cuda::thread_scope_device>* latches,
          cuda::counting_semaphore<cuda::thread_scope_device>* permits) {
  call_at_two_places([=](unsigned index) {
    latches[index].count_down();
    latches[index].arrive_and_wait();
    permits[index].acquire();
    permits[index].release(2);
  });
}

template <class Value, cuda::thread_scope Scope>
__global__ void __launch_bounds__(budget::threads, 1)
    copy(cuda::barrier<Scope>* global, const Value* from, Value* to, int count) {
  __shared__ Value stage[4096];
  __shared__ cuda::barrier<Scope> bar;
  if (threadIdx.x == 0) init(&bar, budget::threads);
  __syncthreads();
  call_at_two_places([=](unsigned index) {
    const cudasync::zero_filled_size<sizeof(Value)> padded(count * sizeof(Value), count * sizeof(Value) / 2);
    for (auto* each : {&bar, global}) {
      cuda::memcpy_async(stage + index, from, count * sizeof(Value), *each);
      cuda::memcpy_async(stage + index, from, padded, *each);
      cuda::memcpy_async(cudasync::this_thread_block(), stage + index, from, count * sizeof(Value), *each);
      cuda::memcpy_async(cudasync::this_thread_block(), to + index, from, padded, *each);
    }
  });
  to[threadIdx.x] = stage[threadIdx.x];
}
template __global__ void copy(cuda::barrier<cuda::thread_scope_block>*, const char*, char*, int);
template __global__ void copy(cuda::barrier<cuda::thread_scope_block>*, const int*, int*, int);
template __global__ void copy(cuda::barrier<cuda::thread_scope_device>*, const char*, char*, int);

__global__ void __launch_bounds__(budget::threads, 1) fill_stages(const int* from, int* to, int count) {
  __shared__ int stages[4096];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state);
  call_at_two_places([&](unsigned index) {
    pipe.producer_acquire();
    cuda::memcpy_async(cudasync::this_thread_block(), stages + index, from, count * sizeof(int), pipe);
    cuda::memcpy_async(stages + 2 * index, from, count * sizeof(int), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    to[index] += stages[threadIdx.x];
    pipe.consumer_release();
  });
  pipe.quit();
}
