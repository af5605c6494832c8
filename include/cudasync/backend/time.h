// Time: limits of waits in nanoseconds, a steady clock, and how a thread lets time pass.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_TIME_H
#define CUDASYNC_BACKEND_TIME_H

#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#if CUDASYNC_CUDA
#include <cudasync/ptx/special_registers.h>
#endif

#if CUDASYNC_HAS_HOST
#include <time.h>

#if defined(__GLIBC__)
#include <sys/syscall.h>
extern "C" long syscall(long, ...) noexcept;  // as <unistd.h> declares it, which would open some 30 headers more
#else
#include <sched.h>
#endif
#endif

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

// No limit on a wait.
inline constexpr uint64 forever = ~uint64{0};

// Nanoseconds in a duration, known by its members alone: those of std::chrono and cuda::std::chrono fit, and neither is
// included. Rounded down; a negative duration counts as zero, one beyond 2^63 ns (292 years) as that.
CUDASYNC_EXEC_CHECK_DISABLE
template <class Duration>
[[nodiscard]] CUDASYNC_API constexpr uint64 to_nanoseconds(const Duration& duration) {
  using period = typename Duration::period;
  constexpr uint64 limit = uint64{1} << 63;
  constexpr bool is_floating = static_cast<decltype(duration.count())>(0.5) > 0;
  constexpr bool is_whole = 1000000000 % period::den == 0 && period::num <= static_cast<int64>(limit / 1000000000);
  const auto count = duration.count();
  if (!(count > 0)) return 0;
  if constexpr (!is_floating && is_whole) {
    constexpr uint64 tick = static_cast<uint64>(1000000000 / period::den) * static_cast<uint64>(period::num);
    return static_cast<uint64>(count) <= limit / tick ? static_cast<uint64>(count) * tick : limit;
  } else {
    const double nanoseconds =
        static_cast<double>(count) * 1e9 * static_cast<double>(period::num) / static_cast<double>(period::den);
    return nanoseconds < static_cast<double>(limit) ? static_cast<uint64>(nanoseconds) : limit;
  }
}

#if CUDASYNC_CUDA
// Nanoseconds of a steady clock.
CUDASYNC_DEVICE uint64 now(target::sm70) {
  return ptx::get_sreg_globaltimer();
}

// Lets another thread run.
CUDASYNC_DEVICE void yield(target::sm70) {}
#endif

#if CUDASYNC_HAS_HOST
// Nanoseconds of a steady clock.
inline uint64 now(target::host) {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64>(time.tv_sec) * 1000000000 + static_cast<uint64>(time.tv_nsec);
}

// Lets another thread run.
inline void yield(target::host) {
#if defined(__GLIBC__)
  syscall(SYS_sched_yield);
#else
  sched_yield();
#endif
}

// The two futex operations that are used, as in <linux/futex.h>.
inline constexpr int futex_wait = 0;
inline constexpr int futex_wake = 1;

// 1 ms: a device thread may end the wait, and it cannot wake anybody.
inline constexpr uint64 longest_sleep = 1000000;

// Sleeps until woken, for at most limit nanoseconds, and not at all when the word is no longer of this value.
inline void sleep_on(const uint32* word, uint32 value, uint64 limit) {
#if defined(__GLIBC__)
  const timespec timeout{static_cast<time_t>(limit / 1000000000), static_cast<long>(limit % 1000000000)};
  syscall(SYS_futex, word, futex_wait, value, &timeout, nullptr, 0);
#else
  yield(target::host{});
#endif
}

inline void wake_all(const uint32* word) {
#if defined(__GLIBC__)
  syscall(SYS_futex, word, futex_wake, 0x7fffffff, nullptr, nullptr, 0);
#endif
}
#endif

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
