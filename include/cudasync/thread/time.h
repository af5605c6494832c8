// Time: limits of waits in nanoseconds, a steady clock, yielding and sleeping, and the pauses of host threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_THREAD_TIME_H
#define CUDASYNC_THREAD_TIME_H

#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#if CUDASYNC_CUDA
#include <cudasync/ptx/global_timer.h>
#endif

#if CUDASYNC_HAS_HOST
#include <time.h>

#if defined(__GLIBC__)
// As in <unistd.h> and <sched.h>, which include about 30 more headers.
extern "C" long syscall(long, ...) noexcept;
extern "C" int sched_yield() noexcept;
#else
#include <sched.h>
#endif
#if !defined(__x86_64__) && !defined(__aarch64__)
#include <sys/syscall.h>
#endif
#endif

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

// No limit on a wait.
enum : uint64 { forever = ~uint64{0} };

// For a retry whose every attempt pays.
struct always {
  CUDASYNC_API bool operator()() const { return true; }
};

template <class Duration>
using duration_count = decltype(declval<const Duration&>().count());

// The nanoseconds in a duration. Only its members are used: pass durations of std::chrono or cuda::std::chrono; neither
// is included. The result is rounded down. It is 0 for a negative duration, and at most 2^63 ns (292 years).
CUDASYNC_EXEC_CHECK_DISABLE
template <class Duration>
[[nodiscard]] CUDASYNC_API constexpr uint64 to_nanoseconds(const Duration& duration) {
  static_assert(is_valid<duration_count, Duration>,
                "a wait with a limit takes a duration, such as cuda::std::chrono::milliseconds(5), not a number or a "
                "time");
  using period = typename Duration::period;
  constexpr uint64 limit = uint64{1} << 63;
  constexpr bool is_exact = sizeof(duration.count()) <= 8 && !(static_cast<decltype(duration.count())>(0.5) > 0);
  constexpr bool is_whole = 1000000000 % period::den == 0 && period::num <= static_cast<int64>(limit / 1000000000);
  const auto count = duration.count();
  if (!(count > 0)) return 0;
  if constexpr (is_exact && is_whole) {
    constexpr uint64 tick = static_cast<uint64>(1000000000 / period::den) * static_cast<uint64>(period::num);
    return static_cast<uint64>(count) <= limit / tick ? static_cast<uint64>(count) * tick : limit;
  } else {
    const double nanoseconds =
        static_cast<double>(count) * 1e9 * static_cast<double>(period::num) / static_cast<double>(period::den);
    return nanoseconds < static_cast<double>(limit) ? static_cast<uint64>(nanoseconds) : limit;
  }
}

// A number of ticks, with the members of a duration that are used here.
template <class Count, class Period>
struct ticks_of {
  using period = Period;
  CUDASYNC_API constexpr Count count() const { return ticks; }
  Count ticks;
};
struct nanosecond {
  enum : int64 { num = 1, den = 1000000000 };
};
using nanosecond_count = ticks_of<uint64, nanosecond>;

CUDASYNC_EXEC_CHECK_DISABLE
template <class Duration>
[[nodiscard]] CUDASYNC_API constexpr double to_seconds(const Duration& duration) {
  using period = typename Duration::period;
  return static_cast<double>(duration.count()) * static_cast<double>(period::num) / static_cast<double>(period::den);
}

template <class TimePoint>
using since_epoch = decltype(declval<const TimePoint&>().time_since_epoch());

// The duration until the clock of a time point reaches it. Also works for time_point::min() and max(), for which a
// subtraction would overflow. If both times are counts of one type, the difference is exact. Otherwise they are
// subtracted only if they are within a day of each other; for a greater difference, a double is exact enough. A time
// point without time_since_epoch can only be subtracted.
CUDASYNC_EXEC_CHECK_DISABLE
template <class TimePoint>
[[nodiscard]] CUDASYNC_API auto time_left(const TimePoint& time) {
  static_assert(has_members<TimePoint> && !is_valid<duration_count, TimePoint>,
                "a wait that ends in _until takes a time, such as system_clock::now() + limit; for a duration, there "
                "is _for");
  const auto now = TimePoint::clock::now();
  if constexpr (!is_valid<since_epoch, TimePoint>) {
    return time - now;
  } else {
    const auto start = now.time_since_epoch();
    const auto end = time.time_since_epoch();
    using count = decltype(end.count());
    constexpr bool is_floating = static_cast<count>(0.5) > 0;
    if constexpr (is_same<decltype(start), decltype(end)> && !is_floating && sizeof(count) <= sizeof(uint64)) {
      if (end.count() <= start.count()) return nanosecond_count{0};
      const uint64 ticks = static_cast<uint64>(end.count()) - static_cast<uint64>(start.count());
      return nanosecond_count{to_nanoseconds(ticks_of<uint64, typename decltype(end)::period>{ticks})};
    } else {
      constexpr double day = 86400;
      const double seconds = to_seconds(end) - to_seconds(start);
      if (seconds < -day) return nanosecond_count{0};
      if (seconds > day) return nanosecond_count{to_nanoseconds(ticks_of<double, nanosecond>{seconds * 1e9})};
      return nanosecond_count{to_nanoseconds(time - now)};
    }
  }
}

#if CUDASYNC_CUDA
// Nanoseconds of a steady clock.
CUDASYNC_DEVICE uint64 now(target::sm70) {
  return ptx::get_sreg_globaltimer();
}

// Lets the other lanes of the warp run. A lane that polls without a pause may keep them from running forever.
CUDASYNC_DEVICE void let_lanes_run(target::sm70) {
  __nanosleep(0);
}

// Lets another thread run.
CUDASYNC_DEVICE void yield(target::sm70 here) {
  let_lanes_run(here);
}

// Host threads that sleep look again by themselves.
CUDASYNC_DEVICE void notify(target::sm70, const void*) {}
CUDASYNC_DEVICE void notify_after_change(target::sm70, const void*) {}
#endif

#if CUDASYNC_HAS_HOST
// Nanoseconds of a steady clock.
inline uint64 now(target::host) {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64>(time.tv_sec) * 1000000000 + static_cast<uint64>(time.tv_nsec);
}

// Host threads have no lanes.
inline void let_lanes_run(target::host) {}

// Lets another thread run.
inline void yield(target::host) {
  sched_yield();
}

// The number of the system call futex. <sys/syscall.h> has it among about 400 macros.
#if defined(__x86_64__)
inline constexpr long futex_call = 202;
#elif defined(__aarch64__)
inline constexpr long futex_call = 98;
#else
inline constexpr long futex_call = SYS_futex;
#endif

// The two futex operations that are used, as in <linux/futex.h>.
inline constexpr int futex_wait = 0, futex_wake = 1;

#if defined(__GLIBC__)
// Sleeps until woken, for at most limit nanoseconds. Returns immediately if the word no longer has this value.
inline void sleep_on(const uint32* word, uint32 value, uint64 limit) {
  const timespec timeout{static_cast<time_t>(limit / 1000000000), static_cast<long>(limit % 1000000000)};
  syscall(futex_call, word, futex_wait, value, &timeout, nullptr, 0);
}
inline void wake_all(const uint32* word) {
  syscall(futex_call, word, futex_wake, 0x7fffffff, nullptr, nullptr, 0);
}
#else
inline void sleep_on(const uint32*, uint32, uint64) {
  yield(target::host{});
}
inline void wake_all(const uint32*) {}
#endif

// A futex is a word of four bytes that must have changed when its threads are woken. A user's object has no spare word,
// and a word of an object may change and then return to the value that a thread saw before it fell asleep. So threads
// sleep on a count of notices that only increases. Objects may share a place, so a thread that is woken checks its
// condition again. A wait writes nothing into the object: in memory of the host, a GPU may change it at that time, and
// their read-modify-writes need not be atomic to each other.
struct alignas(64) parking_lot {
  uint32 sleepers;
  uint32 notices;
};
[[gnu::visibility("default")]] inline parking_lot parking_lots[64];  // shared by libraries

inline parking_lot& parking_lot_of(const void* object) {
  const uintptr address = reinterpret_cast<uintptr>(object);
  return parking_lots[(address >> 2 ^ address >> 8) % 64];
}

// A thread that may sleep announces itself and reads the notices. Then it checks its condition once more, and sleeps. A
// thread that makes the condition true looks for an announcement after that, and wakes. If it does so before the first
// thread falls asleep, the notices have changed, and that thread does not sleep. Each has a fence between its steps, so
// either the last check sees the change, or the other thread sees the announcement. __sync_synchronize is that fence
// without g++'s warning about __atomic_thread_fence under ThreadSanitizer.
inline uint32 notices_of(const parking_lot& place) {
  return __atomic_load_n(&place.notices, __ATOMIC_ACQUIRE);
}
inline void wake(parking_lot& place) {
  __atomic_fetch_add(&place.notices, 1, __ATOMIC_RELEASE);
  wake_all(&place.notices);
}

// The announcement of a thread, during the lifetime of this object, which also ends if a condition throws an exception.
class sleeper {
 public:
  explicit sleeper(parking_lot& place) : place_(place) {
    __atomic_fetch_add(&place_.sleepers, 1, __ATOMIC_SEQ_CST);
    __sync_synchronize();
  }
  sleeper(const sleeper&) = delete;
  sleeper& operator=(const sleeper&) = delete;
  ~sleeper() { __atomic_fetch_sub(&place_.sleepers, 1, __ATOMIC_RELAXED); }

 private:
  parking_lot& place_;
};

// Wake the threads that sleep for an object, after a change. A sequentially consistent read-modify-write is a fence.
inline void notify_after_change(target::host, const void* object) {
  parking_lot& place = parking_lot_of(object);
  if (__atomic_load_n(&place.sleepers, __ATOMIC_SEQ_CST) != 0) wake(place);
}
inline void notify(target::host here, const void* object) {
  __sync_synchronize();
  notify_after_change(here, object);
}

// --- What a host thread does between two looks at an object: it spins, yields, and then sleeps longer and longer ---

// A device thread, another process, or a store without notify may end a wait. Nobody then wakes the thread that sleeps,
// so it must look again by itself: at most 5 % of the time that it has waited, and 10 us, later. A sleep lasts longer
// than it was asked to: Linux delays timers by up to 50 us, and the thread must get a processor. So there are no sleeps
// before shortest_slept_wait, where 5 % is less than that, unless other threads need the processor.
inline constexpr uint32 spins = 32;
inline constexpr uint64 timer_delay = 62500;
inline constexpr uint64 shortest_slept_wait = 32 * timer_delay;  // 2 ms
inline constexpr uint64 longest_sleep = 32000000;

// For a thread that has waited for this time, in nanoseconds.
[[nodiscard]] constexpr uint64 sleep_after(uint64 waited) {
  if (waited < shortest_slept_wait) return 0;  // the timer adds its delay
  const uint64 sleep = waited / 32 - timer_delay;
  return sleep < longest_sleep ? sleep : longest_sleep;
}

// A thread that yields gets its processor back at once if no other thread needs it. If it did not, it sleeps from then
// on: it would delay threads that work, and a wait of this kind cannot end on time anyway.
inline constexpr uint64 longest_yield = 50000;

#if defined(__x86_64__)
inline void relax() {
  __builtin_ia32_pause();
  __builtin_ia32_pause();
}
#else
inline void relax() {}
#endif

// One wait of a host thread, for at most limit nanoseconds. Without a limit, it does not read the clock while it spins.
class host_wait {
 public:
  explicit host_wait(uint64 limit) : limit_(limit), start_(limit == forever ? 0 : now(target::host{})) {}

  // After each look at the object: whether the limit has passed.
  [[nodiscard]] bool is_over() {
    if (limit_ == forever) return false;
    look_at_clock();
    return waited_ >= limit_;
  }

  // If the wait is not over: passes a short time and returns false, or returns true if the thread should sleep.
  [[nodiscard]] bool should_sleep() {
    if (polls_ < spins) {
      ++polls_;
      relax();
      return false;
    }
    if (limit_ == forever) look_at_clock();
    if (has_yielded_ && waited_ - yielded_ > longest_yield) is_crowded_ = true;
    if (is_crowded_ || waited_ >= shortest_slept_wait) return true;
    has_yielded_ = true;
    yielded_ = waited_;
    yield(target::host{});
    return false;
  }

  // How long it should sleep, in nanoseconds.
  [[nodiscard]] uint64 sleep() const {
    const uint64 left = limit_ - waited_;
    const uint64 sleep = sleep_after(waited_);
    return left < sleep ? left : sleep;
  }

 private:
  void look_at_clock() {
    const uint64 time = now(target::host{});
    if (start_ == 0) start_ = time;
    waited_ = time - start_;
  }

  uint64 limit_;
  uint64 start_;
  uint64 waited_ = 0;
  uint64 yielded_ = 0;  // when it yielded last, as a part of the time waited
  uint32 polls_ = 0;
  bool has_yielded_ = false;
  bool is_crowded_ = false;
};
#endif

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif
