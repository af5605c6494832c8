// A kernel that loads, stores and adds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/atomic>

__global__ void kernel(int* data, cuda::atomic<int, cuda::thread_scope_device>* number, unsigned* count) {
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> counter(*count);
  data[counter.fetch_add(1, cuda::memory_order_relaxed)] = number->load(cuda::memory_order_acquire);
  number->store(1, cuda::memory_order_release);
}
