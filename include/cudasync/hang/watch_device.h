// Waits of device threads in the checked build: threads record what they wait for, and one thread reports a hang.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_WATCH_DEVICE_H
#define CUDASYNC_HANG_WATCH_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/ptx/arithmetic.h>
#include <cudasync/ptx/special_registers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// What happens after a report. The values are those of after_hang in hang_report.h.
enum class after_report : uint32 { trap, go_on, drain };

struct control {
  uint64 timeout;  // in nanoseconds; 0: the value of the macro
  after_report action;
  uint32 reporters;     // threads that found a hang; the first of them reports it
  uint32 drained_grid;  // 1 + the number of the grid whose waits return; 0: none
  uint32 asked;         // the tag of the block that should write the report in place of another one; 0: none
  host_report* host;
};

CUDASYNC_DEVICE_VARIABLE control controls;

CUDASYNC_DEVICE uint64 timeout() {
  const uint64 set = shared_by_all(controls.timeout);
  return set != 0 ? set : uint64{CUDASYNC_HANG_TIMEOUT_MS} * 1000000;
}

// Whether the waits of this grid return although what they wait for has not come.
CUDASYNC_DEVICE bool is_drained() {
  return shared_by_all(controls.drained_grid) == 1 + grid_number();
}

CUDASYNC_DEVICE after_report action_after_report() {
  return static_cast<after_report>(shared_by_all(reinterpret_cast<uint32&>(controls.action)));
}

// Waits that have changed after this time move. Less than a time-out ago: of waits that begin together, one reports.
CUDASYNC_DEVICE uint32 end_of_changes(uint64 now) {
  return time_of_change(now - timeout() / 4 * 3);
}
CUDASYNC_DEVICE bool is_changing(uint64 now) {
  const uint64 last = shared_by_all(last_change);
  return last >> 32 == grid_number() && static_cast<int32>(static_cast<uint32>(last) - end_of_changes(now)) > 0;
}

// The time between two checks of the object of a wait, in nanoseconds.
inline constexpr uint64 between_looks = 1000000;

// Writes the likely cause of a hang, and the remedy. Each kind of object has a function, which is called through
// a pointer: a kernel has only the explanations of the objects that it waits for. Defined in explain_*_device.h.
struct waiting_group;
using explainer = void (*)(const waiting_group& at, uint64 value);
CUDASYNC_REPORT void explain_barriers(const waiting_group& first, uint64 value);
CUDASYNC_REPORT void explain_named_barrier(const waiting_group& at, uint64 value);
CUDASYNC_REPORT void explain_semaphore(const waiting_group& at, uint64 value);
CUDASYNC_REPORT void explain_grid_barrier(const waiting_group& at, uint64 value);
CUDASYNC_REPORT void explain_value(const waiting_group& at, uint64 value);
CUDASYNC_REPORT void explain_lanes(const waiting_group& at, uint64 value);

CUDASYNC_DEVICE explainer explainer_of(kind what) {
  return what == kind::barrier        ? explain_barriers
         : what == kind::semaphore    ? explain_semaphore
         : what == kind::grid_barrier ? explain_grid_barrier
                                      : explain_value;
}

// Those of the kinds for which threads have waited, and the number that a lane of a warp watches.
CUDASYNC_DEVICE_VARIABLE explainer explainers[static_cast<uint32>(kind::group) + 1];

// Called by the first thread that finds a hang. Defined in report_device.h.
CUDASYNC_REPORT void report_hang(subject what, uint64 value, explainer explain);

class watch {
 public:
  CUDASYNC_DEVICE watch(subject what, explainer explain) : what_(what), explain_(explain) {}
  watch(const watch&) = delete;
  watch& operator=(const watch&) = delete;
  CUDASYNC_DEVICE ~watch() {
    if (is_recorded_) record_end_of_wait(record_of_warp());
  }

  // Call it between two checks of the object, with its value: a change is progress. True: the wait must end.
  CUDASYNC_DEVICE bool has_given_up(uint64 value);

  // Waits while another thread writes a report. It sleeps, so that the reporter can run if it is in the same warp.
  // Writes the report itself if a block that has begun one waits for this block.
  static inline __device__ __noinline__ void wait_for_report(watch& self) {
    const uint32 tag = tag_of_block();
    while (shared_by_all(controls.reporters) != 0) {
      if (shared_by_all(controls.asked) == tag && atomicCAS(&controls.asked, tag, 0u) == tag) {
        self.start_ = ptx::get_sreg_globaltimer();
        report_hang(self.what_, self.value_, self.explain_);
      }
      __nanosleep(1000000);
    }
  }

  static inline __device__ __noinline__ bool look(watch& self, uint64 value) {
    const uint64 now = ptx::get_sreg_globaltimer();
    self.start_ = start_of_wait(self.start_, self.last_, now, timeout());
    self.last_ = now;
    if (self.start_ == 0 || value != self.value_) {
      self.start_ = now;
      self.value_ = value;
      if (self.is_recorded_) record_change(record_of_warp(), now);
      return false;
    }
    if (now - self.start_ < between_looks) return false;
    warp_record& warp = record_of_warp();
    shared_by_all(explainers[static_cast<uint32>(self.what_.what())]) = self.explain_;
    shared_by_all(warp.watched) = self.what_.bits;
    shared_by_all(warp.number) = value;
    if (!self.is_recorded_) {
      record_wait(warp, self.what_);
      record_change(warp, self.start_);
    }
    self.is_recorded_ = true;
    wait_for_report(self);
    if (is_drained()) return true;
    if (now - self.start_ >= (is_changing(now) ? 4 : 1) * timeout()) {
      if (atomicAdd(&controls.reporters, 1u) == 0) report_hang(self.what_, self.value_, self.explain_);
      wait_for_report(self);
      self.start_ = now;
    }
    return false;
  }

 private:
  subject what_;
  explainer explain_;
  uint64 value_ = 0;
  uint64 start_ = 0;
  uint64 last_ = 0;  // the time of the last look
  bool is_recorded_ = false;
};

CUDASYNC_DEVICE bool watch::has_given_up(uint64 value) {
  return pointer_to<watch::look>()(*this, value);
}

// --- Threads that meet by an instruction ---

// Waits until all lanes of the warp have come, as __syncwarp() does, but reports a hang if they do not.
inline __device__ __noinline__ void await_lanes(uint32 lanes) {
  const uint64 owner = uint64{owner_of_warp()} << 32;
  uint64& met = record_of_warp().met;
  const uint64 before = read_far(met);
  if (before >> 32 << 32 != owner) atomicCAS(reinterpret_cast<unsigned long long*>(&met), before, owner);
  const uint32 all = (atomicAdd(reinterpret_cast<uint32*>(&met), 1u) / lanes + 1) * lanes;
  watch guard(subject::of(kind::group, 0), explain_lanes);
  for (uint64 now = read_far(met); static_cast<int32>(static_cast<uint32>(now) - all) < 0; now = read_far(met)) {
    __nanosleep(20);
    if (guard.has_given_up(now)) return;
  }
}

// For a call that all threads of the block make: none of them may have exited.
CUDASYNC_DEVICE void meet_lanes(target::sm70) {
  const uint32 left = threads_of_block() - backend::rank_in_block() / 32 * 32;
  const uint32 lanes = left < 32 ? left : 32;
  CUDASYNC_LANES_HERE(active);
  if (ptx::popc(active) != lanes) pointer_to<await_lanes>()(lanes);
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
