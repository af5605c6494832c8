// The contestants of both cudasync and CCCL: the semaphores and atomics of the included headers, on the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>

#if !defined(CUDASYNC_VERSION)
#include <cuda/version>

#include "../cccl_name.h"
#endif

#include "contest.h"
#include "hand_over.h"
#include "other_process.h"
#include "ways.h"

namespace bench { namespace {

template <class Semaphore>
struct semaphore {
  Semaphore permits;

  explicit semaphore(int number) : permits(number) {}
  void acquire() { permits.acquire(); }
  void release() { permits.release(); }
};

struct spinlock {
  cuda::atomic<int, cuda::thread_scope_system> is_taken{0};

  explicit spinlock(int) {}
  void acquire() {
    while (is_taken.exchange(1, cuda::memory_order_acquire) != 0) {
    }
  }
  void release() { is_taken.store(0, cuda::memory_order_release); }
};

const bool is_enrolled = [] {
  const std::string name = library_name();
  const std::string kind = library_kind;
  enroll_contest<semaphore<cuda::counting_semaphore<cuda::thread_scope_system>>>(semaphore_name, name, kind);
  enroll_contest<semaphore<cuda::binary_semaphore<cuda::thread_scope_system>>>(binary_name, name, kind);
  enroll_contest<spinlock>(spinlock_name, name, kind);
  for_each_way([&](auto* way) {
    using type = std::remove_pointer_t<decltype(way)>;
    enroll_wait(other_process, type::name, name, kind, wait_for_process<type>);
    enroll_hand_over<type>(type::name, name, kind);
  });
  return true;
}();

}}  // namespace bench
