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
#include <cudasync/hang/watch_host.h>
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
  CUDASYNC_DEVICE bool has_given_up(Value) const {
    return false;
  }
#endif
};

#endif

#if CUDASYNC_HAS_HOST && !CUDASYNC_CHECKED
// For a host thread.
class host_watch {
 public:
  CUDASYNC_API host_watch(kind, const void*) {}
  template <class Value>
  CUDASYNC_API void look(Value) const {}
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
CUDASYNC_API void record_init(target::any, const void*) {}
#if CUDASYNC_CUDA
CUDASYNC_DEVICE bool is_early(target::sm70, const void* object) {
  return ptx::is_shared(object) && !has_lost_records() && pointer_to<is_used_before_init>()(object);
}
CUDASYNC_DEVICE void record_init(target::sm70, const void* object) {
  if (ptx::is_shared(object)) pointer_to<make_record_of>()(object);
}
#endif
CUDASYNC_API constexpr void note_init(const void* object) {
  if (!__builtin_is_constant_evaluated()) record_init(target::here{}, object);
}
#else
CUDASYNC_API constexpr void note_init(const void*) {}
#endif

// Records a call that uses an object before the object is used.
CUDASYNC_API void note_use(target::any, const void* object, caller where) {
  note(target::here{}, where);
  static_cast<void>(is_early(target::here{}, object));
}

// Only the device has records of permits, arrivals and notifications: permits_device.h.
CUDASYNC_API void note_permit(target::any, const void*) {}
CUDASYNC_API void note_release(target::any, const void*, ptrdiff_t) {}
CUDASYNC_API void note_awaited(target::any, const void*, caller where) {
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
