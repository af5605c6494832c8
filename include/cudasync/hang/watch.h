// Objects that watch waits: the checked build reports waits that last too long; in other builds, they are empty.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_WATCH_H
#define CUDASYNC_HANG_WATCH_H

#include <cudasync/core/caller.h>
#include <cudasync/core/config.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/hang/kind.h>

#if CUDASYNC_CHECKED
#if CUDASYNC_CUDA
#include <cudasync/hang/permits_device.h>
#include <cudasync/hang/report_device.h>
#include <cudasync/hang/watch_device.h>
#endif
#if CUDASYNC_HAS_HOST
#include <cudasync/hang/causes.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/thread/time.h>

#include <stdio.h>
#include <stdlib.h>
#endif
#endif

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// Whether waits are watched. For code that must not be compiled in other builds.
enum : bool { is_on = CUDASYNC_CHECKED != 0 };

#if CUDASYNC_CUDA

// For a device thread that polls. value: a function that returns a number that changes while there is progress.
class device_watch {
 public:
#if CUDASYNC_CHECKED
  CUDASYNC_DEVICE device_watch(kind what, const void* object, bool is_by_predicate = false)
      : watch_(subject::of(what, reinterpret_cast<uintptr>(object), is_by_predicate, false, role::none,
                           ptx::is_local(object)),
               explainer_of(what)) {}
  template <class Condition>
  CUDASYNC_DEVICE device_watch(const Condition& condition, const void* object)
      : device_watch(kind_of(condition, 0), object, is_predicate(condition, 0)) {}
  template <class Value>
  CUDASYNC_DEVICE bool has_given_up(Value value) {
    return ++looks_ % looks_without_time == 0 && watch_.has_given_up(value());
  }

 private:
  // A user's predicate keeps the last value that it has tested.
  template <class Condition>
  CUDASYNC_DEVICE static auto is_predicate(const Condition&, int) -> decltype(Condition::last, true) {
    return true;
  }
  template <class Condition>
  CUDASYNC_DEVICE static bool is_predicate(const Condition&, long) {
    return false;
  }

  static constexpr uint32 looks_without_time = 32;  // reading the time takes longer than reading an object

  watch watch_;
  uint32 looks_ = 0;
#else
  template <class What>
  CUDASYNC_DEVICE device_watch(const What&, const void*) {}
  template <class Value>
  CUDASYNC_DEVICE bool has_given_up(Value) {
    return false;
  }
#endif
};

#endif

#if CUDASYNC_HAS_HOST && CUDASYNC_CHECKED
// Host threads record their waits, and one reports a hang. A time that the clock does not count to is the longest one.
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
#elif CUDASYNC_HAS_HOST
// For a host thread.
struct host_watch {
  CUDASYNC_API host_watch(kind, const void*) {}
  template <class Value>
  CUDASYNC_API void look(Value) {}
  static constexpr uint64 patience() { return ~uint64{0}; }
};
#endif

// For a call that all threads of a block make, before they meet.
CUDASYNC_API void meet_lanes(target::any) {}

// Records the location of the thread's call of the library.
#if CUDASYNC_CHECKED
#if CUDASYNC_CUDA
CUDASYNC_DEVICE void note(target::sm70, caller where) {
  record_call(where);
}
#if CUDASYNC_CUDA_CLANG && !CUDASYNC_DEVICE_PASS
// clang also checks device functions in the host pass, where target::here is target::host. Never called.
__device__ void note(target::host, caller);
#endif
#endif
#else
CUDASYNC_API void note(target::any, caller) {}
#endif

// Whether an object in shared memory is used before its init. In global memory, others may have initialized it.
CUDASYNC_API bool is_early(target::any, const void*) {
  return false;
}
#if CUDASYNC_CHECKED
CUDASYNC_API const char* excess_at_latch(bool is_early, uint32 left) {
  return is_early ? "latch: used before init: synchronize the threads between init and the first use"
         : left == 0
             ? "latch: more arrivals than expected: the count is zero already, so the latch is complete, and it does "
               "not reset: construct it again before each use and each launch; at its first use, with the number of "
               "arrivals"
             : "latch: more arrivals than expected: the update is more than what is left of the count";
}
CUDASYNC_API void record_init(target::any, const void*, caller) {}
#if CUDASYNC_CUDA
CUDASYNC_DEVICE bool is_early(target::sm70, const void* object) {
  return ptx::is_shared(object) && !has_lost_records() && pointer_to<is_used_before_init>()(object);
}
CUDASYNC_DEVICE void record_init(target::sm70, const void* object, caller where) {
  if (ptx::is_shared(object)) pointer_to<make_record_of>()(object, site::of(where).bits);
}
#endif
CUDASYNC_API constexpr void note_init(const void* object, caller where) {
  if (!__builtin_is_constant_evaluated()) record_init(target::here{}, object, where);
}
#else
CUDASYNC_API constexpr void note_init(const void*, caller) {}
#endif

// Records a call that uses an object before the object is used.
CUDASYNC_API void note_use(target::any, const void* object, caller where) {
  note(target::here{}, where);
  static_cast<void>(is_early(target::here{}, object));
}

// Only the device has records of permits, arrivals and notifications: permits_device.h.
CUDASYNC_API void note_permit(target::any, const void*) {}
CUDASYNC_API void note_release(target::any, const void*, ptrdiff_t) {}
CUDASYNC_API void note_awaited(target::any, const void*, caller where, bool = false) {
  note(target::here{}, where);
}
template <class Value>
CUDASYNC_API void note_stored(target::any, const void*, const Value&, caller) {}
template <class Value>
CUDASYNC_API void note_exchanged(target::any, const void*, Value, Value, caller) {}
template <class Old, class Value>
CUDASYNC_API void note_changed(target::any, const void*, Old, Value, change) {}
CUDASYNC_API void note_given(target::any, const void*, caller) {}
CUDASYNC_API void note_arrival(target::any, const void*, uint32) {}
template <class Share>
CUDASYNC_API void note_round(target::any, const void*, Share, caller) {}
CUDASYNC_API void note_wait(target::any, const void*) {}
CUDASYNC_API bool find_arrival(target::any, const void*, uint32&) {
  return false;
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif
