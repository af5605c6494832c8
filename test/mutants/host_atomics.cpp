// Checks of atomics that test_mutants.py runs on the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/unnamed_bytes.h"
#include "host.h"

#include <cuda/atomic>

#include <chrono>
#include <limits>
#include <thread>

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int rounds = 300;

// One thread writes a message and then changes the flag; another sees the change and reads. ThreadSanitizer, or the value,
// tells when one of the two orders nothing.
template <class Send, class Receive>
void pass_messages(Send send, Receive has_received) {
  cuda::atomic<int> flag(0);
  int message = 0;  // not atomic
  std::thread receiver([&] {
    for (int round = 1; round <= rounds; round += 2) {
      while (!has_received(flag, round))
        std::this_thread::yield();
      expect(message == round, "the message is of this round");
      message = 0;
      send(flag, round + 1);
    }
  });
  for (int round = 1; round <= rounds; round += 2) {
    message = round;
    send(flag, round);
    while (!has_received(flag, round + 1))
      std::this_thread::yield();
    expect(message == 0, "the message was taken");
  }
  receiver.join();
}
void store_released(cuda::atomic<int>& flag, int round) {
  flag.store(round, cuda::memory_order_release);
}
bool load_acquired(cuda::atomic<int>& flag, int round) {
  return flag.load(cuda::memory_order_acquire) == round;
}

void messages_by_store() {
  pass_messages(store_released, load_acquired);
}
void messages_by_run_time_order() {
  pass_messages([](auto& flag, int round) { flag.store(round, cuda::memory_order::release); },
                [](auto& flag, int round) { return flag.load(cuda::memory_order::acquire) == round; });
}
void messages_by_exchange() {
  pass_messages([](auto& flag, int round) { flag.exchange(round, cuda::memory_order_release); }, load_acquired);
}
void messages_by_addition() {
  pass_messages([](auto& flag, int) { flag.fetch_add(1, cuda::memory_order_release); }, load_acquired);
}
void messages_by_void_addition() {
  pass_messages([](auto& flag, int) { flag.store_add(1, cuda::memory_order_release); }, load_acquired);
}
void messages_by_maximum() {
  pass_messages([](auto& flag, int round) { flag.fetch_max(round, cuda::memory_order_release); }, load_acquired);
}
void messages_by_compare_exchange() {
  pass_messages(
      [](auto& flag, int round) {
        int before = round - 1;
        flag.compare_exchange_strong(before, round, cuda::memory_order_release, cuda::memory_order_relaxed);
      },
      [](auto& flag, int round) {
        int wanted = round;
        return flag.compare_exchange_strong(wanted, round, cuda::memory_order_acquire);
      });
}
// Success releases alone, failure acquires alone: the receiver always fails.
void messages_by_failure() {
  pass_messages(store_released, [](auto& flag, int round) {
    int never = -1;
    return !flag.compare_exchange_strong(never, 0, cuda::memory_order_release, cuda::memory_order_acquire) &&
           never == round;
  });
}
void messages_by_wait() {
  pass_messages(store_released, [](auto& flag, int round) {
    return flag.wait([round](int value) { return value == round; }, cuda::memory_order_acquire) == round;
  });
}
// Waiters that sleep in the kernel are woken, without help of the limit of their sleep: also the one whose turn it is when
// he was not the first to fall asleep.
void sleepers() {
  sleeps_are_endless = true;
  cuda::atomic<int> turn(0);
  run_threads([&](int rank) {
    for (int mine = 0; mine < 200; ++mine) {
      if ((7 * mine + mine / 3) % threads != rank) continue;
      turn.wait([mine](int value) { return value == mine; });
      if (mine % 10 == 0 && mine < 150) await_sleepers();  // later some threads have ended
      turn.store(mine + 1);
      turn.notify_all();
    }
  });
}

// When the last sleeper is awake, a notification makes no system call. Objects at any address have a place to sleep.
void nobody_sleeps() {
  sleeps_are_endless = true;
  static cuda::atomic<int> objects[1000];
  for (int round = 0; round < 3; ++round) {
    std::thread waiter([round] { objects[0].wait(round); });
    while (asleep != 1)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    objects[0].store(round + 1);
    objects[0].notify_all();
    waiter.join();
  }
  wakes = 0;
  for (cuda::atomic<int>& each : objects)
    each.notify_all();
  expect(wakes == 0, "nobody is to be woken");
}

// The value changes at the worst moments: at any look at it, and when the waiter is about to sleep.
cuda::atomic<int> watched;
void change() {
  watched.store(1);
  watched.notify_all();
}
void late_changes() {
  sleeps_are_endless = true;
  constexpr int spins = cudasync::backend::spins;
  for (int look = 1; look <= spins + 3; ++look) {  // the last is the one before the sleep
    watched.store(0);
    int looks = 0;
    watched.wait([&looks, look](int value) {
      if (value == 1) return true;
      if (++looks == look) change();
      // After the first yield: so the thread believes that others need the processor, and sleeps.
      if (looks == spins + 2) std::this_thread::sleep_for(std::chrono::microseconds(60));
      return false;
    });
    expect(looks <= spins + 3, "the last look is the one before the sleep");
  }
  watched.store(0);
  before_sleep = change;
  watched.wait(0);
  expect(watched.load() == 1, "the wait outlasted the change");
}

void timed_waits() {
  cuda::atomic<int> value(1);
  const auto start = steady_clock::now();
  expect(!value.wait_for(1, milliseconds(5)), "the value has not changed");
  expect(steady_clock::now() - start >= milliseconds(5), "a timed wait lasts its time");
  expect(value.wait_for(2, milliseconds(0)), "the value differs");
  for (const auto order :
       {cuda::std::memory_order::relaxed, cuda::std::memory_order::acquire, cuda::std::memory_order::seq_cst})
    expect(!value.wait_for(1, milliseconds(1), order) && value.wait_for(2, milliseconds(0), order),
           "a limit holds for each order that is known at run time");
}

void short_sleeps() {
  cuda::atomic<int> value(1);
  check_short_sleeps([&](milliseconds limit) { return value.wait_for(1, limit); }, [&] { value.wait(1); },
                     [&] { value.store(2); });
}

// One thread: what each operation makes of values.
template <class Float>
void order_floats() {
  const Float infinity = std::numeric_limits<Float>::infinity();
  const Float nan = std::numeric_limits<Float>::quiet_NaN();
  const Float ascending[] = {-nan, -infinity, Float(-2), Float(-1), Float(-0.0), Float(0.0), Float(1), infinity, nan};
  constexpr int count = sizeof(ascending) / sizeof(ascending[0]);
  const auto is_same = [](Float left, Float right) { return std::memcmp(&left, &right, sizeof(Float)) == 0; };
  for (int left = 0; left < count; ++left) {
    for (int right = 0; right < count; ++right) {
      cuda::atomic<Float> least(ascending[left]);
      cuda::atomic<Float> greatest(ascending[left]);
      expect(is_same(least.fetch_min(ascending[right]), ascending[left]), "the old value");
      greatest.store_max(ascending[right]);
      expect(is_same(least.load(), ascending[left < right ? left : right]), "the lesser");
      expect(is_same(greatest.load(), ascending[left < right ? right : left]), "the greater");
    }
  }
}
void values() {
  order_floats<float>();
  order_floats<double>();
  cuda::atomic<signed char> small(127);
  expect(small.fetch_add(1) == 127 && small.load() == -128, "additions wrap around");
  expect((small -= 1) == 127 && (small &= 12) == 12 && (small |= 3) == 15 && (small ^= 5) == 10, "the new values");
  int numbers[4] = {};
  cuda::atomic<int*> pointer(numbers);
  expect(pointer.fetch_add(3) == numbers && --pointer == numbers + 2, "pointers move by elements");
  int old = 1;
  cuda::atomic<int> word(2);
  expect(!word.compare_exchange_strong(old, 3) && old == 2 && word.load() == 2, "a failure reads");
  expect(word.compare_exchange_strong(old, 3) && old == 2 && word.load() == 3, "a success stores");
}

struct large {
  long parts[5];
};
void locked_values() {
  static cuda::atomic<large> atom(large{});
  run_threads([](int rank) {
    for (int round = 0; round < 200; ++round) {
      large seen = atom.load(cuda::memory_order_relaxed);
      large next = seen;
      do {
        for (const long part : seen.parts)
          expect(part == seen.parts[0], "a value is whole");
        for (long& part : next.parts)
          part = seen.parts[0] + 1;
      } while (!atom.compare_exchange_weak(seen, next,
                                           rank % 2 == 0 ? cuda::memory_order::relaxed : cuda::memory_order::seq_cst));
    }
  });
  expect(atom.load().parts[4] == 200 * threads, "no count is lost");
}

// Padding, spare bytes and the lock hold anything.
template <class Value, bool HasReference>
void compare_in_filled_memory() {
  unnamed_bytes::room place;
  expect(sum(unnamed_bytes::wrong_answers<Value, HasReference>(&place)) == 0, "only the bytes of members are compared");
}
void padding() {
  compare_in_filled_memory<unnamed_bytes::with_hole<8, 4>, true>();
}
void spare_bytes() {
  compare_in_filled_memory<unnamed_bytes::whole<7>, false>();
}
void dirty_locks() {
  compare_in_filled_memory<unnamed_bytes::whole<9>, false>();
}

}  // namespace

int main(int, char** arguments) {
  const char* name = arguments[1];
  CHECKS
}
