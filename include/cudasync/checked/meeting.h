// Waits of all threads of a group for each other, by an instruction of the hardware: recorded in the checked build.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CHECKED_MEETING_H
#define CUDASYNC_CHECKED_MEETING_H

#include <cudasync/core/caller.h>
#include <cudasync/core/config.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>

#if CUDASYNC_CUDA
#include <cudasync/ptx/barrier_cluster.h>
#endif
#if CUDASYNC_CHECKED && CUDASYNC_CUDA
#include <cudasync/hang/record_words_device.h>
#include <cudasync/hang/registry_device.h>
#endif

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

CUDASYNC_API void begin_use(target::any, caller) {}

#if CUDASYNC_CHECKED
CUDASYNC_API void begin_meeting(target::any, bool, caller) {}
CUDASYNC_API void end_meeting(target::any) {}

#if CUDASYNC_CUDA
// It is no call that a report names as the last one of a thread: threads make it that have no part in what hangs, too.
inline __device__ __noinline__ void record_meeting(subject what) {
  record_wait(record_of_warp(), what, by_instruction);
}
CUDASYNC_DEVICE void begin_meeting(target::sm70, bool is_of_cluster, caller where) {
  shake();
  pointer_to<record_meeting>()(subject::of_meeting(is_of_cluster, where));
}
CUDASYNC_DEVICE void begin_use(target::sm70, caller where) {
  record_call(where);
}
CUDASYNC_DEVICE void end_meeting(target::sm70) {
  record_end_of_wait(record_of_warp(), by_instruction);
}
#endif

// For the time of such a wait.
class meeting {
 public:
  CUDASYNC_API explicit meeting(caller where, bool is_of_cluster = false) {
    begin_meeting(target::here{}, is_of_cluster, where);
  }
  meeting(const meeting&) = delete;
  meeting& operator=(const meeting&) = delete;
  CUDASYNC_API ~meeting() { end_meeting(target::here{}); }
};
#else
struct meeting {
  CUDASYNC_API explicit meeting(caller, bool = false) {}
};
#endif

template <class Group>
using sync_with_caller = decltype(declval<const Group&>().sync(declval<caller>()));

// Synchronizes a group. A function of its own in the checked build: before a barrier that follows calls in branches,
// ptxas (13.0) tests whether the warp is complete, and then omits the test before the caller's next barrier, also if
// there is a wait between the two. docs/design/decisions/lanes_that_wait.md describes the hang that results.
// Callers: of the other barriers of init_barriers, of which the first counts.
CUDASYNC_EXEC_CHECK_DISABLE
template <bool IsOfCluster = false, bool IsUse = false, class Group, class... Callers>
#if CUDASYNC_CHECKED
CUDASYNC_API_OUT_OF_LINE
#else
CUDASYNC_API
#endif
    void sync_members(const Group& group, [[maybe_unused]] caller where = caller::here(), Callers...) {
  if constexpr (IsUse) begin_use(target::here{}, where);
  if constexpr (is_valid<sync_with_caller, Group>) {
    group.sync(where);
  } else {
    [[maybe_unused]] const meeting met(where, IsOfCluster);
    group.sync();
  }
}

#if CUDASYNC_CUDA
// The barriers of the hardware, as groups.
struct barrier_of_block {
  CUDASYNC_DEVICE static void sync() { __syncthreads(); }
};
struct barrier_of_cluster {
  CUDASYNC_DEVICE static void sync() {
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
  }
};
CUDASYNC_DEVICE void sync_block(caller where) {
  sync_members(barrier_of_block{}, where);
}
#endif

// The same, in a call by which the threads begin to use an object: until the next one, a report names it as their last.
CUDASYNC_EXEC_CHECK_DISABLE
template <class Group>
CUDASYNC_API void sync_users(const Group& group, caller where) {
  sync_members<false, true>(group, where);
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif
