// The contestants of both cudasync and CCCL: cuda::latch and the semaphores of the included headers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_GROUPS_LIBRARY_H
#define CUDASYNC_BENCHMARKS_GROUPS_LIBRARY_H

#include <new>

#include "latch.h"
#include "semaphore.h"

namespace bench { namespace {

struct library_latch {
  using object = cuda::latch<cuda::thread_scope_device>;
  object latch;

  __device__ __forceinline__ void init(unsigned expected) {
    new (&latch) object(static_cast<std::ptrdiff_t>(expected));
  }
  __device__ __forceinline__ void count_down() { latch.count_down(); }
  __device__ __forceinline__ void wait() { latch.wait(); }
  __device__ __forceinline__ void arrive_and_wait() { latch.arrive_and_wait(); }
};

template <class Semaphore>
struct library_semaphore {
  Semaphore semaphore;

  __device__ __forceinline__ void init(unsigned permits) {
    new (&semaphore) Semaphore(static_cast<std::ptrdiff_t>(permits));
  }
  __device__ __forceinline__ void acquire() { semaphore.acquire(); }
  __device__ __forceinline__ void release() { semaphore.release(); }
};

void enroll_library(const std::string& name, const std::string& kind) {
  using counting = library_semaphore<cuda::counting_semaphore<cuda::thread_scope_device>>;
  using binary = library_semaphore<cuda::binary_semaphore<cuda::thread_scope_device>>;
  enroll_latch<library_latch>(name, kind);
  enroll_semaphore<counting>(name + ", counting", kind);
  enroll_semaphore<binary>(name + ", binary", kind, 1);
  enroll_semaphore_wakeup<counting>(name + ", counting", kind);
  enroll_semaphore_wakeup<binary>(name + ", binary", kind);
}

}}  // namespace bench

#endif
