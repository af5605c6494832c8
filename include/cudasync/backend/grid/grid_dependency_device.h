// Dependencies between grids of a stream: instructions from sm_90 on; on older targets, the grids never overlap.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_GRID_GRID_DEPENDENCY_DEVICE_H
#define CUDASYNC_BACKEND_GRID_GRID_DEPENDENCY_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/core/target.h>
#include <cudasync/ptx/fence.h>
#include <cudasync/ptx/griddepcontrol.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

CUDASYNC_DEVICE void launch_dependent_grids(target::any) {}

CUDASYNC_DEVICE void launch_dependent_grids(target::sm90) {
  ptx::griddepcontrol_launch_dependents();
}

CUDASYNC_DEVICE void wait_for_prerequisite_grids(target::any) {
  ptx::keep_order();
}

CUDASYNC_DEVICE void wait_for_prerequisite_grids(target::sm90) {
  ptx::griddepcontrol_wait();
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif  // CUDASYNC_CUDA

#endif
