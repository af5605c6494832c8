// A function that loads, stores and adds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/atomic>

int function(const int* data, cuda::atomic<int, cuda::thread_scope_system>& number, unsigned& count) {
  cuda::atomic_ref<unsigned, cuda::thread_scope_system> counter(count);
  number.store(1, cuda::memory_order_release);
  return data[counter.fetch_add(1, cuda::memory_order_relaxed)] + number.load(cuda::memory_order_acquire);
}
