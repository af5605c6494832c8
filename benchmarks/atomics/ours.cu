// The contestant cudasync: the operations that libcu++ also has, and the operations without a result.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/atomic>

#include "library.h"

#if !defined(CUDASYNC_VERSION)
#error "cudasync's <cuda/atomic> is to be measured here: its include folder comes first"
#endif

namespace bench { namespace {

struct storing {
  template <class Value>
  using object = device_atomic<Value>;

  template <class Value>
  static __device__ __forceinline__ void add(Value& place, Value operand) {
    device_ref<Value>(place).store_add(operand, cuda::memory_order_relaxed);
  }
  template <class Value>
  static __device__ __forceinline__ void max(Value& place, Value operand) {
    device_ref<Value>(place).store_max(operand, cuda::memory_order_relaxed);
  }
  template <class Value>
  static __device__ __forceinline__ void bit_or(Value& place, Value operand) {
    device_ref<Value>(place).store_or(operand, cuda::memory_order_relaxed);
  }
  template <class Value>
  static __device__ __forceinline__ void add(device_atomic<Value>& place, Value operand) {
    place.store_add(operand, cuda::memory_order_relaxed);
  }
  template <class Vector>
  static __device__ __forceinline__ void add_elements(Vector& place, Vector operand) {
    cudasync::device::store_add_elements(&place, operand);
  }
};

struct block_storing {
  template <class Value>
  static __device__ __forceinline__ void add(Value* place, Value operand) {
    cuda::atomic_ref<Value, cuda::thread_scope_block>(*place).store_add(operand, cuda::memory_order_relaxed);
  }
};

struct storing_counter : histogram_counter {
  static __device__ __forceinline__ void increment(counter& bin) { bin.store_add(1, cuda::memory_order_relaxed); }
};

const bool is_enrolled = [] {
  enroll_library("cudasync", "ours");
  enroll_wide_steps<stepping>("cudasync", "ours");
  enroll_shared_additions<block_storing>("cudasync, store_add", "ours");
  enroll_numbers<storing>("cudasync, store_...", "ours");
  enroll_numbers_anywhere<storing>("cudasync, store_...", "ours");
  enroll_small_objects<storing, false>("cudasync, store_add", "ours");
  enroll_small_references<storing, false>("cudasync, store_add", "ours");
  enroll_float_vectors<storing>("cudasync, store_add_elements", "ours");
  enroll_half_vectors<storing>("cudasync, store_add_elements", "ours");
  enroll_histogram<storing_counter>("cudasync, store_add", "ours");
  return true;
}();

}}  // namespace bench
