// Why a wait for a latch, a semaphore, an atomic or a counter does not end, and what to do: on host and device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CHECKED_CAUSES_H
#define CUDASYNC_CHECKED_CAUSES_H

#include <cudasync/core/config.h>

#if CUDASYNC_CHECKED

#include <cudasync/checked/kind.h>
#include <cudasync/checked/text.h>
#include <cudasync/core/integers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace checked {

CUDASYNC_API const char* name_of(kind what) {
  return what == kind::barrier           ? "barrier"
         : what == kind::counter_barrier ? "barrier (kept as a counter)"
         : what == kind::grid_barrier    ? "grid_barrier"
         : what == kind::named_barrier   ? "named barrier"
         : what == kind::latch           ? "latch"
         : what == kind::semaphore       ? "semaphore"
         : what == kind::atomic_lock     ? "lock of an atomic"
                                         : "atomic";
}

struct explanation {
  const char* cause;  // before the number
  const char* one;    // after it, if it is 1
  const char* many;
  const char* remedy;
};

// value: missing arrivals of a barrier or a latch, waiting threads of a semaphore, the value of an atomic.
CUDASYNC_API explanation explain(kind what) {
  switch (what) {
  case kind::latch:
    return {
        "the latch still expects ", " arrival", " arrivals",
        "construct it with the number of arrivals that really come, by count_down or arrive_and_wait, and let every thread that is "
        "counted make its own; a latch cannot be used a second time"};
  case kind::semaphore:
    return {
        "no permit is left, and no thread releases one; ", " thread waits", " threads wait",
        "pair each acquire with a release, on every path out of the section, and construct the semaphore with the number of "
        "permits that there are at first. A thread that holds the last permit must not acquire again"};
  case kind::grid_barrier:
    return {
        "", " participant has not arrived", " participants have not arrived",
        "let every block arrive, and every participant name the same count. If the grid has more blocks than the GPU holds at "
        "once, those that wait keep the others from starting: launch with cudaLaunchCooperativeKernel, which refuses such a grid"};
  case kind::counter_barrier:
    return {
        "", " arrival of the phase is missing", " arrivals of the phase are missing",
        "compare the count given to init with the threads, of all blocks, that arrive in a phase, and the parity waited for "
        "with the phase; blocks that wait for others must be resident together (cudaLaunchCooperativeKernel)"};
  case kind::atomic_lock:
    return {"nobody holds the lock for so long: the atomic is not initialized", nullptr, nullptr,
            "initialize it, by a constructor or by atomic_init"};
  default:
    return {
        "the value stays ", ", and the wait is for another", ", and the wait is for another",
        "see which thread should store another value, whether it runs or waits itself, and whether the scope of the atomic "
        "includes both threads; on the host a store is followed by notify_all"};
  }
}

template <uint32 Size>
CUDASYNC_API_OUT_OF_LINE void put_explanation(text<Size>& out, kind what, uint64 value) {
  const explanation why = explain(what);
  out << "cudasync:   likely cause: " << why.cause;
  if (why.one != nullptr) out << value << (value == 1 ? why.one : why.many);
  out << ".\ncudasync:   remedy: " << why.remedy << ".\n";
}

}  // namespace checked
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CHECKED

#endif
