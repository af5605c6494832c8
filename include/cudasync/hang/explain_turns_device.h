// Explains waits for a turn of a group.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_EXPLAIN_TURNS_DEVICE_H
#define CUDASYNC_HANG_EXPLAIN_TURNS_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/evidence_device.h>
#include <cudasync/hang/record_data_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/sentence_device.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

inline __device__ __noinline__ void explain_turn(const waiting_group& at) {
  record_number(number::arrived, report.found.now);
  record_number(number::expected, at.record->expected);
  if (report.found.now != 0) {
    say("{C}only {n} of {n} threads of the group before have passed their turn", report.found.now, at.record->expected);
    if (report.missing.size() == at.state.pending) {
      record_threads(report.missing);
      say("; {t} {has|have} not{l}", &report.missing, &report.missing);
    }
  } else if (report.found.arrivers != 0) {
    record_threads(report.arrived);
    say("{C}no thread of the group before has passed its turn; {t} {has|have} passed the turns before{l}",
        &report.arrived, &report.arrived);
  } else if (report.missing.size() != at.record->expected) {
    say("{C}no thread of the group before has ever passed its turn");
  } else {
    record_threads(report.missing);
    say("{C}the group before, {t}, has never passed its turn{l}", &report.missing, &report.missing);
  }
  say("{R}let each thread of a group call pass after each wait, on every path, and let all groups take their turns, "
      "also those without work; only the first groups may take one turn more{.}");
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
