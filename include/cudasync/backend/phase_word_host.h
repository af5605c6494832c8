// Waiting for a phase word on the host: spin a little, then sleep in the kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_PHASE_WORD_HOST_H
#define CUDASYNC_BACKEND_PHASE_WORD_HOST_H

#include <cudasync/core/config.h>

#if CUDASYNC_HAS_HOST

#include <cudasync/backend/phase_bits.h>
#include <cudasync/backend/word_host.h>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif
#include <sched.h>
#include <time.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

inline uint64 now(target::host) {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64>(time.tv_sec) * 1000000000 + static_cast<uint64>(time.tv_nsec);
}

// The half of the word that holds sleepers_bit. Arrivals do not change it, so it is what the kernel compares.
inline uint32* lower_half(uint64& word) {
  return reinterpret_cast<uint32*>(&word) + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 1 : 0);
}

// Sleeps until wake_sleepers, for at most limit nanoseconds, or not at all when the word's lower half is not this value's.
inline void sleep_on(uint64& word, uint64 value, uint64 limit) {
#if defined(__linux__)
  const timespec timeout{static_cast<time_t>(limit / 1000000000), static_cast<long>(limit % 1000000000)};
  syscall(SYS_futex, lower_half(word), FUTEX_WAIT, static_cast<uint32>(value), &timeout, nullptr, 0);
#else
  sched_yield();
#endif
}

template <thread_scope>
inline bool await_flip(target::host here, const uint64& word, uint64 token, uint64 limit) {
  constexpr uint64 longest_sleep = 1000000;  // 1 ms: a device thread may flip the word, and it cannot wake us
  const uint64 start = limit == forever ? 0 : now(here);
  for (uint32 polls = 0;; ++polls) {
    uint64 value = load_acquire<thread_scope_system>(here, word);
    if (has_flipped(token, value)) return true;
    const uint64 waited = limit == forever ? 0 : now(here) - start;
    if (limit != forever && waited >= limit) return false;
    if (polls < 64) {
      if (polls >= 16) sched_yield();
      continue;
    }
    // Announcing a sleep is not a change that a caller could see: the word stays logically const.
    uint64& mutable_word = const_cast<uint64&>(word);
    value = __atomic_fetch_or(&mutable_word, sleepers_bit, __ATOMIC_RELAXED) | sleepers_bit;
    if (!has_flipped(token, value))
      sleep_on(mutable_word, value, limit - waited < longest_sleep ? limit - waited : longest_sleep);
  }
}

inline void wake_sleepers(target::host, uint64& word, uint64 value) {
  if ((value & sleepers_bit) == 0) return;
  __atomic_fetch_and(&word, ~sleepers_bit, __ATOMIC_RELAXED);
#if defined(__linux__)
  syscall(SYS_futex, lower_half(word), FUTEX_WAKE, 0x7fffffff, nullptr, nullptr, 0);
#endif
}

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_HAS_HOST

#endif
