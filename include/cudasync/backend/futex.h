// Sleeping in the kernel on the host, until woken or for a time; and the host's clock.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_FUTEX_H
#define CUDASYNC_BACKEND_FUTEX_H

#include <cudasync/core/config.h>

#if CUDASYNC_HAS_HOST

#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>

#include <time.h>

#if defined(__GLIBC__)
#include <sys/syscall.h>
extern "C" long syscall(long, ...) noexcept;  // as <unistd.h> declares it, which would open some 30 headers more
#else
#include <sched.h>
#endif

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

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

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_HAS_HOST

#endif
