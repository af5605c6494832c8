// Causes of hangs: answers of a launch queue that are not requested or not released.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_EXPLAIN_QUEUE_DEVICE_H
#define CUDASYNC_HANG_EXPLAIN_QUEUE_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/cluster_device.h>
#include <cudasync/hang/evidence_device.h>
#include <cudasync/hang/find_cause_device.h>
#include <cudasync/hang/record_data_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/hang/sentence_device.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

inline __device__ __noinline__ void explain_queue(cause why) {
  if (why == cause::answer_not_requested)
    return say("{C}no thread has requested this answer"
               "{R}let one thread of the first block of the cluster call run_scheduler, or call request before each of "
               "its calls of next{.}");
  const waiting_group& scheduler = *waiting_scheduler();
  releases_of_cluster found;
  count_releases(found, static_cast<uint32>(scheduler.what.address()));
  record_number(number::stage, scheduler.what.stage());
  say("{C}the scheduler waits at {f} until the consumers of all blocks have released answer {n}", scheduler.from,
      scheduler.what.stage());
  say_releases_of_cluster(found);
  say("{R}let each consumer of every block call next until its state is done, and make the queue for the number of "
      "consumers that call it{.}");
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
