// One kernel per operation on a semaphore in global memory, compiled with each library's header for sass_counts.py.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/semaphore>

using counting_semaphore = cuda::counting_semaphore<cuda::thread_scope_device>;
using binary_semaphore = cuda::binary_semaphore<cuda::thread_scope_device>;

extern "C" __global__ void op_semaphore_acquire(counting_semaphore* object) {
  object->acquire();
}

extern "C" __global__ void op_semaphore_try_acquire(counting_semaphore* object, bool* out) {
  *out = object->try_acquire();
}

extern "C" __global__ void op_semaphore_release(counting_semaphore* object) {
  object->release();
}

extern "C" __global__ void op_binary_acquire(binary_semaphore* object) {
  object->acquire();
}

extern "C" __global__ void op_binary_release(binary_semaphore* object) {
  object->release();
}
