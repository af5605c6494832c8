// Waits of host threads in the checked build: threads record what they wait for, and one thread reports a hang.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_WATCH_HOST_H
#define CUDASYNC_HANG_WATCH_HOST_H

#include <cudasync/core/config.h>

#if CUDASYNC_HAS_HOST && CUDASYNC_CHECKED

#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/hang/causes.h>
#include <cudasync/hang/kind.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/thread/time.h>

#include <stdio.h>
#include <stdlib.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// A time that the clock does not count to is the longest one.
constexpr uint64 nanoseconds_of(uint64 milliseconds) {
  return milliseconds < ~uint64{0} / 1000000 ? milliseconds * 1000000 : ~uint64{0};
}

inline uint64 host_timeout() {
  static const uint64 nanoseconds = [] {
    const char* const set = getenv("CUDASYNC_HANG_TIMEOUT_MS");
    const long long milliseconds = set != nullptr ? atoll(set) : 0;
    return nanoseconds_of(static_cast<uint64>(milliseconds > 0 ? milliseconds : CUDASYNC_HANG_TIMEOUT_MS));
  }();
  return nanoseconds;
}

// A thread that has waited for a long time. is_taken: 0 for a free entry, 1 while it is written, 2 when it is complete.
struct host_wait {
  uint32 is_taken;
  uint32 thread;
  kind what;
  const void* object;
  caller where;
};
inline constexpr uint32 most_host_waits = 256;
inline host_wait host_waits[most_host_waits];
inline uint32 host_threads;  // the number of threads that have waited for a long time
inline uint32 host_reporters;

inline thread_local caller called_last{};
inline thread_local uint32 thread_number = 0;  // from 1, in the order of the first long waits

inline void report_host_hang(kind what, const void* object, uint64 value) {
  if (__atomic_fetch_add(&host_reporters, 1, __ATOMIC_ACQ_REL) != 0) return;
  static text<8192> out;
  out.clear();
  out << "cudasync: hang: no progress for " << host_timeout() / 1000000
      << " ms. Host threads, numbered in the order of their waits:\n";
  uint32 lines = 0;
  uint32 left_out = 0;
  for (const host_wait& each : host_waits) {
    if (__atomic_load_n(&each.is_taken, __ATOMIC_ACQUIRE) != 2) continue;
    if (++lines > 12) {
      ++left_out;
      continue;
    }
    out << "cudasync:     thread " << each.thread << " waits for the " << name_of(each.what) << " at ";
    out.hexadecimal(reinterpret_cast<uintptr>(each.object)) << ", at ";
    out.place(each.where.file, each.where.line) << (each.object == object ? "\n" : ", another object\n");
  }
  if (left_out != 0) out << "cudasync:     ... and " << left_out << " more\n";
  out << "cudasync:   likely cause: ";
  put_cause(out, what, value);
  out << ".\ncudasync:   remedy: " << explain(what).remedy
      << (what == kind::grid_barrier ? ". Let every participant pass the same count" : "")
      << ".\ncudasync:   If threads work for longer between two arrivals, set a longer time-out: "
         "CUDASYNC_HANG_TIMEOUT_MS, a macro or an environment variable.\n";
  fputs(out.bytes, stderr);
  abort();
}

class host_watch {
 public:
  host_watch(kind what, const void* object) : what_(what), object_(object) {}
  host_watch(const host_watch&) = delete;
  host_watch& operator=(const host_watch&) = delete;
  ~host_watch() {
    if (recorded_ != nullptr) __atomic_store_n(&recorded_->is_taken, 0, __ATOMIC_RELEASE);
  }

  // Call it between two checks of the object. value: a function whose result changes while there is progress.
  template <class Value>
  void look(Value value) {
    const uint64 now = backend::now(target::host{});
    const uint64 found = value();
    start_ = start_of_wait(start_, last_, now, host_timeout());
    last_ = now;
    if (start_ == 0 || found != value_) {
      start_ = now;
      value_ = found;
    } else if (now - start_ >= host_timeout() / 4) {
      if (recorded_ == nullptr) note();
      if (now - start_ >= host_timeout()) report_host_hang(what_, object_, found);
    }
  }

  // The time between two checks, in nanoseconds.
  static uint64 patience() { return host_timeout() / 16; }

 private:
  void note() {
    if (thread_number == 0) thread_number = 1 + __atomic_fetch_add(&host_threads, 1, __ATOMIC_RELAXED);
    for (host_wait& each : host_waits) {
      uint32 free = 0;
      if (!__atomic_compare_exchange_n(&each.is_taken, &free, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) continue;
      each.thread = thread_number;
      each.what = what_;
      each.object = object_;
      each.where = called_last;
      __atomic_store_n(&each.is_taken, 2, __ATOMIC_RELEASE);
      recorded_ = &each;
      return;
    }
  }

  kind what_;
  const void* object_;
  uint64 value_ = 0;
  uint64 start_ = 0;
  uint64 last_ = 0;  // the time of the last look
  host_wait* recorded_ = nullptr;
};

inline void note(target::host, caller where) {
  called_last = where;
}
inline void note(target::host, no_caller) {}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_HAS_HOST && CUDASYNC_CHECKED

#endif
