// The contestant libstdc++, and hand-written loops around built-in functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <semaphore>

#include "contest.h"

namespace bench {
namespace {

template <class Semaphore>
struct semaphore {
  Semaphore permits;

  explicit semaphore(int number) : permits(number) {}
  void acquire() { permits.acquire(); }
  void release() { permits.release(); }
};

struct spinlock {
  std::atomic<int> is_taken{0};

  explicit spinlock(int) {}
  void acquire() {
    while (is_taken.exchange(1, std::memory_order_acquire) != 0) {
    }
  }
  void release() { is_taken.store(0, std::memory_order_release); }
};

// A counter that threads poll. They yield while it is zero.
struct raw_counter {
  int permits;

  explicit raw_counter(int number) : permits(number) {}
  void acquire() {
    for (;;) {
      int found = __atomic_load_n(&permits, __ATOMIC_RELAXED);
      if (found == 0)
        std::this_thread::yield();
      else if (__atomic_compare_exchange_n(&permits, &found, found - 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    }
  }
  void release() { __atomic_fetch_add(&permits, 1, __ATOMIC_RELEASE); }
};

struct raw_lock {
  int is_taken = 0;

  explicit raw_lock(int) {}
  void acquire() {
    while (__atomic_exchange_n(&is_taken, 1, __ATOMIC_ACQUIRE) != 0) {
    }
  }
  void release() { __atomic_store_n(&is_taken, 0, __ATOMIC_RELEASE); }
};

const bool is_enrolled = [] {
  enroll_contest<semaphore<std::counting_semaphore<>>>(semaphore_name, "libstdc++", "peer");
  enroll_contest<semaphore<std::binary_semaphore>>(binary_name, "libstdc++", "peer");
  enroll_contest<spinlock>(spinlock_name, "libstdc++", "peer");
  enroll_contest<raw_counter>(semaphore_name, "counter, compare-and-swap, yield", hand);
  enroll_contest<raw_counter>(binary_name, "counter, compare-and-swap, yield", hand);
  enroll_contest<raw_lock>(spinlock_name, "exchange and store", hand);
  return true;
}();

}  // namespace
}  // namespace bench
