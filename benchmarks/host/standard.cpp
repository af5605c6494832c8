// The contestant libstdc++, and hand-written loops around built-in functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <latch>
#include <semaphore>

#include "contest.h"
#include "hand_over.h"
#include "other_process.h"

namespace bench { namespace {

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

struct atomic_way {
  std::atomic<int> value{0};
  void wait(int round) { value.wait(round, std::memory_order_acquire); }
  void end(int round) {
    value.store(round + 1, std::memory_order_release);
    value.notify_all();
  }
};
struct latch_way {
  alignas(std::latch) unsigned char bytes[most_rounds * sizeof(std::latch)];
  latch_way() {
    for (int round = 0; round < most_rounds; ++round)
      new (&at(round)) std::latch(1);
  }
  std::latch& at(int round) { return reinterpret_cast<std::latch*>(bytes)[round]; }
  void wait(int round) { at(round).wait(); }
  void end(int round) { at(round).count_down(); }
};
struct semaphore_way {
  std::counting_semaphore<> permits{0};
  void wait(int) { permits.acquire(); }
  void end(int) { permits.release(); }
};

const bool is_enrolled = [] {
  enroll_contest<semaphore<std::counting_semaphore<>>>(semaphore_name, "libstdc++", "peer");
  enroll_contest<semaphore<std::binary_semaphore>>(binary_name, "libstdc++", "peer");
  enroll_contest<spinlock>(spinlock_name, "libstdc++", "peer");
  enroll_contest<raw_counter>(semaphore_name, "counter, compare-and-swap, yield", hand);
  enroll_contest<raw_counter>(binary_name, "counter, compare-and-swap, yield", hand);
  enroll_contest<raw_lock>(spinlock_name, "exchange and store", hand);
  enroll_hand_over<atomic_way>("atomic", "libstdc++", "peer");
  enroll_hand_over<latch_way>("latch", "libstdc++", "peer");
  enroll_hand_over<semaphore_way>("semaphore", "libstdc++", "peer");
  for (const char* name : way_names) {
    enroll_hand_over<polling_loop>(name, "polling loop", hand);
    enroll_wait(other_process, name, "polling loop", hand, wait_for_process<polling_loop>);
  }
  return true;
}();

}}  // namespace bench
