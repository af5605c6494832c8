// Included after the others' headers: a kernel with our atomics, and proof that cuda::atomic and its names are ours.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/atomic>

#include "ours.h"

using device_atomic = cuda::atomic<int, cuda::thread_scope_device>;
static_assert(is_same<device_atomic, cudasync::atomic<int, cudasync::thread_scope_device>>, "");
static_assert(is_same<cuda::atomic_ref<int>, cudasync::atomic_ref<int, cudasync::thread_scope_system>>, "");
static_assert(is_same<cuda::std::atomic<int>, cudasync::standard::atomic<int>>, "");
static_assert(is_same<cuda::std::atomic_ref<int>, cudasync::standard::atomic_ref<int>>, "");
static_assert(is_same<cuda::std::atomic_flag, cudasync::atomic_flag>, "");
static_assert(is_same<cuda::memory_order, cudasync::memory_order>, "");
static_assert(is_same<cuda::std::memory_order, cudasync::memory_order>, "");
static_assert(cuda::std::memory_order_release == cuda::memory_order::release, "");

// The order and the scope as values, which NCCL's device code has.
__host__ __device__ int load(int* object, cuda::memory_order order, cuda::thread_scope scope) {
  if (scope == cuda::thread_scope_thread) return cuda::atomic_ref<int, cuda::thread_scope_thread>{*object}.load(order);
  cuda::atomic_thread_fence(order, scope);
  return cuda::std::atomic_ref<int>{*object}.load(order);
}

struct alignas(16) pair_of_words {
  unsigned long long status;
  unsigned long long value;
};

__global__ void kernel_with_atomics(device_atomic* sum, cuda::std::atomic_flag* flag, pair_of_words* pair) {
  sum->fetch_add(load(reinterpret_cast<int*>(sum), cuda::std::memory_order_relaxed, cuda::std::thread_scope_thread));
  cuda::std::atomic_fetch_max_explicit(sum, 1, cuda::std::memory_order_acq_rel);
  flag->wait(false, cuda::memory_order_acquire);
  cuda::atomic_ref<pair_of_words, cuda::std::thread_scope_device> reference(*pair);
  auto expected = reference.load(cuda::memory_order_relaxed);
  reference.compare_exchange_strong(expected, {1, 2}, cuda::memory_order_acquire, cuda::memory_order_relaxed);
}
