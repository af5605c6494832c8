// The contestants of both cudasync and CCCL: cuda::atomic and cuda::atomic_ref of the <cuda/atomic> that was included.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_ATOMICS_LIBRARY_H
#define CUDASYNC_BENCHMARKS_ATOMICS_LIBRARY_H

#include "../latency/wakeup.h"
#include "chain.h"
#include "histogram.h"
#include "shared_additions.h"
#include "updates.h"

namespace bench { namespace {

template <class Value>
using device_ref = cuda::atomic_ref<Value, cuda::thread_scope_device>;
template <class Value>
using device_atomic = cuda::atomic<Value, cuda::thread_scope_device>;

// Updates with fetch_add and similar functions. The functions without a result ignore the result of these.
struct fetching {
  template <class Value>
  using object = device_atomic<Value>;

  template <class Value>
  static __device__ __forceinline__ void add(Value& place, Value operand) {
    device_ref<Value>(place).fetch_add(operand, cuda::memory_order_relaxed);
  }
  template <class Value>
  static __device__ __forceinline__ void max(Value& place, Value operand) {
    device_ref<Value>(place).fetch_max(operand, cuda::memory_order_relaxed);
  }
  template <class Value>
  static __device__ __forceinline__ void bit_or(Value& place, Value operand) {
    device_ref<Value>(place).fetch_or(operand, cuda::memory_order_relaxed);
  }
  template <class Value>
  static __device__ __forceinline__ void add(device_atomic<Value>& place, Value operand) {
    place.fetch_add(operand, cuda::memory_order_relaxed);
  }
  template <class Value>
  static __device__ __forceinline__ Value fetch_add(Value& place, Value operand) {
    return device_ref<Value>(place).fetch_add(operand, cuda::memory_order_relaxed);
  }
  template <class Value>
  static __device__ __forceinline__ Value fetch_add(device_atomic<Value>& place, Value operand) {
    return place.fetch_add(operand, cuda::memory_order_relaxed);
  }
};

struct histogram_counter {
  using counter = cuda::atomic<unsigned, cuda::thread_scope_block>;
  static __device__ __forceinline__ void clear(counter& bin) { bin.store(0, cuda::memory_order_relaxed); }
  static __device__ __forceinline__ void increment(counter& bin) { bin.fetch_add(1, cuda::memory_order_relaxed); }
  static __device__ __forceinline__ unsigned value(counter& bin) { return bin.load(cuda::memory_order_relaxed); }
};

struct block_fetching {
  template <class Value>
  static __device__ __forceinline__ void add(Value* place, Value operand) {
    cuda::atomic_ref<Value, cuda::thread_scope_block>(*place).fetch_add(operand, cuda::memory_order_relaxed);
  }
};

struct stepping {
  template <class Space, class Value>
  using reference =
      cuda::atomic_ref<Value, std::is_same_v<Space, in_shared> ? cuda::thread_scope_block : cuda::thread_scope_device>;

  template <class Space, class Value>
  static __device__ __forceinline__ Value load(Space, Value* place) {
    return reference<Space, Value>(*place).load(cuda::memory_order_relaxed);
  }
  template <class Space, class Value>
  static __device__ __forceinline__ void store(Space, Value* place, Value operand) {
    reference<Space, Value>(*place).store(operand, cuda::memory_order_relaxed);
  }
  template <class Space, class Value>
  static __device__ __forceinline__ Value fetch_add(Space, Value* place, Value operand) {
    return reference<Space, Value>(*place).fetch_add(operand, cuda::memory_order_relaxed);
  }
  template <class Space, class Value>
  static __device__ __forceinline__ Value exchange(Space, Value* place, Value operand) {
    return reference<Space, Value>(*place).exchange(operand, cuda::memory_order_relaxed);
  }
  template <class Space, class Value>
  static __device__ __forceinline__ bool compare_exchange(Space, Value* place, Value& expected, Value desired) {
    return reference<Space, Value>(*place).compare_exchange_strong(expected, desired, cuda::memory_order_relaxed,
                                                                   cuda::memory_order_relaxed);
  }
};

// An atomic in the role of a barrier: the thread that arrives last changes the value for which the other thread waits.
template <cuda::thread_scope Scope>
struct waiting {
  cuda::atomic<unsigned, Scope> value;

  __device__ __forceinline__ void init(unsigned) { value.store(0, cuda::memory_order_relaxed); }
  __device__ __forceinline__ void arrive_only(unsigned = 0) {
    value.fetch_add(1, cuda::memory_order_release);
    value.notify_all();
  }
  __device__ __forceinline__ void arrive_and_wait(unsigned phase) { value.wait(phase, cuda::memory_order_acquire); }
};

void enroll_library(const std::string& name, const std::string& kind) {
  enroll_numbers<fetching>(name, kind);
  enroll_numbers_anywhere<fetching>(name, kind);
  enroll_small_objects<fetching, false>(name, kind);
  enroll_small_objects<fetching, true>(name, kind);
  enroll_small_references<fetching, false>(name, kind);
  enroll_small_references<fetching, true>(name, kind);
  enroll_histogram<histogram_counter>(name, kind);
  enroll_shared_additions<block_fetching>(name, kind);
  enroll_updating_steps<stepping>(name, kind);
  enroll_loading_steps<stepping>(name, kind);
  enroll_block_wakeup<waiting<cuda::thread_scope_block>>(name, kind, "native");
  enroll_device_wakeup<waiting<cuda::thread_scope_device>>(name, kind, "native");
}

}}  // namespace bench

#endif
