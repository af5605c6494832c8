// Each function that wakes host threads, called while threads sleep without a limit: what it does not wake hangs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host.h"

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/atomic>

#include <thread>
#include <vector>

namespace {

constexpr int sleepers = threads - 1;

// All threads but one sleep in wait(). change() makes what they wait for true, and notify() is called that many times.
template <class Wait, class Change, class Notify>
void wake_sleepers(Wait wait, Change change, Notify notify, int times) {
  sleeps_are_endless = true;
  std::vector<std::thread> all;
  for (int rank = 0; rank < sleepers; ++rank)
    all.emplace_back(wait);
  await_sleepers();
  change();
  for (int time = 0; time < times; ++time)
    notify();
  for (std::thread& each : all)
    each.join();
}
// One call of notify_all wakes all. A call of notify_one for each thread is sufficient.
constexpr int once = 1;
constexpr int for_each_sleeper = sleepers;

// --- Atomics, which the caller notifies ---

cuda::atomic<int> word(0);
alignas(8) long object = 0;
cuda::atomic_flag flag(false);

void wait_for_word() {
  word.wait(0);
}
void change_word() {
  word.store(1);
}
void one_of_atomic() {
  wake_sleepers(wait_for_word, change_word, [] { word.notify_one(); }, for_each_sleeper);
}
void all_of_atomic() {
  wake_sleepers(wait_for_word, change_word, [] { word.notify_all(); }, once);
}
void one_of_function() {
  wake_sleepers([] { cuda::atomic_wait(&word, 0); }, change_word, [] { cuda::atomic_notify_one(&word); },
                for_each_sleeper);
}
void all_of_function() {
  wake_sleepers([] { cuda::atomic_wait_explicit(&word, 0, cuda::memory_order_acquire); }, change_word,
                [] { cuda::atomic_notify_all(&word); }, once);
}

void wait_for_object() {
  cuda::atomic_ref<long>(object).wait(0);
}
void change_object() {
  cuda::atomic_ref<long>(object).store(1);
}
void one_of_reference() {
  wake_sleepers(wait_for_object, change_object, [] { cuda::atomic_ref<long>(object).notify_one(); }, for_each_sleeper);
}
void all_of_reference() {
  wake_sleepers([] { cuda::atomic_ref<const long>(object).wait(0); }, change_object,
                [] { cuda::std::atomic_ref<long>(object).notify_all(); }, once);
}

void wait_for_flag() {
  flag.wait(false);
}
void set_flag() {
  static_cast<void>(flag.test_and_set());
}
void one_of_flag() {
  wake_sleepers(wait_for_flag, set_flag, [] { flag.notify_one(); }, for_each_sleeper);
}
void all_of_flag() {
  wake_sleepers(wait_for_flag, set_flag, [] { flag.notify_all(); }, once);
}
void one_of_flag_function() {
  wake_sleepers([] { cuda::atomic_flag_wait(&flag, false); }, set_flag, [] { cuda::atomic_flag_notify_one(&flag); },
                for_each_sleeper);
}
void all_of_flag_function() {
  wake_sleepers([] { cuda::atomic_flag_wait_explicit(&flag, false, cuda::memory_order_acquire); }, set_flag,
                [] { cuda::atomic_flag_notify_all(&flag); }, once);
}

// --- What wakes by itself ---

template <class Wait, class Change>
void wake_sleepers(Wait wait, Change change) {
  wake_sleepers(wait, change, [] {}, 0);
}

cuda::latch<cuda::thread_scope_system> gate(1);
void by_count_down() {
  wake_sleepers([] { gate.wait(); }, [] { gate.count_down(); });
}
void by_last_arrival_at_latch() {
  static cuda::latch<cuda::thread_scope_system> all(threads);
  wake_sleepers([] { all.arrive_and_wait(); }, [] { all.arrive_and_wait(); });
}

// The last thread arrives, drops, or arrives and waits.
template <class Barrier, class Last>
void at_barrier(Barrier& bar, Last last) {
  wake_sleepers([&bar] { bar.arrive_and_wait(); }, [&] { last(bar); });
}
template <class Barrier>
void end_phases(Barrier& bar) {
  at_barrier(bar, [](auto& last) { static_cast<void>(last.arrive()); });
  at_barrier(bar, [](auto& last) { last.arrive_and_wait(); });
  at_barrier(bar, [](auto& last) { last.arrive_and_drop(); });
}
void at_barriers() {
  cuda::barrier<cuda::thread_scope_system> bar(threads);
  end_phases(bar);
}
struct count_phases {
  int* phases;
  void operator()() noexcept { ++*phases; }
};
void at_barriers_with_completion() {
  int phases = 0;
  cuda::barrier<cuda::thread_scope_system, count_phases> bar(threads, count_phases{&phases});
  end_phases(bar);
  expect(phases == 3, "each phase has been completed");
}

template <class Semaphore>
void by_release(Semaphore& permits) {
  wake_sleepers([&permits] { permits.acquire(); },
                [&permits] {
                  for (int permit = 0; permit < sleepers; ++permit)
                    permits.release();
                });
}
void by_releases() {
  static cuda::counting_semaphore<cuda::thread_scope_system> permits(0);
  by_release(permits);
  wake_sleepers([] { permits.acquire(); }, [] { permits.release(sleepers); });
}
// A binary semaphore has one permit: who gets it releases it again.
void by_releases_of_one() {
  static cuda::binary_semaphore<cuda::thread_scope_system> permit(0);
  wake_sleepers(
      [] {
        permit.acquire();
        permit.release();
      },
      [] { permit.release(); });
}

}  // namespace

int main(int, char** arguments) {
  const char* name = arguments[1];
  CHECKS
}
